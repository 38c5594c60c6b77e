#include "core/sweep.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// How much more seldom than at first an item is read anew.
constexpr std::uint32_t growth_max = 64;

/// Counts a look that has found it; true when that makes enough.
bool enough_looks(overdue_item& seen, std::uint32_t looks_max) {
  if (++seen.looks < seen.most)
    return false;
  seen = {0, std::min(seen.most * 2, looks_max * growth_max)};
  return true;
}

} // namespace

sweep_verdict judge_overdue(overdue_record& record, const std::vector<hosted_item>& found,
                            std::uint32_t looks_max) {
  overdue_record next;
  sweep_verdict verdict;
  for (const auto& item : found) {
    const auto known = record.find(item);
    auto seen = known == record.end() ? overdue_item{0, looks_max} : known->second;
    if (enough_looks(seen, looks_max)) {
      verdict.stuck.push_back(item);
    } else {
      verdict.late.push_back(item);
      if (known == record.end())
        verdict.fresh.push_back(item);
    }
    next.emplace(item, seen);
  }
  record = std::move(next);
  return verdict;
}

std::vector<unit_id> judge_full(full_record& record, const std::vector<unit_id>& found,
                                std::uint32_t looks_max, std::size_t most) {
  full_record next;
  std::vector<unit_id> forgotten;
  for (const auto& unit : found) {
    const auto known = record.find(unit);
    auto seen = known == record.end() ? overdue_item{0, looks_max} : known->second;
    // Whoever is too many is the first to be among the next.
    if (forgotten.size() < most && enough_looks(seen, looks_max))
      forgotten.push_back(unit);
    next.emplace(unit, seen);
  }
  record = std::move(next);
  return forgotten;
}

} // namespace holdfast::core
