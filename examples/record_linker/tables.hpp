#pragma once

#include "examples/record_linker/entity_api.hpp"
#include "examples/record_linker/node_port.hpp"
#include "examples/record_linker/records.hpp"
#include "examples/shared/connection_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The application's tables in PostgreSQL: in a schema of its own, in the database that Holdfast
/// uses too, so that one transaction reaches both.
namespace linker {

using examples::connection_pool;

class pg_links : public link_store {
public:
  explicit pg_links(std::shared_ptr<connection_pool> pool) : pool_(std::move(pool)) {}

  std::optional<std::vector<link_row>> queue_project(std::uint32_t project,
                                                     core::instant now) override;
  std::optional<link_row> find(const link_id& which) override;
  bool settle(const link_id& which, const link_result& result, core::instant now) override;
  std::vector<link_row> untouched_since(core::instant since, std::size_t most) override;
  void touch(const std::vector<link_id>& which, core::instant now) override;

  /// "Match project P" as a transactional outbox: its links become queued and their tasks are made
  /// in one commit, so that no crash comes between. The number of tasks; none without the project.
  std::optional<std::size_t> match_project(std::uint32_t project, const std::string& trace,
                                           core::instant now);

private:
  const std::shared_ptr<connection_pool> pool_;
};

/// Holdfast's own tables, by its functions and reports: what goes by them needs the database alone,
/// as the links do. What the database does not do is thrown.
class pg_tasks : public task_port {
public:
  explicit pg_tasks(std::shared_ptr<connection_pool> pool) : pool_(std::move(pool)) {}

  /// Stages them. None is called repeated: their queue finds that out when it takes them in.
  core::outcome<msg::task_outcomes> ask(const msg::enqueue_tasks& request) override;
  /// Its status and error code. One that is staged is `QUEUED`.
  core::outcome<msg::task_view> ask(const msg::get_task& request) override;

private:
  const std::shared_ptr<connection_pool> pool_;
};

// --- for the simulation and the story ---

void make_schema(connection_pool& pool);

/// Enters pending links; the ids of links grow over all projects.
void add_project(connection_pool& pool, std::uint32_t project, std::size_t links,
                 const std::string& credential);
/// One more; its row.
link_row add_link(connection_pool& pool, std::uint32_t project);
void delete_project(connection_pool& pool, std::uint32_t project);

/// How a link stands.
struct link_standing {
  link_row row;
  link_result result;
};
std::vector<link_standing> all_links(connection_pool& pool);

/// The API's own books: when it is out of order, and who called.
void plan_outage(connection_pool& pool, core::instant from, core::instant until);
bool in_outage(connection_pool& pool, core::instant at);
void log_call(connection_pool& pool, const api_call& call);
/// In order of time. Of what was said only the kind is kept.
std::vector<api_call> logged_calls(connection_pool& pool);

} // namespace linker
