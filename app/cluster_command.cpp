#include "app/cluster_command.hpp"

#include "app/node_endpoint.hpp"
#include "app/node_link.hpp"
#include "app/printable.hpp"
#include "app/wiring.hpp"
#include "client/endpoint.hpp"
#include "client/peer_system.hpp"

#include <caf/actor_system.hpp>

#include <charconv>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

core::outcome<std::vector<client::endpoint>> nodes_of(const config::loaded& loaded,
                                                      const std::string& nodes) {
  if (!nodes.empty()) {
    auto named = client::endpoints_of(nodes, std::nullopt);
    if (named)
      for (auto& node : *named)
        use_link(node, loaded.values);
    return named;
  }
  auto own = own_endpoint(loaded);
  if (!own)
    return own.error();
  return std::vector<client::endpoint>{std::move(*own)};
}

} // namespace

void cluster_flags::add_to(CLI::App& command) {
  configuration.add_to(command);
  command
      .add_option("--node", nodes,
                  "One or more nodes of the cluster; without it, the node of this configuration")
      ->type_name("HOST:PORT,...");
  command.add_option("--timeout", timeout_seconds, "Seconds to wait for a node at first")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
}

exit_code with_cluster(const cluster_flags& flags,
                       const std::function<exit_code(const client::connection&)>& what) {
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  const auto nodes = nodes_of(loaded, flags.nodes);
  if (!nodes)
    return refuse(nodes.error(), exit_code::configuration);
  client::peer_system configuration{peer_settings_of(loaded.values)};
  caf::actor_system system{configuration};
  client::retry_policy retry;
  retry.deadline = core::duration{static_cast<std::int64_t>(flags.timeout_seconds * 1e6)};
  const client::connection node{system, *nodes, retry, std::random_device{}()};
  return what(node);
}

exit_code refuse(const core::failure& why, exit_code how) {
  std::cerr << "holdfast: " << core::to_string(why.code) << ": " << printable_lines(why.detail)
            << '\n';
  return how;
}

exit_code refused_by_node(const core::failure& why) {
  return refuse(why, why.code == core::errc::unavailable ? exit_code::unreachable
                                                         : exit_code::failed_check);
}

std::optional<core::message_id> message_named(std::string_view text) {
  core::message_id id;
  const auto* end = text.data() + text.size();
  const auto shard = std::from_chars(text.data(), end, id.shard);
  if (shard.ec != std::errc{} || shard.ptr == end || *shard.ptr != '-')
    return std::nullopt;
  const auto seq = std::from_chars(shard.ptr + 1, end, id.seq);
  if (seq.ec != std::errc{} || seq.ptr != end)
    return std::nullopt;
  return id;
}

} // namespace holdfast::app
