#pragma once

#include "persistence/memory_task_changes.hpp"

namespace holdfast::persistence::memory {

/// The part of a batch that is about webhooks, applied as the statements of
/// postgres_webhook_batch.cpp do.
class webhook_changes : public task_changes {
public:
  using task_changes::task_changes;
  using task_changes::operator();

  void operator()(const core::put_webhook& w);
  void operator()(const core::delete_webhook& w);
  void operator()(const core::put_webhook_position& w);
  void operator()(const core::put_dead_letter& w);
  void operator()(const core::replay_dead_letter& w);
  void operator()(const core::delete_dead_letter& w);

private:
  /// Null when the webhook is not there.
  webhook_place_row* place(const core::webhook_id& webhook, core::shard_id shard);
};

} // namespace holdfast::persistence::memory
