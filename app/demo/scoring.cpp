#include "app/demo/scoring.hpp"

#include "core/invariant.hpp"

#include <algorithm>

namespace holdfast::app::demo {

namespace {

double credit(const votes& of_unit, const std::string& truth) {
  std::uint32_t most = 0;
  for (const auto& [label, count] : of_unit)
    most = std::max(most, count);
  const auto tied = std::count_if(of_unit.begin(), of_unit.end(),
                                  [&](const auto& vote) { return vote.second == most; });
  const auto right = of_unit.find(truth);
  return right != of_unit.end() && right->second == most ? 1.0 / static_cast<double>(tied) : 0.0;
}

} // namespace

std::vector<votes> recorded_votes(const dataset& set) {
  std::vector<votes> of_units(set.units.size());
  for (const auto& contributor : set.contributors)
    for (const auto& answer : contributor.answers)
      ++of_units[answer.unit][answer.label];
  return of_units;
}

std::optional<double> accuracy::value() const {
  if (known == 0)
    return std::nullopt;
  return credit / static_cast<double>(known);
}

accuracy score(const dataset& set, const std::vector<votes>& of_units) {
  HOLDFAST_INVARIANT(of_units.size() == set.units.size(), "the caller has one entry per unit");
  accuracy result;
  for (std::size_t i = 0; i < set.units.size(); ++i)
    if (set.units[i].truth) {
      result.credit += credit(of_units[i], *set.units[i].truth);
      ++result.known;
    }
  return result;
}

} // namespace holdfast::app::demo
