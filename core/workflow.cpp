#include "core/workflow.hpp"

#include <algorithm>
#include <set>

namespace holdfast::core {

namespace {

bool well_formed_key(const std::string& key) {
  return !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void check_aggregation(const aggregation_policy& policy, const std::string& place,
                       std::vector<definition_problem>& problems) {
  const auto& labels = policy.labels;
  const bool needs_labels = policy.method == aggregation_method::weighted_log_odds
                            || policy.method == aggregation_method::incremental;
  if (needs_labels && labels.size() < 2)
    problems.push_back({place + "/labels", "must list every answer, at least two: "
                                               + std::string{to_string(policy.method)}
                                               + " must know what else could have been said"});
  else if (!labels.empty() && (labels.size() < 2 || labels.size() > labels_max))
    problems.push_back({place + "/labels", "must list from 2 to " + std::to_string(labels_max)
                                               + " answers, or be left out"});
  if (std::set<std::string>{labels.begin(), labels.end()}.size() != labels.size())
    problems.push_back({place + "/labels", "must not list an answer twice"});
}

bool is_share(double value) { return value > 0 && value < 1; }

void check_test_questions(const test_question_policy& policy, const std::string& place,
                          std::vector<definition_problem>& problems) {
  if (policy.placement.quiz > quiz_max)
    problems.push_back({place + "/quiz", "must be at most " + std::to_string(quiz_max)});
  if (!(policy.placement.quiz_pass > 0 && policy.placement.quiz_pass <= 1))
    problems.push_back({place + "/quiz_pass", "must be above 0 and at most 1"});
  if (policy.placement.every == 1 || policy.placement.every > test_interval_max)
    problems.push_back(
        {place + "/every", "must be 0, or from 2 to " + std::to_string(test_interval_max)});
  if (!is_share(policy.taint.threshold))
    problems.push_back({place + "/accuracy_min", "must be between 0 and 1"});
  if (!is_share(policy.taint.certainty))
    problems.push_back({place + "/certainty", "must be between 0 and 1"});
}

void check_step(const step_definition& step, const std::string& place,
                std::vector<definition_problem>& problems) {
  if (!well_formed_key(step.key))
    problems.push_back({place + "/key", "must be 1 to 64 characters of a-z, 0-9, _ and -"});
  if (step.judgments_per_unit < 1 || step.judgments_per_unit > judgments_per_unit_max)
    problems.push_back({place + "/judgments_per_unit",
                        "must be between 1 and " + std::to_string(judgments_per_unit_max)});
  if (step.lease.ttl < std::chrono::milliseconds{10}
      || step.lease.ttl > std::chrono::hours{24 * 30})
    problems.push_back(
        {place + "/lease/ttl_seconds", "must be between 0.01 and 2592000 (30 days)"});
  if (step.lease.total_max < step.lease.ttl)
    problems.push_back({place + "/lease/total_max_seconds", "must not be less than ttl_seconds"});
  if (step.lease.regrant_after < duration::zero())
    problems.push_back({place + "/lease/regrant_after_seconds", "must not be negative"});
  if (!step.answer_pointer.empty() && step.answer_pointer.front() != '/')
    problems.push_back({place + "/aggregation/answer", "must be a JSON pointer such as /answer"});
  check_aggregation(step.aggregation, place + "/aggregation", problems);
  if (step.test_questions)
    check_test_questions(*step.test_questions, place + "/test_questions", problems);
}

} // namespace

std::uint32_t first_slots(const step_definition& step) {
  return step.aggregation.stopping ? first_slots(*step.aggregation.stopping)
                                   : step.judgments_per_unit;
}

history_scope history_needed(const step_definition& step) {
  return {step.test_questions.has_value(),
          step.aggregation.method == aggregation_method::incremental};
}

std::optional<std::uint32_t> position_of(const workflow_definition& definition,
                                         const std::string& key) {
  for (std::uint32_t i = 0; i < definition.steps.size(); ++i)
    if (definition.steps[i].key == key)
      return i;
  return std::nullopt;
}

std::optional<std::uint32_t> upstream_of(const workflow_definition& definition,
                                         std::uint32_t position) {
  const auto& key = definition.steps[position].key;
  for (std::uint32_t i = 0; i < definition.steps.size(); ++i) {
    const auto& next = definition.steps[i].next;
    if (std::find(next.begin(), next.end(), key) != next.end())
      return i;
  }
  return std::nullopt;
}

std::vector<definition_problem> problems_of(const workflow_definition& definition) {
  std::vector<definition_problem> problems;
  if (definition.name.empty() || definition.name.size() > 200)
    problems.push_back({"/name", "must be 1 to 200 bytes"});
  if (definition.steps.empty() || definition.steps.size() > steps_per_workflow_max)
    problems.push_back(
        {"/steps", "must have between 1 and " + std::to_string(steps_per_workflow_max) + " steps"});

  std::set<std::string> keys;
  std::vector<std::uint32_t> arrivals(definition.steps.size(), 0);
  for (std::size_t i = 0; i < definition.steps.size(); ++i) {
    const auto& step = definition.steps[i];
    const auto place = "/steps/" + std::to_string(i);
    check_step(step, place, problems);
    if (!keys.insert(step.key).second)
      problems.push_back({place + "/key", "'" + step.key + "' is the key of an earlier step"});
    for (std::size_t n = 0; n < step.next.size(); ++n) {
      const auto target = position_of(definition, step.next[n]);
      if (!target)
        problems.push_back(
            {place + "/next/" + std::to_string(n), "no step has the key '" + step.next[n] + "'"});
      else
        ++arrivals[*target];
    }
  }
  if (!problems.empty())
    return problems;

  // With one way into every step but the first, being reached from the first means having no cycle.
  if (arrivals[0] > 0)
    problems.push_back({"/steps/0", "is where source data enters; no step may lead to it"});
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    if (arrivals[i] != 1)
      problems.push_back(
          {"/steps/" + std::to_string(i),
           "must be the next of exactly one step, not of " + std::to_string(arrivals[i])});
  std::vector<std::uint32_t> reached{0};
  for (std::size_t at = 0; problems.empty() && at < reached.size(); ++at)
    for (const auto& key : definition.steps[reached[at]].next)
      reached.push_back(*position_of(definition, key));
  if (problems.empty() && reached.size() != definition.steps.size())
    problems.push_back({"/steps", "some steps form a cycle that the first step never reaches"});
  return problems;
}

} // namespace holdfast::core
