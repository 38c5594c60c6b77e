#pragma once

#include "core/outcome.hpp"

#include <string>

/// Common parts of the functions of this folder that put a file in place as a whole.
namespace holdfast::files {

/// The failure that has this `errno`.
core::failure failed_on(const std::string& path, int error);

/// A name beside `path`. Nobody who cannot read the directory knows it, and who can finds it too
/// late. Empty, with `errno`, where there is no randomness.
std::string draft_name(const std::string& path);

/// So that the name is on disk as well.
void sync_directory_of(const std::string& path);

} // namespace holdfast::files
