#include "examples/record_linker/tables.hpp"

#include "examples/record_linker/matching.hpp"
#include "examples/record_linker/producer.hpp"
#include "examples/shared/exec_params.hpp"

#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include <algorithm>
#include <utility>

namespace linker {

namespace {

using examples::exec_params;

constexpr const char* schema = R"sql(
  CREATE SCHEMA linker;
  CREATE TABLE linker.projects (id bigint PRIMARY KEY, credential text NOT NULL);
  CREATE TABLE linker.dataset_entries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES linker.projects ON DELETE CASCADE,
    label text NOT NULL);
  CREATE TABLE linker.link_tasks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES linker.projects ON DELETE CASCADE,
    dataset_entry_id bigint NOT NULL REFERENCES linker.dataset_entries ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'PENDING',
    entity text NOT NULL DEFAULT '',
    message text NOT NULL DEFAULT '',
    updated_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX ON linker.link_tasks (project_id);
  CREATE INDEX ON linker.dataset_entries (project_id);
  CREATE INDEX ON linker.link_tasks (dataset_entry_id);
  CREATE TABLE linker.api_outages (from_at bigint NOT NULL, until_at bigint NOT NULL);
  CREATE TABLE linker.api_calls (at bigint NOT NULL, credential text NOT NULL,
                                 label text NOT NULL, said int NOT NULL);
  CREATE VIEW linker.links AS
  SELECT t.project_id, t.id, e.id AS entry, e.label, p.credential, t.status, t.entity, t.message,
         t.updated_at
  FROM linker.link_tasks t JOIN linker.dataset_entries e ON e.id = t.dataset_entry_id
  JOIN linker.projects p ON p.id = t.project_id
)sql";

constexpr const char* set_queued = R"sql(
  UPDATE linker.link_tasks SET status = 'QUEUED', updated_at = to_timestamp($2 / 1e6)
  WHERE project_id = $1 AND status = 'PENDING')sql";
constexpr const char* select_queued = R"sql(
  SELECT * FROM linker.links WHERE project_id = $1 AND status = 'QUEUED' ORDER BY id)sql";
constexpr const char* select_one = R"sql(
  SELECT * FROM linker.links WHERE project_id = $1 AND id = $2)sql";
// The optimistic lock: whoever changed the status since it was read has won.
constexpr const char* set_result = R"sql(
  UPDATE linker.link_tasks SET status = $3, entity = $4, message = $5,
                               updated_at = to_timestamp($6 / 1e6)
  WHERE project_id = $1 AND id = $2 AND status = 'QUEUED')sql";
constexpr const char* select_untouched = R"sql(
  SELECT * FROM linker.links WHERE status = 'QUEUED' AND updated_at < to_timestamp($1 / 1e6)
  ORDER BY id LIMIT $2)sql";
constexpr const char* set_touched = R"sql(
  UPDATE linker.link_tasks SET updated_at = to_timestamp($2 / 1e6) WHERE id = $1)sql";
constexpr const char* stage = "SELECT count(*) FROM holdfast.enqueue_many($1, $2::jsonb)";
constexpr const char* select_task = R"sql(
  SELECT workflow_status, coalesce(error_code, '') FROM report.tasks WHERE task_id = $1
  UNION ALL
  SELECT 'QUEUED', '' FROM report.task_intake WHERE task_id = $1 AND status = 'STAGED'
  LIMIT 1)sql";

constexpr const char* insert_entries = R"sql(
  WITH entries AS (
    INSERT INTO linker.dataset_entries (project_id, label)
    SELECT $1, 'piece ' || n + (SELECT coalesce(max(id), 0) FROM linker.dataset_entries)
    FROM generate_series(1, $2) AS n
    RETURNING id)
  INSERT INTO linker.link_tasks (project_id, dataset_entry_id)
  SELECT $1, id FROM entries RETURNING id)sql";

