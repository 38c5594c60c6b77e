#include "core/workflow.hpp"

#include "core/invariant.hpp"
#include "core/queue_policy.hpp"
#include "core/review.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace holdfast::core {

namespace {

bool well_formed_key(const std::string& key) {
  return !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

void check_aggregation(const aggregation_policy& policy, const std::string& place,
                       std::vector<definition_problem>& problems) {
  const auto& labels = policy.labels;
  const bool needs_labels =
      policy.method == aggregation_method::weighted_log_odds || asks_model(policy.method);
  if (needs_labels && labels.size() < 2)
    problems.push_back({place + "/labels", "must list every answer, at least two: "
                                               + std::string{to_string(policy.method)}
                                               + " must know what else could have been said"});
  else if (!labels.empty() && (labels.size() < 2 || labels.size() > labels_max))
    problems.push_back({place + "/labels", "must list from 2 to " + std::to_string(labels_max)
                                               + " answers, or be left out"});
  std::set<std::string> listed;
  for (const auto& label : labels)
    if (!listed.insert(label).second) {
      problems.push_back({place + "/labels", "must not list the answer '" + label + "' twice"});
      break;
    }
  if (policy.method == aggregation_method::review && !labels.empty())
    problems.push_back({place + "/labels", "must be left out: the answers of a review are approve, "
                                           "correct and reject"});
}

/// The routes of a step; its `next` is one that takes every unit.
std::vector<route> routes_of(const step_definition& step) {
  if (step.next.empty())
    return step.routes;
  route all;
  all.to = step.next;
  return {all};
}

/// Marks what leads back, and notes at each step what leads there otherwise. Not recursive, because
/// the depth is up to the definition.
void explore(std::vector<step_place>& places) {
  enum class state { unseen, on_path, done };
  std::vector<state> seen(places.size(), state::unseen);
  struct frame {
    std::uint32_t position;
    std::size_t way = 0;
    std::size_t target = 0;
  };
  std::vector<frame> path{{0}};
  seen[0] = state::on_path;
  while (!path.empty()) {
    auto& at = path.back();
    auto& ways = places[at.position].ways;
    if (at.way == ways.size()) {
      seen[at.position] = state::done;
      path.pop_back();
      continue;
    }
    auto& targets = ways[at.way].targets;
    if (at.target == targets.size()) {
      ++at.way;
      at.target = 0;
      continue;
    }
    auto& target = targets[at.target++];
    if (seen[target.position] == state::on_path) {
      target.back = true;
      continue;
    }
    places[target.position].upstreams |= std::uint64_t{1} << at.position;
    if (seen[target.position] == state::unseen) {
      seen[target.position] = state::on_path;
      path.push_back({target.position});
    }
  }
}

/// Marks where the data of what the items of one list became may differ. A list ends with the step
/// that gathers it.
void mark_data_apart(const std::vector<step_definition>& steps, std::vector<step_place>& places) {
  std::vector<bool> in_list(places.size(), false);
  const auto reach = [&](const way& on, std::size_t from, const way_target& to) {
    const bool listed = in_list[from] && !steps[from].gather;
    const bool splits = on.rule.for_each && !to.back;
    const bool was_apart = !splits && listed && places[from].data_apart;
    const bool apart = was_apart || ((splits || listed) && !on.rule.input.empty());
    auto& there = places[to.position];
    const bool news = (apart && !there.data_apart) || ((splits || listed) && !in_list[to.position]);
    there.data_apart = there.data_apart || apart;
    in_list[to.position] = in_list[to.position] || splits || listed;
    return news;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < places.size(); ++i)
      for (const auto& on : places[i].ways)
        for (const auto& target : on.targets)
          more = reach(on, i, target) || more;
  }
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
  if (const auto& test = policy.taint.sequential) {
    if (!is_share(test->good))
      problems.push_back({place + "/sequential/good", "must be between 0 and 1"});
    if (!is_share(test->bad))
      problems.push_back({place + "/sequential/bad", "must be between 0 and 1"});
    if (!(test->bad < test->good))
      problems.push_back({place + "/sequential/bad", "must be less than `good`"});
  }
}

void check_share(const std::optional<double>& share, const std::string& place,
                 std::vector<definition_problem>& problems) {
  if (share && !(*share > 0 && *share <= 1))
    problems.push_back({place, "must be above 0 and at most 1"});
}

/// What the answers named by a route must be among; empty: anything.
std::vector<std::string> answers_known(const step_definition& step) {
  return step.aggregation.method == aggregation_method::review ? verdict_names()
                                                               : step.aggregation.labels;
}

void check_answers(const std::vector<std::string>& answers, const step_definition& step,
                   const std::string& place, std::vector<definition_problem>& problems) {
  const auto known = answers_known(step);
  for (const auto& answer : answers)
    if (!known.empty() && std::find(known.begin(), known.end(), answer) == known.end())
      problems.push_back({place, "'" + answer + "' is none of the answers that the step knows"});
}

std::string below(std::string place, const std::string& name) {
  place += '/';
  for (const char c : name)
    if (c == '~' || c == '/')
      place += c == '~' ? "~0" : "~1";
    else
      place += c;
  return place;
}

/// Whether all that `inner` leads to is part of what `outer` does.
bool holds(const std::string& outer, const std::string& inner) {
  return inner.compare(0, outer.size(), outer) == 0
         && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

/// That nothing is there twice keeps inputs from growing with each step.
void check_input(const std::vector<input_member>& input, const std::string& place,
                 std::vector<definition_problem>& problems) {
  if (input.size() > input_members_max) {
    problems.push_back(
        {place, "must have at most " + std::to_string(input_members_max) + " members"});
    return;
  }
  for (const auto& member : input) {
    const auto here = below(place, member.name);
    if (member.name.empty() || member.name.size() > input_name_bytes_max)
      problems.push_back(
          {here, "must have a name of 1 to " + std::to_string(input_name_bytes_max) + " bytes"});
    if (!member.pointer.empty() && member.pointer.front() != '/')
      problems.push_back({here, "must be a JSON pointer such as /data/text"});
    const auto twice = std::find_if(input.begin(), input.end(), [&](const auto& other) {
      return holds(other.pointer, member.pointer)
             && (other.pointer != member.pointer || &other < &member);
    });
    if (twice != input.end())
      problems.push_back({here, "leads to what '" + twice->name + "' has already"});
  }
}

void check_input_condition(const input_condition& asked, const std::string& place,
                           std::vector<definition_problem>& problems) {
  const auto most = std::to_string(input_condition_bytes_max);
  if (asked.pointer.empty() || asked.pointer.front() != '/'
      || asked.pointer.size() > input_condition_bytes_max)
    problems.push_back({place, "must be named by a JSON pointer such as /data/language, of at most "
                                   + most + " bytes"});
  const bool bounded = asked.at_least || asked.below;
  if (asked.values.empty() && !bounded)
    problems.push_back({place, "must be a value, a list of them, or {\"at_least\": …, \"below\": "
                               "…}"});
  if (asked.values.size() > input_condition_values_max)
    problems.push_back(
        {place, "must list at most " + std::to_string(input_condition_values_max) + " values"});
  for (const auto& value : asked.values)
    if (value.size() > input_condition_bytes_max)
      problems.push_back({place, "must list values of at most " + most + " bytes"});
  if (asked.at_least && asked.below && !(*asked.at_least < *asked.below))
    problems.push_back({place + "/below", "must be greater than `at_least`"});
}

void check_route(const step_definition& step, std::size_t index, const std::string& place,
                 std::vector<definition_problem>& problems) {
  const auto& rule = step.routes[index];
  check_answers(rule.when.answers, step, place + "/when/answer", problems);
  check_answers(rule.when.other_answers, step, place + "/when/answer_not", problems);
  check_share(rule.when.confidence_below, place + "/when/confidence_below", problems);
  check_share(rule.when.agreement_below, place + "/when/agreement_below", problems);
  check_share(rule.when.trust_below, place + "/when/trust_below", problems);
  check_share(rule.when.sample, place + "/when/sample", problems);
  if (const auto& times = rule.when.sent_back; times && (*times < 1 || *times > loops_max))
    problems.push_back(
        {place + "/when/sent_back", "must be between 1 and " + std::to_string(loops_max)});
  if (const auto& units = rule.when.judged_fewer;
      units && (*units < 1 || *units > judged_fewer_max))
    problems.push_back({place + "/when/judged_fewer",
                        "must be between 1 and " + std::to_string(judged_fewer_max)});
  if (rule.when.input.size() > input_conditions_max)
    problems.push_back({place + "/when/input",
                        "must have at most " + std::to_string(input_conditions_max) + " members"});
  for (const auto& asked : rule.when.input)
    check_input_condition(asked, below(place + "/when/input", asked.pointer), problems);
  if (rule.loops_max < 1 || rule.loops_max > loops_max)
    problems.push_back(
        {place + "/loops_max", "must be between 1 and " + std::to_string(loops_max)});
  check_input(rule.input, place + "/input", problems);
  if (takes_every_unit(rule) && index + 1 < step.routes.size())
    problems.push_back(
        {place, "takes every unit, so that the routes after it are never looked at"});
}

void check_tasks(const step_definition& step, const std::string& place,
                 std::vector<definition_problem>& problems) {
  const auto& tasks = *step.tasks;
  if (!is_queue_name(tasks.queue)) {
    problems.push_back({place + "/queue", "must be 1 to 64 characters of a-z, 0-9, _, . and -"});
    return;
  }
  const auto slots = std::min(first_slots(step), task_judgments_max);
  if (tasks.judgments < 1 || tasks.judgments > slots) {
    problems.push_back({place + "/judgments", "must be between 1 and the first slots of a unit, "
                                              "here "
                                                  + std::to_string(slots)});
    return;
  }
  // They judge under a name that is made of both.
  const auto longest = task_judges({tasks.queue, {}, task_judgments_max}).back().size();
  if (const auto room = contributor_id_bytes_max - longest;
      tasks.type.empty() || tasks.type.size() > room)
    problems.push_back({place + "/type", "must have from 1 to " + std::to_string(room)
                                             + " bytes, beside this name of the queue"});
  if (tasks.patience < std::chrono::seconds{1} || tasks.patience > patience_max)
    problems.push_back(
        {place + "/patience_seconds", "must be between 1 and 31536000, which is a year"});
}

void check_gather(const step_definition& step, const std::string& place,
                  std::vector<definition_problem>& problems) {
  const auto& policy = *step.gather;
  if (policy.by == gather_by::count && (policy.size < 2 || policy.size > batch_units_max))
    problems.push_back(
        {place + "/size", "must be between 2 and " + std::to_string(batch_units_max)});
  if (policy.by == gather_by::list && policy.size != 0)
    problems.push_back({place + "/size", "must be left out: a list has as many as it has"});
  if (step.aggregation.method == aggregation_method::review)
    problems.push_back({place, "excludes a review, which is of one result"});
}

void check_step(const step_definition& step, const std::string& place,
                std::vector<definition_problem>& problems) {
  if (!well_formed_key(step.key))
    problems.push_back({place + "/key", "must be 1 to 64 characters of a-z, 0-9, _ and -"});
  if (step.priority < -step_priority_max || step.priority > step_priority_max)
    problems.push_back({place + "/priority", "must be between -" + std::to_string(step_priority_max)
                                                 + " and " + std::to_string(step_priority_max)});
  if (step.ui.size() > ui_bytes_max)
    problems.push_back(
        {place + "/ui", "must be at most " + std::to_string(ui_bytes_max) + " bytes"});
  if (has_control_characters(step.ui))
    problems.push_back({place + "/ui", "must not hold control characters"});
  for (auto& problem : problems_of(step.asks))
    problems.push_back({place + "/requirements" + problem.place, std::move(problem.what)});
  if (step.correct_within
      && (*step.correct_within < std::chrono::seconds{1}
          || *step.correct_within > correct_within_max))
    problems.push_back({place + "/correct_within_seconds", "must be between 1 and 31536000"});
  if (step.judgments_per_unit < 1 || step.judgments_per_unit > judgments_per_unit_max)
    problems.push_back({place + "/judgments_per_unit",
                        "must be between 1 and " + std::to_string(judgments_per_unit_max)});
  for (const auto& [member, rate] :
       {std::pair{"per_second", step.assignment_rate.per_second},
        std::pair{"per_contributor_per_minute", step.assignment_rate.per_contributor_per_minute}})
    if (rate != 0 && !(rate >= assignment_rate_least && rate <= assignment_rate_most))
      problems.push_back({place + "/assignment_rate/" + member, "must be between 0.1 and 100000"});
  for (auto& problem : problems_of(step.units_per_contributor))
    problems.push_back({place + "/units_per_contributor" + problem.place, std::move(problem.what)});
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
  if (step.aggregation.method == aggregation_method::gold_selected && !step.test_questions)
    problems.push_back(
        {place + "/aggregation/method", "gold_selected needs test_questions, by which it selects"});
  if (!step.correction_pointer.empty() && step.correction_pointer.front() != '/')
    problems.push_back(
        {place + "/aggregation/correction", "must be a JSON pointer such as /answer"});
  if (!step.next.empty() && !step.routes.empty())
    problems.push_back({place + "/routes", "excludes next: routes say all of it"});
  if (step.routes.size() > routes_per_step_max)
    problems.push_back(
        {place + "/routes", "must be at most " + std::to_string(routes_per_step_max)});
  for (std::size_t i = 0; i < step.routes.size(); ++i)
    check_route(step, i, place + "/routes/" + std::to_string(i), problems);
  if (step.test_questions)
    check_test_questions(*step.test_questions, place + "/test_questions", problems);
  if (step.tasks)
    check_tasks(step, place + "/tasks", problems);
  if (step.gather)
    check_gather(step, place + "/gather", problems);
}

void check_targets(const workflow_definition& definition, const std::vector<std::string>& to,
                   const std::string& place, std::vector<definition_problem>& problems) {
  std::set<std::string> named;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto here = place + "/" + std::to_string(i);
    if (!position_of(definition, to[i]))
      problems.push_back({here, "no step has the key '" + to[i] + "'"});
    else if (!named.insert(to[i]).second)
      problems.push_back({here, "names '" + to[i] + "' twice"});
  }
}

/// By step, all from which a unit may come to it, also over others.
std::vector<std::uint64_t> all_upstreams(const std::vector<step_place>& places) {
  std::vector<std::uint64_t> all;
  for (const auto& place : places)
    all.push_back(place.upstreams);
  for (bool more = true; more;) {
    more = false;
    for (auto& mine : all) {
      const auto before = mine;
      for (std::size_t i = 0; i < all.size(); ++i)
        if ((mine >> i & 1) != 0)
          mine |= all[i];
      more = more || mine != before;
    }
  }
  return all;
}

/// What was one chain and became part of a batch cannot be sent back by itself.
void check_ways_back(const workflow_definition& definition, const std::vector<step_place>& places,
                     std::vector<definition_problem>& problems) {
  const auto upstreams = all_upstreams(places);
  const auto leads_to = [&](std::size_t from, std::size_t to) {
    return (upstreams[to] >> from & 1) != 0;
  };
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t w = 0; w < places[i].ways.size(); ++w)
      for (const auto& target : places[i].ways[w].targets)
        for (std::size_t over = 0; target.back && over < places.size(); ++over)
          if (definition.steps[over].gather && leads_to(target.position, over)
              && (over == i || leads_to(over, i)))
            problems.push_back({"/steps/" + std::to_string(i) + "/routes/" + std::to_string(w),
                                "leads back over '" + definition.steps[over].key
                                    + "', which gathers units of several chains"});
}

