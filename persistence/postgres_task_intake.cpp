// The part of `postgres_store` that is about tasks which producers stage by SQL.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

using reads::int2;
using reads::int4;
using reads::int8;

// One look into the index for each queue that has something, and one that finds no more: not all
// rows of a queue that is behind. Rows that were staged while their queue was removed are refused
// by it. A row of no queue is nobody's to take; `holdfast verify` tells.
constexpr statement queues_with_staged_rows{"queues_with_staged_rows", R"sql(
  WITH RECURSIVE waiting (queue) AS (
    (SELECT queue FROM holdfast.task_intake WHERE refused_at IS NULL ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT i.queue FROM holdfast.task_intake i
             WHERE i.refused_at IS NULL AND i.queue > w.queue ORDER BY i.queue LIMIT 1)
      FROM waiting w WHERE w.queue IS NOT NULL)
  SELECT queue FROM waiting
   WHERE EXISTS (SELECT FROM holdfast.queues q WHERE q.queue = waiting.queue)
      OR EXISTS (SELECT FROM holdfast.removed_queues r WHERE r.queue = waiting.queue))sql"};

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
                     AND ($4::boolean OR intake_id = ANY ($5::bigint[]))
                   ORDER BY intake_id LIMIT $2::integer) p) i
    LEFT JOIN LATERAL (SELECT l.queue FROM holdfast.tasks l WHERE l.task_id = i.task_id
                       UNION ALL
                       SELECT f.queue FROM holdfast.finished_tasks f WHERE f.task_id = i.task_id
                       LIMIT 1) k ON true
   WHERE i.bytes_before < $3::bigint OR i.bytes_before = 0
   ORDER BY i.intake_id)sql"};

// The row and nothing beside it: whether the trouble is the row's own.
constexpr statement staged_row_alone{"staged_row_alone", R"sql(
  SELECT * FROM holdfast.task_intake WHERE intake_id = $1::bigint)sql"};

// Columns that a row has in place, and not in pages of their own that may be damaged.
constexpr statement staged_ids{"staged_ids", R"sql(
  SELECT intake_id FROM holdfast.task_intake
   WHERE queue = $1::text AND refused_at IS NULL ORDER BY intake_id LIMIT $2::integer)sql"};

constexpr statement counts_of_stage{"counts_of_stage", R"sql(
  SELECT (SELECT count(*) FROM holdfast.task_intake WHERE queue = q.queue AND refused_at IS NULL),
         (SELECT staged_at FROM holdfast.task_intake
           WHERE queue = q.queue AND refused_at IS NULL ORDER BY intake_id LIMIT 1),
         (SELECT count(*) FROM holdfast.task_intake
           WHERE queue = q.queue AND refused_at IS NOT NULL),
         (SELECT count(*) FROM holdfast.task_intake
           WHERE queue = q.queue AND refused_at IS NOT NULL AND refusal = 'damaged'),
         coalesce((SELECT refusal || ': ' || refusal_detail FROM holdfast.task_intake
                    WHERE queue = q.queue AND refused_at IS NOT NULL
                    ORDER BY refused_at DESC, intake_id DESC LIMIT 1), '')
    FROM holdfast.queues q WHERE q.queue = $1::text)sql"};

constexpr statement set_limits{"set_limits", R"sql(
  WITH told AS (
    UPDATE holdfast.cluster SET payload_bytes = $1::integer, json_depth = $2::integer
     WHERE payload_bytes IS DISTINCT FROM $1::integer OR json_depth IS DISTINCT FROM $2::integer)
  SELECT count(*)::integer FROM holdfast.cluster)sql"};

