// Whatever is asked of a queue, in whatever order: it does what a model says that keeps its tasks
// in a map and looks through all of them, and it keeps its promises to the database.

#include "core/queue.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/queue_mirror.hpp"
#include "tests/core/random_source.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using core::errc;
using core::instant;
using core::task_ending;
using core::task_id;
using core::worker_id;

namespace {

/// A span of time in which a task that failed is to be due again.
struct due_range {
  instant from;
  instant to;
};

/// The rules of a queue once more, as plainly as they can be put. Rates are not among them.
class model {
public:
  core::queue_policy policy;
  instant now = beginning;
  bool paused = false;
  std::set<std::string> paused_types;
  std::map<task_id, core::task> live;
  std::map<task_id, std::pair<core::task, task_ending>> ended;
  std::map<std::pair<std::string, std::string>, instant> held_off; ///< By type and credential.
  /// When one of these was last done well, since the first pause.
  std::map<std::pair<std::string, std::string>, instant> went_well;

  // --- what may be done ---

  errc check(const worker_id& worker, const core::held_task& item) const {
    const auto found = live.find(item.task);
    if (found == live.end())
      return errc::not_found;
    const auto* held = found->second.held();
    if (held == nullptr || held->owner != worker)
      return errc::lease_not_held;
    if (held->token != item.token)
      return errc::stale_token;
    return now < held->expires_at ? errc::none : errc::lease_expired;
  }

  errc check(const core::task& t, const core::task_update& update) const {
    const auto rules = policy.types.find(t.spec.type);
    if (!update.state || *update.state == t.progress.state || rules == policy.types.end()
        || rules->second.transitions.empty())
      return errc::none;
    return rules->second.transitions.at(t.progress.state).count(*update.state) != 0
               ? errc::none
               : errc::wrong_state;
  }

  std::optional<task_id> with_unique(const std::string& key) const {
    for (const auto& [id, t] : live)
      if (!key.empty() && t.spec.unique_key == key)
        return id;
    return std::nullopt;
  }

  /// Whether the task may be granted to the worker now, by everything but rates.
  bool claimable(const core::task& t, const core::claim& by) const {
    const auto until = held_off.find({t.spec.type, t.spec.credential});
    return !paused && t.held() == nullptr && !t.progress.paused && t.progress.next_action <= now
           && paused_types.count(t.spec.type) == 0
           && (by.types.empty() || std::count(by.types.begin(), by.types.end(), t.spec.type) != 0)
           && (until == held_off.end() || until->second <= now)
           && (!suspect(t) || !holds_suspect(by.worker))
           && below(policy.running_max, [](const core::task&) { return true; })
           && below(policy.running_per_key_max,
                    [&](const core::task& other) { return other.spec.key == t.spec.key; })
           && below(rules(t).running_max,
                    [&](const core::task& other) { return other.spec.type == t.spec.type; });
  }

  /// B49, C49: what is made earlier goes first, and each of priority counts as much as `aging`.
  /// A task that was paused or given back for nothing counts from when it was due again.
  std::pair<instant, task_id> place(const core::task& t) const {
    const auto& p = t.progress;
    const auto since = p.pauses > 0 || p.idle_releases > 0
                           ? std::max(t.spec.created_at, p.next_action)
                           : t.spec.created_at;
    return {since - policy.aging * t.spec.priority, t.spec.id};
  }

  bool holds_suspect(const worker_id& worker) const {
    return std::any_of(live.begin(), live.end(), [&](const auto& entry) {
      const auto* held = entry.second.held();
      return held != nullptr && held->owner == worker && suspect(entry.second);
    });
  }

  /// One more death of its worker would end it.
  bool suspect(const core::task& t) const {
    const auto most = retry_of(policy, t.spec.type).crashes_max;
    return t.progress.crashes > 0 && t.progress.crashes + 1 >= most;
  }

  /// The first moment after now at which time alone may change what can be done.
  instant next_change() const {
    auto next = instant::max();
    for (const auto& [id, t] : live) {
      if (const auto* held = t.held()) {
        next = std::min(next, held->expires_at);
      } else if (!paused && !t.progress.paused) {
        const auto until = held_off.find({t.spec.type, t.spec.credential});
        const auto chance = until == held_off.end()
                                ? t.progress.next_action
                                : std::max(t.progress.next_action, until->second);
        if (chance > now)
          next = std::min(next, chance);
      }
    }
    return next;
  }

  // --- what is done ---

  /// Whether one with the same number, or a higher one, is stored under that lease.
  bool overtakes(const core::save_task& command) const {
    const auto& p = live.at(command.task.task).progress;
    return command.number != 0 && p.saved_under == command.task.token
           && p.saved_number >= command.number;
  }

  void update(core::task& t, const core::task_update& update) {
    auto& p = t.progress;
    p.last_action = now;
    if (update.state && *update.state != p.state) {
      p.state = *update.state;
      p.attempts = p.crashes = 0;
      p.last_change = now;
    }
    if (update.data) {
      p.data = *update.data;
      p.last_change = now;
    }
    p.execution_state = update.execution_state.value_or(p.execution_state);
    p.percent = update.percent.value_or(p.percent);
  }

