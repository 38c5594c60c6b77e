#include "actors/step_state.hpp"

#include "core/clock_steps.hpp"
#include "core/unit_tasks.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::actors {

namespace {

/// A unit whose actor crashed this often is a poison pill: it is paused, and its siblings go on.
constexpr std::uint32_t crashes_max = 3;

/// Until the leases of a unit that is damaged are looked at again: somebody has to mend it first.
constexpr core::duration unreadable_pause = std::chrono::seconds{60};

void start_unit(step_ptr self, core::unit loaded) {
  auto& st = self->state;
  const auto id = loaded.id;
  const auto shared = context_of(st, loaded);
  auto actor = self->spawn(unit_actor, std::move(loaded), shared);
  // Not `monitor`: what comes then names the actor and not the unit, so that a second table would
  // be needed.
  actor->attach_functor([step = shared->step, id](const caf::error& reason) {
    caf::anon_send(step, unit_ended{id, reason});
  });
  st.live[id] = {actor, now(self, st.context)};
  if (!st.sweep_armed) {
    st.sweep_armed = true;
    self->delayed_send(self, st.context->settings.unit_idle_timeout, sweep_tick{});
  }
}

/// Everybody who has waited for the unit gets its actor; or, when it does not live now, `why`.
void serve(step_ptr self, const core::unit_id& unit, const core::failure& why) {
  auto& st = self->state;
  const auto waiting = st.awaited.extract(unit);
  if (waiting.empty())
    return;
  const auto found = st.live.find(unit);
  const auto actor = found == st.live.end() ? caf::actor{} : found->second.actor;
  for (const auto& user : waiting.mapped())
    user(actor, actor ? core::failure{} : why);
}

core::failure no_such_unit(step_ptr self, const core::unit_id& unit) {
  return {core::errc::not_found,
          "no unit " + to_string(unit) + " in step " + to_string(self->state.identity.step())};
}

/// Its rows are damaged. Nobody is offered it until somebody has asked for it and it could be read.
void set_aside(step_ptr self, const core::unit_id& unit, const core::failure& why,
               bool park = false) {
  auto& st = self->state;
  st.ready.suspend(unit);
  if (st.board->is_question(unit))
    st.board->set_open(unit, false);
  const auto [known, first] = st.unreadable.try_emplace(unit, park);
  known->second = known->second || park;
  if (first) // once, and not at every request
    st.context->log(log_level::error, "unit_unreadable",
                    {{"step", to_string(st.identity.step())},
                     {"unit", to_string(unit)},
                     {"reason", why.detail}});
}

void enter_reloaded(step_ptr self, core::unit_record stored, bool park);

void start_loaded(step_ptr self, core::unit_record loaded) {
  auto& st = self->state;
  const auto damaged = st.unreadable.extract(loaded.id);
  if (damaged.empty())
    return start_unit(self, static_cast<core::unit&&>(loaded));
  if (st.board->is_question(loaded.id))
    st.board->set_open(loaded.id, loaded.state == core::unit_state::judgable);
  enter_reloaded(self, std::move(loaded), damaged.mapped());
}

/// Loads units that are in `awaited` and neither live nor leaving.
void load_awaited(step_ptr self, std::vector<core::unit_id> units) {
  read_units(self, units)
      .then(
          [=](std::vector<core::unit_record>& loaded) {
            // An id from outside may name a unit of another step, which that step alone may host.
            for (auto& unit : loaded)
              if (unit.step == self->state.identity.step())
                start_loaded(self, std::move(unit));
            for (const auto& unit : units)
              serve(self, unit, no_such_unit(self, unit));
          },
          [=](const core::failure& why) {
            if (!core::describe(why.code).retryable) {
              // It may be one of them alone.
              if (units.size() > 1) {
                for (const auto& unit : units)
                  load_awaited(self, {unit});
                return;
              }
              set_aside(self, units.front(), why);
              return serve(self, units.front(), why);
            }
            self->state.context->log(log_level::warning, "unit_load_failed",
                                     {{"reason", why.detail}});
            for (const auto& unit : units)
              serve(self, unit, {core::errc::unavailable, "the unit cannot be loaded now"});
          });
}

void set_expiry(step_ptr self, const core::unit_id& unit, core::instant at) {
  auto& st = self->state;
  const auto known = st.expiry_of.find(unit);
  if (known != st.expiry_of.end()) {
    if (known->second == at)
      return;
    st.expiries.erase({known->second, unit});
    st.expiry_of.erase(known);
  }
  if (at == core::instant::max())
    return;
  st.expiry_of.emplace(unit, at);
  st.expiries.emplace(at, unit);
  arm_expiry(self);
}

/// Sends an idle or finished unit away. Until its end nobody may load it again: what it has decided
/// may still be on its way to the database.
void send_away(step_ptr self, const core::unit_id& unit, const caf::actor& actor) {
  self->state.awaited[unit];
  self->state.leaving[unit] = actor;
  self->send(actor, unit_command{passivate{}});
}

void forget_unit(step_ptr self, const core::unit_id& unit) {
  auto& st = self->state;
  // Whoever was being given a question when it crashed has had it, and is asked it again unless
  // what is stored says otherwise. A unit comes in anew, for everybody.
  if (st.board->is_question(unit))
    for (const auto& [contributor, leases] : st.held)
      if (std::any_of(leases.begin(), leases.end(), [&](const auto& l) { return l.unit == unit; }))
        st.ready.bar(unit, contributor, now(self, st.context));
  st.ready.close(unit);
  st.reserved.erase(unit);
  set_expiry(self, unit, core::instant::max());
  for (auto it = st.held.begin(); it != st.held.end();) {
    auto& leases = it->second;
    leases.erase(
        std::remove_if(leases.begin(), leases.end(), [&](const auto& l) { return l.unit == unit; }),
        leases.end());
    it = leases.empty() ? st.held.erase(it) : std::next(it);
  }
}

/// Who is to hear of the ends of the leases on a unit, by assignment.
std::unordered_map<core::assignment_id, caf::actor> owners_of(const step_state& st,
                                                              const core::unit_id& unit) {
  std::unordered_map<core::assignment_id, caf::actor> owners;
  for (const auto& [contributor, leases] : st.held)
    for (const auto& lease : leases)
      if (lease.unit == unit && lease.owner)
        owners.emplace(lease.assignment, lease.owner);
  return owners;
}

/// Leases that are still there end as they would have: their owners are told.
void restore_owners(step_ptr self, const core::unit_record& stored,
                    const std::unordered_map<core::assignment_id, caf::actor>& owners) {
  auto& held = self->state.held;
  for (const auto& active : stored.leases.active)
    if (const auto leases = held.find(active.owner); leases != held.end())
      for (auto& lease : leases->second)
        if (const auto owner = owners.find(lease.assignment); owner != owners.end())
          lease.owner = owner->second;
}

/// Enters a unit as the database has it after its actor crashed; a poison pill is paused first.
void enter_reloaded(step_ptr self, core::unit_record stored, bool park) {
  auto& st = self->state;
  const auto owners = owners_of(st, stored.id);
  forget_unit(self, stored.id);
  if (park) {
    auto parked = core::decide(stored, context_of(st, stored)->lease, core::unit_verb::pause,
                               now(self, st.context));
    if (!parked.changes.empty()) {
      st.context->log(log_level::error, "unit_parked", {{"unit", to_string(stored.id)}});
      write(self, std::move(parked.changes), [](const core::failure&) {});
    }
  }
  if (stored.state == core::unit_state::judgable || stored.state == core::unit_state::paused)
    enter_unit(self, summary_of(stored));
  restore_owners(self, stored, owners);
  std::vector<core::contributor_id> left_out;
  std::vector<core::step_history::trusted> trusted;
  for (const auto& judgment : stored.judgments) {
    const core::judgment_moment when{judgment.submitted_at, judgment.id};
    trusted.push_back(
        {judgment.contributor, stored.id, when, {judgment.trust, judgment.trust_questions}});
    if (judgment.tainted && !st.board->removed(judgment.contributor))
      left_out.push_back(judgment.contributor);
    // It may have ended before it could tell.
    if (judgment.test_correct)
      conclude(self, {stored.id, judgment.contributor, *judgment.test_correct, when});
  }
  const auto id = stored.id;
  start_unit(self, static_cast<core::unit&&>(stored));
  // A poison pill is left alone until somebody resumes it.
  if (park)
    return;
  disregard_removed(self, id);
  for (const auto& wrong : st.board->wrongly_trusted(trusted))
    trust_anew(self, wrong.contributor, {id});
  for (const auto& contributor : left_out)
    reinstate(self, contributor, {id});
}

/// Nobody may load it until this has: what the step believes of it is not to be relied on.
void reload(step_ptr self, const core::unit_id& unit, bool park, std::uint32_t attempt) {
  read_units(self, {unit})
      .then(
          [=](std::vector<core::unit_record>& units) {
            for (auto& stored : units)
              enter_reloaded(self, std::move(stored), park);
            serve(self, unit, no_such_unit(self, unit));
          },
          [=](const core::failure& why) {
            auto& state = self->state;
            if (!core::describe(why.code).retryable) {
              set_aside(self, unit, why, park);
              return serve(self, unit, why);
            }
            state.context->log(log_level::warning, "unit_load_failed", {{"reason", why.detail}});
            state.ready.suspend(unit);
            for (const auto& user : std::exchange(state.awaited[unit], {}))
              user({}, {core::errc::unavailable, "the unit cannot be loaded now"});
            again_later(self, attempt, [=] { reload(self, unit, park, attempt + 1); });
          });
}

/// What a crashed unit had decided may be in the database or not: asks the writer to settle it,
/// then reads.
void reload_after_crash(step_ptr self, const core::unit_id& unit, bool park) {
  self->state.awaited[unit]; // nobody may load it before the barrier
  write(self, {}, [=](const core::failure& settled) {
    if (settled.code == core::errc::none)
      reload(self, unit, park, 1);
  });
}

} // namespace

