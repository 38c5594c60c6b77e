#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/printable.hpp"
#include "core/time_text.hpp"
#include "http/shapes/cluster_shapes.hpp"
#include "messages/operations.hpp"

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

namespace holdfast::app {

namespace {

struct nodes_flags {
  cluster_flags cluster;
  std::uint32_t limit = 100;
  bool json = false;
};

std::string state_of(const msg::node_start& node) {
  if (node.alive)
    return "lives";
  return node.left_at == core::instant{} ? "lost, lease until " + core::to_rfc3339(node.expires_at)
                                         : "stopped " + core::to_rfc3339(node.left_at);
}

exit_code list_nodes_of(const nodes_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto found = cluster.ask<msg::node_list>(msg::list_nodes{flags.limit});
    if (!found)
      return refused_by_node(found.error());
    if (flags.json) {
      std::cout << answer_in_json(*found, cluster.now()) << '\n';
      return exit_code::ok;
    }
    constexpr const char* columns = "%-24s  %-36s  %-22s  %6s  %-27s  %s\n";
    print_formatted(columns, "node", "process", "address", "shards", "started", "state");
    for (const auto& node : found->nodes)
      print_formatted(columns, printable(node.name), to_string(node.incarnation),
                      printable(node.address), std::to_string(node.shards),
                      core::to_rfc3339(node.started_at), state_of(node));
    if (found->more)
      std::cout << "earlier starts are left out; --limit shows more\n";
    return exit_code::ok;
  });
}

} // namespace

void add_nodes_command(CLI::App& cli, exit_code& result) {
  const auto flags = std::make_shared<nodes_flags>();
  auto* command = cli.add_subcommand(
      "nodes", "Show the nodes of the cluster, the latest start first, also those that are gone");
  flags->cluster.add_to(*command);
  command->add_option("--limit", flags->limit, "The most starts to show, 1 to 1000")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U));
  command->add_flag("--json", flags->json, "Print one JSON object");
  flags->cluster.add_watch_to(*command);
  command->callback([flags, &result] { result = list_nodes_of(*flags); });
}

} // namespace holdfast::app