  void lease(core::task& t, const worker_id& worker, const core::assignment_id& id) {
    const auto token = ++t.leases.last_token;
    t.leases.active = {{id, worker, token, now, now + policy.lease.ttl}};
  }

  /// False when that would not make it later.
  bool extend(core::task& t) {
    auto& held = t.leases.active.front();
    const auto until = std::min(now + policy.lease.ttl, held.granted_at + policy.lease.total_max);
    const bool later = held.expires_at < until;
    held.expires_at = std::max(held.expires_at, until);
    return later;
  }

  void wait(core::task& t, instant next_action) {
    t.leases.active.clear();
    t.progress.last_action = now;
    t.progress.next_action = std::max(now, next_action);
  }

  void end(task_id id, task_ending how) {
    auto t = live.at(id);
    const std::pair group{t.spec.type, t.spec.credential};
    if (how == task_ending::completed && held_off.count(group) != 0)
      went_well[group] = now;
    live.erase(id);
    t.leases.active.clear();
    ended.emplace(id, std::pair{std::move(t), how});
  }

  /// Whether another try in vain is one too many, in all states of the task.
  bool in_vain(core::task& t) const {
    ++t.progress.failures;
    const auto tries = t.spec.max_attempts != 0 ? t.spec.max_attempts : policy.retry.max_attempts;
    return t.progress.failures
           >= std::max(policy.retry.failures_max, tries + policy.retry.crashes_max);
  }

  /// Within which the task is due again after `failures`; none when it is dead.
  std::optional<due_range> after_failure(std::uint32_t failures, std::uint32_t most,
                                         core::duration at_least) const {
    if (failures >= most)
      return std::nullopt;
    const auto& retry = policy.retry;
    const auto longest = std::min(retry.most, retry.least * (std::int64_t{1} << failures));
    return due_range{now + std::max(at_least, retry.least), now + std::max(at_least, longest)};
  }

  /// The lease has lived as long as one may.
  bool is_timeout(const core::lease& l) const {
    const auto& lease = policy.lease;
    return lease.total_max > lease.ttl && l.expires_at <= now
           && l.expires_at - l.granted_at >= lease.total_max;
  }

  std::optional<due_range> fail(core::task& t, core::duration at_least) {
    const auto most = t.spec.max_attempts != 0 ? t.spec.max_attempts : policy.retry.max_attempts;
    ++t.progress.attempts;
    const bool vain = in_vain(t);
    return vain ? std::nullopt : after_failure(t.progress.attempts, most, at_least);
  }

  /// The task was asked to come back at `back`.
  std::optional<due_range> pause(core::task& t, instant back) {
    const std::pair group{t.spec.type, t.spec.credential};
    const auto well = went_well.find(group);
    const bool alone =
        t.progress.pauses > 0 && well != went_well.end() && well->second >= t.paused_at;
    if (!alone)
      held_off[group] = std::max(held_off[group], back);
    t.paused_at = now;
    if (++t.progress.pauses >= policy.retry.pauses_max)
      return std::nullopt;
    return due_range{back, back};
  }

  /// The worker of a task is gone.
  std::optional<due_range> crash(core::task& t) {
    const auto crashes = ++t.progress.crashes;
    if (in_vain(t))
      return std::nullopt;
    if (crashes == 1 && policy.retry.crashes_max > 1)
      return due_range{now, now};
    if (crashes >= policy.retry.crashes_max)
      return std::nullopt;
    return after_failure(crashes - 1, policy.retry.crashes_max, {});
  }

private:
  const core::type_policy& rules(const core::task& t) const {
    static const core::type_policy none;
    const auto found = policy.types.find(t.spec.type);
    return found == policy.types.end() ? none : found->second;
  }

  template <class Alike>
  bool below(std::uint32_t most, Alike&& alike) const {
    return most == 0 || std::count_if(live.begin(), live.end(), [&](const auto& entry) {
                          return entry.second.held() != nullptr && alike(entry.second);
                        }) < most;
  }
};

/// How often something happened in all trials, to see that the sequences go everywhere.
std::map<std::string, std::size_t> seen;

/// One queue, its model and its mirror under a random sequence of commands.
class queue_trial {
  /// Carries the command out and checks all that holds whatever it is.
  template <class... Command>
  auto carry_out(const Command&... command) {
    auto made = decide(queue_, command..., now_);
    mirror_.apply(made.changes);
    check_equal(mirror_.difference(queue_));
    check_equal(queue_mirror::disagreement(queue_));
    if (made.refusal != errc::none)
      BOOST_TEST(made.changes.empty());
    // The same arguments give the same decision.
    const auto again = decide(twin_, command..., now_);
    BOOST_TEST((again.refusal == made.refusal));
    check_equal(mirror_.difference(twin_));
    if (random_.one_in(16)) {
      const auto loaded = mirror_.load(policy_);
      check_equal(mirror_.difference(loaded));
      check_equal(queue_mirror::disagreement(loaded));
    }
    return made;
  }

public:
  explicit queue_trial(std::uint64_t seed)
      : random_(seed), told_next_(seed), ids_(seed), mirror_("work") {
    any_policy();
    restart();
    carry_out(core::set_policy{policy_, "policy 0"});
  }

