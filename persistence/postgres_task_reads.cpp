#include "persistence/postgres_reads.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <map>

namespace holdfast::persistence::reads {

namespace {

constexpr statement queues_by_name{"queues_by_name", R"sql(
  SELECT queue, definition, paused, revision, changed_at FROM holdfast.queues
   WHERE $1::boolean OR queue = $2::text ORDER BY queue)sql"};

constexpr statement paused_types_by_queue{"paused_types_by_queue", R"sql(
  SELECT q.queue, p.type
    FROM holdfast.queues q
   CROSS JOIN LATERAL unnest(q.paused_types) WITH ORDINALITY AS p(type, place)
   WHERE $1::boolean OR q.queue = $2::text ORDER BY q.queue, p.place)sql"};

// The last of the attempts comes from the end of their key, task by task: the history of a queue
// may be a thousand times what is live.
constexpr statement tasks_of_queue{"tasks_of_queue", R"sql(
  SELECT k.task_id, k.queue, k.type, k.version, k.body, k.trace_id, k.span_id, k.priority, k.key,
         k.credential, coalesce(k.unique_key, ''), k.max_attempts, k.owner_id, k.run_as_id,
         k.created_at, k.state, k.data, k.execution_state, k.percent, k.attempts, k.crashes,
         k.next_action, k.last_change, k.last_action, k.paused,
         coalesce(a.token, 0),
         l.token, l.claim_id, l.worker, l.granted_at, l.expires_at,
         k.failures, k.ejection, k.saved_under, k.saved_number, k.pauses, k.idle_releases,
         coalesce(l.token IS NULL AND a.ending = 3 AND a.ended_at = k.last_action, false)
    FROM holdfast.tasks k LEFT JOIN holdfast.task_leases l USING (task_id)
    LEFT JOIN LATERAL (SELECT b.token, b.ending, b.ended_at FROM holdfast.task_attempts b
                        WHERE b.task_id = k.task_id ORDER BY b.token DESC LIMIT 1) a ON true
   WHERE k.queue = $1::text AND ($2::boolean OR k.task_id = ANY ($3::uuid[]))
   ORDER BY k.task_id)sql"};

// Columns that a row has in place, and not in pages of their own that may be damaged.
constexpr statement task_ids_of_queue{"task_ids_of_queue", R"sql(
  SELECT task_id FROM holdfast.tasks WHERE queue = $1::text ORDER BY task_id)sql"};
constexpr statement unique_key_of_task{"unique_key_of_task", R"sql(
  SELECT coalesce(unique_key, '') FROM holdfast.tasks WHERE task_id = $1::uuid)sql"};
constexpr statement names_of_queues{"names_of_queues", R"sql(
  SELECT queue FROM holdfast.queues ORDER BY queue)sql"};
constexpr statement names_of_schedules{"names_of_schedules", R"sql(
  SELECT name FROM holdfast.schedules WHERE queue = $1::text ORDER BY name)sql"};

constexpr statement schedules_of_queue{"schedules_of_queue", R"sql(
  SELECT queue, name, definition, created_at, handled_until, coalesce(last_made, 'epoch'), revision,
         changed_at
    FROM holdfast.schedules WHERE queue = $1::text AND ($2::text = '' OR name = $2::text)
   ORDER BY name)sql"};

constexpr statement task_by_id{"task_by_id", R"sql(
  SELECT k.task_id, k.queue, k.type, k.version, k.body, k.trace_id, k.span_id, k.priority, k.key,
         k.credential, coalesce(k.unique_key, ''), k.max_attempts, k.owner_id, k.run_as_id,
         k.created_at, k.state, k.data, k.execution_state, k.percent, k.attempts, k.crashes,
         k.next_action, k.last_change, k.last_action, k.paused,
         coalesce((SELECT max(a.token) FROM holdfast.task_attempts a
                    WHERE a.task_id = k.task_id), 0),
         l.token, l.claim_id, l.worker, l.granted_at, l.expires_at,
         k.failures, k.ejection, k.saved_under, k.saved_number, k.pauses, k.idle_releases
    FROM holdfast.tasks k LEFT JOIN holdfast.task_leases l USING (task_id)
   WHERE k.task_id = $1::uuid)sql"};

constexpr statement finished_by_id{"finished_by_id", R"sql(
  SELECT f.task_id, f.queue, f.type, f.version, f.body, f.trace_id, f.span_id, f.priority, f.key,
         f.credential, coalesce(f.unique_key, ''), f.max_attempts, f.owner_id, f.run_as_id,
         f.created_at, f.state, f.data, f.execution_state, f.percent, f.attempts, f.crashes,
         f.next_action, f.last_change, f.last_action, f.paused,
         coalesce((SELECT max(a.token) FROM holdfast.task_attempts a
                    WHERE a.task_id = f.task_id), 0),
         f.token, f.claim_id, f.worker, f.granted_at, f.expires_at,
         f.ending, coalesce(f.result, ''), f.error_code, f.error_detail, f.finished_at
    FROM holdfast.finished_tasks f
   WHERE f.task_id = $1::uuid)sql"};

#define FINISHED_AFTER                                                                             \
  "  FROM holdfast.finished_tasks f\n"                                                             \
  " WHERE f.queue = $1::text AND f.task_id > $2::uuid\n"                                           \
  "   AND (cardinality($3::smallint[]) = 0 OR f.ending = ANY ($3::smallint[]))\n"                  \
  "   AND ($4::text = '' OR f.type = $4::text) AND ($5::text = '' OR f.error_code = $5::text)\n"   \
  "   AND ($7::boolean OR f.task_id = ANY ($8::uuid[]))\n"                                         \
  " ORDER BY f.task_id LIMIT $6::integer"

// Columns that a row has in place, and not in pages of their own that may be damaged.
constexpr statement finished_ids_after{"finished_ids_after", "SELECT f.task_id\n" FINISHED_AFTER};

constexpr statement finished_after{"finished_after", R"sql(
  SELECT f.task_id, f.queue, f.type, f.version, f.body, f.trace_id, f.span_id, f.priority, f.key,
         f.credential, coalesce(f.unique_key, ''), f.max_attempts, f.owner_id, f.run_as_id,
         f.created_at, f.state, f.data, f.execution_state, f.percent, f.attempts, f.crashes,
         f.next_action, f.last_change, f.last_action, f.paused,
         coalesce((SELECT max(a.token) FROM holdfast.task_attempts a
                    WHERE a.task_id = f.task_id), 0),
         f.token, f.claim_id, f.worker, f.granted_at, f.expires_at,
         f.ending, coalesce(f.result, ''), f.error_code, f.error_detail, f.finished_at
)sql" FINISHED_AFTER};

#undef FINISHED_AFTER

// The tasks of a slice of ids that pass the filters. They are looked up row by row: left to itself
// the planner merges 20,000 of them with all tasks that ever ended.
#define TASKS_OF_SLICE                                                                             \
  "  found AS (\n"                                                                                 \
  "    SELECT k.task_id, k.queue, k.type, k.version, k.priority, k.key, k.credential, "            \
  "k.max_attempts,\n"                                                                              \
  "           k.owner_id, k.run_as_id, k.created_at, k.state, k.percent, k.attempts, k.crashes,\n" \
  "           k.next_action, k.last_change, k.last_action, k.paused, coalesce(l.worker, '') AS "   \
  "worker,\n"                                                                                      \
  "           NULL::smallint AS ending, '' AS error_code, NULL::timestamptz AS finished_at\n"      \
  "      FROM slice\n"                                                                             \
  "     CROSS JOIN LATERAL (SELECT t.* FROM holdfast.tasks t\n"                                    \
  "                          WHERE t.task_id = slice.task_id OFFSET 0) k\n"                        \
  "      LEFT JOIN LATERAL (SELECT h.task_id, h.worker FROM holdfast.task_leases h\n"              \
  "                          WHERE h.task_id = k.task_id OFFSET 0) l ON true\n"                    \
  "     WHERE ($2::text = '' OR k.queue = $2::text) AND ($3::text = '' OR k.type = $3::text)\n"    \
  "       AND ($13::text = '' OR k.key = $13::text) AND $14::text = ''\n"                          \
  "       AND CASE WHEN l.task_id IS NULL THEN $5::boolean ELSE $6::boolean END\n"                 \
  "       AND k.created_at >= $8::timestamptz\n"                                                   \
  "       AND ($9::timestamptz = 'epoch' OR k.created_at < $9::timestamptz)\n"                     \
  "    UNION ALL\n"                                                                                \
  "    SELECT f.task_id, f.queue, f.type, f.version, f.priority, f.key, f.credential, "            \
  "f.max_attempts,\n"                                                                              \
  "           f.owner_id, f.run_as_id, f.created_at, f.state, f.percent, f.attempts, f.crashes,\n" \
  "           f.next_action, f.last_change, f.last_action, f.paused, '',\n"                        \
  "           f.ending, f.error_code, f.finished_at\n"                                             \
  "      FROM slice\n"                                                                             \
  "     CROSS JOIN LATERAL (SELECT g.* FROM holdfast.finished_tasks g\n"                           \
  "                          WHERE g.task_id = slice.task_id OFFSET 0) f\n"                        \
  "     WHERE ($2::text = '' OR f.queue = $2::text) AND ($3::text = '' OR f.type = $3::text)\n"    \
  "       AND ($13::text = '' OR f.key = $13::text)\n"                                             \
  "       AND ($14::text = '' OR f.error_code = $14::text)\n"                                      \
  "       AND f.ending = ANY ($7::smallint[])\n"                                                   \
  "       AND f.created_at >= $8::timestamptz\n"                                                   \
  "       AND ($9::timestamptz = 'epoch' OR f.created_at < $9::timestamptz)\n"

// What is looked at comes from one index: by owner, of what failed in one queue, or by id. The plan
// is made for the parameters, so that a condition that holds for all is none. All else is left to
// those that were found: it must not send a page through the whole table.
constexpr statement tasks_after{"tasks_after", R"sql(
  WITH slice AS MATERIALIZED (
    SELECT task_id FROM (
      (SELECT t.task_id FROM holdfast.tasks t
        WHERE ($5::boolean OR $6::boolean) AND t.task_id > $1::uuid
          AND ($4::text = '' OR t.owner_id = $4::text)
        ORDER BY t.task_id LIMIT $11::integer)
      UNION ALL
      (SELECT f.task_id FROM holdfast.finished_tasks f
        WHERE cardinality($7::smallint[]) > 0 AND f.task_id > $1::uuid
          AND ($4::text = '' OR f.owner_id = $4::text)
          AND ($10::text = '' OR (f.queue = $10::text AND f.ending IN (2, 4)))
        ORDER BY f.task_id LIMIT $11::integer)) u
     ORDER BY task_id LIMIT $11::integer),
)sql" TASKS_OF_SLICE R"sql(
     ORDER BY task_id LIMIT $12::integer)
  SELECT found.*, looked.last, looked.number
    FROM (SELECT (SELECT task_id FROM slice ORDER BY task_id DESC LIMIT 1) AS last,
                 (SELECT count(*) FROM slice) AS number) looked
    LEFT JOIN found ON true ORDER BY found.task_id)sql"};

// The same from the highest id down.
constexpr statement tasks_before{"tasks_before", R"sql(
  WITH slice AS MATERIALIZED (
    SELECT task_id FROM (
      (SELECT t.task_id FROM holdfast.tasks t
        WHERE ($5::boolean OR $6::boolean) AND t.task_id < $1::uuid
          AND ($4::text = '' OR t.owner_id = $4::text)
        ORDER BY t.task_id DESC LIMIT $11::integer)
      UNION ALL
      (SELECT f.task_id FROM holdfast.finished_tasks f
        WHERE cardinality($7::smallint[]) > 0 AND f.task_id < $1::uuid
          AND ($4::text = '' OR f.owner_id = $4::text)
          AND ($10::text = '' OR (f.queue = $10::text AND f.ending IN (2, 4)))
        ORDER BY f.task_id DESC LIMIT $11::integer)) u
     ORDER BY task_id DESC LIMIT $11::integer),
)sql" TASKS_OF_SLICE R"sql(
     ORDER BY task_id DESC LIMIT $12::integer)
  SELECT found.*, looked.last, looked.number
    FROM (SELECT (SELECT task_id FROM slice ORDER BY task_id LIMIT 1) AS last,
                 (SELECT count(*) FROM slice) AS number) looked
    LEFT JOIN found ON true ORDER BY found.task_id DESC)sql"};

