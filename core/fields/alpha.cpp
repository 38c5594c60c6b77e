#include "core/fields/combine.hpp"
#include "core/fields/whole_step.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <variant>

namespace holdfast::core::fields {

namespace {

/// Of more values the distances that chance alone would make are those of so many pairs, spread
/// evenly over all.
constexpr std::size_t chance_pairs_max = 2'000'000;

using values_of_units = std::vector<std::vector<const value*>>;

/// The values of units that two or more people judged.
values_of_units pairable(std::uint32_t units, const std::vector<step_value>& given) {
  values_of_units all(units);
  for (const auto& one : given)
    if (!is_absent(one.said))
      all[one.unit].push_back(&one.said);
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& of) { return of.size() < 2; }),
            all.end());
  return all;
}

using distance_of = std::function<double(const value&, const value&)>;

/// The mean distance within units.
double seen_distance(const values_of_units& units, const distance_of& distance) {
  double sum = 0;
  std::size_t values = 0;
  for (const auto& of : units) {
    double within = 0;
    for (std::size_t a = 0; a < of.size(); ++a)
      for (std::size_t b = a + 1; b < of.size(); ++b)
        within += 2 * distance(*of[a], *of[b]);
    sum += within / static_cast<double>(of.size() - 1);
    values += of.size();
  }
  return sum / static_cast<double>(values);
}

/// How much dearer the comparison of two of these is than one of short values: that of texts grows
/// with the square of their length.
std::size_t effort_of(const std::vector<const value*>& all) {
  constexpr std::size_t length_of_short = 128;
  std::size_t length = 0;
  for (const auto* one : all)
    if (const auto* text = std::get_if<phrase>(one))
      length += text->compared.size();
  const auto times = length / all.size() / length_of_short;
  return 1 + times * times;
}

/// The mean distance of any two values, whoever said them of whatever unit.
double chance_distance(const values_of_units& units, const distance_of& distance) {
  std::vector<const value*> all;
  for (const auto& of : units)
    all.insert(all.end(), of.begin(), of.end());
  const auto pairs = all.size() * (all.size() - 1) / 2;
  // A value is compared with those that stand so many places behind it.
  const auto pairs_max = chance_pairs_max / effort_of(all);
  const auto step =
      std::min(std::max<std::size_t>(1, pairs / std::max<std::size_t>(1, pairs_max)), all.size());
  double sum = 0;
  std::size_t compared = 0;
  // From the middle of the first stretch of gaps: the least gaps join values of the same unit.
  for (auto gap = (step + 1) / 2; gap < all.size(); gap += step)
    for (std::size_t a = 0; a + gap < all.size(); ++a, ++compared)
      sum += distance(*all[a], *all[a + gap]);
  return sum / static_cast<double>(compared);
}

/// How often each label was said, for distances by places on a scale or by equality: pairs of
/// labels stand for all pairs of values.
class label_counts {
public:
  label_counts(const field_rule& rule, const values_of_units& units) {
    for (std::size_t i = 0; i < rule.labels.size(); ++i)
      places_.emplace(rule.labels[i], i);
    for (const auto& of : units)
      for (const auto* said : of)
        places_.emplace(std::get<std::string>(*said), places_.size());
    counts_.resize(places_.size());
    for (const auto& of : units)
      for (const auto* said : of)
        ++counts_[place_of(*said)];
  }

  std::size_t place_of(const value& v) const { return places_.at(std::get<std::string>(v)); }
  /// By ranks: how many values lie between the two labels, theirs by half, squared.
  double ordinal(std::size_t a, std::size_t b) const {
    double between = -(counts_[a] + counts_[b]) / 2;
    for (auto place = std::min(a, b); place <= std::max(a, b); ++place)
      between += counts_[place];
    return a == b ? 0 : between * between;
  }
  template <class Distance>
  double chance(Distance distance) const {
    double sum = 0;
    double all = 0;
    for (std::size_t a = 0; a < counts_.size(); ++a) {
      all += counts_[a];
      for (std::size_t b = 0; b < counts_.size(); ++b)
        sum += a == b ? 0 : counts_[a] * counts_[b] * distance(a, b);
    }
    return sum / (all * (all - 1));
  }

private:
  std::map<std::string, std::size_t> places_;
  std::vector<double> counts_;
};

std::optional<double> alpha_of(double seen, double by_chance) {
  if (by_chance <= 0)
    return std::nullopt;
  return 1 - seen / by_chance;
}

std::optional<double> alpha_of_labels(const field_rule& rule, const values_of_units& units) {
  const label_counts counts{rule, units};
  const bool ordered = rule.kind == field_kind::ordinal;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return ordered ? counts.ordinal(a, b) : a == b ? 0.0 : 1.0;
  };
  const auto seen = seen_distance(units, [&](const value& a, const value& b) {
    return distance(counts.place_of(a), counts.place_of(b));
  });
  return alpha_of(seen, counts.chance(distance));
}

/// With the square of the difference, whose mean over all pairs is twice the variance.
std::optional<double> alpha_of_numbers(const values_of_units& units) {
  const auto seen = seen_distance(units, [](const value& a, const value& b) {
    const auto apart = std::get<double>(a) - std::get<double>(b);
    return apart * apart;
  });
  double mean = 0;
  double squares = 0; // of distances from the mean
  double count = 0;
  for (const auto& of : units)
    for (const auto* said : of) {
      const auto number = std::get<double>(*said);
      const auto before = number - mean;
      mean += before / ++count;
      squares += before * (number - mean);
    }
  return alpha_of(seen, 2 * squares / (count - 1));
}

} // namespace

std::optional<double> alpha(const field_rule& rule, std::uint32_t units,
                            const std::vector<step_value>& given) {
  const auto all = pairable(units, given);
  if (all.empty() || rule.kind == field_kind::none)
    return std::nullopt;
  switch (rule.kind) {
  case field_kind::category:
  case field_kind::pairwise:
  case field_kind::ordinal:
    return alpha_of_labels(rule, all);
  case field_kind::number:
    return alpha_of_numbers(all);
  default: {
    const distance_of distance = [&](const value& a, const value& b) {
      return 1 - likeness(rule, a, b);
    };
    return alpha_of(seen_distance(all, distance), chance_distance(all, distance));
  }
  }
}

std::optional<double> mean_likeness(const field_rule& rule, std::uint32_t units,
                                    const std::vector<step_value>& given) {
  const auto all = pairable(units, given);
  if (all.empty() || rule.kind == field_kind::none)
    return std::nullopt;
  double sum = 0;
  for (const auto& of : all) {
    double within = 0;
    for (std::size_t a = 0; a < of.size(); ++a)
      for (std::size_t b = a + 1; b < of.size(); ++b)
        within += likeness(rule, *of[a], *of[b]);
    sum += within / (static_cast<double>(of.size()) * static_cast<double>(of.size() - 1) / 2);
  }
  return sum / static_cast<double>(all.size());
}

} // namespace holdfast::core::fields
