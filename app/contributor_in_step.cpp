#include "app/contributor_in_step.hpp"

#include "app/cluster_command.hpp"
#include "app/pretty_json.hpp"
#include "client/id_source.hpp"
#include "core/contributor.hpp"
#include "core/errors.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using namespace std::chrono_literals;
using nlohmann::ordered_json;

struct in_step_flags {
  cluster_flags cluster;
  std::string step;
  std::string contributor;
  std::string repair;
  bool dry_run = false;
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
  std::printf(contributor_columns, one.contributor.c_str(),
              std::string{core::to_string(one.standing)}.c_str(), reason_of(one).c_str(),
              std::to_string(one.assignments).c_str(),
              (std::to_string(one.right) + " of " + std::to_string(one.tests)).c_str(),
              hundredths(one.trust).c_str(), hundredths(one.trust_low).c_str(),
              flags_of(one).c_str());
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
    std::printf(contributor_columns, "contributor", "standing", "reason", "assignments", "right",
                "trust", "low", "flags");
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
    std::printf("removed: %s\n", told->contributor.c_str());
  return exit_code::ok;
}

void print_text(const msg::repair_progress& told) {
  const auto line = [](const char* name, std::uint64_t value, const char* about) {
    std::printf("%-12s  %10llu  %s\n", name, static_cast<unsigned long long>(value), about);
  };
  std::printf("%s\n", told.dry_run ? "a dry run: nothing has changed, this is what a repair does"
                                   : "repaired");
  line("units", told.units_done, "looked at");
  line("found", told.found, "finished, and something counted that should not");
  line("unchanged", told.unchanged, "of these: the answer stands");
  line("changed", told.changed, "another answer, from the judgments that are left");
  line("reopened", told.reopened, "others are asked");
  line("reissued", told.reissued, "changed or reopened, and what was made from them is made anew");
  line("disregarded", told.disregarded, "judgments that count no more");
}

ordered_json to_json(const msg::repair_progress& told) {
  return {{"step", core::to_string(told.step)},
          {"repair", core::to_string(told.repair)},
          {"contributor", told.contributor},
          {"dry_run", told.dry_run},
          {"done", told.done},
          {"units", told.units},
          {"units_done", told.units_done},
          {"found", told.found},
          {"unchanged", told.unchanged},
          {"changed", told.changed},
          {"reopened", told.reopened},
          {"went_on", told.went_on},
          {"reissued", told.reissued},
          {"disregarded", told.disregarded}};
}

/// Until it is done: that takes as long as there are units, and whoever does not wait for it ends
/// the command, which does not end the repair.
exit_code repair_in_step(const in_step_flags& flags, core::step_id step,
                         const client::connection& cluster) {
  /// Soon enough for a person; a node looks at thousands of units in that time.
  constexpr auto between_looks = 200ms;
  std::optional<core::repair_id> id{core::repair_id{client::id_source{}.next()}};
  if (!flags.repair.empty())
    id = id_in<core::repair_id>(flags.repair, "--id");
  if (!id)
    return exit_code::usage;
  std::cerr << "repair " << core::to_string(*id) << '\n';
  const msg::repair_contributor request{step, *id, flags.contributor, flags.dry_run};
  for (std::optional<std::uint64_t> seen;;) {
    const auto told = cluster.ask<msg::repair_progress>(request);
    if (!told) {
      if (seen || core::describe(told.error().code).retryable)
        std::cerr << "it may go on all the same: ask again with --id\n";
      return refused_by_node(told.error());
    }
    if (told->done) {
      if (flags.json)
        std::cout << pretty(to_json(*told)) << '\n';
      else
        print_text(*told);
      return exit_code::ok;
    }
    if (seen != told->units_done)
      std::cerr << "looked at " << told->units_done << " of " << told->units << " units\n";
    seen = told->units_done;
    std::this_thread::sleep_for(between_looks);
  }
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
              "List those who have worked in a step that has test questions, and who was removed "
              "or flagged",
              list_in_step);
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
  repairing.command->add_flag("--dry-run", repairing.flags->dry_run,
                              "Only count what it would do, and change nothing");
  repairing.command
      ->add_option("--id", repairing.flags->repair,
                   "The id of a repair that was begun before, to see how far it is; else a new one")
      ->type_name("REPAIR");
}

} // namespace holdfast::app
