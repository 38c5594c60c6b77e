#pragma once

#include <cstdint>

#include <sys/types.h>

namespace holdfast::link {

/// Whether the other end of a connection over 127.0.0.1 belongs to a process of this user, or of
/// root. TCP has no credentials as unix sockets have; the system's table of connections has.
/// `peer_port` is the port of the other end, `own_port` ours.
bool is_of_this_user(std::uint16_t peer_port, std::uint16_t own_port);

/// The user who has the connection from `local_port` to `remote_port` of 127.0.0.1, according to a
/// text in the form of /proc/net/tcp. -1 when it is not there.
long user_of_connection(const char* table, std::uint16_t local_port, std::uint16_t remote_port);

} // namespace holdfast::link
