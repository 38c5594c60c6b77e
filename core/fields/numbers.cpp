#include "core/fields/numbers.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <variant>

namespace holdfast::core::fields {

namespace {

double number_in(const value& v) {
  const auto* found = std::get_if<double>(&v);
  return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : *found;
}

bool is_within(const field_rule& rule, double a, double b) {
  const auto size = std::max(std::abs(a), std::abs(b));
  const auto tolerance = std::max(rule.within, rule.within_share * size);
  if (tolerance == 0)
    return a == b;
  constexpr double rounding = 1e-12; // of decimals as doubles: 0.3 and 0.2 are 0.1 apart
  return std::abs(a - b) <= tolerance + rounding * size;
}

double mean_of(const std::vector<weighted_number>& numbers) {
  double sum = 0;
  double weight = 0;
  for (const auto& one : numbers) {
    sum += one.number * one.weight;
    weight += one.weight;
  }
  return sum / weight;
}

/// Numbers ascend. Leaves one at least.
std::vector<weighted_number> trimmed(const std::vector<weighted_number>& numbers, double share) {
  double all = 0;
  for (const auto& one : numbers)
    all += one.weight;
  const auto bound = all * (share + share_grain);
  auto first = numbers.begin();
  for (double left_out = 0; first + 1 != numbers.end(); ++first)
    if ((left_out += first->weight) > bound)
      break;
  auto last = numbers.end();
  for (double left_out = 0; last - 1 != first; --last)
    if ((left_out += (last - 1)->weight) > bound)
      break;
  return {first, last};
}

/// Numbers ascend.
double quantile(const std::vector<weighted_number>& numbers, double share) {
  double length = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    length += (numbers[i].weight + numbers[i + 1].weight) / 2;
  const auto wanted = share * length;
  double place = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const auto next = place + (numbers[i].weight + numbers[i + 1].weight) / 2;
    if (wanted <= next)
      return numbers[i].number
             + (numbers[i + 1].number - numbers[i].number) * (wanted - place) / (next - place);
    place = next;
  }
  return numbers.back().number;
}

number_interval interval_of(const std::vector<weighted_number>& numbers, double share) {
  return {quantile(numbers, (1 - share) / 2), quantile(numbers, (1 + share) / 2)};
}

} // namespace

found_value combine_numbers(const field_rule& rule, const std::vector<given_value>& given) {
  std::vector<weighted_number> numbers;
  for (const auto& one : given)
    numbers.push_back({number_in(one.said), one.weight});
  double answer = weighted_median(numbers); // which sorts them
  if (rule.method == field_method::mean)
    answer = mean_of(numbers);
  else if (rule.method == field_method::trimmed_mean && rule.trim < 0.5) // else the median is left
    answer = mean_of(trimmed(numbers, rule.trim));
  found_value found;
  found.answer = answer;
  found.votes = static_cast<std::uint32_t>(given.size());
  double all = 0;
  double near = 0;
  for (const auto& one : numbers) {
    all += one.weight;
    near += is_within(rule, one.number, answer) ? one.weight : 0;
  }
  found.confidence = near / all;
  constexpr double half = 0.5;
  constexpr double nearly_all = 0.95;
  found.half = interval_of(numbers, half);
  found.nearly = interval_of(numbers, nearly_all);
  return found;
}

double likeness_of_numbers(const field_rule& rule, const value& a, const value& b) {
  return numbers_agree(rule, a, b) ? 1 : 0;
}

bool numbers_agree(const field_rule& rule, const value& a, const value& b) {
  return is_within(rule, number_in(a), number_in(b));
}

std::string degenerate_numbers(const field_rule& /*rule*/, const value& truth) {
  return std::isfinite(number_in(truth)) ? "" : "is not a number";
}

} // namespace holdfast::core::fields
