// The pruning part of `postgres_store`: old events leave, with what consumers noted about them, and
// old finished tasks with what is known of their tries.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/undeletable.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace holdfast::persistence {

namespace {

using int8 = std::int64_t;
using int4 = std::int32_t;

constexpr const char* division_by_zero = "22012";

// Looks at the oldest rows only, however many there are, and stops at the first that must stay. The
// host's row comes last and is locked for a moment only: the shard's writer needs it for each
// batch. A host that has changed meanwhile makes the end divide by zero. Notes go by the number of
// their event alone: steps keep some under names of their own.
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
     WHERE shard = $1::integer AND seq <= (SELECT last_seq FROM old)),
  moved AS (
    UPDATE holdfast.shard_leases l
       SET pruned_seq = greatest(l.pruned_seq, old.last_seq),
           pruned_to = greatest(l.pruned_to, old.committed_at)
      FROM old
     WHERE l.shard = $1::integer AND l.host = $2::uuid AND old.rows > 0
    RETURNING 1)
  SELECT old.rows::integer
         / (CASE WHEN old.rows > 0 THEN EXISTS (SELECT FROM moved)
                 ELSE EXISTS (SELECT FROM holdfast.shard_leases
                               WHERE shard = $1::integer AND host = $2::uuid) END)::integer
    FROM old)sql"};

// The same in parts, where the server does not delete some: it would read their damaged pages.
// Those stay behind `pruned_seq` once others that come after them are gone.
constexpr statement old_events{"old_events", R"sql(
  WITH oldest AS MATERIALIZED (
    SELECT first_seq, count, committed_at FROM holdfast.outbox
     WHERE shard = $1::integer AND first_seq <> ALL ($5::bigint[])
     ORDER BY first_seq LIMIT $4::integer),
  passed AS MATERIALIZED (
    SELECT CASE WHEN count(*) = cardinality($2::text[]) THEN coalesce(min(seq), 0) ELSE 0 END AS seq
      FROM holdfast.consumer_cursors WHERE shard = $1::integer AND consumer = ANY ($2::text[])),
  first_to_stay AS MATERIALIZED (
    SELECT min(o.first_seq) AS seq FROM oldest o, passed p
     WHERE o.first_seq + o.count - 1 > p.seq OR o.committed_at >= $3::timestamptz)
  SELECT o.first_seq, o.count, o.committed_at FROM oldest o, first_to_stay s
   WHERE s.seq IS NULL OR o.first_seq < s.seq ORDER BY o.first_seq)sql"};

constexpr statement delete_events{"delete_events", R"sql(
  WITH events AS (
    DELETE FROM holdfast.outbox WHERE shard = $1::integer AND first_seq = ANY ($3::bigint[])
    RETURNING 1),
  notes AS (DELETE FROM holdfast.inbox WHERE shard = $1::integer AND seq <= $4::bigint),
  moved AS (
    UPDATE holdfast.shard_leases
       SET pruned_seq = greatest(pruned_seq, $4::bigint),
           pruned_to = greatest(pruned_to, $5::timestamptz)
     WHERE shard = $1::integer AND host = $2::uuid
    RETURNING 1)
  SELECT (SELECT count(*) FROM events)::integer / (EXISTS (SELECT FROM moved))::integer)sql"};

// The oldest are found by blocks, as rows lie in the order in which tasks ended.
constexpr statement prune_finished{"prune_finished", R"sql(
  WITH old AS MATERIALIZED (
    SELECT task_id FROM holdfast.finished_tasks
     WHERE queue = $3::text AND finished_at < $4::timestamptz LIMIT $5::integer),
  attempts AS (
    DELETE FROM holdfast.task_attempts WHERE task_id = ANY (ARRAY(SELECT task_id FROM old))),
  late AS (
    DELETE FROM holdfast.late_results WHERE task_id = ANY (ARRAY(SELECT task_id FROM old))),
  tasks AS (
    DELETE FROM holdfast.finished_tasks WHERE task_id = ANY (ARRAY(SELECT task_id FROM old))
    RETURNING 1)
  SELECT (SELECT count(*) FROM tasks)::integer
         / (EXISTS (SELECT FROM holdfast.shard_leases
                     WHERE shard = $1::integer AND host = $2::uuid))::integer)sql"};

constexpr statement old_finished{"old_finished", R"sql(
  SELECT task_id FROM holdfast.finished_tasks
   WHERE queue = $1::text AND finished_at < $2::timestamptz AND task_id <> ALL ($4::uuid[])
   LIMIT $3::integer)sql"};

constexpr statement delete_finished{"delete_finished", R"sql(
  WITH attempts AS (DELETE FROM holdfast.task_attempts WHERE task_id = ANY ($3::uuid[])),
  late AS (DELETE FROM holdfast.late_results WHERE task_id = ANY ($3::uuid[])),
  tasks AS (DELETE FROM holdfast.finished_tasks WHERE task_id = ANY ($3::uuid[]) RETURNING 1)
  SELECT (SELECT count(*) FROM tasks)::integer
         / (EXISTS (SELECT FROM holdfast.shard_leases
                     WHERE shard = $1::integer AND host = $2::uuid))::integer)sql"};

std::string array_of(const std::vector<core::task_id>& tasks) {
  wire::array_of<core::uuid> ids;
  for (const auto& task : tasks)
    ids.add(task.value);
  return ids.take();
}

