#pragma once

#include "app/exit_codes.hpp"

#include <string>

namespace holdfast::app {

/// The options of `holdfast aggregate --fields`.
struct field_aggregation {
  std::string fields;    ///< File with `{"fields": […]}`, or a workflow, or the list itself.
  std::string step;      ///< Of a workflow: which of its steps; empty: the only one with fields.
  std::string data;      ///< Directory with `answers.csv` and, if anything is known, `truth.csv`.
  std::string judgments; ///< In place of `data`: a file of JSON lines, or of CSV (`.csv`).
  std::string truth;     ///< Of the same form; empty: nothing is known.
  std::string answers_out;
  bool weighs = false; ///< By the trust in each row.
  bool skip_bad_rows = false;
  bool json = false;
};

/// Makes answers of recorded judgments about fields, and says how far people agree about each.
exit_code aggregate_fields(const field_aggregation& asked);

} // namespace holdfast::app
