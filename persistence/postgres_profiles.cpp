// The part of `postgres_store` that is about what is known of contributors.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

// As many rows as the longest list has terms, one at least; shorter lists are filled up with nulls.
constexpr statement profile_of_contributor{"profile_of_contributor", R"sql(
  SELECT p.location, p.trust, p.changed_at, t.channel, t.skill, t.certification
    FROM holdfast.contributor_profiles p
    LEFT JOIN LATERAL unnest(p.channels, p.skills, p.certifications) WITH ORDINALITY
                      AS t(channel, skill, certification, place) ON true
   WHERE p.contributor_id = $1::text ORDER BY t.place)sql"};

// From the answers to their units, row by row, whatever the planner believes of either.
constexpr statement tests_of_contributor{"tests_of_contributor", R"sql(
  SELECT count(*) FILTER (WHERE j.test_question_correct), count(*)
    FROM holdfast.judgments j
   CROSS JOIN LATERAL (SELECT f.forgiven_at FROM holdfast.units f
                        WHERE f.unit_id = j.unit_id OFFSET 0) u
   WHERE j.contributor_id = $1::text AND j.test_question_correct IS NOT NULL
     AND u.forgiven_at IS NULL)sql"};

// Likewise, of one workflow: in the step, and in its other steps.
constexpr statement tests_in_workflow{"tests_in_workflow", R"sql(
  SELECT count(*) FILTER (WHERE u.is_here AND j.test_question_correct),
         count(*) FILTER (WHERE u.is_here),
         count(*) FILTER (WHERE NOT u.is_here AND j.test_question_correct),
         count(*) FILTER (WHERE NOT u.is_here)
    FROM holdfast.judgments j
   CROSS JOIN LATERAL (
         SELECT f.forgiven_at, f.step_id = $2::uuid AS is_here, s.workflow_id
           FROM holdfast.units f JOIN holdfast.steps s ON s.step_id = f.step_id
          WHERE f.unit_id = j.unit_id OFFSET 0) u
   WHERE j.contributor_id = $1::text AND j.test_question_correct IS NOT NULL
     AND u.forgiven_at IS NULL
     AND u.workflow_id = (SELECT workflow_id FROM holdfast.steps WHERE step_id = $2::uuid))sql"};

void read_profile(const query_result& rows, stored_profile& read) {
  if (rows.rows() == 0)
    return;
  auto& profile = read.profile;
  profile.location = rows.get<std::string>(0, 0);
  if (!rows.is_null(0, 1))
    profile.trust = rows.get<double>(0, 1);
  read.changed_at = rows.get<core::instant>(0, 2);
  const auto add = [&](std::vector<std::string>& list, std::size_t row, int column) {
    if (!rows.is_null(row, column))
      list.push_back(rows.get<std::string>(row, column));
  };
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    add(profile.channels, row, 3);
    add(profile.skills, row, 4);
    add(profile.certifications, row, 5);
  }
}

} // namespace

core::outcome<stored_profile>
postgres_store::load_profile(const core::contributor_id& contributor) {
  const auto answer =
      ask({{&profile_of_contributor, {contributor}}, {&tests_of_contributor, {contributor}}});
  if (!answer)
    return answer.error();
  stored_profile read;
  read_profile((*answer)[0], read);
  const auto& tests = (*answer)[1];
  read.tests = {reads::u64(tests, 0, 0), reads::u64(tests, 0, 1)};
  return read;
}

core::outcome<core::tests_seen>
postgres_store::load_tests_in(const core::contributor_id& contributor, core::step_id step) {
  const auto answer = ask({{&tests_in_workflow, {contributor, wire::scalar(step.value)}}});
  if (!answer)
    return answer.error();
  const auto& counts = answer->front();
  return core::tests_seen{{reads::u64(counts, 0, 0), reads::u64(counts, 0, 1)},
                          {reads::u64(counts, 0, 2), reads::u64(counts, 0, 3)}};
}

} // namespace holdfast::persistence