  void step() {
    pass_time();
    model_.now = now_;
    switch (random_.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return enqueue();
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return claim();
    case 9:
      return extend();
    case 10:
      return save();
    case 11:
      return release();
    case 12:
    case 13:
      return random_.one_in(3) ? follow() : complete();
    case 14:
    case 15:
      return fail();
    case 16:
      return random_.one_in(2) ? eject() : claim_task();
    case 17:
      return steer();
    case 18:
      return random_.one_in(4) ? lose_worker() : expire();
    default:
      switch (random_.below(5)) {
      case 0:
        return redrive();
      case 1:
        return pause_queue();
      case 2:
        return set_policy();
      case 3:
        return restart();
      default:
        return expire();
      }
    }
  }

private:
  // --- the frame of every step ---

  /// After the model has done the same.
  void check_model() { check_equal(queue_mirror::difference(queue_.tasks, model_.live)); }

  static void check_equal(const std::string& difference) {
    if (!difference.empty())
      BOOST_ERROR(difference);
  }

  /// The host has died: memory is what the database says.
  void restart() {
    queue_ = mirror_.load(policy_);
    twin_ = mirror_.load(policy_);
    model_.policy = policy_;
    model_.held_off.clear();
    model_.went_well.clear();
    for (auto& [id, t] : model_.live)
      t.paused_at = {};
    grants_.clear();
    check_equal(queue_mirror::disagreement(queue_));
  }

  /// Mostly to where something is about to change, one microsecond before and after.
  void pass_time() {
    if (!random_.one_in(3))
      return;
    std::vector<instant> edges{now_ + core::duration{1}, now_ + any_span(120)};
    const auto add_edge = [&](instant edge) {
      for (const auto offset : {-1, 0, 1})
        if (edge + core::duration{offset} > now_)
          edges.push_back(edge + core::duration{offset});
    };
    if (!queue_.expiries.empty())
      add_edge(queue_.expiries.begin()->first);
    if (!queue_.sleeping.empty())
      add_edge(queue_.sleeping.begin()->first);
    now_ = random_.of(edges);
    if (!queue_.expiries.empty() && queue_.expiries.begin()->first == now_)
      seen["expiries met"]++;
  }

  // --- any arguments ---

  core::duration any_span(std::uint64_t limit) {
    return core::duration{static_cast<std::int64_t>(random_.below(limit))};
  }

  std::uint32_t any_limit(std::uint32_t most) {
    return random_.one_in(2) ? 0 : static_cast<std::uint32_t>(1 + random_.below(most));
  }

  void any_policy() {
    policy_.lease.ttl = core::duration{10} + any_span(100);
    policy_.lease.total_max = policy_.lease.ttl * static_cast<int>(1 + random_.below(3));
    policy_.retry.max_attempts = static_cast<std::uint32_t>(1 + random_.below(4));
    policy_.retry.crashes_max = static_cast<std::uint32_t>(1 + random_.below(4));
    policy_.retry.failures_max = static_cast<std::uint32_t>(1 + random_.below(8));
    policy_.retry.pauses_max = static_cast<std::uint32_t>(1 + random_.below(8));
    policy_.retry.releases_max = static_cast<std::uint32_t>(2 + random_.below(4));
    policy_.retry.least = core::duration{1} + any_span(20);
    policy_.retry.most = policy_.retry.least * static_cast<int>(1 + random_.below(10));
    policy_.depth_max = static_cast<std::uint32_t>(5 + random_.below(15));
    auto& check = policy_.types["check"];
    check.first_state = "waiting";
    check.transitions = {
        {"waiting", {"scanned"}}, {"scanned", {"matched", "waiting"}}, {"matched", {}}};
    if (random_.one_in(3)) {
      policy_.rate = {1e4 * static_cast<double>(1 + random_.below(5)),
                      static_cast<double>(1 + random_.below(4))};
    }
    any_limits();
  }

  /// What a new policy changes.
  void any_limits() {
    policy_.running_max = any_limit(4);
    policy_.running_per_key_max = any_limit(2);
    policy_.types["check"].running_max = any_limit(2);
    policy_.weights = {{"acme", 0.5 + static_cast<double>(random_.below(4))}};
    policy_.aging = core::duration{1} + any_span(50);
    // Without dice: all else is as it would be without events.
    constexpr std::uint64_t choices = 16;
    auto chosen = told_next_++ % choices;
    policy_.events.clear();
    for (const auto ending : {core::task_ending::completed, core::task_ending::failed,
                              core::task_ending::dead, core::task_ending::canceled}) {
      if (chosen % 2 == 1)
        policy_.events.insert(ending);
      chosen /= 2;
    }
    mirror_.tells(policy_.events);
  }

