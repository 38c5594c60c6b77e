#pragma once

#include "core/outcome.hpp"

#include <filesystem>
#include <string>

namespace holdfast::app {

/// The content of a file. `invalid_argument` when it cannot be read.
core::outcome<std::string> text_of_whole_file(const std::filesystem::path& path);

} // namespace holdfast::app
