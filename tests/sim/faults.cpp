#include "tests/sim/faults.hpp"

#include "tests/sim/plant.hpp"

#include <algorithm>

namespace holdfast::sim {

namespace {

using persistence::commit_result;
using persistence::commit_status;

std::string_view name_of(commit_status status) {
  switch (status) {
  case commit_status::committed:
    return "committed";
  case commit_status::fenced:
    return "fenced";
  case commit_status::history_lost:
    return "history lost";
  case commit_status::refused:
    return "refused";
  case commit_status::unavailable:
    return "unavailable";
  case commit_status::in_doubt:
    return "in doubt";
  }
  return "?";
}

std::string describe(const persistence::write_batch& batch) {
  std::string text;
  for (const auto& part : batch.shards)
    text += " shard " + std::to_string(part.shard) + " epoch " + std::to_string(part.epoch)
            + " batch " + std::to_string(part.batch_seq) + " ("
            + std::to_string(part.changes.size()) + " changes, "
            + std::to_string(part.event_count()) + " events)";
  return text;
}

bool shares_shard(const persistence::write_batch& batch,
                  const std::vector<core::shard_id>& shards) {
  return std::any_of(batch.shards.begin(), batch.shards.end(), [&](const auto& part) {
    return std::find(shards.begin(), shards.end(), part.shard) != shards.end();
  });
}

/// A number that tells a change by the item it is about.
std::size_t fingerprint(const core::change& change) {
  std::size_t print = change.writes.size();
  for (const auto& write : change.writes)
    std::visit(
        [&](const auto& w) {
          using type = std::decay_t<decltype(w)>;
          print = print * 31 + write.index();
          if constexpr (std::is_same_v<
                            type,
                            core::insert_judgment> || std::is_same_v<type, core::end_lease_row>)
            print ^= std::hash<core::unit_id>{}(w.unit) + w.token;
          else if constexpr (std::is_same_v<type, core::insert_late_judgment> //
                             || std::is_same_v<type, core::insert_surplus_judgment>)
            print ^= std::hash<core::unit_id>{}(w.judgment.unit) + w.judgment.token;
          else if constexpr (std::is_same_v<type, core::insert_lease>)
            print ^= std::hash<core::unit_id>{}(w.unit) + w.lease.token;
          else if constexpr (std::is_same_v<type, core::finalize_unit>)
            print ^= std::hash<core::unit_id>{}(w.unit);
          else if constexpr (std::is_same_v<type, core::insert_task>)
            print ^= std::hash<core::task_id>{}(w.spec.id);
          else if constexpr (std::is_same_v<type, core::insert_task_lease>)
            print ^= std::hash<core::task_id>{}(w.task) + w.lease.token;
          else if constexpr (std::is_same_v<
                                 type,
                                 core::end_task_lease> || std::is_same_v<type, core::finish_task>)
            print ^= std::hash<core::task_id>{}(w.task) + w.token;
          else if constexpr (std::is_same_v<type, core::put_profile>)
            print ^= std::hash<core::contributor_id>{}(w.contributor);
        },
        write);
  return print;
}

} // namespace

commit_result database_faults::commit(persistence::store& connection, core::incarnation_id from,
                                      const persistence::write_batch& batch) {
  std::vector<core::shard_id> shards;
  for (const auto& part : batch.shards)
    shards.push_back(part.shard);
  finish_late(shards);
  commit_result result;
  if (random_.hit(rates_.commit_unavailable)) {
    seen_.count(event_kind::commit_unavailable);
    result = {commit_status::unavailable, {}, "injected: nothing was applied"};
  } else if (random_.hit(rates_.commit_in_doubt_lost)) {
    seen_.count(event_kind::doubt_lost);
    result = {commit_status::in_doubt, {}, "injected: lost"};
  } else if (random_.hit(rates_.commit_in_doubt_late)) {
    seen_.count(event_kind::doubt_late);
    late_.push_back({from, batch});
    result = {commit_status::in_doubt, {}, "injected: to be applied later"};
  } else if (random_.hit(rates_.commit_in_doubt_applied)) {
    seen_.count(event_kind::doubt_applied);
    apply(connection, from, batch);
    result = {commit_status::in_doubt, {}, "injected: applied"};
  } else {
    result = apply(connection, from, batch);
    if (result.status == commit_status::fenced)
      seen_.count(event_kind::batch_fenced);
    if (result.status == commit_status::refused)
      seen_.count(event_kind::batch_refused);
    if (result.status == commit_status::committed && last_in_doubt_)
      seen_.count(event_kind::doubt_resolved);
  }
  last_in_doubt_ = result.status == commit_status::in_doubt;
  log_.mix(static_cast<std::uint64_t>(result.status));
  log_.note([&] {
    return "commit by " + to_string(from).substr(9, 4) + ':' + describe(batch) + " -> "
           + std::string{name_of(result.status)} + ' ' + result.reason;
  });
  return result;
}

/// As in an outage so short that one read meets it, and perhaps the next ones of its kind.
bool database_faults::fails(std::string_view read) {
  constexpr std::uint64_t in_a_row_max = 3;
  if (failing_left_ == 0 || read != failing_reads_) {
    if (!random_.hit(read == "load_units" ? rates_.unit_read_fails : rates_.read_fails))
      return false;
    failing_reads_ = read;
    failing_left_ = random_.between(1, in_a_row_max);
  }
  --failing_left_;
  seen_.count(event_kind::read_failed);
  log_.note([&] { return "a read fails: " + failing_reads_; });
  return true;
}

commit_result database_faults::apply(persistence::store& connection, core::incarnation_id from,
                                     const persistence::write_batch& batch) {
  auto result = connection.commit(batch);
  audit_.committed(from, batch);
  return result;
}

void database_faults::finish(const late_batch& late) {
  persistence::memory_store connection{database_};
  auto batch = late.batch;
  if (accepts_late_commits_)
    for (auto& part : batch.shards)
      if (database_->tables().shards.at(part.shard).epoch > part.epoch)
        rebase(database_->tables(), part);
  const auto result = connection.commit(batch);
  audit_.committed(late.from, late.batch);
  log_.note([&] {
    return "the database finishes a late batch:" + describe(late.batch) + " -> "
           + std::string{name_of(result.status)};
  });
}

void database_faults::before_takeover(const std::vector<core::shard_id>& shards) {
  if (!accepts_late_commits_)
    finish_late(shards);
}

void database_faults::finish_late(const std::vector<core::shard_id>& shards) {
  for (std::size_t i = 0; i < late_.size();)
    if (shares_shard(late_[i].batch, shards)) {
      const auto late = std::move(late_[i]);
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
      finish(late);
    } else {
      ++i;
    }
}

void database_faults::finish_late() {
  auto late = std::move(late_);
  late_.clear();
  for (const auto& batch : late)
    finish(batch);
}

void database_faults::draw_refusals() {
  if (rates_.change_refused == 0)
    return;
  database_->set_refusals(
      [salt = random_.next(), rate = rates_.change_refused](const core::change& change) {
        if (change.writes.empty())
          return false;
        auto mixed = (fingerprint(change) ^ salt) * 0xbf58476d1ce4e5b9ULL;
        mixed ^= mixed >> 29;
        return mixed % 1'000'000 < rate;
      });
}

void database_faults::stop() {
  rates_ = {};
  database_->set_refusals(nullptr);
  database_->set_read_faults(nullptr);
  database_->set_reachable(true);
  finish_late();
}

} // namespace holdfast::sim
