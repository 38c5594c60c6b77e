#include "persistence/postgres_reads.hpp"

#include "persistence/chain_order.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <unordered_map>

namespace holdfast::persistence::reads {

namespace {

constexpr statement step_by_id{"step_by_id", R"sql(
  SELECT s.step_id, s.workflow_id, s.key, s.position, s.status, s.sealed, s.total_units,
         s.completed_units, s.revision, s.upstreams_completed, s.job_revision, s.job_status,
         coalesce((SELECT max(u.ordinal) FROM holdfast.units u WHERE u.step_id = s.step_id), 0)
    FROM holdfast.steps s WHERE s.step_id = $1::uuid)sql"};

constexpr statement definitions_of_step{"definitions_of_step", R"sql(
  SELECT d.definition
    FROM holdfast.steps s JOIN holdfast.workflow_definitions d USING (workflow_id)
   WHERE s.step_id = $1::uuid ORDER BY d.version)sql"};

constexpr statement step_row_by_id{"step_row_by_id", R"sql(
  SELECT step_id, workflow_id, key, position, status, sealed, total_units, completed_units,
         revision, upstreams_completed, job_revision, job_status
    FROM holdfast.steps WHERE step_id = $1::uuid)sql"};

constexpr statement open_units_of_step{"open_units_of_step", R"sql(
  SELECT unit_id, ordinal, state, slots, truth IS NOT NULL, version FROM holdfast.units
   WHERE step_id = $1::uuid AND state < 3 ORDER BY ordinal)sql"};

constexpr statement leases_of_step{"leases_of_step", R"sql(
  SELECT l.unit_id, l.contributor_id, l.expires_at, l.assignment_id
    FROM holdfast.units u JOIN holdfast.active_leases l USING (unit_id)
   WHERE u.step_id = $1::uuid AND u.state < 3 ORDER BY l.token)sql"};

constexpr statement judges_of_step{"judges_of_step", R"sql(
  SELECT j.unit_id, j.contributor_id, j.is_tainted
    FROM holdfast.units u JOIN holdfast.judgments j USING (unit_id)
   WHERE u.step_id = $1::uuid AND u.state < 3)sql"};

constexpr statement ended_leases_of_step{"ended_leases_of_step", R"sql(
  SELECT e.unit_id, e.contributor_id, e.ending, e.ended_at
    FROM holdfast.units u JOIN holdfast.ended_leases e USING (unit_id)
   WHERE u.step_id = $1::uuid AND u.state < 3)sql"};

constexpr statement exclusions_of_step{"exclusions_of_step", R"sql(
  SELECT x.unit_id, x.contributor_id
    FROM holdfast.units u JOIN holdfast.unit_exclusions x USING (unit_id)
   WHERE u.step_id = $1::uuid AND u.state < 3)sql"};

// The bytes of an input that is in the object store are the last thing that its reference says.
#define WAITING_UNIT                                                                               \
  "u.unit_id, u.ordinal, u.version,\n"                                                             \
  "coalesce(CASE WHEN octet_length(u.input) < 150 THEN\n"                                          \
  "  substring(u.input, '^\\{\"\\$holdfast\\.object\":\"sha256:[0-9a-f]{64}\",'\n"                 \
  "                     '\"bytes\":([0-9]{1,9})\\}$')::integer END,\n"                             \
  "  octet_length(u.input)),\n"                                                                    \
  "u.list_id, u.list_size, u.list_part\n"

constexpr statement waiting_units_of_step{"waiting_units_of_step", "SELECT " WAITING_UNIT R"sql(
    FROM holdfast.units u
   WHERE step_id = $1::uuid AND state = 5 AND batch_id IS NULL ORDER BY ordinal)sql"};

// The units alone first: what they were asked is read once each.
constexpr statement gathered_together{"gathered_together", R"sql(
  WITH asked AS MATERIALIZED (
    SELECT f.unit_id, f.batch_id
      FROM unnest($1::uuid[]) AS t(unit_id)
     CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = t.unit_id OFFSET 0) f
     WHERE f.state = 5),
  named AS MATERIALIZED (
    SELECT unit_id FROM asked
    UNION
    SELECT m.unit_id
      FROM (SELECT DISTINCT batch_id FROM asked WHERE batch_id IS NOT NULL) b
     CROSS JOIN LATERAL (SELECT f.unit_id FROM holdfast.units f
                          WHERE f.batch_id = b.batch_id OFFSET 0) m)
  SELECT )sql" WAITING_UNIT R"sql(, u.batch_id
    FROM named n
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = n.unit_id OFFSET 0) u
   ORDER BY u.ordinal, u.unit_id)sql"};

