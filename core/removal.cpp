#include "core/removal.hpp"

#include "core/invariant.hpp"
#include "core/time_text.hpp"

namespace holdfast::core {

namespace {

std::string_view place_words(removal_scope scope) {
  switch (scope) {
  case removal_scope::step:
    return "the step";
  case removal_scope::workflow:
    return "the workflow";
  case removal_scope::everywhere:
    return "all steps";
  }
  break_invariant("removal_scope", "every value has words", __FILE__, __LINE__);
}

/// `removed from the workflow until ...`.
std::string removed_from(const removal& one) {
  std::string text{"removed from "};
  text += place_words(one.place.scope);
  if (one.until)
    text += " until " + to_rfc3339(*one.until);
  return text;
}

} // namespace

std::string_view to_string(removal_scope scope) {
  switch (scope) {
  case removal_scope::step:
    return "step";
  case removal_scope::workflow:
    return "workflow";
  case removal_scope::everywhere:
    return "everywhere";
  }
  break_invariant("removal_scope", "every value has a name", __FILE__, __LINE__);
}

bool operator==(const removal& a, const removal& b) {
  return a.contributor == b.contributor && a.place == b.place
         && a.keeps_judgments == b.keeps_judgments && a.at == b.at && a.until == b.until
         && a.reason == b.reason && a.by == b.by && a.ended_at == b.ended_at;
}

removal_place everywhere() { return {removal_scope::everywhere, {}}; }
removal_place in_workflow(const workflow_id& workflow) {
  return {removal_scope::workflow, workflow.value};
}
removal_place in_step(const step_id& step) { return {removal_scope::step, step.value}; }

bool is_active(const removal& one, instant now) {
  return !one.ended_at && (!one.until || now < *one.until);
}

removal after(const std::optional<removal>& known, const removal& said) {
  if (!said.ended_at || !known)
    return said;
  auto over = *known;
  if (!over.ended_at)
    over.ended_at = said.ended_at;
  return over;
}

bool is_about(const removal& one, const step_id& step, const workflow_id& workflow) {
  switch (one.place.scope) {
  case removal_scope::step:
    return one.place.id == step.value;
  case removal_scope::workflow:
    return one.place.id == workflow.value;
  case removal_scope::everywhere:
    return true;
  }
  return false;
}

const removal& stronger(const removal& a, const removal& b) {
  if (a.keeps_judgments != b.keeps_judgments)
    return a.keeps_judgments ? b : a;
  const auto end = [](const removal& one) { return one.until.value_or(instant::max()); };
  return end(a) < end(b) ? b : a;
}

std::vector<definition_problem> problems_of(const removal& said, instant now) {
  std::vector<definition_problem> problems;
  if (said.reason.size() > removal_reason_bytes_max)
    problems.push_back(
        {"/reason", "must have at most " + std::to_string(removal_reason_bytes_max) + " bytes"});
  if (said.until && *said.until <= now)
    problems.push_back({"/until", "must be later than now, which is " + to_rfc3339(now)});
  else if (said.until && *said.until > now + removal_time_max)
    problems.push_back({"/until", "must be within 10 years; leave it out for a removal for good"});
  return problems;
}

std::string text_of(const removal& one) {
  auto text = one.contributor + " was " + removed_from(one);
  if (!one.by.empty())
    text += " by " + one.by;
  if (!one.reason.empty())
    text += ": " + one.reason;
  return text;
}

std::string text_for_contributor(const removal& one) { return "you were " + removed_from(one); }

} // namespace holdfast::core