#undef TASKS_OF_SLICE

constexpr statement known_among{"known_among", R"sql(
  SELECT f.task_id, f.queue, f.live
    FROM unnest($1::uuid[]) AS t(task_id)
   CROSS JOIN LATERAL (SELECT g.task_id, g.queue, false AS live FROM holdfast.finished_tasks g
                        WHERE g.task_id = t.task_id
                       UNION ALL
                       SELECT l.task_id, l.queue, true FROM holdfast.tasks l
                        WHERE l.task_id = t.task_id OFFSET 0) f)sql"};

constexpr statement attempts_of_task{"attempts_of_task", R"sql(
  SELECT token, claim_id, worker, granted_at, expires_at, ending, error_code, error_detail, ended_at
    FROM holdfast.task_attempts WHERE task_id = $1::uuid ORDER BY token)sql"};

constexpr statement queue_exists{"queue_exists", R"sql(
  SELECT 1 FROM holdfast.queues WHERE queue = $1::text)sql"};

constexpr statement counts_of_queue{"counts_of_queue", R"sql(
  SELECT (SELECT count(*) FROM holdfast.tasks WHERE queue = $1::text),
         (SELECT count(*) FROM holdfast.tasks JOIN holdfast.task_leases USING (task_id)
           WHERE queue = $1::text),
         count(*) FILTER (WHERE ending = 1), count(*) FILTER (WHERE ending = 2),
         count(*) FILTER (WHERE ending = 3), count(*) FILTER (WHERE ending = 4)
    FROM holdfast.finished_tasks WHERE queue = $1::text)sql"};