// The same of some units of a step, for one of which some cannot be read: the units first, row by
// row, or a page that is damaged would be read with the rows of all steps.

constexpr statement unit_ids_of_step{"unit_ids_of_step", R"sql(
  SELECT unit_id FROM holdfast.units
   WHERE step_id = $1::uuid AND (state < 3 OR (state = 5 AND batch_id IS NULL))
   ORDER BY ordinal)sql"};

constexpr statement open_units_among{"open_units_among", R"sql(
  SELECT u.unit_id, u.ordinal, u.state, u.slots, u.truth IS NOT NULL, u.version
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = t.unit_id OFFSET 0) u
   WHERE u.state < 3 ORDER BY u.ordinal)sql"};

constexpr statement leases_among{"leases_among", R"sql(
  SELECT l.unit_id, l.contributor_id, l.expires_at, l.assignment_id
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.active_leases f
                        WHERE f.unit_id = t.unit_id OFFSET 0) l
   ORDER BY l.token)sql"};

constexpr statement judges_among{"judges_among", R"sql(
  SELECT j.unit_id, j.contributor_id, j.is_tainted
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.judgments f
                        WHERE f.unit_id = t.unit_id OFFSET 0) j)sql"};

constexpr statement ended_leases_among{"ended_leases_among", R"sql(
  SELECT e.unit_id, e.contributor_id, e.ending, e.ended_at
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.ended_leases f
                        WHERE f.unit_id = t.unit_id OFFSET 0) e)sql"};

constexpr statement waiting_units_among{"waiting_units_among", "SELECT " WAITING_UNIT R"sql(
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = t.unit_id OFFSET 0) u
   WHERE u.state = 5 AND u.batch_id IS NULL ORDER BY u.ordinal)sql"};

#undef WAITING_UNIT

// From the list to the table, row by row: see the remark on `LATERAL` in postgres_batch.cpp. Here
// `OFFSET 0` is what keeps the planner from turning the join around.
constexpr statement units_by_id{"units_by_id", R"sql(
  SELECT u.unit_id, u.step_id, u.root_id, u.parent_id, u.ordinal, u.source_key, u.input, u.slots,
         u.created_at, u.state, u.result, u.confidence, u.truth, u.loops, u.part, u.route,
         u.reopened, u.version, u.batch_id, u.list_id, u.list_size, u.list_part, u.ungathered,
         u.overridden
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = t.unit_id OFFSET 0) u)sql"};

constexpr statement leases_by_unit{"leases_by_unit", R"sql(
  SELECT l.unit_id, l.assignment_id, l.contributor_id, l.token, l.granted_at, l.expires_at
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.active_leases f
                        WHERE f.unit_id = t.unit_id OFFSET 0) l
   ORDER BY l.token)sql"};

constexpr statement judgments_by_unit{"judgments_by_unit", R"sql(
  SELECT j.unit_id, j.judgment_id, j.contributor_id, j.token, j.answer, j.trust_snapshot,
         j.is_tainted, j.test_question_correct, j.submitted_at, j.judged_before, j.trust_questions,
         j.is_late, j.taint_requested, j.corrected
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.judgments f WHERE f.unit_id = t.unit_id OFFSET 0) j
   ORDER BY j.submitted_at, j.token)sql"};

constexpr statement ended_leases_by_unit{"ended_leases_by_unit", R"sql(
  SELECT e.unit_id, e.contributor_id, e.token, e.ending, e.ended_at
    FROM unnest($1::uuid[]) AS t(unit_id) 
   CROSS JOIN LATERAL (SELECT * FROM holdfast.ended_leases f
                        WHERE f.unit_id = t.unit_id OFFSET 0) e
   ORDER BY e.token)sql"};

constexpr statement surplus_by_unit{"surplus_by_unit", R"sql(
  SELECT s.unit_id, s.contributor_id, s.token, s.judgment_id
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.surplus_judgments f
                        WHERE f.unit_id = t.unit_id OFFSET 0) s
   ORDER BY s.token)sql"};

constexpr statement exclusions_by_unit{"exclusions_by_unit", R"sql(
  SELECT x.unit_id, x.contributor_id
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.unit_exclusions f
                        WHERE f.unit_id = t.unit_id OFFSET 0) x)sql"};

