// The part of `postgres_store` that is about what quality control of a step goes on from.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

constexpr statement test_questions{"test_questions", R"sql(
  SELECT unit_id, ordinal, truth, state = 1
    FROM holdfast.units WHERE step_id = $1::uuid AND truth IS NOT NULL ORDER BY ordinal)sql"};

// A grant is in exactly one of the three tables. The joins are repeated, so that the planner may
// look each table up from the units of the step.
constexpr statement grants_by_contributor{"grants_by_contributor", R"sql(
  SELECT contributor_id, count(*)
    FROM (SELECT l.contributor_id FROM holdfast.units u JOIN holdfast.active_leases l USING (unit_id)
           WHERE u.step_id = $1::uuid
          UNION ALL
          SELECT e.contributor_id FROM holdfast.units u JOIN holdfast.ended_leases e USING (unit_id)
           WHERE u.step_id = $1::uuid
          UNION ALL
          SELECT j.contributor_id FROM holdfast.units u JOIN holdfast.judgments j USING (unit_id)
           WHERE u.step_id = $1::uuid) grants
   GROUP BY contributor_id ORDER BY contributor_id)sql"};

// Without a verdict there is no time of submission either, so the answered ones come first.
constexpr statement asked_questions{"asked_questions", R"sql(
  WITH questions AS (
    SELECT unit_id FROM holdfast.units WHERE step_id = $1::uuid AND truth IS NOT NULL),
  asked AS (
    SELECT l.contributor_id, unit_id FROM questions JOIN holdfast.active_leases l USING (unit_id)
    UNION
    SELECT e.contributor_id, unit_id FROM questions JOIN holdfast.ended_leases e USING (unit_id)
    UNION
    SELECT j.contributor_id, unit_id FROM questions JOIN holdfast.judgments j USING (unit_id))
  SELECT a.contributor_id, a.unit_id, j.test_question_correct
    FROM asked a
    LEFT JOIN holdfast.judgments j
           ON j.unit_id = a.unit_id AND j.contributor_id = a.contributor_id
          AND j.test_question_correct IS NOT NULL
   ORDER BY j.submitted_at NULLS LAST, j.judgment_id, a.contributor_id, a.unit_id)sql"};

constexpr statement standings_of_step{"standings_of_step", R"sql(
  SELECT contributor_id, standing, reason
    FROM holdfast.contributor_standings WHERE step_id = $1::uuid ORDER BY contributor_id)sql"};

constexpr statement unsettled_units{"unsettled_units", R"sql(
  WITH removed AS (
    SELECT contributor_id FROM holdfast.contributor_standings
     WHERE step_id = $1::uuid AND standing = 2)
  SELECT contributor_id, u.unit_id
    FROM holdfast.units u JOIN holdfast.active_leases l USING (unit_id)
    JOIN removed USING (contributor_id)
   WHERE u.step_id = $1::uuid AND u.state < 3
   UNION
  SELECT contributor_id, u.unit_id
    FROM holdfast.units u JOIN holdfast.judgments j USING (unit_id)
    JOIN removed USING (contributor_id)
   WHERE u.step_id = $1::uuid AND u.state < 3 AND u.truth IS NULL AND NOT j.is_tainted
   ORDER BY contributor_id, unit_id)sql"};

constexpr statement votes_of_step{"votes_of_step", R"sql(
  SELECT j.contributor_id, j.unit_id, j.answer
    FROM holdfast.units u JOIN holdfast.judgments j USING (unit_id)
   WHERE u.step_id = $1::uuid AND u.truth IS NULL AND NOT j.is_tainted
   ORDER BY j.submitted_at, j.judgment_id)sql"};

core::step_history history_of(const reads::results& r, bool with_votes) {
  core::step_history history;
  const auto& questions = r[reads::preamble_long];
  for (std::size_t row = 0; row < questions.rows(); ++row)
    history.questions.push_back({{questions.get<core::uuid>(row, 0)},
                                 reads::u64(questions, row, 1),
                                 questions.get<std::string>(row, 2),
                                 questions.get<bool>(row, 3)});
  const auto& grants = r[reads::preamble_long + 1];
  for (std::size_t row = 0; row < grants.rows(); ++row)
    history.contributors.push_back({grants.get<std::string>(row, 0), reads::u64(grants, row, 1)});
  const auto& asked = r[reads::preamble_long + 2];
  for (std::size_t row = 0; row < asked.rows(); ++row)
    history.asked_questions.push_back(
        {asked.get<std::string>(row, 0),
         {asked.get<core::uuid>(row, 1)},
         asked.is_null(row, 2) ? std::nullopt : std::optional{asked.get<bool>(row, 2)}});
  const auto& standings = r[reads::preamble_long + 3];
  for (std::size_t row = 0; row < standings.rows(); ++row)
    history.standings.push_back(
        {standings.get<std::string>(row, 0),
         static_cast<core::contributor_standing>(standings.get<reads::int2>(row, 1)),
         static_cast<core::standing_reason>(standings.get<reads::int2>(row, 2))});
  const auto& unsettled = r[reads::preamble_long + 4];
  for (std::size_t row = 0; row < unsettled.rows(); ++row)
    history.unsettled_units.push_back(
        {unsettled.get<std::string>(row, 0), {unsettled.get<core::uuid>(row, 1)}});
  if (!with_votes)
    return history;
  const auto& votes = r[reads::preamble_long + 5];
  for (std::size_t row = 0; row < votes.rows(); ++row)
    history.votes.push_back({votes.get<std::string>(row, 0),
                             {votes.get<core::uuid>(row, 1)},
                             votes.get<std::string>(row, 2)});
  return history;
}

} // namespace

core::outcome<core::step_history> postgres_store::load_step_history(core::step_id step,
                                                                    bool with_votes) {
  const std::vector<std::string> id{wire::scalar(step.value)};
  std::vector<call> calls{{&test_questions, id},
                          {&grants_by_contributor, id},
                          {&asked_questions, id},
                          {&standings_of_step, id},
                          {&unsettled_units, id}};
  if (with_votes)
    calls.push_back({&votes_of_step, id});
  const auto answer = ask(reads::long_read(std::move(calls)));
  if (!answer)
    return answer.error();
  return history_of(*answer, with_votes);
}

} // namespace holdfast::persistence
