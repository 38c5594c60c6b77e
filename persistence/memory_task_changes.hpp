#pragma once

#include "persistence/memory_rows.hpp"

namespace holdfast::persistence::memory {

/// The part of a batch that is about queues and tasks, applied as the statements of
/// postgres_task_batch.cpp do.
class task_changes : public undoable {
public:
  explicit task_changes(tables& t) : t_(t) {}

  void operator()(const core::put_queue& w);
  void operator()(const core::delete_queue& w);
  void operator()(const core::insert_task& w);
  void operator()(const core::update_task& w);
  void operator()(const core::insert_task_lease& w);
  void operator()(const core::extend_task_lease& w);
  void operator()(const core::end_task_lease& w);
  void operator()(const core::finish_task& w);
  void operator()(const core::revive_task& w);
  void operator()(const core::insert_late_result& w);
  void operator()(const core::take_staged& w);
  void operator()(const core::refuse_staged& w);
  void operator()(const core::stage_task& w);
  void operator()(const core::put_schedule_row& w);
  void operator()(const core::delete_schedule_row& w);
  void operator()(const core::put_queue_action& w);
  void operator()(const core::forget_queue_actions& w);

protected:
  tables& t_;

private:
  void insert_live(live_task_row task);
  core::lease take_task_lease(const core::task_id& task, core::token token);
};

} // namespace holdfast::persistence::memory
