#include "core/workflow_versions.hpp"

#include "core/invariant.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

std::string place_of(std::size_t step) { return "/steps/" + std::to_string(step); }

bool same_rule(const quality::taint_rule& a, const quality::taint_rule& b) {
  if (a.sequential && b.sequential)
    return a.sequential->good == b.sequential->good && a.sequential->bad == b.sequential->bad;
  return a.sequential.has_value() == b.sequential.has_value() && a.threshold == b.threshold
         && a.certainty == b.certainty;
}

/// What a step must stay under its key.
void check_same_step(const step_definition& before, const step_definition& after,
                     const std::string& place, std::vector<definition_problem>& problems) {
  const auto must_stay = [&](bool same, const char* member, const char* because) {
    if (!same)
      problems.push_back({place + member, std::string{"must stay what it was: "} + because
                                              + "; give a step that is another one another key"});
  };
  const auto& was = before.aggregation;
  const auto& is = after.aggregation;
  constexpr auto answers = "the answers that are there would mean something else";
  must_stay(was.method == is.method, "/aggregation/method", answers);
  must_stay(was.labels == is.labels, "/aggregation/labels", answers);
  must_stay(before.answer_pointer == after.answer_pointer, "/aggregation/answer", answers);
  must_stay(before.correction_pointer == after.correction_pointer, "/aggregation/correction",
            answers);
  const auto& tested = before.test_questions;
  const auto& tests = after.test_questions;
  must_stay(tested.has_value() == tests.has_value(), "/test_questions",
            "contributors could tell its units from test questions by their age");
  if (tested && tests)
    must_stay(tested->placement.quiz == tests->placement.quiz
                  && tested->placement.quiz_pass == tests->placement.quiz_pass
                  && same_rule(tested->taint, tests->taint) && tested->feedback == tests->feedback,
              "/test_questions", "contributors have worked under it (`every` alone may change)");
  const auto& were = before.tasks;
  const auto& are = after.tasks;
  must_stay(were.has_value() == are.has_value()
                && (!were
                    || (were->queue == are->queue && were->type == are->type
                        && were->judgments == are->judgments && were->patience == are->patience)),
            "/tasks", "tasks that judge units of the step are under way");
}

/// Steps that would never be complete, because each waits for another of them.
std::vector<std::string> waiting_for_each_other(const versioned_workflow& workflow) {
  const auto count = static_cast<std::uint32_t>(workflow.keys().size());
  std::uint64_t complete = 0;
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t position = 0; position < count; ++position) {
      const auto bit = std::uint64_t{1} << position;
      if ((complete & bit) != 0 || (workflow.upstreams(position) & ~complete) != 0)
        continue;
      complete |= bit;
      more = true;
    }
  }
  std::vector<std::string> keys;
  for (std::uint32_t position = 0; position < count; ++position)
    if ((complete >> position & 1) == 0)
      keys.push_back(workflow.keys()[position]);
  return keys;
}

/// One version may lead from a step to another and a later one back, and units of both be under
/// way.
void check_order(versioned_workflow workflow, const workflow_definition& next,
                 std::vector<definition_problem>& problems) {
  workflow.add(next);
  const auto keys = waiting_for_each_other(workflow);
  if (keys.empty())
    return;
  std::string list;
  for (const auto& key : keys)
    list += (list.empty() ? "'" : ", '") + key + '\'';
  problems.push_back({"/steps", "lead the other way round than in an earlier version, so that of "
                                    + list
                                    + " each would wait for another to be complete; give those "
                                      "that have moved other keys"});
}

} // namespace

versioned_workflow::versioned_workflow(std::vector<workflow_definition> versions) {
  for (auto& each : versions)
    add(std::move(each));
}

void versioned_workflow::add(workflow_definition next) {
  form made;
  std::vector<std::uint32_t> positions;
  for (const auto& step : next.steps) {
    if (!position_of(step.key))
      keys_.push_back(step.key);
    positions.push_back(*position_of(step.key));
  }
  HOLDFAST_INVARIANT(keys_.size() <= steps_per_workflow_max, "the steps of a workflow are bits");
  upstreams_.resize(keys_.size());
  sources_.resize(keys_.size());
  entered_back_.resize(keys_.size());
  made.indexes.resize(keys_.size());
  made.ways.resize(keys_.size());
  made.one_way_in.resize(keys_.size());
  made.data_apart.resize(keys_.size());

  auto places = places_in(next);
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const auto here = positions[i];
    made.indexes[here] = i;
    made.data_apart[here] = places[i].data_apart;
    for (auto& on : places[i].ways)
      for (auto& target : on.targets) {
        target.position = positions[target.position];
        sources_[target.position] |= std::uint64_t{1} << here;
        entered_back_[target.position] = entered_back_[target.position] || target.back;
      }
    for (std::uint32_t from = 0; from < places.size(); ++from)
      if ((places[i].upstreams >> from & 1) != 0)
        upstreams_[here] |= std::uint64_t{1} << positions[from];
    made.ways[here] = std::move(places[i].ways);
  }
  for (std::size_t position = 0; position < keys_.size(); ++position) {
    const auto from = sources_[position];
    made.one_way_in[position] = !entered_back_[position] && (from & (from - 1)) == 0;
  }
  made.definition = std::move(next);
  versions_.push_back(std::move(made));
}

