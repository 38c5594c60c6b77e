#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Gets the names of the columns, once, before the first row; not for JSON, whose objects have
/// names of their own. Any code but `none` ends the reading, as in `take_table_row`.
using take_table_columns = std::function<core::failure(const std::vector<std::string>& columns)>;
using take_table_row = std::function<core::failure(table_row& row)>;

} // namespace holdfast::documents
