#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <map>
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

/// The part of a batch that is about queues and tasks: sorts the writes by kind, one set of columns
/// each.
class task_writes {
public:
  void operator()(const core::put_queue& w) { queues_[w.name] = &w; }
  void operator()(const core::insert_task& w);
  void operator()(const core::update_task& w);
  void operator()(const core::insert_task_lease& w);
  void operator()(const core::extend_task_lease& w);
  void operator()(const core::end_task_lease& w);
  void operator()(const core::finish_task& w);
  void operator()(const core::revive_task& w);
  void operator()(const core::insert_late_result& w);

  void append_to(std::vector<call>& calls);

private:
  // Of several the last counts, and one statement must not touch a row twice.
  std::map<core::queue_name, const core::put_queue*> queues_;
  columns<core::uuid, text, text, text, text, text, text, int2, text, text, text, int4, text, text,
          core::instant>
      tasks_;
  progress_columns progress_of_tasks_;
  columns<core::uuid> revived_;
  progress_columns progress_of_revived_;
  columns<core::uuid, int8, core::uuid, text, core::instant, core::instant> leases_;
  columns<core::uuid, int8, text, text, text, core::instant> late_results_;
  columns<core::uuid> updated_;
  progress_columns progress_of_updated_;
  columns<core::uuid, int8, core::instant> extended_;
  columns<core::uuid, int8, int2, text, text, core::instant> ended_;
  columns<core::uuid, int8, int2, text, text, text, core::instant> finished_;
  progress_columns progress_of_finished_;
};

} // namespace holdfast::persistence::batch