  task_id any_task() {
    // Sometimes one that is over, or that never was.
    if (random_.one_in(20) || queue_.tasks.empty())
      return model_.ended.empty() || random_.one_in(2)
                 ? task_id{ids_.next(now_)}
                 : std::next(model_.ended.begin(),
                             static_cast<std::ptrdiff_t>(random_.below(model_.ended.size())))
                       ->first;
    return std::next(model_.live.begin(),
                     static_cast<std::ptrdiff_t>(random_.below(model_.live.size())))
        ->first;
  }

  /// A task, mostly one that the worker holds, and mostly under its token.
  core::held_task any_hold(const worker_id& who) {
    const auto held = queue_.held.find(who);
    const auto id =
        held == queue_.held.end() || random_.one_in(8)
            ? any_task()
            : *std::next(held->second.begin(),
                         static_cast<std::ptrdiff_t>(random_.below(held->second.size())));
    const auto found = model_.live.find(id);
    if (found == model_.live.end())
      return {id, random_.below(3)};
    const auto last = found->second.leases.last_token;
    return {id, random_.one_in(8) ? random_.below(last + 2) : last};
  }

  core::task_update any_update() {
    core::task_update update;
    if (random_.one_in(3))
      update.state = random_.of(states);
    if (random_.one_in(4))
      update.data = "{\"n\":" + std::to_string(random_.below(100)) + "}";
    if (random_.one_in(4))
      update.execution_state = std::to_string(random_.below(100));
    if (random_.one_in(4))
      update.percent = static_cast<std::uint32_t>(random_.below(101));
    return update;
  }

  instant any_next_action() { return random_.one_in(3) ? instant{} : now_ + any_span(50); }

  // --- the commands ---

  core::new_task any_new_task() {
    core::new_task item;
    item.spec.id = random_.one_in(8) ? any_task() : task_id{ids_.next(now_)};
    item.spec.type = random_.of(types);
    item.spec.priority = static_cast<std::int16_t>(random_.below(5)) - 2;
    item.spec.key = random_.of(keys);
    item.spec.credential = random_.one_in(2) ? "" : "gold";
    item.spec.unique_key = random_.one_in(4) ? random_.of(unique_keys) : "";
    item.spec.max_attempts = random_.one_in(4) ? 2 : 0;
    item.state = random_.one_in(4) ? random_.of(states) : "";
    item.run_at = any_next_action();
    item.conflict = random_.one_in(2) ? core::on_conflict::keep : core::on_conflict::reject;
    return item;
  }

  void enqueue() {
    core::enqueue command;
    for (auto n = 1 + random_.below(3); n > 0; --n) {
      auto item = any_new_task();
      // The caller has made sure that no id is of a finished task.
      if (model_.ended.count(item.spec.id) == 0)
        command.tasks.push_back(std::move(item));
    }
    const auto made = carry_out(command);
    BOOST_REQUIRE(made.answer.size() == command.tasks.size());
    for (std::size_t i = 0; i < command.tasks.size(); ++i)
      check_enqueued(command.tasks[i], made.answer[i]);
    check_model();
  }

  void check_enqueued(const core::new_task& item, const core::item_outcome& got) {
    const auto& spec = item.spec;
    const auto expect = [&](errc refusal, const task_id& task, bool repeated) {
      BOOST_TEST(got.refusal == refusal);
      BOOST_TEST(to_string(got.task) == to_string(task));
      BOOST_TEST(got.repeated == repeated);
      seen["enqueue " + std::string{to_string(refusal)} + (repeated ? " repeated" : "")]++;
    };
    if (model_.live.count(spec.id) != 0)
      return expect(errc::none, spec.id, true);
    if (const auto taken = model_.with_unique(spec.unique_key))
      return item.conflict == core::on_conflict::keep
                 ? expect(errc::none, *taken, true)
                 : expect(errc::already_exists, spec.id, false);
    if (model_.live.size() >= policy_.depth_max)
      return expect(errc::overloaded, spec.id, false);
    if (!has_state(item))
      return expect(errc::wrong_state, spec.id, false);
    expect(errc::none, spec.id, false);
    make(item);
  }

  static std::string opening_state_of(const core::new_task& item) {
    return !item.state.empty() ? item.state : item.spec.type == "check" ? "waiting" : "new";
  }
  bool has_state(const core::new_task& item) {
    return item.spec.type != "check"
           || policy_.types["check"].transitions.count(opening_state_of(item)) != 0;
  }

  /// The model has the task from now on.
  void make(const core::new_task& item) {
    const auto& spec = item.spec;
    core::task t;
    t.spec = spec;
    t.spec.created_at = now_;
    t.progress.state = opening_state_of(item);
    t.progress.next_action = std::max(now_, item.run_at);
    t.progress.last_change = t.progress.last_action = now_;
    model_.live[spec.id] = t;
  }

