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
  const bool port_given =
      port != loaded.origins.end() && port->second.from == config::origin::kind::flag;
  if (const auto running = read_node_file(node.data_dir); running && !port_given) {
    where.host = running->address;
    where.port = running->port;
  }
  return where;
}

} // namespace holdfast::app
