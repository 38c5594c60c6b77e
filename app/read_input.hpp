#pragma once

#include "core/outcome.hpp"

#include <string>

namespace holdfast::app {

/// The text of a file, or of the standard input where `name` is `-`, without its byte order mark.
/// Fails where it cannot be read, or is no UTF-8.
core::outcome<std::string> read_input(const std::string& name);

} // namespace holdfast::app
