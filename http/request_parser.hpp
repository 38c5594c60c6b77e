#pragma once

#include "http/body_room.hpp"
#include "http/call.hpp"
#include "http/server_options.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::http {

/// Reads one request of HTTP/1.0 or HTTP/1.1 from bytes, within bounds. A request whose framing
/// could be read in two ways is refused, because a proxy in front may have read it the other way.
///
///   header ──► body ──► done
///      └─────────┴────► refused
class request_parser {
public:
  /// `limits` must outlive it.
  request_parser(const server_limits& limits, const std::shared_ptr<body_room>& room);
  ~request_parser();
  request_parser(const request_parser&) = delete;
  request_parser& operator=(const request_parser&) = delete;

  /// Reads from the front of `bytes` and returns how many are used. The unused ones must be given
  /// again, with more behind them; unless the request is done they are fewer than
  /// `header_bytes_max` plus the bytes of the last call. Not once the request is done or refused.
  std::size_t read(std::string_view bytes);

  bool has_header() const;
  bool is_done() const;
  /// Why the request is refused; none while it is good.
  std::optional<server_refusal> refused() const;
  /// The reason of a refusal, for the client.
  const std::string& objection() const;

  // --- once the header is there ---

  /// Whether the client wants no body in the answer: `HEAD`, which is asked as `GET`.
  bool is_head() const;
  /// Whether further requests may follow on the connection.
  bool keeps_connection() const;
  /// Whether the client understands an answer in chunks.
  bool takes_chunks() const;
  /// Whether the client waits for `100 Continue` before it sends the body.
  bool awaits_continue() const;
  /// Bytes of the body that have been read.
  std::size_t body_bytes() const;
  /// Bytes of the body that are missing; none where the request does not say.
  std::optional<std::uint64_t> body_bytes_missing() const;

  // --- once, when it is done ---

  request take_request();
  body_share take_share();

private:
  class reader;

  std::size_t read_header(std::string_view bytes);
  std::size_t read_body(std::string_view bytes);
  /// The size of the header at the front of `bytes`; none when it is incomplete, or refused.
  std::optional<std::size_t> header_size(std::string_view bytes);
  void check_header();
  void refuse_body();
  void refuse(server_refusal why, std::string objection);

  const server_limits& limits_;
  const std::shared_ptr<body_room> room_;
  std::unique_ptr<reader> reader_;
  std::size_t searched_ = 0; ///< Bytes at the front that hold no end of the header.
  std::optional<server_refusal> refused_;
  std::string objection_;
};

} // namespace holdfast::http