std::string array_of(const std::vector<outbox_place>& rows) {
  wire::array_of<int8> firsts;
  for (const auto& row : rows)
    firsts.add(static_cast<int8>(row.first_seq));
  return firsts.take();
}

/// Not whether the shard has another host, which the statements tell by dividing by zero.
bool blames_a_row(const core::outcome<pipeline_results>& answer) {
  return answer && answer->failed && answer->failure.sqlstate != division_by_zero
         && may_be_of_a_row(answer->failure);
}

} // namespace

core::outcome<std::uint32_t> postgres_store::pruned(const core::outcome<pipeline_results>& answer) {
  if (!answer)
    return answer.error();
  if (answer->failed)
    return answer->failure.sqlstate == division_by_zero
               ? core::failure{core::errc::fenced, "this incarnation does not host the shard"}
               : error_of(answer->failure);
  return static_cast<std::uint32_t>(answer->results.front().get<int4>(0, 0));
}

/// How old rows are deleted: all by one statement, and only where the server may not delete one of
/// them by their keys.
template <class Key>
struct row_deletion {
  std::string things; ///< As a failure calls them.
  std::uint32_t rows_most = 0;
  std::vector<call> whole;
  /// The oldest but for those that stay; so many at most.
  std::function<std::vector<call>(const std::vector<Key>& but_for, std::uint32_t most)> keys;
  std::function<std::vector<Key>(const reads::results&)> keys_in;
  std::function<std::vector<call>(const std::vector<Key>&)> some;
  std::function<std::string(const Key&)> name;
};

template <class Key>
core::outcome<std::uint32_t> postgres_store::delete_rows(const row_deletion<Key>& of) {
  const auto all = run(of.whole);
  if (!blames_a_row(all))
    return pruned(all);
  std::uint32_t gone = 0;
  std::vector<Key> left;
  std::string why; // the first of them is
  const apart_reader<Key> each{[&](const auto& some) -> read_end {
                                 const auto answer = run(of.some(some));
                                 if (blames_a_row(answer))
                                   return std::optional{answer->failure};
                                 const auto some_gone = pruned(answer);
                                 if (!some_gone)
                                   return some_gone.error();
                                 gone += *some_gone;
                                 return std::optional<query_failure>{};
                               },
                               [&](const auto& key, const auto& failure) {
                                 left.push_back(key);
                                 if (why.empty())
                                   why = failure.text();
                               }};
  for (bool more = true; more && gone < of.rows_most;) {
    const auto most = of.rows_most - gone;
    const auto answer = ask(of.keys(left, most));
    if (!answer)
      return answer.error();
    const auto old = of.keys_in(*answer);
    more = old.size() == most;
    if (const auto failed = read_apart(old, each))
      return *failed;
  }
  if (left.empty() || gone >= of.rows_most)
    return gone;
  std::vector<std::string> names;
  for (const auto& key : left)
    names.push_back(of.name(key));
  return cannot_be_deleted(of.things, names, why);
}

core::outcome<std::uint32_t> postgres_store::prune_events(core::shard_id shard,
                                                          core::incarnation_id incarnation,
                                                          const prunable& most) {
  wire::array_of<std::string_view> names;
  for (const auto& consumer : most.consumers)
    names.add(consumer);
  const auto consumers = names.take();
  const auto host_shard = wire::scalar(static_cast<int4>(shard));
  const auto host = wire::scalar(incarnation.value);
  const auto before = wire::scalar(most.committed_before);
  const auto limit = wire::scalar(static_cast<int4>(most.rows));
  return delete_rows<outbox_place>(
      {"rows of events",
       most.rows,
       {{&prune, {host_shard, host, consumers, before, limit}}},
       [&](const auto& left, auto rows) -> std::vector<call> {
         return {{&old_events,
                  {host_shard, consumers, before, wire::scalar(static_cast<int4>(rows)),
                   array_of(left)}}};
       },
       [&](const auto& results) { return reads::outbox_places(results, shard); },
       [&](const auto& rows) -> std::vector<call> {
         const auto newest =
             std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
               return a.committed_at < b.committed_at;
             });
         const auto last = rows.back().first_seq + rows.back().count - 1;
         return {{&delete_events,
                  {host_shard, host, array_of(rows), wire::scalar(static_cast<int8>(last)),
                   wire::scalar(newest->committed_at)}}};
       },
       [](const auto& row) { return name_of_events(row.shard, row.first_seq); }});
}

core::outcome<std::uint32_t> postgres_store::prune_tasks(core::shard_id shard,
                                                         core::incarnation_id incarnation,
                                                         const core::queue_name& queue,
                                                         core::instant ended_before,
                                                         std::uint32_t rows) {
  const auto host_shard = wire::scalar(static_cast<int4>(shard));
  const auto host = wire::scalar(incarnation.value);
  const auto before = wire::scalar(ended_before);
  const auto limit = wire::scalar(static_cast<int4>(rows));
  return delete_rows<core::task_id>(
      {"finished tasks",
       rows,
       {{&prune_finished, {host_shard, host, queue, before, limit}}},
       [&](const auto& left, auto most) -> std::vector<call> {
         return {{&old_finished,
                  {queue, before, wire::scalar(static_cast<int4>(most)), array_of(left)}}};
       },
       [](const auto& results) { return reads::task_ids(results); },
       [&](const auto& tasks) -> std::vector<call> {
         return {{&delete_finished, {host_shard, host, array_of(tasks)}}};
       },
       [](const auto& task) { return to_string(task); }});
}

} // namespace holdfast::persistence
