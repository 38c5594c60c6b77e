#include "core/workflow_warnings.hpp"

#include "core/invariant.hpp"
#include "core/look_alike.hpp"
#include "core/quality/trust.hpp"
#include "core/review.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

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
                    std::vector<definition_warning>& warnings) {
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
          {warning::rejected_goes_on,
           place + (step.next.empty() ? "/routes/" + std::to_string(w) : "/next"),
           "takes rejected results as well, which go on as they were: name the answers that it is "
           "for in `when`"});
  }
  if (!taken_always)
    warnings.push_back(
        {taken_back ? warning::rejected_ends_after_loops : warning::rejected_ends, place,
         taken_back ? "ends without a result where it rejects one that was sent back `loops_max` "
                      "times: a last route for `reject` says where such items go"
                    : "ends without a result where it rejects one: a route for `reject` says where "
                      "such items go"});
}

void check_reviewers(const step_definition& review, const std::string& place,
                     std::vector<definition_warning>& warnings) {
  const auto reviewers = first_slots(review);
  if (!review.aggregation.stopping && reviewers % 2 == 0)
    warnings.push_back({warning::review_may_tie, place + "/judgments_per_unit",
                        "is even: where half of the reviewers reject, the result is rejected; ask "
                        "for an odd number"});
}

void check_own_work(const workflow_definition& definition, const step_place& at,
                    const std::string& place, std::vector<definition_warning>& warnings) {
  for (std::size_t w = 0; w < at.ways.size(); ++w)
    for (const auto& target : at.ways[w].targets)
      if (at.ways[w].rule.exclude_judges == false && is_review(definition.steps[target.position]))
        warnings.push_back(
            {warning::own_work_reviewed, place + "/routes/" + std::to_string(w) + "/exclude_judges",
             "lets people review their own work in '" + definition.steps[target.position].key
                 + "'; leave it out unless one person does all"});
}

/// A program that judges a result tends to approve what it has made.
void check_own_program(const workflow_definition& definition, std::size_t index,
                       const step_place& at, std::vector<definition_warning>& warnings) {
  const auto& made_by = definition.steps[index].tasks;
  for (const auto& on : at.ways)
    for (const auto& target : on.targets) {
      const auto& review = definition.steps[target.position];
      if (made_by && is_review(review) && review.tasks && review.tasks->queue == made_by->queue
          && review.tasks->type == made_by->type)
        warnings.push_back({warning::program_reviews_itself,
                            "/steps/" + std::to_string(target.position) + "/tasks",
                            "are of the type that judges '" + definition.steps[index].key
                                + "', whose results they review; name another type"});
    }
}

void check_trust(const step_definition& step, const std::string& place,
                 std::vector<definition_warning>& warnings) {
  if (step.test_questions)
    return;
  constexpr auto remedy = ": without test questions everybody is trusted alike, unless their "
                          "profile says otherwise; add `test_questions`";
  for (std::size_t r = 0; r < step.routes.size(); ++r)
    if (step.routes[r].when.trust_below)
      warnings.push_back({warning::trust_unknown,
                          place + "/routes/" + std::to_string(r) + "/when/trust_below",
                          std::string{"asks for the trust of contributors"} + remedy});
  const auto method = step.aggregation.method;
  if (method == aggregation_method::weighted || method == aggregation_method::weighted_log_odds)
    warnings.push_back({warning::trust_unknown, place + "/aggregation/method",
                        std::string{"weighs votes by trust"} + remedy});
}

/// More pairs tell nothing new.
constexpr std::size_t alike_shown_max = 8;

void check_labels(const step_definition& step, const std::string& place,
                  std::vector<definition_warning>& warnings) {
  const auto& labels = step.aggregation.labels;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t k = i + 1; k < labels.size() && shown < alike_shown_max; ++k) {
      const auto how = likeness_of(labels[i], labels[k]);
      if (how == likeness::none)
        continue;
      ++shown;
      warnings.push_back(
          {warning::labels_alike, place + "/aggregation/labels",
           "list '" + labels[i] + "' and '" + labels[k] + "', which "
               + (how == likeness::letters ? "differ in case, blanks or dots at the end alone"
                                           : "differ in characters that look alike")
               + ": they count as two answers; keep one of them, or name them apart"});
    }
}