  /// D39: both or neither, however full the queue is.
  void follow() {
    core::follow_task command;
    command.worker = random_.of(workers);
    command.done = {any_hold(command.worker), "{}"};
    command.next = any_new_task();
    if (model_.ended.count(command.next.spec.id) != 0)
      return;
    command.claim = {ids_.next(now_)};
    const auto& next = command.next.spec;
    const auto done = command.done.task.task;
    const bool full = model_.live.size() >= policy_.depth_max;
    auto late = mirror_.late_results();
    const auto got = carry_out(command).answer;
    const auto taken = model_.with_unique(next.unique_key);
    auto expected = model_.check(command.worker, command.done.task);
    const bool lost = expected != errc::none;
    if (lost)
      check_late(command.done.task, late);
    BOOST_TEST(mirror_.late_results() == late);
    if (!lost
        && (model_.live.count(next.id) != 0
            || (taken && (*taken == done || command.next.conflict == core::on_conflict::reject))))
      expected = errc::already_exists;
    if (expected == errc::none && !taken && !has_state(command.next))
      expected = errc::wrong_state;
    BOOST_TEST(got.refusal == expected);
    seen["follow " + std::string{to_string(expected)} + (full ? " full" : "")]++;
    if (expected != errc::none)
      return check_model();
    BOOST_TEST(got.repeated == taken.has_value());
    end(done, task_ending::completed);
    if (!taken) {
      make(command.next);
      model_.lease(model_.live.at(next.id), command.worker, command.claim);
    }
    check_model();
  }

  void claim() {
    core::claim command;
    command.worker = random_.of(workers);
    auto& last = claims_[command.worker];
    if (!random_.one_in(5) || !last)
      last = {ids_.next(now_)};
    command.id = last;
    command.most = static_cast<std::uint32_t>(random_.below(5));
    if (random_.one_in(3))
      command.types = {random_.of(types)};
    std::set<task_id> before;
    for (const auto& [id, t] : model_.live)
      if (t.held() != nullptr && t.held()->id == command.id)
        before.insert(id);

    const auto granted = carry_out(command).answer;
    if (!before.empty()) {
      // The reply was lost: the same tasks, under the same tokens.
      BOOST_TEST((std::set<task_id>{granted.begin(), granted.end()} == before));
      seen["claim repeated"]++;
      return check_model();
    }
    for (const auto& id : granted) {
      auto& t = model_.live.at(id);
      BOOST_TEST(model_.claimable(t, command), "granted against the rules: " << describe(t));
      for (const auto& [other, waiting] : model_.live)
        if (waiting.spec.key == t.spec.key && model_.claimable(waiting, command)
            && policy_.rate.per_second <= 0)
          BOOST_TEST((model_.place(t) <= model_.place(waiting)), "B49, C49: another goes first");
      seen[model_.suspect(t) ? "suspect granted" : "granted"]++;
      model_.lease(t, command.worker, command.id);
      check_rate();
    }
    check_model();
    if (granted.size() == command.most)
      return;
    for (const auto& [id, t] : model_.live)
      if (policy_.rate.per_second <= 0 && model_.claimable(t, command))
        BOOST_ERROR("not granted: " << describe(t));
    // I-9: nothing that time alone makes possible is missed; what is due when the queue's rate
    // allows nothing more waits for the next token.
    const auto token = policy_.rate.per_second <= 0
                           ? core::duration::zero()
                           : std::chrono::ceil<core::duration>(
                               std::chrono::duration<double>{1 / policy_.rate.per_second});
    BOOST_TEST((next_wake(queue_, now_) <= std::max(model_.next_change(), now_ + token)));
    if (model_.paused)
      BOOST_TEST((next_wake(queue_, now_) == model_.next_change()));
  }

  /// C34: never more than `burst + per_second * t` in any time t.
  void check_rate() {
    if (policy_.rate.per_second <= 0)
      return;
    grants_.push_back(now_);
    for (std::size_t first = 0; first < grants_.size(); ++first) {
      const auto seconds = std::chrono::duration<double>(now_ - grants_[first]).count();
      const auto most = policy_.rate.burst + policy_.rate.per_second * seconds;
      BOOST_TEST(static_cast<double>(grants_.size() - first) <= most + 1e-6);
    }
  }

  void claim_task() {
    const core::claim_task command{random_.of(workers), {ids_.next(now_)}, any_task()};
    const auto found = model_.live.find(command.task);
    const auto expected = found == model_.live.end()        ? errc::not_found
                          : found->second.held() != nullptr ? errc::already_exists
                                                            : errc::none;
    BOOST_TEST(carry_out(command).refusal == expected);
    if (expected == errc::none)
      model_.lease(found->second, command.worker, command.id);
    check_model();
  }

