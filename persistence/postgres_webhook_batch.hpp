#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about webhooks.
class webhook_writes {
public:
  void operator()(const core::put_webhook& w);
  void operator()(const core::delete_webhook& w);
  void operator()(const core::put_webhook_position& w) { positions_[{w.webhook, w.shard}] = &w; }
  void operator()(const core::put_dead_letter& w) { letters_[{w.webhook, w.event}] = &w; }
  void operator()(const core::replay_dead_letter& w) { replayed_.insert({w.webhook, w.event}); }
  void operator()(const core::delete_dead_letter& w) { gone_.insert({w.webhook, w.event}); }

  void append_to(std::vector<call>& calls);

private:
  using letter = std::pair<core::webhook_id, core::message_id>;

  columns<core::uuid, text, text, bool, int8, core::instant> added_;
  columns<core::uuid, bool> starts_;
  columns<core::uuid, text, text, bool, int8, core::instant> changed_;
  columns<core::uuid> deleted_;
  // Of several the last counts, and one statement must not touch a row twice.
  std::map<std::pair<core::webhook_id, core::shard_id>, const core::put_webhook_position*>
      positions_;
  std::map<letter, const core::put_dead_letter*> letters_;
  std::set<letter> replayed_;
  std::set<letter> gone_;
};

} // namespace holdfast::persistence::batch
