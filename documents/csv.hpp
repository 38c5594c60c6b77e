#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// One record and the line it begins on, from 1.
struct csv_record {
  std::size_t line = 0;
  std::vector<std::string> fields;
  std::vector<bool> quoted; ///< Of each field, whether it stands in quotation marks.
};

/// What is done with a record; any code but `none` ends the reading.
using take_record = std::function<core::failure(const csv_record&)>;

/// Reads comma-separated values (RFC 4180) as spreadsheets and scripts really write them: lines may
/// end in LF, CRLF or CR, a byte order mark, empty lines and the blanks at the end of a line are
/// skipped, and a quotation mark inside a field that does not begin with one stands for itself. An
/// apostrophe that keeps a spreadsheet from taking a field for a formula is taken off. Gives
/// `none`, what `take` ended it with, or `invalid_argument`, naming `file` and line.
core::failure read_csv(std::string_view text, const std::string& file, const take_record& take);

/// The function that takes the reason for which a line is no record.
using refuse_record = std::function<void(const core::failure& why)>;

/// The same, except that a line that is no record does not end the reading: `refuse` is told, and
/// the next record begins behind that line.
core::failure read_csv(std::string_view text, const std::string& file, const take_record& take,
                       const refuse_record& refuse);

/// All records at once.
core::outcome<std::vector<csv_record>> parse_csv(std::string_view text, const std::string& file);

/// Where each column is, by its name in the first record.
using csv_columns = std::map<std::string, std::size_t>;

/// Fails with `invalid_argument` when a column appears twice or one of `required` is missing.
core::outcome<csv_columns> columns_of(const csv_record& header, const std::string& file,
                                      const std::vector<std::string>& required);

/// `none` when `record` has as many fields as there are columns.
core::failure check_width(const csv_record& record, const std::string& file, std::size_t columns);

/// The treatment of a field that a spreadsheet would take for a formula: a field that begins with
/// `=`, `+`, `-`, `@`, or a tab or line end, blanks before that apart, and is no plain number.
enum class csv_formulas {
  guarded, ///< It gets an apostrophe in front, which spreadsheets know for the mark of a text.
  as_they_are,
};

/// A field as it stands in a record: in quotation marks where it must be. `read_csv` reads the very
/// same text again, whatever becomes of formulas.
std::string csv_field(std::string_view text, csv_formulas formulas);

/// What a field of a file stands for: the field without the apostrophe that keeps a spreadsheet
/// from taking it for a formula.
std::string_view without_formula_mark(std::string_view field);

/// `invalid_argument` with the place in front of `why`.
core::failure csv_problem(const std::string& file, std::size_t line, const std::string& why);

} // namespace holdfast::documents
