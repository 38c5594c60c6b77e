#pragma once

#include "http/call.hpp"
#include "http/door.hpp"

#include <string_view>

namespace holdfast::http {

inline constexpr std::string_view session_path = "/v1/session";

/// Sessions of people at pages. A session is a cookie with a token, which no script can read:
///
///   POST    exchanges a token, or a sign-in link, for the cookie
///   GET     says who is signed in; 204: nobody
///   DELETE  removes the cookie, and revokes a token that a link has opened the session with
///
/// `through` must outlive the call.
void serve_session(const door& through, const call_ptr& call);

} // namespace holdfast::http
