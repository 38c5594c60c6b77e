#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/unreadable_judgment.hpp"
#include "core/time_text.hpp"
#include "core/uuid.hpp"
#include "messages/lineage_messages.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

/// As much as one answer holds; a number of the gateway's.
constexpr std::uint32_t lineage_page = 100;

struct lineage_flags {
  cluster_flags cluster;
  std::string unit;
  bool json = false;
};

core::outcome<msg::unit_lineage> read_item(const client::connection& cluster, core::unit_id unit) {
  msg::unit_lineage whole;
  for (bool more = true; more;) {
    auto part = cluster.ask<msg::unit_lineage>(msg::get_lineage{
        unit, whole.units.empty() ? core::unit_id{} : whole.units.back().unit, lineage_page});
    if (!part)
      return part.error();
    whole.root = part->root;
    more = part->more && !part->units.empty();
    for (auto& one : part->units)
      whole.units.push_back(std::move(one));
  }
  return whole;
}

// --- as text ---

std::string judged(const msg::lineage_judgment& judgment) {
  std::string text = judgment.contributor
                     + (is_unreadable(judgment)
                            ? " said something that cannot be read (" + problem_of(judgment) + ')'
                            : " said " + judgment.answer);
  if (!judgment.test.empty())
    text += ", which is " + judgment.test;
  if (judgment.status == "Late")
    text += ", late";
  if (!judgment.counts && judgment.tainted_at == core::instant{})
    text += ", late: it is surplus and does not count";
  else if (!judgment.counts)
    text += ", which counts no more since " + core::to_rfc3339(judgment.tainted_at);
  return text;
}

std::string left(const msg::lineage_lease& lease) {
  if (lease.status == "Active")
    return lease.contributor + " has it until " + core::to_rfc3339(lease.expires_at);
  return lease.contributor + " had it: " + lease.status;
}

std::string lines_of(const msg::lineage_unit& unit) {
  const auto state = std::string{core::to_string(unit.state)};
  std::string text = core::to_string(unit.unit) + "  " + printable(unit.source_key) + "  in step "
                     + core::to_string(unit.step) + "  "
                     + (unit.test_question ? "test question, " + state : state) + '\n';
  const auto line = [&](core::instant when, const std::string& what) {
    text += "  " + core::to_rfc3339(when) + "  " + printable(what) + '\n';
  };
  line(unit.created_at,
       "made" + (unit.version > 1 ? " under version " + std::to_string(unit.version) : "")
           + (unit.loops == 0 ? "" : ", sent back before: " + std::to_string(unit.loops)));
  if (is_unreadable(unit))
    text += "  " + printable(problem_of(unit)) + '\n';
  // By time; judgments stand for the leases under which they were given.
  std::multimap<core::instant, std::string> story;
  for (const auto& lease : unit.leases)
    if (lease.status != "Submitted")
      story.emplace(lease.status == "Active" ? lease.granted_at : lease.ended_at, left(lease));
  for (const auto& judgment : unit.judgments)
    story.emplace(judgment.submitted_at, judged(judgment));
  if (unit.changed_at != core::instant{})
    story.emplace(unit.changed_at, state);
  for (const auto& [when, what] : story)
    line(when, what);
  if (unit.reopened > 0)
    text += "  results taken back: " + std::to_string(unit.reopened) + '\n';
  for (const auto& contributor : unit.excluded)
    text += "  never for " + printable(contributor) + '\n';
  if (!unit.result.empty())
    text += "  result " + printable(unit.result) + '\n';
  if (!unit.route_reason.empty())
    text += "  route " + std::to_string(unit.route) + ": " + printable(unit.route_reason) + '\n';
  return text;
}

// --- as JSON ---

ordered_json time_of(core::instant when) {
  return when == core::instant{} ? ordered_json{} : ordered_json(core::to_rfc3339(when));
}

/// What test questions say of its contributor, where there is something.
template <class Figure>
ordered_json tested(const msg::lineage_judgment& judgment, Figure figure) {
  return judgment.trust_low > 0 ? ordered_json(figure) : ordered_json{};
}

ordered_json to_json(const msg::lineage_unit& unit) {
  auto leases = ordered_json::array();
  for (const auto& lease : unit.leases)
    leases.push_back({{"assignment", core::to_string(lease.assignment)},
                      {"contributor", lease.contributor},
                      {"token", lease.token},
                      {"status", lease.status},
                      {"granted_at", time_of(lease.granted_at)},
                      {"expires_at", time_of(lease.expires_at)},
                      {"ended_at", time_of(lease.ended_at)}});
  auto judgments = ordered_json::array();
  for (const auto& judgment : unit.judgments)
    judgments.push_back({{"judgment", core::to_string(judgment.judgment)},
                         {"contributor", judgment.contributor},
                         {"payload", stored_json(judgment.payload)},
                         {"answer", judgment.answer},
                         {"trust", judgment.trust},
                         {"trust_questions", tested(judgment, judgment.trust_questions)},
                         {"trust_low", tested(judgment, judgment.trust_low)},
                         {"submitted_at", time_of(judgment.submitted_at)},
                         {"counts", judgment.counts},
                         {"tainted_at", time_of(judgment.tainted_at)},
                         {"test", judgment.test},
                         {"status", judgment.status}});
  const auto id_or_null = [](const core::unit_id& id) {
    return id ? ordered_json(core::to_string(id)) : ordered_json{};
  };
  return {{"unit", core::to_string(unit.unit)},
          {"parent", id_or_null(unit.parent)},
          {"batch", id_or_null(unit.batch)},
          {"step", core::to_string(unit.step)},
          {"version", unit.version},
          {"source_key", unit.source_key},
          {"part", unit.part},
          {"loops", unit.loops},
          {"reopened", unit.reopened},
          {"state", std::string{core::to_string(unit.state)}},
          {"test_question", unit.test_question},
          {"judgments_per_unit", unit.judgments_per_unit},
          {"created_at", time_of(unit.created_at)},
          {"changed_at", time_of(unit.changed_at)},
          {"input", stored_json(unit.input)},
          {"result", stored_json(unit.result)},
          {"confidence", unit.confidence},
          {"route", unit.route},
          {"route_reason", unit.route_reason},
          {"leases", std::move(leases)},
          {"judgments", std::move(judgments)},
          {"excluded", unit.excluded}};
}

exit_code run(const lineage_flags& flags) {
  const auto unit = core::parse_uuid(flags.unit);
  if (!unit)
    return refuse(
        {core::errc::invalid_argument, "UNIT must be the id of a unit, and not " + flags.unit},
        exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto item = read_item(cluster, {*unit});
    if (!item)
      return refused_by_node(item.error());
    if (flags.json) {
      auto units = ordered_json::array();
      for (const auto& one : item->units)
        units.push_back(to_json(one));
      std::cout << pretty({{"root", core::to_string(item->root)}, {"units", std::move(units)}})
                << '\n';
    } else {
      for (const auto& one : item->units)
        std::cout << lines_of(one);
    }
    return exit_code::ok;
  });
}

} // namespace

void add_lineage_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<lineage_flags>();
  auto* command = cli.add_subcommand(
      "lineage", "Print the history of an item: its units, judgments and results");
  flags->cluster.add_to(*command);
  command->add_option("unit", flags->unit, "Id of a unit")->required()->type_name("UNIT");
  command->add_flag("--json", flags->json, "As one JSON document");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
