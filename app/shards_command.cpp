#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/printable.hpp"
#include "http/shapes/cluster_shapes.hpp"
#include "messages/operations.hpp"

#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

struct shards_flags {
  cluster_flags cluster;
  bool json = false;
};

/// `0-3, 7`.
std::string ranges_in(const std::vector<std::size_t>& shards) {
  std::string text;
  for (std::size_t i = 0; i < shards.size();) {
    auto last = i;
    while (last + 1 < shards.size() && shards[last + 1] == shards[last] + 1)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(shards[i])
            + (last == i ? "" : '-' + std::to_string(shards[last]));
    i = last + 1;
  }
  return text;
}

exit_code show_placement(const shards_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto placed = cluster.ask<msg::placement>(msg::get_placement{});
    if (!placed)
      return refused_by_node(placed.error());
    if (flags.json) {
      std::cout << answer_in_json(*placed, cluster.now()) << '\n';
      return exit_code::ok;
    }
    std::map<core::incarnation_id, std::vector<std::size_t>> by_host;
    for (std::size_t shard = 0; shard < placed->hosts.size(); ++shard)
      by_host[placed->hosts[shard]].push_back(shard);
    print_formatted("%-36s  %6s  %s\n", "process", "count", "shards");
    for (const auto& [host, shards] : by_host)
      print_formatted("%-36s  %6s  %s%s\n", host ? core::to_string(host) : std::string{"nobody"},
                      std::to_string(shards.size()), ranges_in(shards),
                      host == placed->node ? std::string{" (answers)"} : std::string{});
    return exit_code::ok;
  });
}

} // namespace

void add_shards_command(CLI::App& cli, exit_code& result) {
  const auto flags = std::make_shared<shards_flags>();
  auto* command =
      cli.add_subcommand("shards", "Show which process hosts which shards, as one node knows it");
  flags->cluster.add_to(*command);
  command->add_flag("--json", flags->json, "Print one JSON object");
  flags->cluster.add_watch_to(*command);
  command->callback([flags, &result] { result = show_placement(*flags); });
}

} // namespace holdfast::app
