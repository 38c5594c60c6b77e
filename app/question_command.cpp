#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct question_flags {
  cluster_flags cluster;
  std::string step;
  std::string unit;
  bool json = false;
};

void print_text(const msg::question_forgiven& told) {
  std::cout << (told.forgiven ? "forgiven: its answers say nothing\n"
                              : "its answers count again\n");
  const auto list = [](const char* what, const std::vector<core::contributor_id>& names) {
    for (const auto& name : names)
      std::cout << what << ' ' << name << '\n';
  };
  list("back at work:", told.reinstated);
  list("removed:", told.removed);
}

void print_json(const msg::question_forgiven& told) {
  const ordered_json all{{"step", core::to_string(told.step)},
                         {"unit", core::to_string(told.unit)},
                         {"forgiven", told.forgiven},
                         {"reinstated", told.reinstated},
                         {"removed", told.removed}};
  std::cout << all.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

exit_code run(const question_flags& flags, bool count_again) {
  const auto step = id_in<core::step_id>(flags.step, "STEP");
  const auto unit = step ? id_in<core::unit_id>(flags.unit, "UNIT") : std::nullopt;
  if (!unit)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto told =
        cluster.ask<msg::question_forgiven>(msg::forgive_question{*step, *unit, count_again});
    if (!told)
      return refused_by_node(told.error());
    if (flags.json)
      print_json(*told);
    else
      print_text(*told);
    return exit_code::ok;
  });
}

void add_for_question(CLI::App& question, exit_code& result, const char* name, const char* about,
                      bool count_again) {
  auto flags = std::make_shared<question_flags>();
  auto* command = question.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("STEP", flags->step)->required();
  command->add_option("UNIT", flags->unit)->required();
  command->add_flag("--json", flags->json, "As one JSON document");
  command->callback([flags, count_again, &result] { result = run(*flags, count_again); });
}

} // namespace

void add_question_command(CLI::App& cli, exit_code& result) {
  auto* question =
      cli.add_subcommand("question", "Forgive a test question that was wrong or unfair");
  question->require_subcommand(1);
  add_for_question(*question, result, "forgive",
                   "No answer to it counts; whoever was removed for nothing else is back at work",
                   false);
  add_for_question(*question, result, "count-again", "The reverse: the answers to it count again",
                   true);
}

} // namespace holdfast::app
