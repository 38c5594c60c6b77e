#pragma once

#include "actors/node_settings.hpp"
#include "core/backoff.hpp"
#include "core/history.hpp"
#include "core/known_removals.hpp"
#include "core/log_limit.hpp"
#include "core/placement.hpp"
#include "metrics/registry.hpp"

#include <caf/actor_clock.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::actors {

/// The database's clock, followed by adding an offset to the actors' monotonic clock. A step of the
/// wall clock moves nothing; in virtual time the actors' clock is the test's.
class node_clock {
public:
  core::instant at(caf::actor_clock::time_point local) const {
    return core::instant{in_micros(local)
                         + core::duration{offset_.load(std::memory_order_relaxed)}};
  }

  /// The database said `now` while the actors' clock was between `asked` and `answered`.
  void follow(core::instant now, caf::actor_clock::time_point asked,
              caf::actor_clock::time_point answered) {
    const auto middle = in_micros(asked) + (in_micros(answered) - in_micros(asked)) / 2;
    offset_.store((now.time_since_epoch() - middle).count(), std::memory_order_relaxed);
  }

private:
  static core::duration in_micros(caf::actor_clock::time_point at) {
    return std::chrono::duration_cast<core::duration>(at.time_since_epoch());
  }

  std::atomic<std::int64_t> offset_{0};
};

/// Which shards this node hosts, for whoever must know without asking.
class hosted_shards {
public:
  hosted_shards(std::uint32_t shards, std::function<core::duration()> time_suspended)
      : here_(shards), time_suspended_(std::move(time_suspended)) {}

  /// Whether requests for the shard are decided here, at `local` time of the actors' clock. A node
  /// whose lease may have run out knows nothing for certain, so it decides nothing; also when it
  /// was alone at its last look, since another one may have come that it could not see.
  bool here(core::shard_id shard, caf::actor_clock::time_point local) const {
    return here_[shard].load(std::memory_order_acquire) && sure(local);
  }
  void put(core::shard_id shard, bool is_here) {
    here_[shard].store(is_here, std::memory_order_release);
  }

  /// By the clock of the node's lease: `local`, and the time for which the machine has been
  /// suspended. The actors' clock stands still meanwhile; the lease runs on.
  caf::actor_clock::time_point lease_time(caf::actor_clock::time_point local) const {
    return time_suspended_ ? local + time_suspended_() : local;
  }

  /// Nobody takes the shards over before `end`, a time of that clock.
  void sure_until(caf::actor_clock::time_point end) {
    sure_until_ = end.time_since_epoch().count();
  }
  /// Whether nobody can have taken one over by `local`.
  bool sure(caf::actor_clock::time_point local) const {
    return sure_for(local) > caf::actor_clock::time_point::duration::zero();
  }
  /// How long that will last without another renewal; negative when it is over.
  caf::actor_clock::time_point::duration sure_for(caf::actor_clock::time_point local) const {
    return caf::actor_clock::time_point::duration{sure_until_}
           - lease_time(local).time_since_epoch();
  }

  /// No other node was seen at the last look.
  bool alone() const { return alone_.load(std::memory_order_relaxed); }
  void set_alone(bool alone) { alone_ = alone; }

private:
  std::vector<std::atomic<bool>> here_;
  const std::function<core::duration()> time_suspended_;
  std::atomic<caf::actor_clock::time_point::rep> sure_until_{0};
  std::atomic<bool> alone_{true};
};