// Leases have no index by their end: it would cost every grant and extension more than a look at
// all of them costs now and then.
constexpr statement overdue_queues{"overdue_queues", R"sql(
  SELECT DISTINCT t.queue FROM holdfast.task_leases l JOIN holdfast.tasks t USING (task_id)
   WHERE l.expires_at < $1::timestamptz ORDER BY t.queue LIMIT $2::integer)sql"};
constexpr statement overdue_steps{"overdue_steps", R"sql(
  SELECT DISTINCT u.step_id FROM holdfast.active_leases l JOIN holdfast.units u USING (unit_id)
   WHERE l.expires_at < $1::timestamptz ORDER BY u.step_id LIMIT $2::integer)sql"};

// A page of the table by its key, and only then what is due in it: an index by time would cost
// every task that is made or put off. The last row says how far the page went.
constexpr statement due_tasks{"due_tasks", R"sql(
  WITH page AS MATERIALIZED (
    SELECT t.task_id, t.queue, t.next_action, t.paused FROM holdfast.tasks t
     WHERE t.task_id > $1::uuid ORDER BY t.task_id LIMIT $3::integer)
  SELECT p.task_id, p.queue FROM page p
   WHERE p.next_action < $2::timestamptz AND NOT p.paused
     AND NOT EXISTS (SELECT FROM holdfast.task_leases l WHERE l.task_id = p.task_id)
  UNION ALL
  (SELECT p.task_id, NULL FROM page p ORDER BY p.task_id OFFSET $3::integer - 1))sql"};