/// A row of `linker.links`.
link_row row_of(const pqxx::row& row) {
  link_row read;
  read.id = {row["project_id"].as<std::uint32_t>(), row["id"].as<std::uint64_t>()};
  read.entry = row["entry"].as<std::uint64_t>();
  read.label = row["label"].as<std::string>();
  read.credential = row["credential"].as<std::string>();
  read.status = status_named(row["status"].as<std::string>()).value_or(link_status::pending);
  return read;
}

std::vector<link_row> rows_of(const pqxx::result& rows) {
  std::vector<link_row> read;
  for (const auto& row : rows)
    read.push_back(row_of(row));
  return read;
}

std::optional<std::vector<link_row>> queue_links(pqxx::transaction_base& tx, std::uint32_t project,
                                                 core::instant now) {
  if (exec_params(tx, "SELECT FROM linker.projects WHERE id = $1", project).empty())
    return std::nullopt;
  exec_params(tx, set_queued, project, core::to_micros(now));
  return rows_of(exec_params(tx, select_queued, project));
}

/// The same task as by message, with the names that the SQL functions have.
nlohmann::json staged(const msg::task_request& made) {
  return {{"task_id", core::to_string(made.task)},
          {"type", made.type},
          {"version", made.version},
          {"body", nlohmann::json::parse(made.body)},
          {"priority", made.priority},
          {"key", made.key},
          {"credential", made.credential},
          {"trace_id", made.trace_id},
          {"span_id", made.span_id}};
}

/// A reply of the kind with this number; the kind is all that matters.
reply reply_numbered(std::size_t kind) {
  const reply kinds[]{found{}, no_match{}, refused{}, slow_down{}, outage{}};
  return kinds[std::min(kind, std::size(kinds) - 1)];
}

} // namespace

// --- links ---

std::optional<std::vector<link_row>> pg_links::queue_project(std::uint32_t project,
                                                             core::instant now) {
  return pool_->run<pqxx::work>([&](auto& tx) { return queue_links(tx, project, now); });
}

std::optional<link_row> pg_links::find(const link_id& which) {
  return pool_->run<pqxx::nontransaction>([&](auto& tx) -> std::optional<link_row> {
    const auto rows = exec_params(tx, select_one, which.project, which.link);
    if (rows.empty())
      return std::nullopt;
    return row_of(rows.front());
  });
}

bool pg_links::settle(const link_id& which, const link_result& result, core::instant now) {
  return pool_->run<pqxx::nontransaction>([&](auto& tx) {
    const auto written = exec_params(tx, set_result, which.project, which.link,
                                     std::string{to_string(result.status)}, result.entity,
                                     result.message, core::to_micros(now));
    return written.affected_rows() == 1;
  });
}

std::vector<link_row> pg_links::untouched_since(core::instant since, std::size_t most) {
  return pool_->run<pqxx::nontransaction>([&](auto& tx) {
    return rows_of(exec_params(tx, select_untouched, core::to_micros(since), most));
  });
}

void pg_links::touch(const std::vector<link_id>& which, core::instant now) {
  pool_->run<pqxx::work>([&](auto& tx) {
    for (const auto& id : which)
      exec_params(tx, set_touched, id.link, core::to_micros(now));
    return true;
  });
}

std::optional<std::size_t> pg_links::match_project(std::uint32_t project, const std::string& trace,
                                                   core::instant now) {
  return pool_->run<pqxx::work>([&](auto& tx) -> std::optional<std::size_t> {
    const auto rows = queue_links(tx, project, now);
    if (!rows)
      return std::nullopt;
    for (std::size_t from = 0; from < rows->size(); from += batch_size) {
      auto batch = nlohmann::json::array();
      const auto until = std::min(rows->size(), from + batch_size);
      for (auto i = from; i < until; ++i)
        batch.push_back(staged(request_for((*rows)[i], trace)));
      exec_params(tx, stage, std::string{queue_name}, batch.dump());
    }
    return rows->size();
  });
}

// --- tasks ---

