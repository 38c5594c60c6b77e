#pragma once

#include "http/call.hpp"

#include <cstdint>
#include <string>

namespace holdfast::http {

/// Whether an answer with this status has a body (RFC 9110, 6.4.1).
bool has_body(unsigned status);

/// The way in which a client finds the end of a body.
enum class body_framing : std::uint8_t {
  length,
  chunks,
  closing, ///< The end of the connection: HTTP/1.0 has no chunks.
};

/// The status line and the header fields of an answer, with the empty line behind them. Header
/// fields that frame the body are the server's: those among `of.headers` are left out.
std::string head_of(const response& of, bool keep_alive,
                    body_framing framing = body_framing::length);

} // namespace holdfast::http
