// The part of `memory_store` that is about removals of contributors.

#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

core::outcome<changed_removals> memory_store::load_removals(std::uint64_t since) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  changed_removals found;
  found.next = t.removal_changes + 1;
  for (const auto& [key, one] : t.removals) {
    const bool at_first = one.row.place.scope == core::removal_scope::step || !one.row.ended_at;
    if (one.changed_in >= since && (since > 0 || at_first))
      found.removals.push_back(one.row);
  }
  return found;
}

core::outcome<std::vector<core::removal>>
memory_store::list_removals(const core::contributor_id& contributor, std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& all = database_->tables_.removals;
  std::vector<core::removal> found;
  for (auto at = all.lower_bound({contributor, {core::removal_scope::step, {}}});
       at != all.end() && at->first.first == contributor && found.size() < limit; ++at)
    found.push_back(at->second.row);
  return found;
}

} // namespace holdfast::persistence
