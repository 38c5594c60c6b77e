#pragma once

#include "link/tls.hpp"

#include <cstdint>
#include <optional>
#include <string>

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

} // namespace holdfast::client
