#pragma once

#include "core/outcome.hpp"
#include "link/tls.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::client {

/// Where a node publishes its gateway.
struct endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  /// What we show to the node, and who must have signed what it shows. Without it the connection is
  /// plain, which nodes accept on loopback only.
  std::optional<link::credentials> tls{};
  /// The name that the node's certificate must have; without one, that it is for `host`.
  std::string expected_name{};
};

/// Reads `host:port`; an address of IPv6 may stand in brackets. `invalid_argument` says what is
/// wrong.
core::outcome<endpoint> endpoint_of(std::string_view text);

/// Reads one or several with commas between them, e.g. of an option of a program; all are reached
/// with `tls`.
core::outcome<std::vector<endpoint>> endpoints_of(const std::string& text,
                                                  const std::optional<link::credentials>& tls);

} // namespace holdfast::client