void set_unit_aside(step_ptr self, const core::unit_id& unit, const core::failure& why) {
  set_aside(self, unit, why);
}

void with_unit(step_ptr self, const core::unit_id& unit, unit_user user) {
  auto& st = self->state;
  if (const auto found = st.live.find(unit); found != st.live.end()) {
    found->second.last_used = now(self, st.context);
    user(found->second.actor, {});
    return;
  }
  const auto [at, first] = st.awaited.try_emplace(unit);
  at->second.push_back(std::move(user));
  if (!first)
    return;
  // Contributors work along the order of arrival: whoever needs this unit will soon need its
  // neighbours.
  std::vector<core::unit_id> group{unit};
  for (const auto& next : st.ready.upcoming(unit, st.context->settings.unit_prefetch))
    if (next != unit && st.live.count(next) == 0 && st.awaited.try_emplace(next).second)
      group.push_back(next);
  load_awaited(self, std::move(group));
}

bool hold_units(step_ptr self, const std::vector<core::unit_id>& units) {
  auto& st = self->state;
  bool all_free = true;
  for (const auto& unit : units) {
    if (const auto found = st.live.find(unit); found != st.live.end()) {
      send_away(self, unit, found->second.actor);
      st.live.erase(found);
    }
    all_free = all_free && st.awaited.count(unit) == 0;
  }
  if (all_free)
    for (const auto& unit : units)
      st.awaited[unit];
  return all_free;
}

