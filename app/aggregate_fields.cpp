#include "app/aggregate_fields.hpp"

#include "app/labelled_set_directory.hpp"
#include "app/printable.hpp"
#include "app/whole_file.hpp"
#include "documents/csv.hpp"
#include "documents/field_table.hpp"
#include "documents/fields_document.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "files/output_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

namespace fields = core::fields;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr documents::json_limits definition_file_limits{std::size_t{16} * 1024 * 1024, 100};

core::failure cannot(const std::string& why) { return {core::errc::invalid_argument, why}; }

/// The list of fields in a definition, whichever of its forms the file has.
core::outcome<json> fields_of(const json& source, const std::string& step,
                              const std::string& file) {
  if (source.is_array())
    return source;
  if (const auto list = source.find("fields"); list != source.end())
    return *list;
  const auto steps = source.find("steps");
  if (steps == source.end() || !steps->is_array())
    return cannot(file + ": has neither fields nor steps");
  std::vector<json> found;
  for (const auto& one : *steps)
    if (one.is_object() && (step.empty() || one.value("key", json{}) == step))
      if (const auto aggregation = one.find("aggregation");
          aggregation != one.end() && aggregation->is_object() && aggregation->contains("fields"))
        found.push_back(aggregation->at("fields"));
  if (found.size() == 1)
    return found.front();
  return cannot(file
                + (found.empty() ? ": no such step has aggregation/fields"
                                 : ": several steps have fields; name one with --step"));
}

core::outcome<std::vector<fields::field_rule>> read_rules(const field_aggregation& asked) {
  const auto text = text_of_whole_file(asked.fields);
  if (!text)
    return text.error();
  const auto source = documents::parse_json(*text, definition_file_limits);
  if (!source)
    return cannot(asked.fields + ": " + source.error().detail);
  if (!source->is_structured())
    return cannot(asked.fields + ": must be an object or a list");
  const auto list = fields_of(*source, asked.step, asked.fields);
  if (!list)
    return list.error();
  std::vector<core::definition_problem> problems;
  auto rules = documents::read_fields(*list, "/fields", problems);
  if (!problems.empty())
    return cannot(asked.fields + ": " + documents::refusal_of(problems).detail);
  return rules;
}

documents::judgment_format format_of(const std::string& path) {
  return std::filesystem::path{path}.extension() == ".csv" ? documents::judgment_format::csv
                                                           : documents::judgment_format::json_lines;
}

/// Where judgments and truths are.
struct input_files {
  std::string judgments;
  std::string truth; ///< Empty: none.
};

input_files files_of(const field_aggregation& asked) {
  if (asked.data.empty())
    return {asked.judgments, asked.truth};
  const std::filesystem::path directory{asked.data};
  std::error_code ignored;
  const auto truth = directory / "truth.csv";
  return {(directory / "answers.csv").string(),
          asked.truth.empty() && std::filesystem::exists(truth, ignored) ? truth.string()
                                                                         : asked.truth};
}

using truths = std::vector<std::optional<std::vector<fields::value>>>;

/// How far answers are right.
ordered_json score_of(const fields::field_rule& rule, std::size_t place,
                      const fields::step_found& found, const truths& known) {
  std::size_t units = 0;
  std::size_t right = 0;
  double likeness = 0;
  for (std::size_t unit = 0; unit < found.units.size(); ++unit) {
    if (!known[unit] || found.units[unit].votes == 0)
      continue;
    ++units;
    const auto& truth = (*known[unit])[place];
    right += fields::agree(rule, found.units[unit].answer, truth) ? 1 : 0;
    likeness += fields::likeness(rule, found.units[unit].answer, truth);
  }
  if (units == 0)
    return nullptr;
  const auto share = [&](double of) { return of / static_cast<double>(units); };
  return {{"units", units},
          {"right", share(static_cast<double>(right))},
          {"mean_likeness", share(likeness)}};
}

ordered_json report_of_field(const fields::field_rule& rule, const documents::field_table& table,
                             std::size_t place, const fields::step_found& found,
                             const truths& known) {
  const auto units = static_cast<std::uint32_t>(table.units.size());
  double confidence = 0;
  std::size_t answered = 0;
  for (const auto& one : found.units) {
    confidence += one.confidence;
    answered += one.votes > 0 ? 1 : 0;
  }
  const auto or_null = [](const std::optional<double>& figure) {
    return figure ? ordered_json(*figure) : ordered_json();
  };
  ordered_json report{
      {"field", rule.name},
      {"kind", to_string(rule.kind)},
      {"method", to_string(rule.method)},
      {"units", answered},
      {"mean_confidence",
       answered == 0 ? ordered_json() : ordered_json(confidence / static_cast<double>(answered))},
      {"krippendorff_alpha", or_null(fields::alpha(rule, units, table.judgments[place]))},
      {"mean_likeness", or_null(fields::mean_likeness(rule, units, table.judgments[place]))}};
  if (!known.empty())
    report["against_truth"] = score_of(rule, place, found, known);
  if (!found.scale.empty()) {
    auto& scale = report["scale"] = ordered_json::array();
    for (const auto& one : found.scale)
      scale.push_back({{"item", one.item}, {"score", one.score}});
  }
  return report;
}

