#pragma once

#include "core/outcome.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Tells whether an answer, as JSON text, is right. It looks at the answer's text alone
/// (`answer_text`), as votes do: what counts as one answer is judged alike, so that the number `10`
/// and the string `"10"` are both right or both wrong. An answer of another shape is wrong.
using answer_matcher = std::function<bool(std::string_view answer)>;

/// Reads how the answers to a test question are judged:
///
///     {"match": "exact",   "answer": "cat"}                                any JSON value
///     {"match": "set",     "answer": ["cat", "dog"]}                       in any order
///     {"match": "number",  "answer": 12.5, "within": 0.5, "within_share": 0.02}
///     {"match": "pattern", "pattern": "^colou?r$"}                         in the text
///     {"match": "box",     "answer": [x1, y1, x2, y2], "overlap": 0.5}
///
/// `labels` are those of the step: the truth is named as one of them. Fails with `payload_invalid`,
/// naming the member. Whether anybody can be right is not asked here, but when a question is added
/// (documents/truth_checker.hpp): what is stored may be older than that.
core::outcome<answer_matcher> read_answer_matcher(std::string_view json,
                                                  const std::vector<std::string>& labels = {});

/// The one right answer in the same document, as judgments name it (`answer_text`); none where
/// several may be right.
std::optional<std::string> single_right_answer(std::string_view json,
                                               const std::vector<std::string>& labels = {});

} // namespace holdfast::documents