/// What is added to a task's ending where it is stored as that of an attempt, see 0003_tasks.sql.
constexpr int2 ended_with_task = 10;

/// Where a list begins that goes from the highest id down.
constexpr core::uuid beyond_every_task = [] {
  core::uuid highest{};
  for (auto& byte : highest.bytes)
    byte = 0xff;
  return highest;
}();

core::failure no_such_queue() { return {core::errc::not_found, "no such queue"}; }

std::vector<core::put_queue> read_queues(const query_result& rows, const query_result& types) {
  std::vector<core::put_queue> queues;
  std::map<text, std::size_t> places;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    places[rows.get<text>(row, 0)] = row;
    queues.push_back({rows.get<std::string>(row, 0),
                      rows.get<std::string>(row, 1),
                      rows.get<bool>(row, 2),
                      {},
                      u64(rows, row, 3),
                      rows.get<core::instant>(row, 4)});
  }
  for (std::size_t row = 0; row < types.rows(); ++row)
    queues[places.at(types.get<text>(row, 0))].paused_types.push_back(
        types.get<std::string>(row, 1));
  return queues;
}

/// Columns 0 and 2 to 14 of the statements that read tasks.
core::task_spec read_spec(const query_result& r, std::size_t row) {
  core::task_spec spec;
  spec.id = {r.get<core::uuid>(row, 0)};
  spec.type = r.get<std::string>(row, 2);
  spec.version = r.get<std::string>(row, 3);
  spec.body = r.get<std::string>(row, 4);
  spec.trace_id = r.get<std::string>(row, 5);
  spec.span_id = r.get<std::string>(row, 6);
  spec.priority = r.get<int2>(row, 7);
  spec.key = r.get<std::string>(row, 8);
  spec.credential = r.get<std::string>(row, 9);
  spec.unique_key = r.get<std::string>(row, 10);
  spec.max_attempts = u32(r, row, 11);
  spec.owner_id = r.get<std::string>(row, 12);
  spec.run_as_id = r.get<std::string>(row, 13);
  spec.created_at = r.get<core::instant>(row, 14);
  return spec;
}

