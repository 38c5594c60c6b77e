// The part of `postgres_store` that is about repairs.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace holdfast::persistence {

namespace {

constexpr statement repair_by_id{"repair_by_id", R"sql(
  SELECT repair_id, step_id, contributor_id, dry_run, through, bookmark, found, unchanged, changed,
         reopened, went_on, disregarded, asked_at, changed_at, reissued
    FROM holdfast.repairs WHERE repair_id = $1::uuid)sql"};

constexpr statement repairs_of_step{"repairs_of_step", R"sql(
  SELECT repair_id, step_id, contributor_id, dry_run, through, bookmark, found, unchanged, changed,
         reopened, went_on, disregarded, asked_at, changed_at, reissued
    FROM holdfast.repairs WHERE bookmark < through AND step_id = $1::uuid
   ORDER BY asked_at, repair_id)sql"};

constexpr statement repairs_of_all{"repairs_of_all", R"sql(
  SELECT repair_id, step_id, contributor_id, dry_run, through, bookmark, found, unchanged, changed,
         reopened, went_on, disregarded, asked_at, changed_at, reissued
    FROM holdfast.repairs WHERE bookmark < through
   ORDER BY asked_at, repair_id)sql"};

// Where one of them cannot be read: their keys, and some of them. Which are done is a part of what
// may not be read, so all are looked at.

constexpr statement repair_keys{"repair_keys", R"sql(
  SELECT repair_id, step_id FROM holdfast.repairs
   WHERE $1::uuid IN (step_id, '00000000-0000-0000-0000-000000000000')
   ORDER BY repair_id)sql"};

constexpr statement open_repairs_among{"open_repairs_among", R"sql(
  SELECT r.*
    FROM unnest($1::uuid[]) AS t(repair_id)
   CROSS JOIN LATERAL (
         SELECT repair_id, step_id, contributor_id, dry_run, through, bookmark, found, unchanged,
                changed, reopened, went_on, disregarded, asked_at, changed_at, reissued
           FROM holdfast.repairs f WHERE f.repair_id = t.repair_id
         OFFSET 0) r
   WHERE r.bookmark < r.through)sql"};

// From the units to their judgments, row by row: see the remark on `LATERAL` in postgres_batch.cpp.
constexpr statement judged_by{"judged_by", R"sql(
  SELECT u.unit_id, u.state, j.is_tainted
    FROM holdfast.units u
   CROSS JOIN LATERAL (SELECT bool_and(f.is_tainted) AS is_tainted FROM holdfast.judgments f
                        WHERE f.unit_id = u.unit_id AND f.contributor_id = ANY ($2::text[])
                       HAVING count(*) > 0) j
   WHERE u.step_id = $1::uuid AND u.ordinal > $3::bigint AND u.ordinal <= $4::bigint
     AND u.state IN (1, 3) AND u.truth IS NULL
   ORDER BY u.ordinal)sql"};

// From the results to the units, row by row: see the remark on `OFFSET 0` in postgres_reads.cpp.
constexpr statement units_made_from{"units_made_from", R"sql(
  SELECT c.unit_id
    FROM unnest($2::uuid[], $3::integer[]) AS t(parent_id, revision)
   CROSS JOIN LATERAL (SELECT f.unit_id, f.ordinal FROM holdfast.units f
                        WHERE f.parent_id = t.parent_id AND f.step_id = $1::uuid
                          AND f.parent_reopened < t.revision AND f.state <> 4 OFFSET 0) c
   GROUP BY c.unit_id, c.ordinal ORDER BY c.ordinal)sql"};

core::repair_row read_repair(const query_result& r, std::size_t row) {
  core::repair_row repair;
  repair.id = {r.get<core::uuid>(row, 0)};
  repair.step = {r.get<core::uuid>(row, 1)};
  repair.contributor = r.get<std::string>(row, 2);
  repair.dry_run = r.get<bool>(row, 3);
  repair.through = reads::u64(r, row, 4);
  repair.bookmark = reads::u64(r, row, 5);
  repair.figures = {reads::u64(r, row, 6), reads::u64(r, row, 7),  reads::u64(r, row, 8),
                    reads::u64(r, row, 9), reads::u64(r, row, 10), reads::u64(r, row, 11),
                    reads::u64(r, row, 14)};
  repair.asked_at = r.get<core::instant>(row, 12);
  repair.changed_at = r.get<core::instant>(row, 13);
  return repair;
}

void add_repairs(const query_result& rows, stored_repairs& repairs) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    repairs.open.push_back(read_repair(rows, row));
}

} // namespace

