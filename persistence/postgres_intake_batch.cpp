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

} // namespace

void intake_writes::operator()(const core::take_staged& w) {
  for (const auto id : w.staged)
    taken_.add(big(id));
}

void intake_writes::operator()(const core::refuse_staged& w) {
  refused_.add(big(w.staged), text{to_string(w.code)}, text{w.detail}, w.at);
}

void intake_writes::append_to(std::vector<call>& calls) {
  taken_.append_to(calls, take_staged);
  refused_.append_to(calls, refuse_staged);
}

} // namespace holdfast::persistence::batch
