#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/queue_action_command.hpp"
#include "app/read_input.hpp"
#include "client/id_source.hpp"
#include "core/queue_policy.hpp"
#include "core/schedule.hpp"
#include "core/time_text.hpp"
#include "documents/limits.hpp"
#include "documents/queue_document.hpp"
#include "documents/text.hpp"
#include "http/shapes/task_shapes.hpp"
#include "messages/task_messages.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
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

/// As many as one request makes live again, or one answer holds; numbers of the gateway's.
constexpr std::uint32_t redriven_at_once = 1000;
constexpr std::uint32_t schedules_per_page = 1000;

struct queues_flags {
  cluster_flags cluster;
  std::string name; ///< Of a queue, or how names begin.
  std::string schedule;
  std::string file;
  std::string type;
  std::string error_code;
  std::uint32_t window = 60; ///< Seconds.
  std::uint32_t count = 10;  ///< Of occurrences.
  bool json = false;
};

// --- how they are ---

std::string paused_text(const msg::queue_view& queue) {
  if (queue.paused)
    return "  paused";
  std::string text;
  for (const auto& type : queue.paused_types)
    text += (text.empty() ? "  paused: " : ", ") + printable(type);
  return text;
}

constexpr const char* queue_columns = "%-24s  %8s  %10s  %10s  %10s  %8s  %8s  %8s  %s\n";

void print_text(const msg::queue_view& queue, const msg::queue_statistics& counts) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  const auto paused = paused_text(queue);
  print_formatted(queue_columns, queue.queue, number(queue.revision), number(counts.live),
                  number(counts.leased), number(counts.completed), number(counts.failed),
                  number(counts.canceled), number(counts.dead),
                  paused.empty() ? std::string{"open"} : paused.substr(2));
}

/// A queue as the HTTP API tells it, with its counts as `tasks`.
ordered_json json_of(const msg::queue_view& queue, const msg::queue_statistics& counts,
                     core::instant now) {
  auto all = stored_json(answer_in_json(queue, now));
  all["tasks"] = stored_json(answer_in_json(counts, now));
  return all;
}

exit_code list_queues(const queues_flags& flags, const client::connection& cluster) {
  const auto found = cluster.ask<msg::queue_list>(msg::list_queues{flags.name});
  if (!found)
    return refused_by_node(found.error());
  auto all = ordered_json::array();
  if (!flags.json && !found->queues.empty())
    print_formatted(queue_columns, "queue", "revision", "live", "leased", "completed", "failed",
                    "canceled", "dead", "state");
  for (const auto& queue : found->queues) {
    const auto counts = cluster.ask<msg::queue_statistics>(msg::get_queue_statistics{queue.queue});
    if (!counts)
      return refused_by_node(counts.error());
    if (flags.json)
      all.push_back(json_of(queue, *counts, cluster.now()));
    else
      print_text(queue, *counts);
  }
  if (flags.json)
    std::cout << pretty({{"queues", std::move(all)}}) << '\n';
  else if (found->queues.empty())
    std::cout << "no queues\n";
  return exit_code::ok;
}

/// Of why a row was refused.
constexpr std::size_t last_refusal_bytes = 300;

std::string seconds_text(core::duration d) {
  char text[24];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(d).count());
  return text;
}

