#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/unit_corrections.hpp"
#include "core/unit.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct unit_flags {
  cluster_flags cluster;
  std::string step;
  std::string unit;
  bool json = false;
};

exit_code show_unit(const unit_flags& flags, const msg::get_unit& of,
                    const client::connection& cluster) {
  const auto told = cluster.ask<msg::unit_view>(of);
  if (!told)
    return refused_by_node(told.error());
  if (flags.json) {
    std::cout << pretty({{"unit", core::to_string(told->unit)},
                         {"step", core::to_string(told->step)},
                         {"root", core::to_string(told->root)},
                         {"key", told->source_key},
                         {"version", told->version},
                         {"state", core::to_string(told->state)},
                         {"judgments_per_unit", told->judgments_per_unit},
                         {"judgments", told->judgment_count},
                         {"assignments", told->assignment_count},
                         {"confidence", told->confidence},
                         {"input", stored_json(told->input)},
                         {"result", stored_json(told->result)}})
              << '\n';
    return exit_code::ok;
  }
  const auto line = [](const char* name, const std::string& value) {
    print_formatted("%-12s %s\n", name, value);
  };
  line("unit", core::to_string(told->unit));
  line("key", told->source_key);
  line("state", std::string{core::to_string(told->state)});
  line("judgments",
       std::to_string(told->judgment_count)
           + (told->judgments_per_unit == 0 ? std::string{}
                                            : " of " + std::to_string(told->judgments_per_unit)));
  line("leased", std::to_string(told->assignment_count));
  line("input", told->input);
  line("result", told->result.empty() ? "none yet" : told->result);
  return exit_code::ok;
}

exit_code change_unit(const unit_flags& flags, const msg::change_unit& what,
                      const client::connection& cluster) {
  const auto told = cluster.ask<msg::unit_changed>(what);
  if (!told)
    return refused_by_node(told.error());
  const std::string state{core::to_string(told->state)};
  if (flags.json)
    std::cout << pretty({{"unit", core::to_string(told->unit)}, {"state", state}}) << '\n';
  else
    std::printf("%s  %s\n", core::to_string(told->unit).c_str(), state.c_str());
  return exit_code::ok;
}

// --- the command line ---

using unit_deed = std::function<exit_code(const unit_flags&, core::step_id, core::unit_id,
                                          const client::connection&)>;

void add_for_unit(CLI::App& unit, exit_code& result, const char* name, const char* about,
                  const unit_deed& what) {
  auto flags = std::make_shared<unit_flags>();
  auto* command = unit.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("step", flags->step, "Id of its step")->type_name("STEP")->required();
  command->add_option("unit", flags->unit, "Id of a unit")->type_name("UNIT")->required();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, what, &result] {
    const auto step = id_in<core::step_id>(flags->step, "STEP");
    const auto id = step ? id_in<core::unit_id>(flags->unit, "UNIT") : std::nullopt;
    result = id ? with_cluster(flags->cluster,
                               [&](const client::connection& cluster) {
                                 return what(*flags, *step, *id, cluster);
                               })
                : exit_code::usage;
  });
}

void add_unit_change(CLI::App& unit, exit_code& result, const char* name, const char* about,
                     core::unit_verb verb) {
  add_for_unit(unit, result, name, about,
               [verb](const unit_flags& flags, core::step_id step, core::unit_id id,
                      const client::connection& cluster) {
                 return change_unit(flags, {step, id, static_cast<std::uint8_t>(verb)}, cluster);
               });
}

} // namespace

void add_unit_command(CLI::App& cli, exit_code& result) {
  auto* unit =
      cli.add_subcommand("unit", "Show, pause, resume, cancel and correct one unit of a step");
  unit->require_subcommand(1);
  add_for_unit(*unit, result, "show", "Print how it stands, and its result",
               [](const unit_flags& flags, core::step_id step, core::unit_id id,
                  const client::connection& cluster) {
                 return show_unit(flags, {step, id}, cluster);
               });
  add_unit_change(*unit, result, "pause",
                  "Offer it to nobody more; whoever has it may still hand it in",
                  core::unit_verb::pause);
  add_unit_change(*unit, result, "resume", "Let it go on; what could not be read is read again",
                  core::unit_verb::resume);
  add_unit_change(*unit, result, "cancel", "End it for good, without a result",
                  core::unit_verb::cancel);
  add_unit_corrections(*unit, result);
}

} // namespace holdfast::app
