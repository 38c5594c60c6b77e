#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace holdfast::persistence::batch {

/// The mutable columns of a task, one row for each row of the statement they belong to.
class progress_columns {
public:
  void add(const core::task_progress& p) {
    columns_.add(text{p.state}, text{p.data}, text{p.execution_state}, plain(p.percent),
                 plain(p.attempts), plain(p.crashes), p.next_action, p.last_change, p.last_action,
                 p.paused);
  }
  void append_to(call& made) { columns_.append_to(made); }

private:
  columns<text, text, text, int4, int4, int4, core::instant, core::instant, core::instant, bool>
      columns_;
};

/// A schedule by its queue and name.
using schedule_key = std::pair<core::queue_name, std::string>;

/// The part of a batch that is about queues and tasks: sorts the writes by kind, one set of columns
/// each.
class task_writes {
public:
  void operator()(const core::put_queue& w) { queues_[w.name] = &w; }
  void operator()(const core::delete_queue& w) { queues_deleted_[w.name] = w.at; }
  void operator()(const core::insert_task& w);
  void operator()(const core::update_task& w);
  void operator()(const core::insert_task_lease& w);
  void operator()(const core::extend_task_lease& w);
  void operator()(const core::end_task_lease& w);
  void operator()(const core::finish_task& w);
  void operator()(const core::revive_task& w);
  void operator()(const core::insert_late_result& w);
  void operator()(const core::put_schedule_row& w) {
    schedules_put_[{w.queue, w.name}] = &w;
    schedules_deleted_.erase({w.queue, w.name});
  }
  void operator()(const core::delete_schedule_row& w) {
    schedules_put_.erase({w.queue, w.name});
    schedules_deleted_.insert({w.queue, w.name});
  }

  void append_to(std::vector<call>& calls, const row_types& types);
  /// The queues that go, after all else that the batch writes.
  void append_removals_to(std::vector<call>& calls);

private:
  // Of several the last counts, and one statement must not touch a row twice.
  std::map<core::queue_name, const core::put_queue*> queues_;
  std::map<core::queue_name, core::instant> queues_deleted_;
  std::map<schedule_key, const core::put_schedule_row*> schedules_put_;
  std::set<schedule_key> schedules_deleted_;
  rows<core::uuid, text, text, text, text, text, text, int2, text, text, text, int4, text, text,
       core::instant, text, text, text, int4, int4, int4, core::instant, core::instant,
       core::instant, bool>
      tasks_;
  std::set<std::string_view> queues_of_tasks_;
  columns<core::uuid> revived_;
  progress_columns progress_of_revived_;
  std::unordered_set<core::task_id> made_; ///< Those in `tasks_`.
  using lease_rows = rows<core::uuid, int8, core::uuid, text, core::instant, core::instant>;
  lease_rows leases_of_made_;
  lease_rows leases_; ///< Of others.
  columns<core::uuid, int8, text, text, text, core::instant> late_results_;
  columns<core::uuid> updated_;
  progress_columns progress_of_updated_;
  columns<int4, core::uuid, int8, int8, int4, int4>
      kept_of_updated_; ///< Columns about live tasks only.
  columns<core::uuid, int8, core::instant> extended_;
  columns<core::uuid, int8, int2, text, text, core::instant> ended_;
  rows<core::uuid, int8, int2, text, text, text, core::instant, text, text, text, int4, int4, int4,
       core::instant, core::instant, core::instant, bool>
      finished_;
  wire::array_of<core::uuid> ids_of_finished_;
};

} // namespace holdfast::persistence::batch
