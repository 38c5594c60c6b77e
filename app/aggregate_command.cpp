#include "app/aggregate_fields.hpp"
#include "app/aggregate_files.hpp"
#include "app/commands.hpp"
#include "app/judgment_export.hpp"
#include "app/labelled_set_directory.hpp"
#include "app/printable.hpp"
#include "core/quality/agreement.hpp"
#include "core/quality/calibration.hpp"
#include "core/quality/expectation.hpp"
#include "core/quality/method.hpp"
#include "files/output_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

namespace quality = core::quality;
using nlohmann::ordered_json;

struct aggregate_flags {
  std::string method = "majority";
  std::string data;
  std::string answers_out;
  std::string confusion_out;
  std::string contributors_out;
  std::string trust;
  std::vector<double> trust_prior; ///< Right and wrong; empty: what is assumed of anybody.
  quality::aggregation_settings settings;
  bool gold = false;
  bool every_judgment = false;
  bool guard_formulas = true;
  bool skip_bad_rows = false;
  bool json = false;
  field_aggregation of_fields;
};

/// What was found, and how long that took.
struct aggregation_run {
  quality::aggregated result;
  double seconds = 0; ///< Choosing the method included.
  double seconds_of_iterations = 0;
  std::optional<quality::estimates> calibrated; ///< Where there are test questions.
  quality::calibration calibration;
};

exit_code complain(const std::string& why, exit_code code) {
  std::cerr << "holdfast: " << printable_lines(why) << '\n';
  return code;
}

std::string all_methods() {
  std::string names;
  for (const auto& row : quality::method_descriptions())
    names += (names.empty() ? "" : ", ") + std::string{row.name};
  return names;
}

/// As in "mv (majority)".
std::string all_aliases() {
  std::string names;
  for (const auto& row : quality::method_aliases())
    names += (names.empty() ? "" : ", ") + std::string{row.name} + " ("
             + std::string{quality::name_of(row.what)} + ')';
  return names;
}

bool any_known(const quality::known_labels& truth) {
  for (const auto label : truth)
    if (label != quality::unknown_label)
      return true;
  return false;
}

bool weighs_by_trust(quality::method what) {
  return what == quality::method::weighted || what == quality::method::weighted_log_odds;
}

/// Empty when `what` can work on the set.
std::string obstacle(quality::method what, const aggregate_flags& flags,
                     const documents::labelled_set& set) {
  if (flags.gold && !any_known(set.test_questions))
    return flags.data
           + "/truth.csv: --gold takes every tenth row as a test question, and none of "
             "them has answers"
           + (set.truths_nobody_gave > 0 ? " of which one is its truth" : "");
  if (what == quality::method::gold_selected && !flags.gold)
    return "gold_selected chooses by test questions: add --gold, or name another method";
  if (!flags.trust.empty() && !weighs_by_trust(what))
    return "--trust is for weighted and weighted_log_odds; " + std::string{quality::name_of(what)}
           + " weighs nobody by it";
  for (const auto answers : flags.trust_prior)
    if (!(answers >= 0.01 && answers <= 1e6)) // nor is NaN
      return "--trust-prior takes two numbers from 0.01 to 1000000";
  if (!flags.trust_prior.empty() && flags.contributors_out.empty()
      && (!weighs_by_trust(what) || !flags.trust.empty()))
    return "--trust-prior is for what test questions say of workers: add --contributors-out, or "
           "weigh by it with weighted or weighted_log_odds and without --trust";
  if (!flags.contributors_out.empty() && !fits_contributor_figures(set))
    return flags.data + ": " + std::to_string(set.named.contributors.size()) + " contributors and "
           + std::to_string(set.named.labels.size())
           + " labels are too many for --contributors-out";
  if (quality::needs_confusion_table(what) && !quality::fits_confusion_table(set.named.given))
    return flags.data + ": " + std::to_string(set.named.contributors.size()) + " contributors and "
           + std::to_string(set.named.labels.size())
           + " labels make confusion matrices of more than a gigabyte; majority, weighted, "
             "weighted_log_odds, wawa, wawa_soft, one_coin and glad do without";
  return {};
}

aggregation_run aggregate(quality::method what, const quality::answers& given,
                          const quality::known_labels& test_questions,
                          const quality::aggregation_settings& settings) {
  using std::chrono::steady_clock;
  const auto since = [](steady_clock::time_point began) {
    return std::chrono::duration<double>(steady_clock::now() - began).count();
  };
  const auto began = steady_clock::now();
  const auto used = what == quality::method::gold_selected
                        ? quality::most_accurate_on(given, test_questions)
                        : what;
  const auto chosen = steady_clock::now();
  aggregation_run run{quality::aggregate_by(used, given, test_questions, settings), 0, 0, {}, {}};
  run.seconds = since(began);
  run.seconds_of_iterations = since(chosen);
  if (!test_questions.empty()) {
    const auto raw = quality::aggregate_by(used, given, {}, settings).found;
    run.calibration = quality::fit_temperature(raw, test_questions);
    run.calibrated = quality::calibrated(run.result.found, run.calibration);
  }
  return run;
}

