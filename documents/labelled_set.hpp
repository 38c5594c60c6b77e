#pragma once

#include "core/outcome.hpp"
#include "core/quality/answers.hpp"
#include "documents/csv.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// The answers to a labelling job, and what is known to be true, ready for aggregation.
struct labelled_set {
  core::quality::named_answers named;
  core::quality::known_labels truth;
  /// The truth in every tenth row of the file, from the first: units that may serve as test
  /// questions.
  core::quality::known_labels test_questions;
  /// The truth in the other rows: what a result made with test questions is judged by.
  core::quality::known_labels held_back;
  /// Truths of tasks with answers that are left out of all three: nobody gave such an answer to any
  /// task, so that everybody would be wrong. Most likely it is spelled otherwise there.
  std::size_t truths_nobody_gave = 0;
  /// The first of them.
  struct odd_truth {
    std::string task;
    std::string label;
  };
  odd_truth first_nobody_gave;
  /// Truths of tasks that nobody answered: left out, too. Most likely the task is spelled otherwise
  /// there, if it is not from a larger set.
  std::size_t truths_of_no_task = 0;
  std::string first_of_no_task;
};

/// Longest name of a worker or task in a set: no name of a contributor or key of a unit is longer.
inline constexpr std::size_t set_name_bytes_max = 1024;

/// Longest label: an answer may be as long as the judgment that it is in, and no option lets one be
/// longer than this.
inline constexpr std::size_t set_label_bytes_max = std::size_t{64} * 1024 * 1024;

/// Reads `answers.csv` (columns worker, task, label; others are ignored) and `truth.csv` (task,
/// label), which may be empty. `name` stands before the file names in errors. The truth of tasks
/// without answers is left out, and so are truths that nobody gave to any task. The empty answer is
/// a label as any other where it is written `""`; a field with nothing in it is refused, because it
/// may as well mean that there is no answer.
///
/// Fails with `invalid_argument`; the detail names file, line and what is wrong there. With
/// `refuse` only what concerns all rows is a failure: a row that cannot be used is told to it, and
/// the others count.
core::outcome<labelled_set> parse_labelled_set(const std::string& name,
                                               std::string_view answers_csv,
                                               std::string_view truth_csv,
                                               core::quality::repeats rule,
                                               const refuse_record& refuse = nullptr);

/// Reads how far each of `contributors` is trusted: `csv` has the columns worker and trust, from 0
/// to 1; other columns, and workers who are none of them, are ignored. `file` stands in errors.
///
/// Fails with `invalid_argument`; the detail names the file, and the line or the worker without
/// trust.
core::outcome<std::vector<double>> parse_trust(const std::string& file, std::string_view csv,
                                               const std::vector<std::string>& contributors);

} // namespace holdfast::documents
