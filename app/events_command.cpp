#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/node_endpoint.hpp"
#include "app/node_link.hpp"
#include "app/wiring.hpp"
#include "client/event_subscription.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"

#include <caf/actor_system.hpp>

#include <charconv>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

struct events_flags {
  configuration_flags configuration;
  std::string nodes;
  std::vector<std::string> after;
  bool only_new = false;
  bool follow = false;
  std::string step;
  std::vector<std::string> types;
  double timeout_seconds = 10;
};

/// Reads `3-17`: an event as `report.outbox` and our own lines name it.
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

core::outcome<client::subscription_settings> wanted(const events_flags& flags) {
  client::subscription_settings what;
  what.only_new = flags.only_new;
  what.types = flags.types;
  for (const auto& text : flags.after) {
    const auto position = message_named(text);
    if (!position)
      return core::failure{core::errc::invalid_argument,
                           "--after must be SHARD-SEQ, e.g. 3-17, and not " + text};
    what.positions[position->shard] = position->seq;
  }
  if (!flags.step.empty()) {
    const auto step = core::parse_uuid(flags.step);
    if (!step)
      return core::failure{core::errc::invalid_argument,
                           "--step must be the id of a step, and not " + flags.step};
    what.step = {*step};
  }
  return what;
}

core::outcome<std::vector<client::endpoint>> nodes_of(const config::loaded& loaded,
                                                      const std::string& nodes) {
  if (!nodes.empty())
    return client::endpoints_of(nodes, has_link(loaded.values)
                                           ? std::optional{credentials_of(loaded.values)}
                                           : std::nullopt);
  auto own = own_endpoint(loaded);
  if (!own)
    return own.error();
  return std::vector<client::endpoint>{std::move(*own)};
}

/// Whether all of it could be written.
bool print(const msg::event_page& page) {
  for (const auto& e : page.events)
    std::cout << "{\"shard\":" << page.shard << ",\"seq\":" << e.seq << ",\"event\":" << e.event
              << "}\n";
  return static_cast<bool>(std::cout.flush());
}

exit_code refuse(const core::failure& why, exit_code how) {
  std::cerr << "holdfast: " << core::to_string(why.code) << ": " << why.detail << '\n';
  return how;
}

/// Prints until whoever reads is gone, or all events are printed that were there when it began.
exit_code print_events(const client::connection& node, const client::subscription_settings& what,
                       bool follow) {
  const auto status = node.ask<msg::node_status>(msg::get_node_status{});
  if (!status)
    return refuse(status.error(), exit_code::unreachable);
  client::event_subscription events{node, what};
  std::map<core::shard_id, core::event_seq> ends;
  std::size_t ended = 0;
  while (follow || ended < status->shards_total) {
    const auto pages = events.next(std::chrono::seconds{1});
    if (!pages)
      return refuse(pages.error(), exit_code::failed_check);
    for (const auto& page : *pages) {
      if (!print(page))
        return exit_code::ok;
      ends.try_emplace(page.shard, page.newest);
    }
    ended = 0;
    for (const auto& [shard, end] : ends)
      ended += events.positions().at(shard) >= end ? 1 : 0;
  }
  return exit_code::ok;
}

exit_code run(const events_flags& flags) {
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  const auto what = wanted(flags);
  if (!what)
    return refuse(what.error(), exit_code::usage);
  const auto nodes = nodes_of(loaded, flags.nodes);
  if (!nodes)
    return refuse(nodes.error(), exit_code::configuration);
  client::peer_system configuration{peer_settings_of(loaded.values)};
  caf::actor_system system{configuration};
  client::retry_policy retry;
  retry.deadline = core::duration{static_cast<std::int64_t>(flags.timeout_seconds * 1e6)};
  const client::connection node{system, *nodes, retry, std::random_device{}()};
  return print_events(node, *what, flags.follow);
}

} // namespace

void add_events_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<events_flags>();
  auto* command = cli.add_subcommand(
      "events", "Print the events of a cluster, one line of JSON each, in order per shard");
  flags->configuration.add_to(*command);
  command
      ->add_option("--node", flags->nodes,
                   "One or more nodes of the cluster; without it, the node of this configuration")
      ->type_name("HOST:PORT,...");
  auto* after =
      command->add_option("--after", flags->after, "Go on behind this event; once for each shard");
  after->type_name("SHARD-SEQ")->delimiter(',');
  command->add_flag("--new", flags->only_new,
                    "In the other shards begin with the next event, not with the oldest");
  command->add_flag("--follow", flags->follow, "Wait for more, for ever");
  command->add_option("--step", flags->step, "Only events of this step")->type_name("ID");
  command
      ->add_option("--type", flags->types, "Only events of this type; may be given several times")
      ->type_name("NAME");
  command->add_option("--timeout", flags->timeout_seconds, "Seconds to wait for a node at first")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
