#include "connectors/address_guard.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace holdfast::connectors {

namespace {

using address_bytes = std::array<std::uint8_t, 16>;

constexpr std::size_t v4_at = 12; ///< Where an address of IPv4 begins in the one that maps it.
constexpr unsigned v4_bits_before = 96;

address_bytes mapped(const in_addr& v4) {
  address_bytes bytes{};
  bytes[10] = bytes[11] = 0xff;
  std::memcpy(bytes.data() + v4_at, &v4, sizeof v4);
  return bytes;
}

std::optional<address_bytes> bytes_of(const sockaddr& address, socklen_t length) {
  if (address.sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return mapped(v4.sin_addr);
  }
  if (address.sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    address_bytes bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return bytes;
  }
  return std::nullopt;
}

std::optional<network> parse_network(const std::string& text) {
  const auto slash = text.find('/');
  const auto address = text.substr(0, slash);
  network parsed;
  in_addr v4{};
  const bool is_v4 = inet_pton(AF_INET, address.c_str(), &v4) == 1;
  if (is_v4)
    parsed.address = mapped(v4);
  else if (inet_pton(AF_INET6, address.c_str(), parsed.address.data()) != 1)
    return std::nullopt;
  if (slash == std::string::npos)
    return parsed;
  unsigned bits = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + slash + 1, end, bits);
  if (read.ec != std::errc{} || read.ptr != end || bits > (is_v4 ? 32U : 128U))
    return std::nullopt;
  parsed.prefix = is_v4 ? v4_bits_before + bits : bits;
  return parsed;
}

std::vector<network> networks(std::string_view text) { return *parse_networks(text); }

bool any_contains(const std::vector<network>& among, const address_bytes& address) {
  return std::any_of(among.begin(), among.end(),
                     [&](const network& one) { return one.contains(address); });
}

/// Whether anybody on the internet could be there. Source: the registries of special purpose
/// addresses of IPv4 and IPv6 at IANA (RFC 6890), and RFC 5771 on multicast.
bool is_public(const address_bytes& address) {
  static const auto v4 = networks("::ffff:0:0/96");
  static const auto special_v4 = networks(
      "0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,"
      "192.0.2.0/24,192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,"
      "224.0.0.0/4,240.0.0.0/4");
  // All other addresses of IPv6 are no unicast addresses of the internet: loopback, unique local,
  // link-local, multicast, those that translate to IPv4 (64:ff9b::/96) and what nobody has yet.
  static const auto global_v6 = networks("2000::/3");
  // In there: Teredo and other protocols, documentation, and 6to4, which hides an address of IPv4.
  static const auto special_v6 = networks("2001::/23,2001:db8::/32,2002::/16,3fff::/20");
  if (any_contains(v4, address))
    return !any_contains(special_v4, address);
  return any_contains(global_v6, address) && !any_contains(special_v6, address);
}

} // namespace

bool network::contains(const address_bytes& other) const {
  const auto whole = prefix / 8;
  if (!std::equal(address.begin(), address.begin() + whole, other.begin()))
    return false;
  const auto rest = prefix % 8;
  const auto mask = static_cast<std::uint8_t>(0xff00U >> rest);
  return rest == 0 || (address[whole] & mask) == (other[whole] & mask);
}

core::outcome<std::vector<network>> parse_networks(std::string_view text) {
  std::vector<network> found;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const auto begin = std::min(one.find_first_not_of(' '), one.size());
    one = one.substr(begin, one.find_last_not_of(' ') + 1 - begin);
    const auto parsed = parse_network(std::string{one});
    if (!parsed)
      return core::failure{core::errc::invalid_argument,
                           "`" + std::string{one}
                               + "` is no network, such as 10.0.0.0/8 or fd00::/8"};
    found.push_back(*parsed);
  }
  return found;
}

bool address_guard::permits(const sockaddr& to, socklen_t bytes) const {
  const auto address = bytes_of(to, bytes);
  return address && (is_public(*address) || any_contains(allowed_, *address));
}

std::string to_text(const sockaddr& address, socklen_t bytes) {
  const auto raw = bytes_of(address, bytes);
  if (!raw)
    return "an address that is not of IPv4 or IPv6";
  char text[INET6_ADDRSTRLEN] = "";
  const bool is_v4 = address.sa_family == AF_INET;
  inet_ntop(address.sa_family, is_v4 ? raw->data() + v4_at : raw->data(), text, sizeof text);
  return text;
}

} // namespace holdfast::connectors