/// The processes of nodes, as membership saw them last, for whoever must know without asking.
class seen_processes {
public:
  void put(core::living_processes seen) {
    auto next = std::make_shared<const core::living_processes>(std::move(seen));
    const std::lock_guard lock{mutex_};
    last_ = std::move(next);
  }
  /// Null before the first look.
  std::shared_ptr<const core::living_processes> last() const {
    const std::lock_guard lock{mutex_};
    return last_;
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<const core::living_processes> last_;
};

/// The removals of contributors that this node knows of, for steps to ask without a message. The
/// removal watch reads them; whoever decides about one tells it at once.
class node_removals {
public:
  void learn(const std::vector<core::removal>& changed, core::instant now) {
    const std::lock_guard lock{mutex_};
    known_.learn(changed, now);
    read_.store(true, std::memory_order_release);
    generation_.store(known_.generation(), std::memory_order_release);
  }
  /// Tells of one that was decided here.
  void add(const core::removal& one, core::instant now) {
    const std::lock_guard lock{mutex_};
    known_.learn({one}, now);
    generation_.store(known_.generation(), std::memory_order_release);
  }
  /// Whether all that were stored when the node started are known.
  bool is_read() const { return read_.load(std::memory_order_acquire); }
  /// As in `core::known_removals`, like what follows. Costs a look at a number while there are
  /// none.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  std::optional<core::removal> of(const core::contributor_id& contributor,
                                  const core::step_id& step, const core::workflow_id& workflow,
                                  core::instant now) const {
    if (generation() == 0)
      return std::nullopt;
    const std::lock_guard lock{mutex_};
    return known_.of(contributor, step, workflow, now);
  }
  std::optional<core::instant> reinstated_at(const core::contributor_id& contributor,
                                             const core::step_id& step) const {
    const std::lock_guard lock{mutex_};
    return known_.reinstated_at(contributor, step);
  }
  std::vector<core::contributor_id> changed_since(std::uint64_t generation) const {
    const std::lock_guard lock{mutex_};
    return known_.changed_since(generation);
  }
  core::instant next_end(core::instant now) const {
    const std::lock_guard lock{mutex_};
    return known_.next_end(now);
  }

private:
  std::atomic<bool> read_{false};
  std::atomic<std::uint64_t> generation_{0};
  mutable std::mutex mutex_;
  core::known_removals known_;
};

/// How far the writers of this node have seen each shard committed; no number goes back.
class written_marks {
public:
  explicit written_marks(std::uint32_t shards) : marks_(shards) {}

  /// By the shard's writer alone.
  void put(core::shard_id shard, const core::shard_mark& seen) {
    auto& at = marks_[shard];
    at.epoch.store(seen.at, std::memory_order_relaxed);
    at.events.store(seen.events, std::memory_order_relaxed);
    at.batches.store(seen.batches, std::memory_order_release);
  }
  core::shard_marks read() const {
    core::shard_marks marks;
    for (core::shard_id shard = 0; shard < marks_.size(); ++shard)
      if (const auto batches = marks_[shard].batches.load(std::memory_order_acquire); batches > 0)
        marks[shard] = {marks_[shard].epoch.load(std::memory_order_relaxed), batches,
                        marks_[shard].events.load(std::memory_order_relaxed)};
    return marks;
  }

private:
  struct mark {
    std::atomic<core::epoch> epoch{0};
    std::atomic<std::uint64_t> batches{0};
    std::atomic<core::event_seq> events{0};
  };
  std::vector<mark> marks_;
};

/// Whether the node has fenced itself, since when and why. Written by membership, read by any.
class fence_record {
public:
  struct entry {
    core::instant since; ///< 0: not fenced.
    std::string why;     ///< Of the last fence.
    std::uint64_t times = 0;
  };

  void begin(core::instant since, const std::string& why) {
    const std::lock_guard lock{mutex_};
    now_ = {since, why, now_.times + 1};
  }
  void end() {
    const std::lock_guard lock{mutex_};
    now_.since = {};
  }
  entry read() const {
    const std::lock_guard lock{mutex_};
    return now_;
  }

private:
  mutable std::mutex mutex_;
  entry now_;
};

/// What the writers tell everybody else without a message: how loaded they are.
struct writer_gauges {
  std::atomic<std::uint64_t> queued{0}; ///< Rows waiting or being committed, in all lanes.
  std::atomic<std::uint64_t> commits{0};
  std::atomic<std::uint64_t> changes{0};
  std::atomic<std::uint64_t> refused{0};
  // Batches whose outcome was once not known, and what was found out of it.
  std::atomic<std::uint64_t> in_doubt{0};
  std::atomic<std::uint64_t> found_committed{0};
  std::atomic<std::uint64_t> found_not_committed{0};
  std::atomic<std::uint64_t> never_found{0};
  std::atomic<std::uint64_t> stale{0}; ///< Changes that a fence in the database refused.
};

