#pragma once

#include "core/outcome.hpp"
#include "documents/text_decoder.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// The forms of files of rows.
enum class table_format : std::uint8_t {
  csv,    ///< Comma-separated values; the first line has the names of the columns.
  tsv,    ///< The same with tabs.
  ndjson, ///< A JSON object on each line.
  json,   ///< One JSON array of objects.
};

std::string_view to_string(table_format format);
std::optional<table_format> table_format_named(std::string_view name);
/// By the end of a file's name: `.csv`, `.tsv` or `.tab`, `.ndjson` or `.jsonl`, `.json`.
std::optional<table_format> table_format_of_file(std::string_view name);

/// Bounds of a table, whatever its size. The reader holds at most some copies of one row.
struct table_limits {
  std::size_t row_bytes_max = std::size_t{1024} * 1024;
  std::size_t columns_max = 1000;
  std::size_t depth_max = 64; ///< Of nesting in JSON.
};

/// One row of a file, or the reason why it is none.
struct table_row {
  std::uint64_t line = 0;         ///< On which it begins, from 1.
  std::vector<std::string> cells; ///< Of CSV and TSV, one for each column.
  std::string object;             ///< Of JSON: its text.
  core::failure problem;          ///< Why there is nothing of both; else `none`.
};

/// Reads a file of rows from pieces of any size. A line that is no row costs that line: `take` is
/// told its number and the reason, and reading goes on behind it. In CSV that holds also for a
/// quotation mark that nobody closes within `row_bytes_max`: the next row begins on the next line.
/// A JSON array goes on behind an element that is no object; where a line ends inside of a text,
/// it goes on with the next line if the element began on that very line.
///
/// Lines end in LF, CRLF or CR; byte order marks, empty lines, and the blanks at the end of a line
/// are no part of a row. An apostrophe that keeps a spreadsheet from taking a field for a formula
/// is taken off, as `read_csv` does.
class table_reader {
public:
  /// Gets the names of the columns, once, before the first row; not for JSON, whose objects have
  /// names of their own. Any code but `none` ends the reading, as in `take`.
  using take_columns = std::function<core::failure(const std::vector<std::string>& columns)>;
  using take_row = std::function<core::failure(table_row& row)>;

  table_reader(table_format format, const table_limits& limits, take_columns columns,
               take_row take);
  ~table_reader();
  table_reader(const table_reader&) = delete;
  table_reader& operator=(const table_reader&) = delete;

  /// The next bytes of the file. Gives `none`, what a function ended the reading with, or
  /// `invalid_argument` with the line for a file that cannot be read, or not further: its encoding,
  /// a first line that names no columns, or one twice, and JSON that is no array.
  core::failure read(std::string_view piece);
  /// The file is over. Not after a failure.
  core::failure end();

  /// Splits text into rows; one for each format.
  class splitter;

private:
  text_decoder decoder_;
  std::string text_; ///< The piece as UTF-8.
  std::unique_ptr<splitter> splitter_;
};

} // namespace holdfast::documents
