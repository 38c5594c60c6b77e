#include "core/unit_undo.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

template <class List, class IsTheirs>
void erase_theirs(List& list, const IsTheirs& is_theirs) {
  list.erase(std::remove_if(list.begin(), list.end(), is_theirs), list.end());
}

} // namespace

contributor_part part_of(const unit& u, const contributor_id& contributor) {
  contributor_part part;
  if (const auto* held = find_lease(u.leases, contributor))
    part.lease = *held;
  for (const auto& judgment : u.judgments)
    if (judgment.contributor == contributor)
      part.judgment = judgment;
  for (const auto& barred : u.bars)
    if (barred.contributor == contributor)
      part.barred_until = barred.until;
  for (const auto& lapsed : u.lapsed)
    if (lapsed.contributor == contributor)
      part.lapsed.push_back(lapsed);
  return part;
}

void put_back(unit& u, const contributor_id& contributor, const contributor_part& before) {
  const auto is_theirs = [&](const auto& entry) { return entry.contributor == contributor; };
  erase_theirs(u.leases.active, [&](const lease& l) { return l.owner == contributor; });
  erase_theirs(u.judgments, is_theirs);
  erase_theirs(u.bars, is_theirs);
  erase_theirs(u.lapsed, is_theirs);
  if (before.lease)
    u.leases.active.push_back(*before.lease);
  if (before.judgment)
    u.judgments.push_back(*before.judgment);
  if (before.barred_until)
    u.bars.push_back({contributor, *before.barred_until});
  u.lapsed.insert(u.lapsed.end(), before.lapsed.begin(), before.lapsed.end());
}

} // namespace holdfast::core
