#include "core/fields/ordinals.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>

namespace holdfast::core::fields {

namespace {

constexpr auto off_the_scale = std::numeric_limits<std::size_t>::max();

std::size_t place_on_scale(const field_rule& rule, const value& v) {
  const auto* label = std::get_if<std::string>(&v);
  if (label == nullptr)
    return off_the_scale;
  const auto found = std::find(rule.labels.begin(), rule.labels.end(), *label);
  return found == rule.labels.end() ? off_the_scale
                                    : static_cast<std::size_t>(found - rule.labels.begin());
}

double steps_between(std::size_t a, std::size_t b) {
  return static_cast<double>(a > b ? a - b : b - a);
}

/// How a contributor errs whose care is known.
class confusions {
public:
  /// Fits a scale of so many labels.
  confusions(std::size_t labels, double care) : care_(care), sums_(labels), steps_(labels) {
    // Sums over the labels on one side of the truth, by how many there are.
    const auto factor = std::exp(-care);
    double power = 1;
    for (std::size_t off = 1; off < labels; ++off) {
      power *= factor;
      sums_[off] = sums_[off - 1] + power;
      steps_[off] = steps_[off - 1] + static_cast<double>(off) * power;
    }
  }

  double log_of(std::size_t said, std::size_t truth) const {
    return -care_ * steps_between(said, truth) - std::log(sum_at(truth));
  }
  /// Steps that this contributor is off, in the mean, where `truth` is true.
  double mean_steps(std::size_t truth) const {
    return (steps_[truth] + steps_[steps_.size() - 1 - truth]) / sum_at(truth);
  }

private:
  double sum_at(std::size_t truth) const {
    return 1 + sums_[truth] + sums_[sums_.size() - 1 - truth];
  }

  double care_;
  std::vector<double> sums_;
  std::vector<double> steps_;
};

/// The belief about a contributor's labels: how often each label was true, and how many steps
/// off they were altogether.
struct believed {
  std::vector<double> truths;
  double steps = 0;
};

/// The care under which what is believed is most likely.
double care_of(const believed& what) {
  constexpr double most_care = 20;
  double low = -2;
  double high = most_care;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const auto middle = (low + high) / 2;
    const confusions errs{what.truths.size(), middle};
    double expected = 0;
    for (std::size_t truth = 0; truth < what.truths.size(); ++truth)
      expected += what.truths[truth] * errs.mean_steps(truth);
    (expected > what.steps ? low : high) = middle;
  }
  return (low + high) / 2;
}

constexpr double judged_before = 6;
constexpr double steps_off_before = 2;
constexpr std::uint32_t ordinal_iterations_max = 100;
constexpr double ordinal_settled_change = 1e-9;

struct ordinal_judgment {
  std::uint32_t contributor = 0;
  std::size_t label = 0;
  double weight = 1;
  std::uint64_t lot = 0;
};

/// The answer of one unit from how likely each label is.
found_value likeliest(const field_rule& rule, const std::vector<double>& shares,
                      const std::vector<ordinal_judgment>& judged) {
  std::vector<label_claim> claims;
  for (std::size_t label = 0; label < shares.size(); ++label) {
    auto& claim = claims.emplace_back(label_claim{rule.labels[label], shares[label]});
    for (const auto& one : judged)
      if (one.label == label) {
        ++claim.votes;
        claim.lot = std::min(claim.lot, one.lot);
      }
  }
  found_value found;
  const auto& leader = claims[leading_claim(claims, found.tied)];
  found.answer = leader.label;
  found.confidence = leader.weight;
  found.votes = static_cast<std::uint32_t>(judged.size());
  for (const auto& claim : claims)
    found.support.push_back({claim.label, claim.weight, claim.votes});
  return found;
}

} // namespace

found_value combine_ordinals(const field_rule& rule, const std::vector<given_value>& given) {
  std::vector<label_claim> claims;
  for (const auto& label : rule.labels)
    claims.push_back({label});
  found_value found;
  double all = 0;
  for (const auto who : in_order_of_lots(given)) {
    const auto place = place_on_scale(rule, given[who].said);
    if (place == off_the_scale)
      continue;
    claims[place].weight += given[who].weight;
    ++claims[place].votes;
    claims[place].lot = std::min(claims[place].lot, given[who].lot);
    all += given[who].weight;
    ++found.votes;
  }
  if (found.votes == 0)
    return found;
  std::size_t low = 0;
  double below = claims[0].weight;
  while (below < all * (0.5 - share_grain))
    below += claims[++low].weight;
  auto high = low;
  if (below <= all * (0.5 + share_grain))
    do
      ++high;
    while (claims[high].votes == 0);
  found.tied = high == low ? 1 : 2;
  const auto answer = claims[high].lot < claims[low].lot ? high : low;
  found.answer = claims[answer].label;
  found.confidence = claims[answer].weight / all;
  for (const auto& claim : claims)
    found.support.push_back({claim.label, claim.weight / all, claim.votes});
  return found;
}

