#include "persistence/postgres_intake_batch.hpp"

namespace holdfast::persistence::batch {

namespace {

// The rules for statements are those of postgres_batch.cpp. Here somebody else may touch a row
// meanwhile, a person who looks after what was refused: then it is missing from the count, and the
// queue starts again from what it finds.

constexpr statement take_staged{"take_staged", R"sql(
  WITH found AS MATERIALIZED (
    SELECT f.ctid AS place
      FROM unnest($1::bigint[]) AS t(intake_id)
     CROSS JOIN LATERAL (SELECT i.ctid FROM holdfast.task_intake i
                          WHERE i.intake_id = t.intake_id AND i.refused_at IS NULL LIMIT 1) f),
  gone AS (
    DELETE FROM holdfast.task_intake WHERE ctid = ANY (ARRAY(SELECT place FROM found))
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM gone)sql"};

constexpr statement refuse_staged{"refuse_staged", R"sql(
  WITH changed AS (
    UPDATE holdfast.task_intake i
       SET refused_at = t.at, refusal = t.code, refusal_detail = t.detail
      FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[])
        AS t(intake_id, code, detail, at)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.task_intake f
                          WHERE f.intake_id = t.intake_id AND f.refused_at IS NULL LIMIT 1) found
     WHERE i.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement stage_tasks{"stage_tasks", R"sql(
  INSERT INTO holdfast.task_intake (
           task_id, queue, type, version, body, state, data, priority, key, credential, unique_key,
           reject_duplicate, max_attempts, run_at, owner_id, run_as_id, trace_id, span_id)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                       $7::text[], $8::smallint[], $9::text[], $10::text[], $11::text[],
                       $12::boolean[], $13::integer[], $14::timestamptz[], $15::text[],
                       $16::text[], $17::text[], $18::text[]))sql"};

} // namespace

void intake_writes::operator()(const core::take_staged& w) {
  for (const auto id : w.staged)
    taken_.add(big(id));
}

void intake_writes::operator()(const core::refuse_staged& w) {
  refused_.add(big(w.staged), text{to_string(w.code)}, text{w.detail}, w.at);
}

void intake_writes::operator()(const core::stage_task& w) {
  const auto& task = w.task;
  const auto& spec = task.spec;
  staged_.add(spec.id.value, text{w.queue}, text{spec.type}, text{spec.version}, text{spec.body},
              text{task.state}, text{task.data}, spec.priority, text{spec.key},
              text{spec.credential}, text{spec.unique_key},
              task.conflict == core::on_conflict::reject, plain(spec.max_attempts), task.run_at,
              text{spec.owner_id}, text{spec.run_as_id}, text{spec.trace_id}, text{spec.span_id});
}

void intake_writes::append_to(std::vector<call>& calls) {
  taken_.append_to(calls, take_staged);
  refused_.append_to(calls, refuse_staged);
  staged_.append_to(calls, stage_tasks);
}

} // namespace holdfast::persistence::batch
