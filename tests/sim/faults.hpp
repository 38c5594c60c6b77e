#pragma once

#include "persistence/memory_store.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/plan.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

/// What happened at least once in a good series of runs. A series in which one of these never
/// happened has not tested what it claims to test.
enum class event_kind : std::uint8_t {
  commit_unavailable,
  doubt_applied,
  doubt_lost,
  doubt_late,
  doubt_resolved, ///< The same batch came again after a doubt, and was found committed.
  batch_fenced,
  batch_refused,
  read_failed,
  history_lost,     ///< The database went back to an earlier copy of its tables.
  generation_begun, ///< Because of that.
  outage,
  node_killed,
  node_drained,
  node_ended, ///< By itself: it could not go on.
  zombie,
  partition,
  frozen_heartbeat,
  lines_cut,
  one_way_cut,
  node_frozen,
  stale_write_refused, ///< What a node had decided before it froze came after its shard was taken.
  message_lost,
  answer_lost,
  message_late,
  message_doubled,
  handover, ///< A node gave shards to another one.
  actor_crashed,
  clock_rushed,
  clock_set_ahead, ///< That of the database.
  clock_set_back,
  timer_lost,
  client_died,
  reply_lost,
  workflow_updated,
  lacked,            ///< Somebody was refused for what they lacked.
  steps_searched,    ///< Somebody looked for steps, and had an answer.
  gathered,          ///< Units became a batch.
  list_gathered,     ///< It had all items of a list, more than one.
  batch_taken_apart, ///< It lost a unit whose parent's result was taken back.
  reissued,          ///< A result was taken back although others had been made from it.
  child_canceled,    ///< One of these was open, and canceled.
  child_taken,       ///< The same, while somebody held it.
  child_withdrawn,
  child_made_anew, ///< From a later result of its parent.
  count,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(event_kind::count)>
    event_names{"commit unavailable",
                "in doubt, applied",
                "in doubt, lost",
                "in doubt, late",
                "doubt resolved",
                "batch fenced",
                "batch refused",
                "read failed",
                "history lost",
                "generation begun",
                "outage",
                "node killed",
                "node drained",
                "node ended",
                "zombie",
                "partition",
                "frozen heartbeat",
                "lines cut",
                "one way cut",
                "node frozen",
                "stale write refused",
                "message lost",
                "answer lost",
                "message late",
                "message doubled",
                "handover",
                "actor crashed",
                "clock rushed",
                "clock set ahead",
                "clock set back",
                "timer lost",
                "client died",
                "reply lost",
                "workflow updated",
                "refused for a lack",
                "steps searched",
                "batch made",
                "list gathered",
                "batch taken apart",
                "result reissued",
                "child canceled",
                "child taken away",
                "child withdrawn",
                "child made anew"};

struct tally {
  std::array<std::uint64_t, static_cast<std::size_t>(event_kind::count)> counts{};

  void count(event_kind kind) { ++counts[static_cast<std::size_t>(kind)]; }
  void add(const tally& other) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] += other.counts[i];
  }
};

/// The database's bad luck in one run: decides the fate of every commit, and of every read.
class database_faults {
public:
  database_faults(const fault_rates& rates, dice& random,
                  std::shared_ptr<persistence::memory_database> database, auditor& audit,
                  trace& log, tally& seen)
      : rates_(rates),
        random_(random),
        database_(std::move(database)),
        audit_(audit),
        log_(log),
        seen_(seen) {
    if (rates_.read_fails > 0 || rates_.unit_read_fails > 0)
      database_->set_read_faults([this](std::string_view read) { return fails(read); });
  }
  ~database_faults() { database_->set_read_faults(nullptr); }
  database_faults(const database_faults&) = delete;
  database_faults& operator=(const database_faults&) = delete;

  /// One commit of a node over its own `connection`.
  persistence::commit_result commit(persistence::store& connection, core::incarnation_id from,
                                    const persistence::write_batch& batch);

  /// A transaction whose client is gone holds its locks until the database has finished it. Whoever
  /// takes one of `shards` over waits for that; here, it is finished at once.
  void before_takeover(const std::vector<core::shard_id>& shards);
  /// The database finishes what it has not finished yet.
  void finish_late();

  /// Commits that the database has not finished are gone with the server that it was on.
  void drop_late() { late_.clear(); }

  /// From now on, another set of changes is refused: chosen by what they write, so that the same
  /// change is refused again.
  void draw_refusals();

  /// A planted bug: nobody waits for such a transaction, and it is applied under whatever epoch the
  /// shard then has.
  void accept_late_commits() { accepts_late_commits_ = true; }

  /// No more faults, and what is open is finished.
  void stop();

private:
  struct late_batch {
    core::incarnation_id from;
    persistence::write_batch batch;
  };

  persistence::commit_result apply(persistence::store& connection, core::incarnation_id from,
                                   const persistence::write_batch& batch);
  bool fails(std::string_view read);
  void finish(const late_batch& late);
  void finish_late(const std::vector<core::shard_id>& shards);

  fault_rates rates_;
  dice& random_;
  std::shared_ptr<persistence::memory_database> database_;
  auditor& audit_;
  trace& log_;
  tally& seen_;
  std::vector<late_batch> late_;
  std::string failing_reads_; ///< Which of them fail now.
  std::uint64_t failing_left_ = 0;
  bool last_in_doubt_ = false;
  bool accepts_late_commits_ = false;
};

} // namespace holdfast::sim
