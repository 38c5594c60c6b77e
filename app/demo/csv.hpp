#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app::demo {

/// One record and the line it begins on, from 1.
struct csv_record {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

/// Reads comma-separated values (RFC 4180) as spreadsheets and scripts really write them: lines may
/// end in LF or CRLF, a byte order mark and empty lines are skipped, and a quotation mark inside a
/// field that does not begin with one stands for itself. Fails with `invalid_argument`, naming
/// `file` and line.
core::outcome<std::vector<csv_record>> parse_csv(std::string_view text, const std::string& file);

} // namespace holdfast::app::demo
