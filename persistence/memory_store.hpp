#pragma once

#include "persistence/memory_tables.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

namespace holdfast::persistence {

/// What happens to one commit instead of its success.
enum class commit_fault {
  none,
  unavailable,      ///< Nothing is applied, and the caller knows it.
  in_doubt_applied, ///< Applied, but the answer is lost: `in_doubt`.
  in_doubt_lost,    ///< Not applied, and the caller cannot know: `in_doubt`.
};

/// A database in memory, shared by any number of `memory_store`s: the reference for what the port
/// promises, and the disk of the simulator. Outlives the actors that use it as a disk outlives a
/// process. Safe to use from several threads.
class memory_database {
public:
  /// `clock` is the database's clock.
  explicit memory_database(std::function<core::instant()> clock) : clock_(std::move(clock)) {}

  /// Asked before every commit. Empty: no faults.
  void set_commit_faults(std::function<commit_fault(const write_batch&)> plan);
  /// Asked before every read of rows, with the name that it has in `store`, whether it fails as if
  /// the database could not be reached. Nothing is locked meanwhile. Empty: no faults.
  void set_read_faults(std::function<bool(std::string_view)> plan);
  /// Every read of units fails that asks for one of which `rule` holds, as if the disk had damaged
  /// its row. Empty: none.
  void set_damaged_units(std::function<bool(const core::unit_id&)> rule);
  /// The same of rows of leases and judgments of such a unit, which a step is loaded without.
  void set_damaged_parts(std::function<bool(const core::unit_id&)> rule);
  /// The same of reads of a step; lists have its id alone.
  void set_damaged_steps(std::function<bool(const core::step_id&)> rule);
  /// The same of reads of one task with its history, and of the live tasks of a queue.
  void set_damaged_tasks(std::function<bool(const core::task_id&)> rule);
  /// The same of rows that producers have staged.
  void set_damaged_staged(std::function<bool(const core::staging_id&)> rule);
  /// The same of rows of the outbox, by their first events, and of dead letters, by theirs. A
  /// damaged row of the outbox is not deleted either.
  void set_damaged_events(std::function<bool(const core::message_id&)> rule);
  void set_damaged_letters(std::function<bool(const core::message_id&)> rule);
  /// The same of rows that quality control of a step goes on from; the reason is for the reader.
  void set_damaged_history(std::function<bool(const core::step_history::unreadable&)> rule);
  /// The same of rows of repairs.
  void set_damaged_repairs(std::function<bool(const core::repair_id&)> rule);
  /// The same of API tokens.
  void set_damaged_tokens(std::function<bool(const core::api_token_id&)> rule);
  /// The same of entries of the audit log, by their numbers.
  void set_damaged_audit(std::function<bool(std::uint64_t)> rule);
  /// Refuses every batch that contains a change for which `rule` holds. Empty: none.
  void set_refusals(std::function<bool(const core::change&)> rule);
  /// While false, every call answers `unavailable`.
  void set_reachable(bool reachable);

  /// What a producer's transaction leaves behind when it commits: `holdfast.enqueue` of
  /// migrations/0038_enqueue_answers_truly.sql, for a task whose members it finds nothing wrong
  /// with. Answers the task that is there then: the one staged, or the one that has its unique key.
  /// `not_found` when the queue does not exist, `already_exists` when another one has a task of
  /// this id, or when the unique key is taken and the producer wants no other task then.
  core::outcome<core::task_id> stage(const core::queue_name& queue, core::new_task task);

  /// The bare insertion at its end: all that is left of it in a transaction whose snapshot is older
  /// than the task.
  void insert_staged(const core::queue_name& queue, core::new_task task);
  /// What a person may do to a row.
  void end_lease_at(const core::task_id& task, core::instant at);
  void put_task(memory::live_task_row row);
  void delete_staged(core::staging_id id);
  void put_definition(const core::queue_name& queue, std::string definition);
  void put_epoch(core::shard_id shard, core::epoch epoch);
  /// The database is another one now: an older copy of it that was restored, or a standby that had
  /// not got the last commits.
  void restore(memory::tables copy);
  /// Sets `cluster_view::server`, by which `cluster_view::moved` goes.
  void set_server(std::string server);

  /// What is committed, for checks of invariants. Not to be held across calls of other threads.
  const memory::tables& tables() const { return tables_; }

private:
  friend class memory_store;

  /// Locks the database for one read, unless that fails.
  std::unique_lock<std::mutex> begin_read(std::string_view name);

