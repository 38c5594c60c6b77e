// The part of `postgres_store` that is about what quality control of a step goes on from.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace holdfast::persistence {

namespace {

constexpr statement test_questions{"test_questions", R"sql(
  SELECT unit_id, ordinal, truth, state = 1, forgiven_at IS NOT NULL,
         forgiving_changed_at IS NOT NULL
    FROM holdfast.units WHERE step_id = $1::uuid AND truth IS NOT NULL ORDER BY ordinal)sql"};

// From the units of the step to the tables, row by row: see the remark on `OFFSET 0` in
// postgres_reads.cpp. Joins of its own choice would read the judgments of all steps. A grant is in
// exactly one of the three tables.
#define GRANTS(left_out)                                                                           \
  "SELECT g.contributor_id, count(*)\n"                                                            \
  "  FROM holdfast.units u\n"                                                                      \
  " CROSS JOIN LATERAL (\n"                                                                        \
  "       SELECT l.contributor_id FROM holdfast.active_leases l WHERE l.unit_id = u.unit_id\n"     \
  "       UNION ALL\n"                                                                             \
  "       SELECT e.contributor_id FROM holdfast.ended_leases e WHERE e.unit_id = u.unit_id\n"      \
  "       UNION ALL\n"                                                                             \
  "       SELECT j.contributor_id FROM holdfast.judgments j WHERE j.unit_id = u.unit_id\n"         \
  "       OFFSET 0) g\n"                                                                           \
  " WHERE u.step_id = $1::uuid AND u.unit_id <> ALL (" left_out "::uuid[])\n"

constexpr statement grants_by_contributor{"grants_by_contributor", GRANTS("$2") R"sql(
   GROUP BY g.contributor_id ORDER BY g.contributor_id)sql"};

constexpr statement grants_after{"grants_after", GRANTS("$4") R"sql(
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
   WHERE u.step_id = $1::uuid AND u.truth IS NOT NULL AND u.unit_id <> ALL ($2::uuid[])
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
     WHERE u.step_id = $1::uuid AND u.truth IS NOT NULL AND u.forgiving_changed_at IS NOT NULL
       AND u.unit_id <> ALL ($2::uuid[]))
  SELECT j.contributor_id, u.unit_id, j.submitted_at, j.judgment_id, j.trust_snapshot,
         j.trust_questions
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT * FROM holdfast.judgments f WHERE f.unit_id = u.unit_id
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.state < 3 AND u.truth IS NULL
     AND u.unit_id <> ALL ($2::uuid[]) AND EXISTS (SELECT FROM concerned)
     AND j.contributor_id IN (SELECT contributor_id FROM concerned)
   ORDER BY j.contributor_id, u.unit_id)sql"};

constexpr statement standings_of_step{"standings_of_step", R"sql(
  SELECT contributor_id, standing, reason, changed_at, by_removal
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
          WHERE f.unit_id = u.unit_id AND f.is_tainted AND NOT f.taint_requested
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

// The units of which the requester has said the result, by the index of these; and the last that
// was said of each.
constexpr statement overridden_units{"overridden_units", R"sql(
  SELECT u.unit_id, c.answer
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT f.answer FROM holdfast.corrections f
          WHERE f.unit_id = u.unit_id AND f.kind = 2 ORDER BY f.number DESC LIMIT 1) c
   WHERE u.step_id = $1::uuid AND u.overridden AND u.state = 3
   ORDER BY u.unit_id)sql"};

constexpr statement judged_by_contributor{"judged_by_contributor", R"sql(
  SELECT j.contributor_id, count(*)
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT f.contributor_id FROM holdfast.judgments f WHERE f.unit_id = u.unit_id
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.truth IS NULL AND u.unit_id <> ALL ($2::uuid[])
   GROUP BY j.contributor_id ORDER BY j.contributor_id)sql"};

// The same in parts, for a history of which rows cannot be read: their keys, and some of the rows.
// The names of contributors come from the indexes, which have them as well: a page of the table
// that is damaged keeps nobody from knowing whose rows are on it.

constexpr statement by_index_alone{"by_index_alone", R"sql(
  SELECT set_config('enable_seqscan', 'off', true),
         set_config('enable_bitmapscan', 'off', true))sql"};

constexpr statement standing_names_of_step{"standing_names_of_step", R"sql(
  SELECT contributor_id
    FROM holdfast.contributor_standings WHERE step_id = $1::uuid ORDER BY contributor_id)sql"};

