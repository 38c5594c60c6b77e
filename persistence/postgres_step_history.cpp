// The part of `postgres_store` that is about what quality control of a step goes on from.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

constexpr statement test_questions{"test_questions", R"sql(
  SELECT unit_id, ordinal, truth, state = 1, forgiven_at IS NOT NULL,
         forgiving_changed_at IS NOT NULL
    FROM holdfast.units WHERE step_id = $1::uuid AND truth IS NOT NULL ORDER BY ordinal)sql"};

// From the units of the step to the tables, row by row: see the remark on `OFFSET 0` in
// postgres_reads.cpp. Joins of its own choice would read the judgments of all steps. A grant is in
// exactly one of the three tables.
#define GRANTS                                                                                     \
  "SELECT g.contributor_id, count(*)\n"                                                            \
  "  FROM holdfast.units u\n"                                                                      \
  " CROSS JOIN LATERAL (\n"                                                                        \
  "       SELECT l.contributor_id FROM holdfast.active_leases l WHERE l.unit_id = u.unit_id\n"     \
  "       UNION ALL\n"                                                                             \
  "       SELECT e.contributor_id FROM holdfast.ended_leases e WHERE e.unit_id = u.unit_id\n"      \
  "       UNION ALL\n"                                                                             \
  "       SELECT j.contributor_id FROM holdfast.judgments j WHERE j.unit_id = u.unit_id\n"         \
  "       OFFSET 0) g\n"                                                                           \
  " WHERE u.step_id = $1::uuid\n"

constexpr statement grants_by_contributor{"grants_by_contributor", GRANTS R"sql(
   GROUP BY g.contributor_id ORDER BY g.contributor_id)sql"};

constexpr statement grants_after{"grants_after", GRANTS R"sql(
     AND g.contributor_id > $2::text
   GROUP BY g.contributor_id ORDER BY g.contributor_id LIMIT $3::integer)sql"};

#undef GRANTS

// Without a verdict there is no time of submission either, so the answered ones come first. Whether
// there is one is asked outside, where the planner cannot take it for the condition of an index.
constexpr statement asked_questions{"asked_questions", R"sql(
  SELECT a.contributor_id, u.unit_id, j.test_question_correct, j.submitted_at, j.judgment_id
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT l.contributor_id FROM holdfast.active_leases l WHERE l.unit_id = u.unit_id
         UNION
         SELECT e.contributor_id FROM holdfast.ended_leases e WHERE e.unit_id = u.unit_id
         UNION
         SELECT j.contributor_id FROM holdfast.judgments j WHERE j.unit_id = u.unit_id
         OFFSET 0) a
    LEFT JOIN LATERAL (
         SELECT * FROM holdfast.judgments f
          WHERE f.unit_id = u.unit_id AND f.contributor_id = a.contributor_id
         OFFSET 0) j ON j.test_question_correct IS NOT NULL
   WHERE u.step_id = $1::uuid AND u.truth IS NOT NULL
   ORDER BY j.submitted_at NULLS LAST, j.judgment_id, a.contributor_id, u.unit_id)sql"};

// Where no question was ever forgiven, which is usual, no judgment of a unit is looked at.
constexpr statement trusted_judgments{"trusted_judgments", R"sql(
  WITH concerned AS MATERIALIZED (
    SELECT DISTINCT j.contributor_id
      FROM holdfast.units u
     CROSS JOIN LATERAL (
           SELECT f.contributor_id FROM holdfast.judgments f
            WHERE f.unit_id = u.unit_id AND f.test_question_correct IS NOT NULL
           OFFSET 0) j
     WHERE u.step_id = $1::uuid AND u.truth IS NOT NULL AND u.forgiving_changed_at IS NOT NULL)
  SELECT j.contributor_id, u.unit_id, j.submitted_at, j.judgment_id, j.trust_snapshot,
         j.trust_questions
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT * FROM holdfast.judgments f WHERE f.unit_id = u.unit_id
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.state < 3 AND u.truth IS NULL
     AND EXISTS (SELECT FROM concerned)
     AND j.contributor_id IN (SELECT contributor_id FROM concerned)
   ORDER BY j.contributor_id, u.unit_id)sql"};

constexpr statement standings_of_step{"standings_of_step", R"sql(
  SELECT contributor_id, standing, reason
    FROM holdfast.contributor_standings WHERE step_id = $1::uuid ORDER BY contributor_id)sql"};

constexpr statement flags_of_step{"flags_of_step", R"sql(
  SELECT contributor_id, monitor
    FROM holdfast.contributor_flags WHERE step_id = $1::uuid ORDER BY contributor_id, monitor)sql"};

// Where nobody is removed, which is usual, nothing else is looked at.
constexpr statement unsettled_units{"unsettled_units", R"sql(
  WITH removed AS MATERIALIZED (
    SELECT contributor_id FROM holdfast.contributor_standings
     WHERE step_id = $1::uuid AND standing = 2)
  SELECT DISTINCT g.contributor_id, u.unit_id
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT l.contributor_id FROM holdfast.active_leases l WHERE l.unit_id = u.unit_id
         UNION ALL
         SELECT j.contributor_id FROM holdfast.judgments j
          WHERE j.unit_id = u.unit_id AND u.truth IS NULL AND NOT j.is_tainted
         OFFSET 0) g
   WHERE u.step_id = $1::uuid AND u.state < 3 AND EXISTS (SELECT FROM removed)
     AND g.contributor_id IN (SELECT contributor_id FROM removed)
   ORDER BY g.contributor_id, u.unit_id)sql"};