core::outcome<core::repair_row> postgres_store::find_repair(core::repair_id repair) {
  const auto answer =
      ask_for_row(reads::short_read({{&repair_by_id, {wire::scalar(repair.value)}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_short];
  if (rows.rows() == 0)
    return core::failure{core::errc::not_found, "no such repair"};
  return read_repair(rows, 0);
}

core::outcome<stored_repairs> postgres_store::open_repairs(core::step_id step) {
  const auto answer =
      run(reads::short_read(step ? std::vector<call>{{&repairs_of_step, {wire::scalar(step.value)}}}
                                 : std::vector<call>{{&repairs_of_all, {}}}));
  if (!answer)
    return answer.error();
  stored_repairs repairs;
  if (!answer->failed) {
    add_repairs(answer->results[reads::preamble_short], repairs);
    return repairs;
  }
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto keys = ask({{&repair_keys, {wire::scalar(step.value)}}});
  if (!keys)
    return keys.error();
  std::vector<core::repair_id> ids;
  std::unordered_map<core::repair_id, core::step_id> step_of;
  for (std::size_t row = 0; row < keys->front().rows(); ++row) {
    ids.push_back({keys->front().get<core::uuid>(row, 0)});
    step_of.emplace(ids.back(), core::step_id{keys->front().get<core::uuid>(row, 1)});
  }
  const apart_reader<core::repair_id> rows{
      [&](const auto& some) {
        wire::array_of<core::uuid> wanted;
        for (const auto& id : some)
          wanted.add(id.value);
        return end_of(run({{&open_repairs_among, {wanted.take()}}}),
                      [&](const auto& results) { add_repairs(results.front(), repairs); });
      },
      [&](const auto& id, const auto& why) {
        repairs.unreadable.push_back({id, step_of.at(id), why.text()});
      }};
  if (auto failed = read_apart(ids, rows))
    return *failed;
  std::sort(repairs.open.begin(), repairs.open.end(), [](const auto& a, const auto& b) {
    return std::tie(a.asked_at, a.id) < std::tie(b.asked_at, b.id);
  });
  return repairs;
}

core::outcome<judged_units>
postgres_store::find_judged(core::step_id step,
                            const std::vector<core::contributor_id>& contributors,
                            std::uint64_t after, std::uint64_t through) {
  wire::array_of<reads::text> names;
  for (const auto& contributor : contributors)
    names.add(reads::text{contributor});
  const auto answer = ask(reads::short_read(
      {{&judged_by,
        {wire::scalar(step.value), names.take(), wire::scalar(static_cast<reads::int8>(after)),
         wire::scalar(static_cast<reads::int8>(through))}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_short];
  judged_units found;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    if (static_cast<core::unit_state>(rows.get<reads::int2>(row, 1)) == core::unit_state::finalized)
      found.finalized.push_back({rows.get<core::uuid>(row, 0)});
    else
      found.unsettled = found.unsettled || !rows.get<bool>(row, 2);
  return found;
}

core::outcome<std::vector<core::unit_id>>
postgres_store::made_from(core::step_id step, const std::vector<core::taken_back>& results) {
  wire::array_of<core::uuid> parents;
  wire::array_of<reads::int4> revisions;
  for (const auto& result : results) {
    parents.add(result.unit.value);
    revisions.add(static_cast<reads::int4>(result.revision));
  }
  const auto answer = ask(reads::short_read(
      {{&units_made_from, {wire::scalar(step.value), parents.take(), revisions.take()}}}));
  if (!answer)
    return answer.error();
  const auto& rows = (*answer)[reads::preamble_short];
  std::vector<core::unit_id> made;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    made.push_back({rows.get<core::uuid>(row, 0)});
  return made;
}

} // namespace holdfast::persistence
