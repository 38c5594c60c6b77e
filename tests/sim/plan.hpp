#pragma once

#include "core/eligibility.hpp"
#include "core/gathering.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace holdfast::sim {

/// Random numbers that come out the same on every platform; std's distributions do not.
class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  /// Uniform in [0, bound).
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  /// Uniform in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  /// True in `per_million` of a million cases.
  bool hit(std::uint32_t per_million) { return below(1'000'000) < per_million; }
  core::duration span(core::duration low, core::duration high) {
    return core::duration{static_cast<std::int64_t>(between(
        static_cast<std::uint64_t>(low.count()), static_cast<std::uint64_t>(high.count())))};
  }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

private:
  std::mt19937_64 engine_;
};

/// How often each fault strikes, per million opportunities. Swarm testing (Groce et al., 2012):
/// many rates are zero in any one run, because faults can hide each other.
struct fault_rates {
  // Opportunity: one commit.
  std::uint32_t commit_unavailable = 0;
  std::uint32_t commit_in_doubt_applied = 0;
  std::uint32_t commit_in_doubt_lost = 0;
  std::uint32_t commit_in_doubt_late = 0; ///< The database finishes it a while later.
  std::uint32_t change_refused = 0;       ///< Per change and spell of bad luck.
  // Opportunity: one read.
  std::uint32_t read_fails = 0;      ///< And up to two more of its kind, like the following.
  std::uint32_t unit_read_fails = 0; ///< Of units: there are few, and more hangs on each.
  // Opportunity: one message handled.
  std::uint32_t outage = 0;
  std::uint32_t node_kill = 0;
  std::uint32_t node_drain = 0;
  std::uint32_t zombie = 0;    ///< The process is restarted while the old one goes on.
  std::uint32_t partition = 0; ///< The node cannot reach the database, another one starts.
  std::uint32_t frozen_heartbeat = 0;
  std::uint32_t lines_cut = 0;
  std::uint32_t actor_crash = 0;
  std::uint32_t clock_rush = 0; ///< A timer fires although messages wait.
  // Opportunity: one instant at which queues or steps are to be woken.
  std::uint32_t timer_lost = 0;
  // Opportunity: one call of the object store.
  std::uint32_t put_fails = 0;
  std::uint32_t get_fails = 0;
  // Opportunity: one message handled.
  std::uint32_t object_lost = 0;
  std::uint32_t one_way_cut = 0;
  std::uint32_t node_frozen = 0; ///< It does nothing for a while, and then goes on as if no time
                                 ///< had passed.
  // Opportunity: one message between nodes.
  std::uint32_t message_lost = 0;
  std::uint32_t answer_lost = 0;
  std::uint32_t message_late = 0;
  std::uint32_t message_doubled = 0;
  // Opportunity: one message handled.
  std::uint32_t history_lost = 0; ///< The database goes back to what it was a while before.
  std::uint32_t clock_set = 0;    ///< That of the database, ahead or back.
};

/// How contributors behave: relative weights of what they do with a lease.
struct habits {
  std::uint32_t submit = 0;
  std::uint32_t submit_twice = 0;
  std::uint32_t submit_other_twice = 0; ///< Again, under another judgment id.
  std::uint32_t submit_bad_payload = 0;
  std::uint32_t submit_wrong_token = 0;
  std::uint32_t submit_stale = 0; ///< Under a lease of the past.
  std::uint32_t release = 0;
  std::uint32_t decline = 0;
  std::uint32_t extend = 0;
  std::uint32_t forget = 0; ///< Says nothing until the lease has run out.
  std::uint32_t go_home = 0;
};

/// How workers behave: relative weights of what they do with a task that they hold.
struct worker_habits {
  std::uint32_t complete = 0;
  std::uint32_t complete_twice = 0;
  std::uint32_t complete_stale = 0; ///< Under a lease of the past.
  std::uint32_t complete_wrong_token = 0;
  std::uint32_t follow = 0;
  std::uint32_t save = 0;
  std::uint32_t save_in_order = 0;
  std::uint32_t save_stale = 0; ///< Under a lease of the past.
  std::uint32_t extend = 0;
  std::uint32_t release = 0;
  std::uint32_t fail = 0;
  std::uint32_t fail_for_good = 0;
  std::uint32_t slow_down = 0; ///< Fails, because the world outside says "too many requests".
  std::uint32_t forget = 0;    ///< Says nothing until the lease has run out.
};

