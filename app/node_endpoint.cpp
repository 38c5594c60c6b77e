#include "app/node_endpoint.hpp"

#include "app/data_dir.hpp"
#include "app/node_link.hpp"

#include <cstdint>
#include <string>

namespace holdfast::app {

std::string address_to_reach(const std::string& listen_address) {
  const bool all_of_its_machine = listen_address == "0.0.0.0" || listen_address == "::";
  return all_of_its_machine ? "127.0.0.1" : listen_address;
}

core::outcome<client::endpoint> own_endpoint(const config::loaded& loaded) {
  const auto& node = loaded.values.node;
  client::endpoint where;
  where.host = address_to_reach(node.listen_address);
  where.port = static_cast<std::uint16_t>(node.port);
  use_link(where, loaded.values);
  if (has_link(loaded.values)) {
    const auto own = own_name(loaded.values);
    if (!own)
      return own.error();
    where.expected_name = *own;
  }
  const auto port = loaded.origins.find("node.port");
  const auto from =
      port == loaded.origins.end() ? config::origin::kind::built_in : port->second.from;
  if (from == config::origin::kind::flag)
    return where;
  const auto running = read_node_file(node.data_dir);
  if (running) {
    where.host = running->address;
    where.port = running->port;
  } else if (running.error().code != core::errc::not_found
             && from == config::origin::kind::built_in) {
    // The default port would be a guess, and the wrong node might answer.
    return core::failure{running.error().code,
                         running.error().detail + ". Name the node with --node, or its --port"};
  }
  return where;
}

} // namespace holdfast::app
