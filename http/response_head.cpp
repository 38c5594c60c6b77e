#include "http/response_head.hpp"

#include "http/header_names.hpp"

#include <algorithm>
#include <string_view>

namespace holdfast::http {

namespace {

std::string_view reason_of(unsigned status) {
  switch (status) {
  case 200:
    return "OK";
  case 201:
    return "Created";
  case 202:
    return "Accepted";
  case 204:
    return "No Content";
  case 206:
    return "Partial Content";
  case 301:
    return "Moved Permanently";
  case 302:
    return "Found";
  case 303:
    return "See Other";
  case 304:
    return "Not Modified";
  case 307:
    return "Temporary Redirect";
  case 308:
    return "Permanent Redirect";
  case 400:
    return "Bad Request";
  case 401:
    return "Unauthorized";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 406:
    return "Not Acceptable";
  case 408:
    return "Request Timeout";
  case 409:
    return "Conflict";
  case 410:
    return "Gone";
  case 412:
    return "Precondition Failed";
  case 413:
    return "Content Too Large";
  case 415:
    return "Unsupported Media Type";
  case 422:
    return "Unprocessable Content";
  case 428:
    return "Precondition Required";
  case 429:
    return "Too Many Requests";
  case 431:
    return "Request Header Fields Too Large";
  case 500:
    return "Internal Server Error";
  case 503:
    return "Service Unavailable";
  default:
    return "Unknown";
  }
}

/// A line break in a value would begin another field, or the body.
void append_field(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  for (const char c : value) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    head += is_control && c != '\t' ? ' ' : c;
  }
  head += "\r\n";
}

/// Whether `name` frames the body, or is no name.
bool is_ours(std::string_view name) {
  return name.empty() || !std::all_of(name.begin(), name.end(), is_token_char)
         || is_same_name(name, "content-length") || is_same_name(name, "transfer-encoding")
         || is_same_name(name, "connection") || is_same_name(name, "content-type");
}

} // namespace

bool has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

std::string head_of(const response& of, bool keep_alive, body_framing framing) {
  std::string head = "HTTP/1.1 " + std::to_string(of.status) + ' ';
  head += reason_of(of.status);
  head += "\r\n";
  if (has_body(of.status)) {
    if (!of.content_type.empty())
      append_field(head, "Content-Type", of.content_type);
    if (framing == body_framing::length)
      append_field(head, "Content-Length", std::to_string(of.body.size()));
    else if (framing == body_framing::chunks)
      append_field(head, "Transfer-Encoding", "chunked");
  }
  bool says_how_to_cache = false;
  for (const auto& field : of.headers) {
    if (is_ours(field.name))
      continue;
    says_how_to_cache = says_how_to_cache || is_same_name(field.name, "cache-control");
    append_field(head, field.name, field.value);
  }
  if (!says_how_to_cache)
    append_field(head, "Cache-Control", "no-store");
  append_field(head, "X-Content-Type-Options", "nosniff");
  if (!keep_alive)
    append_field(head, "Connection", "close");
  head += "\r\n";
  return head;
}

} // namespace holdfast::http