// Each unit and all that it comes from: its parent, which a batch has among its units, and these.
// Whether there is a parent is asked outside, where the planner cannot take it for the condition of
// an index. In `UNION` without `ALL` what two units come from is followed once.
#define CHAINS                                                                                     \
  "WITH RECURSIVE chain AS (\n"                                                                    \
  "  SELECT t.unit_id AS last, t.unit_id FROM unnest($1::uuid[]) AS t(unit_id)\n"                  \
  "  UNION\n"                                                                                      \
  "  SELECT c.last, source.unit_id\n"                                                              \
  "    FROM chain c\n"                                                                             \
  "   CROSS JOIN LATERAL (\n"                                                                      \
  "         SELECT f.parent_id AS unit_id FROM holdfast.units f WHERE f.unit_id = c.unit_id\n"     \
  "         UNION ALL\n"                                                                           \
  "         SELECT f.unit_id FROM holdfast.units f WHERE f.batch_id = c.unit_id\n"                 \
  "         OFFSET 0) source\n"                                                                    \
  "   WHERE source.unit_id IS NOT NULL)\n"

constexpr statement links_by_unit{"links_by_unit", CHAINS R"sql(
  SELECT c.last, u.unit_id, u.step_id, u.input, u.parent_id, u.batch_id
    FROM chain c
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = c.unit_id OFFSET 0) u
   ORDER BY c.last)sql"};

constexpr statement judges_by_chain{"judges_by_chain", CHAINS R"sql(
  SELECT c.last, j.unit_id, j.contributor_id
    FROM chain c
   CROSS JOIN LATERAL (SELECT * FROM holdfast.judgments f WHERE f.unit_id = c.unit_id OFFSET 0) j
   ORDER BY c.last, j.contributor_id)sql"};

#undef CHAINS

constexpr statement workflow_by_id{"workflow_by_id", R"sql(
  SELECT name FROM holdfast.workflows WHERE workflow_id = $1::uuid)sql"};

constexpr statement definitions_of_workflow{"definitions_of_workflow", R"sql(
  SELECT definition FROM holdfast.workflow_definitions
   WHERE workflow_id = $1::uuid ORDER BY version)sql"};

constexpr statement steps_of_workflow{"steps_of_workflow", R"sql(
  SELECT step_id, workflow_id, key, position, status, sealed, total_units, completed_units,
         revision, upstreams_completed, job_revision, job_status
    FROM holdfast.steps WHERE workflow_id = $1::uuid ORDER BY position)sql"};

// For a table that looks empty all indexes that begin with the step cost the same, and by another
// one each key would be looked for in the whole step. In order of their keys units come from
// `units_by_source_key` alone, as long as nothing is sorted (`planner_settings`).
constexpr statement units_by_source_key{"units_by_source_key", R"sql(
  SELECT u.source_key, u.unit_id
    FROM unnest($2::text[]) AS t(source_key)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f
                        WHERE f.step_id = $1::uuid AND f.source_key >= t.source_key
                          AND f.source_key <= t.source_key
                        ORDER BY f.source_key LIMIT 1) u)sql"};

constexpr statement inputs_by_source_key{"inputs_by_source_key", R"sql(
  SELECT u.source_key, u.unit_id, encode(sha256(convert_to(u.input, 'UTF8')), 'hex')
    FROM unnest($2::text[]) AS t(source_key)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.units f
                        WHERE f.step_id = $1::uuid AND f.source_key >= t.source_key
                          AND f.source_key <= t.source_key
                        ORDER BY f.source_key LIMIT 1) u)sql"};

// By the time at which they ended, which the blocks of both tables are summed up by: an index by id
// would cost every judgment, and this is asked for seconds after a step has been loaded.
constexpr statement over_since{"over_since", R"sql(
  SELECT assignment_id FROM holdfast.judgments
   WHERE submitted_at >= $2::timestamptz AND assignment_id = ANY ($1::uuid[])
  UNION ALL
  SELECT assignment_id FROM holdfast.ended_leases
   WHERE ended_at >= $2::timestamptz AND assignment_id = ANY ($1::uuid[]))sql"};

constexpr statement units_by_state{"units_by_state", R"sql(
  SELECT state, count(*) FROM holdfast.units
   WHERE step_id = $1::uuid AND truth IS NULL GROUP BY state)sql"};

