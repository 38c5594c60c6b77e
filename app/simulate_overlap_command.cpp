#include "app/commands.hpp"
#include "app/labelled_set_directory.hpp"
#include "app/printable.hpp"
#include "core/quality/expectation.hpp"
#include "core/quality/overlap_replay.hpp"
#include "documents/stopping_document.hpp"

#include <CLI/Validators.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

namespace quality = core::quality;
using nlohmann::ordered_json;

/// What rules are compared with: a majority of so many judgments.
constexpr std::uint32_t fixed_judgments = 5;

constexpr std::uint32_t seeds_max = 10000;

/// Rules by name; any other is written as JSON.
const std::map<std::string, std::string> named_policies{
    {"fixed", R"({"judgments_per_unit": 5})"},
    {"curtail", R"({"judgments_per_unit": 5, "curtail": true})"},
    {"dynamic", R"({"min": 2, "max": 5, "stop_at": 0.9})"},
};

struct simulate_flags {
  std::string data;
  std::string policy = "dynamic";
  std::uint32_t seeds = 10;
  bool without_test_questions = false;
  bool json = false;
};

exit_code complain(const std::string& why) {
  std::cerr << "holdfast: " << printable_lines(why) << '\n';
  return exit_code::usage;
}

/// One replay.
ordered_json figures_of(const quality::overlap_replay& played, const quality::known_labels& truth,
                        std::uint32_t seed) {
  const auto by_rule = quality::accuracy_of(played.found, truth);
  const auto by_fixed = quality::accuracy_of(played.fixed, truth);
  ordered_json figures{{"seed", seed},
                       {"judgments", played.judgments},
                       {"judgments_fixed", played.judgments_fixed},
                       {"saved", played.saved()},
                       {"acc", nullptr},
                       {"acc_fixed", nullptr},
                       {"difference", nullptr}};
  if (by_rule.units > 0) {
    figures["acc"] = by_rule.shared;
    figures["acc_fixed"] = by_fixed.shared;
    figures["difference"] = by_rule.shared - by_fixed.shared;
  }
  return figures;
}

/// The mean of each figure over the replays; null where it is unknown.
ordered_json means_of(const std::vector<ordered_json>& replays) {
  ordered_json means;
  for (const auto& [name, first] : replays.front().items()) {
    if (name == "seed")
      continue;
    double sum = 0;
    for (const auto& replay : replays)
      sum += first.is_null() ? 0 : replay.at(name).get<double>();
    means[name] =
        first.is_null() ? ordered_json{} : ordered_json(sum / static_cast<double>(replays.size()));
  }
  return means;
}

ordered_json simulate(const documents::labelled_set& set, const quality::stopping_rule& rule,
                      const simulate_flags& flags) {
  const auto questions =
      flags.without_test_questions ? quality::known_labels{} : set.test_questions;
  std::size_t judgments_on_questions = 0;
  std::size_t question_count = 0;
  for (std::size_t unit = 0; unit < questions.size(); ++unit)
    if (questions[unit] != quality::unknown_label) {
      judgments_on_questions += set.named.given.of(unit).size();
      ++question_count;
    }
  std::vector<ordered_json> replays;
  for (std::uint32_t seed = 1; seed <= flags.seeds; ++seed)
    replays.push_back(figures_of(replay(set.named.given, rule, questions, fixed_judgments, seed),
                                 flags.without_test_questions ? set.truth : set.held_back, seed));
  ordered_json report{{"policy", flags.policy},
                      {"units", set.named.units.size() - question_count},
                      {"test_questions", question_count},
                      {"judgments_on_test_questions", judgments_on_questions},
                      {"truths_nobody_gave", truths_nobody_gave(set)},
                      {"fixed_judgments_per_unit", fixed_judgments},
                      {"seeds", flags.seeds}};
  report.update(means_of(replays));
  report["replays"] = replays;
  return report;
}

void print_overlaps(const ordered_json& report) {
  for (const auto& [name, value] : report.items())
    if (!value.is_array())
      std::cout << name << ": "
                << (value.is_string() ? printable(value.get<std::string>()) : value.dump()) << '\n';
}

exit_code run(const simulate_flags& flags) {
  const auto named = named_policies.find(flags.policy);
  const auto rule =
      documents::read_stopping_rule(named == named_policies.end() ? flags.policy : named->second);
  if (!rule)
    return complain("--policy is fixed, curtail, dynamic, or a rule such as "
                    + named_policies.at("dynamic") + "\n" + rule.error().detail);
  const auto set = read_labelled_set(flags.data, quality::repeats::first_counts, nullptr);
  if (!set)
    return complain(set.error().detail);
  tell_of_truths_nobody_gave(flags.data, *set);
  if (!quality::fits_confusion_table(set->named.given))
    return complain(flags.data + ": too many contributors and labels for confusion matrices");
  const auto report = simulate(*set, *rule, flags);
  if (flags.json)
    std::cout << report.dump(2) << '\n';
  else
    print_overlaps(report);
  return exit_code::ok;
}

} // namespace

void add_simulate_overlap_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<simulate_flags>();
  auto* command =
      cli.add_subcommand("simulate-overlap", "Replay recorded judgments under a stopping rule");
  command->add_option("--data", flags->data, "Directory with answers.csv and truth.csv")
      ->required();
  command->add_option("--policy", flags->policy, "fixed, curtail, dynamic, or a rule as JSON")
      ->capture_default_str();
  command->add_option("--seeds", flags->seeds, "Replays, each in another order")
      ->capture_default_str()
      ->check(CLI::Range(1U, seeds_max));
  command->add_flag("--without-test-questions", flags->without_test_questions,
                    "Do not use every tenth row of truth.csv as a test question");
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
