#include "core/quality/stopping.hpp"

#include <algorithm>
#include <vector>

namespace holdfast::core::quality {

namespace {

bool decided(const vote_range& votes, std::uint32_t labels, std::size_t missing) {
  std::vector<std::size_t> counts(std::max<std::size_t>(labels, 2), 0);
  for (const auto& one : votes)
    ++counts[one.label];
  std::nth_element(counts.begin(), counts.begin() + 1, counts.end(), std::greater<>{});
  return counts[0] > counts[1] + missing;
}

} // namespace

bool enough(const stopping_rule& rule, const vote_range& votes, std::uint32_t labels,
            double confidence) {
  if (votes.size() >= rule.max)
    return true;
  if (votes.size() < rule.min)
    return false;
  if (rule.stop_at && confidence >= *rule.stop_at)
    return true;
  return rule.curtail && decided(votes, labels, rule.max - votes.size());
}

} // namespace holdfast::core::quality