void send_questions_away(step_ptr self) {
  auto& st = self->state;
  for (auto it = st.live.begin(); it != st.live.end();) {
    if (!st.board->is_question(it->first)) {
      ++it;
      continue;
    }
    send_away(self, it->first, it->second.actor);
    it = st.live.erase(it);
  }
}

void let_go(step_ptr self, const std::vector<core::unit_id>& units) {
  auto& st = self->state;
  std::vector<core::unit_id> wanted;
  for (const auto& unit : units) {
    const auto waiting = st.awaited.find(unit);
    if (waiting->second.empty())
      st.awaited.erase(waiting);
    else
      wanted.push_back(unit);
  }
  if (!wanted.empty())
    load_awaited(self, std::move(wanted));
}

void release_units(step_ptr self, const std::vector<core::unit_record>& units) {
  std::vector<core::unit_id> ids;
  for (const auto& unit : units) {
    if (unit.state == core::unit_state::judgable)
      enter_unit(self, summary_of(unit));
    ids.push_back(unit.id);
  }
  let_go(self, ids);
}

void enter_unit(step_ptr self, const persistence::open_unit& unit) {
  auto& st = self->state;
  const auto taken = static_cast<std::uint32_t>(unit.holders.size()) + unit.judged;
  HOLDFAST_INVARIANT(taken <= unit.slots, "I-1 holds in the database");
  // Test questions are offered by the board, not in their turn.
  if (unit.test_question)
    st.ready.add_apart(unit.id);
  else
    st.ready.add(unit.id, unit.slots - taken);
  if (unit.state != core::unit_state::judgable)
    st.ready.suspend(unit.id);
  for (const auto& bar : unit.touched)
    st.ready.bar(unit.id, bar.contributor, bar.until);
  for (const auto& holder : unit.holders) {
    st.ready.bar(unit.id, holder.contributor, core::instant::max());
    if (core::is_task_judge(holder.contributor)) // nobody asks for these leases, nor again
      continue;
    auto& held = st.held[holder.contributor];
    const bool known = std::any_of(
        held.begin(), held.end(), [&](const auto& l) { return l.assignment == holder.assignment; });
    if (!known)
      held.push_back({holder.assignment, unit.id, {}});
  }
  set_expiry(self, unit.id, unit.next_expiry);
  note_vacancy(self);
}

