#include "core/quality/answers.hpp"

#include "core/invariant.hpp"
#include "core/quality/labels.hpp"

#include <algorithm>
#include <tuple>

namespace holdfast::core::quality {

namespace {

bool by_contributor(const vote& a, const vote& b) {
  return std::tie(a.contributor, a.label) < std::tie(b.contributor, b.label);
}

/// Keeps the first vote of each contributor in every unit; returns how many others there were.
std::size_t drop_repeated(answers& given) {
  constexpr auto never = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last_unit(given.contributors, never);
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    const auto end = given.begins[unit + 1];
    for (; begin < end; ++begin) {
      const auto what = given.votes[begin];
      if (last_unit[what.contributor] == unit)
        continue;
      last_unit[what.contributor] = unit;
      given.votes[kept++] = what;
    }
    given.begins[unit + 1] = kept;
  }
  const auto dropped = given.votes.size() - kept;
  given.votes.resize(kept);
  return dropped;
}

/// Keeps the labels that some vote still has, in label order, and renumbers the votes.
void settle_labels(const std::deque<std::string>& names, named_answers& all) {
  std::vector<bool> given(names.size(), false);
  for (const auto& one : all.given.votes)
    given[one.label] = true;
  for (std::size_t label = 0; label < names.size(); ++label)
    if (given[label])
      all.labels.push_back(names[label]);
  sort_labels(all.labels);
  all.given.labels = static_cast<std::uint32_t>(all.labels.size());
  std::unordered_map<std::string_view, std::uint32_t> order;
  for (std::uint32_t i = 0; i < all.labels.size(); ++i)
    order.emplace(all.labels[i], i);
  std::vector<std::uint32_t> renumbered(names.size(), 0);
  for (std::size_t label = 0; label < names.size(); ++label)
    if (given[label])
      renumbered[label] = order.at(names[label]);
  for (auto& one : all.given.votes)
    one.label = renumbered[one.label];
}

} // namespace

std::uint32_t answers_builder::register_of_names::number_of(std::string_view name) {
  if (const auto known = numbers.find(name); known != numbers.end())
    return known->second;
  const auto number = static_cast<std::uint32_t>(names.size());
  HOLDFAST_INVARIANT(number < unheard_label, "a data set has fewer than four billion names");
  numbers.emplace(names.emplace_back(name), number);
  return number;
}

std::vector<std::uint32_t>
answers_builder::register_of_names::renumber(const std::vector<std::string>& order) const {
  std::vector<std::uint32_t> renumbered(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    renumbered[numbers.at(order[i])] = i;
  return renumbered;
}

void answers_builder::add(std::string_view contributor, std::string_view unit,
                          std::string_view label) {
  rows_.push_back(
      {units_.number_of(unit), {contributors_.number_of(contributor), labels_.number_of(label)}});
}

named_answers answers_builder::finish(repeats rule) {
  named_answers result;
  result.units.assign(units_.names.begin(), units_.names.end());
  result.contributors.assign(contributors_.names.begin(), contributors_.names.end());
  std::sort(result.units.begin(), result.units.end());
  std::sort(result.contributors.begin(), result.contributors.end());
  const auto unit_of = units_.renumber(result.units);
  const auto contributor_of = contributors_.renumber(result.contributors);

  auto& given = result.given;
  given.contributors = static_cast<std::uint32_t>(result.contributors.size());
  given.begins.assign(result.units.size() + 1, 0);
  for (const auto& one : rows_)
    ++given.begins[unit_of[one.unit] + 1];
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    given.begins[unit + 1] += given.begins[unit];
  given.votes.resize(rows_.size());
  auto next = given.begins;
  for (const auto& one : rows_)
    given.votes[next[unit_of[one.unit]]++] = {contributor_of[one.what.contributor], one.what.label};
  if (rule == repeats::first_counts)
    result.repeated = drop_repeated(given);
  settle_labels(labels_.names, result);
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    std::sort(given.votes.begin() + static_cast<std::ptrdiff_t>(given.begins[unit]),
              given.votes.begin() + static_cast<std::ptrdiff_t>(given.begins[unit + 1]),
              by_contributor);
  return result;
}

} // namespace holdfast::core::quality