constexpr statement standings_named{"standings_named", R"sql(
  SELECT t.name, s.standing, s.reason, s.changed_at, s.by_removal
    FROM unnest($2::text[]) AS t(name)
   CROSS JOIN LATERAL (
         SELECT f.standing, f.reason, f.changed_at, f.by_removal
           FROM holdfast.contributor_standings f
          WHERE f.step_id = $1::uuid AND f.contributor_id = t.name
         OFFSET 0) s
   ORDER BY t.name COLLATE "C")sql"};

constexpr statement flagged_names_of_step{"flagged_names_of_step", R"sql(
  SELECT DISTINCT contributor_id
    FROM holdfast.contributor_flags WHERE step_id = $1::uuid ORDER BY contributor_id)sql"};

constexpr statement flags_named{"flags_named", R"sql(
  SELECT t.name, s.monitor
    FROM unnest($2::text[]) AS t(name)
   CROSS JOIN LATERAL (
         SELECT f.monitor FROM holdfast.contributor_flags f
          WHERE f.step_id = $1::uuid AND f.contributor_id = t.name
         OFFSET 0) s
   ORDER BY t.name COLLATE "C", s.monitor)sql"};

// As `unsettled_units` and `reinstatable_units`, of which the third column says which it is.
constexpr statement parts_in_open_units{"parts_in_open_units", R"sql(
  SELECT DISTINCT g.contributor_id, u.unit_id, g.is_tainted
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT l.contributor_id, false AS is_tainted
           FROM holdfast.active_leases l WHERE l.unit_id = u.unit_id
         UNION ALL
         SELECT j.contributor_id, j.is_tainted FROM holdfast.judgments j
          WHERE j.unit_id = u.unit_id AND (j.is_tainted OR u.truth IS NULL)
            AND NOT j.taint_requested
         OFFSET 0) g
   WHERE u.step_id = $1::uuid AND u.state < 3 AND u.unit_id <> ALL ($3::uuid[])
     AND g.contributor_id = ANY ($2::text[])
   ORDER BY g.contributor_id, u.unit_id)sql"};

constexpr statement questions_without_truth{"questions_without_truth", R"sql(
  SELECT unit_id, ordinal, '', state = 1, forgiven_at IS NOT NULL,
         forgiving_changed_at IS NOT NULL
    FROM holdfast.units WHERE step_id = $1::uuid AND truth IS NOT NULL ORDER BY ordinal)sql"};

constexpr statement truths_by_unit{"truths_by_unit", R"sql(
  SELECT unit_id, truth FROM holdfast.units WHERE unit_id = ANY ($1::uuid[]))sql"};

constexpr statement vote_keys_of_step{"vote_keys_of_step", R"sql(
  SELECT j.contributor_id, u.unit_id
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT * FROM holdfast.judgments f WHERE f.unit_id = u.unit_id AND NOT f.is_tainted
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.unit_id <> ALL ($2::uuid[])
   ORDER BY j.submitted_at, j.judgment_id)sql"};

constexpr statement votes_by_key{"votes_by_key", R"sql(
  SELECT j.contributor_id, j.unit_id, j.answer
    FROM unnest($1::uuid[], $2::text[]) AS t(unit_id, contributor_id)
   CROSS JOIN LATERAL (
         SELECT * FROM holdfast.judgments f
          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id AND NOT f.is_tainted
         OFFSET 0) j
   ORDER BY j.submitted_at, j.judgment_id)sql"};

// Whose work it was that cannot be read nobody can say, so its unit is left out: these find it.

constexpr statement unit_ids_with_work{"unit_ids_with_work", R"sql(
  SELECT unit_id FROM holdfast.units WHERE step_id = $1::uuid ORDER BY ordinal)sql"};

