#include "tests/examples/memory_links.hpp"

namespace holdfast::test {

using linker::link_id;
using linker::link_row;
using linker::link_status;

void memory_links::add_project(std::uint32_t project) { projects_.insert(project); }

link_row memory_links::add(std::uint32_t project, const std::string& credential) {
  link_row made;
  made.id = {project, ++numbers_};
  made.entry = 1'000'000 + numbers_;
  made.label = "piece " + std::to_string(numbers_);
  made.credential = credential;
  rows_[made.id].link = made;
  return made;
}

void memory_links::delete_project(std::uint32_t project) {
  projects_.erase(project);
  rows_.erase(rows_.lower_bound({project, 0}), rows_.lower_bound({project + 1, 0}));
}

void memory_links::cancel_project(std::uint32_t project) {
  for (auto& [id, entered] : rows_)
    if (id.project == project && entered.link.status == link_status::queued)
      entered.link.status = link_status::cancelled;
}

std::optional<std::vector<link_row>> memory_links::queue_project(std::uint32_t project,
                                                                 core::instant now) {
  if (projects_.count(project) == 0)
    return std::nullopt;
  std::vector<link_row> queued;
  for (auto& [id, entered] : rows_) {
    if (id.project != project)
      continue;
    if (entered.link.status == link_status::pending) {
      entered.link.status = link_status::queued;
      entered.touched = now;
    }
    if (entered.link.status == link_status::queued)
      queued.push_back(entered.link);
  }
  return queued;
}

std::optional<link_row> memory_links::find(const link_id& which) {
  const auto at = rows_.find(which);
  if (at == rows_.end())
    return std::nullopt;
  return at->second.link;
}

bool memory_links::settle(const link_id& which, const linker::link_result& result,
                          core::instant now) {
  const auto at = rows_.find(which);
  if (at == rows_.end() || at->second.link.status != link_status::queued) {
    ++refused_writes_;
    return false;
  }
  at->second.link.status = result.status;
  at->second.result = result;
  at->second.touched = now;
  return true;
}

std::vector<link_row> memory_links::untouched_since(core::instant since, std::size_t most) {
  std::vector<link_row> old;
  for (const auto& [id, entered] : rows_)
    if (old.size() < most && entered.link.status == link_status::queued && entered.touched < since)
      old.push_back(entered.link);
  return old;
}

void memory_links::touch(const std::vector<link_id>& which, core::instant now) {
  for (const auto& id : which)
    if (const auto at = rows_.find(id); at != rows_.end())
      at->second.touched = now;
}

} // namespace holdfast::test
