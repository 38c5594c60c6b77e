#include "documents/workflow_check.hpp"

#include "core/invariant.hpp"
#include "core/review.hpp"
#include "documents/answer_text.hpp"
#include "documents/new_workflow_document.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"
#include "documents/workflow_document.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace holdfast::documents {

using core::definition_warning;
using core::warning;
using nlohmann::json;

namespace {

/// The schema comes from a definition whose size was checked as a whole.
constexpr json_limits checked_limits{std::numeric_limits<std::size_t>::max(), 1000};

/// More of one kind tells nothing new.
constexpr std::size_t of_a_kind_max = 8;

schema schema_checked(const core::step_definition& step) {
  const auto parsed = parse_json(step.judgment_schema, checked_limits);
  HOLDFAST_INVARIANT(parsed, "read_workflow accepted the schema as JSON");
  std::vector<core::definition_problem> problems;
  auto made = schema::compile(*parsed, "", problems);
  HOLDFAST_INVARIANT(made, "read_workflow compiled the schema");
  return std::move(*made);
}

/// The values that are the answer `label`: the text itself, and what it spells as JSON.
std::vector<json> values_of(const std::string& label) {
  std::vector<json> values{json(label)};
  if (auto spelled = parse_json(label, {}); spelled && answer_text(*spelled) == label)
    values.push_back(std::move(*spelled));
  return values;
}

bool is_refused(const schema& by, const json_pointer& place, const json& value) {
  return by.violation_at(place, value).has_value();
}

/// Whether no value at all may be there.
bool is_closed(const schema& by, const json_pointer& place) {
  for (const auto& example :
       {json(""), json(0), json(true), json(nullptr), json::array(), json::object()})
    if (by.allows_type_at(place, example))
      return false;
  return true;
}

void check_schema(const core::step_definition& step, const std::string& at,
                  std::vector<definition_warning>& warnings) {
  if (step.judgment_schema.empty())
    return;
  const auto answer = json_pointer::parse(step.answer_pointer);
  HOLDFAST_INVARIANT(answer, "read_workflow accepted the answer pointer");
  const auto rules = schema_checked(step);
  const auto place = at + "/judgment_schema";
  const auto field = "'" + step.answer_pointer + "'";
  if (is_closed(rules, *answer) || !rules.may_describe(*answer)) {
    warnings.push_back({warning::answer_not_in_schema, place,
                        (is_closed(rules, *answer) ? "refuses the answer, which the step reads at "
                                                   : "has no field for the answer, which the step "
                                                     "reads at ")
                            + field + "; describe it there, or name its place in `aggregation`"});
    return;
  }
  const bool reviews = step.aggregation.method == core::aggregation_method::review;
  const auto labels = reviews ? core::verdict_names() : step.aggregation.labels;
  if (labels.empty())
    return;
  std::size_t refused = 0;
  for (const auto& label : labels) {
    const auto values = values_of(label);
    // A review may leave out verdicts on purpose, such as one that only approves or rejects.
    if (reviews || std::any_of(values.begin(), values.end(), [&](const json& value) {
          return !is_refused(rules, *answer, value);
        }))
      continue;
    if (refused++ < of_a_kind_max)
      warnings.push_back({warning::label_not_in_schema, place,
                          "refuses the label '" + label + "' at " + field
                              + ", so nobody can give it; add it there, or take it from `labels`"});
  }
  std::size_t unknown = 0;
  for (const auto& text : rules.values_at(*answer).value_or(std::vector<std::string>{})) {
    const auto value = parse_json(text, checked_limits);
    const auto read = value ? answer_text(*value, labels) : text;
    if (std::find(labels.begin(), labels.end(), read) == labels.end() && unknown++ < of_a_kind_max)
      warnings.push_back(
          {warning::value_not_a_label, place,
           "lists " + text + " at " + field
               + (reviews ? ", which is no verdict; reviews say approve, correct or reject"
                          : ", which is no label, so a judgment with it is refused after the work; "
                            "add it to `labels`, or take it out")});
  }
}

void shorten(std::vector<core::definition_problem>& problems) {
  if (problems.size() > definition_findings_max)
    problems.resize(definition_findings_max);
}

} // namespace

std::vector<definition_warning> all_warnings_of(const core::workflow_definition& definition) {
  auto warnings = core::warnings_of(definition);
  for (std::size_t i = 0; i < definition.steps.size(); ++i)
    check_schema(definition.steps[i], "/steps/" + std::to_string(i), warnings);
  const auto step_of = [](const definition_warning& one) {
    return std::stoul(one.place.substr(std::string{"/steps/"}.size()));
  };
  std::stable_sort(warnings.begin(), warnings.end(), [&](const auto& one, const auto& other) {
    return step_of(one) < step_of(other);
  });
  return warnings;
}

core::outcome<workflow_check> check_workflow(const std::string& text, const json_limits& limits) {
  const auto document = parse_json(text, limits);
  if (!document && document.error().code == core::errc::too_large)
    return document.error();
  if (!document)
    return workflow_check{{{"", document.error().detail}}};
  workflow_check found;
  if (const auto read = read_workflow(*document, found.problems))
    found.problems = problems_of_new(*read);
  shorten(found.problems);
  if (!found.problems.empty())
    return found;
  // As it would be stored, with the method that it leaves out.
  const auto made = parse_new_workflow(text, limits);
  if (!made)
    return workflow_check{{{"", made.error().detail}}};
  found.warnings = all_warnings_of(made->definition);
  if (found.warnings.size() > definition_findings_max)
    found.warnings.erase(found.warnings.begin() + definition_findings_max, found.warnings.end());
  return found;
}

} // namespace holdfast::documents
