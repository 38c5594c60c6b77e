#include "bench/soak/cluster.hpp"

#include "app/data_dir.hpp"

#include <libpq-fe.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 60s;

template <class Id>
Id id_of(const std::string& text) {
  const auto parsed = core::parse_uuid(text);
  if (!parsed)
    throw std::runtime_error{"not an id: " + text};
  return {*parsed};
}

} // namespace

sql_session::sql_session(const std::string& conninfo)
    : connection_(PQconnectdb((conninfo + " connect_timeout=5").c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK) {
    const std::string why = PQerrorMessage(connection_);
    PQfinish(connection_);
    throw std::runtime_error{"the server is away: " + why};
  }
}

sql_session::~sql_session() { PQfinish(connection_); }

std::vector<std::vector<std::string>> sql_session::rows(const std::string& query) {
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result{PQexec(connection_, query.c_str()),
                                                              &PQclear};
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error{PQerrorMessage(connection_)};
  std::vector<std::vector<std::string>> found;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    auto& columns = found.emplace_back();
    for (int column = 0; column < PQnfields(result.get()); ++column)
      columns.emplace_back(PQgetvalue(result.get(), row, column));
  }
  return found;
}

cluster::cluster(cluster_options options) : options_(std::move(options)) {
  auto made = app::demo::scratch_directory::make();
  if (!made)
    throw std::runtime_error{made.error().detail};
  directory_.emplace(std::move(*made));
  persistence::private_cluster_options server;
  server.directory = (directory_->path() / "postgres").string();
  server_.emplace(server);
  restart_server();
  if (options_.lazy_disk) {
    sql_session session{conninfo()};
    session.run("ALTER SYSTEM SET synchronous_commit = off");
    session.run("ALTER SYSTEM SET wal_writer_delay = '10s'");
    session.run("ALTER SYSTEM SET wal_writer_flush_after = '1GB'");
    session.run("SELECT pg_reload_conf()");
  }
  const auto lease = std::chrono::duration_cast<std::chrono::milliseconds>(options_.lease_time);
  for (std::uint32_t number = 0; number < options_.nodes; ++number) {
    std::filesystem::create_directory(directory_->path() / name_of(number));
    nodes_.push_back(std::make_unique<app::demo::node_process>(
        options_.program, directory_->path() / name_of(number),
        std::vector<std::string>{
            "--database-url", conninfo(), "--set", "node.name=" + name_of(number), "--set",
            "node.lease_time=" + std::to_string(lease.count()) + "ms", "--set",
            "node.heartbeat_interval=" + std::to_string(lease.count() / 4) + "ms"}));
    start(number);
  }
}

cluster::~cluster() { nodes_.clear(); }

std::vector<client::endpoint> cluster::endpoints(std::uint32_t first) const {
  std::vector<client::endpoint> all;
  for (std::uint32_t i = 0; i < options_.nodes; ++i)
    all.push_back({"127.0.0.1", nodes_[(first + i) % options_.nodes]->port()});
  return all;
}

void cluster::start(std::uint32_t number) {
  if (const auto started = nodes_[number]->start(start_limit); !started)
    throw std::runtime_error{"node " + name_of(number) + " does not start: "
                             + started.error().detail + "\n" + nodes_[number]->log_tail()};
}

std::string cluster::incarnation(std::uint32_t number) const {
  const auto file = app::read_node_file(directory_->path() / name_of(number));
  return file ? file->incarnation : std::string{};
}

double cluster::memory(std::uint32_t number) const {
  const auto file = app::read_node_file(directory_->path() / name_of(number));
  if (!file)
    return 0;
  std::ifstream status{"/proc/" + std::to_string(file->pid) + "/status"};
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0)
      return std::stod(line.substr(6)) / 1024;
  return 0;
}

void cluster::crash_server() { ::kill(server_->server_pid(), SIGKILL); }

void cluster::restart_server() {
  if (const auto started = server_->start(); !started)
    throw std::runtime_error{"the server does not start: " + started.error().detail};
}

final_state cluster::stored() const {
  sql_session session{conninfo()};
  final_state state;
  for (const auto& row : session.rows("SELECT task_id, workflow_status, finished_at IS NULL, "
                                      "result->>'try' FROM report.tasks"))
    state.tasks[id_of<core::task_id>(row[0])] = {row[2] == "t", row[1] == "COMPLETED", row[3]};
  for (const auto& row :
       session.rows("SELECT judgment_id, unit_id, contributor_id FROM report.judgments"))
    state.judgments[id_of<core::judgment_id>(row[0])] = {id_of<core::unit_id>(row[1]), row[2]};
  return state;
}

} // namespace holdfast::soak
