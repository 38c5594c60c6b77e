#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/read_input.hpp"
#include "core/time_text.hpp"
#include "core/webhook.hpp"
#include "messages/webhook_messages.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

/// As much as one answer holds; a number of the gateway's.
constexpr std::uint32_t letters_per_page = 100;

struct webhooks_flags {
  cluster_flags cluster;
  std::string name;
  std::string file;
  std::string after;
  std::optional<std::uint32_t> shard;
  bool json = false;
};

// --- how they are ---

/// Where its events go, if that is a queue.
std::string queue_of(const msg::webhook_view& webhook) {
  const auto definition = ordered_json::parse(webhook.definition, nullptr, false);
  if (!definition.is_object() || !definition.contains("queue"))
    return {};
  const auto& queue = definition["queue"];
  return queue.is_string() ? "  into the queue " + queue.get<std::string>() : std::string{};
}

void print_text(const msg::webhook_list& list) {
  if (list.webhooks.empty())
    std::cout << "no webhooks\n";
  for (const auto& webhook : list.webhooks) {
    std::uint64_t behind = 0;
    std::uint64_t dead_letters = 0;
    for (const auto& place : webhook.places) {
      behind += place.newest - std::min(place.position, place.newest);
      dead_letters += place.dead_letters;
    }
    print_formatted("%s  %s  revision %llu%s  %llu events behind  %llu dead letters\n",
                    webhook.name, webhook.state, static_cast<unsigned long long>(webhook.revision),
                    queue_of(webhook), static_cast<unsigned long long>(behind),
                    static_cast<unsigned long long>(dead_letters));
    for (const auto& place : webhook.places) {
      const auto at = static_cast<unsigned long long>(place.position);
      if (!place.stopped.empty())
        print_formatted("  shard %u has stopped at %u-%llu: %s\n", place.shard, place.shard, at,
                        place.stopped);
      if (!place.waits.empty())
        print_formatted("  shard %u waits at %u-%llu: %s\n", place.shard, place.shard, at,
                        place.waits);
    }
  }
}

void print_json(const msg::webhook_list& list) {
  auto all = ordered_json::array();
  for (const auto& webhook : list.webhooks) {
    auto places = ordered_json::array();
    for (const auto& place : webhook.places)
      places.push_back({{"shard", place.shard},
                        {"position", place.position},
                        {"newest", place.newest},
                        {"dead_letters", place.dead_letters},
                        {"stopped", place.stopped},
                        {"waits", place.waits}});
    auto definition = stored_json(webhook.definition);
    all.push_back(
        {{"name", webhook.name},
         {"state", webhook.state},
         {"revision", webhook.revision},
         {"created_at", core::to_rfc3339(webhook.created_at)},
         {"definition", definition.is_discarded() ? ordered_json{} : std::move(definition)},
         {"places", std::move(places)}});
  }
  std::cout << pretty({{"webhooks", std::move(all)}}) << '\n';
}

exit_code list(const webhooks_flags& flags, const client::connection& cluster) {
  const auto found = cluster.ask<msg::webhook_list>(msg::list_webhooks{flags.name});
  if (!found)
    return refused_by_node(found.error());
  if (flags.json)
    print_json(*found);
  else
    print_text(*found);
  return exit_code::ok;
}

// --- what they are ---

exit_code say(const core::outcome<msg::webhook_saved>& saved) {
  if (!saved)
    return refused_by_node(saved.error());
  std::cout << printable(saved->name)
            << (saved->revision == 0 ? std::string{" is removed"}
                                     : " is at revision " + std::to_string(saved->revision))
            << '\n';
  return exit_code::ok;
}

exit_code put(const webhooks_flags& flags) {
  auto definition = read_input(flags.file);
  if (!definition)
    return refuse(definition.error(), exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(cluster.ask<msg::webhook_saved>(msg::put_webhook{flags.name, *definition}));
  });
}

// --- what was not delivered ---

/// Does it for the shard that was named, else for each.
exit_code each_shard(const webhooks_flags& flags, const client::connection& cluster,
                     const std::function<core::failure(core::shard_id)>& what) {
  core::shard_id first = flags.shard.value_or(0);
  core::shard_id behind = first + 1;
  if (!flags.shard) {
    const auto status = cluster.ask<msg::node_status>(msg::get_node_status{});
    if (!status)
      return refused_by_node(status.error());
    behind = status->shards_total;
  }
  for (auto shard = first; shard < behind; ++shard)
    if (const auto failed = what(shard); failed.code != core::errc::none)
      return refused_by_node(failed);
  return exit_code::ok;
}

void print(core::shard_id shard, const msg::dead_letter& letter) {
  const ordered_json line{{"shard", shard},
                          {"seq", letter.seq},
                          {"died_at", core::to_rfc3339(letter.died_at)},
                          {"status", letter.status},
                          {"reason", letter.reason},
                          {"replayed", letter.replayed},
                          {"event", stored_json(letter.event)}};
  std::cout << on_one_line(line) << '\n';
}

exit_code print_dead_letters(const webhooks_flags& flags, const client::connection& cluster) {
  return each_shard(flags, cluster, [&](core::shard_id shard) -> core::failure {
    core::event_seq after = 0;
    while (true) {
      const auto found = cluster.ask<msg::dead_letter_page>(
          msg::list_dead_letters{flags.name, shard, after, letters_per_page});
      if (!found)
        return found.error();
      for (const auto& letter : found->letters)
        print(shard, letter);
      if (found->letters.size() < letters_per_page || !std::cout.flush())
        return {};
      after = found->letters.back().seq;
    }
  });
}

