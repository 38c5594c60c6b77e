#include "core/access.hpp"

#include "core/percent.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace holdfast::core {

namespace {

constexpr std::array<std::string_view, role_count> role_names{
    "admin", "operator", "requester", "producer", "worker", "contributor", "auditor"};

constexpr std::string_view grant_prefix = "holdfast:role=";
constexpr std::string_view name_parameter = "?name=";

bool is_plain_in_uri(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
         || c == '.' || c == '_' || c == '~';
}

/// A name in a URI of a grant: nothing but plain characters and escapes.
std::optional<std::string> name_in_uri(std::string_view text) {
  const auto fits = [](char c) { return c == '%' || is_plain_in_uri(c); };
  return std::all_of(text.begin(), text.end(), fits) ? percent_decoded(text) : std::nullopt;
}

constexpr role_set everybody = role_set::all();

/// Roles besides `admin`, which may send every request.
constexpr role_set with_admin(std::initializer_list<role> roles) {
  role_set made{roles};
  made.add(role::admin);
  return made;
}

std::vector<message_access> make_table() {
  constexpr auto op = role::node_operator;
  constexpr auto rq = role::requester;
  constexpr auto pr = role::producer;
  constexpr auto wk = role::worker;
  constexpr auto co = role::contributor;
  constexpr auto au = role::auditor;
  std::vector<message_access> table;
  const auto requests = [&](role_set roles, std::initializer_list<std::string_view> messages) {
    for (const auto message : messages)
      table.push_back({message, said_by::clients, roles});
  };
  const auto others = [&](said_by who, std::initializer_list<std::string_view> messages) {
    for (const auto message : messages)
      table.push_back({message, who, {}});
  };
  // Requests that a connection itself needs.
  requests(everybody, {"get_protocols", "get_node_status", "get_placement"});
  // Contributors. Their answers say nothing of test questions, trust or other people's judgments;
  // `get_feedback` says what the step's definition has it say, of the asker alone.
  requests(with_admin({co}), {"ask_assignment", "release_assignment", "extend_assignment",
                              "submit_judgment", "correct_judgment", "end_session"});
  requests(with_admin({co, rq}), {"get_feedback", "find_steps"});
  // Workers.
  requests(with_admin({wk}), {"claim_tasks", "extend_tasks", "save_task", "save_task_in_order",
                              "release_task", "complete_tasks", "follow_task", "fail_task"});
  // Producers.
  requests(with_admin({pr}), {"enqueue_tasks", "enqueue_envelopes"});
  requests(with_admin({pr, op, au}),
           {"get_task", "await_task", "explain_task", "get_queue_statistics", "list_queues"});
  // Operators.
  requests(with_admin({op}),
           {"put_queue", "pause_queue", "remove_queue", "change_task", "eject_task",
            "redrive_tasks", "put_schedule", "remove_schedule", "run_schedule",
            "rebuild_step_index", "start_queue_action", "stop_queue_action"});
  requests(with_admin({op, au}), {"preview_schedule", "list_nodes", "verify_cluster"});
  requests(with_admin({op, au}), {"list_tasks", "get_task_attempts", "get_queue_intake",
                                  "get_queue_metrics", "list_schedules", "await_units",
                                  "get_link_status", "get_audit_status", "get_guard_status"});
  requests(with_admin({op, au}), {"search_tasks", "get_queue_action", "list_queue_actions"});
  // Programs that follow events from outside.
  requests(with_admin({op, rq}), {"put_webhook", "change_webhook", "replay_webhook"});
  requests(with_admin({op, rq, au}), {"read_events", "list_webhooks", "list_dead_letters"});
  // How much there is to do, which `holdfast status` shows as well.
  requests(with_admin({op, rq, au}), {"list_steps"});
  // API tokens. With `check_token` secrets could be tried, and tokens be told from others.
  requests(with_admin({}), {"create_token", "revoke_token", "check_token", "note_token_use"});
  requests(with_admin({au}), {"list_tokens"});
  // Requesters.
  requests(with_admin({rq}), {"create_workflow",    "update_workflow",      "job_status_changed",
                              "add_source_data",    "load_source_data",     "add_test_questions",
                              "remove_contributor", "forgive_question",     "repair_contributor",
                              "repair_question",    "reopen_unit",          "override_result",
                              "taint_judgment",     "reinstate_judgment",   "seal_step",
                              "change_step",        "change_unit",          "put_profile",
                              "put_removal",        "reinstate_contributor"});
  requests(with_admin({rq, au}),
           {"check_workflow", "get_workflow", "list_workflows", "list_test_questions",
            "list_contributors", "list_corrections", "explain_unit", "explain_contributor",
            "get_step_quality", "get_unit", "list_results", "list_workflow_results", "get_lineage",
            "get_step_statistics", "get_profile", "list_removals"});

  // The audit log.
  requests(with_admin({au}), {"list_audit"});

  others(said_by::nodes,
         {"meet_node", "node_met", "look_at_cluster", "events_applied", "apply_events",
          "add_children", "upstream_progress", "tasks_lost", "author"});
  others(said_by::answers, {"assignment",         "assignment_released", "assignment_extended",
                            "judgment_accepted",  "judgment_feedback",   "session_ended",
                            "step_offers",        "removal_view",        "removal_page",
                            "profile_view",       "step_index_rebuilt",  "workflow_created",
                            "workflow_updated",   "job_status_noted",    "workflow_view",
                            "source_data_added",  "source_data_loaded",  "contributor_removed",
                            "question_forgiven",  "repair_progress",     "contributor_page",
                            "unit_explanation",   "step_quality",        "contributor_explanation",
                            "step_view",          "unit_changed",        "step_list",
                            "unit_view",          "unit_lineage",        "result_page",
                            "step_statistics",    "node_status",         "link_status",
                            "audit_status",       "guard_status",        "placement",
                            "queue_view",         "queue_list",          "queue_statistics",
                            "queue_intake",       "queue_metrics",       "task_outcomes",
                            "task_outcome",       "task_view",           "task_page",
                            "task_explanation",   "task_changed",        "leased_tasks",
                            "tasks_redriven",     "schedule_view",       "schedule_removed",
                            "schedule_list",      "event_page",          "protocols",
                            "webhook_saved",      "webhook_list",        "dead_letter_page",
                            "webhook_replayed",   "task_attempts",       "workflow_page",
                            "test_question_page", "queue_removed",       "token_view",
                            "schedule_preview",   "schedule_ran",        "node_list",
                            "cluster_verified",   "token_page",          "token_identity",
                            "token_use_noted",    "task_awaited",        "units_awaited",
                            "audit_page",         "queue_action_view",   "queue_action_page",
                            "unit_corrected",     "correction_list",     "judgment_corrected",
                            "workflow_checked"});
  others(said_by::answers, {"workflow_result_page"});
  others(said_by::parts, {"workflow_result"});
  others(said_by::parts, {"step_offer",
                          "definition_difference",
                          "test_question",
                          "contributor_view",
                          "reason",
                          "quality_concern",
                          "lineage_lease",
                          "lineage_judgment",
                          "lineage_unit",
                          "task_summary",
                          "task_attempt",
                          "late_result",
                          "published_event",
                          "webhook_place",
                          "webhook_view",
                          "dead_letter",
                          "workflow_summary",
                          "test_question_summary",
                          "audit_entry",
                          "node_start",
                          "broken_check",
                          "changed_row",
                          "correction_view",
                          "kept_judgment",
                          "definition_finding"});
  return table;
}

} // namespace

