#include "app/queue_action_command.hpp"

#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/page_loop.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/time_option.hpp"
#include "client/id_source.hpp"
#include "core/queue_action_row.hpp"
#include "core/time_text.hpp"
#include "http/shapes/queue_action_shapes.hpp"
#include "messages/queue_action_messages.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;
using namespace std::chrono_literals;

/// As many as one answer holds; the gateway's number.
constexpr std::uint32_t actions_per_page = 1000;

struct queue_action_flags {
  cluster_flags cluster;
  std::string queue;
  std::string kind;
  msg::queue_action_filter filter;
  std::string since;
  std::string until;
  std::string id;
  std::uint32_t most = 20;
  bool dry_run = false;
  bool watch = false;
  bool json = false;
};

std::string name_of_kind(std::uint8_t kind) {
  return std::string{http::word_for(kind, http::queue_action_words())};
}

std::string name_of_status(std::uint8_t status) {
  return std::string{http::word_for(status, http::queue_action_status_words())};
}

std::uint64_t refused_in(const msg::queue_action_view& action) {
  std::uint64_t all = 0;
  for (const auto& refusal : action.refusals)
    all += refusal.tasks;
  return all;
}

void print_counts(const msg::queue_action_view& action, std::ostream& out) {
  out << action.matched << " tasks: " << action.changed << " changed, " << action.unchanged
      << " were so already, " << refused_in(action) << " refused";
  const char* before = " (";
  for (const auto& refusal : action.refusals) {
    out << before << refusal.tasks << ' ' << core::to_string(refusal.code);
    before = ", ";
  }
  out << (action.refusals.empty() ? "" : ")") << '\n';
}

void print_dry_run(const msg::queue_action_view& action) {
  std::cout << "a dry run: nothing has changed\n"
            << name_of_kind(action.kind) << " is about " << (action.at_least ? "at least " : "")
            << action.matched << " tasks of " << printable(action.queue) << '\n';
  for (const auto& task : action.sample)
    std::cout << "  " << core::to_string(task) << '\n';
  if (action.matched > action.sample.size() && !action.sample.empty())
    std::cout << "  ...\n";
}

void print_action(const msg::queue_action_view& action) {
  if (action.status == 0)
    return print_dry_run(action);
  std::cout << name_of_kind(action.kind) << ' ' << core::to_string(action.action) << " is "
            << name_of_status(action.status) << ": ";
  print_counts(action, std::cout);
  if (!action.problem.empty())
    std::cout << "problem: " << printable(action.problem) << '\n';
}

exit_code show_action(const queue_action_flags& flags, const client::connection& cluster,
                      const msg::queue_action_view& action) {
  if (flags.json)
    std::cout << pretty(stored_json(answer_in_json(action, cluster.now()))) << '\n';
  else
    print_action(action);
  return exit_code::ok;
}

bool is_running(const msg::queue_action_view& action) {
  return action.status == static_cast<std::uint8_t>(core::queue_action_status::running);
}

/// Prints how far the action is until it ends. Whoever does not wait for that ends the command,
/// which does not end the action.
exit_code follow_action(const queue_action_flags& flags, const client::connection& cluster,
                        msg::queue_action_view action) {
  /// Soon enough for a person; a node changes thousands of tasks in that time.
  constexpr auto between_looks = 500ms;
  std::optional<std::uint64_t> seen;
  while (is_running(action)) {
    if (seen != action.matched)
      print_counts(action, std::cerr);
    seen = action.matched;
    std::this_thread::sleep_for(between_looks);
    auto told =
        cluster.ask<msg::queue_action_view>(msg::get_queue_action{action.queue, action.action});
    if (!told) {
      std::cerr << "the action may go on all the same: see `holdfast queues actions`\n";
      return refused_by_node(told.error());
    }
    action = std::move(*told);
  }
  return show_action(flags, cluster, action);
}

exit_code act_on_tasks(queue_action_flags flags) {
  if (!read_time(flags.since, "--since", flags.filter.created_from)
      || !read_time(flags.until, "--until", flags.filter.created_before))
    return exit_code::usage;
  const auto kind =
      http::number_of_word('"' + flags.kind + '"', http::queue_action_words()); // checked by CLI
  std::optional<core::queue_action_id> id{core::queue_action_id{client::id_source{}.next()}};
  if (!flags.id.empty())
    id = id_in<core::queue_action_id>(flags.id, "--id");
  if (!id || !kind)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    if (!flags.dry_run)
      std::cerr << "action " << core::to_string(*id) << '\n';
    const auto begun = cluster.ask<msg::queue_action_view>(msg::start_queue_action{
        flags.queue, *id, static_cast<std::uint8_t>(*kind), flags.filter, flags.dry_run});
    if (!begun)
      return refused_by_node(begun.error());
    return flags.watch ? follow_action(flags, cluster, *begun)
                       : show_action(flags, cluster, *begun);
  });
}

