#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "http/call.hpp"
#include "http/server_options.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace holdfast::http {

class server_state;

/// A server of HTTP/1.1 without TLS: keep-alive and pipelining, one request of a connection at a
/// time. It reads whole requests within bounds and hands them to one handler; it knows neither
/// paths nor tokens.
///
/// A connection costs memory for its bytes only while they arrive, are handled or leave. A client
/// that is slow, or floods, or hangs up, costs at most what `server_limits` says.
class server {
public:
  /// Opens the port. `already_exists` when another process has it, `invalid_argument` for an
  /// address that is none of this machine. `serve` gets each request on a thread of the server and
  /// must not block. It is not called any more once the server is destroyed, but may keep the
  /// calls.
  static core::outcome<std::unique_ptr<server>> open(server_options options,
                                                     std::function<void(call_ptr)> serve);
  /// Closes all connections; calls without an answer are abandoned. Not on a thread of the server.
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  std::uint16_t port() const;
  /// Closes the port and the idle connections. Requests that the handler has are answered, and
  /// their connections closed; requests that are still arriving get 503. From any thread.
  void drain();
  /// Waits until no request is under way; false when some are after `most`. Not on a thread of the
  /// server.
  bool wait_until_idle(core::duration most) const;

  const server_counters& counters() const;

private:
  explicit server(std::unique_ptr<server_state> state);

  std::unique_ptr<server_state> state_;
};

} // namespace holdfast::http
