// The part of `postgres_store` that is about tasks which producers stage by SQL.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

using reads::int2;
using reads::int4;
using reads::int8;

// One look into the index for each queue that has something, and one that finds no more: not all
// rows of a queue that is behind. A row of no queue is nobody's to take; `holdfast verify` tells.
constexpr statement queues_with_staged_rows{"queues_with_staged_rows", R"sql(
  WITH RECURSIVE waiting (queue) AS (
    (SELECT queue FROM holdfast.task_intake WHERE refused_at IS NULL ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT i.queue FROM holdfast.task_intake i
             WHERE i.refused_at IS NULL AND i.queue > w.queue ORDER BY i.queue LIMIT 1)
      FROM waiting w WHERE w.queue IS NOT NULL)
  SELECT queue FROM waiting JOIN holdfast.queues USING (queue))sql"};

// The lengths are of the documents as they will be, without unpacking them.
constexpr statement staged_of_queue{"staged_of_queue", R"sql(
  SELECT i.intake_id, i.task_id, i.type, i.version, i.body, i.state, i.data, i.priority, i.key,
         i.credential, i.unique_key, i.reject_duplicate, i.max_attempts, i.run_at, i.owner_id,
         i.run_as_id, i.trace_id, i.span_id, coalesce(k.queue, ''), i.rows
    FROM (SELECT p.*, count(*) OVER () AS rows,
                 sum(octet_length(body) + octet_length(data)) OVER (ORDER BY intake_id)
                 - octet_length(body) - octet_length(data) AS bytes_before
            FROM (SELECT * FROM holdfast.task_intake
                   WHERE queue = $1::text AND refused_at IS NULL
                   ORDER BY intake_id LIMIT $2::integer) p) i
    LEFT JOIN LATERAL (SELECT l.queue FROM holdfast.tasks l WHERE l.task_id = i.task_id
                       UNION ALL
                       SELECT f.queue FROM holdfast.finished_tasks f WHERE f.task_id = i.task_id
                       LIMIT 1) k ON true
   WHERE i.bytes_before < $3::bigint OR i.bytes_before = 0
   ORDER BY i.intake_id)sql"};

constexpr statement set_limits{"set_limits", R"sql(
  WITH told AS (
    UPDATE holdfast.cluster SET payload_bytes = $1::integer, json_depth = $2::integer
     WHERE payload_bytes IS DISTINCT FROM $1::integer OR json_depth IS DISTINCT FROM $2::integer)
  SELECT count(*)::integer FROM holdfast.cluster)sql"};

constexpr statement prune_refused_rows{"prune_refused_rows", R"sql(
  WITH gone AS (
    DELETE FROM holdfast.task_intake
     WHERE intake_id = ANY (ARRAY(SELECT intake_id FROM holdfast.task_intake
                                   WHERE queue = $3::text AND refused_at < $4::timestamptz
                                   LIMIT $5::integer))
    RETURNING 1)
  SELECT count(*)::integer
         / (EXISTS (SELECT FROM holdfast.shard_leases
                     WHERE shard = $1::integer AND host = $2::uuid))::integer
    FROM gone)sql"};

core::new_task read_new_task(const query_result& r, std::size_t row) {
  core::new_task task;
  auto& spec = task.spec;
  spec.id = {r.get<core::uuid>(row, 1)};
  spec.type = r.get<std::string>(row, 2);
  spec.version = r.get<std::string>(row, 3);
  spec.body = r.get<std::string>(row, 4);
  task.state = r.get<std::string>(row, 5);
  task.data = r.get<std::string>(row, 6);
  spec.priority = r.get<int2>(row, 7);
  spec.key = r.get<std::string>(row, 8);
  spec.credential = r.get<std::string>(row, 9);
  spec.unique_key = r.get<std::string>(row, 10);
  task.conflict = r.get<bool>(row, 11) ? core::on_conflict::reject : core::on_conflict::keep;
  spec.max_attempts = reads::u32(r, row, 12);
  if (!r.is_null(row, 13))
    task.run_at = r.get<core::instant>(row, 13);
  spec.owner_id = r.get<std::string>(row, 14);
  spec.run_as_id = r.get<std::string>(row, 15);
  spec.trace_id = r.get<std::string>(row, 16);
  spec.span_id = r.get<std::string>(row, 17);
  return task;
}

} // namespace

core::outcome<std::vector<core::queue_name>> postgres_store::queues_with_staged() {
  const auto answer = ask({{&queues_with_staged_rows, {}}});
  if (!answer)
    return answer.error();
  const auto& rows = answer->front();
  std::vector<core::queue_name> queues;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    queues.push_back(rows.get<std::string>(row, 0));
  return queues;
}

core::outcome<staged_page> postgres_store::load_staged(const core::queue_name& queue,
                                                       std::uint32_t limit,
                                                       std::size_t bytes_most) {
  const auto answer =
      ask({{&staged_of_queue,
            {queue, reads::limit_parameter(limit), wire::scalar(static_cast<int8>(bytes_most))}}});
  if (!answer)
    return answer.error();
  const auto& rows = answer->front();
  staged_page page;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    page.tasks.push_back(
        {reads::u64(rows, row, 0), read_new_task(rows, row), {}, rows.get<std::string>(row, 18)});
  if (rows.rows() > 0) {
    const auto found = reads::u64(rows, 0, 19);
    page.more = found == limit || found > rows.rows();
  }
  return page;
}

core::outcome<bool> postgres_store::publish_limits(const document_limits& limits) {
  const auto answer = ask({{&set_limits,
                            {wire::scalar(static_cast<int4>(limits.bytes_max)),
                             wire::scalar(static_cast<int4>(limits.depth_max))}}});
  if (!answer)
    return answer.error();
  if (answer->front().get<int4>(0, 0) == 0)
    return core::failure{core::errc::not_found, "the database has no shards yet"};
  return true;
}

core::outcome<std::uint32_t> postgres_store::prune_refused(core::shard_id shard,
                                                           core::incarnation_id incarnation,
                                                           const core::queue_name& queue,
                                                           core::instant refused_before,
                                                           std::uint32_t rows) {
  return pruned(
      run({{&prune_refused_rows,
            {wire::scalar(static_cast<int4>(shard)), wire::scalar(incarnation.value), queue,
             wire::scalar(refused_before), wire::scalar(static_cast<int4>(rows))}}}));
}

} // namespace holdfast::persistence
