#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "client/event_subscription.hpp"
#include "core/change.hpp"
#include "core/queue_policy.hpp"
#include "core/uuid.hpp"
#include "documents/json_slices.hpp"

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app {

namespace {

struct events_flags {
  cluster_flags cluster;
  std::vector<std::string> after;
  bool only_new = false;
  bool follow = false;
  std::string step;
  std::vector<std::string> types;
  std::string queue;
};

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
  if (!flags.queue.empty() && !core::is_queue_name(flags.queue))
    return core::failure{core::errc::invalid_argument,
                         "--queue must be the name of a queue, and not " + flags.queue};
  return what;
}

/// Whether an event is about a task of the queue. One that cannot be read may be.
bool is_of(const core::queue_name& queue, std::string_view event) {
  const auto told = documents::member_text(event, "queue");
  const auto type = documents::member_text(event, "type");
  return (told && documents::unquoted(*told) == queue)
         || (type && documents::unquoted(*type) == to_string(core::event_type::event_unreadable));
}

/// Whether all of it could be written.
bool print(const msg::event_page& page, const core::queue_name& queue) {
  for (const auto& e : page.events)
    if (queue.empty() || is_of(queue, e.event))
      std::cout << "{\"shard\":" << page.shard << ",\"seq\":" << e.seq << ",\"event\":" << e.event
                << "}\n";
  return static_cast<bool>(std::cout.flush());
}

/// Prints until whoever reads is gone, or all events are printed that were there when it began.
exit_code print_events(const client::connection& node, const client::subscription_settings& what,
                       const events_flags& flags) {
  const auto status = node.ask<msg::node_status>(msg::get_node_status{});
  if (!status)
    return refuse(status.error(), exit_code::unreachable);
  client::event_subscription events{node, what};
  std::map<core::shard_id, core::event_seq> ends;
  std::size_t ended = 0;
  while (flags.follow || ended < status->shards_total) {
    const auto pages = events.next(std::chrono::seconds{1});
    if (!pages)
      return refuse(pages.error(), exit_code::failed_check);
    for (const auto& page : *pages) {
      if (!print(page, flags.queue))
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
  const auto what = wanted(flags);
  if (!what)
    return refuse(what.error(), exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& node) {
    return print_events(node, *what, flags);
  });
}

} // namespace

void add_events_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<events_flags>();
  auto* command =
      cli.add_subcommand("events", "Print the events of a cluster, one JSON object on each line");
  flags->cluster.add_to(*command);
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
  command->add_option("--queue", flags->queue, "Only events of tasks of this queue")
      ->type_name("NAME");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
