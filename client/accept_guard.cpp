#include "client/accept_guard.hpp"

#include <caf/policy/tcp.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>

namespace holdfast::client {

namespace {

std::mutex acceptable_mutex;

link::local_users& acceptable_users() {
  static auto users = link::local_users::own();
  return users;
}

bool is_acceptable(int connection) {
  if (!link::is_within_machine(connection))
    return true; // who comes from elsewhere is for the address that was published at
  link::local_users users;
  {
    const std::lock_guard lock{acceptable_mutex};
    users = acceptable_users();
  }
  return users.everybody || link::is_of(connection, users);
}

} // namespace

void keep_accept_guard() {}

void accept_from(link::local_users users) {
  const std::lock_guard lock{acceptable_mutex};
  acceptable_users() = std::move(users);
}

} // namespace holdfast::client

namespace caf {
namespace policy {

/// Takes a connection, if there is one. One that is refused is as if there had been none.
__attribute__((visibility("default"), used)) bool
tcp::try_accept(io::network::native_socket& result, io::network::native_socket fd) {
  result = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (result < 0) {
    result = io::network::invalid_native_socket;
    // An error of one connection, or a lack of descriptors, must not end the port.
    return errno != EBADF && errno != EINVAL && errno != ENOTSOCK;
  }
  if (!holdfast::client::is_acceptable(result)) {
    ::close(result);
    result = io::network::invalid_native_socket;
  }
  return true;
}

} // namespace policy
} // namespace caf