persistence::open_unit summary_of(const core::unit& unit) {
  persistence::open_unit open;
  open.id = unit.id;
  open.state = unit.state;
  open.slots = unit.slots;
  open.test_question = core::is_test_question(unit);
  open.judged = core::counted_judgments(unit);
  open.next_expiry = core::next_expiry(unit.leases);
  open.touched = unit.bars;
  for (const auto& judgment : unit.judgments)
    open.touched.push_back({judgment.contributor, core::instant::max()});
  for (const auto& lease : unit.leases.active)
    open.holders.push_back({lease.owner, lease.id});
  return open;
}

void unreserve(step_ptr self, const core::unit_id& unit) {
  auto& reserved = self->state.reserved;
  const auto found = reserved.find(unit);
  if (found != reserved.end() && --found->second == 0)
    reserved.erase(found);
}

void on_unit_report(step_ptr self, const unit_report& report) {
  auto& st = self->state;
  if (report.unreserve)
    unreserve(self, report.unit);
  set_expiry(self, report.unit, report.next_expiry);
  if (!core::is_open(report.state)) {
    st.ready.close(report.unit);
    st.crashes.erase(report.unit);
    if (const auto found = st.live.find(report.unit); found != st.live.end()) {
      send_away(self, report.unit, found->second.actor);
      st.live.erase(found);
    }
    return;
  }
  for (const auto& end : report.ended)
    if (!end.answered)
      st.ready.bar(report.unit, end.contributor, end.barred_until);
  if (report.judged) // late ones too, whose lease has ended before
    st.ready.bar(report.unit, report.judged->contributor, core::instant::max());
  if (report.state == core::unit_state::paused) {
    st.ready.suspend(report.unit);
    return;
  }
  st.ready.resume(report.unit);
  const auto under_way = st.reserved.find(report.unit);
  const auto reserved = under_way == st.reserved.end() ? 0 : under_way->second;
  st.ready.correct(report.unit, report.free > reserved ? report.free - reserved : 0);
}

void on_unit_ended(step_ptr self, const unit_ended& ended) {
  auto& st = self->state;
  const auto& unit = ended.unit;
  st.leaving.erase(unit);
  if (!ended.reason) {
    // It was sent away. Whoever has asked for it since may have it loaded now.
    const auto waiting = st.awaited.find(unit);
    if (waiting == st.awaited.end())
      return;
    if (waiting->second.empty())
      st.awaited.erase(waiting);
    else
      load_awaited(self, {unit});
    return;
  }
  st.live.erase(unit);
  const auto why = msg::failure_of(ended.reason);
  // A lost fence concerns the whole step; so does a judgment that is not stored, where the step has
  // learned from it: the database refused it, or the writer was full.
  const bool refused =
      why.code == core::errc::refused_by_store || why.code == core::errc::overloaded;
  if (why.code == core::errc::fenced || (refused && st.model)) {
    self->quit(ended.reason);
    return;
  }
  // A full writer says nothing against the unit; loading it again waits for room.
  const bool overloaded = why.code == core::errc::overloaded;
  const auto crashes = overloaded ? st.crashes[unit] : ++st.crashes[unit];
  st.context->log(
      log_level::error, "unit_down",
      {{"unit", to_string(unit)}, {"crashes", std::to_string(crashes)}, {"reason", why.detail}});
  const bool park = crashes >= crashes_max;
  if (park)
    st.crashes.erase(unit);
  reload_after_crash(self, unit, park);
}

