#include "app/listen_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace holdfast::app {

namespace {

/// A socket address of either family.
union any_address {
  sockaddr generic;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

bool parse(const std::string& text, std::uint16_t port, any_address& result, socklen_t& length) {
  std::memset(&result, 0, sizeof result);
  if (::inet_pton(AF_INET, text.c_str(), &result.v4.sin_addr) == 1) {
    result.v4.sin_family = AF_INET;
    result.v4.sin_port = htons(port);
    length = sizeof result.v4;
    return true;
  }
  if (::inet_pton(AF_INET6, text.c_str(), &result.v6.sin6_addr) == 1) {
    result.v6.sin6_family = AF_INET6;
    result.v6.sin6_port = htons(port);
    length = sizeof result.v6;
    return true;
  }
  return false;
}

class socket_handle {
public:
  explicit socket_handle(int family) : number_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~socket_handle() {
    if (number_ >= 0)
      ::close(number_);
  }
  socket_handle(const socket_handle&) = delete;
  socket_handle& operator=(const socket_handle&) = delete;

  int number() const { return number_; }

private:
  int number_;
};

} // namespace

core::outcome<std::uint16_t> listenable_port(const std::string& address, std::uint16_t port) {
  const auto place = address + ':' + std::to_string(port);
  any_address where;
  socklen_t length = 0;
  if (!parse(address, port, where, length))
    return core::failure{core::errc::invalid_argument, address + " is not an IP address"};
  const socket_handle socket{where.generic.sa_family};
  // Connections of an earlier life that still time out do not matter; CAF sets it as well.
  const int on = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.number(), &where.generic, length) != 0 || ::listen(socket.number(), 1) != 0) {
    const auto code =
        errno == EADDRINUSE ? core::errc::already_exists : core::errc::invalid_argument;
    return core::failure{code, "cannot listen on " + place + ": " + std::strerror(errno)};
  }
  ::getsockname(socket.number(), &where.generic, &length);
  return ntohs(where.generic.sa_family == AF_INET6 ? where.v6.sin6_port : where.v4.sin_port);
}

} // namespace holdfast::app