/// Columns 15 to 24 of the same.
core::task_progress read_progress(const query_result& r, std::size_t row) {
  core::task_progress progress;
  progress.state = r.get<std::string>(row, 15);
  progress.data = r.get<std::string>(row, 16);
  progress.execution_state = r.get<std::string>(row, 17);
  progress.percent = u32(r, row, 18);
  progress.attempts = u32(r, row, 19);
  progress.crashes = u32(r, row, 20);
  progress.next_action = r.get<core::instant>(row, 21);
  progress.last_change = r.get<core::instant>(row, 22);
  progress.last_action = r.get<core::instant>(row, 23);
  progress.paused = r.get<bool>(row, 24);
  return progress;
}

/// Five columns from `column` on: token, claim, worker, granted, expires.
core::lease read_lease(const query_result& r, std::size_t row, int column) {
  return {{r.get<core::uuid>(row, column + 1)},
          r.get<std::string>(row, column + 2),
          u64(r, row, column),
          r.get<core::instant>(row, column + 3),
          r.get<core::instant>(row, column + 4)};
}

/// Columns 25 to 30: the highest token of the attempts, and the lease if there is one.
core::lease_table read_leases(const query_result& r, std::size_t row) {
  core::lease_table leases;
  leases.last_token = u64(r, row, 25);
  if (!r.is_null(row, 26)) {
    leases.active.push_back(read_lease(r, row, 26));
    leases.last_token = std::max(leases.last_token, leases.active.front().token);
  }
  return leases;
}

/// Columns 0 and 2 to 36 of the statements that read live tasks.
core::task read_live_task(const query_result& r, std::size_t row) {
  core::task t{read_spec(r, row), read_progress(r, row), read_leases(r, row)};
  t.progress.failures = u32(r, row, 31);
  if (!r.is_null(row, 32))
    t.progress.ejection = {r.get<core::uuid>(row, 32)};
  t.progress.saved_under = u64(r, row, 33);
  t.progress.saved_number = u64(r, row, 34);
  t.progress.pauses = u32(r, row, 35);
  t.progress.idle_releases = u32(r, row, 36);
  return t;
}

core::put_schedule_row read_schedule(const query_result& r, std::size_t row) {
  return {r.get<std::string>(row, 0),
          r.get<std::string>(row, 1),
          r.get<std::string>(row, 2),
          r.get<core::instant>(row, 3),
          r.get<core::instant>(row, 4),
          r.get<core::instant>(row, 5),
          u64(r, row, 6),
          r.get<core::instant>(row, 7)};
}

finished_task read_finished(const query_result& r, std::size_t row) {
  finished_task task;
  task.queue = r.get<std::string>(row, 1);
  task.spec = read_spec(r, row);
  task.progress = read_progress(r, row);
  task.last_token = read_leases(r, row).last_token;
  task.ending = static_cast<core::task_ending>(r.get<int2>(row, 31));
  task.result = r.get<std::string>(row, 32);
  task.error = {r.get<std::string>(row, 33), r.get<std::string>(row, 34)};
  task.finished_at = r.get<core::instant>(row, 35);
  return task;
}