void arm_expiry(step_ptr self) {
  auto& st = self->state;
  if (!st.loaded || st.expiries.empty() || st.expiries.begin()->first >= st.timer_at)
    return;
  st.timer_at = st.expiries.begin()->first;
  const auto wait = std::max(core::duration::zero(), st.timer_at - now(self, st.context));
  self->delayed_send(self, wait, expiry_tick{st.timer_at});
}

/// Its leases are over, and it cannot be told of it now.
static void ask_again(step_ptr self, const core::unit_id& unit) {
  const auto& st = self->state;
  const auto pause =
      st.unreadable.count(unit) != 0 ? unreadable_pause : st.context->settings.writer_retry_max;
  set_expiry(self, unit, now(self, st.context) + pause);
}

/// For which a lease may have been granted or extended, in any version: test questions have the
/// latest policy, and may have been leased under an earlier one.
static core::duration longest_lease(step_ptr self) {
  const auto& st = self->state;
  const auto policies = leases_of(st);
  core::duration longest{};
  for (std::uint32_t version = 1; version <= st.workflow.latest(); ++version)
    longest = std::max(longest, policies.of(version).ttl);
  return longest;
}

/// Ends the leases that are due, and sets the timer to the next. Where more are due than a commit
/// takes, one part comes after the other, as the writers have room.
static void on_due(step_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  const auto at = now(self, st.context);
  const auto longest = longest_lease(self);
  if (writers_are_busy(*st.context)) {
    st.timer_at = at + settings.writer_retry_min;
    return self->delayed_send(self, settings.writer_retry_min, expiry_tick{st.timer_at});
  }
  st.timer_at = core::instant::max();
  const auto most = std::min(settings.batching.batch_max, settings.batching.high_water);
  std::vector<core::unit_id> due;
  for (auto it = st.expiries.begin();
       it != st.expiries.end() && it->first <= at && due.size() < most; ++it)
    due.push_back(it->second);
  for (const auto& unit : due) {
    // Out of the list until the unit reports: it must not be asked twice for the same expiry.
    set_expiry(self, unit, core::instant::max());
    with_unit(self, unit, [=](const caf::actor& actor, const core::failure&) {
      if (actor)
        self->send(actor, unit_command{expire_leases{longest}});
      else // cannot be loaded now
        ask_again(self, unit);
    });
  }
  arm_expiry(self);
}

void on_expiry_tick(step_ptr self, const expiry_tick& tick) {
  if (tick.at == self->state.timer_at)
    on_due(self);
}

/// The clock was set back since these leases began or were extended: their units see to it.
static void heed_clock(step_ptr self, core::instant at) {
  auto& st = self->state;
  const auto retry = st.context->settings.writer_retry_max; // that of `ask_again`
  const auto latest = at + std::max(longest_lease(self), retry) + core::clock_corrections_max;
  std::vector<core::unit_id> units;
  for (auto it = st.expiries.rbegin(); it != st.expiries.rend() && it->first > latest; ++it)
    if (st.unreadable.count(it->second) == 0) // their pause is longer
      units.push_back(it->second);
  for (const auto& unit : units)
    set_expiry(self, unit, at);
}

void on_look_again(step_ptr self) {
  auto& st = self->state;
  if (!st.loaded)
    return;
  const auto at = now(self, st.context);
  heed_clock(self, at);
  if (st.timer_at <= at)
    on_due(self);
}

void on_sweep_tick(step_ptr self) {
  auto& st = self->state;
  st.sweep_armed = false;
  const auto& settings = st.context->settings;
  const auto at = now(self, st.context);
  auto idle = settings.unit_idle_timeout;
  if (st.live.size() > settings.units_live_max)
    idle /= 4;
  for (auto it = st.live.begin(); it != st.live.end();) {
    const bool finished = !st.ready.contains(it->first) // loaded for a late request
                          && !st.board->is_question(it->first);
    if (finished || it->second.last_used + idle <= at) {
      send_away(self, it->first, it->second.actor);
      it = st.live.erase(it);
    } else {
      ++it;
    }
  }
  if (!st.live.empty()) {
    st.sweep_armed = true;
    self->delayed_send(self, idle / 2, sweep_tick{});
  }
}

} // namespace holdfast::actors
