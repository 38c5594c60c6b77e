#pragma once

#include "http/call.hpp"
#include "http/route_table.hpp"

#include "documents/table_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::http {

/// The form of a file of rows by its `Content-Type`; none for another one.
std::optional<documents::table_format> table_format_of(std::string_view content_type);

/// For people: which types `table_format_of` knows.
std::string table_types_told();

/// Has `from` read the body of a request that is unpacked: JSON, or where the route takes many
/// items, one on each line. A file of rows is left to its route. The answer to give where the body
/// cannot be read.
std::optional<response> read_body(const route& to, const request& asked, std::size_t bytes_max,
                                  visit& from);

} // namespace holdfast::http
