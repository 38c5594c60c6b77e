// The part of `postgres_store` that lists workflows.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>

namespace holdfast::persistence {

namespace {

constexpr statement workflow_ids_after{"workflow_ids_after", R"sql(
  SELECT workflow_id FROM holdfast.workflows
   WHERE workflow_id > $1::uuid ORDER BY workflow_id LIMIT $2::integer)sql"};

// From the list to the tables, row by row: see the remark on `OFFSET 0` in postgres_reads.cpp.
// Definitions are left out: they are what is large.
constexpr statement workflows_by_id{"workflows_by_id", R"sql(
  SELECT w.workflow_id, w.name, w.created_at, v.latest, s.open, s.paused, s.completed, s.canceled,
         s.job_revision, s.job_status
    FROM unnest($1::uuid[]) AS t(workflow_id)
   CROSS JOIN LATERAL (SELECT f.workflow_id, f.name, f.created_at FROM holdfast.workflows f
                        WHERE f.workflow_id = t.workflow_id OFFSET 0) w
   CROSS JOIN LATERAL (SELECT coalesce(max(f.version), 1)::integer AS latest
                         FROM holdfast.workflow_versions f
                        WHERE f.workflow_id = t.workflow_id) v
   CROSS JOIN LATERAL (
         SELECT (count(*) FILTER (WHERE f.status = 1))::integer AS open,
                (count(*) FILTER (WHERE f.status = 2))::integer AS paused,
                (count(*) FILTER (WHERE f.status = 3))::integer AS completed,
                (count(*) FILTER (WHERE f.status = 4))::integer AS canceled,
                coalesce(max(f.job_revision) FILTER (WHERE f.position = 0), 0) AS job_revision,
                coalesce(max(f.job_status) FILTER (WHERE f.position = 0), 1)::smallint
                  AS job_status
           FROM holdfast.steps f WHERE f.workflow_id = t.workflow_id) s)sql"};

void add_summaries(const std::vector<query_result>& results,
                   std::vector<workflow_summary>& summaries) {
  const auto& r = results.front();
  for (std::size_t row = 0; row < r.rows(); ++row)
    summaries.push_back({{r.get<core::uuid>(row, 0)},
                         r.get<std::string>(row, 1),
                         r.get<core::instant>(row, 2),
                         reads::u32(r, row, 3),
                         reads::u32(r, row, 4),
                         reads::u32(r, row, 5),
                         reads::u32(r, row, 6),
                         reads::u32(r, row, 7),
                         reads::u64(r, row, 8),
                         static_cast<core::job_status>(r.get<reads::int2>(row, 9))});
}

std::vector<call> read_summaries(const std::vector<core::workflow_id>& workflows) {
  wire::array_of<core::uuid> ids;
  for (const auto& workflow : workflows)
    ids.add(workflow.value);
  return {{&workflows_by_id, {ids.take()}}};
}

} // namespace

core::outcome<listed_workflows> postgres_store::list_workflows(core::workflow_id after,
                                                               std::uint32_t limit) {
  // One more than asked for tells whether there are others.
  const auto found =
      ask({{&workflow_ids_after, {wire::scalar(after.value), reads::limit_parameter(limit + 1)}}});
  if (!found)
    return found.error();
  std::vector<core::workflow_id> ids;
  for (std::size_t row = 0; row < found->front().rows(); ++row)
    ids.push_back({found->front().get<core::uuid>(row, 0)});
  listed_workflows listed;
  listed.more = ids.size() > limit;
  if (listed.more)
    ids.resize(limit);
  const apart_reader<core::workflow_id> rows{
      [&](const auto& some) {
        return end_of(run(read_summaries(some)),
                      [&](const auto& results) { add_summaries(results, listed.workflows); });
      },
      [&](const auto& id, const auto&) {
        workflow_summary unreadable;
        unreadable.id = id;
        listed.workflows.push_back(std::move(unreadable));
      }};
  if (const auto failed = read_apart(ids, rows))
    return *failed;
  std::sort(listed.workflows.begin(), listed.workflows.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return listed;
}

} // namespace holdfast::persistence
