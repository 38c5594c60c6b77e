#pragma once

#include "http/call.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

/// One of the things that a client accepts, such as `gzip;q=0.5`.
struct weighted_name {
  std::string name;       ///< In lower case, without parameters.
  unsigned weight = 1000; ///< In thousandths. 0: not acceptable.
};

/// The names of all header fields `field` of a request, in their order (RFC 9110, 12.4.2). One
/// whose weight cannot be read counts as acceptable.
std::vector<weighted_name> weighted_names_of(const request& from, std::string_view field);

} // namespace holdfast::http
