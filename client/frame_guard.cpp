#include "client/frame_guard.hpp"

#include <caf/io/basp/header.hpp>
#include <caf/io/basp/message_type.hpp>

namespace caf {
namespace io {
namespace basp {

/// Whether a frame may be parsed: what the protocol allows for its kind, and nothing that the
/// parser is known to stumble over.
__attribute__((visibility("default"), used)) bool valid(const header& frame) {
  if (frame.payload_len > holdfast::client::frame_bytes_max)
    return false;
  const bool has_payload = frame.payload_len > 0;
  const bool has_data = frame.operation_data != 0;
  const bool from_actor = frame.source_actor != 0;
  const bool to_actor = frame.dest_actor != 0;
  switch (frame.operation) {
  case message_type::server_handshake: // operation data is the version of the protocol
    return has_payload && has_data;
  case message_type::client_handshake:
    return has_payload && !from_actor && !to_actor;
  case message_type::direct_message:
  case message_type::routed_message:
    return has_payload && to_actor;
  case message_type::monitor_message:
    return has_payload && !has_data;
  case message_type::down_message:
    return has_payload && !has_data && from_actor && !to_actor;
  case message_type::heartbeat:
    return !has_payload && !has_data && !from_actor && !to_actor;
  }
  return false; // the byte on the wire need not be one of the above
}

} // namespace basp
} // namespace io
} // namespace caf

namespace holdfast::client {

void keep_frame_guard() {}

} // namespace holdfast::client
