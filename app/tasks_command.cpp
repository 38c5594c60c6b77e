#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "core/time_text.hpp"
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

struct tasks_flags {
  cluster_flags cluster;
  std::string queue;
  std::string task;
};

ordered_json time_or_null(core::instant at) {
  return at == core::instant{} ? ordered_json{} : ordered_json(core::to_rfc3339(at));
}

ordered_json document_or_null(const std::string& text) {
  return text.empty() ? ordered_json{} : ordered_json::parse(text, nullptr, false);
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json{} : ordered_json(text);
}

exit_code show_task(const tasks_flags& flags) {
  const auto id = id_in<core::task_id>(flags.task, "TASK");
  if (!id)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto found = cluster.ask<msg::task_view>(msg::get_task{*id});
    if (!found)
      return refused_by_node(found.error());
    const auto& t = *found;
    std::cout << pretty({{"task", core::to_string(t.task)},
                         {"queue", t.queue},
                         {"type", t.type},
                         {"version", t.version},
                         {"status", t.status},
                         {"state", t.state},
                         {"percent", t.percent},
                         {"paused", t.paused},
                         {"attempts", t.attempts},
                         {"crashes", t.crashes},
                         {"priority", t.priority},
                         {"owner_id", text_or_null(t.owner_id)},
                         {"run_as_id", text_or_null(t.run_as_id)},
                         {"worker", text_or_null(t.worker)},
                         {"created_at", time_or_null(t.created_at)},
                         {"next_action", time_or_null(t.next_action)},
                         {"last_change", time_or_null(t.last_change)},
                         {"last_action", time_or_null(t.last_action)},
                         {"finished_at", time_or_null(t.finished_at)},
                         {"error_code", text_or_null(t.error_code)},
                         {"body", document_or_null(t.body)},
                         {"data", document_or_null(t.data)},
                         {"result", document_or_null(t.result)}})
              << '\n';
    return exit_code::ok;
  });
}

exit_code change_one(const tasks_flags& flags, core::task_verb verb, const char* done) {
  const auto id = id_in<core::task_id>(flags.task, "TASK");
  if (!id)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto changed = cluster.ask<msg::task_changed>(
        msg::change_task{flags.queue, *id, static_cast<std::uint8_t>(verb)});
    if (!changed)
      return refused_by_node(changed.error());
    std::cout << flags.task << ' ' << done << '\n';
    return exit_code::ok;
  });
}

void add_for_tasks(CLI::App& tasks, exit_code& result, const char* name, const char* about,
                   bool in_queue, const std::function<exit_code(const tasks_flags&)>& what) {
  auto flags = std::make_shared<tasks_flags>();
  auto* command = tasks.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  if (in_queue)
    command->add_option("QUEUE", flags->queue)->required();
  command->add_option("TASK", flags->task)->required();
  command->callback([flags, what, &result] { result = what(*flags); });
}

} // namespace

void add_tasks_command(CLI::App& cli, exit_code& result) {
  using core::task_verb;
  auto* tasks = cli.add_subcommand("tasks", "Show, pause, resume, cancel or retry a task");
  tasks->require_subcommand(1);
  add_for_tasks(*tasks, result, "show", "Print it as JSON, live or finished", false, show_task);
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
