#include "persistence/postgres_batch.hpp"

#include "persistence/batch_columns.hpp"
#include "persistence/event_text.hpp"
#include "persistence/postgres_audit_batch.hpp"
#include "persistence/postgres_correction_batch.hpp"
#include "persistence/postgres_intake_batch.hpp"
#include "persistence/postgres_profile_batch.hpp"
#include "persistence/postgres_queue_action_batch.hpp"
#include "persistence/postgres_removal_batch.hpp"
#include "persistence/postgres_task_batch.hpp"
#include "persistence/postgres_token_batch.hpp"
#include "persistence/postgres_webhook_batch.hpp"

#include <map>
#include <optional>
#include <utility>

namespace holdfast::persistence {

namespace {

using namespace batch;

// Every statement divides by whether it touched as many rows as it was given, at its end or for
// each row: a missing row raises 22012 and takes the transaction with it.

constexpr statement begin{"begin", "BEGIN"};
constexpr statement commit{"commit", "COMMIT"};

// Compare and swap on epoch and sequences: fences, and makes a second try of the same batch stop
// here. It waits for a takeover in flight and then sees the new epoch. Rows are locked in order of
// shard, as in a takeover, so the two cannot deadlock.
// Every statement that looks rows up goes from the batch to the table, row by row through the key:
// `LATERAL (… LIMIT 1)` leaves the planner no other way, as long as no other index of the table
// fits what is asked inside: one that has the column in second place, or whose condition is named
// as well, looks as good as the key when the table looks empty, and is read as a whole for each row
// of the batch. So the state of a unit is looked at outside. Left to itself the planner starts from
// the table whenever statistics call that small, as they do for a table of live leases after each
// vacuum, and compares every row of it with every row of the batch (measured: half the throughput
// at 1,000 contributors). Rows found stay where they are until the end of the statement, because
// only the holder of the fence writes them; so they are addressed by `ctid` from there on.

constexpr statement fence{"fence", R"sql(
  WITH moved AS (
    UPDATE holdfast.shard_leases s
       SET batch_seq = p.batch_seq, event_seq = s.event_seq + p.events
      FROM (SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[],
                                 $5::bigint[])
              AS t(shard, epoch, batch_seq, first_event, events) ORDER BY shard) p
     WHERE s.shard = p.shard AND s.epoch = p.epoch AND s.batch_seq = p.batch_seq - 1
       AND (p.events = 0 OR s.event_seq = p.first_event - 1)
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM moved)sql"};

// The same for one shard, which takes two thirds of the time: where few callers share a commit,
// that is most of what their rows cost.
constexpr statement fence_one{"fence_one", R"sql(
  WITH moved AS (
    UPDATE holdfast.shard_leases
       SET batch_seq = $3::bigint, event_seq = event_seq + $5::bigint
     WHERE shard = $1::integer AND epoch = $2::bigint AND batch_seq = $3::bigint - 1
       AND ($5::bigint = 0 OR event_seq = $4::bigint - 1)
    RETURNING 1)
  SELECT 1 / count(*) FROM moved)sql"};

constexpr statement read_row_types{"read_row_types", R"sql(
  SELECT 'holdfast.task_row'::regtype::oid::bigint,
         'holdfast.task_lease_row'::regtype::oid::bigint,
         'holdfast.task_end_row'::regtype::oid::bigint,
         'holdfast.lease_row'::regtype::oid::bigint,
         'holdfast.handed_in_row'::regtype::oid::bigint)sql"};

constexpr statement read_fences{"read_fences", R"sql(
  SELECT shard, epoch, batch_seq, event_seq FROM holdfast.shard_leases
   WHERE shard = ANY ($1::integer[]))sql"};

// Any row would do: what counts is that a commit is written to the log.
constexpr statement confirm{"confirm", R"sql(
  UPDATE holdfast.shard_leases SET batch_seq = batch_seq WHERE shard = $1::integer)sql"};

constexpr statement add_workflows{"add_workflows", R"sql(
  INSERT INTO holdfast.workflows (workflow_id, name, definition, created_at)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]))sql"};

// Several of one workflow follow each other in their order.
constexpr statement add_workflow_versions{"add_workflow_versions", R"sql(
  WITH added AS (
    INSERT INTO holdfast.workflow_versions (workflow_id, version, definition, created_at)
    SELECT t.workflow_id, t.version, t.definition, t.created_at
      FROM (SELECT *, row_number() OVER (PARTITION BY workflow_id ORDER BY place) AS nth
              FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::timestamptz[])
                WITH ORDINALITY AS g(workflow_id, version, definition, created_at, place)) t
     CROSS JOIN LATERAL (SELECT coalesce(max(f.version), 1) AS version
                           FROM holdfast.workflow_versions f
                          WHERE f.workflow_id = t.workflow_id) latest
     WHERE t.version = latest.version + t.nth
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM added)sql"};