/// How often each label is true, as the method has it; null of methods that do not ask.
ordered_json label_shares_of(const documents::labelled_set& set, const aggregation_run& run) {
  if (!run.result.model)
    return nullptr;
  auto shares = ordered_json::object();
  for (std::size_t label = 0; label < set.named.labels.size(); ++label)
    shares[set.named.labels[label]] = run.result.model->label_shares[label];
  return shares;
}

ordered_json report_of(const documents::labelled_set& set, const quality::known_labels& scored,
                       quality::method asked, const aggregation_run& run) {
  const auto& result = run.result;
  const auto right = quality::accuracy_of(result.found, scored);
  const auto if_any = [](bool any, auto value) {
    return any ? ordered_json(value) : ordered_json(nullptr);
  };
  const auto iterations = result.iterations;
  ordered_json report{{"method", quality::name_of(asked)},
                      {"used", quality::name_of(result.used)},
                      {"units", set.named.units.size()},
                      {"contributors", set.named.contributors.size()},
                      {"labels", set.named.labels.size()},
                      {"judgments", set.named.given.votes.size()},
                      {"repeated", set.named.repeated},
                      {"truths_nobody_gave", truths_nobody_gave(set)},
                      {"truths_of_no_task", set.truths_of_no_task},
                      {"scored_units", right.units},
                      {"acc", if_any(right.units > 0, right.shared)},
                      {"acc_lowest", if_any(right.units > 0, right.lowest)},
                      {"log_likelihood", if_any(result.log_likelihood.has_value(),
                                                result.log_likelihood.value_or(0))},
                      {"iterations", iterations},
                      {"seconds", run.seconds},
                      {"ms_per_iteration", if_any(iterations > 0, run.seconds_of_iterations * 1e3
                                                                      / std::max(iterations, 1U))}};
  report["label_shares"] = label_shares_of(set, run);
  for (const auto& [name, figure] :
       {std::pair{"pairwise_agreement", quality::pairwise_agreement(set.named.given)},
        std::pair{"krippendorff_alpha", quality::krippendorff_alpha(set.named.given)},
        std::pair{"fleiss_kappa", quality::fleiss_kappa(set.named.given)}})
    report[name] = if_any(figure.has_value(), figure.value_or(0));
  if (run.calibrated)
    report["calibration"] = {
        {"temperature", run.calibration.temperature},
        {"test_questions", run.calibration.fitted_on},
        {"ece_before", quality::expected_calibration_error(result.found, scored)},
        {"ece", quality::expected_calibration_error(*run.calibrated, scored)}};
  return report;
}

void print_aggregates(const ordered_json& report) {
  for (const auto& [name, value] : report.items())
    std::cout << name << ": "
              << (value.is_string() ? printable(value.get<std::string>()) : value.dump()) << '\n';
}

exit_code run_on_fields(const aggregate_flags& flags) {
  auto asked = flags.of_fields;
  asked.data = flags.data;
  asked.answers_out = flags.answers_out;
  asked.skip_bad_rows = flags.skip_bad_rows;
  asked.json = flags.json;
  return aggregate_fields(asked);
}

