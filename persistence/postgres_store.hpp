#pragma once

#include "persistence/batch_columns.hpp"
#include "persistence/connection.hpp"
#include "persistence/session.hpp"
#include "persistence/store.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::persistence {

struct postgres_options {
  conninfo_source conninfo;     ///< URI or key=value, as libpq takes it; asked at each connection.
  std::string application_name; ///< What `pg_stat_activity` shows, e.g. `holdfast writer`.
  /// After this a silent server counts as lost, whatever the network thinks. Above the server-side
  /// statement timeout of 20 s, so that a slow statement ends there, cleanly, first.
  core::duration call_timeout = std::chrono::seconds{30};
  /// A host that has not sent the rest of a batch for so long is frozen: whoever takes over its
  /// shards ends its session, which otherwise holds the fence. Whole milliseconds.
  core::duration frozen_timeout = std::chrono::seconds{2};
  /// `call_timeout` for batches and for renewals of a node's lease, which everybody waits for:
  /// about as long as a broken network takes to be noticed. It doubles with each silence that
  /// follows another, up to `call_timeout`.
  ///
  /// A batch that only takes longer is as safe as one whose connection broke: it is in doubt, and
  /// the same batch under the same number waits at the fence for the end of the first, and then
  /// finds it applied, or applies it. It ends because the server goes on with what it has
  /// received, and because the next try has twice the time.
  core::duration prompt_timeout = std::chrono::seconds{4};
  /// Between two attempts to connect for reads, of which there may be any number; it doubles with
  /// each that fails, and those that come meanwhile fail at once. Batches and what keeps a node in
  /// its cluster are tried at each call: who calls them waits in between.
  core::duration reconnect_pause_min = std::chrono::milliseconds{250};
  core::duration reconnect_pause_max = std::chrono::seconds{2};
};

/// How sessions of the store plan. Arrays of unknown length make the planner plan every batch anew,
/// and now and then scan a whole table; with generic plans that may only look rows up by key, in
/// the order of an index, it cannot.
constexpr const char* planner_settings = R"sql(
  SET plan_cache_mode = force_generic_plan;
  SET enable_hashjoin = off;
  SET enable_mergejoin = off;
  SET enable_seqscan = off;
  SET enable_bitmapscan = off;
  SET enable_sort = off;
  SET jit = off;
)sql";

template <class Key>
struct row_reading;
template <class Key>
struct row_deletion;

/// The store on PostgreSQL.
///
/// Connects at the first call and again at the first call after a loss: one attempt per call,
/// bounded by libpq's 5 s, and for reads not before a pause is over. A call that fails is never
/// repeated in here.
class postgres_store : public store {
public:
  explicit postgres_store(postgres_options options) : options_(std::move(options)) {}

  core::outcome<core::instant> now() override;
  commit_result commit(const write_batch& batch) override;
  commit_result commit_while(const write_batch& batch,
                             const std::function<void()>& meanwhile) override;
  void encode(write_batch& batch) override;

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

  /// Process id of the backend of the open connection; 0 when there is none.
  int backend_pid() const;

private:
  std::optional<core::failure> connect_if_needed();
  /// The same for a read: fails while the pause after the last attempt lasts.
  std::optional<core::failure> connect_in_time();
  /// What a batch needs to know of the database before it can be encoded.
  std::optional<core::failure> learn_row_types();
  core::outcome<pipeline_results> run(const std::vector<call>& calls);
  /// On the open connection, for what everybody waits for. Counts silences; the caller ends that.
  pipeline_results run_promptly(const std::vector<call>& calls,
                                const std::function<void()>& meanwhile);
  /// Reads rows, around those that the server does not give back.
  template <class Key>
  std::optional<core::failure> read_rows(const row_reading<Key>& of);
  /// `load_step`, `load_queue`, `list_queues`, `list_webhooks` and `load_staged` where the server
  /// does not give back all their rows together.
  core::outcome<stored_step> load_step_apart(core::step_id step,
                                             const lease_policies_of& policies_of);
  core::outcome<stored_queue> load_queue_apart(const core::queue_name& queue);
  core::outcome<std::vector<core::put_queue>> list_queues_apart();
  /// The rows of these steps, in their order.
  core::outcome<std::vector<core::step_row>>
  read_listed_steps(const std::vector<core::step_id>& steps);
  core::outcome<std::vector<stored_webhook>> list_webhooks_apart();
  /// Adds the entries of the audit log that fit, of which the parameters of the read tell, one by
  /// one.
  std::optional<core::failure> list_audit_apart(const std::vector<std::string>& wanted,
                                                std::vector<audit_entry>& entries);
  core::outcome<staged_page> load_staged_apart(const core::queue_name& queue, std::uint32_t limit,
                                               std::size_t bytes_most);
  /// The failure of a read of a staged row, if the row by itself can be read; none if it cannot.
  std::optional<core::failure> failure_beside(core::staging_id id, const query_failure& failure);
  /// Reads: `damaged` when the server itself fails on it, twice in a row.
  core::outcome<std::vector<query_result>> ask(const std::vector<call>& calls);
  /// The same, of what is found by ids alone: `damaged` as well when the server cannot make values
  /// of what is stored.
  core::outcome<std::vector<query_result>> ask_for_row(const std::vector<call>& calls);
  /// For callers who wait between their attempts, and for writes.
  core::outcome<std::vector<query_result>> ask_at_once(const std::vector<call>& calls);
  static core::failure error_of(const query_failure& failure);
  /// Deletes rows, around those that the server does not delete. The number of those that went, or
  /// `damaged` when all others have gone.
  template <class Key>
  core::outcome<std::uint32_t> delete_rows(const row_deletion<Key>& of);
  /// The number that a pruning statement answers with.
  static core::outcome<std::uint32_t> pruned(const core::outcome<pipeline_results>& answer);
  /// `found`, once it is as durable as a commit.
  commit_result confirmed(const write_batch& batch, commit_result found);
  /// Of the same batch the server itself fails no more than so often before the batch is refused:
  /// on some damaged rows it does so for ever.
  static constexpr std::uint32_t server_failures_max = 3;
  struct server_failures {
    core::shard_id shard = 0;
    core::epoch epoch = 0;
    std::uint64_t batch_seq = 0;
    std::uint32_t count = 0; ///< In a row.
  };
  /// Whether they are as many of `batch` now.
  bool fails_for_good(const write_batch& batch);
  commit_result failed_commit(const write_batch& batch, const std::vector<call>& calls,
                              const query_failure& failure);

  postgres_options options_;
  std::optional<connection> connection_;
  bool renews_ = false;        ///< It has renewed a node's lease.
  bool place_seen_ = false;    ///< `cluster_view::moved` was false on this connection.
  std::string server_;         ///< As in `cluster_view`; of this connection.
  server_failures failures_;   ///< Of commits.
  std::uint32_t silences_ = 0; ///< In a row, of what everybody waits for.
  struct {
    std::uint32_t failed = 0; ///< In a row.
    std::chrono::steady_clock::time_point not_before{};
    std::string why; ///< Of the last one.
  } attempts_;
  std::optional<batch::row_types> row_types_; ///< Known for as long as the connection lives.
};

} // namespace holdfast::persistence
