#include "core/batching.hpp"

#include "core/invariant.hpp"

namespace holdfast::core {

namespace {

std::size_t mix(std::size_t a, std::size_t b) {
  return a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
}

/// Rows are named by a 64-bit hash. A collision only cuts a batch short, which is harmless.
struct footprint_of {
  std::vector<std::size_t>& rows;

  void lease(const unit_id& unit, const contributor_id& owner) {
    rows.push_back(mix(std::hash<unit_id>{}(unit), std::hash<contributor_id>{}(owner)));
  }
  void unit(const unit_id& id) { rows.push_back(mix(std::hash<unit_id>{}(id), 1)); }

  void operator()(const insert_unit& w) { unit(w.id); }
  void operator()(const set_unit_state& w) { unit(w.unit); }
  void operator()(const set_unit_slots& w) { unit(w.unit); }
  void operator()(const set_unit_input& w) { unit(w.unit); }
  void operator()(const finalize_unit& w) { unit(w.unit); }
  void operator()(const reopen_unit& w) { unit(w.unit); }
  void operator()(const restate_unit& w) { unit(w.unit); }
  void operator()(const override_unit& w) { unit(w.unit); }
  void operator()(const recount_unit& w) { unit(w.unit); }
  void operator()(const insert_correction&) {}
  void operator()(const withdraw_unit& w) { unit(w.unit); }
  void operator()(const set_question_forgiven& w) { unit(w.unit); }
  // What becomes part of a batch was committed before.
  void operator()(const gather_units& w) {
    for (const auto& member : w.members)
      unit(member);
  }
  void operator()(const ungather_units& w) {
    for (const auto& member : w.members)
      unit(member);
  }
  void operator()(const insert_lease& w) { lease(w.unit, w.lease.owner); }
  void operator()(const extend_lease_row& w) { lease(w.unit, w.owner); }
  void operator()(const end_lease_row& w) { lease(w.unit, w.owner); }
  void operator()(const insert_judgment& w) { lease(w.unit, w.owner); }
  void operator()(const insert_late_judgment& w) { (*this)(w.judgment); }
  void operator()(const insert_surplus_judgment& w) { (*this)(w.judgment); }
  void operator()(const taint_judgment& w) { lease(w.unit, w.contributor); }
  void operator()(const restore_judgment& w) { lease(w.unit, w.contributor); }
  void operator()(const set_judgment_trust& w) { lease(w.unit, w.contributor); }
  void operator()(const set_taint_requested& w) { lease(w.unit, w.contributor); }
  void operator()(const insert_judgment_correction& w) { lease(w.unit, w.contributor); }
  void task_row(const task_id& id) { rows.push_back(mix(std::hash<task_id>{}(id), 2)); }
  void task_lease(const task_id& id) { rows.push_back(mix(std::hash<task_id>{}(id), 3)); }
  /// Inserts come before deletions, so a key is not free again in the batch that frees it.
  void unique(const std::string& key) {
    if (!key.empty())
      rows.push_back(mix(std::hash<std::string>{}(key), 4));
  }

  // A task may be enqueued and claimed in one batch: the lease is inserted after the task.
  void operator()(const insert_task& w) {
    task_row(w.spec.id);
    unique(w.spec.unique_key);
  }
  void operator()(const update_task& w) { task_row(w.task); }
  void operator()(const insert_task_lease& w) { task_lease(w.task); }
  void operator()(const extend_task_lease& w) { task_lease(w.task); }
  void operator()(const end_task_lease& w) { task_lease(w.task); }
  void operator()(const finish_task& w) {
    task_row(w.task);
    task_lease(w.task);
    unique(w.unique_key);
  }
  void operator()(const revive_task& w) {
    task_row(w.task);
    unique(w.unique_key);
  }
  void operator()(const insert_late_result&) {}
  void staged(staging_id id) { rows.push_back(mix(std::hash<staging_id>{}(id), 5)); }
  void operator()(const take_staged& w) {
    for (const auto id : w.staged)
      staged(id);
  }
  void operator()(const refuse_staged& w) { staged(w.staged); }
  void operator()(const stage_task& w) { task_row(w.task.spec.id); }
  // Another step may want the same id.
  void operator()(const put_repair& w) { rows.push_back(mix(std::hash<repair_id>{}(w.row.id), 7)); }
  // Written once, or the last one counts.
  void operator()(const put_standing&) {}
  void operator()(const put_profile&) {}
  void operator()(const put_removal&) {}
  void operator()(const put_api_token&) {}
  void operator()(const insert_flag&) {}
  void operator()(const put_queue&) {}
  void operator()(const delete_queue&) {}
  void operator()(const put_schedule_row&) {}
  void operator()(const delete_schedule_row&) {}
  void operator()(const insert_workflow&) {}
  void operator()(const insert_workflow_version&) {}
  void operator()(const insert_step&) {}
  void operator()(const update_step&) {}
  void operator()(const insert_inbox&) {}
  void operator()(const advance_cursor&) {}
  void operator()(const put_webhook& w) { rows.push_back(mix(std::hash<webhook_id>{}(w.id), 6)); }
  void operator()(const delete_webhook& w) {
    rows.push_back(mix(std::hash<webhook_id>{}(w.id), 6));
  }
  void operator()(const put_webhook_position&) {}
  void operator()(const put_dead_letter&) {}
  void operator()(const replay_dead_letter&) {}
  void operator()(const delete_dead_letter&) {}
  void operator()(const insert_audit&) {}
  void operator()(const put_queue_action&) {}
  void operator()(const forget_queue_actions&) {}
};

} // namespace

bool batch_footprint::admit(const change& c) {
  std::vector<std::size_t> rows;
  footprint_of visitor{rows};
  for (const auto& w : c.writes)
    std::visit(visitor, w);
  for (const auto row : rows)
    if (rows_.count(row) != 0)
      return false;
  rows_.insert(rows.begin(), rows.end());
  return true;
}

std::size_t weight(const change& c) { return c.writes.size() + (c.events.empty() ? 0 : 1); }

std::pair<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>>
bisect(std::size_t first, std::size_t last) {
  HOLDFAST_INVARIANT(last - first >= 2, "a range of one is the culprit itself");
  const auto middle = first + (last - first) / 2;
  return {{first, middle}, {middle, last}};
}

} // namespace holdfast::core
