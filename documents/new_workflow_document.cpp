#include "documents/new_workflow_document.hpp"

#include "core/invariant.hpp"
#include "core/quality/labels.hpp"
#include "documents/json_slices.hpp"
#include "documents/member_reader.hpp"
#include "documents/workflow_document.hpp"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::documents {

namespace {

/// The place in the text of a valid definition where the members of a step's `aggregation` begin;
/// npos where these name a method.
std::size_t place_for_method(const std::string& text, std::size_t index) {
  const auto steps = member_text(text, "steps");
  const auto step = steps ? element_text(*steps, index) : std::nullopt;
  const auto aggregation = step ? member_text(*step, "aggregation") : std::nullopt;
  HOLDFAST_INVARIANT(aggregation, "a step whose method depends on its labels lists them");
  if (member_text(*aggregation, "method"))
    return std::string::npos;
  return static_cast<std::size_t>(aggregation->data() - text.data()) + 1;
}

bool goes_by_majority(const core::versioned_workflow& workflow, const std::string& key) {
  const auto position = workflow.position_of(key);
  return position
         && workflow.step(*position).aggregation.method == core::aggregation_method::majority;
}

} // namespace

/// Labels of which nobody could say which one a number is. A step of an earlier version keeps them,
/// as it must keep all of its labels.
std::vector<core::definition_problem> problems_of_new(const core::workflow_definition& definition,
                                                      const core::versioned_workflow& earlier) {
  std::vector<core::definition_problem> problems;
  for (std::size_t i = 0; i < definition.steps.size(); ++i)
    if (const auto two = core::quality::two_of_one_number(definition.steps[i].aggregation.labels);
        two && !earlier.position_of(definition.steps[i].key))
      problems.push_back(
          {"/steps/" + std::to_string(i) + "/aggregation/labels",
           "must not list '" + two->first + "' and '" + two->second
               + "', which are one number: nobody could say which of them a judgment "
                 "with that number means"});
  return problems;
}

core::outcome<new_workflow_document> parse_new_workflow(std::string text, const json_limits& limits,
                                                        const core::versioned_workflow& earlier) {
  auto definition = parse_workflow(text, limits);
  if (!definition)
    return definition.error();
  if (const auto problems = problems_of_new(*definition, earlier); !problems.empty())
    return refusal_of(problems);
  new_workflow_document document{std::move(*definition), std::move(text)};
  auto& steps = document.definition.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto method = core::default_method(steps[i]);
    if (method == core::aggregation_method::majority || goes_by_majority(earlier, steps[i].key))
      continue;
    const auto place = place_for_method(document.text, i);
    if (place == std::string::npos)
      continue;
    document.text.insert(place, R"("method":")" + std::string{to_string(method)} + R"(",)");
    steps[i].aggregation.method = method;
  }
  return document;
}

} // namespace holdfast::documents
