#pragma once

#include "link/frame_rules.hpp"

/// CAF 0.17.6 trusts the header of a frame (link/frame_rules.hpp). It asks
/// `caf::io::basp::valid` about every header through the dynamic linker, so a definition of our own
/// takes the place of the library's in every binary that links frame_guard.cpp: nodes and peers.
/// The last line of defence, behind the link: also connections on loopback pass it. A message to an
/// actor of a node that is not published (link/published_actors.hpp) ends its connection.
namespace holdfast::client {

using link::frame_bytes_max;

/// Does nothing. A reference to it keeps the linker from leaving the guard behind in its archive,
/// where nothing else would be missed: CAF brings a definition of its own.
void keep_frame_guard();

} // namespace holdfast::client