exit_code run(const aggregate_flags& flags) {
  if (!flags.of_fields.fields.empty())
    return run_on_fields(flags);
  if (flags.data.empty())
    return complain("--data is missing: the directory with answers.csv and truth.csv",
                    exit_code::usage);
  const auto what = quality::method_named(flags.method);
  if (!what)
    return complain("there is no method `" + flags.method + "`; there are " + all_methods(),
                    exit_code::usage);
  refused_rows refused;
  const auto set = read_labelled_set(
      flags.data,
      flags.every_judgment ? quality::repeats::all_count : quality::repeats::first_counts,
      flags.skip_bad_rows ? refused.teller() : documents::refuse_record{});
  if (!set)
    return complain(set.error().detail, exit_code::usage);
  tell_of_truths_nobody_gave(flags.data, *set);
  if (const auto problem = obstacle(*what, flags, *set); !problem.empty())
    return complain(problem, exit_code::usage);
  auto settings = flags.settings;
  if (!flags.trust.empty()) {
    auto trust = read_trust(flags.trust, set->named.contributors);
    if (!trust)
      return complain(trust.error().detail, exit_code::usage);
    settings.trust = std::move(*trust);
  }
  if (!flags.trust_prior.empty())
    settings.trust_prior = {flags.trust_prior[0], flags.trust_prior[1]};
  const auto test_questions = flags.gold ? set->test_questions : quality::known_labels{};
  const auto formulas = flags.guard_formulas ? documents::csv_formulas::guarded
                                             : documents::csv_formulas::as_they_are;
  const auto result = aggregate(*what, set->named.given, test_questions, settings);
  if (!flags.confusion_out.empty() && !result.result.model)
    return complain("--confusion-out: " + std::string{quality::name_of(result.result.used)}
                        + " makes no confusion matrices; dawid_skene_map does",
                    exit_code::usage);
  core::outcome<bool> written{true};
  const auto write = [&](const std::string& path, const auto& content) {
    if (written && !path.empty())
      written = files::write_output(path, content);
  };
  write(flags.confusion_out, [&](std::ostream& to) {
    write_confusion(to, *set, result.result.model->given_true, formulas);
  });
  write(flags.answers_out, [&](std::ostream& to) {
    write_answers(to, *set, result.result.found, result.calibrated, formulas);
  });
  write(flags.contributors_out, [&](std::ostream& to) {
    write_contributors(to, *set, test_questions, settings.trust_prior, formulas);
  });
  if (!written)
    return complain(written.error().detail, exit_code::usage);
  auto report = report_of(*set, flags.gold ? set->held_back : set->truth, *what, result);
  if (flags.skip_bad_rows)
    report["refused"] = refused.count();
  if (flags.json)
    std::cout << report.dump(2) << '\n';
  else
    print_aggregates(report);
  return refused.count() == 0 ? exit_code::ok : exit_code::failed_check;
}

} // namespace

void add_aggregate_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<aggregate_flags>();
  auto* command = cli.add_subcommand(
      "aggregate", "Make answers of recorded judgments, and compare them with the truth");
  command->add_option("--data", flags->data, "Directory with answers.csv and truth.csv");
  auto* fields = command->add_option(
      "--fields", flags->of_fields.fields,
      "Judgments have several fields, of the kinds that this file says: {\"fields\": [...]}, or a "
      "workflow; docs/FIELDS.md has the kinds");
  command->add_option("--step", flags->of_fields.step, "Of a workflow: the step whose fields count")
      ->needs(fields);
  command
      ->add_option("--judgments", flags->of_fields.judgments,
                   "In place of --data: a file of JSON lines with unit, contributor and judgment, "
                   "or of CSV (.csv)")
      ->needs(fields);
  command
      ->add_option("--truth", flags->of_fields.truth,
                   "File of the same form, without contributors: what is true of units")
      ->needs(fields);
  command
      ->add_flag("--weigh-by-trust", flags->of_fields.weighs,
                 "Judgments weigh as much as the member or column trust says")
      ->needs(fields);
  command
      ->add_option("--method", flags->method,
                   "One of " + all_methods() + "; other names: " + all_aliases())
      ->capture_default_str();
  command->add_flag("--gold", flags->gold,
                    "Every tenth row of truth.csv is a test question; the others are scored");
  command->add_flag("--every-judgment", flags->every_judgment,
                    "Count all judgments of a contributor on a task, not the first one only");
  command->add_option("--answers-out", flags->answers_out,
                      "Write task, label and confidence of each unit to this file; with --fields a "
                      "line of JSON for each unit");
  command->add_option("--trust", flags->trust,
                      "File with worker and trust, from 0 to 1, in place of test questions");
  command
      ->add_option("--trust-prior", flags->trust_prior,
                   "Right and wrong answers that everybody's trust begins with; 4 and 2 if left "
                   "out")
      ->expected(2)
      ->type_name("RIGHT WRONG");
  command->add_option("--contributors-out", flags->contributors_out,
                      "Write what test questions say of each worker, and how far they agree with "
                      "the others, to this file");
  command->add_option("--confusion-out", flags->confusion_out,
                      "Write how likely each worker gives each label when another one is true");
  command
      ->add_option("--iterations", flags->settings.iterations_max,
                   "End methods that iterate after so many iterations at most")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command
      ->add_option("--rise-min", flags->settings.rise_min,
                   "End them when one raises the log-likelihood by less, per judgment")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_flag("--skip-bad-rows", flags->skip_bad_rows,
                    "Leave out rows that cannot be used, with a word on each, and end with 1; "
                    "without it the first of them ends everything");
  command->add_flag("--guard-formulas,!--no-guard-formulas", flags->guard_formulas,
                    formula_guard_help);
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
