#pragma once

#include "http/call.hpp"
#include "http/request_reader.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The forms of lists that a client reads to their end in one answer.
namespace holdfast::http {

enum class list_form : std::uint8_t {
  page,   ///< JSON: one page.
  ndjson, ///< A JSON object on each line (`application/x-ndjson`).
  csv,    ///< A header line, and a record for each item (`text/csv`).
};

inline constexpr std::string_view ndjson_type = "application/x-ndjson";
inline constexpr std::string_view csv_type = "text/csv; charset=utf-8";

/// The form that the client likes best by `Accept`: the first that it names of those that it likes
/// equally; a page where it names none.
list_form form_for(const request& asked, bool has_csv);

/// The parameter `limit` of a whole list.
inline constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// Takes `limit` out of a query: a whole list has no bound of its own. None when it is no whole
/// number from 1 on, or there more than once.
std::optional<std::uint64_t> take_limit(std::vector<parameter>& query);

/// Appends JSON as one line. Documents of users may have line ends between their tokens, where a
/// blank is as good.
void append_json_line(std::string& to, std::string_view json);

/// Appends a record; a field that a spreadsheet would take for a formula gets an apostrophe.
void append_csv_field(std::string& to, std::string_view text, bool is_first);

} // namespace holdfast::http
