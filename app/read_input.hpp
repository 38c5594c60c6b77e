#pragma once

#include <optional>
#include <string>

namespace holdfast::app {

/// The whole of a file, or of the standard input where `name` is `-`; none when it cannot be read.
std::optional<std::string> read_input(const std::string& name);

} // namespace holdfast::app
