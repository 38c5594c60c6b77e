// The pruning part of `postgres_store`: old events leave, and what consumers noted about them.

#include "persistence/postgres_store.hpp"

namespace holdfast::persistence {

namespace {

using int8 = std::int64_t;
using int4 = std::int32_t;

constexpr const char* division_by_zero = "22012";

// Looks at the oldest rows only, however many there are, and stops at the first that must stay. The
// host's row comes last and is locked for a moment only: the shard's writer needs it for each
// batch. A host that has changed meanwhile makes the end divide by zero.
constexpr statement prune{"prune", R"sql(
  WITH oldest AS MATERIALIZED (
    SELECT first_seq, first_seq + count - 1 AS last_seq, committed_at
      FROM holdfast.outbox WHERE shard = $1::integer ORDER BY first_seq LIMIT $5::integer),
  passed AS MATERIALIZED (
    SELECT CASE WHEN count(*) = cardinality($3::text[]) THEN coalesce(min(seq), 0) ELSE 0 END AS seq
      FROM holdfast.consumer_cursors WHERE shard = $1::integer AND consumer = ANY ($3::text[])),
  first_to_stay AS MATERIALIZED (
    SELECT min(o.first_seq) AS seq FROM oldest o, passed p
     WHERE o.last_seq > p.seq OR o.committed_at >= $4::timestamptz),
  old AS MATERIALIZED (
    SELECT count(*) AS rows, max(o.last_seq) AS last_seq, max(o.committed_at) AS committed_at
      FROM oldest o, first_to_stay s WHERE s.seq IS NULL OR o.first_seq < s.seq),
  events AS (
    DELETE FROM holdfast.outbox
     WHERE shard = $1::integer AND first_seq <= (SELECT last_seq FROM old)),
  notes AS (
    DELETE FROM holdfast.inbox
     WHERE consumer = ANY ($3::text[]) AND shard = $1::integer
       AND seq <= (SELECT last_seq FROM old)),
  moved AS (
    UPDATE holdfast.shard_leases l
       SET pruned_seq = old.last_seq, pruned_to = greatest(l.pruned_to, old.committed_at)
      FROM old
     WHERE l.shard = $1::integer AND l.host = $2::uuid AND old.rows > 0
    RETURNING 1)
  SELECT old.rows::integer
         / (CASE WHEN old.rows > 0 THEN EXISTS (SELECT FROM moved)
                 ELSE EXISTS (SELECT FROM holdfast.shard_leases
                               WHERE shard = $1::integer AND host = $2::uuid) END)::integer
    FROM old)sql"};

} // namespace

core::outcome<std::uint32_t> postgres_store::prune_events(core::shard_id shard,
                                                          core::incarnation_id incarnation,
                                                          const prunable& most) {
  wire::array_of<std::string_view> consumers;
  for (const auto& consumer : most.consumers)
    consumers.add(consumer);
  const auto answer = run(
      {{&prune,
        {wire::scalar(static_cast<int4>(shard)), wire::scalar(incarnation.value), consumers.take(),
         wire::scalar(most.committed_before), wire::scalar(static_cast<int4>(most.rows))}}});
  if (!answer)
    return answer.error();
  if (answer->failed)
    return answer->failure.sqlstate == division_by_zero
               ? core::failure{core::errc::fenced, "this incarnation does not host the shard"}
               : error_of(answer->failure);
  return static_cast<std::uint32_t>(answer->results.front().get<int4>(0, 0));
}

} // namespace holdfast::persistence