constexpr statement counts_of_step{"counts_of_step", R"sql(
  SELECT (SELECT count(*) FROM holdfast.units u JOIN holdfast.judgments USING (unit_id)
           WHERE u.step_id = $1::uuid AND u.truth IS NULL),
         (SELECT count(*) FROM holdfast.units u JOIN holdfast.active_leases USING (unit_id)
           WHERE u.step_id = $1::uuid),
         (SELECT count(*) FROM holdfast.units u JOIN holdfast.ended_leases e USING (unit_id)
           WHERE u.step_id = $1::uuid AND e.ending = 1),
         (SELECT count(*) FROM holdfast.units u WHERE u.step_id = $1::uuid AND u.truth IS NOT NULL),
         (SELECT count(*) FROM holdfast.units u JOIN holdfast.judgments USING (unit_id)
           WHERE u.step_id = $1::uuid AND u.truth IS NOT NULL))sql"};

constexpr statement bounds_of_events{"bounds_of_events", R"sql(
  SELECT pruned_seq, event_seq FROM holdfast.shard_leases WHERE shard = $1::integer)sql"};

constexpr statement gaps_of_events{"gaps_of_events", R"sql(
  SELECT first_seq, last_seq FROM holdfast.event_gaps
   WHERE shard = $1::integer ORDER BY first_seq)sql"};

constexpr statement cursor_of{"cursor_of", R"sql(
  SELECT seq FROM holdfast.consumer_cursors WHERE consumer = $1::text AND shard = $2::integer)sql"};

constexpr statement inbox_of{"inbox_of", R"sql(
  SELECT seq FROM holdfast.inbox
   WHERE consumer = $1::text AND shard = $2::integer AND seq > $3::bigint ORDER BY seq)sql"};

std::string ids_parameter(const std::vector<core::unit_id>& units) {
  wire::array_of<core::uuid> ids;
  for (const auto& unit : units)
    ids.add(unit.value);
  return ids.take();
}

std::string shard_parameter(core::shard_id shard) { return wire::scalar(static_cast<int4>(shard)); }

std::string number_parameter(std::uint64_t number) {
  return wire::scalar(static_cast<int8>(number));
}

core::unit_state unit_state_of(const query_result& r, std::size_t row, int column) {
  return static_cast<core::unit_state>(r.get<int2>(row, column));
}

std::uint32_t version_of(const query_result& r, std::size_t row, int column) {
  return static_cast<std::uint32_t>(r.get<int2>(row, column));
}

/// Nil when there is none.
core::unit_id unit_of(const query_result& r, std::size_t row, int column) {
  return r.is_null(row, column) ? core::unit_id{} : core::unit_id{r.get<core::uuid>(row, column)};
}

/// Three columns, beginning with `column`.
core::list_place list_of(const query_result& r, std::size_t row, int column) {
  if (r.is_null(row, column))
    return {};
  return {unit_of(r, row, column), u32(r, row, column + 1), u32(r, row, column + 2)};
}

/// Columns 0 to 6 of the statements that read units which wait.
core::waiting_unit waiting_unit_of(const query_result& r, std::size_t row) {
  return {unit_of(r, row, 0), u64(r, row, 1), version_of(r, row, 2), list_of(r, row, 4),
          u32(r, row, 3)};
}

/// The rows of the statements that read definitions.
std::vector<std::string> definitions_in(const query_result& r) {
  std::vector<std::string> definitions;
  for (std::size_t row = 0; row < r.rows(); ++row)
    definitions.push_back(r.get<std::string>(row, 0));
  return definitions;
}

/// Columns 0 to 11 of the statements that read steps.
core::step_row read_step_row(const query_result& r, std::size_t row) {
  return {{r.get<core::uuid>(row, 0)},
          {r.get<core::uuid>(row, 1)},
          r.get<std::string>(row, 2),
          u32(r, row, 3),
          static_cast<core::step_status>(r.get<int2>(row, 4)),
          r.get<bool>(row, 5),
          u64(r, row, 6),
          u64(r, row, 7),
          u64(r, row, 8),
          u64(r, row, 9),
          u64(r, row, 10),
          static_cast<core::job_status>(r.get<int2>(row, 11))};
}

/// Bars `contributor` until `until`, or longer if that was known already.
void put_bar(std::vector<core::bar>& bars, text contributor, core::instant until) {
  for (auto& bar : bars)
    if (bar.contributor == contributor) {
      bar.until = std::max(bar.until, until);
      return;
    }
  bars.push_back({std::string{contributor}, until});
}

/// The bar of an ended lease. Endings that bar for no time (a release) leave no trace.
void put_ended(std::vector<core::bar>& bars, const core::lease_policy& policy, text contributor,
               core::lease_end how, core::instant ended_at) {
  if (const auto until = core::barred_until(policy, how, ended_at); until > ended_at)
    put_bar(bars, contributor, until);
}

