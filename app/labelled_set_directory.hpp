#pragma once

#include "documents/labelled_set.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

/// Reads a directory with `answers.csv` and, unless nothing is known to be true, `truth.csv`. Fails
/// with `invalid_argument`; the detail names the file and what is wrong with it. A row that cannot
/// be used is told to `refuse`, and the others count.
core::outcome<documents::labelled_set> read_labelled_set(const std::filesystem::path& directory,
                                                         core::quality::repeats rule,
                                                         const documents::refuse_record& refuse);

/// Says on stderr what is wrong with rows, and how many there are.
class refused_rows {
public:
  documents::refuse_record teller();
  std::uint64_t count() const { return count_; }

private:
  std::uint64_t count_ = 0;
};

/// Says on stderr how many truths were left out because nobody gave such an answer, and names one.
void tell_of_truths_nobody_gave(const std::filesystem::path& directory,
                                const documents::labelled_set& set);

/// The same for a report: `{"count": 20, "task": "t0", "label": "Yes"}`; null if there is none.
nlohmann::ordered_json truths_nobody_gave(const documents::labelled_set& set);

/// Reads the trust of each of `contributors` from a file (`documents::parse_trust`).
core::outcome<std::vector<double>> read_trust(const std::filesystem::path& file,
                                              const std::vector<std::string>& contributors);

} // namespace holdfast::app
