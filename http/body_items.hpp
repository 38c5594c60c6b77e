#pragma once

#include "core/outcome.hpp"
#include "http/request_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Bodies of requests about many items that have one item on each line.
namespace holdfast::http {

enum class item_form : std::uint8_t {
  json,   ///< One JSON object has the array of items.
  ndjson, ///< `application/x-ndjson`: an item on each line.
  csv,    ///< `text/csv`: a header line, and an item in each record.
};

/// The form of a body by its `Content-Type`.
item_form item_form_of(std::string_view content_type);

/// Lines of one body: beyond the items that any operation takes, so that those bounds are told.
inline constexpr std::size_t body_lines_max = 100'000;

/// The items of such a body as the JSON object that stands for it.
struct body_items {
  std::string json; ///< `{"rows":[…]}`; `null` in the place of an item that cannot be read.
  std::map<std::size_t, std::string> unreadable; ///< The reason of each, by place from 0.
};

/// The objects on the lines of `body` as the array `items`; empty lines are skipped. `too_large`
/// with more than `body_lines_max` lines.
core::outcome<body_items> items_of_lines(std::string_view body, std::string_view items,
                                         std::size_t depth_max);

/// The records of `body` as rows of source data: the column `key` is the key, `judgments`, which
/// may be left out, the number of judgments, and all others are the members of `input`, as texts.
/// `invalid_argument` where the header does not say that; `too_large` with more than
/// `body_lines_max` records, or where the rows have more than `bytes_max` bytes as JSON.
core::outcome<body_items> source_rows_of_csv(std::string_view body, std::size_t bytes_max);

/// Tells what was wrong with the lines of unreadable items, in place of their being no objects.
void explain_items(std::vector<request_problem>& problems, std::string_view items,
                   const body_items& read);

} // namespace holdfast::http
