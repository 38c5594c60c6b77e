#include "http/browser_request.hpp"

#include "http/header_names.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace holdfast::http {

namespace {

/// Browsers take cookies up to 4,096 bytes, with name and attributes.
constexpr std::size_t cookie_token_bytes_max = 3800;

/// In front of the token of a session that a link has opened.
constexpr std::string_view of_link = "link.";

bool is_https(const request& from) {
  return is_same_name(header_of(from, "x-forwarded-proto"), "https");
}

/// Browsers take a name of the second form from https only, and for this host alone.
std::string_view cookie_name(const request& from) {
  return is_https(from) ? "__Host-holdfast" : "holdfast";
}

/// The value of a cookie; empty when there is none. Servers on other ports of this host may have
/// set cookies beside it.
std::string_view cookie_of(const request& from, std::string_view name) {
  for (auto rest = header_of(from, "cookie"); !rest.empty();) {
    const auto end = rest.find(';');
    auto one = rest.substr(0, end);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (const auto mark = one.find('='); mark == name.size() && one.substr(0, mark) == name)
      return one.substr(mark + 1);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return {};
}

/// The token of `Authorization: Bearer`; empty when there is none.
std::string_view bearer_token_of(const request& from) {
  constexpr std::string_view scheme = "Bearer ";
  const auto header = header_of(from, "authorization");
  return header.substr(0, scheme.size()) == scheme ? header.substr(scheme.size())
                                                   : std::string_view{};
}

parameter cookie_field(const request& from, std::string_view value, core::duration lifetime) {
  std::string text{cookie_name(from)};
  text += '=';
  text += value;
  text += "; Max-Age=";
  text += std::to_string(std::chrono::duration_cast<std::chrono::seconds>(lifetime).count());
  text += "; HttpOnly; SameSite=Strict";
  // Cookies go to all ports of a host: without https, at least only to paths of the API.
  text += is_https(from) ? "; Path=/; Secure" : "; Path=/v1";
  return {"Set-Cookie", std::move(text)};
}

/// `Origin` is the scheme with the host; a page without one, such as of a file, says `null`.
bool is_own_origin(const request& from, std::string_view origin) {
  const auto scheme = origin.find("://");
  if (scheme == std::string_view::npos)
    return false;
  origin.remove_prefix(scheme + 3);
  // A proxy may have put its own name in the place of the one that the browser asked for.
  return is_same_name(origin, header_of(from, "host"))
         || is_same_name(origin, header_of(from, "x-forwarded-host"));
}

} // namespace

credential credential_of(const request& from) {
  if (!header_of(from, "authorization").empty())
    return {bearer_token_of(from), false, false};
  auto value = cookie_of(from, cookie_name(from));
  if (value.empty())
    return {};
  const bool is_of_link = value.substr(0, of_link.size()) == of_link;
  if (is_of_link)
    value.remove_prefix(of_link.size());
  return {value, true, is_of_link};
}

bool fits_cookie(std::string_view token) {
  const auto may_stand = [](char c) {
    return (c >= '0' && c <= '9') || (lower_case(c) >= 'a' && lower_case(c) <= 'z') || c == '_'
           || c == '-' || c == '.';
  };
  return token.size() <= cookie_token_bytes_max
         && std::all_of(token.begin(), token.end(), may_stand);
}

parameter session_cookie(const request& from, std::string_view token, bool is_of_link,
                         core::duration lifetime) {
  return cookie_field(from, std::string{is_of_link ? of_link : std::string_view{}} += token,
                      lifetime);
}

parameter no_session_cookie(const request& from) {
  return cookie_field(from, {}, core::duration::zero());
}

std::string objection_by_origin(const request& from) {
  // Browsers tell this of https and loopback addresses; no page can change it.
  const auto site = header_of(from, "sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none")
    return "the request comes from a page of another origin";
  const auto origin = header_of(from, "origin");
  if (site.empty() && !origin.empty() && !is_own_origin(from, origin))
    return "the request comes from a page of another origin";
  if (from.method != "GET" && header_of(from, csrf_field).empty())
    return "a request with a session cookie that changes anything needs the header X-Holdfast-CSRF";
  return {};
}

} // namespace holdfast::http
