#pragma once

#include "core/audit.hpp"
#include "core/hosted_item.hpp"
#include "messages/operations.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// The item and the outcome that the audit log names for each audited operation. An operation
/// without a row here does not compile in the gateway.
namespace holdfast::actors {

/// The last two members of an entry.
struct audit_subject {
  std::string item;
  std::string_view outcome;
};

namespace subjects {

inline std::string queue(const core::queue_name& name) { return "queue " + name; }
inline std::string step(const core::step_id& id) { return "step " + to_string(id); }
inline std::string task(const core::task_id& id) { return "task " + to_string(id); }
inline std::string unit(const core::unit_id& id) { return "unit " + to_string(id); }
inline std::string workflow(const core::workflow_id& id) { return "workflow " + to_string(id); }
inline std::string webhook(const std::string& name) { return "webhook " + name; }
inline std::string contributor(const core::contributor_id& id) { return "contributor " + id; }

/// Of the verbs of steps, units and webhooks, whose third one is `last`.
inline std::string_view done_by(std::uint8_t verb, std::string_view last) {
  return verb == 1 ? "paused" : verb == 2 ? "resumed" : last;
}

} // namespace subjects

inline audit_subject subject_of(const msg::put_profile& m) {
  return {subjects::contributor(m.contributor), "saved"};
}
namespace subjects {

/// A contributor, and where it is said of them that they may not work, or may again.
template <class Request>
std::string contributor_in(const Request& m) {
  auto text = contributor(m.contributor);
  if (m.step)
    text += " in " + step(m.step);
  else if (m.workflow)
    text += " in " + workflow(m.workflow);
  return text;
}

} // namespace subjects

inline audit_subject subject_of(const msg::put_removal& m) {
  return {subjects::contributor_in(m), "removed"};
}
inline audit_subject subject_of(const msg::reinstate_contributor& m) {
  return {subjects::contributor_in(m), "reinstated"};
}
inline audit_subject subject_of(const msg::create_token& m) {
  return {"token " + to_string(m.token), "created"};
}
inline audit_subject subject_of(const msg::revoke_token& m) {
  return {"token " + to_string(m.token), "revoked"};
}
inline audit_subject subject_of(const msg::change_task& m) {
  return {subjects::task(m.task), m.verb == 4 ? "retried" : subjects::done_by(m.verb, "canceled")};
}
inline audit_subject subject_of(const msg::eject_task& m) {
  return {subjects::task(m.task), "ejected"};
}
inline audit_subject subject_of(const msg::redrive_tasks& m) {
  return {subjects::queue(m.queue), "tasks_redriven"};
}
inline audit_subject subject_of(const msg::start_queue_action& m) {
  constexpr std::array<std::string_view, 6> outcomes{"",
                                                     "pause_all_begun",
                                                     "resume_all_begun",
                                                     "cancel_all_begun",
                                                     "retry_all_begun",
                                                     "redrive_all_begun"};
  return {subjects::queue(m.queue) + " action " + to_string(m.action),
          outcomes[m.kind < outcomes.size() ? m.kind : 0]};
}
inline audit_subject subject_of(const msg::stop_queue_action& m) {
  return {subjects::queue(m.queue) + " action " + to_string(m.action), "stopped"};
}
inline audit_subject subject_of(const msg::put_queue& m) {
  return {subjects::queue(m.queue), "saved"};
}
inline audit_subject subject_of(const msg::pause_queue& m) {
  return {subjects::queue(m.queue) + (m.type.empty() ? "" : " type " + m.type),
          m.paused ? "paused" : "resumed"};
}
inline audit_subject subject_of(const msg::remove_queue& m) {
  return {subjects::queue(m.queue), "removed"};
}
inline audit_subject subject_of(const msg::put_schedule& m) {
  return {subjects::queue(m.queue) + " schedule " + m.name, "saved"};
}
inline audit_subject subject_of(const msg::remove_schedule& m) {
  return {subjects::queue(m.queue) + " schedule " + m.name, "removed"};
}
inline audit_subject subject_of(const msg::run_schedule& m) {
  return {subjects::queue(m.queue) + " schedule " + m.name + ' ' + subjects::task(m.task), "ran"};
}
inline audit_subject subject_of(const msg::create_workflow& m) {
  return {subjects::workflow(m.workflow), "created"};
}
inline audit_subject subject_of(const msg::update_workflow& m) {
  return {subjects::step(m.step), "workflow_updated"};
}
inline audit_subject subject_of(const msg::job_status_changed& m) {
  return {subjects::workflow(m.workflow), "job_noted"};
}
inline audit_subject subject_of(const msg::add_source_data& m) {
  return {subjects::step(m.step), "source_data_added"};
}
inline audit_subject subject_of(const msg::load_source_data& m) {
  return {subjects::step(m.step), "source_data_loaded"};
}
inline audit_subject subject_of(const msg::add_test_questions& m) {
  return {subjects::step(m.step), "test_questions_added"};
}
inline audit_subject subject_of(const msg::remove_contributor& m) {
  return {subjects::step(m.step) + ' ' + subjects::contributor(m.contributor), "removed"};
}
inline audit_subject subject_of(const msg::forgive_question& m) {
  return {subjects::unit(m.unit), m.count_again ? "counts_again" : "forgiven"};
}
inline audit_subject subject_of(const msg::repair_contributor& m) {
  return {subjects::step(m.step) + ' ' + subjects::contributor(m.contributor),
          m.dry_run ? "dry_repair_begun" : "repair_begun"};
}
inline audit_subject subject_of(const msg::repair_question& m) {
  return {subjects::unit(m.unit), m.dry_run ? "dry_repair_begun" : "repair_begun"};
}
inline audit_subject subject_of(const msg::reopen_unit& m) {
  return {subjects::unit(m.unit), "reopened"};
}
inline audit_subject subject_of(const msg::override_result& m) {
  return {subjects::unit(m.unit), "overridden"};
}
inline audit_subject subject_of(const msg::taint_judgment& m) {
  return {subjects::unit(m.unit) + " judgment " + to_string(m.judgment), "tainted"};
}
inline audit_subject subject_of(const msg::reinstate_judgment& m) {
  return {subjects::unit(m.unit) + " judgment " + to_string(m.judgment), "reinstated"};
}
inline audit_subject subject_of(const msg::seal_step& m) {
  return {subjects::step(m.step), "sealed"};
}
inline audit_subject subject_of(const msg::change_step& m) {
  return {subjects::step(m.step), subjects::done_by(m.verb, "canceled")};
}
inline audit_subject subject_of(const msg::change_unit& m) {
  return {subjects::unit(m.unit), subjects::done_by(m.verb, "canceled")};
}
inline audit_subject subject_of(const msg::put_webhook& m) {
  return {subjects::webhook(m.name), "saved"};
}
inline audit_subject subject_of(const msg::change_webhook& m) {
  return {subjects::webhook(m.name), subjects::done_by(m.verb, "removed")};
}
inline audit_subject subject_of(const msg::replay_webhook& m) {
  return {subjects::webhook(m.name), m.what == 1   ? "dead_letters_replayed"
                                     : m.what == 2 ? "dead_letters_removed"
                                                   : "position_moved"};
}

} // namespace holdfast::actors
