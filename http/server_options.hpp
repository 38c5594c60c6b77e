#pragma once

#include "core/time.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Settings of the HTTP server, and the numbers and events that it reports.
namespace holdfast::http {

/// Bounds on the cost of clients.
struct server_limits {
  std::size_t connections_max = 10'000;
  /// Of one address. All clients behind a proxy have the address of the proxy.
  std::size_t connections_per_address_max = 10'000;
  /// Request line and header fields of one request.
  std::size_t header_bytes_max = 16UL * 1024;
  /// Body of one request.
  std::size_t body_bytes_max = 16UL * 1024 * 1024;
  /// Bodies of all requests that are being received or answered.
  std::size_t bodies_bytes_max = 256UL * 1024 * 1024;
  /// Of one streamed answer: while so many bytes wait for the client, no further piece is taken.
  std::size_t stream_bytes_max = 64UL * 1024;
  /// From the first byte of a request to the end of its header; and for a new connection to send
  /// its first byte.
  core::duration header_deadline = std::chrono::seconds{10};
  /// For each half MiB of a body to arrive, and for the rest of the body.
  core::duration body_deadline = std::chrono::seconds{60};
  /// From the end of a request to its answer; and between two pieces of a streamed one.
  core::duration answer_deadline = std::chrono::seconds{90};
  /// For the client to read each half MiB of an answer, and the rest of the answer.
  core::duration write_deadline = std::chrono::seconds{30};
  /// Between two requests on one connection.
  core::duration idle_deadline = std::chrono::seconds{75};
  /// For the client to hang up after the last answer on a connection.
  core::duration linger_deadline = std::chrono::seconds{2};
};

/// The reasons for which the server, and not the handler of the request, answers or cuts.
enum class server_refusal : std::uint8_t {
  connections_full, ///< 503: as many connections are open as there may be.
  address_full,     ///< 503: the same for one address.
  malformed,        ///< 400: the bytes are no HTTP/1 request, or their framing is ambiguous.
  header_too_large, ///< 431
  header_timeout,   ///< 408
  body_too_large,   ///< 413
  body_timeout,     ///< 408
  bodies_full,      ///< 503: the bodies of all requests together are too large.
  draining,         ///< 503: the request arrived while the server stops.
  answer_timeout,   ///< 503: the handler did not answer in time. A stream is cut.
  unanswered,       ///< 500: the handler dropped the request without an answer.
  unread,           ///< Cut: the client does not read its answer.
};
inline constexpr std::size_t server_refusal_count = 12;

/// A word for logs and counters, such as `header_timeout`.
std::string_view to_string(server_refusal why);

/// One event for the log. Nothing in it comes from the headers or the body of a request.
struct server_event {
  /// `http_refused`, `http_accept_paused`, `http_handler_failed` or `http_failed`.
  std::string_view name;
  std::string_view reason; ///< The word of the refusal; empty for other events.
  std::string peer;        ///< The address of the client; empty where there is none.
  std::string detail;
  std::uint64_t left_out = 0; ///< Like events since the last one in the log.
};

/// A request that the handler has answered.
struct served_request {
  std::string_view route; ///< As `call::on_route` told; empty for a request without a route.
  unsigned status = 200;
  std::chrono::steady_clock::duration took{}; ///< From the complete request to the answer.
};

struct server_options {
  std::string address = "127.0.0.1"; ///< An IP address.
  std::uint16_t port = 0;            ///< 0 takes a free one.
  server_limits limits;
  std::size_t threads = 1; ///< For sockets and for the calls of the handler.
  /// Is called on the threads of the server, at most once a second for each reason and address.
  /// Must not block and must not throw. May be empty.
  std::function<void(const server_event&)> log;
  /// Is called on the threads of the server with each answer of the handler. Must not block and
  /// must not throw. May be empty.
  std::function<void(const served_request&)> served;
};

/// The numbers of a server since its start. Written on its threads, read from any.
struct server_counters {
  using number = std::atomic<std::uint64_t>;

  number accepted{0};      ///< Connections that were taken from the system.
  number open{0};          ///< Connections that are open now.
  number requests{0};      ///< Requests that have arrived completely.
  number answers{0};       ///< Answers that have been sent completely, refusals included.
  number abandoned{0};     ///< Requests whose client closed its connection before the answer.
  number incomplete{0};    ///< Requests whose client closed its connection in the middle of them.
  number accept_pauses{0}; ///< Times that no connections were taken for a moment.
  number failures{0};      ///< Exceptions of the handler, and for want of memory.
  std::array<number, server_refusal_count> refused{};

  std::uint64_t refused_for(server_refusal why) const {
    return refused[static_cast<std::size_t>(why)];
  }
};

} // namespace holdfast::http
