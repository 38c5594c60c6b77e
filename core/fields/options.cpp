#include "core/fields/options.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <variant>

namespace holdfast::core::fields {

namespace {

using options_list = std::vector<std::string>;

const options_list& options_in(const value& v) {
  static const options_list nothing;
  const auto* found = std::get_if<options_list>(&v);
  return found == nullptr ? nothing : *found;
}

/// Those of the rule in their order, then what else was chosen, by bytes.
options_list all_options(const field_rule& rule, const std::set<std::string>& chosen) {
  auto all = rule.labels;
  const std::set<std::string> known(all.begin(), all.end());
  std::set_difference(chosen.begin(), chosen.end(), known.begin(), known.end(),
                      std::back_inserter(all));
  return all;
}

found_value each_option(const field_rule& rule, const std::vector<given_value>& given) {
  std::set<std::string> chosen;
  for (const auto& one : given)
    chosen.insert(options_in(one.said).begin(), options_in(one.said).end());
  const auto names = all_options(rule, chosen);
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i)
    places.emplace(names[i], i);
  found_value found;
  found.votes = static_cast<std::uint32_t>(given.size());
  for (const auto& name : names)
    found.support.push_back({name, 0, 0});
  const auto order = in_order_of_lots(given);
  for (const auto who : order)
    for (const auto& option : options_in(given[who].said)) {
      auto& part = found.support[places.at(option)];
      part.share += given[who].weight;
      ++part.votes;
    }
  const auto all = weight_of(given, order);
  options_list answer;
  found.confidence = 1;
  for (auto& part : found.support) {
    part.share /= all;
    found.confidence = std::min(found.confidence, std::max(part.share, 1 - part.share));
    if (is_enough(part.share, rule.share))
      answer.push_back(part.name);
  }
  std::sort(answer.begin(), answer.end());
  found.answer = std::move(answer);
  return found;
}

found_value whole_sets(const std::vector<given_value>& given) {
  // Sets by numbers, so that claims about them can be those of labels.
  std::map<options_list, std::size_t> numbers;
  std::vector<const options_list*> sets;
  std::vector<label_claim> claims;
  double all = 0;
  for (const auto who : in_order_of_lots(given)) {
    const auto& said = options_in(given[who].said);
    const auto [entry, is_new] = numbers.emplace(said, sets.size());
    if (is_new) {
      sets.push_back(&entry->first);
      claims.push_back({std::to_string(claims.size())});
    }
    auto& claim = claims[entry->second];
    claim.weight += given[who].weight;
    ++claim.votes;
    claim.lot = std::min(claim.lot, given[who].lot);
    all += given[who].weight;
  }
  found_value found;
  found.votes = static_cast<std::uint32_t>(given.size());
  const auto leader = leading_claim(claims, found.tied);
  found.answer = *sets[leader];
  found.confidence = claims[leader].weight / all;
  for (const auto& [names, number] : numbers) {
    std::string listed;
    for (const auto& name : names)
      listed += (listed.empty() ? "" : ", ") + name;
    found.support.push_back({listed, claims[number].weight / all, claims[number].votes});
  }
  return found;
}

/// The table that the model of a step works on: for each judgment its options.
struct options_table {
  options_list names;
  std::vector<std::vector<std::size_t>> of_unit; ///< Judgments, by place in `given`.
  std::vector<std::vector<bool>> has;            ///< By judgment and option.
};

options_table table_of(const field_rule& rule, std::uint32_t units,
                       const std::vector<step_value>& given) {
  std::set<std::string> chosen;
  for (const auto& one : given)
    chosen.insert(options_in(one.said).begin(), options_in(one.said).end());
  options_table table;
  table.names = all_options(rule, chosen);
  table.of_unit.resize(units);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& said = options_in(given[i].said);
    auto& has = table.has.emplace_back(table.names.size());
    if (is_absent(given[i].said))
      continue;
    table.of_unit[given[i].unit].push_back(i);
    for (std::size_t option = 0; option < table.names.size(); ++option)
      has[option] = std::binary_search(said.begin(), said.end(), table.names[option]);
  }
  return table;
}

constexpr double right_before = 4;
constexpr double wrong_before = 2;
constexpr std::uint32_t iterations_max = 100;
constexpr double settled_change = 1e-9;

} // namespace

