#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "link/tls.hpp"

#include <chrono>
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
  /// Of a connection with `tls`: for its being dialed and proven.
  core::duration dial_deadline = std::chrono::seconds{5};
  /// The same, for the node to read what is sent to it; then the connection is cut. What waits
  /// meanwhile is in memory.
  core::duration stall_deadline = std::chrono::seconds{10};
};

/// Reads `host:port`; an address of IPv6 may stand in brackets. `invalid_argument` says what is
/// wrong.
core::outcome<endpoint> endpoint_of(std::string_view text);

/// Reads one or several with commas between them, e.g. of an option of a program; all are reached
/// with `tls`.
core::outcome<std::vector<endpoint>> endpoints_of(const std::string& text,
                                                  const std::optional<link::credentials>& tls);

} // namespace holdfast::client
