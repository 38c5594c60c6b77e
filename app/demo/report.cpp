#include "app/demo/report.hpp"

#include "app/demo/clock.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace holdfast::app::demo {

namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

double milliseconds(core::duration span) { return static_cast<double>(span.count()) / 1e3; }

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char line[400];
  std::snprintf(line, sizeof line, pattern, values...);
  return line;
}

unsigned long long wide(std::uint64_t value) { return value; }

std::string percent(const accuracy& of) {
  const auto value = of.value();
  return value ? format("%.4f %%", *value * 100) : "unknown";
}

bool same(const accuracy& a, const accuracy& b) {
  return a.credit == b.credit && a.known == b.known;
}

void add(accuracy& to, const accuracy& more) {
  to.credit += more.credit;
  to.known += more.known;
}

ordered_json to_object(const set_report& set) {
  return {{"units", set.units},
          {"judgments", set.judgments},
          {"accuracy", number_or_null(set.of_system.value())},
          {"accuracy_direct", number_or_null(set.of_file.value())},
          {"acknowledged", set.acknowledged},
          {"lost", set.lost},
          {"doubled", set.doubled},
          {"recorded", set.recorded},
          {"finished_units", set.finished},
          {"unacknowledged", set.unacknowledged},
          {"altered", set.altered},
          {"different_units", set.different_units},
          {"units_with_truth", set.of_file.known}};
}

std::string to_text(const set_report& set) {
  std::string text = set.name + '\n';
  text += format("  units                 %llu of %llu finished\n", wide(set.finished),
                 wide(set.units));
  text += format("  judgments             %llu in the database, %llu recorded in the file\n",
                 wide(set.judgments), wide(set.recorded));
  text += format("  acknowledged          %llu, lost %llu, doubled %llu\n", wide(set.acknowledged),
                 wide(set.lost), wide(set.doubled));
  text += format("  accuracy              %s (majority vote, over %llu units with truth)\n",
                 percent(set.of_system).c_str(), wide(set.of_file.known));
  text += format("  directly from file    %s%s\n", percent(set.of_file).c_str(),
                 same(set.of_system, set.of_file) ? ", equal" : ", DIFFERENT");
  return text;
}

ordered_json to_object(const programme_report& programme) {
  auto flagged = ordered_json::array();
  for (const auto& one : programme.flagged)
    flagged.push_back({{"contributor", one.name},
                       {"spammer", one.spammer},
                       {"monitor", one.monitor},
                       {"why", one.why}});
  return {{"units", programme.units},
          {"finished_units", programme.finished},
          {"units_out_of_people", programme.out_of_people},
          {"accuracy", programme.accuracy()},
          {"judgments", programme.judgments},
          {"test_answers", programme.test_answers},
          {"flagged", std::move(flagged)}};
}

ordered_json to_object(const quality_report& quality) {
  auto removed = ordered_json::array();
  for (const auto& one : quality.removed)
    removed.push_back({{"contributor", one.name},
                       {"spammer", one.spammer},
                       {"reason", one.reason},
                       {"test_questions", one.tests},
                       {"right", one.right}});
  auto calibration = ordered_json::array();
  for (const auto& bin : quality.calibration)
    calibration.push_back(
        {{"confidence", bin.confidence}, {"units", bin.units}, {"right", bin.right}});
  return {{"set", quality.set},
          {"contributors", quality.recorded},
          {"spammers", quality.spammers},
          {"spammers_removed", quality.spammers_removed()},
          {"fixed", to_object(quality.fixed)},
          {"adaptive", to_object(quality.adaptive)},
          {"removed", removed},
          {"calibration", calibration},
          {"expected_calibration_error", quality.calibration_error()}};
}

/// Whom monitors found, of whom test questions need not know anything.
std::string flags_text(const char* name, const programme_report& programme) {
  if (programme.flagged.empty())
    return {};
  auto text = format("  flagged               with %s; that removes nobody\n", name);
  for (const auto& one : programme.flagged)
    text +=
        format("    %-20s%s%s", one.name.c_str(), one.monitor.c_str(), one.why.empty() ? "" : ": ")
        + one.why + '\n';
  return text;
}

