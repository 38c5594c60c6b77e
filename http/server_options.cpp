#include "http/server_options.hpp"

namespace holdfast::http {

std::string_view to_string(server_refusal why) {
  switch (why) {
  case server_refusal::connections_full:
    return "connections_full";
  case server_refusal::address_full:
    return "address_full";
  case server_refusal::malformed:
    return "malformed";
  case server_refusal::header_too_large:
    return "header_too_large";
  case server_refusal::header_timeout:
    return "header_timeout";
  case server_refusal::body_too_large:
    return "body_too_large";
  case server_refusal::body_timeout:
    return "body_timeout";
  case server_refusal::bodies_full:
    return "bodies_full";
  case server_refusal::draining:
    return "draining";
  case server_refusal::answer_timeout:
    return "answer_timeout";
  case server_refusal::unanswered:
    return "unanswered";
  case server_refusal::unread:
    return "unread";
  }
  return "unknown";
}

} // namespace holdfast::http
