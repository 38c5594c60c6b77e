#pragma once

#include "persistence/connection.hpp"
#include "persistence/event_text.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The reads of the store: for each the calls to make in one pipeline, and what their results mean.
/// Those that join large tables run in a transaction of their own with the planner's full choice;
/// those on the hot path keep the session's settings (key lookups only).
namespace holdfast::persistence::reads {

using results = std::vector<query_result>;

std::vector<call> load_step(core::step_id step);
core::outcome<stored_step> load_step(const results& r, const lease_policies_of& policies_of);
// The same in parts: its own row with what finds its open and waiting units, and the step with some
// of these.
std::vector<call> step_and_unit_ids(core::step_id step);
std::vector<core::unit_id> unit_ids_of(const results& r);
std::vector<call> load_step_with(core::step_id step, const std::vector<core::unit_id>& units);

std::vector<call> load_units(const std::vector<core::unit_id>& units,
                             const core::lease_policies& policies);
std::vector<core::unit_record> load_units(const results& r, const std::vector<core::unit_id>& units,
                                          const core::lease_policies& policies);

std::vector<call> gathered_with(const std::vector<core::unit_id>& units);
std::vector<gathered_unit> gathered_with(const results& r);

std::vector<call> load_chains(const std::vector<core::unit_id>& units);
std::vector<unit_chain> load_chains(const results& r);

std::vector<call> load_workflow(core::workflow_id workflow);
core::outcome<stored_workflow> load_workflow(const results& r, core::workflow_id workflow);

std::vector<call> find_source_keys(core::step_id step, const std::vector<std::string>& keys);
std::vector<std::pair<std::string, core::unit_id>> find_source_keys(const results& r);

std::vector<call> find_source_units(core::step_id step, const std::vector<std::string>& keys);
std::vector<source_unit> find_source_units(const results& r);

/// Rows that begin with the columns that `load_workflow` reads of a step.
std::vector<core::step_row> read_step_rows(const query_result& r);

/// All of a result but what may be long.
struct result_place {
  core::unit_id unit;
  core::unit_state state = core::unit_state::judgable;
  std::uint64_t ordinal = 0;
  std::uint32_t judgments = 0;
};

std::vector<call> list_results(core::step_id step, std::uint64_t after, std::uint32_t limit);
void add_results(const results& r, std::pair<std::vector<unit_result>, std::uint64_t>& to);
void add_unreadable_result(const result_place& place,
                           std::pair<std::vector<unit_result>, std::uint64_t>& to);
/// The places of the same results, and the results of some.
std::vector<call> result_places_after(core::step_id step, std::uint64_t after, std::uint32_t limit);
std::vector<result_place> result_places(const results& r);
std::vector<call> results_of_units(const std::vector<result_place>& places);

std::vector<call> statistics(core::step_id step);
core::outcome<step_statistics> statistics(const results& r);

std::vector<call> load_queue(const core::queue_name& queue);
core::outcome<stored_queue> load_queue(const results& r);
// The same in parts: the queue's own row, what finds the others, and some of these.
std::vector<call> load_queue_row(const core::queue_name& queue);
core::outcome<core::put_queue> load_queue_row(const results& r);
std::vector<call> task_ids_of(const core::queue_name& queue);
std::vector<core::task_id> task_ids(const results& r);
std::vector<call> tasks_of(const core::queue_name& queue, const std::vector<core::task_id>& tasks);
void add_tasks(const results& r, stored_queue& to);
std::vector<call> unique_key_of(const core::task_id& task);
std::vector<call> schedule_names_of(const core::queue_name& queue);
std::vector<call> schedule_of(const core::queue_name& queue, const std::string& name);
void add_schedules(const results& r, stored_queue& to);
/// Answers of statements that give names.
std::vector<std::string> names(const results& r);

std::vector<call> list_queues();
std::vector<call> queue_names();
std::vector<core::put_queue> list_queues(const results& r);

std::vector<call> find_tasks(const std::vector<core::task_id>& tasks);
std::vector<known_task> find_tasks(const results& r);

std::vector<call> list_finished(const finished_filter& filter);
std::vector<finished_task> list_finished(const results& r);
// The same in parts: the ids that fit, and some of the tasks.
std::vector<call> finished_ids(const finished_filter& filter);
std::vector<core::task_id> finished_ids(const results& r);
std::vector<call> finished_of(const finished_filter& filter,
                              const std::vector<core::task_id>& tasks);

std::vector<call> list_tasks(const task_filter& filter);
listed_tasks list_tasks(const results& r, const task_filter& filter);

std::vector<call> load_task(core::task_id task);
core::outcome<task_history> load_task(const results& r);
/// Columns 0 to 8: token, claim, worker, grant and expiry of the lease; ending, error code and
/// detail of the attempt and the time at which it ended. These are null while the lease is live.
task_attempt read_attempt(const query_result& r, std::size_t row);

std::vector<call> list_attempts(core::task_id task, core::token after, std::uint32_t limit);
core::outcome<recorded_attempts> list_attempts(const results& r);

std::vector<call> count_tasks(const core::queue_name& queue);
core::outcome<queue_counts> count_tasks(const results& r);

std::vector<call> find_over(const std::vector<core::assignment_id>& assignments,
                            core::instant since);
std::vector<core::assignment_id> find_over(const results& r);

std::vector<call> find_overdue(core::instant ended_before, std::uint32_t limit);
std::vector<core::hosted_item> find_overdue(const results& r);

std::vector<call> find_due(core::task_id after, core::instant due_before, std::uint32_t limit);
due_page find_due(const results& r);

std::vector<call> event_bounds(core::shard_id shard);
core::outcome<core::event_bounds> event_bounds(const results& r);

std::vector<call> events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit);
std::optional<core::failure> add_events(const results& r, core::shard_id shard,
                                        std::vector<core::sequenced_event>& to);
/// The rows of the same events, and those of some rows.
std::vector<call> outbox_places_after(core::shard_id shard, core::event_seq after,
                                      std::uint32_t limit);
std::vector<outbox_place> outbox_places(const results& r, core::shard_id shard);
std::vector<call> events_of(core::shard_id shard, const std::vector<outbox_place>& rows);

std::vector<call> cursor(const std::string& consumer, core::shard_id shard);
std::vector<call> inbox_after(const std::string& consumer, core::shard_id shard,
                              core::event_seq after);
std::vector<core::event_seq> inbox_after(const results& r);

/// Of this name; empty: all.
std::vector<call> list_webhooks(const std::string& name);
std::vector<stored_webhook> list_webhooks(const results& r);
std::vector<call> webhook_names();
/// With their ids and names only.
std::vector<stored_webhook> webhooks_by_their_names(const results& r);

std::vector<call> webhook_places(core::webhook_id webhook);
std::vector<webhook_place> webhook_places(const results& r);

std::vector<call> list_dead_letters(const dead_letter_filter& filter);
void add_dead_letters(const results& r, const dead_letter_filter& filter,
                      std::vector<dead_letter>& to);
/// The same letters without their events and reasons, and those of some.
std::vector<call> dead_letter_places(const dead_letter_filter& filter);
std::vector<dead_letter> dead_letter_places(const results& r, const dead_letter_filter& filter);
std::vector<call> dead_letters_of(const dead_letter_filter& filter,
                                  const std::vector<dead_letter>& places);

} // namespace holdfast::persistence::reads