found_value combine_options(const field_rule& rule, const std::vector<given_value>& given) {
  return rule.method == field_method::exact ? whole_sets(given) : each_option(rule, given);
}

double likeness_of_options(const field_rule& /*rule*/, const value& a, const value& b) {
  const auto& first = options_in(a);
  const auto& second = options_in(b);
  options_list both;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(both));
  const auto any = first.size() + second.size() - both.size();
  return any == 0 ? 1 : static_cast<double>(both.size()) / static_cast<double>(any);
}

bool options_agree(const field_rule& /*rule*/, const value& a, const value& b) {
  return options_in(a) == options_in(b);
}

std::string degenerate_options(const field_rule& rule, const value& truth) {
  const auto* said = std::get_if<options_list>(&truth);
  if (said == nullptr)
    return "is not a list of options";
  for (const auto& option : *said)
    if (!rule.labels.empty()
        && std::find(rule.labels.begin(), rule.labels.end(), option) == rule.labels.end())
      return "has the option \"" + option + "\", which the field does not have";
  return {};
}

step_found combine_options_step(const field_rule& rule, std::uint32_t units,
                                std::uint32_t contributors, const std::vector<step_value>& given) {
  const auto table = table_of(rule, units, given);
  const auto options = table.names.size();
  std::vector<std::vector<double>> holds(units, std::vector<double>(options));
  for (std::uint32_t unit = 0; unit < units; ++unit)
    for (std::size_t option = 0; option < options; ++option) {
      double chose = 0;
      double all = 0;
      for (const auto judgment : table.of_unit[unit]) {
        all += given[judgment].weight;
        chose += table.has[judgment][option] ? given[judgment].weight : 0;
      }
      holds[unit][option] = all > 0 ? chose / all : 0;
    }
  step_found found;
  found.contributors.resize(contributors);
  for (double change = 1; found.iterations < iterations_max && change > settled_change;
       ++found.iterations) {
    std::vector<double> right(contributors, right_before);
    std::vector<double> said(contributors, right_before + wrong_before);
    std::vector<double> often(options, 1);
    double judged_units = 2;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      if (table.of_unit[unit].empty())
        continue;
      ++judged_units;
      for (std::size_t option = 0; option < options; ++option)
        often[option] += holds[unit][option];
      for (const auto judgment : table.of_unit[unit])
        for (std::size_t option = 0; option < options; ++option) {
          const auto probable = holds[unit][option];
          right[given[judgment].contributor] +=
              table.has[judgment][option] ? probable : 1 - probable;
          said[given[judgment].contributor] += 1;
        }
    }
    std::vector<double> says(contributors); // logarithms of odds
    for (std::uint32_t who = 0; who < contributors; ++who) {
      const auto accuracy = found.contributors[who] = right[who] / said[who];
      says[who] = std::log(accuracy / (1 - accuracy));
    }
    change = 0;
    for (std::uint32_t unit = 0; unit < units; ++unit)
      for (std::size_t option = 0; option < options && !table.of_unit[unit].empty(); ++option) {
        const auto prior = often[option] / judged_units;
        double odds = std::log(prior / (1 - prior));
        for (const auto judgment : table.of_unit[unit]) {
          const auto speaks = says[given[judgment].contributor];
          odds += table.has[judgment][option] ? speaks : -speaks;
        }
        const auto now = 1 / (1 + std::exp(-odds));
        change = std::max(change, std::abs(now - holds[unit][option]));
        holds[unit][option] = now;
      }
  }
  found.units.resize(units);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    auto& one = found.units[unit];
    one.votes = static_cast<std::uint32_t>(table.of_unit[unit].size());
    if (one.votes == 0)
      continue;
    options_list answer;
    one.confidence = 1;
    for (std::size_t option = 0; option < options; ++option) {
      const auto share = holds[unit][option];
      std::uint32_t votes = 0;
      for (const auto judgment : table.of_unit[unit])
        votes += table.has[judgment][option] ? 1 : 0;
      one.support.push_back({table.names[option], share, votes});
      one.confidence = std::min(one.confidence, std::max(share, 1 - share));
      if (is_enough(share, rule.share))
        answer.push_back(table.names[option]);
    }
    std::sort(answer.begin(), answer.end());
    one.answer = std::move(answer);
  }
  return found;
}

} // namespace holdfast::core::fields
