#include "core/unit_tasks.hpp"

#include "core/task_purpose.hpp"

#include <algorithm>

namespace holdfast::core {

void hand_out(unit_record& u, const task_executor& executor,
              const std::vector<contributor_id>& judges, token token_min, uuid_source& ids,
              instant now, change& changes) {
  const lease_policy patience{executor.patience, executor.patience, duration::zero()};
  for (const auto& judge : judges) {
    if (free_slots(u) == 0)
      return;
    if (barred_until(u, judge, now) > now)
      continue;
    const auto id = ids.next(now);
    u.leases.last_token = std::max(u.leases.last_token + 1, token_min) - 1;
    const auto& held = grant_lease(u.leases, patience, {id}, judge, now);
    changes.writes.push_back(insert_lease{u.id, held});
    stage_task staged;
    staged.queue = executor.queue;
    auto& spec = staged.task.spec;
    spec.id = {id};
    spec.type = executor.type;
    spec.version = "1.0";
    spec.body = u.input; // or what stands for it: its queue fetches it when it takes the task in
    spec.owner_id = owner_of({u.step, u.id});
    spec.created_at = now;
    staged.task.run_at = now;
    changes.writes.push_back(std::move(staged));
  }
}

contributor_id judge_of(const unit& u, const task_id& task) {
  for (const auto& held : u.leases.active)
    if (held.id.value == task.value && is_task_judge(held.owner))
      return held.owner;
  return {};
}

decision<contributor_id> decide(unit& u, const lease_policy& policy, const take_result& command,
                                instant now) {
  decision<contributor_id> taken;
  const auto judge = judge_of(u, command.task);
  const bool may_be_redriven =
      command.ending == task_ending::failed || command.ending == task_ending::dead;
  if (judge.empty() || may_be_redriven)
    return taken;
  const auto* held = find_lease(u.leases, judge);
  if (command.ending == task_ending::canceled || command.payload.empty()) {
    taken.changes = decide(u, policy, give_back{judge, held->token, true}, now).changes;
    taken.answer = judge;
    return taken;
  }
  // What a task says comes in time or not at all: people are asked instead.
  auto strict = policy;
  strict.late_submit = late_submit::reject;
  const auto id = command.judgment ? command.judgment : judgment_id{command.task.value};
  auto submitted =
      decide(u, strict,
             submit{judge, held->token, id, command.payload, command.answer, command.trust}, now);
  if (submitted.refusal == errc::already_exists)
    return refuse<contributor_id>(errc::already_exists, std::move(submitted.detail));
  // Its lease ran out: whoever ends it gives the slot to people.
  if (submitted.refusal != errc::none)
    return taken;
  taken.changes = std::move(submitted.changes);
  taken.answer = judge;
  return taken;
}

} // namespace holdfast::core