/// One line of the file of answers.
json answer_line(const documents::field_values& values, const documents::field_table& table,
                 const std::vector<fields::step_found>& found, std::size_t unit) {
  std::vector<fields::value> answers;
  json reports = json::object();
  double confidence = 1;
  for (std::size_t rule = 0; rule < found.size(); ++rule) {
    const auto& one = found[rule].units[unit];
    answers.push_back(one.answer);
    reports[values.rules()[rule].name] = values.report(rule, one);
    if (values.rules()[rule].kind != fields::field_kind::none)
      confidence = std::min(confidence, one.confidence);
  }
  return {{"unit", table.units[unit]},
          {"answer", values.document(answers)},
          {"confidence", confidence},
          {"fields", std::move(reports)}};
}

core::outcome<bool> write_answers_of_fields(const std::string& path,
                                            const documents::field_values& values,
                                            const documents::field_table& table,
                                            const std::vector<fields::step_found>& found) {
  return files::write_output(path, [&](std::ostream& to) {
    for (std::size_t unit = 0; unit < table.units.size(); ++unit)
      to << answer_line(values, table, found, unit).dump() << '\n';
  });
}

void print_fields(const ordered_json& report) {
  std::cout << report.at("units") << " units, " << report.at("contributors") << " contributors, "
            << report.at("judgments") << " judgments\n";
  for (const auto& field : report.at("fields")) {
    std::cout << '\n' << printable(field.at("field").get<std::string>()) << '\n';
    for (const auto& [name, figure] : field.items())
      if (name != "field" && name != "scale")
        std::cout << "  " << name << ": "
                  << (figure.is_string() ? figure.get<std::string>() : figure.dump()) << '\n';
  }
}

/// The answers of all units, by rule, and how long they took.
std::pair<std::vector<fields::step_found>, double>
combine_all(const documents::field_values& values, const documents::field_table& table) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<fields::step_found> found;
  for (std::size_t rule = 0; rule < values.rules().size(); ++rule)
    found.push_back(fields::combine_step(values.rules()[rule],
                                         static_cast<std::uint32_t>(table.units.size()),
                                         static_cast<std::uint32_t>(table.contributors.size()),
                                         table.judgments[rule], table.pairs[rule]));
  return {std::move(found),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count()};
}

core::outcome<ordered_json> aggregated(const field_aggregation& asked, refused_rows& refused) {
  auto rules = read_rules(asked);
  if (!rules)
    return rules.error();
  const documents::field_values values{std::move(*rules)};
  const auto files = files_of(asked);
  const auto text = text_of_whole_file(files.judgments);
  if (!text)
    return text.error();
  const auto refuse = asked.skip_bad_rows ? refused.teller() : documents::refuse_record{};
  const auto table = documents::read_field_table(*text, format_of(files.judgments), files.judgments,
                                                 values, asked.weighs, refuse);
  if (!table)
    return table.error();
  if (table->units.empty())
    return cannot(files.judgments + ": has no judgment");
  truths known;
  if (!files.truth.empty()) {
    const auto truth = text_of_whole_file(files.truth);
    if (!truth)
      return truth.error();
    auto read = documents::read_field_truths(*truth, format_of(files.truth), files.truth, values,
                                             *table, refuse);
    if (!read)
      return read.error();
    known = std::move(*read);
  }
  const auto [found, seconds] = combine_all(values, *table);
  if (!asked.answers_out.empty())
    if (const auto written = write_answers_of_fields(asked.answers_out, values, *table, found);
        !written)
      return written.error();
  ordered_json report{{"units", table->units.size()},
                      {"contributors", table->contributors.size()},
                      {"judgments", table->judgments.front().size()},
                      {"repeated", table->repeated},
                      {"seconds", seconds},
                      {"fields", ordered_json::array()}};
  for (std::size_t rule = 0; rule < found.size(); ++rule)
    report["fields"].push_back(
        report_of_field(values.rules()[rule], *table, rule, found[rule], known));
  return report;
}

} // namespace

exit_code aggregate_fields(const field_aggregation& asked) {
  if (asked.data.empty() == asked.judgments.empty()) {
    std::cerr << "holdfast: --fields takes either --data or --judgments\n";
    return exit_code::usage;
  }
  refused_rows refused;
  auto report = aggregated(asked, refused);
  if (!report) {
    std::cerr << "holdfast: " << printable_lines(report.error().detail) << '\n';
    return exit_code::usage;
  }
  if (asked.skip_bad_rows)
    (*report)["refused"] = refused.count();
  if (asked.json)
    std::cout << report->dump(2) << '\n';
  else
    print_fields(*report);
  return refused.count() == 0 ? exit_code::ok : exit_code::failed_check;
}

} // namespace holdfast::app
