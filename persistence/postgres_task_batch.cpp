#include "persistence/postgres_task_batch.hpp"

namespace holdfast::persistence::batch {

namespace {

// The rules for statements are those of postgres_batch.cpp: from the batch to the table row by row,
// and a division at the end that fails when a row is missing.

// The types of one queue travel beside the queues, because unnest would take an array of arrays
// apart to its elements.
constexpr statement put_queues{"put_queues", R"sql(
  WITH back AS (DELETE FROM holdfast.removed_queues WHERE queue = ANY ($1::text[]))
  INSERT INTO holdfast.queues AS q (queue, definition, paused, revision, created_at, changed_at,
                                    paused_types)
  SELECT t.queue, t.definition, t.paused, t.revision, t.at, t.at,
         ARRAY(SELECT p.type FROM unnest($6::text[], $7::text[]) WITH ORDINALITY
                                  AS p(queue, type, place)
                WHERE p.queue = t.queue ORDER BY p.place)
    FROM unnest($1::text[], $2::text[], $3::boolean[], $4::bigint[], $5::timestamptz[])
      AS t(queue, definition, paused, revision, at)
  ON CONFLICT (queue) DO UPDATE
     SET definition = excluded.definition, paused = excluded.paused, revision = excluded.revision,
         changed_at = excluded.changed_at, paused_types = excluded.paused_types)sql"};

// The three statements of every task's life check row by row, and not by counting at the end: a row
// that may not be written is divided by zero. Counting needs the rows returned, which costs an
// eighth of the whole.

// With the leases of those that were granted at once: one statement costs less than two, and need
// not look for the tasks that it makes.
constexpr statement add_tasks{"add_tasks", R"sql(
  WITH leased AS (
    INSERT INTO holdfast.task_leases (task_id, token, claim_id, worker, granted_at, expires_at)
    SELECT * FROM unnest($3::holdfast.task_lease_row[]))
  INSERT INTO holdfast.tasks (task_id, queue, type, version, body, trace_id, span_id, priority,
                              key, credential, unique_key, max_attempts, owner_id, run_as_id,
                              created_at, state, data, execution_state, percent, attempts,
                              crashes, next_action, last_change, last_action, paused)
  SELECT t.task_id, t.queue, t.type, t.version, t.body, t.trace_id, t.span_id, t.priority,
         t.key, t.credential, nullif(t.unique_key, ''),
         t.max_attempts / (SELECT (count(*) = cardinality($2::text[]))::integer
                             FROM holdfast.queues q WHERE q.queue = ANY ($2::text[])),
         t.owner_id, t.run_as_id, t.created_at, t.state, t.data, t.execution_state, t.percent,
         t.attempts,
         t.crashes / coalesce((SELECT 0 FROM holdfast.finished_tasks f
                                WHERE f.task_id = t.task_id), 1),
         t.next_action, t.last_change, t.last_action, t.paused
    FROM unnest($1::holdfast.task_row[]) AS t)sql"};

// What remained of the lease that ended with the task becomes one more attempt: the highest token
// must not be lost, and the next grant must not repeat it.
constexpr statement revive_tasks{"revive_tasks", R"sql(
  WITH given AS MATERIALIZED (
    SELECT f.*, t.state AS new_state, t.data AS new_data, t.execution_state AS new_execution_state,
           t.percent AS new_percent, t.attempts AS new_attempts, t.crashes AS new_crashes,
           t.next_action AS new_next_action, t.last_change AS new_last_change,
           t.last_action AS new_last_action, t.paused AS new_paused
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::integer[],
                  $7::integer[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[],
                  $11::boolean[])
        AS t(task_id, state, data, execution_state, percent, attempts, crashes, next_action,
             last_change, last_action, paused)
     CROSS JOIN LATERAL (SELECT g.ctid AS place, g.* FROM holdfast.finished_tasks g
                          WHERE g.task_id = t.task_id LIMIT 1) f),
  gone AS (
    DELETE FROM holdfast.finished_tasks WHERE ctid = ANY (ARRAY(SELECT place FROM given))
    RETURNING 1),
  kept AS (
    INSERT INTO holdfast.task_attempts (task_id, token, claim_id, worker, granted_at, expires_at,
                                        ended_at, ending, error_code, error_detail)
    SELECT task_id, token, claim_id, worker, granted_at, expires_at, finished_at,
           (10 + ending)::smallint, error_code, error_detail
      FROM given WHERE token IS NOT NULL),
  added AS (
    INSERT INTO holdfast.tasks (task_id, queue, type, version, body, trace_id, span_id, priority,
                                key, credential, unique_key, max_attempts, owner_id, run_as_id,
                                created_at, state, data, execution_state, percent, attempts,
                                crashes, next_action, last_change, last_action, paused)
    SELECT task_id, queue, type, version, body, trace_id, span_id, priority, key, credential,
           unique_key, max_attempts, owner_id, run_as_id, created_at, new_state, new_data,
           new_execution_state, new_percent, new_attempts, new_crashes, new_next_action,
           new_last_change, new_last_action, new_paused
      FROM given
    RETURNING 1)
  SELECT 1 / ((SELECT count(*) FROM added) = cardinality($1)
              AND (SELECT count(*) FROM gone) = cardinality($1))::integer)sql"};

constexpr statement add_task_leases{"add_task_leases", R"sql(
  INSERT INTO holdfast.task_leases (task_id, token, claim_id, worker, granted_at, expires_at)
  SELECT t.task_id,
         t.token / coalesce((SELECT 1 FROM holdfast.tasks f WHERE f.task_id = t.task_id), 0),
         t.claim_id, t.worker, t.granted_at, t.expires_at
    FROM unnest($1::holdfast.task_lease_row[]) AS t)sql"};

constexpr statement add_late_results{"add_late_results", R"sql(
  WITH added AS (
    INSERT INTO holdfast.late_results (task_id, token, worker, outcome, detail, received_at)
    SELECT t.task_id, t.token, t.worker, t.outcome, t.detail, t.received_at
      FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[],
                  $6::timestamptz[])
        AS t(task_id, token, worker, outcome, detail, received_at)
      LEFT JOIN LATERAL (SELECT f.task_id FROM holdfast.tasks f
                          WHERE f.task_id = t.task_id LIMIT 1) live ON true
      LEFT JOIN LATERAL (SELECT f.task_id FROM holdfast.finished_tasks f
                          WHERE f.task_id = t.task_id LIMIT 1) finished ON true
     WHERE live.task_id IS NOT NULL OR finished.task_id IS NOT NULL
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM added)sql"};

constexpr statement update_tasks{"update_tasks", R"sql(
  WITH changed AS (
    UPDATE holdfast.tasks k
       SET state = t.state, data = t.data, execution_state = t.execution_state,
           percent = t.percent, attempts = t.attempts, crashes = t.crashes,
           next_action = t.next_action, last_change = t.last_change, last_action = t.last_action,
           paused = t.paused, failures = t.failures,
           ejection = nullif(t.ejection, '00000000-0000-0000-0000-000000000000'),
           saved_under = t.saved_under, saved_number = t.saved_number, pauses = t.pauses,
           idle_releases = t.idle_releases
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::integer[],
                  $7::integer[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[],
                  $11::boolean[], $12::integer[], $13::uuid[], $14::bigint[], $15::bigint[],
                  $16::integer[], $17::integer[])
        AS t(task_id, state, data, execution_state, percent, attempts, crashes, next_action,
             last_change, last_action, paused, failures, ejection, saved_under, saved_number,
             pauses, idle_releases)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.tasks f
                          WHERE f.task_id = t.task_id LIMIT 1) found
     WHERE k.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement extend_task_leases{"extend_task_leases", R"sql(
  WITH changed AS (
    UPDATE holdfast.task_leases l
       SET expires_at = t.expires_at,
           granted_at = least(l.granted_at, t.expires_at - interval '1 microsecond')
      FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) AS t(task_id, token, expires_at)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.task_leases f
                          WHERE f.task_id = t.task_id AND f.token = t.token LIMIT 1) found
     WHERE l.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement end_task_leases{"end_task_leases", R"sql(
  WITH used AS MATERIALIZED (
    SELECT t.task_id, t.token, l.claim_id, l.worker, l.granted_at, l.expires_at, t.ended_at,
           t.ending, t.error_code, t.error_detail, l.ctid AS place
      FROM unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[], $5::text[],
                  $6::timestamptz[])
        AS t(task_id, token, ending, error_code, error_detail, ended_at)
     CROSS JOIN LATERAL (SELECT f.ctid, f.claim_id, f.worker, f.granted_at, f.expires_at
                           FROM holdfast.task_leases f
                          WHERE f.task_id = t.task_id AND f.token = t.token LIMIT 1) l),
  gone AS (
    DELETE FROM holdfast.task_leases WHERE ctid = ANY (ARRAY(SELECT place FROM used))
    RETURNING 1),
  added AS (
    INSERT INTO holdfast.task_attempts (task_id, token, claim_id, worker, granted_at, expires_at,
                                        ended_at, ending, error_code, error_detail)
    SELECT task_id, token, claim_id, worker, granted_at, expires_at, ended_at, ending, error_code,
           error_detail
      FROM used
    RETURNING 1)
  SELECT 1 / ((SELECT count(*) FROM added) = cardinality($1)
              AND (SELECT count(*) FROM gone) = cardinality($1))::integer)sql"};

// A task that is to end without a lease must have none: then both tokens are null. All parts see
// the rows as they were before, and what the last one has found the others take away.
constexpr statement finish_tasks{"finish_tasks", R"sql(
  WITH gone AS (
    DELETE FROM holdfast.tasks WHERE task_id = ANY ($2::uuid[])),
  ended AS (
    DELETE FROM holdfast.task_leases WHERE task_id = ANY ($2::uuid[]))
  INSERT INTO holdfast.finished_tasks (
           task_id, queue, type, version, body, trace_id, span_id, priority, key, credential,
           unique_key, max_attempts, owner_id, run_as_id, created_at, state, data,
           execution_state, percent, attempts, crashes, next_action, last_change, last_action,
           paused, ending, result, error_code, error_detail, finished_at, token, claim_id,
           worker, granted_at, expires_at)
  SELECT t.task_id, k.queue, k.type, k.version, k.body, k.trace_id, k.span_id, k.priority, k.key,
         k.credential, k.unique_key, k.max_attempts, k.owner_id, k.run_as_id, k.created_at,
         t.state, t.data, t.execution_state, t.percent, t.attempts, t.crashes, t.next_action,
         t.last_change, t.last_action, t.paused,
         t.ending / CASE WHEN k.is_live AND l.token IS NOT DISTINCT FROM nullif(t.token, 0)
                         THEN 1 ELSE 0 END,
         nullif(t.result, ''), t.error_code, t.error_detail, t.finished_at, l.token, l.claim_id,
         l.worker, l.granted_at, l.expires_at
    FROM unnest($1::holdfast.task_end_row[]) AS t
    LEFT JOIN LATERAL (SELECT true AS is_live, f.queue, f.type, f.version, f.body, f.trace_id,
                              f.span_id, f.priority, f.key, f.credential, f.unique_key,
                              f.max_attempts, f.owner_id, f.run_as_id, f.created_at
                         FROM holdfast.tasks f WHERE f.task_id = t.task_id LIMIT 1) k ON true
    LEFT JOIN LATERAL (SELECT f.token, f.claim_id, f.worker, f.granted_at, f.expires_at
                         FROM holdfast.task_leases f
                        WHERE f.task_id = t.task_id LIMIT 1) l ON true)sql"};

constexpr statement put_schedules{"put_schedules", R"sql(
  WITH put AS (
    INSERT INTO holdfast.schedules AS s (queue, name, definition, created_at, handled_until,
                                         last_made, revision, changed_at)
    SELECT t.queue, t.name, t.definition, t.created_at, t.handled_until,
           nullif(t.last_made, 'epoch'), t.revision, t.at
      FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
                  $6::timestamptz[], $7::bigint[], $8::timestamptz[])
        AS t(queue, name, definition, created_at, handled_until, last_made, revision, at)
     CROSS JOIN LATERAL (SELECT FROM holdfast.queues q WHERE q.queue = t.queue LIMIT 1) q
    ON CONFLICT (queue, name) DO UPDATE
       SET definition = excluded.definition, created_at = excluded.created_at,
           handled_until = excluded.handled_until, last_made = excluded.last_made,
           revision = excluded.revision, changed_at = excluded.changed_at
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM put)sql"};

constexpr statement delete_schedules{"delete_schedules", R"sql(
  DELETE FROM holdfast.schedules s
   USING unnest($1::text[], $2::text[]) AS t(queue, name)
   WHERE s.queue = t.queue AND s.name = t.name)sql"};

constexpr statement delete_queues{"delete_queues", R"sql(
  WITH gone AS (
    DELETE FROM holdfast.queues q USING unnest($1::text[], $2::timestamptz[]) AS t(queue, at)
     WHERE q.queue = t.queue
       AND NOT EXISTS (SELECT FROM holdfast.tasks k WHERE k.queue = t.queue)
    RETURNING q.queue, q.definition, t.at),
  unscheduled AS (DELETE FROM holdfast.schedules WHERE queue = ANY ($1::text[])),
  kept AS (
    INSERT INTO holdfast.removed_queues (queue, definition, removed_at)
    SELECT queue, definition, at FROM gone
    ON CONFLICT (queue) DO UPDATE
       SET definition = excluded.definition, removed_at = excluded.removed_at)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM gone)sql"};

/// Appends the statement with its own columns and the progress of each row; false when there is
/// none.
template <class Columns>
bool append_with_progress(std::vector<call>& calls, const statement& what, Columns& own,
                          progress_columns& progress) {
  if (own.empty())
    return false;
  call made{&what, {}};
  own.append_to(made);
  progress.append_to(made);
  calls.push_back(std::move(made));
  return true;
}

void append_queues(std::vector<call>& calls,
                   const std::map<core::queue_name, const core::put_queue*>& last) {
  columns<text, text, bool, int8, core::instant> queues;
  columns<text, text> paused_types;
  for (const auto& [name, w] : last) {
    queues.add(text{name}, text{w->definition}, w->paused, big(w->revision), w->at);
    for (const auto& type : w->paused_types)
      paused_types.add(text{name}, text{type});
  }
  if (queues.empty())
    return;
  call made{&put_queues, {}};
  queues.append_to(made);
  paused_types.append_to(made);
  calls.push_back(std::move(made));
}

void append_schedules(std::vector<call>& calls,
                      const std::map<schedule_key, const core::put_schedule_row*>& put,
                      const std::set<schedule_key>& deleted) {
  columns<text, text, text, core::instant, core::instant, core::instant, int8, core::instant> rows;
  for (const auto& [key, w] : put)
    rows.add(text{w->queue}, text{w->name}, text{w->definition}, w->created_at, w->handled_until,
             w->last_made, big(w->revision), w->at);
  rows.append_to(calls, put_schedules);
  columns<text, text> gone;
  for (const auto& [queue, name] : deleted)
    gone.add(text{queue}, text{name});
  gone.append_to(calls, delete_schedules);
}

} // namespace

// What is new, or revived, has not been tried yet, and has been ejected from nobody.

void task_writes::operator()(const core::insert_task& w) {
  const auto& s = w.spec;
  const auto& p = w.progress;
  queues_of_tasks_.insert(w.queue);
  made_.insert(s.id);
  tasks_.add(s.id.value, text{w.queue}, text{s.type}, text{s.version}, text{s.body},
             text{s.trace_id}, text{s.span_id}, s.priority, text{s.key}, text{s.credential},
             text{s.unique_key}, plain(s.max_attempts), text{s.owner_id}, text{s.run_as_id},
             s.created_at, text{p.state}, text{p.data}, text{p.execution_state}, plain(p.percent),
             plain(p.attempts), plain(p.crashes), p.next_action, p.last_change, p.last_action,
             p.paused);
}

void task_writes::operator()(const core::update_task& w) {
  updated_.add(w.task.value);
  progress_of_updated_.add(w.progress);
  kept_of_updated_.add(plain(w.progress.failures), w.progress.ejection.value,
                       big(w.progress.saved_under), big(w.progress.saved_number),
                       plain(w.progress.pauses), plain(w.progress.idle_releases));
}

void task_writes::operator()(const core::insert_task_lease& w) {
  auto& leases = made_.count(w.task) != 0 ? leases_of_made_ : leases_;
  leases.add(w.task.value, big(w.lease.token), w.lease.id.value, text{w.lease.owner},
             w.lease.granted_at, w.lease.expires_at);
}

void task_writes::operator()(const core::extend_task_lease& w) {
  extended_.add(w.task.value, big(w.token), w.expires_at);
}

void task_writes::operator()(const core::end_task_lease& w) {
  ended_.add(w.task.value, big(w.token), small(w.how), text{w.error.code}, text{w.error.detail},
             w.at);
}

void task_writes::operator()(const core::finish_task& w) {
  const auto& p = w.progress;
  ids_of_finished_.add(w.task.value);
  finished_.add(w.task.value, big(w.token), small(w.ending), text{w.result}, text{w.error.code},
                text{w.error.detail}, w.at, text{p.state}, text{p.data}, text{p.execution_state},
                plain(p.percent), plain(p.attempts), plain(p.crashes), p.next_action, p.last_change,
                p.last_action, p.paused);
}

void task_writes::operator()(const core::revive_task& w) {
  revived_.add(w.task.value);
  progress_of_revived_.add(w.progress);
}

void task_writes::operator()(const core::insert_late_result& w) {
  late_results_.add(w.task.value, big(w.token), text{w.worker}, text{w.outcome}, text{w.detail},
                    w.at);
}

void task_writes::append_to(std::vector<call>& calls, const row_types& types) {
  append_queues(calls, queues_);
  if (tasks_.append_to(calls, add_tasks, types.task)) {
    wire::array_of<text> queues;
    for (const auto& queue : queues_of_tasks_)
      queues.add(queue);
    auto& parameters = calls.back().parameters;
    parameters.push_back(queues.take());
    parameters.push_back(leases_of_made_.array.take(types.task_lease));
  }
  append_with_progress(calls, revive_tasks, revived_, progress_of_revived_);
  leases_.append_to(calls, add_task_leases, types.task_lease);
  late_results_.append_to(calls, add_late_results);
  if (append_with_progress(calls, update_tasks, updated_, progress_of_updated_))
    kept_of_updated_.append_to(calls.back());
  extended_.append_to(calls, extend_task_leases);
  ended_.append_to(calls, end_task_leases);
  if (finished_.append_to(calls, finish_tasks, types.task_end))
    calls.back().parameters.push_back(ids_of_finished_.take());
  append_schedules(calls, schedules_put_, schedules_deleted_);
}

void task_writes::append_removals_to(std::vector<call>& calls) {
  columns<text, core::instant> gone;
  for (const auto& [queue, at] : queues_deleted_)
    gone.add(text{queue}, at);
  gone.append_to(calls, delete_queues);
}

} // namespace holdfast::persistence::batch