listed_task read_listed(const query_result& r, std::size_t row) {
  listed_task task;
  auto& spec = task.spec;
  auto& progress = task.progress;
  spec.id = {r.get<core::uuid>(row, 0)};
  task.queue = r.get<std::string>(row, 1);
  spec.type = r.get<std::string>(row, 2);
  spec.version = r.get<std::string>(row, 3);
  spec.priority = r.get<int2>(row, 4);
  spec.key = r.get<std::string>(row, 5);
  spec.credential = r.get<std::string>(row, 6);
  spec.max_attempts = u32(r, row, 7);
  spec.owner_id = r.get<std::string>(row, 8);
  spec.run_as_id = r.get<std::string>(row, 9);
  spec.created_at = r.get<core::instant>(row, 10);
  progress.state = r.get<std::string>(row, 11);
  progress.data.clear();
  progress.execution_state.clear();
  progress.percent = u32(r, row, 12);
  progress.attempts = u32(r, row, 13);
  progress.crashes = u32(r, row, 14);
  progress.next_action = r.get<core::instant>(row, 15);
  progress.last_change = r.get<core::instant>(row, 16);
  progress.last_action = r.get<core::instant>(row, 17);
  progress.paused = r.get<bool>(row, 18);
  task.worker = r.get<std::string>(row, 19);
  if (r.is_null(row, 20))
    return task;
  task.ending = static_cast<core::task_ending>(r.get<int2>(row, 20));
  task.error_code = r.get<std::string>(row, 21);
  task.finished_at = r.get<core::instant>(row, 22);
  return task;
}

std::string name_of_ending(int2 stored) {
  return std::string{stored > ended_with_task
                         ? to_string(static_cast<core::task_ending>(stored - ended_with_task))
                         : to_string(static_cast<core::attempt_ending>(stored))};
}

std::string no_ids() {
  wire::array_of<core::uuid> ids;
  return ids.take();
}

std::vector<core::task_id> ids_in(const query_result& rows) {
  std::vector<core::task_id> ids;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    ids.push_back({rows.get<core::uuid>(row, 0)});
  return ids;
}

/// Of the statements about finished tasks; `only`: null for all that fit.
std::vector<std::string> parameters_of(const finished_filter& filter,
                                       const std::vector<core::task_id>* only) {
  wire::array_of<int2> endings;
  for (const auto ending : filter.endings)
    endings.add(static_cast<int2>(ending));
  wire::array_of<core::uuid> ids;
  if (only != nullptr)
    for (const auto& task : *only)
      ids.add(task.value);
  return {filter.queue,
          wire::scalar(filter.after.value),
          endings.take(),
          filter.type,
          filter.error_code,
          limit_parameter(filter.limit),
          wire::scalar(only == nullptr),
          ids.take()};
}

void add_tasks(const query_result& rows, stored_queue& to) {
  to.tasks.reserve(to.tasks.size() + rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    to.tasks.push_back(read_live_task(rows, row));
    if (rows.get<bool>(row, 37))
      to.rate_limited.push_back(to.tasks.back().spec.id);
  }
}

void add_schedules(const query_result& rows, stored_queue& to) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    to.schedules.push_back(read_schedule(rows, row));
}

} // namespace

task_attempt read_attempt(const query_result& r, std::size_t row) {
  if (r.is_null(row, 5))
    return {read_lease(r, row, 0), {}, {}, {}};
  return {read_lease(r, row, 0),
          name_of_ending(r.get<int2>(row, 5)),
          {r.get<std::string>(row, 6), r.get<std::string>(row, 7)},
          r.get<core::instant>(row, 8)};
}

std::vector<call> load_queue(const core::queue_name& queue) {
  const auto one = wire::scalar(false);
  return long_read({{&queues_by_name, {one, queue}},
                    {&paused_types_by_queue, {one, queue}},
                    {&tasks_of_queue, {queue, wire::scalar(true), no_ids()}},
                    {&schedules_of_queue, {queue, {}}}});
}

core::outcome<stored_queue> load_queue(const results& r) {
  auto queues = read_queues(r[preamble_long], r[preamble_long + 1]);
  if (queues.empty())
    return no_such_queue();
  stored_queue loaded{std::move(queues.front()), {}, {}};
  add_tasks(r[preamble_long + 2], loaded);
  add_schedules(r[preamble_long + 3], loaded);
  return loaded;
}