std::string as_share(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// The greatest share that an answer can have with `votes` judgments, all alike. None: it depends
/// on what the step learns of its contributors.
std::optional<double> greatest_share(const step_definition& step, std::uint32_t votes) {
  const auto& how = step.aggregation;
  if (how.method == aggregation_method::majority || how.method == aggregation_method::review
      || how.method == aggregation_method::weighted)
    return 1.0;
  if (how.method == aggregation_method::weighted_log_odds && !step.test_questions) {
    const auto right = quality::trust{}.mean();
    const auto others = static_cast<double>(how.labels.size()) - 1;
    const auto odds = std::pow(right * others / (1 - right), votes);
    return odds / (odds + others);
  }
  return std::nullopt;
}

void check_stopping(const step_definition& step, const std::string& place,
                    std::vector<definition_warning>& warnings) {
  const auto& rule = step.aggregation.stopping;
  if (!rule || !rule->stop_at)
    return;
  const auto at = place + "/stopping/stop_at";
  if (rule->min == rule->max) {
    warnings.push_back({warning::stops_never, at,
                        "changes nothing: a unit has all its judgments when `min` of them are "
                        "there; make `max` greater"});
    return;
  }
  if (rule->curtail && rule->max == 1)
    return;
  const auto most = greatest_share(step, rule->max - 1);
  const bool certainty = !most && *rule->stop_at >= 1;
  if (certainty || (most && *most < *rule->stop_at)) {
    warnings.push_back(
        {warning::stops_never, at,
         certainty ? "is never reached, as a model is never certain: each unit takes `max` "
                     "judgments; ask for less, such as 0.95"
                   : "is never reached: judgments that all agree come to " + as_share(*most)
                         + " before the last one, as nobody's trust is known; ask for less, or "
                           "add `test_questions`"});
    return;
  }
  const auto first = greatest_share(step, 1);
  if (rule->min == 1 && first && *first >= *rule->stop_at)
    warnings.push_back({warning::stops_at_first, place + "/stopping/min",
                        "lets each unit stop at its first judgment, whose answer has all votes; "
                        "ask for 2 at least"});
}

/// A bound on each contributor that asks for many people, or ends their work before they are known.
void check_cap(const step_definition& step, const std::string& place,
               std::vector<definition_warning>& warnings) {
  const auto& cap = step.units_per_contributor;
  const auto needed = people_needed(cap, step.judgments_per_unit);
  if (cap.share > 0 && cap.share * step.judgments_per_unit < 1)
    warnings.push_back({warning::cap_needs_people, place + "/units_per_contributor/share",
                        "asks for " + std::to_string(needed)
                            + " contributors at least: with fewer the step does not end"});
  if (step.test_questions && cap.count > 0 && cap.count <= step.test_questions->placement.quiz)
    warnings.push_back({warning::cap_within_quiz, place + "/units_per_contributor/count",
                        "is used up by the quiz, whose questions count as units do: nobody judges "
                        "any other unit"});
}

} // namespace

const std::vector<warning_kind>& warning_kinds() {
  static const std::vector<warning_kind> kinds{
      {warning::own_work_reviewed, "own_work_reviewed",
       "a route into a review says `\"exclude_judges\": false`, so people may review their own "
       "work"},
      {warning::program_reviews_itself, "program_reviews_itself",
       "the tasks of a review have the queue and type of those that judge the reviewed step"},
      {warning::review_may_tie, "review_may_tie",
       "the number of reviewers is even: a tie rejects the result"},
      {warning::rejected_goes_on, "rejected_goes_on",
       "a route takes rejected results as well as others"},
      {warning::rejected_ends, "rejected_ends",
       "no route takes rejected results: such items end without a result"},
      {warning::rejected_ends_after_loops, "rejected_ends_after_loops",
       "results that are rejected past `loops_max` end without a result"},
      {warning::trust_unknown, "trust_unknown",
       "the method or `trust_below` goes by trust, and the step has no `test_questions`"},
      {warning::labels_alike, "labels_alike",
       "two labels differ in case, blanks, dots at the end, or characters that look alike"},
      {warning::stops_at_first, "stops_at_first",
       "the first judgment of a unit reaches `stop_at` by itself"},
      {warning::stops_never, "stops_never", "`stop_at` is never reached before the last judgment"},
      {warning::answer_not_in_schema, "answer_not_in_schema",
       "`judgment_schema` refuses the answer's field, or has none: a form made of it cannot ask"},
      {warning::label_not_in_schema, "label_not_in_schema",
       "`judgment_schema` refuses a label: nobody can give this answer"},
      {warning::value_not_a_label, "value_not_a_label",
       "`judgment_schema` lists an answer that is no label: a judgment with it is refused"},
      {warning::lease_below_median, "lease_below_median",
       "half of the step's judgments took longer than its lease lives (of an update)"},
      {warning::cap_needs_people, "cap_needs_people",
       "the share in `units_per_contributor` ends the work of everybody before the step is done"},
      {warning::cap_within_quiz, "cap_within_quiz",
       "the count in `units_per_contributor` is used up by the quiz"},
  };
  return kinds;
}

std::string_view code_of(warning what) {
  for (const auto& kind : warning_kinds())
    if (kind.what == what)
      return kind.code;
  break_invariant("warning", "every value has a row in the table", __FILE__, __LINE__);
}

std::vector<definition_warning> warnings_of(const workflow_definition& definition) {
  std::vector<definition_warning> warnings;
  const auto places = places_in(definition);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& step = definition.steps[i];
    const auto place = "/steps/" + std::to_string(i);
    check_own_work(definition, places[i], place, warnings);
    check_cap(step, place, warnings);
    check_own_program(definition, i, places[i], warnings);
    check_trust(step, place, warnings);
    check_labels(step, place, warnings);
    check_stopping(step, place, warnings);
    if (!is_review(step))
      continue;
    check_reviewers(step, place, warnings);
    check_rejected(step, places[i], place, warnings);
  }
  return warnings;
}

std::vector<definition_warning> warnings_of_lease(const step_definition& step, std::size_t index,
                                                  std::optional<duration> median) {
  const auto longest = step.lease.total_max;
  const bool extended = longest > step.lease.ttl;
  if (!median || *median < step.lease.ttl)
    return {};
  const auto seconds = [](duration value) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(value).count());
  };
  return {{warning::lease_below_median, "/steps/" + std::to_string(index) + "/lease/ttl_seconds",
           "is less than the " + seconds(*median) + " s that half of the judgments here took"
               + (extended ? ": people who do not extend their lease lose their work"
                           : ": most people would lose their work")
               + "; give it more"}};
}

} // namespace holdfast::core