const core::lease_policy& policy_of(const core::unit& unit, const core::lease_policies& policies) {
  return core::is_test_question(unit) ? policies.of_questions() : policies.of(unit.version);
}

/// Calls `visit(item, row)` for each row whose first column is the id of an item.
template <class Item, class Visit>
void for_each_of(const query_result& r, std::vector<Item>& items,
                 const std::unordered_map<core::uuid, std::size_t>& places, Visit visit) {
  for (std::size_t row = 0; row < r.rows(); ++row)
    if (const auto place = places.find(r.get<core::uuid>(row, 0)); place != places.end())
      visit(items[place->second], row);
}

} // namespace

std::vector<core::step_row> read_step_rows(const query_result& r) {
  std::vector<core::step_row> steps;
  for (std::size_t row = 0; row < r.rows(); ++row)
    steps.push_back(read_step_row(r, row));
  return steps;
}

std::vector<call> load_step(core::step_id step) {
  const auto id = wire::scalar(step.value);
  return long_read({{&step_by_id, {id}},
                    {&open_units_of_step, {id}},
                    {&leases_of_step, {id}},
                    {&judges_of_step, {id}},
                    {&ended_leases_of_step, {id}},
                    {&exclusions_of_step, {id}},
                    {&definitions_of_step, {id}},
                    {&waiting_units_of_step, {id}}});
}

std::vector<call> step_and_unit_ids(core::step_id step) {
  const auto id = wire::scalar(step.value);
  return long_read({{&step_by_id, {id}}, {&definitions_of_step, {id}}, {&unit_ids_of_step, {id}}});
}

std::vector<core::unit_id> unit_ids_of(const results& r) {
  const auto& rows = r[preamble_long + 2];
  std::vector<core::unit_id> units;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    units.push_back(unit_of(rows, row, 0));
  return units;
}

std::vector<call> load_step_with(core::step_id step, const std::vector<core::unit_id>& units) {
  const auto id = wire::scalar(step.value);
  const auto ids = ids_parameter(units);
  return long_read({{&step_by_id, {id}},
                    {&open_units_among, {ids}},
                    {&leases_among, {ids}},
                    {&judges_among, {ids}},
                    {&ended_leases_among, {ids}},
                    {&exclusions_by_unit, {ids}},
                    {&definitions_of_step, {id}},
                    {&waiting_units_among, {ids}}});
}

core::outcome<stored_step> load_step(const results& r, const lease_policies_of& policies_of) {
  const auto& step = r[preamble_long];
  if (step.rows() == 0)
    return core::failure{core::errc::not_found, "no such step"};
  stored_step loaded;
  loaded.row = read_step_row(step, 0);
  loaded.next_ordinal = u64(step, 0, 12) + 1;
  const auto policies = policies_of(definitions_in(r[preamble_long + 6]), loaded.row.key);

  const auto& units = r[preamble_long + 1];
  std::unordered_map<core::uuid, std::size_t> places;
  places.reserve(units.rows());
  loaded.open_units.reserve(units.rows());
  std::vector<std::uint32_t> versions; // by place
  versions.reserve(units.rows());
  for (std::size_t row = 0; row < units.rows(); ++row) {
    open_unit unit;
    unit.id = {units.get<core::uuid>(row, 0)};
    unit.ordinal = u64(units, row, 1);
    unit.state = unit_state_of(units, row, 2);
    unit.slots = u32(units, row, 3);
    unit.test_question = units.get<bool>(row, 4);
    places[unit.id.value] = loaded.open_units.size();
    versions.push_back(version_of(units, row, 5));
    loaded.open_units.push_back(std::move(unit));
  }
  const auto& leases = r[preamble_long + 2];
  for_each_of(leases, loaded.open_units, places, [&](open_unit& unit, std::size_t row) {
    unit.holders.push_back({leases.get<std::string>(row, 1), {leases.get<core::uuid>(row, 3)}});
    unit.next_expiry = std::min(unit.next_expiry, leases.get<core::instant>(row, 2));
    put_bar(unit.touched, leases.get<text>(row, 1), core::instant::max());
  });
  const auto& judges = r[preamble_long + 3];
  for_each_of(judges, loaded.open_units, places, [&](open_unit& unit, std::size_t row) {
    unit.judged += judges.get<bool>(row, 2) ? 0 : 1;
    put_bar(unit.touched, judges.get<text>(row, 1), core::instant::max());
  });
  const auto& ended = r[preamble_long + 4];
  for_each_of(ended, loaded.open_units, places, [&](open_unit& unit, std::size_t row) {
    const auto place = static_cast<std::size_t>(&unit - loaded.open_units.data());
    const auto& policy =
        unit.test_question ? policies.of_questions() : policies.of(versions[place]);
    put_bar(unit.touched, ended.get<text>(row, 1),
            core::barred_until(policy, static_cast<core::lease_end>(ended.get<int2>(row, 2)),
                               ended.get<core::instant>(row, 3)));
  });
  const auto& excluded = r[preamble_long + 5];
  for_each_of(excluded, loaded.open_units, places, [&](open_unit& unit, std::size_t row) {
    put_bar(unit.touched, excluded.get<text>(row, 1), core::instant::max());
  });
  const auto& waiting = r[preamble_long + 7];
  for (std::size_t row = 0; row < waiting.rows(); ++row)
    loaded.waiting.push_back(waiting_unit_of(waiting, row));
  return loaded;
}

