#include "http/api_description.hpp"

#include "core/errors.hpp"
#include "http/problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace holdfast::http {

namespace {

/// The operations that a composed route asks for; their roles are its roles.
struct composed_row {
  std::string_view route;
  std::vector<std::string_view> operations;
  bool asks_for_one = false; ///< Of them, by the roles of its caller.
};

/// Composed routes that are not named like the one operation that they ask for.
const std::vector<composed_row>& composed_rows() {
  static const std::vector<composed_row> rows{
      {"make_tasks", {"enqueue_tasks"}},
      {"list_tasks", {"search_tasks"}},
      {"report_tasks",
       {"complete_tasks", "fail_task", "release_task", "save_task", "save_task_in_order",
        "extend_tasks"}},
      {"complete_task", {"complete_tasks", "follow_task"}},
      {"extend_task", {"extend_tasks"}},
      {"save_task", {"save_task", "save_task_in_order"}},
      {"cancel_task", {"change_task"}},
      {"pause_task", {"change_task"}},
      {"resume_task", {"change_task"}},
      {"retry_task", {"change_task"}},
      {"get_queue", {"list_queues"}},
      {"resume_queue", {"pause_queue"}},
      {"list_steps", {"find_steps", "list_steps"}, true},
      {"change_step", {"change_step", "seal_step"}},
      {"update_workflow", {"update_workflow", "get_workflow"}},
      {"validate_workflow", {"update_workflow", "get_workflow"}},
      {"load_data", {"load_source_data", "get_workflow"}},
      {"get_unit_result", {"get_unit"}},
      {"read_all_events", {"read_events"}},
      {"pause_webhook", {"change_webhook"}},
      {"resume_webhook", {"change_webhook"}},
      {"remove_webhook", {"change_webhook"}},
      {"create_sign_in_link", {"create_token"}},
  };
  return rows;
}

std::vector<core::role> all_roles() {
  std::vector<core::role> all;
  for (std::size_t i = 0; i < core::role_count; ++i)
    all.push_back(static_cast<core::role>(i));
  return all;
}

core::role_set roles_of_operation(std::string_view name) {
  const auto* row = core::find_access(name);
  return row != nullptr && row->who == core::said_by::clients ? row->roles : core::role_set{};
}

problem_description described(core::errc code) {
  const auto& row = core::describe(code);
  return {std::string{row.name}, status_of(code), row.retryable, std::string{row.advice}};
}

problem_description described(refusal why) {
  const auto problem = nlohmann::json::parse(problem_of(why, {}).body);
  return {problem.at("code").get<std::string>(), problem.at("status").get<unsigned>(),
          problem.at("retryable").get<bool>(), problem.at("title").get<std::string>()};
}

std::vector<problem_description> all_problems() {
  std::vector<problem_description> all;
  for (unsigned number = 1;; ++number) {
    const auto code = static_cast<core::errc>(number);
    if (core::describe(code).code != code)
      break;
    all.push_back(described(code));
  }
  for (const auto one : all_refusals())
    all.push_back(described(one));
  return all;
}

} // namespace

api_description describe_api(const route_table& table) {
  api_description api;
  for (const auto& one : table.all()) {
    operation_description made;
    made.row = one.row;
    made.name = one.name;
    made.roles = roles_of_route(one.name);
    auto request = schema_maker::of_request(one.row, api.objects);
    one.describe_request(request);
    made.request = request.request();
    auto answer = schema_maker::of_answer(api.objects);
    one.describe_answer(answer);
    made.answer = answer.answer();
    if (one.describe_item) {
      auto item = schema_maker::of_answer(api.objects);
      one.describe_item(item);
      made.item = item.answer();
      made.has_csv = one.has_csv;
    }
    made.other_answers = one.other_answers;
    made.takes_if_match = one.takes_if_match;
    made.lines_of = one.lines_of;
    made.takes_csv = one.takes_csv;
    made.takes_table = one.takes_table;
    api.operations.push_back(std::move(made));
  }
  api.problems = all_problems();
  return api;
}

const std::vector<topic_description>& all_topics() {
  static const std::vector<topic_description> topics{
      {topic::tasks, "tasks", "Tasks",
       "Producers make tasks, and workers claim, do and end them under leases."},
      {topic::queues, "queues", "Queues",
       "A queue holds tasks under one policy; a schedule makes tasks at set times."},
      {topic::work, "work", "Contributors at work",
       "Contributors look for steps, get assignments under leases, and submit judgments."},
      {topic::contributors, "contributors", "Contributors",
       "Requesters manage the profiles of contributors and their standing in each step."},
      {topic::workflows, "workflows", "Workflows",
       "A workflow is a definition of steps that items of source data pass through."},
      {topic::steps, "steps", "Steps",
       "A step takes source data and test questions, is steered, and gives results."},
      {topic::units, "units", "Units",
       "A unit is one item in one step, from its first judgment to its result."},
      {topic::events, "events", "Events and webhooks",
       "Every change is an event; programs read events, or have them delivered by webhooks."},
      {topic::cluster, "cluster", "Cluster",
       "Operators look at nodes, shards, audits and guards; administrators make API tokens."},
  };
  return topics;
}

core::role_set roles_of_route(std::string_view name) {
  const auto& rows = composed_rows();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.route == name; });
  if (row == rows.end())
    return roles_of_operation(name);
  core::role_set roles;
  for (const auto as : all_roles()) {
    const auto may = [&](std::string_view operation) {
      return roles_of_operation(operation).has(as);
    };
    const auto& asked = row->operations;
    if (row->asks_for_one ? std::any_of(asked.begin(), asked.end(), may)
                          : std::all_of(asked.begin(), asked.end(), may))
      roles.add(as);
  }
  return roles;
}

std::vector<std::string_view> names_of(core::role_set roles) {
  std::vector<std::string_view> names;
  for (const auto one : all_roles())
    if (roles.has(one))
      names.push_back(core::to_string(one));
  return names;
}

std::string_view api_version() { return HOLDFAST_VERSION; }

} // namespace holdfast::http
