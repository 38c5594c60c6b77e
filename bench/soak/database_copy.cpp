#include "bench/soak/database_copy.hpp"

#include "bench/shell.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/sql_session.hpp"
#include "persistence/server_process.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto copy_limit = 60s;
constexpr auto look_pause = 10ms;
/// By this name it is known from a standby that commits wait for.
constexpr auto copy_name = "lagging";

/// Until a query at the server has a row.
void await_row(const std::string& conninfo, const std::string& query, const char* otherwise) {
  sql_session session{conninfo};
  for (const auto until = clock::now() + copy_limit; session.rows(query).empty();) {
    if (clock::now() > until)
      throw std::runtime_error{otherwise};
    std::this_thread::sleep_for(look_pause);
  }
}

} // namespace

std::string value_in(const std::string& conninfo, const std::string& key) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options{
      PQconninfoParse(conninfo.c_str(), nullptr), &PQconninfoFree};
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr;
       ++option)
    if (option->keyword == key && option->val != nullptr)
      return option->val;
  throw std::runtime_error{"no " + key + " in the connection string " + conninfo};
}

std::unique_ptr<persistence::private_cluster> make_server(const std::string& directory,
                                                          const std::string& programs) {
  persistence::private_cluster_options options;
  options.directory = directory;
  options.binary_directory = programs;
  if (::geteuid() == 0)
    options.allowed_users = {"postgres", "nobody"}; // one of them is what servers run as
  return std::make_unique<persistence::private_cluster>(options);
}

void kill_server(persistence::private_cluster& server, const std::string& data) {
  // Those that begin meanwhile are found in the next round; nobody begins any without the server.
  if (server.running())
    ::kill(server.server_pid(), SIGKILL);
  const auto until = clock::now() + copy_limit;
  for (auto left = persistence::processes_in(data); server.running() || !left.empty();
       left = persistence::processes_in(data)) {
    for (const auto process : left)
      ::kill(process, SIGKILL);
    if (clock::now() > until)
      throw std::runtime_error{"processes of the server in " + data + " do not end"};
    std::this_thread::sleep_for(1ms);
  }
}

database_copy::database_copy(manner how, std::string directory, const std::string& conninfo,
                             const std::string& account, const std::string& programs)
    : how_(how), directory_(std::move(directory)) {
  copy(conninfo, account);
  server_ = make_server(directory_, programs);
  if (const auto started = server_->start(); !started)
    throw std::runtime_error{"a copy of the database does not start: " + started.error().detail};
  if (how_ == manner::standby)
    await_stream(conninfo);
}

void database_copy::copy(const std::string& conninfo, const std::string& account) const {
  std::filesystem::create_directories(directory_);
  std::filesystem::remove_all(data());
  bench::must_run("install -d -m 700 -o " + account + " -g " + account + ' '
                  + bench::quoted(data()));
  const auto from = "host=" + value_in(conninfo, "host") + " port=" + value_in(conninfo, "port")
                    + " user=" + value_in(conninfo, "user") + " application_name=" + copy_name;
  const auto as_account =
      ::geteuid() == 0 ? "setpriv --reuid " + account + " --regid " + account + " --clear-groups "
                       : std::string{};
  bench::must_run("cd / && PATH=\"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1):$PATH\" "
                  + as_account + "pg_basebackup --checkpoint=fast --wal-method=stream"
                  + (how_ == manner::standby ? " --write-recovery-conf" : "")
                  + " --dbname=" + bench::quoted(from) + " --pgdata=" + bench::quoted(data()));
  // The server it was copied from may wait for a standby, which cannot follow this one.
  std::ofstream settings{data() + "/postgresql.auto.conf", std::ios::app};
  settings << "synchronous_standby_names = ''\n";
  if (!settings.flush())
    throw std::runtime_error{"cannot write the settings of a copy of the database"};
}

void database_copy::await_stream(const std::string& conninfo) const {
  sql_session session{conninfo};
  const auto at = session.rows("SELECT pg_current_wal_flush_lsn()").at(0).at(0);
  await_row(conninfo,
            "SELECT FROM pg_stat_replication WHERE application_name = '" + std::string{copy_name}
                + "' AND state = 'streaming' AND flush_lsn >= '" + at + "'",
            "the asynchronous standby does not follow the server");
}

void database_copy::cut_off() {
  if (how_ == manner::backup)
    return;
  sql_session session{conninfo()};
  session.run("ALTER SYSTEM SET primary_conninfo = ''");
  session.run("SELECT pg_reload_conf()");
  await_row(conninfo(),
            "SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_wal_receiver)"
            " AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'walreceiver')"
            " AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn()",
            "the asynchronous standby cannot be cut off");
}

void database_copy::stop() {
  using shutdown = persistence::private_cluster::shutdown;
  if (const auto stopped = server_->stop(shutdown::fast); !stopped)
    throw std::runtime_error{stopped.error().detail};
}

} // namespace holdfast::soak
