#pragma once

#include "persistence/store.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace holdfast::test {

/// A store that passes every call on to another one; what stands between a node and its database
/// overrides the calls that it meddles with.
class forwarding_store : public persistence::store {
public:
  explicit forwarding_store(std::unique_ptr<persistence::store> inner) : inner_(std::move(inner)) {}

  core::outcome<core::instant> now() override {
    return pass([&] { return inner_->now(); });
  }
  persistence::commit_result commit(const persistence::write_batch& batch) override {
    return inner_->commit(batch);
  }
  core::outcome<bool> ensure_shards(std::uint32_t count) override {
    return pass([&] { return inner_->ensure_shards(count); });
  }
  core::outcome<bool> publish_limits(const persistence::document_limits& limits) override {
    return pass([&] { return inner_->publish_limits(limits); });
  }
  core::outcome<bool> register_node(const std::string& name, core::incarnation_id incarnation,
                                    const std::string& address) override {
    return pass([&] { return inner_->register_node(name, incarnation, address); });
  }
  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override {
    return pass(
        [&] { return inner_->take_over(node, incarnation, shards, lease_time, believed_dead); });
  }
  core::outcome<bool> hand_over(core::incarnation_id incarnation,
                                const std::vector<core::shard_id>& shards) override {
    return pass([&] { return inner_->hand_over(incarnation, shards); });
  }
  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    return pass([&] { return inner_->renew(incarnation, lease_time); });
  }
  core::outcome<bool> begin_generation(const persistence::known_history& known,
                                       bool restored) override {
    return pass([&] { return inner_->begin_generation(known, restored); });
  }
  core::outcome<bool> resign(core::incarnation_id incarnation) override {
    return pass([&] { return inner_->resign(incarnation); });
  }
  core::outcome<persistence::stored_step>
  load_step(core::step_id step, const persistence::lease_policies_of& policies_of) override {
    return pass([&] { return inner_->load_step(step, policies_of); });
  }
  core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units,
             const core::lease_policies& policies) override {
    return pass([&] { return inner_->load_units(units, policies); });
  }
  core::outcome<std::vector<persistence::unit_chain>>
  load_chains(const std::vector<core::unit_id>& units) override {
    return pass([&] { return inner_->load_chains(units); });
  }
  core::outcome<core::step_history> load_step_history(core::step_id step,
                                                      core::history_scope scope) override {
    return pass([&] { return inner_->load_step_history(step, scope); });
  }
  core::outcome<core::step_history> load_readable_step_history(core::step_id step,
                                                               core::history_scope scope) override {
    return pass([&] { return inner_->load_readable_step_history(step, scope); });
  }
  core::outcome<std::vector<core::step_history::worked>>
  load_grants(core::step_id step, const core::contributor_id& after, std::uint32_t limit) override {
    return pass([&] { return inner_->load_grants(step, after, limit); });
  }
  core::outcome<persistence::survey_material> load_survey(core::step_id step, double sure,
                                                          std::uint32_t limit) override {
    return pass([&] { return inner_->load_survey(step, sure, limit); });
  }
  core::outcome<std::vector<core::correction_row>> load_corrections(core::step_id step,
                                                                    core::unit_id unit) override {
    return pass([&] { return inner_->load_corrections(step, unit); });
  }
  core::outcome<std::vector<persistence::kept_payload>>
  load_judgment_corrections(core::unit_id unit) override {
    return pass([&] { return inner_->load_judgment_corrections(unit); });
  }
  core::outcome<core::repair_row> find_repair(core::repair_id repair) override {
    return pass([&] { return inner_->find_repair(repair); });
  }
  core::outcome<persistence::stored_repairs> open_repairs(core::step_id step) override {
    return pass([&] { return inner_->open_repairs(step); });
  }
  core::outcome<persistence::judged_units>
  find_judged(core::step_id step, const std::vector<core::contributor_id>& contributors,
              std::uint64_t after, std::uint64_t through) override {
    return pass([&] { return inner_->find_judged(step, contributors, after, through); });
  }
  core::outcome<std::vector<core::unit_id>>
  made_from(core::step_id step, const std::vector<core::taken_back>& results) override {
    return pass([&] { return inner_->made_from(step, results); });
  }
  core::outcome<std::vector<persistence::gathered_unit>>
  gathered_with(const std::vector<core::unit_id>& units) override {
    return pass([&] { return inner_->gathered_with(units); });
  }
  core::outcome<persistence::item_history> load_lineage(core::unit_id unit, core::unit_id after,
                                                        std::uint32_t limit) override {
    return pass([&] { return inner_->load_lineage(unit, after, limit); });
  }
  core::outcome<persistence::stored_workflow> load_workflow(core::workflow_id workflow) override {
    return pass([&] { return inner_->load_workflow(workflow); });
  }
  core::outcome<persistence::listed_workflows> list_workflows(core::workflow_id after,
                                                              std::uint32_t limit) override {
    return pass([&] { return inner_->list_workflows(after, limit); });
  }
  core::outcome<std::vector<std::pair<std::string, core::unit_id>>>
  find_source_keys(core::step_id step, const std::vector<std::string>& keys) override {
    return pass([&] { return inner_->find_source_keys(step, keys); });
  }
  core::outcome<std::vector<persistence::source_unit>>
  find_source_units(core::step_id step, const std::vector<std::string>& keys) override {
    return pass([&] { return inner_->find_source_units(step, keys); });
  }
  core::outcome<std::vector<core::step_row>> list_steps(core::step_id after,
                                                        std::uint32_t limit) override {
    return pass([&] { return inner_->list_steps(after, limit); });
  }
  core::outcome<std::vector<core::step_row>> open_steps(core::step_id after,
                                                        std::uint32_t limit) override {
    return pass([&] { return inner_->open_steps(after, limit); });
  }
  core::outcome<persistence::stored_profile>
  load_profile(const core::contributor_id& contributor) override {
    return pass([&] { return inner_->load_profile(contributor); });
  }
  core::outcome<core::tests_seen> load_tests_in(const core::contributor_id& contributor,
                                                core::step_id step) override {
    return pass([&] { return inner_->load_tests_in(contributor, step); });
  }
  core::outcome<persistence::changed_removals> load_removals(std::uint64_t since) override {
    return pass([&] { return inner_->load_removals(since); });
  }
  core::outcome<std::vector<core::removal>> list_removals(const core::contributor_id& contributor,
                                                          std::uint32_t limit) override {
    return pass([&] { return inner_->list_removals(contributor, limit); });
  }
  core::outcome<std::optional<core::api_token>> load_api_token(core::api_token_id token) override {
    return pass([&] { return inner_->load_api_token(token); });
  }
  core::outcome<std::vector<core::api_token>> list_api_tokens(core::api_token_id after,
                                                              std::uint32_t limit) override {
    return pass([&] { return inner_->list_api_tokens(after, limit); });
  }
  core::outcome<std::pair<std::vector<persistence::unit_result>, std::uint64_t>>
  list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) override {
    return pass([&] { return inner_->list_results(step, after, limit); });
  }
  core::outcome<persistence::chain_page> list_chains(core::step_id first,
                                                     const core::result_place& after,
                                                     std::uint32_t ordinals,
                                                     std::uint32_t units) override {
    return pass([&] { return inner_->list_chains(first, after, ordinals, units); });
  }
  core::outcome<std::vector<core::chain_unit>>
  load_chain_units(const std::vector<core::unit_id>& units) override {
    return pass([&] { return inner_->load_chain_units(units); });
  }
  core::outcome<std::set<core::unit_id>>
  find_parents_in(const std::vector<core::unit_id>& units) override {
    return pass([&] { return inner_->find_parents_in(units); });
  }
  core::outcome<std::map<core::unit_id, persistence::chain_texts>>
  load_chain_texts(const std::vector<core::unit_id>& units,
                   const std::set<core::unit_id>& inputs) override {
    return pass([&] { return inner_->load_chain_texts(units, inputs); });
  }
  core::outcome<std::map<core::unit_id, persistence::chain_judges>>
  load_chain_judges(const std::vector<core::unit_id>& units) override {
    return pass([&] { return inner_->load_chain_judges(units); });
  }
  core::outcome<persistence::listed_questions>
  list_questions(core::step_id step, std::uint64_t after, std::uint32_t limit) override {
    return pass([&] { return inner_->list_questions(step, after, limit); });
  }
  core::outcome<persistence::step_statistics> statistics(core::step_id step) override {
    return pass([&] { return inner_->statistics(step); });
  }
  core::outcome<persistence::stored_queue> load_queue(const core::queue_name& queue) override {
    return pass([&] { return inner_->load_queue(queue); });
  }
  core::outcome<std::vector<core::put_queue>> list_queues() override {
    return pass([&] { return inner_->list_queues(); });
  }
  core::outcome<std::vector<persistence::removed_queue>> list_removed_queues() override {
    return pass([&] { return inner_->list_removed_queues(); });
  }
  core::outcome<std::vector<persistence::known_task>>
  find_tasks(const std::vector<core::task_id>& tasks) override {
    return pass([&] { return inner_->find_tasks(tasks); });
  }
  core::outcome<std::vector<persistence::finished_task>>
  list_finished(const persistence::finished_filter& filter) override {
    return pass([&] { return inner_->list_finished(filter); });
  }
  core::outcome<persistence::listed_tasks>
  list_tasks(const persistence::task_filter& filter) override {
    return pass([&] { return inner_->list_tasks(filter); });
  }
  core::outcome<core::queue_action_row> find_queue_action(const core::queue_name& queue,
                                                          core::queue_action_id action) override {
    return pass([&] { return inner_->find_queue_action(queue, action); });
  }
  core::outcome<std::vector<core::queue_action_row>>
  running_queue_actions(const core::queue_name& queue) override {
    return pass([&] { return inner_->running_queue_actions(queue); });
  }
  core::outcome<std::vector<core::queue_action_row>>
  list_queue_actions(const core::queue_name& queue, core::queue_action_id after,
                     std::uint32_t limit) override {
    return pass([&] { return inner_->list_queue_actions(queue, after, limit); });
  }
  core::outcome<persistence::task_history> load_task(core::task_id task) override {
    return pass([&] { return inner_->load_task(task); });
  }
  core::outcome<persistence::recorded_attempts> list_attempts(core::task_id task, core::token after,
                                                              std::uint32_t limit) override {
    return pass([&] { return inner_->list_attempts(task, after, limit); });
  }
  core::outcome<std::vector<core::queue_name>> queues_with_staged() override {
    return pass([&] { return inner_->queues_with_staged(); });
  }
  core::outcome<std::vector<core::assignment_id>>
  find_over(const std::vector<core::assignment_id>& assignments, core::instant since) override {
    return pass([&] { return inner_->find_over(assignments, since); });
  }
  core::outcome<std::vector<core::hosted_item>> find_overdue(core::instant ended_before,
                                                             std::uint32_t limit) override {
    return pass([&] { return inner_->find_overdue(ended_before, limit); });
  }
  core::outcome<persistence::due_page> find_due(core::task_id after, core::instant due_before,
                                                std::uint32_t limit) override {
    return pass([&] { return inner_->find_due(after, due_before, limit); });
  }
  core::outcome<std::set<core::digest>>
  find_object_refs(const std::vector<core::digest>& objects) override {
    return pass([&] { return inner_->find_object_refs(objects); });
  }
  core::outcome<persistence::staged_page>
  load_staged(const core::queue_name& queue, std::uint32_t limit, std::size_t bytes_most) override {
    return pass([&] { return inner_->load_staged(queue, limit, bytes_most); });
  }
  core::outcome<persistence::staged_counts> count_staged(const core::queue_name& queue) override {
    return pass([&] { return inner_->count_staged(queue); });
  }
  core::outcome<persistence::queue_counts> count_tasks(const core::queue_name& queue) override {
    return pass([&] { return inner_->count_tasks(queue); });
  }
  core::outcome<core::event_bounds> event_bounds(core::shard_id shard) override {
    return pass([&] { return inner_->event_bounds(shard); });
  }
  core::outcome<std::vector<core::sequenced_event>>
  events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) override {
    return pass([&] { return inner_->events_after(shard, after, limit); });
  }
  core::outcome<core::event_seq> cursor(const std::string& consumer,
                                        core::shard_id shard) override {
    return pass([&] { return inner_->cursor(consumer, shard); });
  }
  core::outcome<std::vector<core::event_seq>>
  inbox_after(const std::string& consumer, core::shard_id shard, core::event_seq after) override {
    return pass([&] { return inner_->inbox_after(consumer, shard, after); });
  }
  core::outcome<std::uint32_t> prune_tasks(core::shard_id shard, core::incarnation_id incarnation,
                                           const core::queue_name& queue,
                                           core::instant ended_before,
                                           std::uint32_t rows) override {
    return pass([&] { return inner_->prune_tasks(shard, incarnation, queue, ended_before, rows); });
  }
  core::outcome<std::uint32_t> prune_refused(core::shard_id shard, core::incarnation_id incarnation,
                                             const core::queue_name& queue,
                                             core::instant refused_before,
                                             std::uint32_t rows) override {
    return pass(
        [&] { return inner_->prune_refused(shard, incarnation, queue, refused_before, rows); });
  }
  core::outcome<bool> forget_removed(core::shard_id shard, core::incarnation_id incarnation,
                                     const core::queue_name& queue,
                                     core::instant removed_before) override {
    return pass([&] { return inner_->forget_removed(shard, incarnation, queue, removed_before); });
  }
  core::outcome<std::vector<persistence::stored_webhook>> list_webhooks() override {
    return pass([&] { return inner_->list_webhooks(); });
  }
  core::outcome<std::vector<persistence::webhook_place>>
  webhook_places(core::webhook_id webhook) override {
    return pass([&] { return inner_->webhook_places(webhook); });
  }
  core::outcome<std::vector<persistence::dead_letter>>
  list_dead_letters(const persistence::dead_letter_filter& filter) override {
    return pass([&] { return inner_->list_dead_letters(filter); });
  }
  core::outcome<std::vector<persistence::node_start>> list_nodes(std::uint32_t limit) override {
    return pass([&] { return inner_->list_nodes(limit); });
  }
  core::outcome<persistence::listed_audit>
  list_audit(const persistence::audit_filter& filter) override {
    return pass([&] { return inner_->list_audit(filter); });
  }
  core::outcome<std::uint32_t> prune_audit(core::shard_id shard, core::incarnation_id incarnation,
                                           core::instant made_before, std::uint32_t rows) override {
    return pass([&] { return inner_->prune_audit(shard, incarnation, made_before, rows); });
  }
  core::outcome<std::uint32_t> prune_events(core::shard_id shard, core::incarnation_id incarnation,
                                            const persistence::prunable& most) override {
    return pass([&] { return inner_->prune_events(shard, incarnation, most); });
  }

protected:
  persistence::store& inner() { return *inner_; }

  /// Why no call can be made now; none if they can.
  virtual std::optional<core::failure> obstacle() { return std::nullopt; }

private:
  template <class Call>
  auto pass(Call call) -> decltype(call()) {
    if (auto why = obstacle())
      return *std::move(why);
    return call();
  }

  std::unique_ptr<persistence::store> inner_;
};

} // namespace holdfast::test
