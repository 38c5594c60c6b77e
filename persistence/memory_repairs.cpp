// The part of `memory_store` that is about repairs.

#include "persistence/memory_store.hpp"

#include <algorithm>

namespace holdfast::persistence {

core::outcome<core::repair_row> memory_store::find_repair(core::repair_id repair) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& repairs = database_->tables_.repairs;
  const auto found = repairs.find(repair);
  if (found == repairs.end())
    return core::failure{core::errc::not_found, "no such repair"};
  if (database_->damaged_repairs_ && database_->damaged_repairs_(repair))
    return core::failure{core::errc::damaged, memory::row_is_damaged};
  return found->second;
}

core::outcome<stored_repairs> memory_store::open_repairs(core::step_id step) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& damaged = database_->damaged_repairs_;
  stored_repairs found;
  for (const auto& [id, row] : database_->tables_.repairs) {
    if (row.done() || (step && row.step != step))
      continue;
    if (damaged && damaged(id))
      found.unreadable.push_back({id, row.step, memory::row_is_damaged});
    else
      found.open.push_back(row);
  }
  std::stable_sort(found.open.begin(), found.open.end(),
                   [](const auto& a, const auto& b) { return a.asked_at < b.asked_at; });
  return found;
}

core::outcome<judged_units>
memory_store::find_judged(core::step_id step, const std::vector<core::contributor_id>& contributors,
                          std::uint64_t after, std::uint64_t through) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  judged_units found;
  for (auto entry = t.units_by_ordinal.upper_bound({step, after});
       entry != t.units_by_ordinal.end() && entry->first.first == step
       && entry->first.second <= through;
       ++entry) {
    const auto& unit = t.units.at(entry->second);
    if (!unit.made.truth.empty())
      continue;
    bool judged = false;
    bool counts = false;
    for (const auto& contributor : contributors)
      if (const auto said = t.judgments.find({entry->second, contributor});
          said != t.judgments.end()) {
        judged = true;
        counts = counts || !said->second.tainted_at;
      }
    if (judged && unit.state == core::unit_state::finalized)
      found.finalized.push_back(entry->second);
    found.unsettled = found.unsettled || (counts && unit.state == core::unit_state::judgable);
  }
  return found;
}

core::outcome<std::vector<core::unit_id>>
memory_store::made_from(core::step_id step, const std::vector<core::taken_back>& results) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::vector<core::unit_id> made;
  for (auto entry = t.units_by_ordinal.lower_bound({step, 0});
       entry != t.units_by_ordinal.end() && entry->first.first == step; ++entry) {
    const auto& unit = t.units.at(entry->second);
    const bool listed = std::any_of(results.begin(), results.end(), [&](const auto& result) {
      return result.unit == unit.made.parent && unit.made.parent_reopened < result.revision;
    });
    if (listed && unit.state != core::unit_state::canceled)
      made.push_back(entry->second);
  }
  return made;
}

} // namespace holdfast::persistence