// To delete a damaged row the server may have to read what is damaged of it: somebody who looks
// after it has to.
constexpr statement prune_refused_rows{"prune_refused_rows", R"sql(
  WITH gone AS (
    DELETE FROM holdfast.task_intake
     WHERE intake_id = ANY (ARRAY(SELECT intake_id FROM holdfast.task_intake
                                   WHERE queue = $3::text AND refused_at < $4::timestamptz
                                     AND refusal <> 'damaged'
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

/// The first rows on the stage, or those of `only`.
call staged_rows(const core::queue_name& queue, std::uint32_t limit, std::size_t bytes_most,
                 const std::vector<core::staging_id>* only) {
  wire::array_of<int8> ids;
  if (only != nullptr)
    for (const auto id : *only)
      ids.add(static_cast<int8>(id));
  return {&staged_of_queue,
          {queue, reads::limit_parameter(limit), wire::scalar(static_cast<int8>(bytes_most)),
           wire::scalar(only == nullptr), ids.take()}};
}

void add_staged(const query_result& rows, staged_page& page) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    page.tasks.push_back(
        {reads::u64(rows, row, 0), read_new_task(rows, row), {}, rows.get<std::string>(row, 18)});
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
  const auto answer = run({staged_rows(queue, limit, bytes_most, nullptr)});
  if (!answer)
    return answer.error();
  if (answer->failed)
    return may_be_of_a_row(answer->failure) ? load_staged_apart(queue, limit, bytes_most)
                                            : error_of(answer->failure);
  const auto& rows = answer->results.front();
  staged_page page;
  add_staged(rows, page);
  if (rows.rows() > 0) {
    const auto found = reads::u64(rows, 0, 19);
    page.more = found == limit || found > rows.rows();
  }
  return page;
}

std::optional<core::failure> postgres_store::failure_beside(core::staging_id id,
                                                            const query_failure& failure) {
  const auto alone = run({{&staged_row_alone, {wire::scalar(static_cast<int8>(id))}}});
  if (!alone)
    return alone.error();
  if (alone->failed)
    return std::nullopt;
  return core::failure{core::errc::unavailable,
                       "tasks beside the staged row cannot be read: " + failure.text()};
}

core::outcome<staged_page> postgres_store::load_staged_apart(const core::queue_name& queue,
                                                             std::uint32_t limit,
                                                             std::size_t bytes_most) {
  const auto found = ask({{&staged_ids, {queue, reads::limit_parameter(limit)}}});
  if (!found)
    return found.error();
  std::vector<core::staging_id> ids;
  for (std::size_t row = 0; row < found->front().rows(); ++row)
    ids.push_back(reads::u64(found->front(), row, 0));
  staged_page page;
  std::size_t bytes = 0;
  bool full = false; // the rest is for the next page
  const apart_reader<core::staging_id> rows{
      [&](const auto& some) -> read_end {
        if (full)
          return std::optional<query_failure>{};
        auto answer = run({staged_rows(queue, limit, bytes_most, &some)});
        if (!answer)
          return answer.error();
        if (answer->failed) {
          // The statement also looks for tasks of the same id: a row is not given up for a page of
          // theirs. It stays on the stage until that page is mended.
          if (some.size() == 1 && may_be_of_a_row(answer->failure))
            if (auto other = failure_beside(some.front(), answer->failure))
              return *other;
          return std::optional{std::move(answer->failure)};
        }
        const auto before = page.tasks.size();
        add_staged(answer->results.front(), page);
        for (auto row = before; row < page.tasks.size(); ++row)
          bytes += page.tasks[row].task.spec.body.size() + page.tasks[row].task.data.size();
        full = page.tasks.size() - before < some.size() || bytes >= bytes_most;
        return std::optional<query_failure>{};
      },
      [&](const auto& id, const auto& why) {
        page.tasks.push_back(
            {id,
             {},
             {core::errc::damaged, "the database does not give back the row: " + why.text()},
             {}});
      }};
  if (const auto failed = read_apart(ids, rows))
    return *failed;
  page.more = full || ids.size() == limit;
  return page;
}

core::outcome<staged_counts> postgres_store::count_staged(const core::queue_name& queue) {
  const auto answer = ask(reads::long_read({{&counts_of_stage, {queue}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_long];
  if (rows.rows() == 0)
    return core::failure{core::errc::not_found, "no such queue"};
  staged_counts counts;
  counts.staged = reads::u64(rows, 0, 0);
  if (!rows.is_null(0, 1))
    counts.staged_since = rows.get<core::instant>(0, 1);
  counts.refused = reads::u64(rows, 0, 2);
  counts.unreadable = reads::u64(rows, 0, 3);
  counts.last_refusal = rows.get<std::string>(0, 4);
  return counts;
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
