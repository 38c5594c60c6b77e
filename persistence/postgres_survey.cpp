// The part of `postgres_store` that is about surveys of a step's judgments.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"
#include "persistence/unreadable_judgments.hpp"

namespace holdfast::persistence {

namespace {

// From the units to their judgments, row by row: see the remark on `OFFSET 0` in
// postgres_reads.cpp.
constexpr statement last_judgments{"last_judgments", R"sql(
  SELECT contributor_id, unit_id, answer, taken, payload
    FROM (SELECT j.contributor_id, u.unit_id, j.answer, j.submitted_at, j.judgment_id,
                 (extract(epoch FROM j.submitted_at - j.started_at) * 1000000)::bigint AS taken,
                 hashtextextended(j.payload, 0) AS payload
            FROM holdfast.units u
           CROSS JOIN LATERAL (
                 SELECT * FROM holdfast.judgments f WHERE f.unit_id = u.unit_id AND NOT f.is_tainted
                 OFFSET 0) j
           WHERE u.step_id = $1::uuid AND u.truth IS NULL
           ORDER BY j.submitted_at DESC, j.judgment_id DESC LIMIT $2::integer) last
   ORDER BY submitted_at, judgment_id)sql"};

// The same in parts, for judgments of which some cannot be read.

constexpr statement last_judgment_keys{"last_judgment_keys", R"sql(
  SELECT contributor_id, unit_id
    FROM (SELECT j.contributor_id, u.unit_id, j.submitted_at, j.judgment_id
            FROM holdfast.units u
           CROSS JOIN LATERAL (
                 SELECT * FROM holdfast.judgments f WHERE f.unit_id = u.unit_id AND NOT f.is_tainted
                 OFFSET 0) j
           WHERE u.step_id = $1::uuid AND u.truth IS NULL
           ORDER BY j.submitted_at DESC, j.judgment_id DESC LIMIT $2::integer) last
   ORDER BY submitted_at, judgment_id)sql"};

constexpr statement judgments_by_key{"judgments_by_key", R"sql(
  SELECT j.contributor_id, j.unit_id, j.answer,
         (extract(epoch FROM j.submitted_at - j.started_at) * 1000000)::bigint,
         hashtextextended(j.payload, 0)
    FROM unnest($1::uuid[], $2::text[]) AS t(unit_id, contributor_id)
   CROSS JOIN LATERAL (
         SELECT * FROM holdfast.judgments f
          WHERE f.unit_id = t.unit_id AND f.contributor_id = t.contributor_id AND NOT f.is_tainted
         OFFSET 0) j
   ORDER BY j.submitted_at, j.judgment_id)sql"};

constexpr statement finished_units{"finished_units", R"sql(
  SELECT u.version::integer, count(*), coalesce(sum(j.number), 0)::bigint,
         count(*) FILTER (WHERE u.confidence < $2::double precision)
    FROM holdfast.units u
   CROSS JOIN LATERAL (
         SELECT count(*) AS number FROM holdfast.judgments f
          WHERE f.unit_id = u.unit_id AND NOT f.is_tainted
         OFFSET 0) j
   WHERE u.step_id = $1::uuid AND u.state = 3
   GROUP BY u.version)sql"};

void add_judgments(const query_result& rows, std::vector<core::surveyed_judgment>& to) {
  to.reserve(to.size() + rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row)
    to.push_back({rows.get<std::string>(row, 0),
                  {rows.get<core::uuid>(row, 1)},
                  rows.get<std::string>(row, 2),
                  core::duration{rows.get<reads::int8>(row, 3)},
                  static_cast<std::uint64_t>(rows.get<reads::int8>(row, 4))});
}

core::finished_by_version read_finished(const query_result& rows) {
  core::finished_by_version finished;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    finished[reads::u32(rows, row, 0)] = {reads::u64(rows, row, 1), reads::u64(rows, row, 2),
                                          reads::u64(rows, row, 3)};
  return finished;
}

} // namespace

core::outcome<survey_material> postgres_store::load_survey(core::step_id step, double sure,
                                                           std::uint32_t limit) {
  const auto id = wire::scalar(step.value);
  const std::vector<std::string> last{id, wire::scalar(static_cast<reads::int4>(limit))};
  const call finished{&finished_units, {id, wire::scalar(sure)}};
  const auto answer = run(reads::long_read({{&last_judgments, last}, finished}));
  if (!answer)
    return answer.error();
  survey_material material;
  if (!answer->failed) {
    add_judgments(answer->results[reads::preamble_long], material.judgments);
    material.finished = read_finished(answer->results[reads::preamble_long + 1]);
    return material;
  }
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto keys = ask(reads::long_read({{&last_judgment_keys, last}, finished}));
  if (!keys)
    return keys.error();
  material.finished = read_finished((*keys)[reads::preamble_long + 1]);
  const apart_reader<reads::judgment_key> rows{
      [&](const auto& some) -> read_end {
        if (auto problem = too_many_unreadable(material.unreadable))
          return *problem;
        return end_of(
            run({{&judgments_by_key, reads::parameters_of(some)}}),
            [&](const auto& results) { add_judgments(results.front(), material.judgments); });
      },
      [&](const auto& key, const auto& why) {
        using unreadable = core::step_history::unreadable;
        material.unreadable.push_back({unreadable::row::vote, key.first, key.second, why.text()});
      }};
  if (auto failed = read_apart(reads::judgment_keys((*keys)[reads::preamble_long]), rows))
    return *failed;
  if (auto problem = too_many_unreadable(material.unreadable))
    return *problem;
  return material;
}

} // namespace holdfast::persistence