  void extend() {
    core::extend_tasks command;
    command.worker = random_.of(workers);
    for (auto n = 1 + random_.below(3); n > 0; --n)
      command.tasks.push_back(any_hold(command.worker));
    const auto made = carry_out(command);
    BOOST_REQUIRE(made.answer.size() == command.tasks.size());
    for (std::size_t i = 0; i < command.tasks.size(); ++i) {
      auto expected = model_.check(command.worker, command.tasks[i]);
      if (expected == errc::none && !model_.extend(model_.live.at(command.tasks[i].task)))
        expected = errc::not_extendable;
      BOOST_TEST(made.answer[i].refusal == expected);
      seen["extend " + std::string{to_string(expected)}]++;
    }
    check_model();
  }

  /// Whether the worker may do this to the task.
  template <class Command>
  bool check_update(const Command& command, errc got) {
    auto expected = model_.check(command.worker, command.task);
    if (expected == errc::none)
      expected = model_.check(model_.live.at(command.task.task), command.update);
    BOOST_TEST(got == expected);
    seen["update " + std::string{to_string(expected)}]++;
    return expected == errc::none;
  }

  void save() {
    const auto who = random_.of(workers);
    const auto hold = any_hold(who);
    // Without a draw, so that the other commands are as ever.
    const auto number = static_cast<std::uint64_t>(core::to_micros(now_)) % 3;
    const core::save_task command{who, hold, any_update(), number};
    const auto got = carry_out(command).answer.refusal;
    if (model_.check(who, hold) == errc::none && model_.overtakes(command)) { // I-14
      BOOST_TEST(got == errc::none);
      seen["save overtaken"]++;
    } else if (check_update(command, got)) {
      auto& t = model_.live.at(hold.task);
      model_.update(t, command.update);
      if (command.number != 0) {
        t.progress.saved_under = hold.token;
        t.progress.saved_number = command.number;
      }
      // Half of a lease may pass before a sign of life is written as an extension.
      if (t.held()->expires_at - now_ < policy_.lease.ttl / 2)
        model_.extend(t);
    }
    check_model();
  }

  void release() {
    const auto who = random_.of(workers);
    const auto hold = any_hold(who);
    const core::release_task command{who, hold, any_update(), any_next_action()};
    if (check_update(command, carry_out(command).answer.refusal)) {
      auto& t = model_.live.at(hold.task);
      const auto granted = t.held()->granted_at;
      const auto before = t.progress;
      model_.update(t, command.update);
      auto& p = t.progress;
      const bool moved_on = before.last_action > granted || p.state != before.state
                            || p.data != before.data || p.execution_state != before.execution_state
                            || p.percent != before.percent;
      if (moved_on)
        p.idle_releases = 0;
      if (moved_on || command.next_action > now_) {
        model_.wait(t, command.next_action);
      } else {
        seen["released for nothing"]++;
        give_back_idle(t, granted);
      }
    }
    check_model();
  }

  void give_back_idle(core::task& t, instant granted) {
    const auto releases = ++t.progress.idle_releases;
    const auto& retry = policy_.retry;
    if (releases >= retry.releases_max)
      return end(t.spec.id, task_ending::dead);
    if (releases == 1)
      return model_.wait(t, granted);
    const auto longest = std::min(retry.most, retry.least * (std::int64_t{1} << (releases - 1)));
    wait_or_die(
        t, due_range{std::max(now_, granted + retry.least), std::max(now_, granted + longest)});
  }

  /// D29: a result under an old token is recorded, when there was such a lease, and changes
  /// nothing.
  void check_late(const core::held_task& item, std::size_t& expected) const {
    const auto found = model_.live.find(item.task);
    if (found != model_.live.end() && item.token >= 1
        && item.token <= found->second.leases.last_token)
      ++expected;
  }

  void complete() {
    core::complete_tasks command;
    command.worker = random_.of(workers);
    for (auto n = 1 + random_.below(3); n > 0; --n)
      command.tasks.push_back({any_hold(command.worker), "{}"});
    auto late = mirror_.late_results();
    const auto made = carry_out(command);
    BOOST_REQUIRE(made.answer.size() == command.tasks.size());
    std::map<task_id, core::token> done; // by an earlier item of this very request
    for (std::size_t i = 0; i < command.tasks.size(); ++i) {
      const auto& item = command.tasks[i].task;
      if (const auto before = done.find(item.task); before != done.end()) {
        const bool same = before->second == item.token;
        BOOST_TEST(made.answer[i].refusal == (same ? errc::none : errc::lease_not_held));
        BOOST_TEST(made.answer[i].repeated == same);
        continue;
      }
      const auto expected = model_.check(command.worker, item);
      BOOST_TEST(made.answer[i].refusal == expected);
      if (expected == errc::none) {
        end(item.task, task_ending::completed);
        done.emplace(item.task, item.token);
      } else
        check_late(item, late);
    }
    BOOST_TEST(mirror_.late_results() == late);
    check_model();
  }

