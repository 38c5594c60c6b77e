#include "core/relearning.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace holdfast::core {

std::vector<step_history::vote>
votes_to_relearn(std::vector<step_history::vote> stored,
                 const std::vector<step_history::vote>& counted,
                 const std::function<bool(const step_history::vote&)>& doubtful) {
  std::set<std::pair<unit_id, contributor_id>> left;
  for (const auto& vote : counted)
    left.emplace(vote.unit, vote.contributor);
  stored.erase(
      std::remove_if(stored.begin(), stored.end(),
                     [&](const auto& vote) {
                       return left.erase({vote.unit, vote.contributor}) == 0 && doubtful(vote);
                     }),
      stored.end());
  for (const auto& vote : counted)
    if (left.count({vote.unit, vote.contributor}) != 0)
      stored.push_back(vote);
  return stored;
}

} // namespace holdfast::core
