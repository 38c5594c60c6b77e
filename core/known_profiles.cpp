#include "core/known_profiles.hpp"

#include "core/pause.hpp"

#include <iterator>
#include <utility>

namespace holdfast::core {

void known_profiles::learn(const contributor_id& contributor, contributor_profile profile,
                           double trust, instant asked_at, std::optional<double> trust_by_others) {
  if (by_contributor_.size() >= contributors_max && by_contributor_.count(contributor) == 0) {
    for (auto at = by_contributor_.begin(); at != by_contributor_.end();)
      at = at->second.asked_at + age_max <= asked_at ? by_contributor_.erase(at) : std::next(at);
    if (by_contributor_.size() >= contributors_max)
      by_contributor_.clear();
  }
  by_contributor_[contributor] = {std::move(profile), trust, asked_at, trust_by_others};
}

std::optional<std::vector<std::string>> known_profiles::lacks(const requirements& asked,
                                                              const contributor_id& contributor,
                                                              instant now) const {
  if (asked.ask_nothing())
    return std::vector<std::string>{};
  const auto found = by_contributor_.find(contributor);
  if (found == by_contributor_.end())
    return std::nullopt;
  const auto& [profile, trust, asked_at, by_others] = found->second;
  auto missed = lacking(asked, profile, trust);
  const auto known_for = missed.empty() ? age_max : age_max_of_lacks;
  if (!is_under_way(asked_at + known_for, known_for, now))
    return std::nullopt;
  return missed;
}

std::optional<std::optional<double>>
known_profiles::trust_by_others(const contributor_id& contributor, instant now) const {
  const auto found = by_contributor_.find(contributor);
  if (found == by_contributor_.end()
      || !is_under_way(found->second.asked_at + age_max, age_max, now))
    return std::nullopt;
  return found->second.by_others;
}

known_profiles::count known_profiles::eligible(const requirements& asked, instant now) const {
  count counted;
  for (const auto& [contributor, read] : by_contributor_) {
    if (!is_under_way(read.asked_at + age_max, age_max, now))
      continue;
    ++counted.known;
    counted.eligible += meets(asked, read.profile, read.trust) ? 1 : 0;
  }
  return counted;
}

} // namespace holdfast::core
