#include "core/ready_set.hpp"

#include "core/invariant.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

template <class Lane>
auto from_position(Lane& lane, std::uint64_t position) {
  return std::lower_bound(lane.begin(), lane.end(), position,
                          [](const auto& e, std::uint64_t p) { return e.position < p; });
}

} // namespace

ready_set::contributor_index ready_set::intern(const contributor_id& contributor) {
  const auto [at, fresh] =
      contributors_.emplace(contributor, static_cast<contributor_index>(cursors_.size()));
  if (fresh)
    cursors_.emplace_back();
  return at->second;
}

ready_set::entry* ready_set::open(const unit_id& unit) {
  const auto found = index_.find(unit);
  return found == index_.end() ? nullptr : &found->second;
}

const ready_set::entry* ready_set::open(const unit_id& unit) const {
  const auto found = index_.find(unit);
  return found == index_.end() ? nullptr : &found->second;
}

void ready_set::set_free(entry& e, std::uint32_t free) {
  const bool before = offers(e);
  if (free == 0)
    full_.insert(e.unit);
  else if (e.free == 0)
    full_.erase(e.unit);
  e.free = free;
  ready_ += static_cast<std::size_t>(offers(e)) - static_cast<std::size_t>(before);
}

void ready_set::add(const unit_id& unit, std::uint32_t free) {
  const auto [at, fresh] = index_.try_emplace(unit);
  HOLDFAST_INVARIANT(fresh, "the step adds each unit once");
  auto& e = at->second;
  e.unit = unit;
  e.position = next_fresh_++;
  fresh_.push_back({e.position, unit});
  set_free(e, free);
}

void ready_set::add_apart(const unit_id& unit) { apart_.emplace(unit, false); }

bool ready_set::may_have(const entry& e, contributor_index who, instant now) const {
  return std::none_of(e.touched.begin(), e.touched.end(),
                      [&](const touch& t) { return t.who == who && now < t.until; });
}

bool ready_set::may_have_apart(const cursor& at, const unit_id& unit, instant now) const {
  const auto barred = at.apart.find(unit);
  return barred != at.apart.end() && barred->second <= now;
}

std::optional<unit_id> ready_set::pick_again(cursor& at, contributor_index who, instant now,
                                             bool apart_only) const {
  for (auto it = at.cooling.begin(); it != at.cooling.end();) {
    const auto unit = it->unit;
    const auto* e = open(unit);
    const auto apart = e != nullptr ? apart_.end() : apart_.find(unit);
    const bool is_apart = apart != apart_.end();
    // One that is suspended has no other way back when it is kept apart.
    const bool waits = now < it->until || (is_apart ? apart->second : apart_only);
    if ((e != nullptr || is_apart) && waits) {
      ++it;
      continue;
    }
    const bool offered = is_apart ? may_have_apart(at, unit, now)
                                  : e != nullptr && offers(*e) && may_have(*e, who, now);
    // A unit that is full now comes back through the returned lane.
    it = at.cooling.erase(it);
    if (offered)
      return unit;
  }
  return std::nullopt;
}

const ready_set::entry* ready_set::pick(cursor& at, contributor_index who, instant now) const {
  for (auto it = from_position(returned_, at.returned); it != returned_.end(); ++it) {
    at.returned = it->position + 1;
    const auto* e = open(it->unit);
    if (e != nullptr && e->returned == it->position && offers(*e) && may_have(*e, who, now))
      return e;
  }
  for (auto it = from_position(fresh_, at.fresh); it != fresh_.end(); ++it) {
    at.fresh = it->position + 1;
    const auto* e = open(it->unit);
    if (e != nullptr && offers(*e) && may_have(*e, who, now))
      return e;
  }
  return nullptr;
}

void ready_set::reserve(const unit_id& unit, const contributor_id& contributor) {
  if (auto* e = open(unit))
    set_free(*e, e->free - 1);
  // Until the lease ends they hold it; the end decides for how long they stay barred.
  bar(unit, contributor, instant::max());
  trim();
}

std::optional<unit_id> ready_set::take(const contributor_id& contributor, instant now) {
  if (const auto again = take_again(contributor, now, false))
    return again;
  const auto who = intern(contributor);
  const auto* picked = pick(cursors_[who], who, now);
  if (picked == nullptr)
    return std::nullopt;
  const auto unit = picked->unit;
  reserve(unit, contributor);
  return unit;
}

std::optional<unit_id> ready_set::take_again(const contributor_id& contributor, instant now,
                                             bool apart_only) {
  const auto who = intern(contributor);
  const auto picked = pick_again(cursors_[who], who, now, apart_only);
  if (picked)
    reserve(*picked, contributor);
  return picked;
}

std::optional<unit_id> ready_set::next_again(const contributor_id& contributor, instant now,
                                             bool apart_only) const {
  const auto known = contributors_.find(contributor);
  if (known == contributors_.end())
    return std::nullopt;
  auto at = cursors_[known->second];
  return pick_again(at, known->second, now, apart_only);
}

std::optional<unit_id> ready_set::next_for(const contributor_id& contributor, instant now) const {
  const auto known = contributors_.find(contributor);
  const auto newcomer = static_cast<contributor_index>(cursors_.size());
  const auto who = known == contributors_.end() ? newcomer : known->second;
  auto at = who == newcomer ? cursor{} : cursors_[who];
  if (const auto again = pick_again(at, who, now, false))
    return again;
  const auto* picked = pick(at, who, now);
  return picked == nullptr ? std::nullopt : std::optional{picked->unit};
}