double likeness_of_ordinals(const field_rule& rule, const value& a, const value& b) {
  const auto first = place_on_scale(rule, a);
  const auto second = place_on_scale(rule, b);
  if (first == off_the_scale || second == off_the_scale)
    return 0;
  const auto length = static_cast<double>(rule.labels.size()) - 1;
  return length <= 0 ? 1 : 1 - steps_between(first, second) / length;
}

bool ordinals_agree(const field_rule& rule, const value& a, const value& b) {
  const auto place = place_on_scale(rule, a);
  return place != off_the_scale && place == place_on_scale(rule, b);
}

std::string degenerate_ordinals(const field_rule& rule, const value& truth) {
  const auto* label = std::get_if<std::string>(&truth);
  return label == nullptr ? "is not a label" : problem_of_label(rule.labels, *label);
}

step_found combine_ordinals_step(const field_rule& rule, std::uint32_t units,
                                 std::uint32_t contributors, const std::vector<step_value>& given) {
  const auto labels = rule.labels.size();
  std::vector<std::vector<ordinal_judgment>> judged(units);
  for (const auto& one : given)
    if (const auto place = place_on_scale(rule, one.said); place != off_the_scale)
      judged[one.unit].push_back({one.contributor, place, one.weight, one.lot});
  std::vector<std::vector<double>> shares(units, std::vector<double>(labels));
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    double all = 0;
    for (const auto& one : judged[unit]) {
      shares[unit][one.label] += one.weight;
      all += one.weight;
    }
    for (auto& share : shares[unit])
      share /= all > 0 ? all : 1;
  }
  step_found found;
  std::vector<double> care(contributors);
  for (double change = 1;
       found.iterations < ordinal_iterations_max && change > ordinal_settled_change;
       ++found.iterations) {
    std::vector<double> often(labels, 1);
    std::vector<believed> of(
        contributors, {std::vector<double>(labels, judged_before / static_cast<double>(labels)),
                       steps_off_before});
    for (std::uint32_t unit = 0; unit < units; ++unit)
      for (std::size_t truth = 0; truth < labels && !judged[unit].empty(); ++truth) {
        const auto probable = shares[unit][truth];
        often[truth] += probable;
        for (const auto& one : judged[unit]) {
          of[one.contributor].truths[truth] += probable;
          of[one.contributor].steps += probable * steps_between(one.label, truth);
        }
      }
    std::vector<std::vector<double>> logs_of(contributors); // by truth and label
    for (std::uint32_t who = 0; who < contributors; ++who) {
      care[who] = care_of(of[who]);
      const confusions errs{labels, care[who]};
      for (std::size_t truth = 0; truth < labels; ++truth)
        for (std::size_t said = 0; said < labels; ++said)
          logs_of[who].push_back(errs.log_of(said, truth));
    }
    double units_before = 0;
    for (const auto one : often)
      units_before += one;
    change = 0;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      if (judged[unit].empty())
        continue;
      std::vector<double> logs(labels);
      for (std::size_t truth = 0; truth < labels; ++truth) {
        logs[truth] = std::log(often[truth] / units_before);
        for (const auto& one : judged[unit])
          logs[truth] += logs_of[one.contributor][truth * labels + one.label];
      }
      const auto most = *std::max_element(logs.begin(), logs.end());
      double sum = 0;
      for (auto& one : logs)
        sum += one = std::exp(one - most);
      for (std::size_t truth = 0; truth < labels; ++truth) {
        const auto now = logs[truth] / sum;
        change = std::max(change, std::abs(now - shares[unit][truth]));
        shares[unit][truth] = now;
      }
    }
  }
  found.contributors.resize(contributors);
  for (std::uint32_t who = 0; who < contributors; ++who) {
    const confusions errs{labels, care[who]};
    for (std::size_t truth = 0; truth < labels; ++truth)
      found.contributors[who] += std::exp(errs.log_of(truth, truth)) / static_cast<double>(labels);
  }
  found.units.resize(units);
  for (std::uint32_t unit = 0; unit < units; ++unit)
    if (!judged[unit].empty())
      found.units[unit] = likeliest(rule, shares[unit], judged[unit]);
  return found;
}

} // namespace holdfast::core::fields
