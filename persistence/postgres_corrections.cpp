// The part of `postgres_store` that is about corrections.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence {

namespace {

constexpr statement corrections_of_unit{"corrections_of_unit", R"sql(
  SELECT correction_id, number, kind, judgment_id, contributor_id, asked_by, reason, answer, at,
         wanted, took_back, made_result, is_open
    FROM holdfast.corrections
   WHERE unit_id = $1::uuid AND step_id = $2::uuid ORDER BY number)sql"};

constexpr statement payloads_of_corrected{"payloads_of_corrected", R"sql(
  SELECT judgment_id, number, applied, answer, payload, at
    FROM holdfast.judgment_corrections
   WHERE unit_id = $1::uuid ORDER BY judgment_id, number)sql"};

} // namespace

core::outcome<std::vector<core::correction_row>>
postgres_store::load_corrections(core::step_id step, core::unit_id unit) {
  const auto answer = ask(reads::short_read(
      {{&corrections_of_unit, {wire::scalar(unit.value), wire::scalar(step.value)}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_short];
  std::vector<core::correction_row> found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    core::correction_row one;
    one.id = {rows.get<core::uuid>(row, 0)};
    one.number = reads::u32(rows, row, 1);
    one.step = step;
    one.unit = unit;
    one.kind = static_cast<core::correction_kind>(rows.get<reads::int2>(row, 2));
    if (!rows.is_null(row, 3)) {
      one.judgment = {rows.get<core::uuid>(row, 3)};
      one.contributor = rows.get<std::string>(row, 4);
    }
    one.by = rows.get<std::string>(row, 5);
    one.reason = rows.get<std::string>(row, 6);
    if (!rows.is_null(row, 7))
      one.answer = rows.get<std::string>(row, 7);
    one.at = rows.get<core::instant>(row, 8);
    one.wanted = reads::u32(rows, row, 9);
    one.took_back = rows.get<bool>(row, 10);
    one.made_result = rows.get<bool>(row, 11);
    one.is_open = rows.get<bool>(row, 12);
    found.push_back(std::move(one));
  }
  return found;
}

core::outcome<std::vector<kept_payload>>
postgres_store::load_judgment_corrections(core::unit_id unit) {
  const auto answer =
      ask(reads::short_read({{&payloads_of_corrected, {wire::scalar(unit.value)}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_short];
  std::vector<kept_payload> found;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    found.push_back({{rows.get<core::uuid>(row, 0)},
                     unit,
                     static_cast<std::uint32_t>(rows.get<reads::int2>(row, 1)),
                     rows.get<bool>(row, 2),
                     rows.get<std::string>(row, 3),
                     rows.get<std::string>(row, 4),
                     rows.get<core::instant>(row, 5)});
  return found;
}

} // namespace holdfast::persistence
