#include "app/demo/audit.hpp"

#include "app/demo/scoring.hpp"
#include "app/demo/workload.hpp"
#include "persistence/postgres_store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace holdfast::app::demo {

namespace {

constexpr std::uint32_t results_per_page = 1000;
constexpr std::size_t units_per_read = 500;

votes votes_of(const std::string& result) {
  votes counted;
  const auto object = nlohmann::json::parse(result, nullptr, false);
  if (!object.is_object() || !object.contains("votes") || !object["votes"].is_object())
    return counted;
  for (const auto& [label, count] : object["votes"].items())
    if (count.is_number_unsigned())
      counted[label] = count.get<std::uint32_t>();
  return counted;
}

core::outcome<std::vector<core::unit_record>> load_units(persistence::store& database,
                                                         const std::vector<core::unit_id>& ids) {
  std::vector<core::unit_record> units;
  for (std::size_t first = 0; first < ids.size(); first += units_per_read) {
    const auto last = std::min(first + units_per_read, ids.size());
    const std::vector<core::unit_id> some{ids.begin() + static_cast<std::ptrdiff_t>(first),
                                          ids.begin() + static_cast<std::ptrdiff_t>(last)};
    auto loaded = database.load_units(some, demo_lease());
    if (!loaded)
      return loaded.error();
    std::move(loaded->begin(), loaded->end(), std::back_inserter(units));
  }
  return units;
}

/// Who answered what, by task and by the contributor's name.
using recorded_labels = std::map<std::pair<std::string, std::string>, std::string>;

recorded_labels labels_of(const loaded_set& of) {
  recorded_labels labels;
  for (const auto& contributor : of.set->contributors)
    for (const auto& answer : contributor.answers)
      labels[{of.set->units[answer.unit].task, of.contributor_prefix + contributor.name}] =
          answer.label;
  return labels;
}

void compare_results(const loaded_set& of, const std::vector<msg::unit_result>& results,
                     set_report& report) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < of.set->units.size(); ++i)
    index.emplace(of.set->units[i].task, i);
  std::vector<votes> listed(of.set->units.size());
  for (const auto& result : results) {
    const auto unit = index.find(result.source_key);
    if (unit == index.end()) {
      ++report.different_units;
      continue;
    }
    listed[unit->second] = votes_of(result.result);
    if (result.state == core::unit_state::finalized)
      ++report.finished;
  }
  const auto recorded = recorded_votes(*of.set);
  for (std::size_t i = 0; i < recorded.size(); ++i)
    if (listed[i] != recorded[i])
      ++report.different_units;
  report.of_system = score(*of.set, listed);
  report.of_file = score(*of.set, recorded);
}

void compare_judgments(const loaded_set& of, const std::vector<core::unit_record>& units,
                       const std::unordered_set<core::uuid>& acknowledged, set_report& report) {
  const auto labels = labels_of(of);
  std::unordered_set<core::uuid> found;
  for (const auto& unit : units) {
    std::set<core::contributor_id> judges;
    for (const auto& judgment : unit.judgments) {
      ++report.judgments;
      const bool first_of_contributor = judges.insert(judgment.contributor).second;
      const bool first_of_id = found.insert(judgment.id.value).second;
      if (!first_of_contributor || !first_of_id)
        ++report.doubled;
      if (acknowledged.count(judgment.id.value) == 0)
        ++report.unacknowledged;
      const auto recorded = labels.find({unit.source_key, judgment.contributor});
      if (recorded == labels.end() || recorded->second != judgment.answer)
        ++report.altered;
    }
  }
  report.acknowledged = acknowledged.size();
  report.lost = static_cast<std::uint64_t>(
      std::count_if(acknowledged.begin(), acknowledged.end(),
                    [&](const core::uuid& id) { return found.count(id) == 0; }));
}

} // namespace

core::outcome<std::vector<msg::unit_result>> list_results(const client::connection& node,
                                                          core::step_id step) {
  std::vector<msg::unit_result> results;
  std::uint64_t after = 0;
  while (true) {
    auto page = node.ask<msg::result_page>(msg::list_results{step, after, results_per_page});
    if (!page)
      return page.error();
    if (page->results.empty())
      return results;
    after = page->last;
    std::move(page->results.begin(), page->results.end(), std::back_inserter(results));
  }
}

core::outcome<std::vector<set_report>>
audit(const client::connection& node, const std::string& conninfo,
      const std::vector<loaded_set>& sets, const std::vector<acknowledged_judgment>& acknowledged) {
  persistence::postgres_options options;
  options.conninfo = conninfo;
  options.application_name = "holdfast demo";
  persistence::postgres_store database{options};

  std::vector<set_report> reports;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto& of = sets[i];
    set_report report;
    report.name = of.set->name;
    report.units = of.set->units.size();
    report.recorded = of.set->answers();
    const auto results = list_results(node, of.step);
    if (!results)
      return results.error();
    std::vector<core::unit_id> ids;
    for (const auto& result : *results)
      ids.push_back(result.unit);
    const auto units = load_units(database, ids);
    if (!units)
      return units.error();
    std::unordered_set<core::uuid> ours;
    for (const auto& judgment : acknowledged)
      if (judgment.set == i)
        ours.insert(judgment.id.value);
    compare_results(of, *results, report);
    compare_judgments(of, *units, ours, report);
    reports.push_back(std::move(report));
  }
  return reports;
}

} // namespace holdfast::app::demo