/// Counters of what lives in memory and what was turned away.
struct node_gauges {
  writer_gauges writer;
  std::atomic<std::uint64_t> overloaded{0};
  std::atomic<std::uint64_t> rate_limited{0}; ///< Requests for assignments that came too often.
  std::atomic<std::uint64_t> live_units{0};
  std::atomic<std::uint64_t> sessions{0};
  std::atomic<std::uint32_t> shards_hosted{0};
  std::atomic<bool> database_up{false}; ///< The last commit or renewal has reached it.
};

/// What the audits of this node have found, for whoever asks the gateway.
class audit_record {
public:
  msg::audit_status status() const {
    const std::lock_guard lock{mutex_};
    return status_;
  }
  void note_failure() {
    const std::lock_guard lock{mutex_};
    ++status_.failed;
  }
  void note(const std::vector<broken_invariant>& broken, core::instant at) {
    const std::lock_guard lock{mutex_};
    ++status_.done;
    status_.last_at = at;
    for (const auto& one : broken) {
      auto& findings = status_.findings;
      auto known = std::find_if(findings.begin(), findings.end(),
                                [&](const auto& other) { return other.invariant == one.id; });
      if (known == findings.end())
        known = findings.insert(findings.end(), {one.id, 0});
      known->violations += one.rows;
    }
  }

  /// The actor that makes them, `actors/auditor.hpp`; none: the node has none, or it has ended.
  caf::actor auditor() const {
    const std::lock_guard lock{mutex_};
    return caf::actor_cast<caf::actor>(auditor_);
  }
  void set_auditor(caf::actor_addr self) {
    const std::lock_guard lock{mutex_};
    auditor_ = std::move(self);
  }

private:
  mutable std::mutex mutex_;
  msg::audit_status status_;
  caf::actor_addr auditor_;
};

/// What every actor of one node shares. Settings never change; the rest is atomic.
struct node_context {
  explicit node_context(node_settings s)
      : settings(std::move(s)),
        registry(settings.registry ? settings.registry : std::make_shared<metrics::registry>()),
        hosting(settings.shards, settings.time_suspended),
        written(settings.shards) {}

  const node_settings settings;
  const std::shared_ptr<metrics::registry> registry;
  hosted_shards hosting;
  written_marks written;
  /// Of the latest generation of the database in which this node hosts: leases are granted under
  /// higher tokens only. Set before anything of a shard is loaded.
  std::atomic<core::token> tokens_above{0};
  seen_processes processes;
  node_removals removals;
  audit_record audits;
  core::instant started_at; ///< Set once by membership, before anything else runs.
  node_clock clock;
  node_gauges gauges;
  /// Posts of tasks that are under way. Whoever posts keeps it alive.
  const std::shared_ptr<std::atomic<std::uint32_t>> pushes =
      std::make_shared<std::atomic<std::uint32_t>>(0);
  std::atomic<bool> draining{false}; ///< The node ends: nobody begins what takes long.
  fence_record fence;
  /// Of lines that other processes can cause at will, by process.
  mutable core::log_limit strange_messages;
  /// Seeds of the id sources: each actor that makes ids takes the next one.
  std::atomic<std::uint64_t> next_seed{0};
  /// Lives of step actors: each gets the next number, so later lives have higher ones.
  std::atomic<std::uint64_t> next_generation{0};

  std::uint64_t take_seed() { return settings.seed + 0x632be59bd9b4e019ULL * ++next_seed; }

  void log(log_level level, const std::string& event, const log_fields& fields) const {
    if (settings.log)
      settings.log(level, event, fields);
  }
};

using context_ptr = std::shared_ptr<node_context>;

/// Now, on the database's clock.
template <class Self>
core::instant now(const Self& self, const context_ptr& context) {
  return context->clock.at(self->clock().now());
}

/// The pause after `attempt` failures in a row, before work that needs the database is tried again.
inline core::duration retry_pause(const context_ptr& context, std::uint32_t attempt) {
  return core::backoff(attempt, context->settings.writer_retry_min,
                       context->settings.writer_retry_max);
}

/// How long a node waits inside itself for an answer before it gives up. Every actor answers or
/// dies, so this only bounds what a bug could do; it is longer than any commit.
inline constexpr std::chrono::seconds internal_timeout{30};

/// The same for deliveries of events. Their effects wait for a database that may be away for long,
/// and a second delivery beside the first would only find the first one's rows; so this is longer
/// than any outage that a node sits out.
inline constexpr std::chrono::minutes delivery_timeout{60};

} // namespace holdfast::actors