std::string to_text(const quality_report& quality) {
  auto text = "quality control, " + quality.set + ", with a ring of spammers\n";
  const auto line = [&](const char* name, const programme_report& of) {
    text += format("  %-22s%.1f %% right of %llu units, %llu judgments", name, 100 * of.accuracy(),
                   wide(of.finished), wide(of.judgments));
    text += of.test_answers > 0
                ? format(", %llu answers to test questions\n", wide(of.test_answers))
                : std::string{"\n"};
    if (of.out_of_people > 0)
      text += format("  %-22s%llu more want a judgment that nobody left can give\n", "",
                     wide(of.out_of_people));
  };
  line("five each, majority", quality.fixed);
  line("as many as needed", quality.adaptive);
  text += format("  how sure              off by %.3f on average (as many as needed)\n",
                 quality.calibration_error());
  text += format("  removed               %llu of %u spammers, %llu of %u others\n",
                 wide(quality.spammers_removed()), static_cast<unsigned>(quality.spammers),
                 wide(quality.removed.size() - quality.spammers_removed()),
                 static_cast<unsigned>(quality.recorded));
  for (const auto& one : quality.removed)
    text +=
        format("    %-20s%s, %u of %u test questions right\n", one.name.c_str(), one.reason.c_str(),
               static_cast<unsigned>(one.right), static_cast<unsigned>(one.tests));
  return text + flags_text("five each", quality.fixed)
         + flags_text("as many as needed", quality.adaptive);
}

} // namespace

set_report demo_report::total() const {
  set_report sum;
  for (const auto& set : sets) {
    sum.units += set.units;
    sum.finished += set.finished;
    sum.recorded += set.recorded;
    sum.judgments += set.judgments;
    sum.acknowledged += set.acknowledged;
    sum.lost += set.lost;
    sum.doubled += set.doubled;
    sum.unacknowledged += set.unacknowledged;
    sum.altered += set.altered;
    sum.different_units += set.different_units;
    add(sum.of_system, set.of_system);
    add(sum.of_file, set.of_file);
  }
  return sum;
}

std::uint64_t demo_report::violations() const {
  std::uint64_t sum = 0;
  for (const auto& check : checks)
    sum += check.violations;
  return sum;
}

std::vector<std::string> problems_of(const demo_report& report) {
  auto problems = report.problems;
  const auto require = [&](bool holds, const std::string& otherwise) {
    if (!holds)
      problems.push_back(otherwise);
  };
  for (const auto& set : report.sets) {
    const auto count = [&](std::uint64_t found, const std::string& what) {
      require(found == 0, set.name + ": " + std::to_string(found) + ' ' + what);
    };
    count(set.lost, "acknowledged judgments are not in the database");
    count(set.doubled, "judgments are in the database more than once");
    count(set.unacknowledged, "judgments are in the database but were never acknowledged");
    count(set.altered, "judgments are not what the contributor answered");
    count(set.different_units, "units have other votes than the file");
    require(set.finished == set.units,
            set.name + ": " + std::to_string(set.units - set.finished) + " units are not finished");
    require(set.acknowledged == set.recorded, set.name + ": " + std::to_string(set.acknowledged)
                                                  + " judgments acknowledged, but "
                                                  + std::to_string(set.recorded) + " recorded");
    require(same(set.of_system, set.of_file), set.name + ": the accuracy is not that of the file");
  }
  require(!report.sets.empty(), "there is no result");
  require(report.kills == report.kills_wanted, "the node was killed " + std::to_string(report.kills)
                                                   + " times instead of "
                                                   + std::to_string(report.kills_wanted));
  require(report.recoveries.size() == report.kills, "work did not go on after a kill");
  require(report.violations() == 0,
          "verify found " + std::to_string(report.violations()) + " violations");
  require(!report.checks.empty(), "the database was not verified");
  if (report.quality)
    for (const auto* programme : {&report.quality->fixed, &report.quality->adaptive})
      require(programme->finished + programme->out_of_people == programme->units,
              "units of the second act are not finished, and somebody could do them");
  return problems;
}

