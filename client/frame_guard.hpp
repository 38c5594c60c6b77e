#pragma once

#include <cstdint>

/// CAF 0.17.6 trusts the header of a frame: a handshake without payload makes it read through a
/// null pointer, and a declared length of 4 GiB makes it allocate them. It asks
/// `caf::io::basp::valid` about every header through the dynamic linker, so a definition of our own
/// takes the place of the library's in every binary that links frame_guard.cpp: nodes and peers.
namespace holdfast::client {

/// Largest payload of a frame. A sender must stay below: the receiver of a larger one closes the
/// connection.
inline constexpr std::uint32_t frame_bytes_max = 16U * 1024 * 1024;

/// Does nothing. A reference to it keeps the linker from leaving the guard behind in its archive,
/// where nothing else would be missed: CAF brings a definition of its own.
void keep_frame_guard();

} // namespace holdfast::client
