#pragma once

#include "documents/labelled_set.hpp"

#include <filesystem>

namespace holdfast::app {

/// Reads a directory with `answers.csv` and, unless nothing is known to be true, `truth.csv`. Fails
/// with `invalid_argument`; the detail names the file and what is wrong with it.
core::outcome<documents::labelled_set> read_labelled_set(const std::filesystem::path& directory,
                                                         core::quality::repeats rule);

} // namespace holdfast::app