std::string to_text(const demo_report& report) {
  std::string text;
  for (const auto& set : report.sets)
    text += to_text(set);
  const auto& conduct = report.conduct;
  if (report.quality)
    text += to_text(*report.quality);
  if (!report.plot.empty())
    text += "  drawn in " + report.plot + '\n';
  text += "contributors\n";
  text += format("  %llu of them got %llu offers and declined %llu\n", wide(conduct.contributors),
                 wide(conduct.offers), wide(conduct.declined));
  text += format(
      "  on purpose: %llu leases left to expire, %llu late submissions, %llu sent twice,\n"
      "              %llu payloads against the schema, %llu wrong tokens\n",
      wide(conduct.let_expire), wide(conduct.late_submissions), wide(conduct.double_submissions),
      wide(conduct.invalid_payloads), wide(conduct.stale_tokens));
  text += format("  %llu leases ran out under their hands while the node was down\n",
                 wide(conduct.lost_leases));
  text += "node\n";
  text += format("  killed with SIGKILL %u times\n", static_cast<unsigned>(report.kills));
  for (const auto& recovery : report.recoveries)
    text +=
        format("  from kill to the next assignment or judgment: %.0f ms\n", milliseconds(recovery));
  text += format("  work %.1f s (%.0f judgments/s), everything %.1f s\n", seconds(report.work_time),
                 report.work_time.count() > 0
                     ? static_cast<double>(report.total().acknowledged) / seconds(report.work_time)
                     : 0.0,
                 seconds(report.total_time));
  text += format("  verify: %llu checks, %llu violations\n", wide(report.checks.size()),
                 wide(report.violations()));
  for (const auto& check : report.checks)
    if (check.violations > 0)
      text += "    " + check.name + ": " + check.sample + '\n';
  if (!report.data_dir.empty())
    text += "  data kept in " + report.data_dir + '\n';
  const auto problems = problems_of(report);
  for (const auto& problem : problems)
    text += "PROBLEM: " + problem + '\n';
  text += problems.empty() ? "everything is as it should be\n" : "";
  return text;
}

std::string to_json(const demo_report& report) {
  const auto total = report.total();
  auto object = to_object(total);
  std::optional<double> slowest;
  auto recoveries = ordered_json::array();
  for (const auto& recovery : report.recoveries) {
    recoveries.push_back(milliseconds(recovery));
    slowest = std::max(slowest.value_or(0), milliseconds(recovery));
  }
  object["recovery_ms"] = number_or_null(slowest);
  object["recoveries_ms"] = recoveries;
  object["kills"] = report.kills;
  object["violations"] = report.violations();
  auto checks = ordered_json::array();
  for (const auto& check : report.checks)
    checks.push_back(
        {{"name", check.name}, {"violations", check.violations}, {"sample", check.sample}});
  object["checks"] = checks;
  auto sets = ordered_json::object();
  for (const auto& set : report.sets)
    sets[set.name] = to_object(set);
  object["sets"] = sets;
  const auto& conduct = report.conduct;
  object["conduct"] = {{"contributors", conduct.contributors},
                       {"offers", conduct.offers},
                       {"declined", conduct.declined},
                       {"let_expire", conduct.let_expire},
                       {"late_submissions", conduct.late_submissions},
                       {"double_submissions", conduct.double_submissions},
                       {"invalid_payloads", conduct.invalid_payloads},
                       {"stale_tokens", conduct.stale_tokens},
                       {"lost_leases", conduct.lost_leases}};
  object["quality"] = report.quality ? to_object(*report.quality) : ordered_json(nullptr);
  if (!report.plot.empty())
    object["plot"] = report.plot;
  object["work_seconds"] = seconds(report.work_time);
  object["total_seconds"] = seconds(report.total_time);
  if (!report.data_dir.empty())
    object["data_dir"] = report.data_dir;
  const auto problems = problems_of(report);
  object["problems"] = problems;
  object["ok"] = problems.empty();
  // Names come from outside and may be cut in the middle of a character by nobody but their owner.
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace holdfast::app::demo
