#pragma once

#include "core/outcome.hpp"

#include <string>

/// What the functions of this folder have in common that put a file in place as a whole.
namespace holdfast::files {

/// What failed with this `errno`.
core::failure failed_on(const std::string& path, int error);

/// A name beside `path`. Nobody who cannot read the directory knows it, and who can finds it too
/// late. Empty, with `errno`, where there is no randomness.
std::string draft_name(const std::string& path);

/// So that the name is on disk as well.
void sync_directory_of(const std::string& path);

} // namespace holdfast::files
