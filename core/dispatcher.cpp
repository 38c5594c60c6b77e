#include "core/dispatcher.hpp"

#include "core/clock_steps.hpp"
#include "core/invariant.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::core {

namespace {

bool any_limit(const credential_rates& rates) {
  return rates.each.per_second > 0 || rates.without.per_second > 0
         || std::any_of(rates.named.begin(), rates.named.end(),
                        [](const auto& entry) { return entry.second.per_second > 0; });
}

} // namespace

dispatcher::place dispatcher::place_of(const queue_policy& policy, const task& t) {
  const bool comes_again = t.progress.pauses > 0 || t.progress.idle_releases > 0;
  const auto since =
      comes_again ? std::max(t.spec.created_at, t.progress.next_action) : t.spec.created_at;
  return {to_micros(since) - policy.aging.count() * t.spec.priority, t.spec.id};
}

dispatcher::share& dispatcher::share_of(const std::string& key) {
  auto& found = shares_[key];
  if (!found) {
    found = std::make_unique<share>();
    found->key = key;
    found->passed = clock_;
  }
  idle_.erase({found->passed, found->key});
  return *found;
}

/// A key that leaves is remembered until the others have had as much: else one that always has a
/// single task would always be new, and go first.
void dispatcher::note_idle(const share& s) {
  if (s.waiting == 0 && s.running == 0)
    idle_.emplace(s.passed, s.key);
  forget_idle();
}

void dispatcher::forget_idle() {
  // When nobody waits, nobody is owed anything.
  if (contending_.empty())
    clock_ = latest_;
  while (!idle_.empty() && idle_.begin()->first <= clock_) {
    const std::string key{idle_.begin()->second};
    idle_.erase(idle_.begin());
    shares_.erase(key);
  }
}

/// Looks at all of them when they are twice as many as the last look has left: that is little for
/// each.
void dispatcher::forget_settled(const queue_policy& policy, instant now) {
  if (remembered() < forget_at_)
    return;
  const token_bucket fresh{*began_};
  for (auto at = credentials_.begin(); at != credentials_.end();)
    at = at->second.as_new(rate_of(policy.credentials, at->first), fresh, now)
             ? credentials_.erase(at)
             : std::next(at);
  for (auto at = of_types_.begin(); at != of_types_.end();) {
    const auto& [type, credential] = at->first;
    const auto& rate = rate_of(rules_of(policy, type).credentials, credential);
    at = at->second.as_new(rate, fresh, now) ? of_types_.erase(at) : std::next(at);
  }
  for (auto at = pauses_.begin(); at != pauses_.end();)
    at = at->second.until <= now ? pauses_.erase(at) : std::next(at);
  forget_at_ = std::max(forget_from, 2 * remembered());
}

void dispatcher::add(const queue_policy& policy, const task& t) {
  auto& s = share_of(t.spec.key);
  if (s.waiting++ == 0) {
    const auto weight = policy.weights.find(t.spec.key);
    s.weight = weight == policy.weights.end() ? 1 : weight->second;
    s.passed = std::max(s.passed, clock_);
    contending_.emplace(s.passed, s.key);
  }
  ++waiting_;
  ++groups_[{t.spec.type, t.spec.credential}];
  const bool suspect = is_suspect(policy, t.spec.type, t.progress.crashes);
  auto at = std::find_if(s.lanes.begin(), s.lanes.end(), [&](const lane& l) {
    return l.type == t.spec.type && l.credential == t.spec.credential && l.suspect == suspect;
  });
  if (at == s.lanes.end())
    at = s.lanes.insert(at, lane{t.spec.type, t.spec.credential, suspect, {}});
  const auto position = place_of(policy, t);
  at->tasks.insert(position);
  places_.emplace(t.spec.id, position);
}

void dispatcher::remove(const task& t) {
  const auto known = places_.find(t.spec.id);
  if (known == places_.end())
    return;
  auto& s = *shares_.at(t.spec.key);
  const auto at = std::find_if(s.lanes.begin(), s.lanes.end(),
                               [&](const lane& l) { return l.tasks.count(known->second) != 0; });
  leave(s, *at, known->second);
  if (s.waiting == 0)
    contending_.erase({s.passed, s.key});
  note_idle(s);
}

/// Takes the task out of everything but the order of the keys.
void dispatcher::leave(share& s, lane& l, place of) {
  const auto waiting = groups_.find({l.type, l.credential});
  if (--waiting->second == 0)
    groups_.erase(waiting);
  places_.erase(of.second);
  --waiting_;
  --s.waiting;
  l.tasks.erase(of);
  if (l.tasks.empty())
    s.lanes.erase(s.lanes.begin() + (&l - s.lanes.data()));
}

void dispatcher::clear_waiting() {
  contending_.clear();
  places_.clear();
  groups_.clear();
  began_.reset();
  waiting_ = 0;
  for (auto& [key, s] : shares_) {
    s->lanes.clear();
    s->waiting = 0;
    if (s->running == 0)
      idle_.emplace(s->passed, s->key);
  }
}

