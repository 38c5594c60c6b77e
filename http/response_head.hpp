#pragma once

#include "http/call.hpp"

#include <string>

namespace holdfast::http {

/// Whether an answer with this status has a body (RFC 9110, 6.4.1).
bool has_body(unsigned status);

/// The status line and the header fields of an answer, with the empty line behind them. Header
/// fields that frame the body are the server's: those among `of.headers` are left out.
std::string head_of(const response& of, bool keep_alive);

} // namespace holdfast::http
