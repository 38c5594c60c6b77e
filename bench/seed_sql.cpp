#include "bench/seed_sql.hpp"

#include <sstream>

namespace holdfast::bench {

namespace {

std::string schema(const sql_variant& variant, const sql_load& load) {
  std::ostringstream sql;
  sql << "DROP SCHEMA IF EXISTS sql_bench CASCADE;\n"
         "CREATE SCHEMA sql_bench;\n"
         "SET search_path = sql_bench;\n"
         "CREATE TABLE units (unit_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), workflow_step_id "
         "uuid NOT NULL,\n"
         "  state text NOT NULL, judgment_count int NOT NULL, assignment_count int NOT NULL,\n"
         "  slots_taken int NOT NULL, judgments_per_unit int NOT NULL, input_data jsonb NOT NULL,\n"
         "  created_at timestamptz NOT NULL) WITH (fillfactor = 80);\n"
         "CREATE TABLE assignments (assignment_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), "
         "unit_id uuid NOT NULL,\n"
         "  contributor_id text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),\n"
         "  expires_at timestamptz NOT NULL, status text NOT NULL DEFAULT 'Active');\n"
         "CREATE INDEX ON assignments (unit_id, contributor_id);\n"
         "CREATE TABLE judgments (judgment_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), "
         "unit_id uuid NOT NULL,\n"
         "  contributor_id text NOT NULL, payload jsonb NOT NULL, submitted_at timestamptz NOT "
         "NULL DEFAULT now());\n"
         "CREATE TABLE outbox (outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
         "payload jsonb NOT NULL);\n"
         "INSERT INTO units (workflow_step_id, state, judgment_count, assignment_count, "
         "slots_taken,\n"
         "  judgments_per_unit, input_data, created_at)\n"
         "  SELECT '00000000-0000-7000-8000-000000000001', 'Judgable', 0, 0, 0, "
      << load.slots
      << ",\n"
         "    '{\"text\": \"the quick brown fox jumps over the lazy dog\"}', now() + i * interval "
         "'1 microsecond'\n"
         "  FROM generate_series(1, "
      << load.units << ") i;\n"
      << variant.index << ";\nVACUUM ANALYZE units;\n";
  return sql.str();
}

/// The judgment of the assignment before it, with its event, in one statement: the fastest way.
constexpr const char* submit_statement = R"(
WITH judged AS (
  INSERT INTO sql_bench.judgments (unit_id, contributor_id, payload)
  VALUES (:unit_id::uuid, 'c' || :client_id, '{"answer": "yes"}') RETURNING judgment_id),
ended AS (
  UPDATE sql_bench.assignments SET status = 'Submitted'
  WHERE unit_id = :unit_id::uuid AND contributor_id = 'c' || :client_id AND status = 'Active'),
counted AS (
  UPDATE sql_bench.units
  SET judgment_count = judgment_count + 1, assignment_count = assignment_count - 1
  WHERE unit_id = :unit_id::uuid)
INSERT INTO sql_bench.outbox (payload)
SELECT jsonb_build_object('type', 'JudgmentReceived', 'judgment_id', judgment_id, 'unit_id',
                          :unit_id::uuid) FROM judged;
)";

std::string script(const sql_variant& variant, sql_work work) {
  if (work == sql_work::assign)
    return variant.statement;
  auto assign = variant.statement;
  assign.replace(assign.rfind(';'), 1, " \\gset");
  return assign + submit_statement;
}

} // namespace

std::vector<sql_variant> sql_variants() {
  const std::string as_written = R"(WITH find_unit AS (
  SELECT unit_id FROM sql_bench.units
  WHERE workflow_step_id = '00000000-0000-7000-8000-000000000001' AND state = 'Judgable'
    AND judgment_count + assignment_count < judgments_per_unit
    AND NOT EXISTS (SELECT 1 FROM sql_bench.assignments a
                    WHERE a.unit_id = units.unit_id AND a.contributor_id = 'c' || :client_id)
  ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED),
update_unit AS (
  UPDATE sql_bench.units SET assignment_count = assignment_count + 1
  WHERE unit_id = (SELECT unit_id FROM find_unit))
INSERT INTO sql_bench.assignments (unit_id, contributor_id, expires_at)
SELECT unit_id, 'c' || :client_id, now() + interval '15 minutes' FROM find_unit RETURNING unit_id;
)";
  const auto with_slots = [](const std::string& order, const std::string& full) {
    return R"(WITH find_unit AS (
  SELECT unit_id FROM sql_bench.units
  WHERE workflow_step_id = '00000000-0000-7000-8000-000000000001' AND state = 'Judgable'
    AND slots_taken < judgments_per_unit
    AND NOT EXISTS (SELECT 1 FROM sql_bench.assignments a
                    WHERE a.unit_id = units.unit_id AND a.contributor_id = 'c' || :client_id)
  ORDER BY )"
           + order + R"( LIMIT 1 FOR UPDATE SKIP LOCKED),
update_unit AS (
  UPDATE sql_bench.units SET slots_taken = slots_taken + 1)"
           + full + R"(
  WHERE unit_id = (SELECT unit_id FROM find_unit))
INSERT INTO sql_bench.assignments (unit_id, contributor_id, expires_at)
SELECT unit_id, 'c' || :client_id, now() + interval '15 minutes' FROM find_unit RETURNING unit_id;
)";
  };
  const std::string flip =
      ",\n    state = CASE WHEN slots_taken + 1 = judgments_per_unit THEN 'Full' ELSE state END";
  return {
      {"as_written", "CREATE INDEX ON units (workflow_step_id, state, created_at)", as_written},
      {"slots_random", "CREATE INDEX ON units (workflow_step_id, state, slots_taken)",
       with_slots("random()", "")},
      {"slots_flipped", "CREATE INDEX ON units (workflow_step_id, state, created_at)",
       with_slots("created_at", flip)},
      {"slots_partial",
       "CREATE INDEX ON units (workflow_step_id, created_at)\n"
       "  WHERE state = 'Judgable' AND slots_taken < judgments_per_unit",
       with_slots("created_at", "")},
  };
}

pgbench_result run_variant(const sql_variant& variant, sql_work work, const std::string& conninfo,
                           const sql_load& load) {
  return run_pgbench(conninfo, schema(variant, load), script(variant, work), load.clients,
                     load.duration);
}

} // namespace holdfast::bench
