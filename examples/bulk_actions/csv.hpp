#pragma once

#include "examples/bulk_actions/people.hpp"

#include <string>
#include <vector>

/// People as CSV: RFC 4180.
namespace bulk {

/// The first line of an export.
std::string csv_header();
std::string csv_rows(const std::vector<person>& people);

/// With its line end. Only what needs quotes gets them.
std::string csv_line(const std::vector<std::string>& fields);

} // namespace bulk