// --- limits: each is looked at in one place, by those that decide and by those that explain ---

bool dispatcher::queue_full(const queue_policy& policy) const {
  return policy.running_max != 0 && running_ >= policy.running_max;
}

bool dispatcher::key_full(const queue_policy& policy, const share& s) {
  return policy.running_per_key_max != 0 && s.running >= policy.running_per_key_max;
}

bool dispatcher::type_full(const queue_policy& policy, const std::string& type) const {
  const auto most = rules_of(policy, type).running_max;
  const auto state = types_.find(type);
  return most != 0 && state != types_.end() && state->second.running >= most;
}

instant dispatcher::type_opens_at(const queue_policy& policy, const std::string& type,
                                  instant now) const {
  const auto state = types_.find(type);
  return state == types_.end() ? now
                               : state->second.bucket.opens_at(rules_of(policy, type).rate, now);
}

instant dispatcher::credential_opens_at(const queue_policy& policy, const group& of,
                                        instant now) const {
  const auto& [type, credential] = of;
  auto opens = now;
  if (const auto bucket = credentials_.find(credential); bucket != credentials_.end())
    opens = bucket->second.opens_at(rate_of(policy.credentials, credential), now);
  if (const auto bucket = of_types_.find(of); bucket != of_types_.end()) {
    const auto& rate = rate_of(rules_of(policy, type).credentials, credential);
    opens = std::max(opens, bucket->second.opens_at(rate, now));
  }
  return opens;
}

instant dispatcher::held_off_until(const group& of, instant now) const {
  const auto asked = pauses_.find(of);
  return asked == pauses_.end() ? now : asked->second.until;
}

instant dispatcher::rates_open_at(const queue_policy& policy, const group& of, instant now) const {
  return std::max({now, type_opens_at(policy, of.first, now), credential_opens_at(policy, of, now),
                   held_off_until(of, now)});
}

bool dispatcher::open(const queue_policy& policy, const lane& l, instant now) const {
  return !type_full(policy, l.type) && rates_open_at(policy, {l.type, l.credential}, now) <= now;
}

bool dispatcher::may_have(const queue_policy& policy, const std::set<std::string>& paused_types,
                          const std::vector<std::string>& types, instant now) const {
  const auto has_open = [&](const std::string& type) {
    if (paused_types.count(type) != 0 || type_full(policy, type))
      return false;
    for (auto at = groups_.lower_bound({type, {}}); at != groups_.end() && at->first.first == type;
         ++at)
      if (rates_open_at(policy, at->first, now) <= now)
        return true;
    return false;
  };
  return types.empty() || std::any_of(types.begin(), types.end(), has_open);
}

bool dispatcher::has_rates(const queue_policy& policy) const {
  const auto type_limits = [](const auto& entry) {
    return entry.second.rate.per_second > 0 || any_limit(entry.second.credentials);
  };
  return !pauses_.empty() || policy.rate.per_second > 0 || any_limit(policy.credentials)
         || std::any_of(policy.types.begin(), policy.types.end(), type_limits);
}

std::vector<obstacle> dispatcher::obstacles(const queue_policy& policy, const task_spec& spec,
                                            instant now) const {
  using limit = obstacle::limit;
  std::vector<obstacle> found;
  const auto note = [&](limit which, bool closed) {
    if (closed)
      found.push_back({which});
  };
  const auto note_until = [&](limit which, instant until) {
    if (until > now)
      found.push_back({which, until});
  };
  const auto known = shares_.find(spec.key);
  note(limit::queue_running, queue_full(policy));
  note(limit::key_running, known != shares_.end() && key_full(policy, *known->second));
  note(limit::type_running, type_full(policy, spec.type));
  note_until(limit::held_off, held_off_until({spec.type, spec.credential}, now));
  note_until(limit::queue_rate, bucket_.opens_at(policy.rate, now));
  note_until(limit::type_rate, type_opens_at(policy, spec.type, now));
  note_until(limit::credential_rate,
             credential_opens_at(policy, {spec.type, spec.credential}, now));
  return found;
}

std::size_t dispatcher::ahead_of(const task& t) const {
  const auto at = places_.find(t.spec.id);
  const auto s = shares_.find(t.spec.key);
  if (at == places_.end() || s == shares_.end())
    return 0;
  std::size_t ahead = 0;
  for (const auto& l : s->second->lanes)
    if (l.type == t.spec.type && l.credential == t.spec.credential)
      ahead +=
          static_cast<std::size_t>(std::distance(l.tasks.begin(), l.tasks.lower_bound(at->second)));
  return ahead;
}

