#pragma once

/// CAF 0.17.6 can start actors in other processes. For that it makes an actor for each process that
/// it hears of, and keeps it for as long as the middleman lives, also when that process is gone:
/// some kilobytes for each program that was ever connected. Nobody here starts actors elsewhere.
///
/// CAF calls `basp_broker::learned_new_node` through the dynamic linker, so a definition of our own
/// takes the place of the library's, as with the frame guard: in every binary that links
/// no_remote_spawning.cpp, nodes and peers.
namespace holdfast::client {

/// Does nothing. A reference to it keeps the linker from leaving the definition behind in its
/// archive.
void keep_no_remote_spawning();

} // namespace holdfast::client