std::vector<call> load_units(const std::vector<core::unit_id>& units,
                             const core::lease_policies& policies) {
  const auto ids = ids_parameter(units);
  std::vector<call> calls{{&units_by_id, {ids}},
                          {&leases_by_unit, {ids}},
                          {&judgments_by_unit, {ids}},
                          {&ended_leases_by_unit, {ids}},
                          {&exclusions_by_unit, {ids}}};
  if (policies.keep_late())
    calls.push_back({&surplus_by_unit, {ids}});
  return short_read(std::move(calls));
}

std::vector<core::unit_record> load_units(const results& r, const std::vector<core::unit_id>& units,
                                          const core::lease_policies& policies) {
  const auto& rows = r[preamble_short];
  std::unordered_map<core::uuid, std::size_t> rows_by_id;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    rows_by_id[rows.get<core::uuid>(row, 0)] = row;
  std::vector<core::unit_record> loaded;
  std::unordered_map<core::uuid, std::size_t> places;
  for (const auto& id : units) {
    const auto found = rows_by_id.find(id.value);
    if (found == rows_by_id.end() || !places.emplace(id.value, loaded.size()).second)
      continue;
    const auto row = found->second;
    core::unit_record unit;
    unit.id = id;
    unit.step = {rows.get<core::uuid>(row, 1)};
    unit.root = {rows.get<core::uuid>(row, 2)};
    unit.parent = unit_of(rows, row, 3);
    unit.ordinal = u64(rows, row, 4);
    unit.source_key = rows.get<std::string>(row, 5);
    unit.input = rows.get<std::string>(row, 6);
    unit.slots = u32(rows, row, 7);
    unit.created_at = rows.get<core::instant>(row, 8);
    unit.state = unit_state_of(rows, row, 9);
    if (!rows.is_null(row, 10)) {
      unit.result = rows.get<std::string>(row, 10);
      unit.confidence = rows.get<double>(row, 11);
    }
    if (!rows.is_null(row, 12))
      unit.truth = rows.get<std::string>(row, 12);
    unit.loops = u32(rows, row, 13);
    unit.part = u32(rows, row, 14);
    if (!rows.is_null(row, 15))
      unit.route = rows.get<int2>(row, 15);
    unit.reopened = u32(rows, row, 16);
    unit.version = version_of(rows, row, 17);
    unit.batch = unit_of(rows, row, 18);
    unit.list = list_of(rows, row, 19);
    unit.ungathered = u32(rows, row, 22);
    unit.overridden = rows.get<bool>(row, 23) && unit.state == core::unit_state::finalized;
    loaded.push_back(std::move(unit));
  }
  const auto seen = [](core::unit& unit, core::token token) {
    unit.leases.last_token = std::max(unit.leases.last_token, token);
  };
  const auto& leases = r[preamble_short + 1];
  for_each_of(leases, loaded, places, [&](core::unit& unit, std::size_t row) {
    seen(unit, u64(leases, row, 3));
    unit.leases.active.push_back({{leases.get<core::uuid>(row, 1)},
                                  leases.get<std::string>(row, 2),
                                  u64(leases, row, 3),
                                  leases.get<core::instant>(row, 4),
                                  leases.get<core::instant>(row, 5)});
  });
  const auto& judgments = r[preamble_short + 2];
  for_each_of(judgments, loaded, places, [&](core::unit& unit, std::size_t row) {
    seen(unit, u64(judgments, row, 3));
    unit.judgments.push_back(
        {{judgments.get<core::uuid>(row, 1)},
         judgments.get<std::string>(row, 2),
         u64(judgments, row, 3),
         judgments.get<std::string>(row, 4),
         judgments.get<double>(row, 5),
         judgments.get<bool>(row, 6),
         judgments.is_null(row, 7) ? std::nullopt : std::optional{judgments.get<bool>(row, 7)},
         judgments.get<core::instant>(row, 8),
         count_of(judgments, row, 9),
         count_of(judgments, row, 10),
         judgments.get<bool>(row, 11),
         judgments.get<bool>(row, 12),
         static_cast<std::uint8_t>(judgments.get<int2>(row, 13))});
  });
  if (policies.keep_late()) {
    const auto& surplus = r[preamble_short + 5];
    for_each_of(surplus, loaded, places, [&](core::unit& unit, std::size_t row) {
      if (policy_of(unit, policies).late_submit == core::late_submit::reject)
        return;
      unit.lapsed.push_back({surplus.get<std::string>(row, 1),
                             u64(surplus, row, 2),
                             {surplus.get<core::uuid>(row, 3)}});
    });
  }
  const auto& ended = r[preamble_short + 3];
  for_each_of(ended, loaded, places, [&](core::unit& unit, std::size_t row) {
    const auto& policy = policy_of(unit, policies);
    const auto how = static_cast<core::lease_end>(ended.get<int2>(row, 3));
    seen(unit, u64(ended, row, 2));
    put_ended(unit.bars, policy, ended.get<text>(row, 1), how, ended.get<core::instant>(row, 4));
    note_ended(unit, policy, ended.get<std::string>(row, 1), u64(ended, row, 2), how);
  });
  const auto& excluded = r[preamble_short + 4];
  for_each_of(excluded, loaded, places, [&](core::unit& unit, std::size_t row) {
    put_bar(unit.bars, excluded.get<text>(row, 1), core::instant::max());
  });
  return loaded;
}