std::string_view to_string(role value) { return role_names[static_cast<std::size_t>(value)]; }

std::optional<role> role_named(std::string_view name) {
  const auto found = std::find(role_names.begin(), role_names.end(), name);
  if (found == role_names.end())
    return std::nullopt;
  return static_cast<role>(found - role_names.begin());
}

bool is_bindable(role value) { return value == role::contributor || value == role::worker; }

const std::vector<message_access>& message_table() {
  static const auto table = make_table();
  return table;
}

const message_access* find_access(std::string_view message) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const message_access*> all;
    for (const auto& row : message_table())
      all.emplace(row.message, &row);
    return all;
  }();
  const auto found = by_name.find(message);
  return found == by_name.end() ? nullptr : found->second;
}

bool access_scope::reaches(const queue_name& queue) const {
  return !limits() || std::any_of(queues.begin(), queues.end(), [&](const std::string& prefix) {
    return queue.compare(0, prefix.size(), prefix) == 0;
  });
}

bool access_scope::reaches(workflow_id workflow) const {
  return !limits() || std::find(workflows.begin(), workflows.end(), workflow) != workflows.end();
}

role_set principal::roles() const {
  role_set all;
  for (const auto& one : grants)
    all.add(one.as);
  return all;
}

std::string label_of(const principal& who) {
  if (!who.label.empty())
    return who.label;
  if (who.grants.empty())
    return "nobody";
  const auto& first = who.grants.front();
  auto label = std::string{to_string(first.as)};
  return first.name.empty() ? label : label + ' ' + first.name;
}

