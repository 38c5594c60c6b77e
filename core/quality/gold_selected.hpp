#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/method.hpp"

namespace holdfast::core::quality {

/// The method that is right most often on the test questions, of `dawid_skene_map`, `one_coin`,
/// `wawa` and `majority`; of several, the first in this order. Each works without knowing the
/// truth. No single method is safe everywhere, and this is what test questions are best at telling.
/// Where answers fit no confusion table, `dawid_skene_map` is not among them.
method most_accurate_on(const answers& given, const known_labels& test_questions);

} // namespace holdfast::core::quality
