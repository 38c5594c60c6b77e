#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::core::quality {

/// Label order: numeric when every label is an integer, else by bytes. Decides ties, so it must not
/// depend on the order in which judgments came in.
void sort_labels(std::vector<std::string>& labels);

/// Two of `labels` that spell one number, as `1.0` and `1.00` do; none where all are apart. Of the
/// number in a judgment nobody could say which of them it is.
std::optional<std::pair<std::string, std::string>>
two_of_one_number(const std::vector<std::string>& labels);

} // namespace holdfast::core::quality
