#pragma once

#include "core/queue_policy.hpp"
#include "messages/task_messages.hpp"
#include "persistence/memory_tables.hpp"
#include "persistence/store.hpp"
#include "tests/sim/object_faults.hpp"
#include "tests/sim/schedule_audit.hpp"
#include "tests/sim/task_memory.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::sim {

/// What happened to tasks at least once in a good series of runs.
enum class task_event : std::uint8_t {
  completed,
  failed,
  canceled,
  dead,
  revived,
  expired,
  lost, ///< Leases, with their worker.
  ejected,
  followed,
  extended,
  late_result,
  paused,
  key_taken,
  told_lost,
  taken_in,         ///< Staged tasks that became one.
  known_when_taken, ///< Staged tasks of which there was one already.
  set_aside,        ///< Staged tasks that were refused.
  occurred,         ///< Occurrences of schedules that made their task.
  missed,           ///< Those that made none.
  payload_lost,     ///< Tasks that failed because an object was lost.
  payload_away,     ///< Leases taken back because an object could not be read.
  undelivered,      ///< Leases taken back because their worker was gone before it had them.
  count,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(task_event::count)>
    task_event_names{"completed",
                     "failed",
                     "canceled",
                     "dead",
                     "revived",
                     "leases expired",
                     "leases lost",
                     "ejected",
                     "followed",
                     "extended",
                     "late results",
                     "paused",
                     "unique key taken",
                     "workers told of a loss",
                     "taken in",
                     "staged in vain",
                     "staged and refused",
                     "occurrences",
                     "missed occurrences",
                     "payloads lost",
                     "payloads away",
                     "grants undelivered"};

struct task_tally {
  std::array<std::uint64_t, static_cast<std::size_t>(task_event::count)> counts{};

  void count(task_event kind) { ++counts[static_cast<std::size_t>(kind)]; }
  void add(const task_tally& other) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] += other.counts[i];
  }
};

/// Holds the committed tasks, and everything that was answered about them, to the invariants.
///
/// It follows every committed write, one by one and in order, in a model of its own that knows the
/// rules of a task's life and what clients have asked for: nobody but them may be the reason of a
/// write. After each commit the rows that it touched must be those of the model.
class task_auditor : private task_memory {
public:
  using blame_function = std::function<void(const char* invariant, const std::string& what)>;

  task_auditor(const persistence::memory::tables& tables, blame_function blame)
      : t_(tables), blame_(blame), schedules_(tables, std::move(blame)) {}

  /// Rows may refer to objects of this store; without it they may not.
  void read_objects(const object_faults& objects) { objects_ = &objects; }
  /// The time at which answers come: a lease that has run out by then is not handed out.
  void read_clock(std::function<core::instant()> now) { now_ = std::move(now); }

  /// The database's clock was set, ahead or back.
  void clock_set(core::instant from, core::instant to);
  bool clock_was_set() const { return !clock_steps_.empty(); }

  /// All that was concluded from commits and acknowledgements so far.
  struct snapshot {
    task_memory tasks;
    schedule_auditor::memory schedules;
  };
  snapshot remember() const { return {*this, schedules_.remember()}; }
  /// The tables are about to go back to what they were then. Tokens that were given out since stay
  /// given out.
  void go_back(const snapshot& then);
  /// Whether the client has the answer to its request to make the task.
  bool was_told(const core::task_id& task) const { return told_.count(task) != 0; }
  /// Whether a producer has still to stage the task.
  bool awaits_staging(const core::task_id& task) const { return to_be_staged_.count(task) != 0; }

  /// One committed change, its writes in order.
  void committed(const core::change& change);
  /// The end of a commit: what it touched is compared with the tables.
  void check_touched();
  /// All rows.
  void check_all();
  /// What is still to be done; empty when every task that was asked for is made and finished.
  std::string unfinished() const;
  /// Nothing has gone wrong since `since`: what has run out or is due must not wait any more.
  void check_prompt(core::instant since, core::instant now);
  void check_quiescent(core::instant now);

  /// The text itself, where a row has a reference to it.
  std::string whole(const std::string& text) const;
  /// Whether it has one to an object that a sweep has removed.
  bool is_swept(const std::string& text) const;