/// What comes into a step from another is put together by us. In the first one it is what somebody
/// hands in.
void check_input_asked(const step_definition& step, const std::string& place,
                       std::vector<definition_problem>& problems) {
  for (std::size_t r = 0; r < step.routes.size(); ++r)
    for (const auto& asked : step.routes[r].when.input)
      if (!holds("/data", asked.pointer) && !holds("/item", asked.pointer)
          && !holds("/result", asked.pointer))
        problems.push_back(
            {below(place + "/routes/" + std::to_string(r) + "/when/input", asked.pointer),
             "leads nowhere: what comes from another step has `data`, `item` and `result`"});
}

/// The rules about the steps together.
void check_graph(const workflow_definition& definition, std::vector<definition_problem>& problems) {
  const auto places = places_in(definition);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& step = definition.steps[i];
    const auto place = "/steps/" + std::to_string(i);
    if (i > 0 && places[i].upstreams == 0)
      problems.push_back({place, "no step leads here from the first"});
    if (i > 0)
      check_input_asked(step, place, problems);
    for (std::size_t w = 0; w < places[i].ways.size(); ++w) {
      const auto& on = places[i].ways[w];
      for (const auto& target : on.targets)
        if (target.back && takes_every_unit(on.rule))
          problems.push_back(
              {place + (step.next.empty() ? "/routes/" + std::to_string(w) : "/next"),
               "leads every unit back to '" + definition.steps[target.position].key
                   + "'; a way back needs a condition"});
    }
  }
  check_ways_back(definition, places, problems);
  if (definition.steps[0].gather)
    problems.push_back(
        {"/steps/0/gather", "is for steps after another one: source data comes in row by row"});
  if (definition.steps[0].aggregation.method == aggregation_method::review)
    problems.push_back({"/steps/0/aggregation/method",
                        "review needs the result of a step before it; this is the first"});
}

} // namespace

