#pragma once

#include "core/outcome.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::documents {

/// Tells whether an answer, as JSON text, is right. An answer of another shape is wrong.
using answer_matcher = std::function<bool(std::string_view answer)>;

/// Reads how the answers to a test question are judged:
///
///     {"match": "exact",   "answer": "cat"}                                any JSON value
///     {"match": "set",     "answer": ["cat", "dog"]}                       in any order
///     {"match": "number",  "answer": 12.5, "within": 0.5, "within_share": 0.02}
///     {"match": "pattern", "pattern": "^colou?r$"}                         in a string
///     {"match": "box",     "answer": [x1, y1, x2, y2], "overlap": 0.5}
///
/// Fails with `payload_invalid`, naming the member.
core::outcome<answer_matcher> read_answer_matcher(std::string_view json);

/// The one right answer in the same document, as judgments name it (`answer_text`); none where
/// several may be right.
std::optional<std::string> single_right_answer(std::string_view json);

} // namespace holdfast::documents
