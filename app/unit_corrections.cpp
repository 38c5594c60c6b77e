#include "app/unit_corrections.hpp"

#include "app/cluster_command.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "client/id_source.hpp"
#include "core/time_text.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct correction_flags {
  cluster_flags cluster;
  std::string step;
  std::string unit;
  std::string judgment;
  std::string answer;
  std::string corrected_to;
  std::string reason;
  std::string id;
  std::uint32_t judgments = 1;
  bool json = false;
};

/// The ids that the command line names.
struct named_unit {
  core::step_id step;
  core::unit_id unit;
  core::correction_id correction;
  core::judgment_id judgment;
};

/// A value as people type it: JSON, or else a text.
std::string typed_json(const std::string& typed) {
  return ordered_json::accept(typed) ? typed : ordered_json(typed).dump();
}

exit_code print_corrected(const correction_flags& flags,
                          const core::outcome<msg::unit_corrected>& told) {
  if (!told)
    return refused_by_node(told.error());
  if (flags.json) {
    std::cout << pretty({{"unit", core::to_string(told->unit)},
                         {"correction", core::to_string(told->correction)},
                         {"what", told->what},
                         {"judgments_wanted", told->judgments_wanted},
                         {"took_back", told->took_back},
                         {"is_open", told->is_open},
                         {"changed", told->changed}})
              << '\n';
    return exit_code::ok;
  }
  std::cout << core::to_string(told->unit) << "  "
            << (told->changed ? told->what : "nothing to do: it is " + told->what + " already");
  if (told->took_back)
    std::cout << "; its result was taken back, and what was made from it is withdrawn";
  if (told->judgments_wanted > 0)
    std::cout << "; judgments wanted: " << told->judgments_wanted;
  std::cout << '\n';
  return exit_code::ok;
}

exit_code print_corrections(const correction_flags& flags, const named_unit& named,
                            const client::connection& cluster) {
  const auto told =
      cluster.ask<msg::correction_list>(msg::list_corrections{named.step, named.unit});
  if (!told)
    return refused_by_node(told.error());
  if (flags.json) {
    auto corrections = ordered_json::array();
    for (const auto& c : told->corrections)
      corrections.push_back(
          {{"number", c.number},
           {"correction", core::to_string(c.correction)},
           {"what", c.what},
           {"judgment", c.judgment ? ordered_json(core::to_string(c.judgment)) : ordered_json{}},
           {"contributor", c.contributor},
           {"by", c.by},
           {"reason", c.reason},
           {"answer", c.answer},
           {"at", core::to_rfc3339(c.at)},
           {"judgments_wanted", c.judgments_wanted},
           {"took_back", c.took_back}});
    auto judgments = ordered_json::array();
    for (const auto& k : told->judgments)
      judgments.push_back({{"judgment", core::to_string(k.judgment)},
                           {"number", k.number},
                           {"applied", k.applied},
                           {"answer", k.answer},
                           {"data", stored_json(k.payload)},
                           {"at", core::to_rfc3339(k.at)}});
    std::cout << pretty({{"unit", core::to_string(told->unit)},
                         {"corrections", std::move(corrections)},
                         {"judgments", std::move(judgments)}})
              << '\n';
    return exit_code::ok;
  }
  if (told->corrections.empty() && told->judgments.empty())
    std::cout << "nothing was corrected\n";
  for (const auto& c : told->corrections)
    std::cout << core::to_rfc3339(c.at) << "  " << c.what
              << (c.contributor.empty() ? "" : " the judgment of " + printable(c.contributor))
              << (c.answer.empty() ? "" : " to " + printable(c.answer)) << " by "
              << (c.by.empty() ? "a node" : printable(c.by)) << ": " << printable(c.reason) << '\n';
  for (const auto& k : told->judgments)
    std::cout << core::to_rfc3339(k.at) << "  judgment " << core::to_string(k.judgment) << " no. "
              << k.number << (k.applied ? "" : " (kept)") << ": " << printable(k.payload) << '\n';
  return exit_code::ok;
}

using correction_deed =
    std::function<exit_code(const correction_flags&, const named_unit&, const client::connection&)>;

struct correction_subcommand {
  CLI::App* command;
  std::shared_ptr<correction_flags> flags;
};

