#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/page_loop.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/task_verbs.hpp"
#include "app/time_option.hpp"
#include "core/mended_text.hpp"
#include "core/occurrence.hpp"
#include "core/time_text.hpp"
#include "http/shapes/task_shapes.hpp"
#include "messages/task_messages.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

/// As many as one answer holds; the gateway's number.
constexpr std::uint32_t tasks_per_page = 1000;
constexpr std::uint32_t attempts_per_page = 1000;
constexpr std::uint32_t schedules_per_page = 1000;

struct tasks_flags {
  cluster_flags cluster;
  std::string queue;
  std::string task;
  bool json = false;
};

/// The name of the schedule that has made the task; empty when it is gone, or none has.
core::outcome<std::string> schedule_of(const msg::task_view& task,
                                       const client::connection& cluster) {
  msg::list_schedules request;
  request.queue = task.queue;
  request.limit = schedules_per_page;
  for (;;) {
    const auto page = cluster.ask<msg::schedule_list>(request);
    if (!page)
      return page.error();
    for (const auto& s : page->schedules)
      if (core::makes({s.queue, s.name, s.created_at}, task.task))
        return s.name;
    if (!page->more)
      return std::string{};
    request.after = page->schedules.back().name;
  }
}

exit_code show_task(const tasks_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto id = find_task(cluster, flags.task, "TASK");
    if (!id)
      return refuse_id(id.error());
    const auto found = cluster.ask<msg::task_view>(msg::get_task{*id});
    if (!found)
      return refused_by_node(found.error());
    auto shown = stored_json(answer_in_json(*found, cluster.now()));
    if (const auto occurrence = core::occurrence_of(*id)) {
      const auto schedule = schedule_of(*found, cluster);
      if (!schedule)
        return refused_by_node(schedule.error());
      shown["schedule"] = schedule->empty() ? ordered_json{} : ordered_json(*schedule);
      shown["occurrence"] = core::to_rfc3339(*occurrence);
    }
    std::cout << pretty(shown) << '\n';
    return exit_code::ok;
  });
}

/// What `tasks list` asks for.
struct list_flags {
  cluster_flags cluster;
  msg::search_tasks question;
  std::string since;
  std::string until;
  std::string after;
  std::uint32_t most = 100;
  bool newest = false;
  bool json = false;
};

constexpr const char* task_columns = "%-36s  %-9s  %-20s  %-20s  %-12s  %-27s  %-12s  %s\n";

void print_line(const msg::task_summary& t) {
  auto error = t.error_code;
  if (!t.worker.empty())
    error += (error.empty() ? "at " : "  at ") + t.worker;
  print_formatted(task_columns, core::to_string(t.task), t.status, t.queue, t.type, t.state,
                  core::to_rfc3339(t.created_at),
                  t.owner_id.empty() ? std::string{"-"} : t.owner_id, error);
}

exit_code list_some(list_flags flags) {
  auto& asked = flags.question;
  if (!read_time(flags.since, "--since", asked.created_from)
      || !read_time(flags.until, "--until", asked.created_before))
    return exit_code::usage;
  if (!flags.after.empty()) {
    const auto id = id_in<core::task_id>(flags.after, "--after");
    if (!id)
      return exit_code::usage;
    asked.after = *id;
  }
  asked.order = flags.newest ? 2 : 1;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    auto all = ordered_json::array();
    auto question = flags.question; // from the start each time with --watch
    const auto read =
        read_pages(cluster, question, flags.most, tasks_per_page,
                   [&](const msg::task_page& page, std::uint32_t before) {
                     if (!flags.json && before == 0 && !page.tasks.empty())
                       print_formatted(task_columns, "task", "status", "queue", "type", "state",
                                       "created", "owner", "error, worker");
                     for (const auto& task : page.tasks)
                       if (flags.json)
                         all.push_back(stored_json(answer_in_json(task, cluster.now())));
                       else
                         print_line(task);
                     question.after = page.last;
                     return page.tasks.size();
                   });
    if (!read)
      return refused_by_node(read.error());
    if (flags.json)
      std::cout << pretty({{"tasks", std::move(all)},
                           {"last", core::to_string(question.after)},
                           {"more", read->more}})
                << '\n';
    else if (read->more)
      std::cout << "there may be more; go on with --after " << core::to_string(question.after)
                << '\n';
    return exit_code::ok;
  });
}

