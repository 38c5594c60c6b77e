#include "core/task_explanation.hpp"

#include "core/invariant.hpp"
#include "core/time_text.hpp"

namespace holdfast::core {

namespace {

std::string times(std::uint32_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

reason explain(const obstacle& closed, const task_spec& spec, const queue_policy& policy) {
  using limit = obstacle::limit;
  const auto at_once = [](std::uint32_t most) { return std::to_string(most) + " at once"; };
  const auto until = [&] { return " until " + to_rfc3339(closed.until); };
  switch (closed.which) {
  case limit::queue_running:
    return {"queue_full",
            "as many tasks of the queue are leased as may be, " + at_once(policy.running_max)};
  case limit::key_running:
    return {"key_full", "as many tasks of the key \"" + spec.key + "\" are leased as may be, "
                            + at_once(policy.running_per_key_max)};
  case limit::type_running:
    return {"type_full", "as many tasks of type " + spec.type + " are leased as may be, "
                             + at_once(rules_of(policy, spec.type).running_max)};
  case limit::queue_rate:
    return {"queue_rate", "the rate of the queue is used up" + until()};
  case limit::type_rate:
    return {"type_rate", "the rate of the type " + spec.type + " is used up" + until()};
  case limit::credential_rate:
    return {"credential_rate",
            (spec.credential.empty() ? "the rate of what names no credential"
                                     : "the rate of the credential \"" + spec.credential + "\"")
                + " is used up" + until()};
  case limit::held_off:
    return {"held_off", "the world outside asked to wait" + until()};
  }
  break_invariant("obstacle", "every limit is explained", __FILE__, __LINE__);
}

/// The past of the task that may be the reason why the task waits.
std::string history(const task_progress& p) {
  std::string text;
  const auto add = [&](std::uint32_t count, const std::string& what) {
    if (count > 0)
      text += (text.empty() ? ", after it " : " and ") + what + ' ' + times(count);
  };
  add(p.attempts, "failed");
  add(p.pauses, "was asked to come back later");
  add(p.idle_releases, "was given back without progress");
  return text;
}

void explain_lease(const lease& held, instant now, std::vector<reason>& reasons) {
  if (held.held_at(now))
    reasons.push_back({"leased", held.owner + " has it until " + to_rfc3339(held.expires_at)});
  else
    reasons.push_back({"lease_ran_out", "the lease of " + held.owner + " ran out at "
                                            + to_rfc3339(held.expires_at)
                                            + " and is about to be ended"});
}

} // namespace

std::vector<reason> explain(const queue& q, const task& t, instant now) {
  std::vector<reason> reasons;
  if (q.paused)
    reasons.push_back({"queue_paused", "its queue is paused: resume it"});
  if (q.paused_types.count(t.spec.type) != 0)
    reasons.push_back({"type_paused", "tasks of type " + t.spec.type + " are paused: resume them"});
  if (t.progress.paused)
    reasons.push_back({"paused", "it is paused: resume it"});
  if (const auto* held = t.held()) {
    explain_lease(*held, now, reasons);
    return reasons;
  }
  if (t.progress.next_action > now)
    reasons.push_back(
        {"not_due", "it is due at " + to_rfc3339(t.progress.next_action) + history(t.progress)});
  for (const auto& closed : q.ready.obstacles(q.policy, t.spec, now))
    reasons.push_back(explain(closed, t.spec, q.policy));
  if (is_suspect(q.policy, t.spec.type, t.progress.crashes))
    reasons.push_back({"suspect", "its workers died " + times(t.progress.crashes)
                                      + ": it goes to one that holds no other such task"});
  if (const auto ahead = q.ready.ahead_of(t); ahead > 0)
    reasons.push_back(
        {"behind", std::to_string(ahead) + " of the same key, type and credential go before it"});
  if (reasons.empty())
    reasons.push_back({"waiting", "it waits for a worker that knows the type " + t.spec.type
                                      + " to ask, and for the turns of other keys"});
  return reasons;
}

std::vector<reason> explain(task_ending ending, const task_error& error, instant finished_at) {
  const auto when = " at " + to_rfc3339(finished_at);
  const auto why = error.code.empty() ? std::string{} : ": " + error.code;
  switch (ending) {
  case task_ending::completed:
    return {{"completed", "it was completed" + when}};
  case task_ending::failed:
    return {{"failed", "its worker said" + when + " that trying again cannot help" + why}};
  case task_ending::canceled:
    return {{"canceled", "it was canceled" + when}};
  case task_ending::dead:
    return {{"dead", "it is a dead letter since " + to_rfc3339(finished_at) + why
                         + "; redrive it when the cause is mended"}};
  }
  break_invariant("task_ending", "every ending is explained", __FILE__, __LINE__);
}

} // namespace holdfast::core