std::uint32_t first_slots(const step_definition& step) {
  return step.aggregation.stopping ? first_slots(*step.aggregation.stopping)
                                   : step.judgments_per_unit;
}

aggregation_method default_method(const step_definition& step) {
  const auto& how = step.aggregation;
  const bool selects =
      step.test_questions && how.labels.size() >= 2 && !(how.stopping && how.stopping->curtail);
  return selects ? aggregation_method::gold_selected : aggregation_method::majority;
}

bool goes_by_trust(const step_definition& step) {
  const auto method = step.aggregation.method;
  return step.trust_from.named || method == aggregation_method::weighted
         || method == aggregation_method::weighted_log_odds
         || std::any_of(step.routes.begin(), step.routes.end(),
                        [](const route& one) { return one.when.trust_below.has_value(); });
}

bool counts_judgments(const step_definition& step) {
  return std::any_of(step.routes.begin(), step.routes.end(),
                     [](const route& rule) { return rule.when.judged_fewer.has_value(); });
}

std::optional<std::uint32_t> position_of(const workflow_definition& definition,
                                         const std::string& key) {
  for (std::uint32_t i = 0; i < definition.steps.size(); ++i)
    if (definition.steps[i].key == key)
      return i;
  return std::nullopt;
}

std::vector<step_place> places_in(const workflow_definition& definition) {
  const auto& steps = definition.steps;
  std::vector<step_place> places(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const auto& rule : routes_of(steps[i])) {
      way on{rule, {}};
      for (const auto& key : rule.to)
        on.targets.push_back({*position_of(definition, key), false});
      places[i].ways.push_back(std::move(on));
    }
  if (!steps.empty())
    explore(places);
  std::vector<std::uint64_t> sources(places.size(), 0);
  std::vector<bool> back(places.size(), false);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const auto& on : places[i].ways)
      for (const auto& target : on.targets) {
        sources[target.position] |= std::uint64_t{1} << i;
        back[target.position] = back[target.position] || target.back;
      }
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i].one_way_in = !back[i] && (sources[i] & (sources[i] - 1)) == 0;
  mark_data_apart(steps, places);
  return places;
}