/// Which attempts `tasks attempts` shows.
struct attempts_flags {
  cluster_flags cluster;
  std::string task;
  core::token after = 0;
  std::uint32_t most = 100;
  bool json = false;
};

/// As much of a text as a line of a table has room for; JSON has the rest.
std::string in_a_line(const std::string& text) {
  constexpr std::size_t bytes_most = 160;
  auto cut = core::mended_text(text, bytes_most);
  return text.size() > bytes_most ? cut + "..." : cut;
}

constexpr const char* attempt_columns = "%8s  %-27s  %-27s  %-11s  %-16s  %s\n";

void print_attempt(const msg::task_attempt& attempt) {
  auto error = attempt.error_code;
  if (!attempt.error_detail.empty())
    error += (error.empty() ? "" : ": ") + in_a_line(attempt.error_detail);
  const bool runs = attempt.ending.empty();
  print_formatted(attempt_columns, std::to_string(attempt.token),
                  core::to_rfc3339(attempt.granted_at),
                  runs ? std::string{"-"} : core::to_rfc3339(attempt.ended_at),
                  runs ? std::string{"running"} : attempt.ending, attempt.worker, error);
  for (const auto& late : attempt.late_results)
    print_formatted("%8s  late at %s by %s: %s: %s\n", std::string{},
                    core::to_rfc3339(late.received_at), late.worker, late.outcome,
                    in_a_line(late.detail));
  if (attempt.late_results_total > attempt.late_results.size())
    print_formatted("%8s  %s late results in all\n", std::string{},
                    std::to_string(attempt.late_results_total));
}

/// Says how to see the other attempts, where there are others.
void print_end(std::uint32_t shown, core::token last, bool more) {
  if (more)
    std::cout << "there are more; go on with --after " << last << '\n';
  else if (shown == 0)
    std::cout << "no attempts\n";
}

exit_code show_attempts(const attempts_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto id = find_task(cluster, flags.task, "TASK");
    if (!id)
      return refuse_id(id.error());
    msg::get_task_attempts question{*id, flags.after, 0};
    auto all = ordered_json::array();
    const auto show = [&](const msg::task_attempts& page, std::uint32_t before) {
      if (!flags.json && before == 0 && !page.attempts.empty())
        print_formatted(attempt_columns, "attempt", "leased", "ended", "ending", "worker", "error");
      for (const auto& attempt : page.attempts) {
        if (flags.json)
          all.push_back(stored_json(answer_in_json(attempt, cluster.now())));
        else
          print_attempt(attempt);
        question.after = attempt.token;
      }
      return page.attempts.size();
    };
    const auto read = read_pages(cluster, question, flags.most, attempts_per_page, show);
    if (!read)
      return refused_by_node(read.error());
    if (flags.json)
      std::cout << pretty({{"id", core::to_string(*id)},
                           {"attempts", std::move(all)},
                           {"last", question.after},
                           {"more", read->more}})
                << '\n';
    else
      print_end(read->items, question.after, read->more);
    return exit_code::ok;
  });
}

exit_code change_one(const tasks_flags& flags, core::task_verb verb, const char* done) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto id = find_task(cluster, flags.task, "TASK");
    if (!id)
      return refuse_id(id.error());
    const auto changed = cluster.ask<msg::task_changed>(
        msg::change_task{flags.queue, *id, static_cast<std::uint8_t>(verb)});
    if (!changed)
      return refused_by_node(changed.error());
    if (flags.json)
      std::cout << answer_in_json(*changed, cluster.now()) << '\n';
    else
      std::cout << core::to_string(*id) << ' ' << done << '\n';
    return exit_code::ok;
  });
}