core::outcome<msg::task_outcomes> pg_tasks::ask(const msg::enqueue_tasks& request) {
  auto batch = nlohmann::json::array();
  msg::task_outcomes answer;
  for (const auto& task : request.tasks) {
    batch.push_back(staged(task));
    answer.outcomes.push_back({task.task, core::errc::none, {}, false});
  }
  pool_->run<pqxx::work>(
      [&](auto& tx) { return exec_params(tx, stage, request.queue, batch.dump()); });
  return answer;
}

core::outcome<msg::task_view> pg_tasks::ask(const msg::get_task& request) {
  return pool_->run<pqxx::nontransaction>([&](auto& tx) -> core::outcome<msg::task_view> {
    const auto rows = exec_params(tx, select_task, core::to_string(request.task));
    if (rows.empty())
      return core::failure{core::errc::not_found, "there is no such task"};
    msg::task_view view;
    view.task = request.task;
    view.status = rows.front()[0].template as<std::string>();
    view.error_code = rows.front()[1].template as<std::string>();
    return view;
  });
}

// --- for the simulation and the story ---

void make_schema(connection_pool& pool) {
  pool.run<pqxx::work>([](auto& tx) { return tx.exec(schema); });
}

void add_project(connection_pool& pool, std::uint32_t project, std::size_t links,
                 const std::string& credential) {
  pool.run<pqxx::work>([&](auto& tx) {
    exec_params(tx, "INSERT INTO linker.projects VALUES ($1, $2)", project, credential);
    return exec_params(tx, insert_entries, project, links);
  });
}

link_row add_link(connection_pool& pool, std::uint32_t project) {
  return pool.run<pqxx::work>([&](auto& tx) {
    const auto made = exec_params(tx, insert_entries, project, 1);
    return row_of(
        exec_params(tx, select_one, project, made.front()[0].template as<std::uint64_t>()).front());
  });
}

void delete_project(connection_pool& pool, std::uint32_t project) {
  pool.run<pqxx::work>([&](auto& tx) {
    return exec_params(tx, "DELETE FROM linker.projects WHERE id = $1", project);
  });
}

std::vector<link_standing> all_links(connection_pool& pool) {
  return pool.run<pqxx::nontransaction>([](auto& tx) {
    std::vector<link_standing> read;
    for (const auto& row : tx.exec("SELECT * FROM linker.links ORDER BY project_id, id")) {
      const auto link = row_of(row);
      read.push_back({link,
                      {link.status, row["entity"].template as<std::string>(),
                       row["message"].template as<std::string>()}});
    }
    return read;
  });
}

void plan_outage(connection_pool& pool, core::instant from, core::instant until) {
  pool.run<pqxx::nontransaction>([&](auto& tx) {
    return exec_params(tx, "INSERT INTO linker.api_outages VALUES ($1, $2)", core::to_micros(from),
                       core::to_micros(until));
  });
}

bool in_outage(connection_pool& pool, core::instant at) {
  return pool.run<pqxx::nontransaction>([&](auto& tx) {
    return !exec_params(tx, "SELECT FROM linker.api_outages WHERE from_at <= $1 AND $1 < until_at",
                        core::to_micros(at))
                .empty();
  });
}

void log_call(connection_pool& pool, const api_call& call) {
  pool.run<pqxx::nontransaction>([&](auto& tx) {
    return exec_params(tx, "INSERT INTO linker.api_calls VALUES ($1, $2, $3, $4)",
                       core::to_micros(call.at), call.credential, call.label, call.said.index());
  });
}

std::vector<api_call> logged_calls(connection_pool& pool) {
  return pool.run<pqxx::nontransaction>([](auto& tx) {
    std::vector<api_call> read;
    for (const auto& row : tx.exec("SELECT at, credential, label, said FROM linker.api_calls "
                                   "ORDER BY at"))
      read.push_back({core::from_micros(row[0].template as<std::int64_t>()),
                      row[1].template as<std::string>(), row[2].template as<std::string>(),
                      reply_numbered(row[3].template as<std::size_t>())});
    return read;
  });
}

} // namespace linker
