#include "client/endpoint.hpp"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace holdfast::client {

namespace {

/// 0 for what is no port.
std::uint16_t port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, port);
  return error == std::errc{} && read_to == end ? port : std::uint16_t{0};
}

core::failure invalid(std::string detail) {
  return {core::errc::invalid_argument, std::move(detail)};
}

} // namespace

core::outcome<endpoint> endpoint_of(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return invalid("'" + std::string{text} + "' is not host:port");
  auto host = text.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  endpoint read;
  read.host = host;
  read.port = port_of(text.substr(colon + 1));
  if (read.host.empty() || read.port == 0)
    return invalid("'" + std::string{text} + "' needs a host, and a port from 1 to 65535");
  return read;
}

core::outcome<std::vector<endpoint>> endpoints_of(const std::string& text,
                                                  const std::optional<link::credentials>& tls) {
  std::vector<endpoint> nodes;
  for (const auto& word : link::names_of_list(text)) {
    auto node = endpoint_of(word);
    if (!node)
      return node.error();
    node->tls = tls;
    nodes.push_back(std::move(*node));
  }
  if (nodes.empty())
    return invalid("at least one node must be named, as host:port");
  return nodes;
}

} // namespace holdfast::client