constexpr statement add_steps{"add_steps", R"sql(
  INSERT INTO holdfast.steps (step_id, workflow_id, key, position, status, sealed, total_units,
                              completed_units, revision, created_at, upstreams_completed,
                              job_revision, job_status)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[], $5::smallint[],
                       $6::boolean[], $7::bigint[], $8::bigint[], $9::bigint[],
                       $10::timestamptz[], $11::bigint[], $12::bigint[], $13::smallint[]))sql"};

constexpr statement add_units{"add_units", R"sql(
  WITH added AS (
    INSERT INTO holdfast.units (unit_id, step_id, root_id, parent_id, ordinal, source_key, input,
                                slots, created_at, truth, loops, part, version, state, list_id,
                                list_size, list_part, parent_reopened)
    SELECT t.unit_id, t.step_id, t.root_id, t.parent_id, t.ordinal, t.source_key, t.input, t.slots,
           t.created_at, t.truth, t.loops, t.part, t.version, t.state, t.list_id, t.list_size,
           t.list_part, t.parent_reopened
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[],
                  $7::text[], $8::integer[], $9::timestamptz[], $10::text[], $11::integer[],
                  $12::integer[], $13::integer[], $14::smallint[], $15::uuid[], $16::integer[],
                  $17::integer[], $18::integer[])
        AS t(unit_id, step_id, root_id, parent_id, ordinal, source_key, input, slots, created_at,
             truth, loops, part, version, state, list_id, list_size, list_part, parent_reopened)
     CROSS JOIN LATERAL (SELECT FROM holdfast.steps s WHERE s.step_id = t.step_id LIMIT 1) s
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM added)sql"};

constexpr statement add_exclusions{"add_exclusions", R"sql(
  INSERT INTO holdfast.unit_exclusions (unit_id, contributor_id)
  SELECT * FROM unnest($1::uuid[], $2::text[]))sql"};