/// A schedule that is made early in the run, due every minute of the first few.
struct schedule_draft {
  std::string queue;
  std::string backfill;
  std::uint32_t grace_seconds = 0;
  std::uint32_t minutes = 0; ///< For which it goes on.
};

/// The part of a plan that is about tasks.
struct task_plan {
  std::uint32_t tasks = 0; ///< None: the run has no queues at all.
  std::vector<std::string> queues;
  std::vector<std::string> policies; ///< JSON; any of them may hold for any queue at any time.
  std::uint32_t producers = 0;
  std::uint32_t workers = 0;
  std::uint32_t keys = 0;        ///< Different ones; 0: tasks have none.
  std::uint32_t credentials = 0; ///< The same.
  std::uint32_t unique_keys = 0; ///< The same.
  std::uint32_t later = 0;       ///< Per million tasks: made for a date.
  std::uint32_t large = 0;       ///< Per million documents: too large for a row.
  std::uint32_t stray = 0;       ///< Per million tasks: sent to a second queue, too.
  std::uint32_t tied = 0;        ///< Per million claims, as below.
  std::uint32_t patient = 0;
  std::uint32_t die = 0; ///< Per million ticks of a worker.
  core::duration think_max{};
  worker_habits weights;
  // Per million ticks of the operator.
  std::uint32_t pause_task = 0;
  std::uint32_t pause_type = 0;
  std::uint32_t pause_queue = 0;
  std::uint32_t cancel = 0;
  std::uint32_t eject = 0;
  std::uint32_t take = 0; ///< Ejects in favour of a worker.
  std::uint32_t retry = 0;
  std::uint32_t redrive = 0;
  std::uint32_t new_policy = 0;
  std::vector<schedule_draft> schedules;
};

/// Quality control in one step.
struct quality_plan {
  bool tested = false; ///< It has test questions.
  std::uint32_t quiz = 0;
  std::uint32_t every = 0;
  std::uint32_t questions = 0; ///< How many there will be.
  bool sequential = false;     ///< Who goes is found out by a sequential test.
  bool feedback = false;       ///< Contributors may learn whether they were right.
  std::string method = "majority";
  std::string stopping; ///< JSON; empty: as many judgments as there are slots.
};

/// Tasks that judge in one step.
struct unit_task_plan {
  std::string queue; ///< Empty: people judge all.
  std::uint32_t judgments = 0;
  core::duration patience{};
};

/// A form that the workflow takes later. The lists by position have an entry for each step that
/// any form has mentioned so far.
struct workflow_form {
  std::vector<std::uint32_t> steps; ///< Positions, in the order of the definition; first the first.
  std::vector<std::vector<std::uint32_t>>
      next; ///< By position, like all that follow; as in `plan`.
  std::vector<std::string> routes;
  std::vector<core::lease_policy> leases;
  std::vector<std::uint32_t> slots; ///< Judgments of each unit where no rule says when to stop.
  std::vector<std::string> stopping;
};

/// When the profile of a contributor is put, and what is in it.
struct profile_draft {
  std::uint32_t ticks = 0; ///< Of the contributor, before that.
  bool whole = true;       ///< Else it meets some of what is asked, not all.
};

/// The type of these tasks.
inline constexpr auto judging_type = "judge";

/// Everything that one seed decides. Limits are shrunk at random so that each of them is hit in
/// some run.
struct plan {
  std::uint64_t seed = 0;

