#include "link/report.hpp"

namespace holdfast::link {

std::string_view to_string(refusal why) {
  switch (why) {
  case refusal::connections_full:
    return "connections_full";
  case refusal::address_full:
    return "address_full";
  case refusal::handshakes_full:
    return "handshakes_full";
  case refusal::handshake_timeout:
    return "handshake_timeout";
  case refusal::not_tls:
    return "not_tls";
  case refusal::old_protocol:
    return "old_protocol";
  case refusal::no_certificate:
    return "no_certificate";
  case refusal::unknown_authority:
    return "unknown_authority";
  case refusal::expired:
    return "expired";
  case refusal::revoked:
    return "revoked";
  case refusal::name_not_allowed:
    return "name_not_allowed";
  case refusal::handshake_failed:
    return "handshake_failed";
  case refusal::greeting_timeout:
    return "greeting_timeout";
  case refusal::bad_frame:
    return "bad_frame";
  case refusal::stalled:
    return "stalled";
  case refusal::node_unavailable:
    return "node_unavailable";
  case refusal::foreign_user:
    return "foreign_user";
  case refusal::payloads_full:
    return "payloads_full";
  case refusal::requests_full:
    return "requests_full";
  case refusal::unread_full:
    return "unread_full";
  }
  return "handshake_failed";
}

} // namespace holdfast::link