  void fail() {
    const auto who = random_.of(workers);
    const auto hold = any_hold(who);
    core::fail_task command{who, hold, core::failure_kind::transient, {"E", "x"}, {}, any_update()};
    command.kind =
        random_.of(std::vector{core::failure_kind::transient, core::failure_kind::transient,
                               core::failure_kind::permanent, core::failure_kind::rate_limited});
    if (random_.one_in(2))
      command.retry_after = any_span(60);
    auto late = mirror_.late_results();
    if (model_.check(who, hold) != errc::none)
      check_late(hold, late);
    const auto allowed = check_update(command, carry_out(command).answer.refusal);
    BOOST_TEST(mirror_.late_results() == late);
    if (!allowed)
      return check_model();
    auto& t = model_.live.at(hold.task);
    model_.update(t, command.update);
    if (command.kind == core::failure_kind::permanent) {
      end(hold.task, task_ending::failed);
    } else if (command.kind == core::failure_kind::rate_limited) {
      seen["paused"]++;
      const auto back = now_ + std::max(command.retry_after, policy_.retry.least);
      wait_or_die(t, model_.pause(t, back));
    } else {
      wait_or_die(t, model_.fail(t, command.retry_after));
    }
    check_model();
  }

  void wait_or_die(core::task& t, const std::optional<due_range>& range) {
    if (!range)
      return end(t.spec.id, task_ending::dead);
    // The jitter is the queue's own business; its bounds are not.
    const auto actual = queue_.tasks.find(t.spec.id);
    BOOST_REQUIRE((actual != queue_.tasks.end()));
    const auto due = actual->second.progress.next_action;
    BOOST_TEST((range->from <= due && due <= range->to));
    model_.wait(t, due);
  }

  void end(task_id id, task_ending how) {
    seen["ended " + std::string{to_string(how)}]++;
    model_.end(id, how);
    const auto stored = mirror_.ended().find(id);
    BOOST_REQUIRE((stored != mirror_.ended().end()));
    BOOST_TEST(stored->second.ending == how);
  }

  template <class Made>
  static void check_lost(const Made& made, const core::task& t) {
    BOOST_TEST(made.answer.has_value() == (t.held() != nullptr));
    if (made.answer && t.held() != nullptr) {
      BOOST_TEST(made.answer->worker == t.held()->owner);
      BOOST_TEST(made.answer->token == t.held()->token);
    }
  }

  void eject() {
    core::eject_task command{any_task(), any_update(), any_next_action(), {}};
    if (random_.one_in(2))
      command.claim = {ids_.next(now_)};
    if (const auto t = model_.live.find(command.task); t != model_.live.end() && random_.one_in(4))
      command.claim = t->second.progress.ejection;
    const auto made = carry_out(command);
    const auto found = model_.live.find(command.task);
    if (found != model_.live.end() && command.claim
        && found->second.progress.ejection == command.claim) {
      seen["eject repeated"]++;
      BOOST_TEST(made.changes.empty());
      BOOST_TEST(!made.answer.has_value());
      return check_model();
    }
    const auto expected =
        found == model_.live.end() ? errc::not_found : model_.check(found->second, command.update);
    BOOST_TEST(made.refusal == expected);
    if (expected == errc::none) {
      check_lost(made, found->second);
      if (command.claim)
        found->second.progress.ejection = command.claim;
      model_.update(found->second, command.update);
      model_.wait(found->second, command.next_action);
    }
    check_model();
  }

  void steer() {
    const auto id = any_task();
    const auto verb = random_.one_in(6)
                          ? core::task_verb::cancel
                          : random_.of(std::vector{core::task_verb::pause, core::task_verb::resume,
                                                   core::task_verb::retry});
    const auto made = carry_out(verb, id);
    const auto found = model_.live.find(id);
    BOOST_TEST(made.refusal == (found == model_.live.end() ? errc::not_found : errc::none));
    if (found == model_.live.end())
      return;
    auto& p = found->second.progress;
    if (verb == core::task_verb::cancel) {
      check_lost(made, found->second);
      end(id, task_ending::canceled);
    } else {
      auto wanted = p;
      if (verb == core::task_verb::retry)
        wanted.next_action = std::min(p.next_action, now_);
      else
        wanted.paused = verb == core::task_verb::pause;
      const bool changes = wanted.paused != p.paused || wanted.next_action != p.next_action;
      BOOST_TEST(made.changes.empty() != changes);
      if (changes)
        wanted.last_action = now_;
      p = wanted;
    }
    check_model();
  }

  /// The leases that are over, one after the other.
  template <class Over>
  void check_crashes(const std::vector<core::lost_lease>& lost, bool expired, Over&& over) {
    std::set<task_id> expected;
    for (const auto& [id, t] : model_.live)
      if (t.held() != nullptr && over(*t.held()))
        expected.insert(id);
    BOOST_TEST(lost.size() == expected.size());
    for (const auto& one : lost) {
      BOOST_REQUIRE(expected.count(one.task) == 1U);
      auto& t = model_.live.at(one.task);
      BOOST_TEST(one.worker == t.held()->owner);
      BOOST_TEST(one.token == t.held()->token);
      const bool timeout = expired && model_.is_timeout(*t.held());
      seen[timeout ? "timed out" : "crashed"]++;
      wait_or_die(t, timeout ? model_.fail(t, {}) : model_.crash(t));
    }
    check_model();
  }