instant ready_set::next_opening_for(const contributor_id& contributor, instant now) const {
  auto earliest = instant::max();
  const auto known = contributors_.find(contributor);
  if (known == contributors_.end())
    return earliest;
  const auto& at = cursors_[known->second];
  const auto opens_at = [&](const unit_id& unit, instant then) {
    if (const auto* e = open(unit))
      return offers(*e) && may_have(*e, known->second, then);
    const auto apart = apart_.find(unit);
    return apart != apart_.end() && !apart->second && may_have_apart(at, unit, then);
  };
  for (const auto& [until, unit] : at.cooling)
    if (until > now && !opens_at(unit, now) && opens_at(unit, until))
      earliest = std::min(earliest, until);
  return earliest;
}

void ready_set::append_returned(entry& e) {
  e.returned = next_returned_++;
  returned_.push_back({e.returned, e.unit});
}

void ready_set::give_back(const unit_id& unit) {
  auto* e = open(unit);
  if (e == nullptr)
    return;
  set_free(*e, e->free + 1);
  append_returned(*e);
}

void ready_set::correct(const unit_id& unit, std::uint32_t free) {
  auto* e = open(unit);
  if (e == nullptr || e->free == free)
    return;
  const bool grew = free > e->free;
  set_free(*e, free);
  if (grew)
    append_returned(*e);
}

void ready_set::bar(const unit_id& unit, const contributor_id& contributor, instant until) {
  auto* e = open(unit);
  if (e == nullptr)
    return bar_apart(unit, contributor, until);
  const auto who = intern(contributor);
  const auto found = std::find_if(e->touched.begin(), e->touched.end(),
                                  [&](const touch& t) { return t.who == who; });
  if (found == e->touched.end())
    e->touched.push_back({who, until});
  else
    found->until = until;
  if (until != instant::max())
    cursors_[who].cooling.push_back({until, unit});
}

void ready_set::bar_apart(const unit_id& unit, const contributor_id& contributor, instant until) {
  if (apart_.count(unit) == 0)
    return;
  auto& at = cursors_[intern(contributor)];
  if (until == instant::max()) {
    at.apart.erase(unit);
    return;
  }
  at.apart[unit] = until;
  at.cooling.push_back({until, unit});
}

std::vector<unit_id> ready_set::touched_by(const contributor_id& contributor) const {
  std::vector<unit_id> units;
  const auto known = contributors_.find(contributor);
  if (known == contributors_.end())
    return units;
  for (const auto& [id, e] : index_)
    if (std::any_of(e.touched.begin(), e.touched.end(),
                    [&](const touch& t) { return t.who == known->second; }))
      units.push_back(id);
  std::sort(units.begin(), units.end());
  return units;
}

void ready_set::suspend(const unit_id& unit) {
  if (auto* e = open(unit)) {
    ready_ -= static_cast<std::size_t>(offers(*e));
    e->suspended = true;
  } else if (const auto apart = apart_.find(unit); apart != apart_.end()) {
    apart->second = true;
  }
}

void ready_set::resume(const unit_id& unit) {
  if (const auto apart = apart_.find(unit); apart != apart_.end())
    apart->second = false;
  auto* e = open(unit);
  if (e == nullptr || !e->suspended)
    return;
  e->suspended = false;
  ready_ += static_cast<std::size_t>(offers(*e));
  append_returned(*e); // cursors may have passed it meanwhile
}

void ready_set::close(const unit_id& unit) {
  apart_.erase(unit);
  const auto found = index_.find(unit);
  if (found == index_.end())
    return;
  ready_ -= static_cast<std::size_t>(offers(found->second));
  full_.erase(unit);
  index_.erase(found);
  trim();
}

std::uint32_t ready_set::free_slots(const unit_id& unit) const {
  const auto* e = open(unit);
  return e == nullptr || e->suspended ? 0 : e->free;
}

std::vector<unit_id> ready_set::all_open() const {
  std::vector<unit_id> open;
  open.reserve(index_.size() + apart_.size());
  for (const auto& [unit, place] : index_)
    open.push_back(unit);
  for (const auto& [unit, suspended] : apart_)
    open.push_back(unit);
  std::sort(open.begin(), open.end());
  return open;
}

std::vector<unit_id> ready_set::full_units() const {
  std::vector<unit_id> units{full_.begin(), full_.end()};
  std::sort(units.begin(), units.end());
  return units;
}

// Drops what nobody will be offered from there: a full or suspended unit comes back through the
// returned lane.
void ready_set::trim() {
  const auto tidy = [this](std::deque<lane_entry>& lane, bool log) {
    const auto stale = [&](const lane_entry& l) {
      const auto* e = open(l.unit);
      return e == nullptr || !offers(*e) || (log && e->returned != l.position);
    };
    while (!lane.empty() && stale(lane.front()))
      lane.pop_front();
    // One unit that nobody takes would otherwise keep everything behind it. At least half of the
    // entries are dropped each time, so that it costs O(1) per entry.
    if (lane.size() > 1024 && lane.size() > 2 * ready_)
      lane.erase(std::remove_if(lane.begin(), lane.end(), stale), lane.end());
  };
  tidy(fresh_, false);
  tidy(returned_, true);
}

std::vector<unit_id> ready_set::upcoming(const unit_id& first, std::size_t count) const {
  std::vector<unit_id> units;
  const auto* e = open(first);
  if (e == nullptr || count == 0)
    return units;
  units.push_back(first);
  for (auto it = from_position(fresh_, e->position + 1); it != fresh_.end() && units.size() < count;
       ++it)
    if (const auto* next = open(it->unit); next != nullptr && offers(*next))
      units.push_back(it->unit);
  return units;
}

} // namespace holdfast::core