correction_subcommand add_correction(CLI::App& unit, exit_code& result, const char* name,
                                     const char* about, bool of_judgment, bool changes,
                                     const correction_deed& what) {
  auto flags = std::make_shared<correction_flags>();
  auto* command = unit.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("step", flags->step, "Id of its step")->type_name("STEP")->required();
  command->add_option("unit", flags->unit, "Id of a unit")->type_name("UNIT")->required();
  if (of_judgment)
    command
        ->add_option("judgment", flags->judgment, "Id of a judgment; `holdfast lineage` shows it")
        ->type_name("JUDGMENT")
        ->required();
  if (changes) {
    command->add_option("--reason", flags->reason, "Why, for people; it is stored")
        ->type_name("TEXT")
        ->required();
    command
        ->add_option("--id", flags->id,
                     "Id of the correction: the same command again with it changes nothing")
        ->type_name("UUID");
  }
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, what, of_judgment, &result] {
    const auto step = id_in<core::step_id>(flags->step, "STEP");
    const auto id = step ? id_in<core::unit_id>(flags->unit, "UNIT") : std::nullopt;
    auto judgment = id ? std::optional{core::judgment_id{}} : std::nullopt;
    if (judgment && of_judgment)
      judgment = id_in<core::judgment_id>(flags->judgment, "JUDGMENT");
    auto correction =
        judgment ? std::optional{core::correction_id{client::id_source{}.next()}} : std::nullopt;
    if (correction && !flags->id.empty())
      correction = id_in<core::correction_id>(flags->id, "--id");
    result =
        correction
            ? with_cluster(flags->cluster,
                           [&](const client::connection& cluster) {
                             return what(*flags, {*step, *id, *correction, *judgment}, cluster);
                           })
            : exit_code::usage;
  });
  return {command, flags};
}

} // namespace

void add_unit_corrections(CLI::App& unit, exit_code& result) {
  const auto reopening = add_correction(
      unit, result, "reopen",
      "Have a finished unit judged again; what was made from its result is withdrawn", false, true,
      [](const correction_flags& flags, const named_unit& named,
         const client::connection& cluster) {
        return print_corrected(
            flags, cluster.ask<msg::unit_corrected>(msg::reopen_unit{
                       named.step, named.unit, named.correction, flags.judgments, flags.reason}));
      });
  reopening.command
      ->add_option("--judgments", reopening.flags->judgments, "Ask for so many more judgments")
      ->type_name("N")
      ->check(CLI::Range(1U, core::reopen_judgments_max))
      ->capture_default_str();
  const auto overriding = add_correction(
      unit, result, "override", "Say what its result is, whether or not it has one", false, true,
      [](const correction_flags& flags, const named_unit& named,
         const client::connection& cluster) {
        return print_corrected(
            flags, cluster.ask<msg::unit_corrected>(msg::override_result{
                       named.step, named.unit, named.correction, typed_json(flags.answer),
                       flags.corrected_to.empty() ? std::string{} : typed_json(flags.corrected_to),
                       flags.reason}));
      });
  overriding.command
      ->add_option("answer", overriding.flags->answer, "The answer: JSON, or else a text")
      ->type_name("ANSWER")
      ->required();
  overriding.command
      ->add_option("--corrected-to", overriding.flags->corrected_to,
                   "In a step that reviews, with the answer `correct`: what it should be")
      ->type_name("ANSWER");
  add_correction(
      unit, result, "taint",
      "Count one of its judgments no more; a finished unit is repaired without it", true, true,
      [](const correction_flags& flags, const named_unit& named,
         const client::connection& cluster) {
        return print_corrected(
            flags, cluster.ask<msg::unit_corrected>(msg::taint_judgment{
                       named.step, named.unit, named.judgment, named.correction, flags.reason}));
      });
  add_correction(
      unit, result, "reinstate", "Count one of its judgments again", true, true,
      [](const correction_flags& flags, const named_unit& named,
         const client::connection& cluster) {
        return print_corrected(
            flags, cluster.ask<msg::unit_corrected>(msg::reinstate_judgment{
                       named.step, named.unit, named.judgment, named.correction, flags.reason}));
      });
  add_correction(unit, result, "corrections",
                 "List what was corrected of it, with who has asked for it and why", false, false,
                 print_corrections);
}

} // namespace holdfast::app
