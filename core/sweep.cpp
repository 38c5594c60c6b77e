#include "core/sweep.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// How much more seldom than at first an item is read anew.
constexpr std::uint32_t growth_max = 64;

} // namespace

sweep_verdict judge_overdue(overdue_record& record, const std::vector<hosted_item>& found,
                            std::uint32_t looks_max) {
  overdue_record next;
  sweep_verdict verdict;
  for (const auto& item : found) {
    const auto known = record.find(item);
    auto seen = known == record.end() ? overdue_item{0, looks_max} : known->second;
    if (++seen.looks >= seen.most) {
      verdict.stuck.push_back(item);
      seen = {0, std::min(seen.most * 2, looks_max * growth_max)};
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

} // namespace holdfast::core