  std::function<core::instant()> clock_;
  std::function<commit_fault(const write_batch&)> fault_plan_;
  std::shared_ptr<const std::function<bool(std::string_view)>> read_faults_;
  std::function<bool(const core::unit_id&)> damaged_units_;
  std::function<bool(const core::unit_id&)> damaged_parts_;
  std::function<bool(const core::step_id&)> damaged_steps_;
  std::function<bool(const core::task_id&)> damaged_tasks_;
  std::function<bool(const core::staging_id&)> damaged_staged_;
  std::function<bool(const core::message_id&)> damaged_events_;
  std::function<bool(const core::message_id&)> damaged_letters_;
  std::function<bool(const core::step_history::unreadable&)> damaged_history_;
  std::function<bool(const core::repair_id&)> damaged_repairs_;
  std::function<bool(const core::api_token_id&)> damaged_tokens_;
  std::function<bool(std::uint64_t)> damaged_audit_;
  std::function<bool(const core::change&)> refusals_;
  bool reachable_ = true;
  memory::tables tables_;
  std::string server_ = "here";
  std::mutex mutex_;
};

/// The store on a memory_database. Answers at once and never blocks for long.
class memory_store : public store {
public:
  explicit memory_store(std::shared_ptr<memory_database> database)
      : database_(std::move(database)) {}

  core::outcome<core::instant> now() override;
  commit_result commit(const write_batch& batch) override;

  core::outcome<bool> ensure_shards(std::uint32_t count) override;
  core::outcome<bool> publish_limits(const document_limits& limits) override;
  core::outcome<bool> register_node(const std::string& name, core::incarnation_id incarnation,
                                    const std::string& address) override;
  core::outcome<std::vector<shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override;
  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override;
  core::outcome<bool> hand_over(core::incarnation_id incarnation,
                                const std::vector<core::shard_id>& shards) override;
  core::outcome<bool> resign(core::incarnation_id incarnation) override;
  core::outcome<bool> begin_generation(const known_history& known, bool restored) override;

