// The part of `postgres_store` that lists test questions.

#include "core/mended_text.hpp"
#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <unordered_map>

namespace holdfast::persistence {

namespace {

constexpr statement step_of_questions{"step_of_questions", R"sql(
  SELECT 1 FROM holdfast.steps WHERE step_id = $1::uuid)sql"};

// By the index `units_with_truth`, which has test questions alone.
constexpr statement question_ids_after{"question_ids_after", R"sql(
  SELECT unit_id, ordinal FROM holdfast.units
   WHERE step_id = $1::uuid AND truth IS NOT NULL AND ordinal > $2::bigint
   ORDER BY ordinal LIMIT $3::integer)sql"};

// From the list to the tables, row by row: see the remark on `OFFSET 0` in postgres_reads.cpp. No
// more of an input is read than a list shows: a character has a byte or more.
constexpr statement questions_by_id{"questions_by_id", R"sql(
  SELECT u.unit_id, u.ordinal, u.source_key, u.input, u.truth, u.state, u.forgiven, j.answered,
         j.correct
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT f.unit_id, f.ordinal, f.source_key,
                              left(f.input, $2::integer) AS input, f.truth, f.state,
                              f.forgiven_at IS NOT NULL AS forgiven
                         FROM holdfast.units f
                        WHERE f.unit_id = t.unit_id AND f.truth IS NOT NULL OFFSET 0) u
   CROSS JOIN LATERAL (SELECT count(f.test_question_correct) AS answered,
                              count(*) FILTER (WHERE f.test_question_correct) AS correct
                         FROM holdfast.judgments f WHERE f.unit_id = t.unit_id) j)sql"};

using ordinals = std::unordered_map<core::uuid, std::uint64_t>;

void add_questions(const query_result& r, std::vector<question_summary>& questions) {
  for (std::size_t row = 0; row < r.rows(); ++row)
    questions.push_back({{r.get<core::uuid>(row, 0)},
                         reads::u64(r, row, 1),
                         r.get<std::string>(row, 2),
                         core::mended_text(r.get<std::string>(row, 3), listed_input_bytes_max),
                         r.get<std::string>(row, 4),
                         static_cast<core::unit_state>(r.get<reads::int2>(row, 5)),
                         r.get<bool>(row, 6),
                         reads::u64(r, row, 7),
                         reads::u64(r, row, 8)});
}

std::vector<call> question_calls(const std::vector<core::unit_id>& units) {
  wire::array_of<core::uuid> ids;
  for (const auto& unit : units)
    ids.add(unit.value);
  return {{&questions_by_id,
           {ids.take(), wire::scalar(static_cast<reads::int4>(listed_input_bytes_max))}}};
}

} // namespace

core::outcome<listed_questions>
postgres_store::list_questions(core::step_id step, std::uint64_t after, std::uint32_t limit) {
  // One more than asked for tells whether there are others. No ordinal is beyond a bigint.
  const auto from = static_cast<reads::int8>(std::min<std::uint64_t>(after, INT64_MAX));
  const auto id = wire::scalar(step.value);
  const auto found = ask(reads::long_read(
      {{&step_of_questions, {id}},
       {&question_ids_after, {id, wire::scalar(from), reads::limit_parameter(limit + 1)}}}));
  if (!found)
    return found.error();
  if ((*found)[reads::preamble_long].rows() == 0)
    return core::failure{core::errc::not_found, "no such step"};
  const auto& r = (*found)[reads::preamble_long + 1];
  std::vector<core::unit_id> ids;
  ordinals known;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    ids.push_back({r.get<core::uuid>(row, 0)});
    known.emplace(ids.back().value, reads::u64(r, row, 1));
  }
  listed_questions listed;
  listed.more = ids.size() > limit;
  if (listed.more)
    ids.resize(limit);
  const apart_reader<core::unit_id> rows{[&](const auto& some) {
                                           return end_of(
                                               run(question_calls(some)), [&](const auto& results) {
                                                 add_questions(results.front(), listed.questions);
                                               });
                                         },
                                         [&](const auto& unit, const auto&) {
                                           question_summary unreadable;
                                           unreadable.unit = unit;
                                           unreadable.ordinal = known.at(unit.value);
                                           listed.questions.push_back(std::move(unreadable));
                                         }};
  if (const auto failed = read_apart(ids, rows))
    return *failed;
  std::sort(listed.questions.begin(), listed.questions.end(),
            [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  return listed;
}

} // namespace holdfast::persistence