// All that the statements above read of leases and judgments, but for answers.
constexpr statement work_among{"work_among", R"sql(
  SELECT sum(octet_length(g.contributor_id)), count(g.submitted_at), count(g.judgment_id),
         count(g.trust_snapshot), count(g.trust_questions), count(g.test_question_correct),
         count(g.is_tainted)
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (
         SELECT l.contributor_id, NULL::timestamptz AS submitted_at, NULL::uuid AS judgment_id,
                NULL::double precision AS trust_snapshot, NULL::integer AS trust_questions,
                NULL::boolean AS test_question_correct, NULL::boolean AS is_tainted
           FROM holdfast.active_leases l WHERE l.unit_id = t.unit_id
         UNION ALL
         SELECT e.contributor_id, NULL, NULL, NULL, NULL, NULL, NULL
           FROM holdfast.ended_leases e WHERE e.unit_id = t.unit_id
         UNION ALL
         SELECT j.contributor_id, j.submitted_at, j.judgment_id, j.trust_snapshot,
                j.trust_questions, j.test_question_correct, j.is_tainted
           FROM holdfast.judgments j WHERE j.unit_id = t.unit_id
         OFFSET 0) g)sql"};

using runner = std::function<core::outcome<pipeline_results>(const std::vector<call>&)>;
using unreadable_rows = std::vector<core::step_history::unreadable>;

std::string list_of(const std::vector<core::unit_id>& units) {
  wire::array_of<core::uuid> ids;
  for (const auto& unit : units)
    ids.add(unit.value);
  return ids.take();
}

/// The units of `rows`.
std::string units_of(const unreadable_rows& rows) {
  wire::array_of<core::uuid> ids;
  for (const auto& row : rows)
    ids.add(row.unit.value);
  return ids.take();
}

/// The units of the step of which leases or judgments cannot be read.
core::outcome<unreadable_rows> find_unreadable_work(const runner& run, core::step_id step) {
  std::vector<core::unit_id> units;
  const auto found =
      end_of(run({{&unit_ids_with_work, {wire::scalar(step.value)}}}), [&](const auto& results) {
        const query_result& rows = results.front();
        for (std::size_t row = 0; row < rows.rows(); ++row)
          units.push_back({rows.template get<core::uuid>(row, 0)});
      });
  if (!found)
    return found.error();
  if (*found)
    return core::failure{may_be_of_a_row(**found) ? core::errc::damaged : core::errc::unavailable,
                         (*found)->text()};
  unreadable_rows lost;
  const apart_reader<core::unit_id> rows{
      [&](const auto& some) {
        return end_of(run({{&work_among, {list_of(some)}}}), [](auto&) {});
      },
      [&](const auto& unit, const auto& why) {
        lost.push_back({core::step_history::unreadable::row::work, {}, unit, why.text()});
      }};
  if (auto failed = read_apart(units, rows))
    return *failed;
  return lost;
}

/// What was asked for, in this order.
std::vector<call> calls_for(core::step_id step, core::history_scope scope) {
  const std::vector<std::string> id{wire::scalar(step.value)};
  const std::vector<std::string> all_units{id.front(), list_of(std::vector<core::unit_id>{})};
  std::vector<call> calls{{&standings_of_step, id},
                          {&flags_of_step, id},
                          {&unsettled_units, id},
                          {&reinstatable_units, id}};
  if (scope.tests) {
    calls.push_back({&test_questions, id});
    calls.push_back({&grants_by_contributor, all_units});
    calls.push_back({&asked_questions, all_units});
    calls.push_back({&trusted_judgments, all_units});
  }
  if (scope.votes) {
    calls.push_back({&votes_of_step, id});
    calls.push_back({&overridden_units, id});
  }
  if (scope.judged)
    calls.push_back({&judged_by_contributor, all_units});
  return reads::long_read(std::move(calls));
}

void read_standings(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.standings.push_back(
        {rows.get<std::string>(row, 0),
         static_cast<core::contributor_standing>(rows.get<reads::int2>(row, 1)),
         static_cast<core::standing_reason>(rows.get<reads::int2>(row, 2)),
         rows.get<core::instant>(row, 3), rows.get<bool>(row, 4)});
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

void read_overridden(const query_result& rows, core::step_history& history) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    history.overridden.push_back({{rows.get<core::uuid>(row, 0)}, rows.get<std::string>(row, 1)});
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
  if (scope.votes) {
    read_votes(rows(), history);
    read_overridden(rows(), history);
  }
  if (scope.judged)
    read_judged(rows(), history);
  return history;
}

namespace {

/// Reads the history of one step in parts, and around rows that the server does not give back.
class parted_reader {
public:
  parted_reader(runner run, core::step_id step) : run_(std::move(run)), step_(step) {}

