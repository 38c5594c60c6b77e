#include "core/fields/ranked_items.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

namespace holdfast::core::fields {

namespace {

/// How many orders so many equal items have, times `answers`.
std::uint32_t times_orders(std::uint32_t answers, std::size_t equal) {
  std::uint64_t orders = answers;
  for (std::size_t i = 2; i <= equal; ++i)
    orders = std::min<std::uint64_t>(orders * i, std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(orders);
}

/// Whether somebody has the first before the second, the first person by lot who tells them apart.
bool put_before(const ranked_items& ranked, std::uint32_t a, std::uint32_t b) {
  for (const auto& places : ranked.places)
    if (places[a] != places[b])
      return places[a] < places[b];
  return a < b;
}

} // namespace

ranked_items ranked_items_of(const field_rule& rule, const std::vector<given_value>& given) {
  static const std::vector<std::string> nothing;
  const auto ranking_of = [&](std::uint32_t who) -> const std::vector<std::string>& {
    const auto* ranking = std::get_if<std::vector<std::string>>(&given[who].said);
    return ranking == nullptr ? nothing : *ranking;
  };
  ranked_items ranked;
  ranked.people = in_order_of_lots(given);
  std::map<std::string, std::uint32_t> number_of;
  for (const auto who : ranked.people)
    for (const auto& item : ranking_of(who))
      number_of.emplace(item, 0);
  const auto take = [&](const std::string& item, std::uint32_t& number) {
    number = static_cast<std::uint32_t>(ranked.items.size()) + 1;
    ranked.items.push_back(item);
  };
  for (const auto& label : rule.labels)
    if (const auto known = number_of.find(label); known != number_of.end() && known->second == 0)
      take(known->first, known->second);
  for (auto& [item, number] : number_of)
    if (number == 0)
      take(item, number);
  for (const auto who : ranked.people) {
    std::vector<std::uint32_t> places(ranked.items.size(),
                                      static_cast<std::uint32_t>(ranked.items.size()));
    std::uint32_t place = 0;
    for (const auto& item : ranking_of(who))
      if (auto& at = places[number_of.find(item)->second - 1]; at == ranked.items.size())
        at = place++;
    ranked.places.push_back(std::move(places));
    ranked.weights.push_back(given[who].weight);
    ranked.weight += given[who].weight;
  }
  return ranked;
}

preferences shares_of(const ranked_items& ranked) {
  const auto count = ranked.items.size();
  preferences shares(count * count, 0.5);
  for (std::size_t a = 0; a < count; ++a)
    for (auto b = a + 1; b < count; ++b) {
      double for_a = 0;
      double for_b = 0;
      for (std::size_t who = 0; who < ranked.places.size(); ++who) {
        const auto& places = ranked.places[who];
        if (places[a] <= places[b])
          for_a += places[a] == places[b] ? ranked.weights[who] / 2 : ranked.weights[who];
        if (places[b] <= places[a])
          for_b += places[a] == places[b] ? ranked.weights[who] / 2 : ranked.weights[who];
      }
      shares[a * count + b] = for_a / ranked.weight;
      shares[b * count + a] = for_b / ranked.weight;
    }
  return shares;
}

preferences probabilities_of(const std::vector<double>& strengths) {
  const auto count = strengths.size();
  preferences sure(count * count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      sure[a * count + b] = strengths[a] / (strengths[a] + strengths[b]);
  return sure;
}

std::vector<double> borda_points(const ranked_items& ranked, const preferences& shares) {
  const auto count = ranked.items.size();
  std::vector<double> points(count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      if (a != b)
        points[a] += shares[a * count + b];
  return points;
}

found_value ordered_by(const ranked_items& ranked, const std::vector<double>& scores,
                       const preferences& sure) {
  const auto count = ranked.items.size();
  std::vector<long long> grains(count); // what differs by rounding alone is equal
  std::transform(scores.begin(), scores.end(), grains.begin(),
                 [](double score) { return std::llround(score / share_grain); });
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return grains[a] != grains[b] ? grains[a] > grains[b] : put_before(ranked, a, b);
  });

  found_value found;
  found.votes = static_cast<std::uint32_t>(ranked.people.size());
  std::vector<std::string> names;
  std::vector<double> sure_of(count); // by item: summed over the others
  double sum = 0;
  for (std::size_t i = 0, equal = 1; i < count; ++i) {
    equal = i > 0 && grains[order[i]] == grains[order[i - 1]] ? equal + 1 : 1;
    if (i + 1 == count || grains[order[i]] != grains[order[i + 1]])
      found.tied = times_orders(found.tied, equal);
    names.push_back(ranked.items[order[i]]);
    for (auto j = i + 1; j < count; ++j) {
      const auto by = sure[order[i] * count + order[j]];
      sum += by;
      sure_of[order[i]] += by;
      sure_of[order[j]] += by;
    }
  }
  const auto others = static_cast<double>(count) - 1;
  for (std::size_t item = 0; item < count; ++item) {
    part_support support{ranked.items[item], 0, 0};
    double naming = 0;
    for (std::size_t who = 0; who < ranked.places.size(); ++who)
      if (ranked.places[who][item] < count) {
        ++support.votes;
        naming += ranked.weights[who];
      }
    support.share = count > 1 ? sure_of[item] / others : naming / ranked.weight;
    found.support.push_back(std::move(support));
  }
  if (count > 1)
    found.confidence = sum / (static_cast<double>(count) * others / 2);
  else
    found.confidence = count == 1 ? found.support.front().share : 1;
  found.answer = std::move(names);
  return found;
}

found_value ordered_by_strength(const ranked_items& ranked, const std::vector<double>& strengths) {
  auto logarithms = strengths;
  for (auto& one : logarithms)
    one = std::log(one);
  return ordered_by(ranked, logarithms, probabilities_of(strengths));
}

} // namespace holdfast::core::fields
