#pragma once

#include <string>
#include <vector>

namespace holdfast::core::quality {

/// Label order: numeric when every label is an integer, else by bytes. Decides ties, so it must not
/// depend on the order in which judgments came in.
void sort_labels(std::vector<std::string>& labels);

} // namespace holdfast::core::quality