  core::outcome<core::step_history> read(core::history_scope scope) {
    read_all_standings();
    read_all_flags();
    if (scope.tests)
      read_tests();
    if (scope.votes)
      read_all_votes();
    if (scope.judged)
      if (const auto rows = ask_of_units(judged_by_contributor))
        read_judged(*rows, history_);
    if (failed_)
      return *failed_;
    for (const auto& row : left_out_) {
      history_.damage.push_back(row);
      // Nobody can say who has been asked it, and who was right.
      for (const auto& question : history_.questions)
        if (question.unit == row.unit)
          history_.damage.back().what = unreadable::row::question;
    }
    return std::move(history_);
  }

private:
  using unreadable = core::step_history::unreadable;
  using names = std::vector<core::contributor_id>;

  /// None once a part has failed: then the whole has.
  std::optional<query_result> ask(const statement& what,
                                  const std::vector<std::string>& more = {}) {
    if (failed_)
      return std::nullopt;
    auto answer = run_(reads::long_read({{&what, parameters(more)}}));
    if (!answer)
      failed_ = answer.error();
    else if (answer->failed) // nobody could say whose row it is
      failed_ = failure_of(answer->failure);
    else
      return std::move(answer->results[reads::preamble_long]);
    return std::nullopt;
  }

  /// The same of a statement whose last parameter are units to leave out: those of which leases or
  /// judgments cannot be read, once such a statement has failed.
  std::optional<query_result> ask_of_units(const statement& what,
                                           std::vector<std::string> more = {}) {
    if (failed_)
      return std::nullopt;
    more.push_back(units_of(left_out_));
    if (looked_)
      return ask(what, more);
    auto answer = run_(reads::long_read({{&what, parameters(more)}}));
    if (answer && !answer->failed)
      return std::move(answer->results[reads::preamble_long]);
    if (answer && may_be_of_a_row(answer->failure)) {
      looked_ = true;
      if (auto lost = find_unreadable_work(run_, step_))
        left_out_ = std::move(*lost);
      else
        failed_ = lost.error();
    }
    more.back() = units_of(left_out_);
    return ask(what, more);
  }

  static core::failure failure_of(const query_failure& failure) {
    return {may_be_of_a_row(failure) ? core::errc::damaged : core::errc::unavailable,
            failure.text()};
  }

