#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace holdfast::app {

/// A line of a file, without its end and the blanks around it.
struct file_line {
  std::uint64_t number = 0; ///< From 1.
  std::string text;
  core::failure problem; ///< Why there is no text; else `none`.
};

/// Reads a text file from outside line by line. What a program or a system adds to lines is no part
/// of them: a byte order mark, LF, CRLF or CR at their ends, blanks around them; blank lines are
/// left out. Keeps one line in memory, and of one that is too long nothing: it is told by its
/// number, and reading goes on behind it.
class line_reader {
public:
  line_reader(std::istream& from, std::size_t bytes_max);

  /// The next line; false at the end of what can be read.
  bool next(file_line& line);

  /// Why there is nothing more to read, where that is not the end: the encoding, or the device.
  const core::failure& failure() const { return failure_; }

private:
  bool begin();
  int take();

  std::istream& from_;
  const std::size_t bytes_max_;
  std::string first_; ///< Bytes that were looked at before the first line.
  std::size_t first_at_ = 0;
  std::uint64_t number_ = 0;
  bool begun_ = false;
  bool after_return_ = false; ///< A line feed that comes now belongs to the CR before it.
  core::failure failure_;
};

} // namespace holdfast::app
