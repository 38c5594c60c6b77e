#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace holdfast::documents {

/// A value as an answer: strings as they are, everything else as compact JSON in which equal values
/// have equal texts (sorted keys; 2 and 2.0 are both `2`; all digits of numbers are there). Two
/// answers are the same if their texts are: votes, labels, routes and test questions go by nothing
/// else, so `10` and `"10"` are one answer.
std::string answer_text(const nlohmann::json& value);

/// The same where a step has `labels`: of a number that is no label as it is
/// written canonically, but equal to the number that a label spells, that label. So `1.0` is the
/// answer `1.0` where that is a label, and `1` is not.
std::string answer_text(const nlohmann::json& value, const std::vector<std::string>& labels);

} // namespace holdfast::documents
