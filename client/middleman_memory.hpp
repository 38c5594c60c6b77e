#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

/// Three things that the middleman of CAF 0.17.6 keeps. Two of them for as long as it lives, so
/// that a node would grow with each peer that ever came:
///
/// - an actor for each process that it has heard of, which could start other actors there. Nobody
///   here starts actors elsewhere.
/// - what it writes to a connection that is closed already: answers that were under way when their
///   peer left, one behind the other in a buffer that nobody empties.
///
/// And one for as long as a connection lives: the memory of the largest frames that came and went.
///
/// CAF has no bound on what waits to be written to a connection whose other end does not read:
/// `bound_unread` sets one.
///
/// CAF calls the functions concerned through the dynamic linker, so definitions of our own take the
/// place of the library's, as with the frame guard: in every binary that links
/// middleman_memory.cpp, nodes and peers.
namespace holdfast::client {

/// Does nothing. A reference to it keeps the linker from leaving the definitions behind in their
/// archive.
void keep_middleman_memory();

/// From now on a connection of this process for which more than `bytes_max` bytes wait, besides
/// those that are being written, is closed when something is to be added to them. One frame may
/// come above. `on_close` is called before, on the thread of the middleman and possibly several
/// times, with the port of the other end; it must not block.
void bound_unread(std::size_t bytes_max, std::function<void(std::uint16_t port)> on_close);

} // namespace holdfast::client