std::vector<call> load_queue_row(const core::queue_name& queue) {
  const auto one = wire::scalar(false);
  return {{&queues_by_name, {one, queue}}, {&paused_types_by_queue, {one, queue}}};
}

core::outcome<core::put_queue> load_queue_row(const results& r) {
  auto queues = read_queues(r[0], r[1]);
  if (queues.empty())
    return no_such_queue();
  return std::move(queues.front());
}

std::vector<call> queue_names() { return {{&names_of_queues, {}}}; }

std::vector<call> task_ids_of(const core::queue_name& queue) {
  return {{&task_ids_of_queue, {queue}}};
}

std::vector<call> schedule_names_of(const core::queue_name& queue) {
  return {{&names_of_schedules, {queue}}};
}

std::vector<core::task_id> task_ids(const results& r) { return ids_in(r[0]); }

std::vector<std::string> names(const results& r) {
  std::vector<std::string> found;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    found.push_back(r[0].get<std::string>(row, 0));
  return found;
}

std::vector<call> tasks_of(const core::queue_name& queue, const std::vector<core::task_id>& tasks) {
  wire::array_of<core::uuid> ids;
  for (const auto& task : tasks)
    ids.add(task.value);
  return long_read({{&tasks_of_queue, {queue, wire::scalar(false), ids.take()}}});
}

void add_tasks(const results& r, stored_queue& to) { add_tasks(r[preamble_long], to); }

std::vector<call> unique_key_of(const core::task_id& task) {
  return {{&unique_key_of_task, {wire::scalar(task.value)}}};
}

std::vector<call> schedule_of(const core::queue_name& queue, const std::string& name) {
  return {{&schedules_of_queue, {queue, name}}};
}

void add_schedules(const results& r, stored_queue& to) { add_schedules(r[0], to); }

std::vector<call> list_queues() {
  const auto all = wire::scalar(true);
  return long_read({{&queues_by_name, {all, {}}}, {&paused_types_by_queue, {all, {}}}});
}

std::vector<core::put_queue> list_queues(const results& r) {
  return read_queues(r[preamble_long], r[preamble_long + 1]);
}

std::vector<call> find_tasks(const std::vector<core::task_id>& tasks) {
  wire::array_of<core::uuid> ids;
  for (const auto& task : tasks)
    ids.add(task.value);
  return {{&known_among, {ids.take()}}};
}

std::vector<known_task> find_tasks(const results& r) {
  std::vector<known_task> found;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    found.push_back(
        {{r[0].get<core::uuid>(row, 0)}, r[0].get<std::string>(row, 1), r[0].get<bool>(row, 2)});
  return found;
}

std::vector<call> list_finished(const finished_filter& filter) {
  return long_read(
      {{&finished_after, parameters_of(filter, filter.only.empty() ? nullptr : &filter.only)}});
}

std::vector<call> finished_ids(const finished_filter& filter) {
  return long_read(
      {{&finished_ids_after, parameters_of(filter, filter.only.empty() ? nullptr : &filter.only)}});
}

std::vector<core::task_id> finished_ids(const results& r) { return ids_in(r[preamble_long]); }

std::vector<call> finished_of(const finished_filter& filter,
                              const std::vector<core::task_id>& tasks) {
  return long_read({{&finished_after, parameters_of(filter, &tasks)}});
}

std::vector<finished_task> list_finished(const results& r) {
  std::vector<finished_task> tasks;
  const auto& rows = r[preamble_long];
  for (std::size_t row = 0; row < rows.rows(); ++row)
    tasks.push_back(read_finished(rows, row));
  return tasks;
}

std::vector<call> list_tasks(const task_filter& filter) {
  wire::array_of<int2> endings;
  const auto failed = [](core::task_ending ending) {
    return ending == core::task_ending::failed || ending == core::task_ending::dead;
  };
  for (const auto ending : filter.endings)
    endings.add(static_cast<int2>(ending));
  const bool only_failed =
      filter.owner_id.empty() && std::all_of(filter.endings.begin(), filter.endings.end(), failed);
  const auto& behind =
      filter.newest_first && !filter.after ? beyond_every_task : filter.after.value;
  return long_read({{filter.newest_first ? &tasks_before : &tasks_after,
                     {wire::scalar(behind), filter.queue, filter.type, filter.owner_id,
                      wire::scalar(filter.waiting), wire::scalar(filter.leased), endings.take(),
                      wire::scalar(filter.created_from),
                      wire::scalar(filter.created_before.value_or(core::instant{})),
                      only_failed ? filter.queue : std::string{}, limit_parameter(filter.looks),
                      limit_parameter(filter.limit + 1), filter.key, filter.error_code}}});
}

