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

struct acceptable {
  link::local_users users = link::local_users::own();
  std::function<void(long)> on_refused;
};

acceptable& acceptable_now() {
  static acceptable now;
  return now;
}

bool is_acceptable(int connection) {
  if (!link::is_within_machine(connection))
    return true; // who comes from elsewhere is for the address that was published at
  acceptable rules;
  {
    const std::lock_guard lock{acceptable_mutex};
    rules = acceptable_now();
  }
  if (rules.users.everybody)
    return true;
  const auto user = link::user_of(connection);
  const bool good = user >= 0 && rules.users.has(static_cast<uid_t>(user));
  if (!good && rules.on_refused)
    rules.on_refused(user);
  return good;
}

} // namespace

void keep_accept_guard() {}

void accept_from(link::local_users users, std::function<void(long)> on_refused) {
  const std::lock_guard lock{acceptable_mutex};
  acceptable_now() = {std::move(users), std::move(on_refused)};
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
