#include "core/known_removals.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::core {

namespace {

/// Changes that are remembered whatever the number of contributors: a step that looks more seldom
/// looks at all of them.
constexpr std::size_t latest_min = 1024;

bool is_forgettable(const removal& one, instant now) {
  return one.place.scope != removal_scope::step && !is_active(one, now);
}

} // namespace

void known_removals::learn(const std::vector<removal>& changed, instant now) {
  for (const auto& one : changed) {
    auto& theirs = by_contributor_[one.contributor];
    const auto known = theirs.find(one.place);
    // A look reads again what changed shortly before the last.
    const bool is_news =
        known == theirs.end() ? !is_forgettable(one, now) : !(known->second == one);
    if (is_news)
      theirs[one.place] = one;
    for (auto at = theirs.begin(); at != theirs.end();)
      at = is_forgettable(at->second, now) ? theirs.erase(at) : std::next(at);
    if (theirs.empty())
      by_contributor_.erase(one.contributor);
    if (!is_news)
      continue;
    latest_.push_back(one.contributor);
    ++generation_;
  }
  while (latest_.size() > std::max(latest_min, by_contributor_.size()))
    latest_.pop_front();
}

std::optional<removal> known_removals::of(const contributor_id& contributor, const step_id& step,
                                          const workflow_id& workflow, instant now) const {
  const auto found = by_contributor_.find(contributor);
  if (found == by_contributor_.end())
    return std::nullopt;
  const removal* strongest = nullptr;
  for (const auto& place : {in_step(step), in_workflow(workflow), everywhere()}) {
    const auto one = found->second.find(place);
    if (one == found->second.end() || !is_active(one->second, now))
      continue;
    strongest = strongest == nullptr ? &one->second : &stronger(*strongest, one->second);
  }
  return strongest == nullptr ? std::nullopt : std::optional{*strongest};
}

std::optional<instant> known_removals::reinstated_at(const contributor_id& contributor,
                                                     const step_id& step) const {
  const auto found = by_contributor_.find(contributor);
  if (found == by_contributor_.end())
    return std::nullopt;
  const auto one = found->second.find(in_step(step));
  return one == found->second.end() ? std::nullopt : one->second.ended_at;
}

std::vector<contributor_id> known_removals::changed_since(std::uint64_t generation) const {
  if (generation >= generation_)
    return {};
  const auto missed = generation_ - generation;
  if (generation > 0 && missed <= latest_.size())
    return {latest_.end() - static_cast<std::ptrdiff_t>(missed), latest_.end()};
  std::vector<contributor_id> all;
  all.reserve(by_contributor_.size());
  for (const auto& [contributor, theirs] : by_contributor_)
    all.push_back(contributor);
  // Of whom nothing is known any more, but was: they may be back at work.
  all.insert(all.end(), latest_.begin(), latest_.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

instant known_removals::next_end(instant now) const {
  auto next = instant::max();
  for (const auto& [contributor, theirs] : by_contributor_)
    for (const auto& [place, one] : theirs)
      if (one.until && is_active(one, now))
        next = std::min(next, *one.until);
  return next;
}

} // namespace holdfast::core