std::optional<task_id> dispatcher::take(const queue_policy& policy,
                                        const std::set<std::string>& paused_types,
                                        const std::vector<std::string>& types, bool suspects,
                                        instant now) {
  if (!began_)
    began_ = now;
  if (queue_full(policy) || !bucket_.open(policy.rate, now)
      || !may_have(policy, paused_types, types, now))
    return std::nullopt;
  const auto may_go = [&](const lane& l) {
    return (suspects || !l.suspect) && paused_types.count(l.type) == 0
           && (types.empty() || std::find(types.begin(), types.end(), l.type) != types.end())
           && open(policy, l, now);
  };
  const auto first_open = [&](share& s) {
    lane* first = nullptr;
    if (!key_full(policy, s))
      for (auto& l : s.lanes)
        if (may_go(l) && (first == nullptr || *l.tasks.begin() < *first->tasks.begin()))
          first = &l;
    return first;
  };
  share* next = nullptr;
  lane* from = nullptr;
  double start = 0;
  for (const auto& [passed, key] : contending_) {
    auto& s = *shares_.find(std::string{key})->second;
    auto* first = first_open(s);
    if (first == nullptr)
      continue;
    if (next == nullptr) {
      next = &s;
      from = first;
      start = passed;
      continue;
    }
    // Who is further behind than the last step of the next one was closed meanwhile: that is not
    // made up for.
    start = std::max(start, passed - 1 / s.weight);
    break;
  }
  if (next == nullptr)
    return std::nullopt;
  const auto of = *from->tasks.begin();
  bucket_.take(policy.rate, now);
  auto& type = types_[from->type];
  ++type.running;
  type.bucket.take(rules_of(policy, from->type).rate, now);
  if (const auto& rate = rate_of(policy.credentials, from->credential); rate.per_second > 0)
    credentials_.try_emplace(from->credential, *began_).first->second.take(rate, now);
  if (const auto& rate = rate_of(rules_of(policy, from->type).credentials, from->credential);
      rate.per_second > 0)
    of_types_.try_emplace(group{from->type, from->credential}, *began_)
        .first->second.take(rate, now);
  forget_settled(policy, now);
  ++next->running;
  ++running_;
  leave(*next, *from, of);
  contending_.erase({next->passed, next->key});
  clock_ = std::max(clock_, start);
  next->passed = start + 1 / next->weight;
  latest_ = std::max(latest_, next->passed);
  if (next->waiting != 0)
    contending_.emplace(next->passed, next->key);
  forget_idle();
  return of.second;
}

void dispatcher::started(const task_spec& spec) {
  ++share_of(spec.key).running;
  ++types_[spec.type].running;
  ++running_;
}

void dispatcher::ended(const task_spec& spec) {
  auto& s = *shares_.at(spec.key);
  auto& type = types_.at(spec.type);
  HOLDFAST_INVARIANT(s.running > 0 && type.running > 0 && running_ > 0,
                     "what ends has been started");
  --s.running;
  --type.running;
  --running_;
  note_idle(s);
}

void dispatcher::hold_off(const task_spec& spec, instant asked_at, instant until) {
  auto& asked = pauses_[{spec.type, spec.credential}];
  if (until <= asked.until)
    return;
  asked.asked_at = asked_at;
  asked.until = until;
}

bool dispatcher::heed_clock(instant reached, instant now) {
  const auto is_ahead = [&](instant at) { return at > now + clock_corrections_max; };
  bool any = false;
  for (auto& [of, asked] : pauses_) {
    // Else a task that is paused again and again would count as one that others get past, for as
    // long as the clock stood ahead.
    if (asked.went_well && is_ahead(*asked.went_well))
      asked.went_well.reset();
    if (!is_ahead(asked.asked_at))
      continue;
    asked.until = asked.until <= reached ? now : now + (asked.until - asked.asked_at);
    asked.asked_at = now;
    any = true;
  }
  return any;
}

void dispatcher::lets_others_first(const std::string& key) {
  const auto found = shares_.find(key);
  if (found == shares_.end())
    return;
  auto& s = *found->second;
  const auto turn = latest_ + 1 / s.weight;
  if (s.passed >= turn)
    return;
  contending_.erase({s.passed, s.key});
  idle_.erase({s.passed, s.key});
  s.passed = latest_ = turn;
  if (s.waiting != 0)
    contending_.emplace(s.passed, s.key);
  else
    note_idle(s);
}

void dispatcher::went_well(const task_spec& spec, instant now) {
  if (pauses_.empty())
    return;
  if (const auto asked = pauses_.find({spec.type, spec.credential}); asked != pauses_.end())
    asked->second.went_well = now;
}

bool dispatcher::others_go_on(const task& t) const {
  const auto asked = pauses_.find({t.spec.type, t.spec.credential});
  return asked != pauses_.end() && asked->second.went_well >= t.paused_at;
}

std::vector<task_id> dispatcher::next_in_line() const {
  std::vector<task_id> first;
  for (const auto& [passed, key] : contending_)
    for (const auto& l : shares_.find(std::string{key})->second->lanes)
      first.push_back(l.tasks.begin()->second);
  return first;
}

instant dispatcher::next_chance(const queue_policy& policy, instant now) const {
  if (!has_rates(policy))
    return instant::max();
  const auto any = bucket_.opens_at(policy.rate, now);
  auto earliest = instant::max();
  for (const auto& [of, waiting] : groups_)
    if (const auto at = std::max(any, rates_open_at(policy, of, now)); at > now)
      earliest = std::min(earliest, at);
  return earliest;
}

} // namespace holdfast::core