  // What is about to be sent, perhaps again.
  void sending(const msg::enqueue_tasks& m, core::instant);
  void sending(const msg::claim_tasks& m, core::instant);
  void sending(const msg::extend_tasks& m, core::instant now);
  void sending(const msg::save_task& m, core::instant);
  void sending(const msg::save_task_in_order& m, core::instant);
  void sending(const msg::release_task& m, core::instant);
  void sending(const msg::complete_tasks& m, core::instant);
  void sending(const msg::follow_task& m, core::instant);
  void sending(const msg::fail_task& m, core::instant);
  void sending(const msg::eject_task& m, core::instant);
  void sending(const msg::change_task& m, core::instant);
  void sending(const msg::redrive_tasks& m, core::instant);
  void sending(const msg::put_queue&, core::instant) {}
  void sending(const msg::pause_queue&, core::instant) {}
  void sending(const msg::get_queue_statistics&, core::instant) {}
  void sending(const msg::get_task&, core::instant) {}
  void sending(const msg::put_schedule& m, core::instant) { schedules_.sending(m); }
  /// A producer will stage this task sooner or later.
  void to_be_staged(const core::task_id& task) { to_be_staged_.insert(task); }
  /// Its transaction has committed and has left this row.
  void staged(core::staging_id id, const core::queue_name& queue, const msg::task_request& request);
  /// The task is not staged: another one has its unique key, which the producer was told, or, with
  /// none, that it is refused.
  void not_staged(const core::queue_name& queue, const msg::task_request& request,
                  const std::optional<core::task_id>& told);
  /// A worker's actor has ended: leases tied to it may be taken away.
  void died(const core::worker_id& worker);
  /// A worker that knows every type and holds nothing waits at the queue from now on.
  void waits(const core::worker_id& worker, const core::queue_name& queue, core::instant now) {
    waiting_[worker] = {queue, now};
  }
  void waits_no_more(const core::worker_id& worker) { waiting_.erase(worker); }

  // What was answered with success: I-12.
  void acknowledged(const msg::put_queue& asked, const msg::queue_view& answer);
  void acknowledged(const msg::pause_queue& asked, const msg::queue_view& answer);
  void acknowledged(const msg::enqueue_tasks& asked, const msg::task_outcomes& answer);
  void acknowledged(const msg::claim_tasks& asked, const msg::leased_tasks& answer);
  void acknowledged(const msg::extend_tasks& asked, const msg::task_outcomes& answer);
  void acknowledged(const msg::save_task& asked, const msg::task_outcome& answer);
  void acknowledged(const msg::save_task_in_order& asked, const msg::task_outcome& answer);
  void acknowledged(const msg::release_task& asked, const msg::task_outcome& answer);
  void acknowledged(const msg::complete_tasks& asked, const msg::task_outcomes& answer);
  void acknowledged(const msg::follow_task& asked, const msg::leased_tasks& answer);
  void acknowledged(const msg::fail_task& asked, const msg::task_outcome& answer);
  void acknowledged(const msg::eject_task& asked, const msg::leased_tasks& answer);
  void acknowledged(const msg::change_task& asked, const msg::task_changed& answer);
  void acknowledged(const msg::redrive_tasks& asked, const msg::tasks_redriven& answer);
  void acknowledged(const msg::get_queue_statistics& asked, const msg::queue_statistics& answer);
  void acknowledged(const msg::get_task& asked, const msg::task_view& answer);
  void acknowledged(const msg::put_schedule& asked, const msg::schedule_view& answer) {
    schedules_.acknowledged(asked, answer);
  }
  void told_lost(const msg::tasks_lost& told);

  const task_tally& seen() {
    seen_.counts[static_cast<std::size_t>(task_event::occurred)] = schedules_.made();
    seen_.counts[static_cast<std::size_t>(task_event::missed)] = schedules_.missed();
    return seen_;
  }

private:
  using hold = std::pair<core::task_id, core::token>;

  /// Each end that its queue tells of has its event in the change that ends the task, and no other
  /// task has one there.
  void check_told(const core::change& change);
  // One for each write that is about tasks.
  void follow(const core::put_queue& w);
  void follow(const core::insert_task& w);
  void follow(const core::update_task& w);
  void follow(const core::insert_task_lease& w);
  void follow(const core::extend_task_lease& w);
  void follow(const core::end_task_lease& w);
  void follow(const core::finish_task& w);
  void follow(const core::revive_task& w);
  void follow(const core::insert_late_result& w);
  void follow(const core::take_staged& w);
  void follow(const core::refuse_staged& w);
  void follow(const core::stage_task& w);
  template <class Other>
  void follow(const Other&) {}

