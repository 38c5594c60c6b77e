#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app::demo {

/// One item that people labelled.
struct recorded_unit {
  std::string task;
  std::uint32_t answers = 0; ///< Of different contributors; at least 1.
  std::optional<std::string> truth;
};

/// What one contributor said about one unit.
struct recorded_answer {
  std::size_t unit = 0; ///< Index in `dataset::units`.
  std::string label;
  double seconds = 0; ///< How long they took.
};

struct recorded_contributor {
  std::string name;
  std::vector<recorded_answer> answers; ///< In order of the file; at most one for each unit.
};

/// A labelling job as it really happened.
struct dataset {
  std::string name;
  std::vector<recorded_unit> units; ///< In order of first appearance.
  std::vector<recorded_contributor> contributors;
  std::vector<std::string> labels; ///< Every label that occurs in an answer, in label order.
  std::size_t repeated = 0; ///< Rows left out because the contributor had answered the unit before.
  std::string title;        ///< Of the step in which people label the set; empty: none is known.
  std::string ui; ///< What their form is made of, as docs/LABELLING.md has it; empty: its labels.

  std::size_t answers() const;
};

/// Reads a directory with `answers.csv` (columns worker, task, label, and seconds if known; others
/// are ignored) and, unless nothing is known to be true, `truth.csv` (task, label). The name of the
/// set is that of the directory. `form.json` may name `title` and `ui`. Where an answer's seconds
/// are missing, the median of the others is taken.
///
/// Fails with `invalid_argument`; the detail names file, line and what is wrong there.
core::outcome<dataset> read_dataset(const std::filesystem::path& directory);

/// The same, of texts and without a form.
core::outcome<dataset> parse_dataset(const std::string& name, std::string_view answers_csv,
                                     std::string_view truth_csv);

} // namespace holdfast::app::demo
