#pragma once

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
/// CAF calls the functions concerned through the dynamic linker, so definitions of our own take the
/// place of the library's, as with the frame guard: in every binary that links
/// middleman_memory.cpp, nodes and peers.
namespace holdfast::client {

/// Does nothing. A reference to it keeps the linker from leaving the definitions behind in their
/// archive.
void keep_middleman_memory();

} // namespace holdfast::client