  std::vector<std::string> parameters(const std::vector<std::string>& more) const {
    std::vector<std::string> all{wire::scalar(step_.value)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Reads the rows of `keys`; `keep` gets those that can be read, the damage of the others is told
  /// as `name` says of their keys.
  template <class Key, class Calls, class Keep, class Name>
  void read_rows(const std::vector<Key>& keys, Calls calls, Keep keep, Name name) {
    if (failed_)
      return;
    const apart_reader<Key> rows{
        [&](const std::vector<Key>& some) {
          return end_of(run_(reads::long_read({calls(some)})),
                        [&](const auto& results) { keep(results[reads::preamble_long]); });
        },
        [&](const Key& key, const query_failure& why) {
          auto damaged = name(key);
          damaged.why = why.text();
          history_.damage.push_back(std::move(damaged));
        }};
    if (auto failed = read_apart(keys, rows))
      failed_ = std::move(failed);
  }

  names names_of(const statement& what) {
    names found;
    if (failed_)
      return found;
    auto answer = run_(reads::long_read({{&by_index_alone, {}}, {&what, parameters({})}}));
    if (!answer)
      failed_ = answer.error();
    else if (answer->failed) // nobody could say whose row it is
      failed_ = failure_of(answer->failure);
    else {
      const auto& rows = answer->results[reads::preamble_long + 1];
      for (std::size_t row = 0; row < rows.rows(); ++row)
        found.push_back(rows.get<std::string>(row, 0));
    }
    return found;
  }

  static std::string list_of(const names& some) {
    wire::array_of<std::string> list;
    for (const auto& name : some)
      list.add(name);
    return list.take();
  }

  call named(const statement& what, const names& some) const {
    return {&what, parameters({list_of(some)})};
  }

  void read_all_standings() {
    read_rows(
        names_of(standing_names_of_step),
        [&](const names& some) { return named(standings_named, some); },
        [&](const query_result& rows) { read_standings(rows, history_); },
        [](const core::contributor_id& who) {
          return unreadable{unreadable::row::standing, who, {}, {}};
        });
    std::unordered_map<core::contributor_id, core::contributor_standing> standing_of;
    names known;
    for (const auto& one : history_.standings) {
      standing_of.emplace(one.contributor, one.what);
      known.push_back(one.contributor);
    }
    if (known.empty())
      return;
    const auto rows = ask_of_units(parts_in_open_units, {list_of(known)});
    for (std::size_t row = 0; rows && row < rows->rows(); ++row) {
      const core::step_history::unsettled part{rows->get<std::string>(row, 0),
                                               {rows->get<core::uuid>(row, 1)}};
      const bool tainted = rows->get<bool>(row, 2);
      const bool removed = standing_of.at(part.contributor) == core::contributor_standing::removed;
      if (removed && !tainted)
        history_.unsettled_units.push_back(part);
      else if (!removed && tainted)
        history_.reinstatable_units.push_back(part);
    }
  }

  void read_all_flags() {
    read_rows(
        names_of(flagged_names_of_step),
        [&](const names& some) { return named(flags_named, some); },
        [&](const query_result& rows) { read_flags(rows, history_); },
        [](const core::contributor_id& who) {
          return unreadable{unreadable::row::flag, who, {}, {}};
        });
  }

  void read_tests() {
    if (const auto rows = ask(questions_without_truth))
      read_questions(*rows, history_);
    std::vector<core::unit_id> units;
    for (const auto& question : history_.questions)
      units.push_back(question.unit);
    std::unordered_map<core::unit_id, std::string> truths;
    read_rows(
        units,
        [](const std::vector<core::unit_id>& some) {
          wire::array_of<core::uuid> ids;
          for (const auto& unit : some)
            ids.add(unit.value);
          return call{&truths_by_unit, {ids.take()}};
        },
        [&](const query_result& rows) {
          for (std::size_t row = 0; row < rows.rows(); ++row)
            truths[{rows.get<core::uuid>(row, 0)}] = rows.get<std::string>(row, 1);
        },
        [](const core::unit_id& unit) {
          return unreadable{unreadable::row::question, {}, unit, {}};
        });
    for (auto& question : history_.questions)
      question.truth = std::move(truths[question.unit]);
    if (const auto rows = ask_of_units(grants_by_contributor))
      history_.contributors = read_grants(*rows);
    if (const auto rows = ask_of_units(asked_questions))
      read_asked(*rows, history_);
    if (const auto rows = ask_of_units(trusted_judgments))
      read_trusted(*rows, history_);
  }

  void read_all_votes() {
    if (const auto rows = ask(overridden_units))
      read_overridden(*rows, history_);
    std::vector<reads::judgment_key> keys;
    if (const auto rows = ask_of_units(vote_keys_of_step))
      keys = reads::judgment_keys(*rows);
    read_rows(
        keys,
        [](const auto& some) {
          return call{&votes_by_key, reads::parameters_of(some)};
        },
        [&](const query_result& rows) { read_votes(rows, history_); },
        [](const reads::judgment_key& one) {
          return unreadable{unreadable::row::vote, one.first, one.second, {}};
        });
  }

  runner run_;
  core::step_id step_;
  core::step_history history_;
  unreadable_rows left_out_;
  bool looked_ = false; ///< For what is to be left out.
  std::optional<core::failure> failed_;
};

} // namespace

core::outcome<core::step_history>
postgres_store::load_readable_step_history(core::step_id step, core::history_scope scope) {
  const auto whole = run(calls_for(step, scope));
  if (!whole)
    return whole.error();
  if (whole->failed && !may_be_of_a_row(whole->failure))
    return error_of(whole->failure); // reading more would make it worse
  return parted_reader{[this](const std::vector<call>& calls) { return run(calls); }, step}.read(
      scope);
}

core::outcome<std::vector<core::step_history::worked>>
postgres_store::load_grants(core::step_id step, const core::contributor_id& after,
                            std::uint32_t limit) {
  const auto calls = [&](const unreadable_rows& left_out) {
    return reads::long_read(
        {{&grants_after,
          {wire::scalar(step.value), after, reads::limit_parameter(limit), units_of(left_out)}}});
  };
  const auto answer = run(calls({}));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return read_grants(answer->results[reads::preamble_long]);
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto lost = find_unreadable_work([this](const auto& more) { return run(more); }, step);
  if (!lost)
    return lost.error();
  const auto others = ask(calls(*lost));
  if (!others)
    return others.error();
  return read_grants((*others)[reads::preamble_long]);
}

} // namespace holdfast::persistence