std::string objection_to(const principal& who, std::string_view message,
                         const named_in_request& named) {
  if (who.is_node)
    return {};
  const auto* row = find_access(message);
  if (row == nullptr || row->who != said_by::clients)
    return std::string{message} + " is no request of a peer";
  std::string bound;
  for (const auto& one : who.grants) {
    if (!row->roles.has(one.as))
      continue;
    const auto* said = one.as == role::contributor ? named.contributor
                       : one.as == role::worker    ? named.worker
                                                   : nullptr;
    if (one.name.empty() || said == nullptr || *said == one.name)
      return {};
    bound =
        std::string{to_string(one.as)} + " must be '" + one.name + "', whom the credential names";
  }
  if (!bound.empty())
    return bound;
  return "no role of the credential may send " + std::string{message};
}

std::string uri_of(const grant& given) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  auto uri = std::string{grant_prefix} + std::string{to_string(given.as)};
  if (given.name.empty())
    return uri;
  uri += name_parameter;
  for (const char c : given.name)
    if (is_plain_in_uri(c)) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += digits[byte >> 4];
      uri += digits[byte & 0x0f];
    }
  return uri;
}

bool is_grant_uri(std::string_view uri) {
  constexpr std::string_view scheme = "holdfast:";
  return uri.substr(0, scheme.size()) == scheme;
}

std::optional<grant> grant_of_uri(std::string_view uri) {
  if (uri.substr(0, grant_prefix.size()) != grant_prefix)
    return std::nullopt;
  uri.remove_prefix(grant_prefix.size());
  const auto end = std::min(uri.find(name_parameter), uri.size());
  const auto as = role_named(uri.substr(0, end));
  if (!as)
    return std::nullopt;
  uri.remove_prefix(end);
  if (uri.empty())
    return grant{*as, {}};
  uri.remove_prefix(name_parameter.size());
  auto name = name_in_uri(uri);
  if (!is_bindable(*as) || !name || name->empty())
    return std::nullopt;
  return grant{*as, std::move(*name)};
}

std::optional<role_set> roles_of_list(std::string_view text) {
  role_set roles;
  if (text == "none")
    return roles;
  while (true) {
    const auto end = std::min(text.find(','), text.size());
    auto word = text.substr(0, end);
    while (!word.empty() && word.front() == ' ')
      word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ')
      word.remove_suffix(1);
    const auto one = role_named(word);
    if (!one)
      return std::nullopt;
    roles.add(*one);
    if (end == text.size())
      return roles;
    text.remove_prefix(end + 1);
  }
}

} // namespace holdfast::core