listed_tasks list_tasks(const results& r, const task_filter& filter) {
  const auto& rows = r[preamble_long];
  listed_tasks page;
  page.last = filter.after;
  // There is a row even when nothing was found: it says how far was looked.
  for (std::size_t row = 0; row < rows.rows() && !rows.is_null(row, 0); ++row) {
    if (page.tasks.size() == filter.limit) {
      page.more = true;
      return page;
    }
    page.tasks.push_back(read_listed(rows, row));
    page.last = page.tasks.back().spec.id;
  }
  if (!rows.is_null(0, 23))
    page.last = {rows.get<core::uuid>(0, 23)};
  page.more = u64(rows, 0, 24) == filter.looks;
  return page;
}

std::vector<call> load_task(core::task_id task) {
  const auto id = wire::scalar(task.value);
  return short_read({{&task_by_id, {id}}, {&finished_by_id, {id}}, {&attempts_of_task, {id}}});
}

core::outcome<task_history> load_task(const results& r) {
  const auto& live = r[preamble_short];
  const auto& finished = r[preamble_short + 1];
  const auto& attempts = r[preamble_short + 2];
  task_history history;
  for (std::size_t row = 0; row < attempts.rows(); ++row)
    history.attempts.push_back(read_attempt(attempts, row));
  if (live.rows() > 0) {
    history.queue = live.get<std::string>(0, 1);
    history.live = read_live_task(live, 0);
    return history;
  }
  if (finished.rows() == 0)
    return core::failure{core::errc::not_found, "no such task"};
  history.queue = finished.get<std::string>(0, 1);
  history.finished = read_finished(finished, 0);
  for (auto& lease : read_leases(finished, 0).active)
    history.attempts.push_back({std::move(lease), std::string{to_string(history.finished->ending)},
                                history.finished->error, history.finished->finished_at});
  return history;
}

std::vector<call> count_tasks(const core::queue_name& queue) {
  return long_read({{&queue_exists, {queue}}, {&counts_of_queue, {queue}}});
}

core::outcome<queue_counts> count_tasks(const results& r) {
  if (r[preamble_long].rows() == 0)
    return no_such_queue();
  const auto& counts = r[preamble_long + 1];
  return queue_counts{u64(counts, 0, 0), u64(counts, 0, 1), u64(counts, 0, 2),
                      u64(counts, 0, 3), u64(counts, 0, 4), u64(counts, 0, 5)};
}

std::vector<call> find_overdue(core::instant ended_before, std::uint32_t limit) {
  const std::vector<std::string> parameters{wire::scalar(ended_before), limit_parameter(limit)};
  return long_read({{&overdue_queues, parameters}, {&overdue_steps, parameters}});
}

std::vector<core::hosted_item> find_overdue(const results& r) {
  std::vector<core::hosted_item> found;
  const auto& queues = r[preamble_long];
  for (std::size_t row = 0; row < queues.rows(); ++row)
    found.emplace_back(queues.get<std::string>(row, 0));
  const auto& steps = r[preamble_long + 1];
  for (std::size_t row = 0; row < steps.rows(); ++row)
    found.emplace_back(core::step_id{steps.get<core::uuid>(row, 0)});
  return found;
}

std::vector<call> find_due(core::task_id after, core::instant due_before, std::uint32_t limit) {
  return short_read(
      {{&due_tasks,
        {wire::scalar(after.value), wire::scalar(due_before), limit_parameter(limit)}}});
}

due_page find_due(const results& r) {
  due_page page;
  const auto& rows = r[preamble_short];
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const core::task_id task{rows.get<core::uuid>(row, 0)};
    if (rows.is_null(row, 1))
      page.last = task;
    else
      page.due.push_back({task, rows.get<std::string>(row, 1)});
  }
  return page;
}

} // namespace holdfast::persistence::reads
