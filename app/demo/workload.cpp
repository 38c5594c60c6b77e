#include "app/demo/workload.hpp"

#include "app/demo/clock.hpp"
#include "core/workflow.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>

namespace holdfast::app::demo {

namespace {

using nlohmann::json;

/// Requests stay far below the largest frame, and heartbeats do not wait behind them.
constexpr std::size_t rows_per_request = 500;
constexpr std::size_t bytes_per_request = 512 * 1024;

/// A schema with more text than this comes near the node's bound on documents; then any text is a
/// label.
constexpr std::size_t enumeration_bytes_max = 64 * 1024;

/// Nobody thinks longer, however slow the demo is asked to run.
constexpr double thinking_seconds_max = 3600;

/// How often things go wrong on purpose, out of a thousand answers.
struct habit_share {
  habit how;
  unsigned per_mille;
};
constexpr std::array<habit_share, 5> habit_shares{{
    {habit::lets_expire, 15},
    {habit::submits_late, 5},
    {habit::submits_twice, 30},
    {habit::sends_nonsense, 10},
    {habit::mistakes_token, 10},
}};

/// The form of a set that brings none.
std::string plain_form(const json& answer) {
  auto form = json{{"schema", {{"properties", {{"answer", answer}}}, {"required", {"answer"}}}}};
  if (form.dump().size() > core::ui_bytes_max)
    form["schema"]["properties"]["answer"] = {{"type", "string"}}; // typed, not chosen
  return form.dump();
}

/// The input of a task for a person. A name that is put together of another one and a page for it,
/// as in zencrowd_us (`Sony-http://dbpedia.org/page/Sony`, `AOL-AOL_undisclosedLink0`), is taken
/// apart.
json input_of_task(const std::string& task) {
  json input{{"task", task}};
  for (auto at = task.find('-', 1); at != std::string::npos; at = task.find('-', at + 1)) {
    const auto name = task.substr(0, at);
    auto page = task.substr(at + 1);
    if (page.rfind("http", 0) == 0 || page.rfind(name + '_', 0) == 0) {
      input["name"] = name;
      input["page"] = std::move(page);
      break;
    }
  }
  return input;
}

habit draw_habit(std::mt19937_64& random) {
  auto drawn = random() % 1000;
  for (const auto& share : habit_shares) {
    if (drawn < share.per_mille)
      return share.how;
    drawn -= share.per_mille;
  }
  return habit::plain;
}

} // namespace

core::lease_policy demo_lease() {
  core::lease_policy policy;
  policy.ttl = std::chrono::seconds{2};
  policy.total_max = std::chrono::hours{2};
  policy.regrant_after = std::chrono::milliseconds{200};
  return policy;
}

core::lease_policy lease_for_people() {
  core::lease_policy policy;
  policy.ttl = std::chrono::minutes{2};
  policy.total_max = std::chrono::hours{2};
  policy.regrant_after = std::chrono::milliseconds{200};
  return policy;
}

std::string workflow_of(const dataset& set, const core::lease_policy& lease) {
  json answer{{"type", "string"}};
  json labels = set.labels;
  if (labels.dump().size() <= enumeration_bytes_max)
    answer["enum"] = std::move(labels);
  json step{{"key", "label"},
            {"title", set.title.empty() ? "Label each item" : set.title},
            {"ui", set.ui.empty() ? plain_form(answer) : set.ui},
            {"lease",
             {{"ttl_seconds", seconds(lease.ttl)},
              {"total_max_seconds", seconds(lease.total_max)},
              {"regrant_after_seconds", seconds(lease.regrant_after)}}},
            {"aggregation", {{"method", "majority"}, {"answer", "/answer"}}},
            {"judgment_schema",
             {{"type", "object"},
              {"properties", {{"answer", std::move(answer)}}},
              {"required", {"answer"}},
              {"additionalProperties", false}}}};
  return json{{"name", set.name}, {"steps", {std::move(step)}}}.dump();
}

std::vector<std::vector<msg::source_row>> source_data_of(const dataset& set) {
  std::vector<std::vector<msg::source_row>> requests(1);
  std::size_t bytes = 0;
  for (const auto& unit : set.units) {
    msg::source_row row{unit.task, input_of_task(unit.task).dump(), unit.answers};
    bytes += row.key.size() + row.input.size();
    if (requests.back().size() == rows_per_request || bytes > bytes_per_request) {
      requests.emplace_back();
      bytes = 0;
    }
    requests.back().push_back(std::move(row));
  }
  return requests;
}

std::string task_of_input(const std::string& input) {
  const auto object = json::parse(input, nullptr, false);
  const auto task = object.is_object() ? object.find("task") : object.end();
  return task != object.end() && task->is_string() ? task->get<std::string>() : std::string{};
}

std::string payload_of_label(const std::string& label) { return json{{"answer", label}}.dump(); }

void remember_all(std::vector<std::unordered_map<std::string, planned_answer>>& plans) {
  for (auto& plan : plans)
    for (auto& [task, answer] : plan)
      if (answer.how == habit::lets_expire || answer.how == habit::submits_late)
        answer.how = habit::plain;
}

std::vector<std::unordered_map<std::string, planned_answer>>
plan_answers(const dataset& set, double speed, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<std::unordered_map<std::string, planned_answer>> plans;
  for (const auto& contributor : set.contributors) {
    auto& plan = plans.emplace_back();
    for (const auto& answer : contributor.answers) {
      const auto thinking = std::min(answer.seconds / speed, thinking_seconds_max);
      plan.emplace(set.units[answer.unit].task,
                   planned_answer{answer.label, core::duration{std::llround(thinking * 1e6)},
                                  draw_habit(random)});
    }
  }
  return plans;
}

} // namespace holdfast::app::demo
