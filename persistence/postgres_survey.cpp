// The part of `postgres_store` that is about surveys of a step's judgments.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

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

} // namespace

core::outcome<survey_material> postgres_store::load_survey(core::step_id step, double sure,
                                                           std::uint32_t limit) {
  const auto id = wire::scalar(step.value);
  const auto answer =
      ask(reads::long_read({{&last_judgments, {id, wire::scalar(static_cast<reads::int4>(limit))}},
                            {&finished_units, {id, wire::scalar(sure)}}}));
  if (!answer)
    return answer.error();
  const auto& judgments = (*answer)[reads::preamble_long];
  survey_material material;
  material.judgments.reserve(judgments.rows());
  for (std::size_t row = 0; row < judgments.rows(); ++row)
    material.judgments.push_back({judgments.get<std::string>(row, 0),
                                  {judgments.get<core::uuid>(row, 1)},
                                  judgments.get<std::string>(row, 2),
                                  core::duration{judgments.get<reads::int8>(row, 3)},
                                  static_cast<std::uint64_t>(judgments.get<reads::int8>(row, 4))});
  const auto& units = (*answer)[reads::preamble_long + 1];
  for (std::size_t row = 0; row < units.rows(); ++row)
    material.finished[reads::u32(units, row, 0)] = {
        reads::u64(units, row, 1), reads::u64(units, row, 2), reads::u64(units, row, 3)};
  return material;
}

} // namespace holdfast::persistence
