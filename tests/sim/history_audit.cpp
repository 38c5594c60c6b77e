// A database that has forgotten commits is as it was at the moment to which it went back, and gives
// out no number again that it had given out before.

#include "tests/sim/invariants.hpp"

#include <algorithm>

namespace holdfast::sim {

namespace {

/// Remembers the last token of `granted`, if it is the highest of all that were ever granted.
template <class Highest, class Id, class Granted>
void keep_highest_token(Highest& of_all, const Id& id, const Granted& granted) {
  if (!granted.empty())
    of_all[id] = std::max(of_all[id], granted.rbegin()->first);
}

} // namespace

void task_auditor::go_back(const snapshot& then) {
  has_gone_back_ = true;
  for (const auto& [id, known] : tasks_)
    keep_highest_token(forgotten_tokens_, id, known.grants);
  static_cast<task_memory&>(*this) = then.tasks;
  schedules_.go_back(then.schedules);
}

void auditor::note_given_out() {
  for (core::shard_id number = 0; number < t_.shards.size(); ++number) {
    const auto& row = t_.shards[number];
    auto& highest = given_out_[number];
    highest.epoch = std::max(highest.epoch, row.epoch);
    highest.batch_seq = std::max(highest.batch_seq, row.batch_seq);
    highest.event_seq = std::max(highest.event_seq, row.event_seq);
  }
}

void auditor::go_back(const snapshot& then) {
  note_given_out();
  for (const auto& [id, known] : units_)
    keep_highest_token(forgotten_tokens_, id, known.tokens);
  static_cast<auditor_memory&>(*this) = then.people;
  tasks_.go_back(then.programs);
  // Requests are sent again to a workflow that may have an older version than it had.
  std::uint32_t acknowledged_least = 0;
  for (const auto& [workflow, version] : acknowledged_versions_)
    acknowledged_least = version;
  for (auto& [key, sent] : keys_sent_)
    sent.least_version = std::min(sent.least_version, acknowledged_least);
}

bool auditor::lacks_numbers() const {
  return std::any_of(given_out_.begin(), given_out_.end(), [this](const auto& entry) {
    const auto& [number, highest] = entry;
    const auto& row = t_.shards.at(number);
    return row.epoch < highest.epoch || row.batch_seq < highest.batch_seq
           || row.event_seq < highest.event_seq;
  });
}

void auditor::generation_begun() {
  if (t_.generation <= generation_)
    return;
  generation_ = t_.generation;
  for (const auto& [number, highest] : given_out_) {
    const auto& row = t_.shards.at(number);
    if (row.epoch <= highest.epoch || row.batch_seq <= highest.batch_seq
        || row.event_seq <= highest.event_seq)
      blame("generations",
            "shard " + std::to_string(number) + " goes on below numbers that were given out: epoch "
                + std::to_string(row.epoch) + ", batch " + std::to_string(row.batch_seq)
                + ", event " + std::to_string(row.event_seq));
  }
  for (core::shard_id number = 0; number < t_.shards.size(); ++number) {
    shards_[number].batches = t_.shards[number].batch_seq;
    shards_[number].last = t_.shards[number].event_seq;
  }
  note_given_out();
}

} // namespace holdfast::sim