constexpr const char* action_columns = "%-36s  %-8s  %-8s  %10s  %10s  %10s  %10s  %-27s  %s\n";

void print_line(const msg::queue_action_view& action) {
  print_formatted(action_columns, core::to_string(action.action), name_of_kind(action.kind),
                  name_of_status(action.status), std::to_string(action.matched),
                  std::to_string(action.changed), std::to_string(action.unchanged),
                  std::to_string(refused_in(action)), core::to_rfc3339(action.asked_at),
                  action.asked_by.empty() ? std::string{"-"} : action.asked_by);
}

exit_code list_actions(const queue_action_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    auto all = ordered_json::array();
    msg::list_queue_actions question{flags.queue, {}, 0};
    const auto read =
        read_pages(cluster, question, flags.most, actions_per_page,
                   [&](const msg::queue_action_page& page, std::uint32_t before) {
                     if (!flags.json && before == 0 && !page.actions.empty())
                       print_formatted(action_columns, "action", "what", "status", "matched",
                                       "changed", "unchanged", "refused", "asked", "by");
                     for (const auto& action : page.actions) {
                       if (flags.json)
                         all.push_back(stored_json(answer_in_json(action, cluster.now())));
                       else
                         print_line(action);
                       question.after = action.action;
                     }
                     return page.actions.size();
                   });
    if (!read)
      return refused_by_node(read.error());
    if (flags.json)
      std::cout << pretty({{"actions", std::move(all)}, {"more", read->more}}) << '\n';
    else if (read->items == 0)
      std::cout << "no actions\n";
    else if (read->more)
      std::cout << "there are more; --limit shows more of them\n";
    return exit_code::ok;
  });
}

exit_code stop_action(const queue_action_flags& flags) {
  const auto id = id_in<core::queue_action_id>(flags.id, "ACTION");
  if (!id)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto stopped =
        cluster.ask<msg::queue_action_view>(msg::stop_queue_action{flags.queue, *id});
    return stopped ? show_action(flags, cluster, *stopped) : refused_by_node(stopped.error());
  });
}

/// A subcommand about the actions of one queue.
CLI::App& add_for_actions(CLI::App& queues, const std::shared_ptr<queue_action_flags>& flags,
                          const char* name, const char* about) {
  auto* command = queues.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("queue", flags->queue, "The queue")->required();
  command->add_flag("--json", flags->json, "Print one JSON object");
  return *command;
}

} // namespace

void add_queue_action_commands(CLI::App& queues, exit_code& result) {
  const auto acting = std::make_shared<queue_action_flags>();
  auto& act = add_for_actions(
      queues, acting, "act",
      "Change every task that the filters match, in the background; later tasks are left alone");
  act.add_option("action", acting->kind,
                 "The change: cancel, retry, pause or resume live tasks; redrive failed ones")
      ->required()
      ->check(CLI::IsMember({"pause", "resume", "cancel", "retry", "redrive"}));
  auto& filter = acting->filter;
  act.add_option("--type", filter.type, "Only tasks of this type")->type_name("TYPE");
  act.add_option("--key", filter.key, "Only tasks with this key")->type_name("KEY");
  act.add_option("--status", filter.status,
                 "Only QUEUED or EXECUTING tasks; of a redrive FAILURE or ERROR")
      ->type_name("STATUS");
  act.add_option("--error", filter.error_code,
                 "Of a redrive: only tasks that ended with this error")
      ->type_name("CODE");
  act.add_option("--since", acting->since, "Only tasks made at this time or later")
      ->type_name("TIME");
  act.add_option("--until", acting->until, "Only tasks made before")->type_name("TIME");
  act.add_flag("--dry-run", acting->dry_run, "Count the tasks that match, and change nothing");
  act.add_option("--id", acting->id,
                 "The id of an action that was begun before, with the same filters, to see how far "
                 "it is; else a new one")
      ->type_name("ACTION");
  act.add_flag("--watch", acting->watch, "Print how far it is until it ends");
  act.callback([acting, &result] { result = act_on_tasks(*acting); });

  const auto listing = std::make_shared<queue_action_flags>();
  auto& list = add_for_actions(queues, listing, "actions",
                               "Show its bulk actions, the latest first, and how far they are");
  list.add_option("--limit", listing->most, "At most so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  listing->cluster.add_watch_to(list);
  list.callback([listing, &result] { result = list_actions(*listing); });

  const auto stopping = std::make_shared<queue_action_flags>();
  auto& stop = add_for_actions(queues, stopping, "stop-action",
                               "Stop a bulk action; the tasks that it has changed stay changed");
  stop.add_option("id", stopping->id, "The action")->type_name("ACTION")->required();
  stop.callback([stopping, &result] { result = stop_action(*stopping); });
}

} // namespace holdfast::app
