#pragma once

#include "core/time.hpp"
#include "http/call.hpp"

#include <string>
#include <string_view>

/// Requests of browsers: the session cookie, and whether a page of this node has sent a request.
namespace holdfast::http {

/// A page of another origin cannot send this header field: the browser would ask the node first,
/// and no node allows it.
inline constexpr std::string_view csrf_field = "x-holdfast-csrf";

/// The token that a request shows, in its header or in its session cookie.
struct credential {
  std::string_view token; ///< Empty: none.
  bool is_cookie = false;
  /// The token was made for the session, by a sign-in link: the session ends when it is revoked.
  bool is_of_link = false;
};

/// The header `Authorization` goes before the cookie.
credential credential_of(const request& from);

/// Whether a token can be the value of a cookie: browsers drop longer ones.
bool fits_cookie(std::string_view token);

/// The field `Set-Cookie` that keeps a token in the browser for so long.
parameter session_cookie(const request& from, std::string_view token, bool is_of_link,
                         core::duration lifetime);
/// The same that removes it.
parameter no_session_cookie(const request& from);

/// Why a request that may have been sent by a page of another site is refused; empty when a page of
/// this node has sent it, or a program. For requests whose credential is a cookie, and for those
/// that get one.
std::string objection_by_origin(const request& from);

} // namespace holdfast::http