exit_code change_dead_letters(const webhooks_flags& flags, const client::connection& cluster,
                              core::replay_verb what, const char* done) {
  std::uint64_t count = 0;
  const auto result = each_shard(flags, cluster, [&](core::shard_id shard) -> core::failure {
    core::event_seq after = 0;
    while (true) {
      const auto changed = cluster.ask<msg::webhook_replayed>(msg::replay_webhook{
          flags.name, shard, static_cast<std::uint8_t>(what), after, letters_per_page});
      if (!changed)
        return changed.error();
      count += changed->dead_letters;
      if (changed->dead_letters < letters_per_page)
        return {};
      after = changed->last;
    }
  });
  // Also after a failure: what was done before it stays done.
  std::cout << count << " dead letters " << done << '\n';
  return result;
}

exit_code go_on_behind(const webhooks_flags& flags) {
  const auto position = message_named(flags.after);
  if (!position)
    return refuse({core::errc::invalid_argument,
                   "--after must be SHARD-SEQ, e.g. 3-17, and not " + flags.after},
                  exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto moved = cluster.ask<msg::webhook_replayed>(
        msg::replay_webhook{flags.name, position->shard,
                            static_cast<std::uint8_t>(core::replay_verb::move), position->seq, 1});
    if (!moved)
      return refused_by_node(moved.error());
    std::cout << flags.name << " goes on behind " << flags.after << '\n';
    return exit_code::ok;
  });
}

// --- the command line ---

using webhooks_action = std::function<exit_code(const webhooks_flags&)>;
using webhooks_asking = std::function<exit_code(const webhooks_flags&, const client::connection&)>;

webhooks_action ask(const webhooks_asking& what) {
  return [what](const webhooks_flags& flags) {
    return with_cluster(flags.cluster,
                        [&](const client::connection& cluster) { return what(flags, cluster); });
  };
}

webhooks_action change(core::webhook_verb verb) {
  return ask([verb](const webhooks_flags& flags, const client::connection& cluster) {
    return say(cluster.ask<msg::webhook_saved>(
        msg::change_webhook{flags.name, static_cast<std::uint8_t>(verb)}));
  });
}

struct webhooks_subcommand {
  CLI::App* command;
  std::shared_ptr<webhooks_flags> flags;

  void add_shard() const {
    command->add_option("--shard", flags->shard, "Only of this shard; else of all")->type_name("N");
  }
};

webhooks_subcommand add_for_webhooks(CLI::App& webhooks, exit_code& result, const char* name,
                                     const char* about, bool named, const webhooks_action& what) {
  auto flags = std::make_shared<webhooks_flags>();
  auto* command = webhooks.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  if (named)
    command->add_option("name", flags->name, "The webhook")->required();
  command->callback([flags, what, &result] { result = what(*flags); });
  return {command, flags};
}

} // namespace

void add_webhooks_command(CLI::App& cli, exit_code& result) {
  using core::replay_verb;
  using core::webhook_verb;
  auto* webhooks = cli.add_subcommand(
      "webhooks", "List, make, pause and replay webhooks, and their dead letters");
  webhooks->require_subcommand(1);

  const auto listing =
      add_for_webhooks(*webhooks, result, "list", "Show how they are", false, ask(list));
  listing.command->add_option("--prefix", listing.flags->name, "Only names that begin with this");
  listing.command->add_flag("--json", listing.flags->json, "Print one JSON object");

  const auto putting =
      add_for_webhooks(*webhooks, result, "put", "Make one, or change what it is", true, put);
  putting.command
      ->add_option("--file", putting.flags->file,
                   "Its definition in JSON, see docs/API.md; - reads it from the standard input")
      ->type_name("FILE")
      ->required();

  add_for_webhooks(*webhooks, result, "pause", "Deliver nothing for a while; nothing is missed",
                   true, change(webhook_verb::pause));
  add_for_webhooks(*webhooks, result, "resume", "Go on, also where delivery has stopped", true,
                   change(webhook_verb::resume));
  add_for_webhooks(*webhooks, result, "remove", "Remove it, with its dead letters", true,
                   change(webhook_verb::remove));

  add_for_webhooks(*webhooks, result, "dead-letters",
                   "Print what could not be delivered, one line of JSON each", true,
                   ask(print_dead_letters))
      .add_shard();
  add_for_webhooks(*webhooks, result, "replay", "Deliver its dead letters once more", true,
                   ask([](const webhooks_flags& flags, const client::connection& cluster) {
                     return change_dead_letters(flags, cluster, replay_verb::deliver,
                                                "are delivered once more");
                   }))
      .add_shard();
  add_for_webhooks(*webhooks, result, "forget", "Remove its dead letters for ever", true,
                   ask([](const webhooks_flags& flags, const client::connection& cluster) {
                     return change_dead_letters(flags, cluster, replay_verb::forget,
                                                "are forgotten");
                   }))
      .add_shard();
  const auto moving =
      add_for_webhooks(*webhooks, result, "move",
                       "Deliver all events of a shard behind one of them, be it for the second"
                       " time or without those before",
                       true, go_on_behind);
  moving.command->add_option("--after", moving.flags->after, "The event before the first")
      ->type_name("SHARD-SEQ")
      ->required();
}

} // namespace holdfast::app
