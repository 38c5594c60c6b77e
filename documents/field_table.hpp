#pragma once

#include "core/fields/whole_step.hpp"
#include "core/outcome.hpp"
#include "documents/csv.hpp"
#include "documents/field_values.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Recorded judgments about fields, ready to be combined; units and contributors are numbered in
/// order of appearance.
struct field_table {
  std::vector<std::string> units;
  std::vector<std::string> contributors;
  /// By rule: what each judgment says, in the order of the file.
  std::vector<std::vector<core::fields::step_value>> judgments;
  /// By rule, then by unit: what a pairwise field compares. Empty where the rule does not say it.
  std::vector<std::vector<core::fields::compared_pair>> pairs;
  std::size_t repeated = 0; ///< Judgments of a contributor on a unit after the first, left out.
};

/// The form of a file of judgments: JSON lines, or CSV with a header.
enum class judgment_format { json_lines, csv };

/// Reads judgments. A line of JSON has `unit` (or `task`), `contributor` (or `worker`), `judgment`,
/// and where they are needed `trust` (a number above 0) and `input`. A record of CSV has the same
/// as columns, `judgment` and `input` as JSON; in place of `judgment` it may have `label`, the
/// values by the names of their fields as JSON (of a single field its value) as `holdfast step
/// export` writes it, or a column for each field by its name, whose cells are texts where the field
/// has texts or labels, and JSON elsewhere. `weighs` has trust count as weight.
///
/// Fails with `invalid_argument`, naming `file`, line and what is wrong there; with `refuse` a line
/// that cannot be used is told to it, and the others count.
core::outcome<field_table> read_field_table(std::string_view text, judgment_format format,
                                            const std::string& file, const field_values& fields,
                                            bool weighs, const refuse_record& refuse = nullptr);

/// Reads what is true of units from a file of the same form without contributors; by unit of
/// `table`, none where nothing is known. Truths of other units are left out.
core::outcome<std::vector<std::optional<std::vector<core::fields::value>>>>
read_field_truths(std::string_view text, judgment_format format, const std::string& file,
                  const field_values& fields, const field_table& table,
                  const refuse_record& refuse = nullptr);

} // namespace holdfast::documents
