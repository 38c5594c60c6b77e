#include "app/contributor_in_step.hpp"

#include "app/cluster_command.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/repair_passage.hpp"
#include "core/contributor.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct in_step_flags {
  cluster_flags cluster;
  std::string step;
  std::string contributor;
  repair_flags repair;
  bool json = false;
};

// --- who works there ---

/// Why they do not stand as anybody does; empty where there is nothing to say.
std::string reason_of(const msg::contributor_view& one) {
  const bool as_ever = one.standing == core::contributor_standing::working
                       && one.reason != core::standing_reason::forgiven;
  return as_ever ? std::string{} : std::string{core::to_string(one.reason)};
}

std::string flags_of(const msg::contributor_view& one) {
  std::string text;
  for (const auto& flag : one.flags)
    text += (text.empty() ? "" : ", ") + flag;
  return text;
}

constexpr const char* contributor_columns = "%-24s  %-8s  %-16s  %11s  %8s  %5s  %5s  %s\n";

void print_row(const msg::contributor_view& one) {
  const auto hundredths = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return std::string{text};
  };
  print_formatted(contributor_columns, one.contributor, std::string{core::to_string(one.standing)},
                  reason_of(one), std::to_string(one.assignments),
                  std::to_string(one.right) + " of " + std::to_string(one.tests),
                  hundredths(one.trust), hundredths(one.trust_low), flags_of(one));
}

ordered_json to_json(const msg::contributor_view& one) {
  const auto reason = reason_of(one);
  return {{"contributor", one.contributor},
          {"standing", core::to_string(one.standing)},
          {"reason", reason.empty() ? ordered_json(nullptr) : ordered_json(reason)},
          {"assignments", one.assignments},
          {"test_questions", one.tests},
          {"right", one.right},
          {"trust", one.trust},
          {"trust_low", one.trust_low},
          {"flags", one.flags}};
}

exit_code list_in_step(const in_step_flags& flags, core::step_id step,
                       const client::connection& cluster) {
  constexpr std::uint32_t page = 1000;
  auto all = ordered_json::array();
  if (!flags.json)
    print_formatted(contributor_columns, "contributor", "standing", "reason", "assignments",
                    "right", "trust", "low", "flags");
  for (std::string after;;) {
    const auto told = cluster.ask<msg::contributor_page>(msg::list_contributors{step, after, page});
    if (!told)
      return refused_by_node(told.error());
    for (const auto& one : told->contributors)
      if (flags.json)
        all.push_back(to_json(one));
      else
        print_row(one);
    if (!told->more || told->contributors.empty())
      break;
    after = told->contributors.back().contributor;
  }
  if (flags.json)
    std::cout << pretty({{"step", core::to_string(step)}, {"contributors", std::move(all)}})
              << '\n';
  return exit_code::ok;
}

// --- taking somebody off ---

exit_code remove_from_step(const in_step_flags& flags, core::step_id step,
                           const client::connection& cluster) {
  const auto told =
      cluster.ask<msg::contributor_removed>(msg::remove_contributor{step, flags.contributor});
  if (!told)
    return refused_by_node(told.error());
  if (flags.json)
    std::cout << pretty({{"step", core::to_string(step)}, {"contributor", told->contributor}})
              << '\n';
  else
    print_formatted("removed: %s\n", told->contributor);
  return exit_code::ok;
}

exit_code repair_in_step(const in_step_flags& flags, core::step_id step,
                         const client::connection& cluster) {
  return see_through(flags.repair, flags.json, [&](const core::repair_id& id) {
    return cluster.ask<msg::repair_progress>(
        msg::repair_contributor{step, id, flags.contributor, flags.repair.dry_run});
  });
}

// --- the command line ---

using in_step_deed =
    std::function<exit_code(const in_step_flags&, core::step_id, const client::connection&)>;

struct in_step_subcommand {
  CLI::App* command;
  std::shared_ptr<in_step_flags> flags;

  void add_name() const {
    command->add_option("contributor", flags->contributor, "Name of a contributor")
        ->type_name("CONTRIBUTOR")
        ->required();
  }
};

in_step_subcommand add_in_step(CLI::App& contributor, exit_code& result, const char* name,
                               const char* about, const in_step_deed& what) {
  auto flags = std::make_shared<in_step_flags>();
  auto* command = contributor.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("step", flags->step, "Id of a step")->type_name("STEP")->required();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, what, &result] {
    const auto step = id_in<core::step_id>(flags->step, "STEP");
    result = step ? with_cluster(
                 flags->cluster,
                 [&](const client::connection& cluster) { return what(*flags, *step, cluster); })
                  : exit_code::usage;
  });
  return {command, flags};
}

} // namespace

void add_contributor_in_step(CLI::App& contributor, exit_code& result) {
  add_in_step(contributor, result, "list",
              "List those who have worked in a step, and who was removed or flagged", list_in_step);
  add_in_step(contributor, result, "remove",
              "Take somebody off a step for good; what they said counts no more where a unit is "
              "not finished",
              remove_from_step)
      .add_name();
  const auto repairing =
      add_in_step(contributor, result, "repair",
                  "Take what somebody said who was removed out of the finished units of a step; of "
                  "somebody at work, what would have another answer today",
                  repair_in_step);
  repairing.add_name();
  repairing.flags->repair.add_to(*repairing.command);
}

} // namespace holdfast::app