// The batch is there by now. What it says of itself is looked at outside as well.
constexpr statement gather_into_batches{"gather_into_batches", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET batch_id = t.batch_id
      FROM unnest($1::uuid[], $2::uuid[]) AS t(unit_id, batch_id)
     CROSS JOIN LATERAL (SELECT f.ctid, f.step_id, f.state, f.batch_id FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     CROSS JOIN LATERAL (SELECT f.step_id, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.batch_id LIMIT 1) batch
     WHERE u.ctid = found.ctid AND found.state = 5 AND found.batch_id IS NULL
       AND batch.state < 3 AND batch.step_id = found.step_id
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement ungather_from_batches{"ungather_from_batches", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET batch_id = NULL, ungathered = u.ungathered + 1
      FROM unnest($1::uuid[], $2::uuid[]) AS t(unit_id, batch_id)
     CROSS JOIN LATERAL (SELECT f.ctid, f.batch_id FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     CROSS JOIN LATERAL (SELECT f.state FROM holdfast.units f
                          WHERE f.unit_id = t.batch_id LIMIT 1) batch
     WHERE u.ctid = found.ctid AND found.batch_id = t.batch_id AND batch.state = 4
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement add_leases{"add_leases", R"sql(
  WITH added AS (
    INSERT INTO holdfast.active_leases (unit_id, contributor_id, token, assignment_id, granted_at,
                                        expires_at)
    SELECT t.unit_id, t.contributor_id, t.token, t.assignment_id, t.granted_at, t.expires_at
      FROM unnest($1::holdfast.lease_row[]) AS t
     CROSS JOIN LATERAL (SELECT f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) u
     WHERE u.state < 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM added)sql"};

// An assignment id names one lease for ever (I-3). Those of live leases have a key; that the id is
// not in the histories is looked at here, in a statement of its own: a lease with the same id that
// was just on its way into one has made the insertion wait, and this statement sees that.
constexpr statement check_assignments{"check_assignments", R"sql(
  SELECT 1 / (count(*) = 0)::integer
    FROM (SELECT t.id FROM unnest($1::uuid[]) AS t(id)
           CROSS JOIN LATERAL (SELECT FROM holdfast.judgments f
                                WHERE f.assignment_id = t.id LIMIT 1) j
          UNION ALL
          SELECT t.id FROM unnest($1::uuid[]) AS t(id)
           CROSS JOIN LATERAL (SELECT FROM holdfast.ended_leases f
                                WHERE f.assignment_id = t.id LIMIT 1) e) used)sql"};

constexpr statement add_inbox{"add_inbox", R"sql(
  INSERT INTO holdfast.inbox (consumer, shard, seq)
  SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[]))sql"};

constexpr statement add_events{"add_events", R"sql(
  INSERT INTO holdfast.outbox (shard, epoch, batch_seq, first_seq, count, events)
  SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[],
                       $6::text[]))sql"};

constexpr statement update_steps{"update_steps", R"sql(
  WITH changed AS (
    UPDATE holdfast.steps s
       SET status = t.status, sealed = t.sealed, total_units = t.total_units,
           completed_units = t.completed_units, revision = t.revision,
           upstreams_completed = t.upstreams_completed, job_revision = t.job_revision,
           job_status = t.job_status
      FROM unnest($1::uuid[], $2::smallint[], $3::boolean[], $4::bigint[], $5::bigint[],
                  $6::bigint[], $7::bigint[], $8::bigint[], $9::smallint[])
        AS t(step_id, status, sealed, total_units, completed_units, revision, upstreams_completed,
             job_revision, job_status)
     WHERE s.step_id = t.step_id
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement set_units_slots{"set_units_slots", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET slots = t.slots
      FROM unnest($1::uuid[], $2::integer[]) AS t(unit_id, slots)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state < 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement set_unit_states{"set_unit_states", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET state = t.state, changed_at = t.at
      FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[]) AS t(unit_id, state, at)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state < 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement set_unit_inputs{"set_unit_inputs", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET input = t.input
      FROM unnest($1::uuid[], $2::text[]) AS t(unit_id, input)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state, f.truth, f.parent_id FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state < 3 AND found.truth IS NULL
       AND found.parent_id IS NULL
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement finalize_units{"finalize_units", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u
       SET state = 3, result = t.result, confidence = t.confidence, changed_at = t.at,
           route = t.route, route_reason = nullif(t.route_reason, ''), overridden = false
      FROM unnest($1::uuid[], $2::text[], $3::double precision[], $4::timestamptz[],
                  $5::smallint[], $6::text[])
        AS t(unit_id, result, confidence, at, route, route_reason)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state < 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement reopen_units{"reopen_units", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u
       SET state = 1, slots = t.slots, changed_at = t.at, reopened = u.reopened + 1,
           result = NULL, confidence = NULL, route = NULL, route_reason = NULL, overridden = false
      FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[]) AS t(unit_id, slots, at)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state = 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement restate_units{"restate_units", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET result = t.result, confidence = t.confidence
      FROM unnest($1::uuid[], $2::text[], $3::double precision[]) AS t(unit_id, result, confidence)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state = 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement withdraw_units{"withdraw_units", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET state = 4, changed_at = t.at
      FROM unnest($1::uuid[], $2::timestamptz[]) AS t(unit_id, at)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state, f.batch_id FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid
       AND (found.state = 3 OR (found.state = 5 AND found.batch_id IS NULL))
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement set_questions_forgiven{"set_questions_forgiven", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u
       SET forgiven_at = CASE WHEN t.forgiven THEN t.at END, forgiving_changed_at = t.at
      FROM unnest($1::uuid[], $2::boolean[], $3::timestamptz[]) AS t(unit_id, forgiven, at)
     CROSS JOIN LATERAL (SELECT f.ctid, f.truth, f.forgiven_at FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.truth IS NOT NULL
       AND (found.forgiven_at IS NULL) = t.forgiven
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

// A lease that began before the clock was set back may get an end before its beginning, which is
// brought forward with it.
constexpr statement extend_leases{"extend_leases", R"sql(
  WITH changed AS (
    UPDATE holdfast.active_leases l
       SET expires_at = t.expires_at,
           granted_at = least(l.granted_at, t.expires_at - interval '1 microsecond')
      FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::timestamptz[])
        AS t(unit_id, contributor_id, token, expires_at)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.active_leases f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                            AND f.token = t.token LIMIT 1) found
     WHERE l.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement add_judgments{"add_judgments", R"sql(
  WITH used AS MATERIALIZED (
    SELECT t.judgment_id, t.unit_id, l.assignment_id, t.token, l.granted_at, l.expires_at,
           t.submitted_at, t.trust_snapshot, t.test_question_correct, t.judged_before,
           t.trust_questions, t.contributor_id, t.answer, t.payload, l.ctid AS place
      FROM unnest($1::holdfast.handed_in_row[]) AS t
     CROSS JOIN LATERAL (SELECT f.ctid, f.assignment_id, f.granted_at, f.expires_at
                           FROM holdfast.active_leases f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                            AND f.token = t.token LIMIT 1) l),
  gone AS (
    DELETE FROM holdfast.active_leases WHERE ctid = ANY (ARRAY(SELECT place FROM used))
    RETURNING 1),
  added AS (
    INSERT INTO holdfast.judgments (judgment_id, unit_id, assignment_id, token, started_at,
                                    lease_expires_at, submitted_at, trust_snapshot,
                                    on_test_question, test_question_correct, judged_before,
                                    trust_questions, contributor_id, answer, payload)
    SELECT judgment_id, unit_id, assignment_id, token, granted_at, expires_at, submitted_at,
           trust_snapshot, test_question_correct IS NOT NULL, test_question_correct, judged_before,
           trust_questions, contributor_id, answer, payload FROM used
    RETURNING 1)
  SELECT 1 / ((SELECT count(*) FROM added) = cardinality($1)
              AND (SELECT count(*) FROM gone) = cardinality($1))::integer)sql"};

constexpr statement taint_judgments{"taint_judgments", R"sql(
  WITH changed AS (
    UPDATE holdfast.judgments j SET is_tainted = true, tainted_at = t.at
      FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS t(unit_id, contributor_id, at)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.judgments f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                            AND NOT f.is_tainted LIMIT 1) found
     WHERE j.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement restore_judgments{"restore_judgments", R"sql(
  WITH changed AS (
    UPDATE holdfast.judgments j SET is_tainted = false, tainted_at = NULL
      FROM unnest($1::uuid[], $2::text[]) AS t(unit_id, contributor_id)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.judgments f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                            AND f.is_tainted LIMIT 1) found
     WHERE j.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement set_judgments_trust{"set_judgments_trust", R"sql(
  WITH changed AS (
    UPDATE holdfast.judgments j SET trust_snapshot = t.trust,
                                    trust_questions = nullif(t.questions, -1)
      FROM unnest($1::uuid[], $2::text[], $3::double precision[], $4::integer[])
        AS t(unit_id, contributor_id, trust, questions)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.judgments f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                          LIMIT 1) found
     WHERE j.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement end_leases{"end_leases", R"sql(
  WITH used AS MATERIALIZED (
    SELECT t.unit_id, t.contributor_id, t.token, l.assignment_id, l.granted_at, l.expires_at,
           t.ended_at, t.ending, l.ctid AS place
      FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::smallint[], $5::timestamptz[])
        AS t(unit_id, contributor_id, token, ending, ended_at)
     CROSS JOIN LATERAL (SELECT f.ctid, f.assignment_id, f.granted_at, f.expires_at
                           FROM holdfast.active_leases f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                            AND f.token = t.token LIMIT 1) l),
  gone AS (
    DELETE FROM holdfast.active_leases WHERE ctid = ANY (ARRAY(SELECT place FROM used))
    RETURNING 1),
  added AS (
    INSERT INTO holdfast.ended_leases (unit_id, contributor_id, token, assignment_id, granted_at,
                                       expires_at, ended_at, ending)
    SELECT unit_id, contributor_id, token, assignment_id, granted_at, expires_at, ended_at, ending
      FROM used
    RETURNING 1)
  SELECT 1 / ((SELECT count(*) FROM added) = cardinality($1)
              AND (SELECT count(*) FROM gone) = cardinality($1))::integer)sql"};

// The history has one row for each token, so the key finds it; whose it is, and that it expired, is
// looked at outside.
constexpr statement add_late_judgments{"add_late_judgments", R"sql(
  WITH used AS MATERIALIZED (
    SELECT t.judgment_id, t.unit_id, l.assignment_id, t.token, l.granted_at, l.expires_at,
           t.submitted_at, t.trust_snapshot, t.test_question_correct, t.judged_before,
           t.trust_questions, t.contributor_id, t.answer, t.payload, l.ctid AS place
      FROM unnest($1::holdfast.handed_in_row[]) AS t
     CROSS JOIN LATERAL (SELECT f.ctid, f.contributor_id, f.ending, f.assignment_id, f.granted_at,
                                f.expires_at
                           FROM holdfast.ended_leases f
                          WHERE f.unit_id = t.unit_id AND f.token = t.token LIMIT 1) l
     WHERE l.contributor_id = t.contributor_id AND l.ending = 1),
  gone AS (
    DELETE FROM holdfast.ended_leases WHERE ctid = ANY (ARRAY(SELECT place FROM used))
    RETURNING 1),
  added AS (
    INSERT INTO holdfast.judgments (judgment_id, unit_id, assignment_id, token, started_at,
                                    lease_expires_at, submitted_at, trust_snapshot,
                                    on_test_question, test_question_correct, judged_before,
                                    trust_questions, contributor_id, answer, payload, is_late)
    SELECT judgment_id, unit_id, assignment_id, token, granted_at, expires_at, submitted_at,
           trust_snapshot, test_question_correct IS NOT NULL, test_question_correct, judged_before,
           trust_questions, contributor_id, answer, payload, true FROM used
    RETURNING 1)
  SELECT 1 / ((SELECT count(*) FROM added) = cardinality($1)
              AND (SELECT count(*) FROM gone) = cardinality($1))::integer)sql"};

constexpr statement add_surplus_judgments{"add_surplus_judgments", R"sql(
  WITH added AS (
    INSERT INTO holdfast.surplus_judgments (judgment_id, unit_id, token, submitted_at,
                                            trust_snapshot, trust_questions, contributor_id,
                                            answer, payload)
    SELECT t.judgment_id, t.unit_id, t.token, t.submitted_at, t.trust_snapshot, t.trust_questions,
           t.contributor_id, t.answer, t.payload
      FROM unnest($1::holdfast.handed_in_row[]) AS t
     CROSS JOIN LATERAL (SELECT f.contributor_id, f.ending FROM holdfast.ended_leases f
                          WHERE f.unit_id = t.unit_id AND f.token = t.token LIMIT 1) l
     WHERE l.contributor_id = t.contributor_id AND l.ending = 1
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM added)sql"};

constexpr statement put_standings{"put_standings", R"sql(
  WITH put AS (
    INSERT INTO holdfast.contributor_standings AS s (step_id, contributor_id, standing, reason,
                                                     changed_at, by_removal)
    SELECT t.step_id, t.contributor_id, t.standing, t.reason, t.at, t.by_removal
      FROM unnest($1::uuid[], $2::text[], $3::smallint[], $4::smallint[], $5::timestamptz[],
                  $6::boolean[])
        AS t(step_id, contributor_id, standing, reason, at, by_removal)
     CROSS JOIN LATERAL (SELECT FROM holdfast.steps f WHERE f.step_id = t.step_id LIMIT 1) found
    ON CONFLICT (step_id, contributor_id) DO UPDATE
       SET standing = excluded.standing, reason = excluded.reason,
           changed_at = excluded.changed_at, by_removal = excluded.by_removal
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM put)sql"};

constexpr statement add_flags{"add_flags", R"sql(
  WITH added AS (
    INSERT INTO holdfast.contributor_flags (step_id, contributor_id, monitor, why, raised_at)
    SELECT t.step_id, t.contributor_id, t.monitor, t.why, t.at
      FROM unnest($1::uuid[], $2::text[], $3::smallint[], $4::text[], $5::timestamptz[])
        AS t(step_id, contributor_id, monitor, why, at)
     CROSS JOIN LATERAL (SELECT FROM holdfast.steps f WHERE f.step_id = t.step_id LIMIT 1) found
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM added)sql"};

constexpr statement put_repairs{"put_repairs", R"sql(
  WITH put AS (
    INSERT INTO holdfast.repairs AS r (repair_id, step_id, contributor_id, dry_run, through,
                                       bookmark, found, unchanged, changed, reopened, went_on,
                                       disregarded, asked_at, changed_at, reissued)
    SELECT t.repair_id, t.step_id, t.contributor_id, t.dry_run, t.through, t.bookmark, t.found,
           t.unchanged, t.changed, t.reopened, t.went_on, t.disregarded, t.asked_at, t.changed_at,
           t.reissued
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[],
                  $12::bigint[], $13::timestamptz[], $14::timestamptz[], $15::bigint[])
        AS t(repair_id, step_id, contributor_id, dry_run, through, bookmark, found, unchanged,
             changed, reopened, went_on, disregarded, asked_at, changed_at, reissued)
     CROSS JOIN LATERAL (SELECT FROM holdfast.steps f WHERE f.step_id = t.step_id LIMIT 1) found
    ON CONFLICT (repair_id) DO UPDATE
       SET bookmark = excluded.bookmark, found = excluded.found, unchanged = excluded.unchanged,
           changed = excluded.changed, reopened = excluded.reopened, went_on = excluded.went_on,
           disregarded = excluded.disregarded, changed_at = excluded.changed_at,
           reissued = excluded.reissued
     WHERE r.step_id = excluded.step_id
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM put)sql"};

constexpr statement advance_cursors{"advance_cursors", R"sql(
  INSERT INTO holdfast.consumer_cursors AS c (consumer, shard, seq)
  SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[])
  ON CONFLICT (consumer, shard) DO UPDATE SET seq = greatest(c.seq, excluded.seq))sql"};

/// Sorts the writes of a batch by kind, one set of columns each.
class sorted_writes : public task_writes,
                      public intake_writes,
                      public webhook_writes,
                      public profile_writes,
                      public removal_writes,
                      public token_writes,
                      public queue_action_writes,
                      public correction_writes,
                      public audit_writes {
public:
  using audit_writes::operator();
  using correction_writes::operator();
  using intake_writes::operator();
  using profile_writes::operator();
  using removal_writes::operator();
  using task_writes::operator();
  using token_writes::operator();
  using queue_action_writes::operator();
  using webhook_writes::operator();

  void operator()(const core::insert_workflow& w) {
    workflows_.add(w.id.value, text{w.name}, text{w.definition}, w.created_at);
  }
  void operator()(const core::insert_workflow_version& w) {
    workflow_versions_.add(w.workflow.value, plain(w.version), text{w.definition}, w.created_at);
  }
  void operator()(const core::insert_step& w) {
    const auto& r = w.row;
    steps_.add(r.id.value, r.workflow.value, text{r.key}, plain(r.position), small(r.status),
               r.sealed, big(r.total_units), big(r.completed_units), big(r.revision), w.created_at,
               big(r.upstreams_completed), big(r.job_revision), small(r.job));
  }
  void operator()(const core::update_step& w) { changed_steps_[w.row.id] = &w.row; }
  void operator()(const core::insert_unit& w) {
    auto& [id, step, root, parent, ordinal, key, input, slots, created, truth, loops, part, version,
           state, list, list_size, list_part, parent_reopened] = units_.arrays;
    id.add(w.id.value);
    step.add(w.step.value);
    root.add(w.root.value);
    if (w.parent)
      parent.add(w.parent.value);
    else
      parent.add_null();
    ordinal.add(big(w.ordinal));
    key.add(w.source_key);
    input.add(w.input);
    slots.add(plain(w.slots));
    created.add(w.created_at);
    if (w.truth.empty())
      truth.add_null();
    else
      truth.add(w.truth);
    loops.add(plain(w.loops));
    part.add(plain(w.part));
    version.add(plain(w.version));
    parent_reopened.add(plain(w.parent_reopened));
    state.add(small(w.gathered ? core::unit_state::gathered : core::unit_state::judgable));
    if (w.list.of) {
      list.add(w.list.of.value);
      list_size.add(plain(w.list.size));
      list_part.add(plain(w.list.part));
    } else {
      list.add_null();
      list_size.add_null();
      list_part.add_null();
    }
    for (const auto& contributor : w.excluded)
      exclusions_.add(w.id.value, text{contributor});
  }
  void operator()(const core::gather_units& w) {
    for (const auto& member : w.members)
      gathered_.add(member.value, w.batch.value);
  }
  void operator()(const core::ungather_units& w) {
    for (const auto& member : w.members)
      ungathered_.add(member.value, w.batch.value);
  }
  void operator()(const core::set_unit_slots& w) { unit_slots_.add(w.unit.value, plain(w.slots)); }
  void operator()(const core::set_unit_state& w) {
    unit_states_.add(w.unit.value, small(w.state), w.at);
  }
  void operator()(const core::set_unit_input& w) { unit_inputs_.add(w.unit.value, text{w.input}); }
  void operator()(const core::finalize_unit& w) {
    finalized_.add(w.unit.value, text{w.result}, w.confidence, w.at, int2{w.route},
                   text{w.route_reason});
  }
  void operator()(const core::reopen_unit& w) { reopened_.add(w.unit.value, plain(w.slots), w.at); }
  void operator()(const core::restate_unit& w) {
    restated_.add(w.unit.value, text{w.result}, w.confidence);
  }
  void operator()(const core::withdraw_unit& w) { withdrawn_.add(w.unit.value, w.at); }
  void operator()(const core::insert_lease& w) {
    leases_.add(w.unit.value, text{w.lease.owner}, big(w.lease.token), w.lease.id.value,
                w.lease.granted_at, w.lease.expires_at);
    assignments_.add(w.lease.id.value);
  }
  void operator()(const core::extend_lease_row& w) {
    extended_.add(w.unit.value, text{w.owner}, big(w.token), w.expires_at);
  }
  void operator()(const core::end_lease_row& w) {
    ended_.add(w.unit.value, text{w.owner}, big(w.token), small(w.how), w.at);
  }
  void operator()(const core::insert_judgment& w) { add(judgments_, w); }
  void operator()(const core::insert_late_judgment& w) { add(late_, w.judgment); }
  void operator()(const core::insert_surplus_judgment& w) { add(surplus_, w.judgment); }
  void operator()(const core::taint_judgment& w) {
    tainted_.add(w.unit.value, text{w.contributor}, w.at);
  }
  void operator()(const core::restore_judgment& w) {
    restored_.add(w.unit.value, text{w.contributor});
  }
  void operator()(const core::set_judgment_trust& w) {
    constexpr int4 none = -1;
    trusted_.add(w.unit.value, text{w.contributor}, w.trust.mean,
                 w.trust.questions ? plain(*w.trust.questions) : none);
  }
  void operator()(const core::set_question_forgiven& w) {
    forgiven_.add(w.unit.value, w.forgiven, w.at);
  }
  void operator()(const core::put_standing& w) { standings_[{w.step, w.contributor}] = &w; }
  void operator()(const core::insert_flag& w) {
    flags_.add(w.step.value, text{w.contributor}, small(w.what), text{w.why}, w.at);
  }
  void operator()(const core::put_repair& w) { repairs_[w.row.id] = &w.row; }
  void operator()(const core::insert_inbox& w) {
    inbox_.add(text{w.consumer}, plain(w.message.shard), big(w.message.seq));
  }
  void operator()(const core::advance_cursor& w) { cursors_[{w.consumer, w.shard}] = w.seq; }

  void add_events_of(const shard_batch& part) {
    if (const auto count = part.event_count(); count > 0)
      outbox_.add(plain(part.shard), big(part.epoch), big(part.batch_seq), big(part.first_event),
                  plain(static_cast<std::uint32_t>(count)), text{events_to_text(part)});
  }

  void append_to(std::vector<call>& calls, const row_types& types) {
    workflows_.append_to(calls, add_workflows);
    workflow_versions_.append_to(calls, add_workflow_versions);
    steps_.append_to(calls, add_steps);
    units_.append_to(calls, add_units);
    exclusions_.append_to(calls, add_exclusions);
    gathered_.append_to(calls, gather_into_batches);
    leases_.append_to(calls, add_leases, types.lease);
    assignments_.append_to(calls, check_assignments);
    inbox_.append_to(calls, add_inbox);
    outbox_.append_to(calls, add_events);
    columns<core::uuid, int2, bool, int8, int8, int8, int8, int8, int2> steps;
    for (const auto& [id, row] : changed_steps_)
      steps.add(id.value, small(row->status), row->sealed, big(row->total_units),
                big(row->completed_units), big(row->revision), big(row->upstreams_completed),
                big(row->job_revision), small(row->job));
    steps.append_to(calls, update_steps);
    unit_slots_.append_to(calls, set_units_slots);
    unit_states_.append_to(calls, set_unit_states);
    finalized_.append_to(calls, finalize_units);
    reopened_.append_to(calls, reopen_units);
    restated_.append_to(calls, restate_units);
    ungathered_.append_to(calls, ungather_from_batches);
    withdrawn_.append_to(calls, withdraw_units);
    forgiven_.append_to(calls, set_questions_forgiven);
    extended_.append_to(calls, extend_leases);
    judgments_.append_to(calls, add_judgments, types.judgment);
    tainted_.append_to(calls, taint_judgments);
    restored_.append_to(calls, restore_judgments);
    ended_.append_to(calls, end_leases);
    late_.append_to(calls, add_late_judgments, types.judgment);
    surplus_.append_to(calls, add_surplus_judgments, types.judgment);
    task_writes::append_to(calls, types);
    intake_writes::append_to(calls);
    columns<core::uuid, text, int2, int2, core::instant, bool> standings;
    for (const auto& [key, w] : standings_)
      standings.add(w->step.value, text{w->contributor}, small(w->standing), small(w->reason),
                    w->at, w->by_removal);
    standings.append_to(calls, put_standings);
    flags_.append_to(calls, add_flags);
    columns<core::uuid, core::uuid, text, bool, int8, int8, int8, int8, int8, int8, int8, int8,
            core::instant, core::instant, int8>
        repairs;
    for (const auto& [id, r] : repairs_)
      repairs.add(id.value, r->step.value, text{r->contributor}, r->dry_run, big(r->through),
                  big(r->bookmark), big(r->figures.found), big(r->figures.unchanged),
                  big(r->figures.changed), big(r->figures.reopened), big(r->figures.went_on),
                  big(r->figures.disregarded), r->asked_at, r->changed_at,
                  big(r->figures.reissued));
    repairs.append_to(calls, put_repairs);
    columns<text, int4, int8> cursors;
    for (const auto& [key, seq] : cursors_)
      cursors.add(text{key.first}, plain(key.second), big(seq));
    cursors.append_to(calls, advance_cursors);
    webhook_writes::append_to(calls);
    profile_writes::append_to(calls);
    token_writes::append_to(calls);
    trusted_.append_to(calls, set_judgments_trust);
    queue_action_writes::append_to(calls);
    correction_writes::append_to(calls);
    append_removals_to(calls);
    audit_writes::append_to(calls);
    unit_inputs_.append_to(calls, set_unit_inputs);
    removal_writes::append_to(calls);
  }

private:
  using judgment_rows = rows<core::uuid, core::uuid, text, int8, text, text, double, core::instant,
                             std::optional<bool>, std::optional<int4>, std::optional<int4>>;

  static void add(judgment_rows& to, const core::insert_judgment& w) {
    to.add(w.id.value, w.unit.value, text{w.owner}, big(w.token), text{w.payload}, text{w.answer},
           w.trust_snapshot, w.submitted_at, w.test_correct, plain(w.judged_before),
           plain(w.trust_questions));
  }

  columns<core::uuid, text, text, core::instant> workflows_;
  columns<core::uuid, int4, text, core::instant> workflow_versions_;
  columns<core::uuid, core::uuid, text, int4, int2, bool, int8, int8, int8, core::instant, int8,
          int8, int2>
      steps_;
  columns<core::uuid, core::uuid, core::uuid, core::uuid, int8, text, text, int4, core::instant,
          text, int4, int4, int4, int2, core::uuid, int4, int4, int4>
      units_;
  columns<core::uuid, text> exclusions_;
  columns<core::uuid, core::uuid> gathered_;
  columns<core::uuid, core::uuid> ungathered_;
  rows<core::uuid, text, int8, core::uuid, core::instant, core::instant> leases_;
  columns<core::uuid> assignments_; ///< Of these.
  columns<text, int4, int8> inbox_;
  columns<int4, int8, int8, int8, int4, text> outbox_;
  columns<core::uuid, int4> unit_slots_;
  columns<core::uuid, int2, core::instant> unit_states_;
  columns<core::uuid, text> unit_inputs_;
  columns<core::uuid, text, double, core::instant, int2, text> finalized_;
  columns<core::uuid, int4, core::instant> reopened_;
  columns<core::uuid, text, double> restated_;
  columns<core::uuid, core::instant> withdrawn_;
  columns<core::uuid, bool, core::instant> forgiven_;
  columns<core::uuid, text, int8, core::instant> extended_;
  judgment_rows judgments_;
  judgment_rows late_;
  judgment_rows surplus_;
  columns<core::uuid, text, core::instant> tainted_;
  columns<core::uuid, text, double, int4> trusted_;
  columns<core::uuid, text> restored_;
  columns<core::uuid, text, int8, int2, core::instant> ended_;
  columns<core::uuid, text, int2, text, core::instant> flags_;
  // Of several the last counts, and one statement must not touch a row twice.
  std::map<core::step_id, const core::step_row*> changed_steps_;
  std::map<std::pair<core::step_id, core::contributor_id>, const core::put_standing*> standings_;
  std::map<core::repair_id, const core::repair_row*> repairs_;
  std::map<std::pair<std::string, core::shard_id>, core::event_seq> cursors_;
};

call fence_call(const write_batch& batch) {
  if (batch.shards.size() == 1) {
    const auto& part = batch.shards.front();
    return {&fence_one,
            {wire::scalar(plain(part.shard)), wire::scalar(big(part.epoch)),
             wire::scalar(big(part.batch_seq)), wire::scalar(big(part.first_event)),
             wire::scalar(big(part.event_count()))}};
  }
  columns<int4, int8, int8, int8, int8> parts;
  for (const auto& part : batch.shards)
    parts.add(plain(part.shard), big(part.epoch), big(part.batch_seq), big(part.first_event),
              big(part.event_count()));
  call made{&fence, {}};
  parts.append_to(made);
  return made;
}

} // namespace

std::vector<call> batch_calls(const write_batch& batch, const row_types& types) {
  sorted_writes writes;
  for (const auto& part : batch.shards) {
    for (const auto& change : part.changes)
      for (const auto& write : change.writes)
        std::visit(writes, write);
    writes.add_events_of(part);
  }
  std::vector<call> calls{{&begin, {}}, fence_call(batch)};
  writes.append_to(calls, types);
  calls.push_back({&commit, {}});
  return calls;
}

call read_row_types_call() { return {&read_row_types, {}}; }

row_types row_types_of(const query_result& answer) {
  const auto oid = [&](int column) {
    return static_cast<std::uint32_t>(answer.get<int8>(0, column));
  };
  return {oid(0), oid(1), oid(2), oid(3), oid(4)};
}

bool failed_at_fence(const std::vector<call>& calls, const query_failure& failure) {
  if (failure.at >= calls.size() || failure.sqlstate != "22012")
    return false;
  const auto* what = calls[failure.at].what;
  return what == &fence || what == &fence_one;
}

std::string purpose_of(const call& which) { return which.what->name; }

call confirm_call(const write_batch& batch) {
  return {&confirm, {wire::scalar(plain(batch.shards.front().shard))}};
}

call read_fences_call(const write_batch& batch) {
  wire::array_of<int4> shards;
  for (const auto& part : batch.shards)
    shards.add(plain(part.shard));
  return {&read_fences, {shards.take()}};
}

commit_result judge_fences(const write_batch& batch, const query_result& fences) {
  commit_result result{commit_status::history_lost, {}, {}};
  std::vector<core::shard_id> forgotten;
  bool committed_before = false;
  for (const auto& part : batch.shards) {
    const auto name = "shard " + std::to_string(part.shard);
    std::size_t row = 0;
    while (row < fences.rows() && fences.get<int4>(row, 0) != plain(part.shard))
      ++row;
    if (row == fences.rows()) {
      result.reason += name + " does not exist; ";
      forgotten.push_back(part.shard);
      continue;
    }
    const auto epoch = fences.get<int8>(row, 1);
    const auto batch_seq = fences.get<int8>(row, 2);
    if (epoch > big(part.epoch))
      result.fenced.push_back(part.shard);
    else if (epoch == big(part.epoch) && batch_seq >= big(part.batch_seq))
      committed_before = true;
    else if (epoch < big(part.epoch) || batch_seq != big(part.batch_seq) - 1
             || (part.event_count() > 0 && fences.get<int8>(row, 3) != big(part.first_event) - 1)) {
      forgotten.push_back(part.shard);
      result.reason += name + " stands at epoch " + std::to_string(epoch) + ", batch "
                       + std::to_string(batch_seq) + ", event "
                       + std::to_string(fences.get<int8>(row, 3)) + ", where epoch "
                       + std::to_string(part.epoch) + ", batch " + std::to_string(part.batch_seq)
                       + ", event " + std::to_string(part.first_event) + " cannot follow; ";
    }
  }
  // All parts are one transaction, so one part that is in proves that all are.
  if (committed_before)
    return {commit_status::committed, {}, {}, true};
  if (!result.fenced.empty())
    return {commit_status::fenced, std::move(result.fenced), "taken over by another host"};
  // Everything matches now, so something moved between the batch and the question: try again.
  if (forgotten.empty())
    return {commit_status::unavailable, {}, "the fences have moved meanwhile"};
  result.fenced = std::move(forgotten);
  return result;
}

} // namespace holdfast::persistence
