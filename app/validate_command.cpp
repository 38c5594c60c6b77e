#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/read_input.hpp"
#include "calendar/time_zones.hpp"
#include "core/queue_policy.hpp"
#include "core/schedule.hpp"
#include "core/time_text.hpp"
#include "core/webhook.hpp"
#include "core/workflow.hpp"
#include "documents/limits.hpp"
#include "documents/new_workflow_document.hpp"
#include "documents/queue_document.hpp"
#include "documents/schedule_document.hpp"
#include "documents/webhook_document.hpp"
#include "documents/workflow_check.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string warning_lines(const std::vector<core::definition_problem>& warnings) {
  std::string lines;
  for (const auto& warning : warnings)
    lines += "  warning: " + printable(warning.place) + ' ' + printable(warning.what) + '\n';
  return lines;
}

// What a definition says, in lines for people; its problems if it is none.

core::outcome<std::string> read_workflow(const std::string& text) {
  const auto document = documents::parse_new_workflow(text, documents::json_limits{});
  if (!document)
    return document.error();
  const auto* workflow = &document->definition;
  auto lines = "a workflow of " + counted(workflow->steps.size(), "step") + '\n';
  const auto places = core::places_in(*workflow);
  for (std::size_t i = 0; i < places.size(); ++i) {
    lines += "  " + printable(workflow->steps[i].key) + ": ";
    if (const auto& gather = workflow->steps[i].gather)
      lines += gather->by == core::gather_by::list
                   ? "makes one unit of each list, "
                   : "makes one unit of " + std::to_string(gather->size) + ", ";
    std::string ways;
    for (const auto& way : places[i].ways)
      for (const auto& target : way.targets)
        ways += (ways.empty() ? "goes on to " : ", ")
                + printable(workflow->steps[target.position].key) + (target.back ? " (back)" : "");
    lines += (ways.empty() ? "the end" : ways) + '\n';
  }
  for (const auto& warning : documents::all_warnings_of(*workflow))
    lines += "  warning: " + printable(warning.place) + ' ' + printable(warning.what) + " ("
             + std::string{core::code_of(warning.about)} + ")\n";
  return lines;
}

/// The answer of `POST /v1/workflows/validate`.
exit_code print_workflow_check(const std::string& text) {
  using nlohmann::ordered_json;
  const auto found = documents::check_workflow(text, documents::json_limits{});
  if (!found) {
    std::cerr << printable_lines(found.error().detail) << '\n';
    return exit_code::failed_check;
  }
  auto problems = ordered_json::array();
  for (const auto& one : found->problems)
    problems.push_back({{"place", one.place}, {"what", one.what}});
  auto warnings = ordered_json::array();
  for (const auto& one : found->warnings)
    warnings.push_back(
        {{"code", core::code_of(one.about)}, {"place", one.place}, {"what", one.what}});
  std::cout << pretty({{"valid", found->problems.empty()},
                       {"problems", std::move(problems)},
                       {"warnings", std::move(warnings)}})
            << '\n';
  return found->problems.empty() ? exit_code::ok : exit_code::failed_check;
}

core::outcome<std::string> read_queue(const std::string& text) {
  const auto queue = documents::parse_queue_policy(text, documents::json_limits{});
  if (!queue)
    return queue.error();
  auto lines =
      "the policy of a queue with rules for " + counted(queue->types.size(), "type") + '\n';
  return lines + warning_lines(core::warnings_of(*queue));
}

/// As many occurrences as show the pattern: a week of days.
constexpr int occurrences_shown = 7;

core::outcome<std::string> read_schedule(const std::string& text) {
  const auto plan = documents::parse_schedule(text, documents::json_limits{}, calendar::find_zone);
  if (!plan)
    return plan.error();
  auto lines = "a schedule of tasks of type " + printable(plan->task.spec.type) + ", `"
               + printable(plan->cron) + "` in " + printable(plan->time_zone) + '\n';
  core::schedule begun;
  begun.plan = *plan;
  begun.plan->paused = false;
  begun.handled_until =
      std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  if (!core::next_occurrence(begun))
    return core::failure{core::errc::payload_invalid,
                         "/cron is never due between now or from, and until"};
  lines += plan->paused ? "paused; without that it would be due\n" : "due\n";
  for (int i = 0; i < occurrences_shown; ++i) {
    const auto next = core::next_occurrence(begun);
    if (!next)
      break;
    lines += "  " + core::to_rfc3339(*next) + '\n';
    begun.handled_until = *next;
  }
  return lines;
}

core::outcome<std::string> read_webhook(const std::string& text) {
  const auto webhook = documents::parse_webhook(text, documents::json_limits{});
  if (!webhook)
    return webhook.error();
  if (const auto& tasks = webhook->tasks)
    return "a webhook whose events become tasks of type " + printable(tasks->type)
           + " in the queue " + printable(tasks->queue) + '\n';
  return "a webhook that posts to " + printable(webhook->url) + '\n';
}

struct kind {
  const char* name;
  const char* about;
  core::outcome<std::string> (*read)(const std::string& text);
};

constexpr kind kinds[] = {
    {"workflow", "Steps and routes, as create_workflow and update_workflow take them",
     read_workflow},
    {"queue", "The policy of a queue, as put_queue takes it", read_queue},
    {"schedule", "The tasks to make and their times, as put_schedule takes it", read_schedule},
    {"webhook", "The receiver of events, as put_webhook takes it", read_webhook},
};

exit_code validate(const kind& what, const std::string& file, bool json) {
  const auto text = read_input(file);
  if (!text) {
    std::cerr << "holdfast: " << printable(text.error().detail) << '\n';
    return exit_code::usage;
  }
  if (json)
    return print_workflow_check(*text);
  const auto read = what.read(*text);
  if (!read) {
    std::cerr << printable_lines(read.error().detail) << '\n';
    return exit_code::failed_check;
  }
  std::cout << *read;
  return exit_code::ok;
}

} // namespace

void add_validate_command(CLI::App& cli, exit_code& result) {
  auto* command = cli.add_subcommand(
      "validate", "Check a definition of a queue, a workflow, a webhook or a schedule");
  command->require_subcommand(1);
  for (const auto& what : kinds) {
    auto file = std::make_shared<std::string>();
    auto* of_kind = command->add_subcommand(what.name, what.about);
    of_kind->add_option("file", *file, "Its JSON; - reads it from the standard input")
        ->type_name("FILE")
        ->required();
    auto json = std::make_shared<bool>(false);
    if (what.read == read_workflow)
      of_kind->add_flag("--json", *json, "Print one JSON object with all problems and warnings");
    of_kind->callback([&what, file, json, &result] { result = validate(what, *file, *json); });
  }
}

} // namespace holdfast::app
