#pragma once

#include <set>
#include <string>

#include <sys/socket.h>
#include <sys/types.h>

/// The user at the other end of a connection inside this machine. TCP has no credentials as Unix
/// sockets have; the system's tables of connections have.
namespace holdfast::link {

/// The users whose processes may connect over loopback. Root always may.
struct local_users {
  bool everybody = false;
  std::set<uid_t> users;

  bool has(uid_t user) const { return everybody || user == 0 || users.count(user) != 0; }

  /// The user of this process alone.
  static local_users own();
};

/// The other end of `connection`, a connected socket: whether it is on this machine, open, and
/// belongs to a process of one of `allowed`. False when the system does not say so.
bool is_of(int connection, const local_users& allowed);

/// The user at that end; -1 when the system does not say so.
long user_of(int connection);

/// Whether both ends of `connection` are loopback addresses.
bool is_within_machine(int connection);

/// The user who holds the end `local` of an established connection to `remote`, in a text in the
/// form of /proc/net/tcp or tcp6. -1 when no process holds it: connections that are ending, or
/// wait for their process, are listed under root without having one.
long user_of_connection(const std::string& table, const sockaddr_storage& local,
                        const sockaddr_storage& remote);

} // namespace holdfast::link