// Standings of people at work are those of the reinstated: where there are none, likewise.
constexpr statement reinstatable_units{"reinstatable_units", R"sql(
  WITH working AS MATERIALIZED (
    SELECT contributor_id FROM holdfast.contributor_standings
     WHERE step_id = $1::uuid AND standing = 1)
  SELECT j.contributor_id, u.unit_id
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT f.contributor_id FROM holdfast.judgments f
          WHERE f.unit_id = u.unit_id AND f.is_tainted
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.state < 3 AND EXISTS (SELECT FROM working)
     AND j.contributor_id IN (SELECT contributor_id FROM working)
   ORDER BY j.contributor_id, u.unit_id)sql"};

constexpr statement votes_of_step{"votes_of_step", R"sql(
  SELECT j.contributor_id, u.unit_id, j.answer
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT * FROM holdfast.judgments f WHERE f.unit_id = u.unit_id AND NOT f.is_tainted
         OFFSET 0) j
   WHERE u.step_id = $1::uuid
   ORDER BY j.submitted_at, j.judgment_id)sql"};

constexpr statement judged_by_contributor{"judged_by_contributor", R"sql(
  SELECT j.contributor_id, count(*)
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT f.contributor_id FROM holdfast.judgments f WHERE f.unit_id = u.unit_id
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.truth IS NULL
   GROUP BY j.contributor_id ORDER BY j.contributor_id)sql"};

/// What was asked for, in this order.
std::vector<call> calls_for(core::step_id step, core::history_scope scope) {
  const std::vector<std::string> id{wire::scalar(step.value)};
  std::vector<call> calls{{&standings_of_step, id},
                          {&flags_of_step, id},
                          {&unsettled_units, id},
                          {&reinstatable_units, id}};
  if (scope.tests) {
    calls.push_back({&test_questions, id});
    calls.push_back({&grants_by_contributor, id});
    calls.push_back({&asked_questions, id});
    calls.push_back({&trusted_judgments, id});
  }
  if (scope.votes)
    calls.push_back({&votes_of_step, id});
  if (scope.judged)
    calls.push_back({&judged_by_contributor, id});
  return reads::long_read(std::move(calls));
}

void read_standings(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.standings.push_back(
        {rows.get<std::string>(row, 0),
         static_cast<core::contributor_standing>(rows.get<reads::int2>(row, 1)),
         static_cast<core::standing_reason>(rows.get<reads::int2>(row, 2))});
}

void read_flags(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.flags.push_back(
        {rows.get<std::string>(row, 0), static_cast<core::monitor>(rows.get<reads::int2>(row, 1))});
}

std::vector<core::step_history::unsettled> read_unsettled(const query_result& rows) {
  std::vector<core::step_history::unsettled> units;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    units.push_back({rows.get<std::string>(row, 0), {rows.get<core::uuid>(row, 1)}});
  return units;
}

void read_questions(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.questions.push_back({{rows.get<core::uuid>(row, 0)},
                                 reads::u64(rows, row, 1),
                                 rows.get<std::string>(row, 2),
                                 rows.get<bool>(row, 3),
                                 rows.get<bool>(row, 4),
                                 rows.get<bool>(row, 5)});
}

std::vector<core::step_history::worked> read_grants(const query_result& rows) {
  std::vector<core::step_history::worked> contributors;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    contributors.push_back({rows.get<std::string>(row, 0), reads::u64(rows, row, 1)});
  return contributors;
}

void read_asked(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    history.asked_questions.push_back(
        {rows.get<std::string>(row, 0), {rows.get<core::uuid>(row, 1)}, std::nullopt});
    if (rows.is_null(row, 2))
      continue;
    auto& answered = history.asked_questions.back();
    answered.correct = rows.get<bool>(row, 2);
    answered.when = {rows.get<core::instant>(row, 3), {rows.get<core::uuid>(row, 4)}};
  }
}

void read_trusted(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.trusted_judgments.push_back(
        {rows.get<std::string>(row, 0),
         {rows.get<core::uuid>(row, 1)},
         {rows.get<core::instant>(row, 2), {rows.get<core::uuid>(row, 3)}},
         {rows.get<double>(row, 4), reads::count_of(rows, row, 5)}});
}

void read_votes(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.votes.push_back({rows.get<std::string>(row, 0),
                             {rows.get<core::uuid>(row, 1)},
                             rows.get<std::string>(row, 2)});
}

void read_judged(const query_result& rows, core::step_history& history) {
  history.judged.emplace();
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.judged->push_back(
        {rows.get<std::string>(row, 0), static_cast<std::uint32_t>(reads::u64(rows, row, 1))});
}

} // namespace

core::outcome<core::step_history> postgres_store::load_step_history(core::step_id step,
                                                                    core::history_scope scope) {
  const auto answer = ask(calls_for(step, scope));
  if (!answer)
    return answer.error();
  core::step_history history;
  std::size_t next = reads::preamble_long;
  const auto rows = [&]() -> const query_result& { return (*answer)[next++]; };
  read_standings(rows(), history);
  read_flags(rows(), history);
  history.unsettled_units = read_unsettled(rows());
  history.reinstatable_units = read_unsettled(rows());
  if (scope.tests) {
    read_questions(rows(), history);
    history.contributors = read_grants(rows());
    read_asked(rows(), history);
    read_trusted(rows(), history);
  }
  if (scope.votes)
    read_votes(rows(), history);
  if (scope.judged)
    read_judged(rows(), history);
  return history;
}

core::outcome<std::vector<core::step_history::worked>>
postgres_store::load_grants(core::step_id step, const core::contributor_id& after,
                            std::uint32_t limit) {
  const auto answer = ask(reads::long_read(
      {{&grants_after, {wire::scalar(step.value), after, reads::limit_parameter(limit)}}}));
  if (!answer)
    return answer.error();
  return read_grants((*answer)[reads::preamble_long]);
}

} // namespace holdfast::persistence
