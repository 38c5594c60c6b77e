#include "core/workflow_warnings.hpp"

#include "core/review.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

bool has(const std::vector<std::string>& answers, const std::string& one) {
  return std::find(answers.begin(), answers.end(), one) != answers.end();
}

bool is_review(const step_definition& step) {
  return step.aggregation.method == aggregation_method::review;
}

bool leads_back(const way& on) {
  return std::any_of(on.targets.begin(), on.targets.end(),
                     [](const way_target& target) { return target.back; });
}

/// Whether a rejected result may take the route, by what it says of answers.
bool may_take_rejected(const route_condition& when) {
  const std::string rejected{to_string(review_verdict::reject)};
  return (when.answers.empty() || has(when.answers, rejected))
         && !has(when.other_answers, rejected);
}

/// Whether it asks for nothing but answers.
bool asks_for_answers_only(route rule) {
  rule.when.answers.clear();
  rule.when.other_answers.clear();
  return takes_every_unit(rule);
}

/// Of a review: where rejected results go.
void check_rejected(const step_definition& step, const step_place& at, const std::string& place,
                    std::vector<definition_problem>& warnings) {
  const std::string rejected{to_string(review_verdict::reject)};
  bool taken_always = false;
  bool taken_back = false;
  for (std::size_t w = 0; w < at.ways.size() && !taken_always; ++w) {
    const auto& on = at.ways[w];
    if (!may_take_rejected(on.rule.when))
      continue;
    taken_back = taken_back || leads_back(on);
    taken_always = asks_for_answers_only(on.rule) && !leads_back(on);
    if (!on.targets.empty() && !leads_back(on) && !has(on.rule.when.answers, rejected))
      warnings.push_back(
          {place + (step.next.empty() ? "/routes/" + std::to_string(w) : "/next"),
           "takes rejected results as well, which go on as they were: name the answers that it is "
           "for in `when`"});
  }
  if (!taken_always)
    warnings.push_back(
        {place, taken_back
                    ? "ends without a result where it rejects one that was sent back `loops_max` "
                      "times: a last route for `reject` says where such items go"
                    : "ends without a result where it rejects one: a route for `reject` says where "
                      "such items go"});
}

void check_reviewers(const step_definition& review, const std::string& place,
                     std::vector<definition_problem>& warnings) {
  const auto reviewers = first_slots(review);
  if (!review.aggregation.stopping && reviewers % 2 == 0)
    warnings.push_back({place + "/judgments_per_unit",
                        "is even: where half of the reviewers reject, the result is rejected"});
}

void check_own_work(const workflow_definition& definition, const step_place& at,
                    const std::string& place, std::vector<definition_problem>& warnings) {
  for (std::size_t w = 0; w < at.ways.size(); ++w)
    for (const auto& target : at.ways[w].targets)
      if (at.ways[w].rule.exclude_judges == false && is_review(definition.steps[target.position]))
        warnings.push_back({place + "/routes/" + std::to_string(w) + "/exclude_judges",
                            "lets people review their own work in '"
                                + definition.steps[target.position].key + "'"});
}

/// A bound on each contributor that asks for many people, or ends their work before they are known.
void check_cap(const step_definition& step, const std::string& place,
               std::vector<definition_problem>& warnings) {
  const auto& cap = step.units_per_contributor;
  const auto needed = people_needed(cap, step.judgments_per_unit);
  if (cap.share > 0 && cap.share * step.judgments_per_unit < 1)
    warnings.push_back({place + "/units_per_contributor/share",
                        "asks for " + std::to_string(needed)
                            + " contributors at least: with fewer the step does not end"});
  if (step.test_questions && cap.count > 0 && cap.count <= step.test_questions->placement.quiz)
    warnings.push_back({place + "/units_per_contributor/count",
                        "is used up by the quiz, whose questions count as units do: nobody judges "
                        "any other unit"});
}

} // namespace

std::vector<definition_problem> warnings_of(const workflow_definition& definition) {
  std::vector<definition_problem> warnings;
  const auto places = places_in(definition);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& step = definition.steps[i];
    const auto place = "/steps/" + std::to_string(i);
    check_own_work(definition, places[i], place, warnings);
    check_cap(step, place, warnings);
    if (!is_review(step))
      continue;
    check_reviewers(step, place, warnings);
    check_rejected(step, places[i], place, warnings);
  }
  return warnings;
}

} // namespace holdfast::core
