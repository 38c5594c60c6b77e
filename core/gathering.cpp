#include "core/gathering.hpp"

#include "core/backoff.hpp"
#include "core/invariant.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::core {

namespace {

/// Pauses of a batch that could not be made: a file is put back, or rows are restored, by people.
constexpr duration rest_least = std::chrono::seconds{1};
constexpr duration rest_most = std::chrono::seconds{60};

} // namespace

std::string_view to_string(gather_by by) { return by == gather_by::list ? "list" : "count"; }

std::optional<gather_by> gather_by_named(std::string_view name) {
  for (const auto by : {gather_by::count, gather_by::list})
    if (to_string(by) == name)
      return by;
  return std::nullopt;
}

gathering::group_key gathering::key_of(const waiting_unit& unit) const {
  const auto* policy = policy_of_(unit.version);
  HOLDFAST_INVARIANT(policy != nullptr, "only what is gathered waits for it");
  if (policy->by == gather_by::count)
    return {unit.version, {}};
  return {unit.version, unit.list.of ? unit.list.of : unit.unit};
}

gathering::place gathering::place_of(const waiting_unit& unit) const {
  const bool by_list = policy_of_(unit.version)->by == gather_by::list;
  return {by_list ? unit.list.part : 0, unit.ordinal};
}

bool gathering::is_full(const group_key& key, const group& units) const {
  if (units.units.empty())
    return false;
  if (units.bytes >= batch_source_bytes_max)
    return true;
  const auto& policy = *policy_of_(key.first);
  if (policy.by == gather_by::count)
    return units.units.size() >= policy.size;
  const auto& list = units.units.begin()->second.list;
  return !list.of || units.parts.size() >= list.size;
}

void gathering::note(const group_key& key) {
  const auto found = groups_.find(key);
  if (found == groups_.end() || !is_full(key, found->second))
    full_.erase(key);
  else
    full_.insert(key);
}

void gathering::add(const waiting_unit& unit) {
  if (resting_.count(unit.unit) != 0)
    return;
  const auto key = key_of(unit);
  const auto at = place_of(unit);
  if (!groups_of_.emplace(unit.unit, std::pair{key, at}).second)
    return;
  auto& mine = groups_[key];
  mine.units.emplace(at, unit);
  ++mine.parts[unit.list.part];
  mine.bytes += unit.bytes;
  note(key);
}

std::optional<batch> gathering::due(bool all_there) const {
  const auto found = !full_.empty()                  ? groups_.find(*full_.begin())
                     : all_there && !groups_.empty() ? groups_.begin()
                                                     : groups_.end();
  if (found == groups_.end())
    return std::nullopt;
  const auto& policy = *policy_of_(found->first.first);
  const auto most = policy.by == gather_by::count ? policy.size : batch_units_max;
  batch next{found->first.first, {}};
  std::uint64_t bytes = 0;
  for (const auto& [at, unit] : found->second.units) {
    if (next.members.size() >= most)
      break;
    if (!next.members.empty() && bytes + unit.bytes > batch_source_bytes_max)
      break;
    bytes += unit.bytes;
    next.members.push_back(unit.unit);
  }
  return next;
}

void gathering::leave_group(const unit_id& unit) {
  const auto known = groups_of_.find(unit);
  if (known == groups_of_.end())
    return;
  const auto [key, at] = known->second;
  groups_of_.erase(known);
  const auto found = groups_.find(key);
  auto& mine = found->second;
  const auto in_group = mine.units.find(at);
  const auto part = mine.parts.find(in_group->second.list.part);
  if (--part->second == 0)
    mine.parts.erase(part);
  mine.bytes -= in_group->second.bytes;
  mine.units.erase(in_group);
  if (mine.units.empty())
    groups_.erase(found);
  note(key);
}

void gathering::remove(const std::vector<unit_id>& units) {
  for (const auto& unit : units) {
    leave_group(unit);
    resting_.erase(unit);
    put_off_.erase(unit);
  }
}

gathering::rest gathering::put_off(const std::vector<unit_id>& members, const std::string& why,
                                   instant now) {
  rest longest;
  for (const auto& unit : members)
    if (groups_of_.count(unit) != 0)
      longest.times = std::max(longest.times, ++put_off_[unit]);
  longest.until = now + backoff(longest.times, rest_least, rest_most);
  longest.why = why;
  for (const auto& unit : members) {
    const auto known = groups_of_.find(unit);
    if (known == groups_of_.end())
      continue;
    const auto& [key, at] = known->second;
    resting_.emplace(unit, std::pair{groups_.at(key).units.at(at), longest});
    leave_group(unit);
  }
  return longest;
}

void gathering::wake(instant now) {
  for (auto it = resting_.begin(); it != resting_.end();) {
    if (now < it->second.second.until) {
      ++it;
      continue;
    }
    const auto unit = std::move(it->second.first);
    it = resting_.erase(it);
    add(unit);
  }
}

instant gathering::next_wake() const {
  auto next = instant::max();
  for (const auto& [unit, resting] : resting_)
    next = std::min(next, resting.second.until);
  return next;
}

const gathering::rest* gathering::rest_of(const unit_id& unit) const {
  const auto found = resting_.find(unit);
  return found == resting_.end() ? nullptr : &found->second.second;
}

} // namespace holdfast::core