  void expire() {
    check_crashes(carry_out(core::expire_tasks{}).answer, true,
                  [&](const core::lease& l) { return l.expires_at <= now_; });
  }

  void lose_worker() {
    const auto who = random_.of(workers);
    check_crashes(carry_out(core::lose_worker{who}).answer, false,
                  [&](const core::lease& l) { return l.owner == who; });
  }

  void redrive() {
    if (mirror_.ended().empty())
      return;
    const auto past =
        *std::next(mirror_.ended().begin(),
                   static_cast<std::ptrdiff_t>(random_.below(mirror_.ended().size())));
    const auto& [id, was] = past;
    const auto made = carry_out(core::redrive_task{was.spec, was.progress, was.last_token});
    const auto expected =
        model_.with_unique(was.spec.unique_key) ? errc::already_exists : errc::none;
    BOOST_TEST(made.answer.refusal == expected);
    if (expected == errc::none) {
      core::task t;
      t.spec = was.spec;
      t.progress = was.progress;
      t.leases.last_token = was.last_token;
      auto& p = t.progress;
      p.attempts = p.crashes = p.failures = p.percent = 0;
      p.pauses = p.idle_releases = 0;
      p.ejection = {};
      p.saved_under = p.saved_number = 0;
      p.paused = false;
      p.next_action = p.last_action = now_;
      model_.ended.erase(id);
      model_.live[id] = t;
      seen["redriven"]++;
    }
    check_model();
  }

  void pause_queue() {
    // Mostly resumed, so that something happens.
    const core::pause_queue command{random_.one_in(4), random_.one_in(2) ? "" : "mail"};
    const auto was = command.type.empty() ? model_.paused : model_.paused_types.count("mail") != 0;
    const auto made = carry_out(command);
    BOOST_TEST(made.answer == (was != command.paused));
    BOOST_TEST(made.changes.empty() == (was == command.paused));
    if (command.type.empty())
      model_.paused = command.paused;
    else if (command.paused)
      model_.paused_types.insert(command.type);
    else
      model_.paused_types.erase(command.type);
  }

  void set_policy() {
    const bool same = random_.one_in(3);
    if (!same)
      any_limits();
    const auto made = carry_out(core::set_policy{
        policy_, same ? queue_.definition : "policy " + std::to_string(++definitions_)});
    BOOST_TEST(made.answer != same);
    BOOST_TEST(made.changes.empty() == same);
    model_.policy = policy_;
    check_model();
  }

  static inline const std::vector<worker_id> workers{"w1", "w2", "w3"};
  static inline const std::vector<std::string> types{"mail", "check"};
  static inline const std::vector<std::string> keys{"", "acme", "bolt"};
  static inline const std::vector<std::string> unique_keys{"u1", "u2"};
  static inline const std::vector<std::string> states{"waiting", "scanned", "matched", "new"};

  random_source random_;
  std::uint64_t told_next_; ///< Which ends the next policy tells.
  core::uuid_source ids_;
  core::queue_policy policy_;
  queue_mirror mirror_;
  core::queue queue_;
  core::queue twin_; ///< Asked the same.
  model model_;
  instant now_ = beginning;
  std::map<worker_id, core::assignment_id> claims_;
  std::vector<instant> grants_; ///< Since the last restart, which starts the buckets anew.
  std::size_t definitions_ = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(queue_properties)

// I-2, I-3, I-13, B49, C34, C49, D1, D5, D13, D14, D15, D25, D29, D33, D37, D39
BOOST_AUTO_TEST_CASE(a_queue_does_what_its_model_says_under_any_sequence_of_commands) {
  seen.clear();
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    queue_trial trial{seed};
    for (int step = 0; step < 200; ++step)
      BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) { trial.step(); }
  }
  // The sequences go everywhere.
  for (const auto* what : {"expiries met",
                           "granted",
                           "suspect granted",
                           "claim repeated",
                           "redriven",
                           "ended Completed",
                           "ended Failed",
                           "ended Canceled",
                           "ended Dead",
                           "enqueue none",
                           "enqueue none repeated",
                           "enqueue already_exists",
                           "enqueue overloaded",
                           "enqueue wrong_state",
                           "follow none",
                           "extend none",
                           "extend not_extendable",
                           "extend lease_expired",
                           "extend stale_token",
                           "extend lease_not_held",
                           "extend not_found",
                           "update none",
                           "update wrong_state"})
    BOOST_TEST(seen[what] >= 30U, what << ": " << seen[what]);
  for (const auto* what : {"follow none full", "follow already_exists", "follow wrong_state",
                           "eject repeated", "save overtaken"})
    BOOST_TEST(seen[what] >= 1U, what);
}

BOOST_AUTO_TEST_SUITE_END()