std::string percent_text(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string stage_text(const msg::queue_intake& stage, core::instant now) {
  if (stage.staged == 0 && stage.refused == 0)
    return "nothing staged by SQL";
  auto text = std::to_string(stage.staged) + " staged by SQL";
  if (stage.staged > 0)
    text +=
        ", the oldest for " + seconds_text(std::max(core::duration{0}, now - stage.staged_since));
  text += ", " + std::to_string(stage.refused) + " refused";
  if (stage.unreadable > 0)
    text += ", " + std::to_string(stage.unreadable) + " of them cannot be read";
  if (stage.refused > 0)
    text += " (report.task_intake); the latest: "
            + documents::printable(stage.last_refusal, last_refusal_bytes);
  return text;
}

void print_metrics(const msg::queue_view& queue, const msg::queue_statistics& counts,
                   const msg::queue_metrics& m, const std::optional<msg::queue_intake>& stage) {
  char rate[24];
  std::snprintf(rate, sizeof rate, "%.2f", m.completed_per_second);
  std::cout << printable(queue.queue) << "  revision " << queue.revision << paused_text(queue)
            << '\n'
            << "depth       " << m.ready << " ready, " << m.later << " later, " << m.leased
            << " leased, " << m.paused << " paused, " << counts.dead << " dead letters\n"
            << "waits for   "
            << (m.ready_since == core::instant{} ? "nobody waits"
                                                 : seconds_text(m.now - m.ready_since))
            << '\n'
            << "stage       " << (stage ? stage_text(*stage, m.now) : "not known to this node")
            << '\n'
            << "throughput  " << rate << " tasks/s\n"
            << "errors      " << percent_text(m.error_share) << ", dead letters "
            << percent_text(m.dead_share) << '\n'
            << "of the last " << seconds_text(m.now - m.counted_from) << ": " << m.made << " made, "
            << m.granted << " granted, " << m.completed << " completed, " << m.failed << " failed, "
            << m.canceled << " canceled, " << m.dead << " dead; " << m.tries_failed
            << " tries failed, " << m.rate_limited << " rate limited, " << m.crashes
            << " workers lost\n";
}

exit_code show_queue(const queues_flags& flags, const client::connection& cluster) {
  // Names only begin with the prefix; the one that is the whole of it comes first.
  const auto found = cluster.ask<msg::queue_list>(msg::list_queues{flags.name});
  if (!found)
    return refused_by_node(found.error());
  if (found->queues.empty() || found->queues.front().queue != flags.name)
    return refused_by_node({core::errc::not_found, "no queue " + flags.name});
  const auto& queue = found->queues.front();
  const auto counts = cluster.ask<msg::queue_statistics>(msg::get_queue_statistics{flags.name});
  if (!counts)
    return refused_by_node(counts.error());
  const auto metrics = cluster.ask<msg::queue_metrics>(
      msg::get_queue_metrics{flags.name, std::chrono::seconds{flags.window}});
  if (!metrics)
    return refused_by_node(metrics.error());
  const auto stage = cluster.ask<msg::queue_intake>(msg::get_queue_intake{flags.name});
  // A node of the version before does not know the question.
  if (!stage && stage.error().code != core::errc::invalid_argument)
    return refused_by_node(stage.error());
  if (!flags.json) {
    print_metrics(queue, *counts, *metrics, stage ? *stage : std::optional<msg::queue_intake>{});
    return exit_code::ok;
  }
  auto all = json_of(queue, *counts, cluster.now());
  all["metrics"] = stored_json(answer_in_json(*metrics, cluster.now()));
  if (stage)
    all["stage"] = stored_json(answer_in_json(*stage, cluster.now()));
  std::cout << pretty(all) << '\n';
  return exit_code::ok;
}

// --- what they are ---

exit_code put_policy(const queues_flags& flags, const client::connection& cluster) {
  const auto policy = read_input(flags.file);
  if (!policy)
    return refuse(policy.error(), exit_code::usage);
  const auto made = cluster.ask<msg::queue_view>(msg::put_queue{flags.name, *policy});
  if (!made)
    return refused_by_node(made.error());
  std::cout << printable(made->queue) << " is at revision " << made->revision << '\n';
  if (const auto read = documents::parse_queue_policy(*policy, documents::json_limits{}))
    for (const auto& warning : core::warnings_of(*read))
      std::cerr << "holdfast: warning: " << printable(warning.place) << ' ' << warning.what << '\n';
  return exit_code::ok;
}

exit_code set_paused(const queues_flags& flags, const client::connection& cluster, bool paused) {
  const auto set = cluster.ask<msg::queue_view>(msg::pause_queue{flags.name, flags.type, paused});
  if (!set)
    return refused_by_node(set.error());
  std::cout << printable(set->queue) << " is at revision " << set->revision << paused_text(*set)
            << '\n';
  return exit_code::ok;
}

// --- their end ---

exit_code remove_queue_of(const queues_flags& flags, const client::connection& cluster) {
  const auto gone = cluster.ask<msg::queue_removed>(msg::remove_queue{flags.name});
  if (!gone)
    return refused_by_node(gone.error());
  if (flags.json)
    std::cout << pretty(stored_json(answer_in_json(*gone, cluster.now()))) << '\n';
  else if (gone->removed)
    std::cout << printable(gone->queue) << " is removed with its policy and " << gone->schedules
              << " schedules; " << gone->finished << " finished tasks remain\n";
  else
    std::cout << "no queue " << printable(gone->queue) << '\n';
  return exit_code::ok;
}

// --- its dead letters ---

exit_code redrive_queue(const queues_flags& flags, const client::connection& cluster) {
  msg::redrive_tasks request{flags.name, flags.type, flags.error_code, {}, redriven_at_once};
  std::uint64_t count = 0;
  auto result = exit_code::ok;
  for (bool more = true; more;) {
    const auto done = cluster.ask<msg::tasks_redriven>(request);
    if (!done) {
      result = refused_by_node(done.error());
      break;
    }
    count += done->redriven;
    request.after = done->last;
    more = done->more;
  }
  // Also after a failure: what was done before it stays done.
  std::cout << count << " tasks are live again\n";
  return result;
}

// --- its schedules ---

std::string time_or_never(core::instant at) {
  return at == core::instant{} ? std::string{"never"} : core::to_rfc3339(at);
}

void print_text(const msg::schedule_view& schedule) {
  std::cout << printable(schedule.name) << "  revision " << schedule.revision
            << (schedule.paused ? "  paused" : "") << "  next " << time_or_never(schedule.next_due)
            << "  last " << time_or_never(schedule.last_made)
            << (schedule.problem.empty() ? "" : "  problem: ") << printable(schedule.problem)
            << '\n';
}

exit_code list_schedules_of(const queues_flags& flags, const client::connection& cluster) {
  auto all = ordered_json::array();
  msg::list_schedules request{flags.name, {}, schedules_per_page};
  for (bool more = true; more;) {
    const auto found = cluster.ask<msg::schedule_list>(request);
    if (!found)
      return refused_by_node(found.error());
    for (const auto& schedule : found->schedules) {
      if (flags.json)
        all.push_back(stored_json(answer_in_json(schedule, cluster.now())));
      else
        print_text(schedule);
      request.after = schedule.name;
    }
    more = found->more;
  }
  if (flags.json)
    std::cout << pretty({{"schedules", std::move(all)}}) << '\n';
  return exit_code::ok;
}

exit_code put_schedule_of(const queues_flags& flags, const client::connection& cluster) {
  const auto definition = read_input(flags.file);
  if (!definition)
    return refuse(definition.error(), exit_code::usage);
  const auto made =
      cluster.ask<msg::schedule_view>(msg::put_schedule{flags.name, flags.schedule, *definition});
  if (!made)
    return refused_by_node(made.error());
  print_text(*made);
  return exit_code::ok;
}

exit_code preview_schedule_of(const queues_flags& flags, const client::connection& cluster) {
  const auto ahead = cluster.ask<msg::schedule_preview>(
      msg::preview_schedule{flags.name, flags.schedule, flags.count});
  if (!ahead)
    return refused_by_node(ahead.error());
  if (flags.json) {
    std::cout << pretty(stored_json(answer_in_json(*ahead, cluster.now()))) << '\n';
    return exit_code::ok;
  }
  for (const auto at : ahead->occurrences)
    std::cout << core::to_rfc3339(at) << '\n';
  if (ahead->occurrences.empty())
    std::cout << "it has no more occurrences\n";
  else if (ahead->paused)
    std::cout << "it is paused, and makes no tasks until it is resumed\n";
  return exit_code::ok;
}

exit_code run_schedule_of(const queues_flags& flags, const client::connection& cluster) {
  client::id_source ids;
  const auto ran =
      cluster.ask<msg::schedule_ran>(msg::run_schedule{flags.name, flags.schedule, {ids.next()}});
  if (!ran)
    return refused_by_node(ran.error());
  if (flags.json)
    std::cout << pretty(stored_json(answer_in_json(*ran, cluster.now()))) << '\n';
  else
    std::cout << "task " << to_string(ran->task)
              << (ran->repeated ? " has its unique key already\n" : " is made\n");
  return exit_code::ok;
}

exit_code remove_schedule_of(const queues_flags& flags, const client::connection& cluster) {
  const auto gone =
      cluster.ask<msg::schedule_removed>(msg::remove_schedule{flags.name, flags.schedule});
  if (!gone)
    return refused_by_node(gone.error());
  std::cout << printable(gone->name) << " is removed\n";
  return exit_code::ok;
}

// --- the command line ---

using queues_asking = std::function<exit_code(const queues_flags&, const client::connection&)>;

struct queues_subcommand {
  CLI::App* command;
  std::shared_ptr<queues_flags> flags;

  void add_type(const char* about) const {
    command->add_option("--type", flags->type, about)->type_name("TYPE");
  }
  void add_schedule() const {
    command->add_option("name", flags->schedule, "The schedule")->required();
  }
};

queues_subcommand add_for_queues(CLI::App& queues, exit_code& result, const char* name,
                                 const char* about, bool named, const queues_asking& what) {
  auto flags = std::make_shared<queues_flags>();
  auto* command = queues.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  if (named)
    command->add_option("queue", flags->name, "The queue")->required();
  command->callback([flags, what, &result] {
    result = with_cluster(flags->cluster,
                          [&](const client::connection& cluster) { return what(*flags, cluster); });
  });
  return {command, flags};
}

} // namespace

