#include "core/quality/peer_agreement.hpp"

#include <algorithm>

namespace holdfast::core::quality {

namespace {

/// Labels in front among the others' votes on one unit.
struct leaders {
  std::vector<std::uint32_t> labels;
  bool none = false;
};

leaders leaders_without(std::vector<std::uint32_t>& counts, const vote_range& own) {
  for (const auto& one : own)
    --counts[one.label];
  const auto most = *std::max_element(counts.begin(), counts.end());
  leaders result;
  result.none = most == 0;
  for (std::uint32_t label = 0; label < counts.size(); ++label)
    if (counts[label] == most)
      result.labels.push_back(label);
  for (const auto& one : own)
    ++counts[one.label];
  return result;
}

} // namespace

std::optional<double> peer_agreement::kappa() const {
  if (compared == 0 || expected >= 1)
    return std::nullopt;
  return (agreed - expected) / (1 - expected);
}

std::vector<peer_agreement> peer_agreements(const answers& given) {
  std::vector<peer_agreement> all(given.contributors);
  // Label shares of each contributor and of the majorities they were compared with.
  const std::size_t labels = given.labels;
  std::vector<double> own(given.contributors * labels, 0.0);
  std::vector<double> others(given.contributors * labels, 0.0);
  std::vector<std::uint32_t> counts(labels);
  std::vector<vote> votes; // of a unit, those of a contributor together: some judge it repeatedly
  const auto by_contributor = [](const vote& a, const vote& b) {
    return a.contributor < b.contributor;
  };
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    std::fill(counts.begin(), counts.end(), 0U);
    for (const auto& one : given.of(unit))
      ++counts[one.label];
    votes.assign(given.of(unit).begin(), given.of(unit).end());
    std::sort(votes.begin(), votes.end(), by_contributor);
    for (const auto *next = votes.data(), *end = next + votes.size(); next != end;) {
      const vote_range mine{next, std::upper_bound(next, end, *next, by_contributor)};
      next = mine.end();
      const auto front = leaders_without(counts, mine);
      if (front.none)
        continue;
      const auto part = 1.0 / static_cast<double>(front.labels.size());
      for (const auto& one : mine) {
        auto& result = all[one.contributor];
        ++result.compared;
        own[one.contributor * labels + one.label] += 1;
        for (const auto label : front.labels) {
          others[one.contributor * labels + label] += part;
          result.agreed += label == one.label ? part : 0;
        }
      }
    }
  }
  for (std::size_t who = 0; who < all.size(); ++who) {
    const auto compared = static_cast<double>(std::max(all[who].compared, 1U));
    all[who].agreed /= compared;
    for (std::size_t label = 0; label < labels; ++label)
      all[who].expected +=
          own[who * labels + label] / compared * others[who * labels + label] / compared;
  }
  return all;
}

} // namespace holdfast::core::quality