constexpr const char* task_help = "Id of the task, or how it begins: six digits or more";

void add_for_tasks(CLI::App& tasks, exit_code& result, const char* name, const char* about,
                   bool changes, const std::function<exit_code(const tasks_flags&)>& what) {
  auto flags = std::make_shared<tasks_flags>();
  auto* command = tasks.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  if (changes)
    command->add_option("QUEUE", flags->queue, "Name of the queue")->required();
  command->add_option("TASK", flags->task, task_help)->required();
  command->add_flag("--json", flags->json,
                    changes ? "Print one JSON object" : "Print it as JSON, as it is anyway");
  command->callback([flags, what, &result] { result = what(*flags); });
}

void add_list(CLI::App& tasks, exit_code& result) {
  auto flags = std::make_shared<list_flags>();
  auto* command = tasks.add_subcommand("list", "Look through tasks, live and finished, by id");
  flags->cluster.add_to(*command);
  auto& question = flags->question;
  command->add_option("--queue", question.queue, "Only of this queue");
  command->add_option("--type", question.type, "Only of this type");
  command->add_option("--status", question.status,
                      "Only QUEUED, EXECUTING, COMPLETED, CANCELED, FAILURE or ERROR ones");
  command->add_option("--owner", question.owner_id, "Only those that this end user asked for");
  command->add_option("--key", question.key, "Only those with this key");
  command->add_option("--error", question.error_code, "Only those that ended with this error code")
      ->type_name("CODE");
  command->add_flag("--newest", flags->newest, "The newest first, by id; else the oldest");
  command->add_option("--since", flags->since, "Only those made at this time or later")
      ->type_name("TIME");
  command->add_option("--until", flags->until, "Only those made before")->type_name("TIME");
  command->add_option("--after", flags->after, "Go on behind this task")->type_name("TASK");
  command->add_option("--limit", flags->most, "At most so many")->capture_default_str();
  command->add_flag("--json", flags->json, "Print one JSON object");
  flags->cluster.add_watch_to(*command);
  command->callback([flags, &result] { result = list_some(*flags); });
}

void add_attempts(CLI::App& tasks, exit_code& result) {
  auto flags = std::make_shared<attempts_flags>();
  auto* command = tasks.add_subcommand(
      "attempts", "Print its attempts: when each began and ended, how, and at which worker");
  flags->cluster.add_to(*command);
  command->add_option("TASK", flags->task, task_help)->required();
  command->add_option("--after", flags->after, "Go on behind this attempt")->type_name("ATTEMPT");
  command->add_option("--limit", flags->most, "At most so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = show_attempts(*flags); });
}

} // namespace

void add_tasks_command(CLI::App& cli, exit_code& result) {
  using core::task_verb;
  auto* tasks = cli.add_subcommand("tasks", "Make, list, show, do, pause, cancel and retry tasks");
  tasks->require_subcommand(1);
  add_for_tasks(*tasks, result, "show", "Print it as JSON, live or finished", false, show_task);
  add_list(*tasks, result);
  add_attempts(*tasks, result);
  add_enqueue(*tasks, result);
  add_claim(*tasks, result);
  add_eject(*tasks, result);
  const auto add_verb = [&](const char* name, const char* about, task_verb verb, const char* done) {
    add_for_tasks(*tasks, result, name, about, true,
                  [=](const tasks_flags& flags) { return change_one(flags, verb, done); });
  };
  add_verb("pause", "Grant it to nobody; a worker that has it goes on", task_verb::pause,
           "is paused");
  add_verb("resume", "Undo a pause", task_verb::resume, "is resumed");
  add_verb("cancel", "End it; a worker that has it loses it", task_verb::cancel, "is canceled");
  add_verb("retry", "Make it due now, whatever it waits for", task_verb::retry, "is due");
}

} // namespace holdfast::app
