#include "link/frame_rules.hpp"

namespace holdfast::link {

namespace {

/// In the byte order of the network.
template <class Number>
Number number_at(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<Number>(value);
}

} // namespace

std::uint64_t read_number(const char* bytes) { return number_at<std::uint64_t>(bytes); }

frame_header read_header(const char* bytes) {
  frame_header header;
  header.kind = static_cast<frame_kind>(bytes[0]);
  header.flags = number_at<std::uint8_t>(bytes + 3);
  header.payload_bytes = number_at<std::uint32_t>(bytes + 4);
  header.data = read_number(bytes + 8);
  header.source = read_number(bytes + 16);
  header.destination = read_number(bytes + 24);
  return header;
}

bool well_formed(const frame_header& header) {
  if (header.payload_bytes > frame_bytes_max)
    return false;
  const bool has_payload = header.payload_bytes > 0;
  const bool has_data = header.data != 0;
  const bool from_actor = header.source != 0;
  const bool to_actor = header.destination != 0;
  switch (header.kind) {
  case frame_kind::server_handshake: // data is the version of the protocol
    return has_payload && has_data;
  case frame_kind::client_handshake:
    return has_payload && !from_actor && !to_actor;
  case frame_kind::direct_message:
  case frame_kind::routed_message:
    return has_payload && to_actor;
  case frame_kind::monitor_message:
    return has_payload && !has_data;
  case frame_kind::down_message:
    return has_payload && header.payload_bytes <= down_bytes_max && !has_data && from_actor
           && !to_actor;
  case frame_kind::heartbeat:
    return !has_payload && !has_data && !from_actor && !to_actor;
  }
  return false; // the byte on the wire need not be one of the above
}

} // namespace holdfast::link