std::optional<std::uint32_t> versioned_workflow::position_of(const std::string& key) const {
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  if (found == keys_.end())
    return std::nullopt;
  return static_cast<std::uint32_t>(found - keys_.begin());
}

const step_definition* versioned_workflow::find(std::uint32_t version,
                                                std::uint32_t position) const {
  const auto& in = versions_[version - 1];
  if (position >= in.indexes.size() || !in.indexes[position])
    return nullptr;
  return &in.definition.steps[*in.indexes[position]];
}

std::uint32_t versioned_workflow::newest(std::uint32_t position) const {
  auto version = latest();
  while (find(version, position) == nullptr)
    --version;
  return version;
}

const std::vector<way>& versioned_workflow::ways(std::uint32_t version,
                                                 std::uint32_t position) const {
  static const std::vector<way> none;
  const auto& in = versions_[version - 1];
  return position < in.ways.size() ? in.ways[position] : none;
}

bool versioned_workflow::one_way_in(std::uint32_t version, std::uint32_t position) const {
  return versions_[version - 1].one_way_in[position];
}

bool versioned_workflow::data_apart(std::uint32_t version, std::uint32_t position) const {
  return versions_[version - 1].data_apart[position];
}

lease_policies versioned_workflow::leases(std::uint32_t position) const {
  std::vector<lease_policy> by_version;
  for (std::uint32_t version = 1; version <= newest(position); ++version) {
    const auto* step = find(version, position);
    by_version.push_back(step == nullptr ? lease_policy{} : step->lease);
  }
  return lease_policies{std::move(by_version)};
}

std::vector<definition_problem> problems_of_change(const versioned_workflow& workflow,
                                                   const workflow_definition& next) {
  std::vector<definition_problem> problems;
  if (workflow.latest() >= workflow_versions_max)
    problems.push_back({"", "the workflow has taken " + std::to_string(workflow_versions_max)
                                + " forms, which is the most; make a new workflow"});
  if (next.name != workflow.definition(1).name)
    problems.push_back({"/name", "must stay '" + workflow.definition(1).name + "'"});
  if (next.steps.front().key != workflow.keys().front())
    problems.push_back({"/steps/0/key", "must stay '" + workflow.keys().front()
                                            + "': source data enters at this step"});
  auto steps = workflow.keys().size();
  for (std::size_t i = 0; i < next.steps.size(); ++i) {
    const auto& step = next.steps[i];
    if (const auto position = workflow.position_of(step.key)) {
      check_same_step(workflow.step(*position), step, place_of(i), problems);
      if (counts_judgments(step) && !history_needed(workflow, *position).judged)
        problems.push_back(
            {place_of(i) + "/routes",
             "may not begin to ask for `judged_fewer`: what contributors have "
             "judged in the step is not counted; give a step that asks another key"});
    } else {
      ++steps;
    }
  }
  if (steps > steps_per_workflow_max)
    problems.push_back({"/steps", "together with those of earlier versions these are "
                                      + std::to_string(steps) + " steps; there may be "
                                      + std::to_string(steps_per_workflow_max)});
  if (problems.empty())
    check_order(workflow, next, problems);
  return problems;
}

history_scope history_needed(const versioned_workflow& workflow, std::uint32_t position) {
  const auto& newest = workflow.step(position);
  history_scope needed{newest.test_questions.has_value(), asks_model(newest.aggregation.method)};
  for (std::uint32_t version = 1; version <= workflow.latest(); ++version)
    if (const auto* step = workflow.find(version, position))
      needed.judged = needed.judged || counts_judgments(*step);
  return needed;
}

std::map<queue_name, std::string> queues_named_in(const workflow_definition& definition) {
  std::map<queue_name, std::string> queues;
  for (std::size_t i = 0; i < definition.steps.size(); ++i)
    if (const auto& tasks = definition.steps[i].tasks)
      queues.emplace(tasks->queue, place_of(i) + "/tasks/queue");
  return queues;
}

} // namespace holdfast::core
