#include "core/fields/rankings.hpp"

#include "core/fields/ranked_items.hpp"
#include "core/fields/scales.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <variant>

namespace holdfast::core::fields {

namespace {

const std::vector<std::string>& ranking_in(const value& v) {
  static const std::vector<std::string> none;
  const auto* ranking = std::get_if<std::vector<std::string>>(&v);
  return ranking == nullptr ? none : *ranking;
}

} // namespace

found_value combine_rankings(const field_rule& rule, const std::vector<given_value>& given) {
  const auto ranked = ranked_items_of(rule, given);
  if (rule.method == field_method::bradley_terry
      || rule.method == field_method::noisy_bradley_terry) {
    const auto count = static_cast<std::uint32_t>(ranked.items.size());
    std::vector<comparison> comparisons;
    for (std::uint32_t who = 0; who < ranked.places.size(); ++who)
      for (std::uint32_t a = 0; a < count; ++a)
        for (std::uint32_t b = 0; b < count; ++b)
          if (ranked.places[who][a] < ranked.places[who][b])
            comparisons.push_back({a, b, who, ranked.weights[who]});
    return ordered_by_strength(ranked, bradley_terry(count, comparisons).strengths);
  }
  const auto shares = shares_of(ranked);
  return ordered_by(ranked, borda_points(ranked, shares), shares);
}

double likeness_of_rankings(const field_rule& /*rule*/, const value& a, const value& b) {
  const auto& first = ranking_in(a);
  const auto& second = ranking_in(b);
  const auto place_in_both = [&] {
    std::map<std::string, std::pair<std::size_t, std::size_t>> places;
    const std::pair<std::size_t, std::size_t> left_out{first.size(), second.size()};
    for (std::size_t i = 0; i < first.size(); ++i)
      places.emplace(first[i], left_out).first->second.first = i;
    for (std::size_t i = 0; i < second.size(); ++i)
      places.emplace(second[i], left_out).first->second.second = i;
    return places;
  };
  const auto places = place_in_both();
  const auto count = static_cast<double>(places.size());
  if (count < 2)
    return first == second ? 1 : 0;
  double apart = 0;
  for (auto one = places.begin(); one != places.end(); ++one)
    for (auto other = std::next(one); other != places.end(); ++other) {
      const auto& [one_a, one_b] = one->second;
      const auto& [other_a, other_b] = other->second;
      if (one_a == other_a || one_b == other_b)
        apart += 0.5; // never both: each item is named by one of the two
      else if ((one_a < other_a) != (one_b < other_b))
        apart += 1;
    }
  return 1 - apart / (count * (count - 1) / 2);
}

bool rankings_agree(const field_rule& /*rule*/, const value& a, const value& b) {
  return ranking_in(a) == ranking_in(b);
}

std::string degenerate_rankings(const field_rule& rule, const value& truth) {
  const auto* ranking = std::get_if<std::vector<std::string>>(&truth);
  if (ranking == nullptr)
    return "is not a list of items";
  if (ranking->empty())
    return "has no items";
  for (std::size_t i = 0; i < ranking->size(); ++i) {
    const auto& item = (*ranking)[i];
    if (!rule.labels.empty()
        && std::find(rule.labels.begin(), rule.labels.end(), item) == rule.labels.end())
      return "has the item \"" + item + "\", which the field does not have";
    if (std::find(ranking->begin(), ranking->begin() + static_cast<std::ptrdiff_t>(i), item)
        != ranking->begin() + static_cast<std::ptrdiff_t>(i))
      return "has the item \"" + item + "\" twice";
  }
  return {};
}

} // namespace holdfast::core::fields