  core::outcome<stored_step> load_step(core::step_id step,
                                       const lease_policies_of& policies_of) override;
  core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units,
             const core::lease_policies& policies) override;
  core::outcome<std::vector<unit_chain>>
  load_chains(const std::vector<core::unit_id>& units) override;
  core::outcome<core::step_history> load_step_history(core::step_id step,
                                                      core::history_scope scope) override;
  core::outcome<core::step_history> load_readable_step_history(core::step_id step,
                                                               core::history_scope scope) override;
  core::outcome<std::vector<core::step_history::worked>>
  load_grants(core::step_id step, const core::contributor_id& after, std::uint32_t limit) override;
  core::outcome<survey_material> load_survey(core::step_id step, double sure,
                                             std::uint32_t limit) override;
  core::outcome<std::vector<core::correction_row>> load_corrections(core::step_id step,
                                                                    core::unit_id unit) override;
  core::outcome<std::vector<kept_payload>> load_judgment_corrections(core::unit_id unit) override;
  core::outcome<core::repair_row> find_repair(core::repair_id repair) override;
  core::outcome<stored_repairs> open_repairs(core::step_id step) override;
  core::outcome<judged_units> find_judged(core::step_id step,
                                          const std::vector<core::contributor_id>& contributors,
                                          std::uint64_t after, std::uint64_t through) override;
  core::outcome<std::vector<core::unit_id>>
  made_from(core::step_id step, const std::vector<core::taken_back>& results) override;
  core::outcome<std::vector<gathered_unit>>
  gathered_with(const std::vector<core::unit_id>& units) override;
  core::outcome<item_history> load_lineage(core::unit_id unit, core::unit_id after,
                                           std::uint32_t limit) override;
  core::outcome<stored_workflow> load_workflow(core::workflow_id workflow) override;
  core::outcome<listed_workflows> list_workflows(core::workflow_id after,
                                                 std::uint32_t limit) override;
  core::outcome<std::vector<std::pair<std::string, core::unit_id>>>
  find_source_keys(core::step_id step, const std::vector<std::string>& keys) override;
  core::outcome<std::vector<source_unit>>
  find_source_units(core::step_id step, const std::vector<std::string>& keys) override;
  core::outcome<std::vector<core::step_row>> list_steps(core::step_id after,
                                                        std::uint32_t limit) override;
  core::outcome<std::vector<core::step_row>> open_steps(core::step_id after,
                                                        std::uint32_t limit) override;
  core::outcome<stored_profile> load_profile(const core::contributor_id& contributor) override;
  core::outcome<core::tests_seen> load_tests_in(const core::contributor_id& contributor,
                                                core::step_id step) override;
  core::outcome<changed_removals> load_removals(std::uint64_t since) override;
  core::outcome<std::vector<core::removal>> list_removals(const core::contributor_id& contributor,
                                                          std::uint32_t limit) override;
  core::outcome<std::optional<core::api_token>> load_api_token(core::api_token_id token) override;
  core::outcome<std::vector<core::api_token>> list_api_tokens(core::api_token_id after,
                                                              std::uint32_t limit) override;
  core::outcome<std::pair<std::vector<unit_result>, std::uint64_t>>
  list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) override;
  core::outcome<chain_page> list_chains(core::step_id first, const core::result_place& after,
                                        std::uint32_t ordinals, std::uint32_t units) override;
  core::outcome<std::vector<core::chain_unit>>
  load_chain_units(const std::vector<core::unit_id>& units) override;
  core::outcome<std::set<core::unit_id>>
  find_parents_in(const std::vector<core::unit_id>& units) override;
  core::outcome<std::map<core::unit_id, chain_texts>>
  load_chain_texts(const std::vector<core::unit_id>& units,
                   const std::set<core::unit_id>& inputs) override;
  core::outcome<std::map<core::unit_id, chain_judges>>
  load_chain_judges(const std::vector<core::unit_id>& units) override;
  core::outcome<listed_questions> list_questions(core::step_id step, std::uint64_t after,
                                                 std::uint32_t limit) override;
  core::outcome<step_statistics> statistics(core::step_id step) override;

  core::outcome<stored_queue> load_queue(const core::queue_name& queue) override;
  core::outcome<std::vector<core::put_queue>> list_queues() override;
  core::outcome<std::vector<removed_queue>> list_removed_queues() override;
  core::outcome<std::vector<known_task>>
  find_tasks(const std::vector<core::task_id>& tasks) override;
  core::outcome<std::vector<finished_task>> list_finished(const finished_filter& filter) override;
  core::outcome<listed_tasks> list_tasks(const task_filter& filter) override;
  core::outcome<core::queue_action_row> find_queue_action(const core::queue_name& queue,
                                                          core::queue_action_id action) override;
  core::outcome<std::vector<core::queue_action_row>>
  running_queue_actions(const core::queue_name& queue) override;
  core::outcome<std::vector<core::queue_action_row>>
  list_queue_actions(const core::queue_name& queue, core::queue_action_id after,
                     std::uint32_t limit) override;
  core::outcome<task_history> load_task(core::task_id task) override;
  core::outcome<recorded_attempts> list_attempts(core::task_id task, core::token after,
                                                 std::uint32_t limit) override;
  core::outcome<std::vector<core::queue_name>> queues_with_staged() override;
  core::outcome<staged_page> load_staged(const core::queue_name& queue, std::uint32_t limit,
                                         std::size_t bytes_most) override;
  core::outcome<staged_counts> count_staged(const core::queue_name& queue) override;
  core::outcome<queue_counts> count_tasks(const core::queue_name& queue) override;
  core::outcome<std::vector<core::assignment_id>>
  find_over(const std::vector<core::assignment_id>& assignments, core::instant since) override;
  core::outcome<std::vector<core::hosted_item>> find_overdue(core::instant ended_before,
                                                             std::uint32_t limit) override;
  core::outcome<due_page> find_due(core::task_id after, core::instant due_before,
                                   std::uint32_t limit) override;
  core::outcome<std::set<core::digest>>
  find_object_refs(const std::vector<core::digest>& objects) override;

  core::outcome<core::event_bounds> event_bounds(core::shard_id shard) override;
  core::outcome<std::vector<core::sequenced_event>>
  events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) override;
  core::outcome<core::event_seq> cursor(const std::string& consumer, core::shard_id shard) override;
  core::outcome<std::vector<core::event_seq>>
  inbox_after(const std::string& consumer, core::shard_id shard, core::event_seq after) override;
  core::outcome<std::vector<node_start>> list_nodes(std::uint32_t limit) override;
  core::outcome<listed_audit> list_audit(const audit_filter& filter) override;
  core::outcome<std::uint32_t> prune_audit(core::shard_id shard, core::incarnation_id incarnation,
                                           core::instant made_before, std::uint32_t rows) override;

  core::outcome<std::vector<stored_webhook>> list_webhooks() override;
  core::outcome<std::vector<webhook_place>> webhook_places(core::webhook_id webhook) override;
  core::outcome<std::vector<dead_letter>>
  list_dead_letters(const dead_letter_filter& filter) override;
  core::outcome<std::uint32_t> prune_events(core::shard_id shard, core::incarnation_id incarnation,
                                            const prunable& most) override;
  core::outcome<std::uint32_t> prune_tasks(core::shard_id shard, core::incarnation_id incarnation,
                                           const core::queue_name& queue,
                                           core::instant ended_before, std::uint32_t rows) override;
  core::outcome<std::uint32_t> prune_refused(core::shard_id shard, core::incarnation_id incarnation,
                                             const core::queue_name& queue,
                                             core::instant refused_before,
                                             std::uint32_t rows) override;
  core::outcome<bool> forget_removed(core::shard_id shard, core::incarnation_id incarnation,
                                     const core::queue_name& queue,
                                     core::instant removed_before) override;

private:
  /// The row of a step as lists have it.
  core::step_row listed(const core::step_row& step) const;

  std::shared_ptr<memory_database> database_;
};

} // namespace holdfast::persistence
