#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>

namespace holdfast::app {

/// A port that nobody else gets by chance: the system gives it to no connection and to nobody who
/// asks for a free one. Whoever listens there with SO_REUSEADDR, as CAF and the link do, may.
class held_port {
public:
  held_port(int socket, std::uint16_t number) : socket_(socket), number_(number) {}
  held_port(held_port&& other) noexcept;
  held_port& operator=(held_port&& other) noexcept;
  held_port(const held_port&) = delete;
  held_port& operator=(const held_port&) = delete;
  ~held_port();

  std::uint16_t number() const { return number_; }

private:
  friend core::outcome<held_port> hold_port(const std::string& address, std::uint16_t port);

  int socket_;
  std::uint16_t number_;
};

/// Checks that `port` of `address` (an IP address) can be listened on, turns 0 into a free one, and
/// holds it. `already_exists` when somebody else listens there. Asked before anything expensive
/// starts; CAF says no more than "cannot open port" later, and it says so last.
core::outcome<held_port> hold_port(const std::string& address, std::uint16_t port);

/// The same without holding it.
core::outcome<std::uint16_t> listenable_port(const std::string& address, std::uint16_t port);

} // namespace holdfast::app