  // --- the work ---
  std::uint32_t contributors = 0;
  std::uint32_t units = 0; ///< None: the run has no workflow at all.
  std::uint32_t slots_max = 0;
  std::vector<std::vector<std::uint32_t>> next; ///< Of each step: the positions it leads to.
  std::vector<std::string> routes;        ///< Of each step: JSON; empty: all units go on to `next`.
  bool excludes = false;                  ///< Some route excludes those who judged before.
  std::vector<core::lease_policy> leases; ///< Of each step.
  std::vector<quality_plan> quality;      ///< Of each step, also of those that come later.
  std::vector<unit_task_plan> unit_tasks; ///< The same.
  std::vector<workflow_form> later;       ///< The versions of the workflow from the second on.
  /// What each step asks of people, by version and position; empty: none asks anything in this run.
  std::vector<std::vector<core::requirements>> asks;
  std::vector<profile_draft> profiles; ///< Of each contributor, where something is asked.
  /// What each step gathers, by version and position; empty: none does in this run.
  std::vector<std::vector<std::optional<core::gather_policy>>> gathers;
  bool lists = false; ///< Some answers in the first step are lists.
  bool job = false;   ///< The workflow is somebody's job, and waits for its launch.
  core::duration think_max{};
  core::duration session_away_max{};
  std::uint32_t die = 0;        ///< Per million ticks of a contributor.
  std::uint32_t lose_reply = 0; ///< Per million replies.
  habits weights;
  std::uint32_t pause_unit = 0; ///< Per million ticks of the requester, as all below.
  std::uint32_t cancel_unit = 0;
  std::uint32_t pause_step = 0;
  std::uint32_t cancel_step = 0;
  std::uint32_t early_seal = 0;
  std::uint32_t remove_contributor = 0;
  std::uint32_t forgive_question = 0;

  // --- the node ---
  std::uint32_t shards = 0;
  std::uint32_t writer_lanes = 0;
  std::size_t batch_max = 0;
  core::duration rejoin_max{};
  std::size_t high_water = 0;
  std::uint32_t unit_prefetch = 0;
  std::uint32_t units_live_max = 0;
  std::uint32_t leases_max = 0;
  core::duration unit_idle_timeout{};
  core::duration session_grace{};
  core::duration node_lease_time{};
  std::uint32_t nodes = 1; ///< At the start, and at most once all is calm.
  core::duration forward_patience{};
  core::duration retry_max{};
  core::duration redeliver_after{};
  std::uint32_t events_batch_max = 0;
  std::uint32_t events_high_water = 0;
  std::uint32_t restarts_max = 0;

  /// Whether there are webhooks. In some runs only: they send most of the messages, and what is
  /// left of a run's would be too few for everybody else.
  bool webhooks = false;
  bool monitors = false; ///< Those of all steps flag contributors.
  /// Of a hundred posts to receivers of webhooks: not taken, or their answer is lost.
  std::uint32_t receiver_trouble = 0;

  fault_rates faults;
  task_plan machine; ///< What programs do, besides or instead of people.
};

/// The plan of a seed: the same for ever, as long as this function is not changed.
plan draw_plan(std::uint64_t seed);

/// The last part of it: faults that only a share of the runs have, with dice of their own.
void draw_rare_faults(plan& p);

/// The plan on a few lines, for people.
std::string describe(const plan& p);

/// How many versions the plan's workflow has in the end.
inline std::uint32_t versions_of(const plan& p) {
  return static_cast<std::uint32_t>(p.later.size()) + 1;
}

/// The definition of the plan's workflow in a version, from 1.
std::string definition_of(const plan& p, std::uint32_t version);

/// Whether the version has the step.
bool has_step(const plan& p, std::uint32_t version, std::uint32_t position);

/// What the step asks of people in a version that has it.
core::requirements asked_in(const plan& p, std::uint32_t version, std::uint32_t position);

/// What the step gathers in a version that has it.
std::optional<core::gather_policy> gathered_in(const plan& p, std::uint32_t version,
                                               std::uint32_t position);

/// Whether some answers in the step are lists.
inline bool answers_lists(const plan& p, std::uint32_t position) {
  return p.lists && position == 0;
}

/// Such an answer.
inline constexpr auto list_answer = "[1,2,3]";

/// The most units of different chains that may become one: enough for each item of that list.
inline constexpr std::uint32_t chains_of_batch_max = 4;

/// What is known of somebody who meets all that any plan asks, or not all of it.
core::contributor_profile drawn_profile(bool whole);

/// Whether judgments of the step say under which version their unit began. Those of later versions
/// must, by their schema; tasks do not know.
bool names_version(const plan& p, std::uint32_t version, std::uint32_t position);

/// The most steps that a chain can pass.
std::size_t steps_of_chain(const plan& p);

} // namespace holdfast::sim
