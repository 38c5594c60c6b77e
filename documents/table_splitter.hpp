#pragma once

#include "documents/table_row.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace holdfast::documents {

/// Splits text that comes in pieces of valid or invalid UTF-8 into rows.
class table_splitter {
public:
  table_splitter(const table_limits& limits, take_table_row take)
      : limits_(limits), take_(std::move(take)) {}
  virtual ~table_splitter() = default;
  table_splitter(const table_splitter&) = delete;
  table_splitter& operator=(const table_splitter&) = delete;

  virtual core::failure read(std::string_view text) = 0;
  virtual core::failure end() = 0;

protected:
  const table_limits& limits() const { return limits_; }
  core::failure give(table_row& row) const { return take_(row); }
  core::failure refuse(std::uint64_t line, core::errc code, std::string why) const {
    table_row row;
    row.line = line;
    row.problem = {code, std::move(why)};
    return take_(row);
  }
  /// The row is the object that `text` is, or is refused.
  core::failure give_object(std::uint64_t line, std::string_view text) const;
  std::string too_long() const {
    return "the row has more than " + std::to_string(limits_.row_bytes_max) + " bytes";
  }

private:
  const table_limits limits_;
  const take_table_row take_;
};

std::unique_ptr<table_splitter> split_records(char separator, const table_limits& limits,
                                              take_table_columns columns, take_table_row take);
std::unique_ptr<table_splitter> split_lines(const table_limits& limits, take_table_row take);
std::unique_ptr<table_splitter> split_array(const table_limits& limits, take_table_row take);

/// `invalid_argument` with the line in front of `why`.
core::failure table_problem(std::uint64_t line, const std::string& why);

} // namespace holdfast::documents
