#pragma once

#include "http/call.hpp"
#include "http/route_table.hpp"

#include <cstddef>
#include <optional>

namespace holdfast::http {

/// Has `from` read the body of a request that is unpacked: JSON, or where the route takes many
/// items, one on each line. The answer to give where the body cannot be read.
std::optional<response> read_body(const route& to, const request& asked, std::size_t bytes_max,
                                  visit& from);

} // namespace holdfast::http
