#pragma once

#include "core/outcome.hpp"

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::connectors {

/// A range of IP addresses. Those of IPv4 are kept as IPv6 maps them, `::ffff:a.b.c.d`.
struct network {
  std::array<std::uint8_t, 16> address{};
  unsigned prefix = 128; ///< Leading bits that count.

  bool contains(const std::array<std::uint8_t, 16>& other) const;
};

/// Reads `10.0.0.0/8`, `fd00::/8` or a single address; several are separated by commas.
core::outcome<std::vector<network>> parse_networks(std::string_view text);

/// Says to which addresses a node may connect because a stranger has named them: to those that
/// anybody on the internet could reach, and to those that the operator allows.
class address_guard {
public:
  explicit address_guard(std::vector<network> allowed = {}) : allowed_(std::move(allowed)) {}

  /// Of an address as it was resolved. False for what is no address of IPv4 or IPv6.
  bool permits(const sockaddr& to, socklen_t bytes) const;

private:
  std::vector<network> allowed_;
};

/// The address without its port, for people.
std::string to_text(const sockaddr& address, socklen_t bytes);

} // namespace holdfast::connectors
