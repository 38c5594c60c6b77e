#pragma once

#include "core/outcome.hpp"
#include "documents/table_row.hpp"
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

class table_splitter;

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
  using take_columns = take_table_columns;
  using take_row = take_table_row;

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

private:
  text_decoder decoder_;
  std::string text_; ///< The piece as UTF-8.
  std::unique_ptr<table_splitter> splitter_;
};

} // namespace holdfast::documents