std::vector<call> gathered_with(const std::vector<core::unit_id>& units) {
  return short_read({{&gathered_together, {ids_parameter(units)}}});
}

std::vector<gathered_unit> gathered_with(const results& r) {
  const auto& rows = r[preamble_short];
  std::vector<gathered_unit> together;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    together.push_back({waiting_unit_of(rows, row), unit_of(rows, row, 7)});
  return together;
}

std::vector<call> load_chains(const std::vector<core::unit_id>& units) {
  const auto ids = ids_parameter(units);
  return short_read({{&links_by_unit, {ids}}, {&judges_by_chain, {ids}}});
}

std::vector<unit_chain> load_chains(const results& r) {
  std::vector<unit_chain> chains;
  std::unordered_map<core::uuid, std::size_t> places;
  const auto& links = r[preamble_short];
  for (std::size_t row = 0; row < links.rows();) {
    const core::unit_id last{links.get<core::uuid>(row, 0)};
    std::unordered_map<core::unit_id, std::size_t> rows;
    std::unordered_map<core::unit_id, std::vector<core::unit_id>> sources;
    for (; row < links.rows() && unit_of(links, row, 0) == last; ++row) {
      const auto unit = unit_of(links, row, 1);
      rows.emplace(unit, row);
      if (const auto parent = unit_of(links, row, 4))
        sources[unit].push_back(parent);
      if (const auto batch = unit_of(links, row, 5))
        sources[batch].push_back(unit);
    }
    places.emplace(last.value, chains.size());
    chains.push_back({last, {}});
    for (const auto& unit : chain_order(last, [&](const auto& of) { return sources[of]; }))
      chains.back().links.push_back({unit,
                                     {links.get<core::uuid>(rows.at(unit), 2)},
                                     links.get<std::string>(rows.at(unit), 3),
                                     {}});
  }
  const auto& judges = r[preamble_short + 1];
  for_each_of(judges, chains, places, [&](unit_chain& chain, std::size_t row) {
    const auto unit = unit_of(judges, row, 1);
    for (auto& link : chain.links)
      if (link.unit == unit)
        link.judges.push_back(judges.get<std::string>(row, 2));
  });
  return chains;
}

std::vector<call> load_workflow(core::workflow_id workflow) {
  const auto id = wire::scalar(workflow.value);
  return short_read(
      {{&workflow_by_id, {id}}, {&definitions_of_workflow, {id}}, {&steps_of_workflow, {id}}});
}

core::outcome<stored_workflow> load_workflow(const results& r, core::workflow_id workflow) {
  const auto& found = r[preamble_short];
  if (found.rows() == 0)
    return core::failure{core::errc::not_found, "no such workflow"};
  stored_workflow loaded{
      workflow, found.get<std::string>(0, 0), definitions_in(r[preamble_short + 1]), {}};
  loaded.steps = read_step_rows(r[preamble_short + 2]);
  return loaded;
}

