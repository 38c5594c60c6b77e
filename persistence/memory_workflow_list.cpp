// The part of `memory_store` that lists workflows.

#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

core::outcome<listed_workflows> memory_store::list_workflows(core::workflow_id after,
                                                             std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  listed_workflows listed;
  std::map<core::workflow_id, std::size_t> places;
  auto row = t.workflows.upper_bound(after);
  for (; row != t.workflows.end() && listed.workflows.size() < limit; ++row) {
    workflow_summary summary{row->first, row->second.name, row->second.created_at};
    summary.latest = static_cast<std::uint32_t>(row->second.definitions.size());
    places.emplace(row->first, listed.workflows.size());
    listed.workflows.push_back(std::move(summary));
  }
  listed.more = row != t.workflows.end();
  for (const auto& [id, step] : t.steps) {
    const auto place = places.find(step.row.workflow);
    if (place == places.end())
      continue;
    auto& summary = listed.workflows[place->second];
    switch (step.row.status) {
    case core::step_status::open:
      ++summary.open;
      break;
    case core::step_status::paused:
      ++summary.paused;
      break;
    case core::step_status::completed:
      ++summary.completed;
      break;
    case core::step_status::canceled:
      ++summary.canceled;
      break;
    }
    if (step.row.position == 0) {
      summary.job_revision = step.row.job_revision;
      summary.job = step.row.job;
    }
  }
  return listed;
}

} // namespace holdfast::persistence
