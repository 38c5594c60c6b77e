#pragma once

#include <cstddef>
#include <cstdint>

/// What the frames of BASP, CAF's protocol between processes, must look like. CAF 0.17.6 trusts
/// them: a handshake without payload makes it read through a null pointer, and a declared length of
/// 4 GiB makes it allocate them.
namespace holdfast::link {

/// First byte of a frame.
enum class frame_kind : std::uint8_t {
  server_handshake = 0, ///< The listening side's greeting.
  client_handshake = 1, ///< The dialing side's.
  direct_message = 2,
  routed_message = 3, ///< A message for, or from, a third process.
  monitor_message = 4,
  down_message = 5,
  heartbeat = 6,
};

/// Flag of a message whose destination is the name of an actor instead of its number.
inline constexpr std::uint8_t named_receiver_flag = 0x01;
/// Flag of the dialing side's second greeting: that it stays on this connection.
inline constexpr std::uint8_t select_connection_flag = 0x02;

/// Bytes of a header: kind, two of padding, flags, length, data, source, destination.
inline constexpr std::size_t frame_header_bytes = 32;
/// Where the number of the sending actor is in a header.
inline constexpr std::size_t source_offset = 16;

/// Largest payload of a frame. A sender must stay below: the receiver of a larger one closes the
/// connection.
inline constexpr std::uint32_t frame_bytes_max = 16U * 1024 * 1024;
/// Largest payload of a frame that says that an actor has ended: two processes and a reason. CAF
/// reads a reason inside a reason by a call inside a call, and a hundred thousand end the process.
inline constexpr std::uint32_t down_bytes_max = 4096;

/// A header as it is on the wire; `kind` need not be one of the above.
struct frame_header {
  frame_kind kind = frame_kind::heartbeat;
  std::uint8_t flags = 0;
  std::uint32_t payload_bytes = 0;
  std::uint64_t data = 0; ///< Version of the protocol, or the id of a request.
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
};

/// The number in the eight bytes at `bytes`, which are in the order of the network.
std::uint64_t read_number(const char* bytes);

/// Reads `frame_header_bytes` bytes. Never fails: rules are another matter.
frame_header read_header(const char* bytes);

/// Whether a frame is what the protocol allows for its kind, by its header alone, and nothing that
/// CAF's parser is known to stumble over.
bool well_formed(const frame_header& header);

} // namespace holdfast::link
