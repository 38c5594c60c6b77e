#include "persistence/postgres_correction_batch.hpp"

namespace holdfast::persistence::batch {

namespace {

// `found` is a `core::overridden_state`: 0 is an open unit, 1 and 2 a finalized one, whose result
// stays the one that was told, or is taken back. See the remark on `LATERAL` in postgres_batch.cpp.
constexpr statement override_units{"override_units", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u
       SET state = 3, result = t.result, confidence = 1, overridden = true,
           changed_at = CASE WHEN t.found = 1 THEN u.changed_at ELSE t.at END,
           route = t.route, route_reason = nullif(t.route_reason, ''),
           reopened = u.reopened + (t.found = 2)::integer
      FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::smallint[], $5::text[],
                  $6::smallint[])
        AS t(unit_id, result, at, route, route_reason, found)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state, f.truth FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) stored
     WHERE u.ctid = stored.ctid AND stored.truth IS NULL
       AND CASE WHEN t.found = 0 THEN stored.state < 3 ELSE stored.state = 3 END
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement recount_units{"recount_units", R"sql(
  WITH changed AS (
    UPDATE holdfast.units u SET slots = t.slots
      FROM unnest($1::uuid[], $2::integer[]) AS t(unit_id, slots)
     CROSS JOIN LATERAL (SELECT f.ctid, f.state FROM holdfast.units f
                          WHERE f.unit_id = t.unit_id LIMIT 1) found
     WHERE u.ctid = found.ctid AND found.state = 3
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

constexpr statement add_corrections{"add_corrections", R"sql(
  INSERT INTO holdfast.corrections (unit_id, correction_id, step_id, judgment_id, at, number,
                                    wanted,
                                    kind, took_back, made_result, is_open, contributor_id, asked_by,
                                    reason, answer)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[],
                       $6::integer[], $7::integer[], $8::smallint[], $9::boolean[], $10::boolean[],
                       $11::boolean[], $12::text[], $13::text[], $14::text[], $15::text[]))sql"};

constexpr statement set_taints_requested{"set_taints_requested", R"sql(
  WITH changed AS (
    UPDATE holdfast.judgments j SET taint_requested = t.requested
      FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS t(unit_id, contributor_id, requested)
     CROSS JOIN LATERAL (SELECT f.ctid FROM holdfast.judgments f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                            AND f.taint_requested <> t.requested LIMIT 1) found
     WHERE j.ctid = found.ctid
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

// What was handed in at first is kept with the first correction. All parts of the statement see the
// judgment as it was before.
constexpr statement correct_judgments{"correct_judgments", R"sql(
  WITH used AS MATERIALIZED (
    SELECT t.judgment_id, t.unit_id, t.at, t.number, t.applied, t.answer, t.payload,
           j.ctid AS place,
           j.submitted_at AS first_at, j.answer AS first_answer, j.payload AS first_payload
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::smallint[],
                  $6::boolean[], $7::text[], $8::text[])
        AS t(judgment_id, unit_id, contributor_id, at, number, applied, answer, payload)
     CROSS JOIN LATERAL (SELECT f.ctid, f.judgment_id, f.corrected, f.submitted_at, f.answer,
                                f.payload
                           FROM holdfast.judgments f
                          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id
                          LIMIT 1) j
     WHERE j.judgment_id = t.judgment_id AND j.corrected = t.number - 1),
  kept AS (
    INSERT INTO holdfast.judgment_corrections (judgment_id, unit_id, at, number, applied, answer,
                                               payload)
    SELECT judgment_id, unit_id, first_at, 0, true, first_answer, first_payload
      FROM used WHERE number = 1
    UNION ALL
    SELECT judgment_id, unit_id, at, number, applied, answer, payload FROM used),
  changed AS (
    UPDATE holdfast.judgments j
       SET corrected = used.number,
           answer = CASE WHEN used.applied THEN used.answer ELSE j.answer END,
           payload = CASE WHEN used.applied THEN used.payload ELSE j.payload END
      FROM used WHERE j.ctid = used.place
    RETURNING 1)
  SELECT 1 / (count(*) = cardinality($1))::integer FROM changed)sql"};

} // namespace

void correction_writes::operator()(const core::override_unit& w) {
  overridden_.add(w.unit.value, text{w.result}, w.at, int2{w.route}, text{w.route_reason},
                  small(w.found));
}

void correction_writes::operator()(const core::recount_unit& w) {
  recounted_.add(w.unit.value, plain(w.slots));
}

void correction_writes::operator()(const core::insert_correction& w) {
  const auto& r = w.row;
  auto& [unit, id, step, judgment, at, number, wanted, kind, took_back, made_result, is_open,
         contributor, by, reason, answer] = corrections_.arrays;
  unit.add(r.unit.value);
  id.add(r.id.value);
  step.add(r.step.value);
  if (r.judgment) {
    judgment.add(r.judgment.value);
    contributor.add(r.contributor);
  } else {
    judgment.add_null();
    contributor.add_null();
  }
  at.add(r.at);
  number.add(plain(r.number));
  wanted.add(plain(r.wanted));
  kind.add(small(r.kind));
  took_back.add(r.took_back);
  made_result.add(r.made_result);
  is_open.add(r.is_open);
  by.add(r.by);
  reason.add(r.reason);
  if (r.kind == core::correction_kind::overridden)
    answer.add(r.answer);
  else
    answer.add_null();
}

void correction_writes::operator()(const core::set_taint_requested& w) {
  taints_.add(w.unit.value, text{w.contributor}, w.requested);
}

void correction_writes::operator()(const core::insert_judgment_correction& w) {
  judgments_.add(w.judgment.value, w.unit.value, text{w.contributor}, w.at,
                 static_cast<int2>(w.number), w.applied, text{w.answer}, text{w.payload});
}

void correction_writes::append_to(std::vector<call>& calls) {
  overridden_.append_to(calls, override_units);
  recounted_.append_to(calls, recount_units);
  corrections_.append_to(calls, add_corrections);
  taints_.append_to(calls, set_taints_requested);
  judgments_.append_to(calls, correct_judgments);
}

} // namespace holdfast::persistence::batch
