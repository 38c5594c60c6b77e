// The part of `postgres_store` that lists steps.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <map>
#include <utility>

namespace holdfast::persistence {

namespace {

constexpr statement step_exists{"step_exists", R"sql(
  SELECT 1 FROM holdfast.steps WHERE step_id = $1::uuid)sql"};

constexpr statement step_ids_after{"step_ids_after", R"sql(
  SELECT s.step_id FROM holdfast.steps s
   WHERE (s.created_at, s.step_id)
         > (coalesce((SELECT created_at FROM holdfast.steps WHERE step_id = $1::uuid), '-infinity'),
            $1::uuid)
   ORDER BY s.created_at, s.step_id LIMIT $2::integer)sql"};

// `status < 3` as the index `steps_open` has it.
constexpr statement open_step_ids_after{"open_step_ids_after", R"sql(
  SELECT step_id FROM holdfast.steps WHERE status < 3 AND step_id > $1::uuid
   ORDER BY step_id LIMIT $2::integer)sql"};

// From the list to the table, row by row: see the remark on `OFFSET 0` in postgres_reads.cpp.
constexpr statement listed_steps{"listed_steps", R"sql(
  SELECT s.step_id, s.workflow_id, s.key, s.position, s.status, s.sealed, s.total_units,
         s.completed_units, s.revision, s.upstreams_completed, s.job_revision, s.job_status
    FROM unnest($1::uuid[]) AS t(step_id)
   CROSS JOIN LATERAL (SELECT * FROM holdfast.steps f
                        WHERE f.step_id = t.step_id OFFSET 0) s)sql"};

std::vector<call> read_steps(const std::vector<core::step_id>& steps) {
  wire::array_of<core::uuid> ids;
  for (const auto& step : steps)
    ids.add(step.value);
  return {{&listed_steps, {ids.take()}}};
}

std::vector<core::step_id> step_ids(const query_result& r) {
  std::vector<core::step_id> ids;
  for (std::size_t row = 0; row < r.rows(); ++row)
    ids.push_back({r.get<core::uuid>(row, 0)});
  return ids;
}

} // namespace

core::outcome<std::vector<core::step_row>>
postgres_store::read_listed_steps(const std::vector<core::step_id>& steps) {
  std::map<core::step_id, core::step_row> read;
  const apart_reader<core::step_id> rows{
      [&](const auto& some) {
        return end_of(run(read_steps(some)), [&](const auto& results) {
          for (auto& row : reads::read_step_rows(results.front()))
            read.insert_or_assign(row.id, std::move(row));
        });
      },
      [&](const auto& id, const auto&) { read[id].id = id; }};
  if (const auto failed = read_apart(steps, rows))
    return *failed;
  std::vector<core::step_row> listed;
  for (const auto& id : steps)
    if (const auto found = read.find(id); found != read.end())
      listed.push_back(std::move(found->second));
  return listed;
}

core::outcome<std::vector<core::step_row>> postgres_store::list_steps(core::step_id after,
                                                                      std::uint32_t limit) {
  const auto id = wire::scalar(after.value);
  const auto found =
      ask({{&step_exists, {id}}, {&step_ids_after, {id, reads::limit_parameter(limit)}}});
  if (!found)
    return found.error();
  if (after && (*found)[0].rows() == 0)
    return core::failure{core::errc::not_found, "no such step"};
  return read_listed_steps(step_ids((*found)[1]));
}

core::outcome<std::vector<core::step_row>> postgres_store::open_steps(core::step_id after,
                                                                      std::uint32_t limit) {
  const auto found =
      ask({{&open_step_ids_after, {wire::scalar(after.value), reads::limit_parameter(limit)}}});
  if (!found)
    return found.error();
  return read_listed_steps(step_ids(found->front()));
}

} // namespace holdfast::persistence