std::vector<call> find_source_keys(core::step_id step, const std::vector<std::string>& keys) {
  wire::array_of<text> wanted;
  for (const auto& key : keys)
    wanted.add(key);
  return {{&units_by_source_key, {wire::scalar(step.value), wanted.take()}}};
}

std::vector<std::pair<std::string, core::unit_id>> find_source_keys(const results& r) {
  std::vector<std::pair<std::string, core::unit_id>> found;
  const auto& rows = r[0];
  for (std::size_t row = 0; row < rows.rows(); ++row)
    found.emplace_back(rows.get<std::string>(row, 0), core::unit_id{rows.get<core::uuid>(row, 1)});
  return found;
}

std::vector<call> find_source_units(core::step_id step, const std::vector<std::string>& keys) {
  wire::array_of<text> wanted;
  for (const auto& key : keys)
    wanted.add(key);
  return {{&inputs_by_source_key, {wire::scalar(step.value), wanted.take()}}};
}

std::vector<source_unit> find_source_units(const results& r) {
  std::vector<source_unit> found;
  const auto& rows = r[0];
  for (std::size_t row = 0; row < rows.rows(); ++row)
    found.push_back({rows.get<std::string>(row, 0),
                     {rows.get<core::uuid>(row, 1)},
                     core::parse_digest(rows.get<std::string>(row, 2)).value_or(core::digest{})});
  return found;
}

std::vector<call> find_over(const std::vector<core::assignment_id>& assignments,
                            core::instant since) {
  wire::array_of<core::uuid> ids;
  for (const auto& id : assignments)
    ids.add(id.value);
  return {{&over_since, {ids.take(), wire::scalar(since)}}};
}

std::vector<core::assignment_id> find_over(const results& r) {
  std::vector<core::assignment_id> over;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    over.push_back({r[0].get<core::uuid>(row, 0)});
  return over;
}

std::vector<call> statistics(core::step_id step) {
  const auto id = wire::scalar(step.value);
  return long_read({{&step_row_by_id, {id}}, {&units_by_state, {id}}, {&counts_of_step, {id}}});
}

core::outcome<step_statistics> statistics(const results& r) {
  if (r[preamble_long].rows() == 0)
    return core::failure{core::errc::not_found, "no such step"};
  step_statistics counted;
  counted.step = read_step_row(r[preamble_long], 0);
  const auto& states = r[preamble_long + 1];
  for (std::size_t row = 0; row < states.rows(); ++row) {
    const auto count = u64(states, row, 1);
    switch (unit_state_of(states, row, 0)) {
    case core::unit_state::judgable:
      counted.judgable = count;
      break;
    case core::unit_state::paused:
      counted.paused = count;
      break;
    case core::unit_state::finalized:
      counted.finalized = count;
      break;
    case core::unit_state::canceled:
      counted.canceled = count;
      break;
    case core::unit_state::gathered:
      break;
    }
  }
  const auto& counts = r[preamble_long + 2];
  counted.judgments = u64(counts, 0, 0);
  counted.active_leases = u64(counts, 0, 1);
  counted.expired_leases = u64(counts, 0, 2);
  counted.test_questions = u64(counts, 0, 3);
  counted.test_judgments = u64(counts, 0, 4);
  return counted;
}

std::vector<call> event_bounds(core::shard_id shard) {
  return {{&bounds_of_events, {shard_parameter(shard)}},
          {&gaps_of_events, {shard_parameter(shard)}}};
}

core::outcome<core::event_bounds> event_bounds(const results& r) {
  if (r[0].rows() == 0)
    return core::failure{core::errc::not_found, "no such shard"};
  core::event_bounds bounds{u64(r[0], 0, 0), u64(r[0], 0, 1)};
  for (std::size_t row = 0; row < r[1].rows(); ++row)
    bounds.gaps.push_back({u64(r[1], row, 0), u64(r[1], row, 1)});
  return bounds;
}

std::vector<call> cursor(const std::string& consumer, core::shard_id shard) {
  return {{&cursor_of, {consumer, shard_parameter(shard)}}};
}

std::vector<call> inbox_after(const std::string& consumer, core::shard_id shard,
                              core::event_seq after) {
  return {{&inbox_of, {consumer, shard_parameter(shard), number_parameter(after)}}};
}

std::vector<core::event_seq> inbox_after(const results& r) {
  std::vector<core::event_seq> seqs;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    seqs.push_back(u64(r[0], row, 0));
  return seqs;
}

} // namespace holdfast::persistence::reads
