#pragma once

#include "client/endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::app {

/// Why no node answers at any of these addresses, in one sentence that says what to do; empty as
/// soon as one answers. Tries again until `patience` is over. Without it a command would wait for
/// its whole deadline: the connection goes on dialing, for nodes that are being started again.
/// Nodes with TLS are taken to answer.
std::string why_unreachable(const std::vector<client::endpoint>& nodes,
                            std::chrono::milliseconds patience);

/// The answer to `GET path` over plain HTTP.
struct http_reply {
  int status = 0;     ///< 0: no answer of HTTP.
  std::string reason; ///< Why there is none.
};
http_reply http_get(const std::string& host, std::uint16_t port, const std::string& path,
                    std::chrono::milliseconds patience);

} // namespace holdfast::app
