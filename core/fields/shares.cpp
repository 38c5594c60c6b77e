#include "core/fields/shares.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace holdfast::core::fields {

namespace {

std::size_t place_among(const std::vector<std::string>& labels, const std::string& label) {
  return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

} // namespace

bool is_enough(double share, double least) {
  if (least > 0.5 + share_grain)
    return share >= least - share_grain;
  return share > least + share_grain;
}

std::vector<std::uint32_t> in_order_of_lots(const std::vector<given_value>& given) {
  std::vector<std::uint32_t> order(given.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(given[a].lot, given[a].weight) < std::tie(given[b].lot, given[b].weight);
  });
  return order;
}

double weight_of(const std::vector<given_value>& given, const std::vector<std::uint32_t>& order) {
  double weight = 0;
  for (const auto who : order)
    weight += given[who].weight;
  return weight;
}

double weighted_median(std::vector<weighted_number>& numbers) {
  std::sort(numbers.begin(), numbers.end(), [](const weighted_number& a, const weighted_number& b) {
    return std::tie(a.number, a.weight) < std::tie(b.number, b.weight);
  });
  double all = 0;
  for (const auto& one : numbers)
    all += one.weight;
  double below = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    below += numbers[i].weight;
    if (below > all * (0.5 + share_grain))
      return numbers[i].number;
    if (below >= all * (0.5 - share_grain))
      return numbers[i].number + (numbers[i + 1].number - numbers[i].number) / 2;
  }
  return numbers.back().number;
}

void add_vote(std::vector<label_claim>& claims, const std::string& label, double weight,
              std::uint64_t lot) {
  auto claim = std::find_if(claims.begin(), claims.end(),
                            [&](const label_claim& one) { return one.label == label; });
  if (claim == claims.end())
    claim = claims.insert(claim, label_claim{label});
  claim->weight += weight;
  ++claim->votes;
  claim->lot = std::min(claim->lot, lot);
}

std::size_t leading_claim(const std::vector<label_claim>& claims, std::uint32_t& tied) {
  double most = 0;
  for (const auto& one : claims)
    most = std::max(most, one.weight);
  std::size_t leader = claims.size();
  tied = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].weight < most * (1 - share_grain))
      continue;
    ++tied;
    if (leader == claims.size() || claims[i].votes > claims[leader].votes
        || (claims[i].votes == claims[leader].votes && claims[i].lot < claims[leader].lot))
      leader = i;
  }
  return leader;
}

void sort_by_labels(std::vector<label_claim>& claims, const std::vector<std::string>& labels) {
  std::sort(claims.begin(), claims.end(), [&](const label_claim& a, const label_claim& b) {
    const auto place_a = place_among(labels, a.label);
    const auto place_b = place_among(labels, b.label);
    return std::tie(place_a, a.label) < std::tie(place_b, b.label);
  });
}

std::string problem_of_label(const std::vector<std::string>& labels, const std::string& label) {
  if (labels.empty() || place_among(labels, label) < labels.size())
    return {};
  return label.empty() ? "has a part without a label"
                       : "has the label \"" + label + "\", which the field does not have";
}

} // namespace holdfast::core::fields