void add_queues_command(CLI::App& cli, exit_code& result) {
  auto* queues = cli.add_subcommand(
      "queues",
      "List, make, measure, pause, redrive and remove queues, act on many of their tasks, and "
      "set their schedules");
  queues->require_subcommand(1);

  const auto listing = add_for_queues(*queues, result, "list", "Show them, and count their tasks",
                                      false, list_queues);
  listing.command->add_option("--prefix", listing.flags->name, "Only names that begin with this");
  listing.command->add_flag("--json", listing.flags->json, "Print one JSON object");
  listing.flags->cluster.add_watch_to(*listing.command);

  const auto looking =
      add_for_queues(*queues, result, "show", "Show how much is in one and what it has done lately",
                     true, show_queue);
  looking.command
      ->add_option("--window", looking.flags->window, "Seconds to look back on, 10 to 300")
      ->type_name("SECONDS");
  looking.command->add_flag("--json", looking.flags->json, "Print one JSON object");
  looking.flags->cluster.add_watch_to(*looking.command);

  const auto putting =
      add_for_queues(*queues, result, "put", "Make one, or change its policy", true, put_policy);
  putting.command
      ->add_option("--file", putting.flags->file,
                   "Its policy in JSON, see docs/API.md; - reads it from the standard input")
      ->type_name("FILE")
      ->required();

  add_for_queues(*queues, result, "pause", "Grant nothing for a while; leases that are out go on",
                 true,
                 [](const queues_flags& flags, const client::connection& cluster) {
                   return set_paused(flags, cluster, true);
                 })
      .add_type("Only tasks of this type");
  add_for_queues(*queues, result, "resume", "Grant again", true,
                 [](const queues_flags& flags, const client::connection& cluster) {
                   return set_paused(flags, cluster, false);
                 })
      .add_type("The type that was paused");

  const auto removing =
      add_for_queues(*queues, result, "remove",
                     "Remove one that has no live and no staged task; its finished tasks stay",
                     true, remove_queue_of);
  removing.command->add_flag("--json", removing.flags->json, "Print one JSON object");

  const auto redriving = add_for_queues(
      *queues, result, "redrive", "Make its failed and dead tasks live again", true, redrive_queue);
  redriving.add_type("Only tasks of this type");
  redriving.command
      ->add_option("--error-code", redriving.flags->error_code, "Only those that ended with it")
      ->type_name("CODE");

  add_queue_action_commands(*queues, result);

  const auto showing =
      add_for_queues(*queues, result, "schedules", "Show what makes tasks at certain times", true,
                     list_schedules_of);
  showing.command->add_flag("--json", showing.flags->json, "Print one JSON object");

  const auto scheduling = add_for_queues(*queues, result, "schedule",
                                         "Make a schedule, or change it", true, put_schedule_of);
  scheduling.add_schedule();
  scheduling.command
      ->add_option("--file", scheduling.flags->file,
                   "Its definition in JSON, see docs/API.md; - reads it from the standard input")
      ->type_name("FILE")
      ->required();

  const auto previewing =
      add_for_queues(*queues, result, "preview", "Show the next times of a schedule, in UTC", true,
                     preview_schedule_of);
  previewing.add_schedule();
  previewing.command->add_option("--count", previewing.flags->count, "How many, 1 to 100")
      ->type_name("N")
      ->check(CLI::Range(1U, core::previewed_most));
  previewing.command->add_flag("--json", previewing.flags->json, "Print one JSON object");

  const auto running =
      add_for_queues(*queues, result, "run-schedule",
                     "Make the task of a schedule now, beside its times; also while it is paused",
                     true, run_schedule_of);
  running.add_schedule();
  running.command->add_flag("--json", running.flags->json, "Print one JSON object");

  add_for_queues(*queues, result, "unschedule", "Remove a schedule; its tasks stay", true,
                 remove_schedule_of)
      .add_schedule();
}

} // namespace holdfast::app
