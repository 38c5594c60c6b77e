#pragma once

#include "documents/labelled_set.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

/// Reads a directory with `answers.csv` and, unless nothing is known to be true, `truth.csv`. Fails
/// with `invalid_argument`; the detail names the file and what is wrong with it.
core::outcome<documents::labelled_set> read_labelled_set(const std::filesystem::path& directory,
                                                         core::quality::repeats rule);

/// Says on stderr how many truths were left out because nobody gave such an answer, and names one.
void tell_of_truths_nobody_gave(const std::filesystem::path& directory,
                                const documents::labelled_set& set);

/// The same for a report: `{"count": 20, "task": "t0", "label": "Yes"}`; null if there is none.
nlohmann::ordered_json truths_nobody_gave(const documents::labelled_set& set);

/// Reads the trust of each of `contributors` from a file (`documents::parse_trust`).
core::outcome<std::vector<double>> read_trust(const std::filesystem::path& file,
                                              const std::vector<std::string>& contributors);

} // namespace holdfast::app
