// The part of `postgres_store` that is about queues that were removed.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"

namespace holdfast::persistence {

namespace {

// A program of an earlier version makes a queue again and leaves this row.
constexpr statement removed_queues{"removed_queues", R"sql(
  SELECT r.queue, r.definition, r.removed_at FROM holdfast.removed_queues r
   WHERE NOT EXISTS (SELECT FROM holdfast.queues q WHERE q.queue = r.queue)
   ORDER BY r.queue)sql"};

// Where one of them cannot be read: all without their policies, and the policy of one.

constexpr statement removed_queue_names{"removed_queue_names", R"sql(
  SELECT r.queue, r.removed_at FROM holdfast.removed_queues r
   WHERE NOT EXISTS (SELECT FROM holdfast.queues q WHERE q.queue = r.queue)
   ORDER BY r.queue)sql"};

constexpr statement removed_queue_policy{"removed_queue_policy", R"sql(
  SELECT definition FROM holdfast.removed_queues WHERE queue = $1::text)sql"};

// Finished tasks have no index by queue alone, so they are looked for only when all of them should
// be gone.
constexpr statement forget_removed_queue{"forget_removed_queue", R"sql(
  WITH gone AS (
    DELETE FROM holdfast.removed_queues r
     WHERE r.queue = $3::text AND r.removed_at < $4::timestamptz
       AND NOT EXISTS (SELECT FROM holdfast.task_intake i WHERE i.queue = r.queue)
       AND NOT EXISTS (SELECT FROM holdfast.finished_tasks f WHERE f.queue = r.queue)
    RETURNING 1)
  SELECT (SELECT count(*) FROM gone)::integer
         / (EXISTS (SELECT FROM holdfast.shard_leases
                     WHERE shard = $1::integer AND host = $2::uuid))::integer)sql"};

} // namespace

core::outcome<std::vector<removed_queue>> postgres_store::list_removed_queues() {
  const auto answer = run({{&removed_queues, {}}});
  if (!answer)
    return answer.error();
  std::vector<removed_queue> queues;
  if (!answer->failed) {
    const auto& rows = answer->results.front();
    for (std::size_t row = 0; row < rows.rows(); ++row)
      queues.push_back({rows.get<std::string>(row, 0), rows.get<std::string>(row, 1),
                        rows.get<core::instant>(row, 2)});
    return queues;
  }
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto names = ask({{&removed_queue_names, {}}});
  if (!names)
    return names.error();
  for (std::size_t row = 0; row < names->front().rows(); ++row) {
    removed_queue one{
        names->front().get<std::string>(row, 0), {}, names->front().get<core::instant>(row, 1)};
    const auto policy = ask_for_row({{&removed_queue_policy, {one.name}}});
    if (!policy && core::describe(policy.error().code).retryable)
      return policy.error();
    if (policy && policy->front().rows() > 0)
      one.definition = policy->front().get<std::string>(0, 0);
    queues.push_back(std::move(one));
  }
  return queues;
}

core::outcome<bool> postgres_store::forget_removed(core::shard_id shard,
                                                   core::incarnation_id incarnation,
                                                   const core::queue_name& queue,
                                                   core::instant removed_before) {
  const auto gone =
      pruned(run({{&forget_removed_queue,
                   {wire::scalar(static_cast<std::int32_t>(shard)), wire::scalar(incarnation.value),
                    queue, wire::scalar(removed_before)}}}));
  if (!gone)
    return gone.error();
  return *gone > 0;
}

} // namespace holdfast::persistence
