#include "app/listen_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

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

} // namespace

held_port::held_port(held_port&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), number_(other.number_) {}

held_port& held_port::operator=(held_port&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(number_, other.number_);
  return *this;
}

held_port::~held_port() {
  if (socket_ >= 0)
    ::close(socket_);
}

// Bound is enough, and listening would be too much: then nobody else could listen there any more.
core::outcome<held_port> hold_port(const std::string& address, std::uint16_t port) {
  const auto place = address + ':' + std::to_string(port);
  any_address where;
  socklen_t length = 0;
  if (!parse(address, port, where, length))
    return core::failure{core::errc::invalid_argument, address + " is not an IP address"};
  const auto socket = ::socket(where.generic.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  held_port held{socket, port}; // closes it
  // Connections of an earlier life that still time out do not matter; CAF sets it as well.
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket, &where.generic, length) != 0) {
    const auto code =
        errno == EADDRINUSE ? core::errc::already_exists : core::errc::invalid_argument;
    return core::failure{code, "cannot listen on " + place + ": " + std::strerror(errno)};
  }
  ::getsockname(socket, &where.generic, &length);
  held.number_ =
      ntohs(where.generic.sa_family == AF_INET6 ? where.v6.sin6_port : where.v4.sin_port);
  return held;
}

core::outcome<std::uint16_t> listenable_port(const std::string& address, std::uint16_t port) {
  const auto held = hold_port(address, port);
  if (!held)
    return held.error();
  return held->number();
}

} // namespace holdfast::app