std::string_view to_string(job_start starts) {
  switch (starts) {
  case job_start::at_once:
    return "at_once";
  case job_start::when_launched:
    return "when_launched";
  }
  break_invariant("job_start", "every value has a name", __FILE__, __LINE__);
}

std::optional<job_start> job_start_named(std::string_view name) {
  for (const auto starts : {job_start::at_once, job_start::when_launched})
    if (name == to_string(starts))
      return starts;
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
  for (std::size_t i = 0; i < definition.steps.size(); ++i) {
    const auto& step = definition.steps[i];
    const auto place = "/steps/" + std::to_string(i);
    check_step(step, place, problems);
    if (!keys.insert(step.key).second)
      problems.push_back({place + "/key", "'" + step.key + "' is the key of an earlier step"});
    check_targets(definition, step.next, place + "/next", problems);
    for (std::size_t r = 0; r < step.routes.size(); ++r)
      check_targets(definition, step.routes[r].to, place + "/routes/" + std::to_string(r) + "/to",
                    problems);
  }
  // Tasks of new units are made with them, and whoever claims one does not ask for the step.
  if (definition.starts == job_start::when_launched && !definition.steps.empty()
      && definition.steps.front().tasks)
    problems.push_back({"/starts", "must be at_once where tasks judge the first step: they would"
                                   " not wait for the launch"});
  if (problems.empty())
    check_graph(definition, problems);
  return problems;
}

} // namespace holdfast::core