  /// What was asked for under this id in this queue, by a request or by a staged row that the same
  /// change takes; null if nothing was.
  const msg::task_request* asked_for(const core::task_id& id, const core::queue_name& queue) const;
  void check_stage();

  void check_limits(const task_model& t, const core::insert_task_lease& w);
  /// Whether it may be leased at `at`; after a step back of the clock, as its delay was meant.
  bool is_due(const task_model& t, core::instant at) const;
  void set_progress(task_model& t, const core::task_progress& progress);
  /// Whether a node has stored that time which had not heard of the last step back yet.
  bool is_ahead(core::instant stored) const;
  /// Whether the lease of `t` may have run out at `at`.
  bool may_have_run_out(const task_model& t, core::instant at) const;
  void check_completion(const task_model& t, const core::finish_task& w);
  void check_timeout(const task_model& t, core::instant at);
  void check_crash(const task_model& t, bool by_death, core::instant at);
  void check_marks(task_model& t, const core::task_progress& next);
  void check_row(const core::task_id& id);
  void check_leased(const core::queue_name& queue, const core::worker_id& worker,
                    const core::assignment_id& claim, const msg::leased_task& leased);
  void check_view(const core::queue_name& queue, const msg::queue_view& answer);
  void check_over(const msg::task_ref& ref, const char* what);
  /// The lease of this token, wherever it is now.
  const core::lease* lease_of(const core::task_id& task, core::token token) const;

  bool require(bool holds, const char* invariant, const core::task_id& task, const char* what);
  task_model* model_of(const core::task_id& id, const char* what);
  std::string dump(const core::task_id& id) const;

  // What rows mean, with what they refer to.
  core::task_progress whole(core::task_progress progress) const;
  core::change whole(core::change change) const;
  void check_swept(const persistence::memory::live_task_row& row, const std::string& result);
  /// Whether an object that the task needs is lost.
  bool lost_payload(const task_model& t) const;

  const persistence::memory::tables& t_;
  const object_faults* objects_ = nullptr;
  struct clock_step {
    core::instant from, to;
  };
  std::vector<clock_step> clock_steps_; ///< Of the database's clock.
  std::function<core::instant()> now_ = [] { return core::instant::max(); };
  blame_function blame_;
  schedule_auditor schedules_;
  task_tally seen_;

  // What clients have sent.
  struct sent_task {
    msg::task_request request;
    std::set<core::queue_name> queues;
  };
  struct sent_claim {
    msg::claim_tasks request;
    bool by_name = false; ///< For one task in particular, which no limit keeps back.
  };
  std::map<core::task_id, sent_task> sent_tasks_;
  std::set<core::staging_id> being_taken_; ///< By the change that is being followed.
  std::set<core::task_id> given_back_;     ///< By the same: tasks whose lease has reached nobody.
  std::map<core::assignment_id, sent_claim> sent_claims_;
  std::map<hold, core::instant> sent_extensions_; ///< When first.
  std::map<hold, std::set<std::string>> sent_results_;
  std::map<hold, std::set<std::uint8_t>> sent_failures_; ///< Kinds.
  std::set<hold> sent_releases_;
  struct sent_bookmark {
    core::task_id task;
    core::token token = 0;
    core::worker_id worker;
    std::uint64_t number = 0; ///< Of the save; 0 for none.
  };
  std::map<std::string, sent_bookmark> sent_bookmarks_;
  std::set<core::task_id> sent_ejections_;
  std::set<core::task_id> sent_cancellations_;
  std::set<core::queue_name> sent_redrives_;
  std::set<core::worker_id> tied_;
  std::set<core::worker_id> died_;
  std::map<core::worker_id, std::pair<core::queue_name, core::instant>> waiting_;
  std::set<core::task_id> sent_as_next_; ///< Tasks that may well never be made.
  /// The highest token that the lease of a task ever had, where the database has forgotten leases.
  std::map<core::task_id, core::token> forgotten_tokens_;
  bool has_gone_back_ = false;
};

} // namespace holdfast::sim
