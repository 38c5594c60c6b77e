#include "persistence/memory_webhook_changes.hpp"

namespace holdfast::persistence::memory {

namespace {

bool is_name(const std::string& name) {
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return !name.empty() && name.size() <= 64
         && name.find_first_not_of(std::string{letters} + "_.-") == std::string::npos
         && name.find_first_of(letters) == 0;
}

} // namespace

void webhook_changes::operator()(const core::put_webhook& w) {
  require(is_name(w.name), "23514: a webhook's name is 1 to 64 of a-z 0-9 _ . -");
  require_text(w.definition);
  require_bigint(w.revision);
  require_instant(w.at);
  require(w.revision > 0, "23514: revisions begin at 1");
  if (w.revision > 1) {
    auto& row = change(t_.webhooks, w.id);
    require(row.name == w.name, "22012: the webhook has another name");
    row.definition = w.definition;
    row.paused = w.paused;
    row.revision = w.revision;
    row.changed_at = w.at;
    return;
  }
  for (const auto& [id, other] : t_.webhooks)
    require(other.name != w.name, "23505: another webhook has this name");
  insert(t_.webhooks, w.id, webhook_row{w.name, w.definition, w.paused, w.revision, w.at, w.at});
  for (core::shard_id shard = 0; shard < t_.shards.size(); ++shard) {
    const auto& events = t_.shards[shard];
    const bool oldest = w.start == core::event_start::oldest;
    insert(t_.webhook_places, {w.id, shard},
           webhook_place_row{oldest ? events.pruned_seq : events.event_seq, 0, {}});
  }
}

void webhook_changes::operator()(const core::delete_webhook& w) {
  const auto found = t_.webhooks.find(w.id);
  if (found == t_.webhooks.end())
    return;
  erase(t_.webhooks, found);
  const auto erase_all_of = [&](auto& rows) {
    for (auto at = rows.lower_bound({w.id, {}}); at != rows.end() && at->first.first == w.id;)
      erase(rows, at++);
  };
  erase_all_of(t_.webhook_places);
  erase_all_of(t_.dead_letters);
}

void webhook_changes::operator()(const core::put_webhook_position& w) {
  require_text(w.reason);
  require_bigint(w.seq);
  require_bigint(w.stopped_revision);
  require_instant(w.at);
  auto* row = place(w.webhook, w.shard);
  if (row == nullptr)
    return;
  require(w.stopped_revision == 0 || !w.reason.empty(), "23514: what stopped has a reason");
  *row = {w.seq, w.stopped_revision, w.reason};
}

void webhook_changes::operator()(const core::put_dead_letter& w) {
  require_text(w.json);
  require_text(w.reason);
  require_bigint(w.event.seq);
  require_instant(w.at);
  if (place(w.webhook, w.event.shard) == nullptr)
    return;
  require(w.event.seq > 0, "23514: events are numbered from 1");
  require(w.status <= 999, "23514: no such status");
  put(t_.dead_letters, {w.webhook, w.event}, dead_letter_row{w, false});
}

void webhook_changes::operator()(const core::replay_dead_letter& w) {
  require_bigint(w.event.seq);
  if (t_.dead_letters.count({w.webhook, w.event}) != 0)
    change(t_.dead_letters, {w.webhook, w.event}).replayed = true;
}

void webhook_changes::operator()(const core::delete_dead_letter& w) {
  require_bigint(w.event.seq);
  if (const auto found = t_.dead_letters.find({w.webhook, w.event}); found != t_.dead_letters.end())
    erase(t_.dead_letters, found);
}

webhook_place_row* webhook_changes::place(const core::webhook_id& webhook, core::shard_id shard) {
  if (t_.webhook_places.count({webhook, shard}) == 0)
    return nullptr;
  return &change(t_.webhook_places, {webhook, shard});
}

} // namespace holdfast::persistence::memory
