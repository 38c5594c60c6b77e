#include "bench/soak/database.hpp"

#include "bench/shell.hpp"
#include "bench/soak/sql_session.hpp"
#include "core/time_text.hpp"
#include "persistence/server_process.hpp"

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto standby_limit = 60s;
constexpr auto pause = 10ms;
/// Beside the server's own port, on its address.
constexpr std::uint16_t proxy_port = 6432;
/// "2026-01-31 06:00:00.123", at the beginning of each line of a server's log.
constexpr std::size_t log_date_length = 10;
constexpr std::size_t log_time_length = 23;

/// The server at any of `hosts` that takes writes; all else as in `conninfo`.
std::string at_hosts(const std::string& hosts, const std::string& conninfo,
                     const std::string& port = {}) {
  return "host=" + hosts + " port=" + (port.empty() ? value_in(conninfo, "port") : port)
         + " dbname=" + value_in(conninfo, "dbname") + " user=" + value_in(conninfo, "user")
         + " target_session_attrs=read-write";
}

} // namespace

database::database(database_options options) : options_(std::move(options)) {
  if (options_.wrong_clock)
    put_on_clock();
  const std::uint32_t count = options_.standby ? 2 : 1;
  for (std::uint32_t which = 0; which < count; ++which) {
    if (options_.small_disk)
      disks_.at(which) = std::make_unique<small_disk>(directory_of(which), options_.disk_bytes);
    servers_.at(which) = make_server(directory_of(which), programs_);
  }
  start(primary_);
  if (options_.lazy_disk) {
    sql_session session{primary().conninfo()};
    session.run("ALTER SYSTEM SET synchronous_commit = off");
    session.run("ALTER SYSTEM SET wal_writer_delay = '10s'");
    session.run("ALTER SYSTEM SET wal_writer_flush_after = '1GB'");
    session.run("SELECT pg_reload_conf()");
  }
  if (options_.log_sessions) {
    sql_session session{primary().conninfo()};
    session.run("ALTER SYSTEM SET log_connections = on");
    session.run("SELECT pg_reload_conf()");
  }
  if (options_.lines != nullptr || options_.copies)
    allow_connections();
  if (options_.standby)
    restore_standby();
  for (std::uint32_t which = 0; which < count; ++which)
    put_proxy_before(which);
}

database::~database() {
  proxies_ = {};
  replaced_.reset();
  copy_.reset();
  // The standby first: it would take the other's end for a line that broke, and wait for it.
  servers_.at(1 - primary_).reset();
  servers_.at(primary_).reset();
}

/// Its servers are started by programs of the same names that put them on the clock.
void database::put_on_clock() {
  namespace fs = std::filesystem;
  auto real = bench::run_shell("ls -d /usr/lib/postgresql/*/bin | tail -n 1").output;
  real.erase(real.find_last_not_of('\n') + 1);
  programs_ = options_.directory + "/programs";
  fs::create_directories(programs_);
  std::ofstream{programs_ + "/initdb"} << "#!/bin/sh\nexec " << bench::quoted(real + "/initdb")
                                       << " \"$@\"\n";
  fs::permissions(programs_ + "/initdb", fs::perms{0755});
  clock_ = std::make_unique<wall_clock>(options_.directory + "/server", real + "/postgres");
  fs::create_symlink(clock_->program(), programs_ + "/postgres");
}

std::string database::directory_of(std::uint32_t which) const {
  return options_.directory + (which == 0 ? "/postgres" : "/standby");
}

std::string database::address_of(std::uint32_t which) const {
  return network::address_of(options_.place + which);
}

std::string database::conninfo() const {
  if (!options_.standby)
    return servers_.at(primary_)->conninfo();
  const auto& own = servers_[0]->conninfo();
  // Sessions of the harness do not wait for the standby. While it is away, one that drops a table
  // of its own at its end would keep the server from being shut down.
  return at_hosts(value_in(own, "host") + ',' + value_in(servers_[1]->conninfo(), "host"), own)
         + " options='-c synchronous_commit=local'";
}

std::string database::conninfo_of_nodes() const {
  const auto& own = servers_[0]->conninfo();
  if (options_.lines == nullptr)
    return options_.commits == nullptr ? conninfo() : at_hosts(directory_of_proxy(), own);
  return at_hosts(options_.standby ? address_of(0) + ',' + address_of(1) : address_of(0), own,
                  options_.commits == nullptr ? std::string{} : std::to_string(proxy_port));
}

/// Where the server is, so that what happens to its lines happens to the proxy's.
void database::put_proxy_before(std::uint32_t which) {
  if (options_.commits == nullptr || proxies_.at(which))
    return;
  const auto socket = [](const std::string& directory, const std::string& conninfo) {
    return directory + "/.s.PGSQL." + value_in(conninfo, "port");
  };
  const auto& server = servers_.at(which)->conninfo();
  int listener = -1;
  if (options_.lines != nullptr) {
    options_.lines->inside(options_.place + which,
                           [&] { listener = listen_at(address_of(which), proxy_port); });
  } else {
    std::filesystem::create_directories(directory_of_proxy());
    listener = listen_at(socket(directory_of_proxy(), server));
  }
  proxies_.at(which) = std::make_unique<commit_proxy>(
      listener, socket(value_in(server, "host"), server), options_.commits);
}

/// Of a server that was killed some processes live on for a moment, on a busy machine for longer
/// than the next one waits for them.
void database::await_killed(std::uint32_t which) const {
  const auto place = directory_of(which) + "/pgdata";
  for (const auto until = clock::now() + standby_limit;
       !persistence::processes_in(place).empty() && clock::now() < until;)
    std::this_thread::sleep_for(pause);
}

void database::start(std::uint32_t which) {
  await_killed(which);
  const auto begin = [&] {
    if (const auto started = servers_.at(which)->start(); !started)
      throw std::runtime_error{"the server does not start: " + started.error().detail};
  };
  if (options_.lines != nullptr)
    options_.lines->inside(options_.place + which, begin);
  else
    begin();
}

/// The nodes come from other network namespaces, where only the cluster is; those who copy it come
/// by its socket.
void database::allow_connections() {
  const auto access = options_.directory + "/pg_hba.conf";
  const bool has_lines = options_.lines != nullptr;
  std::ofstream{access} << "local all,replication all peer map=holdfast\n"
                        << (has_lines ? "host all,replication all 10.77.0.0/16 trust\n" : "");
  std::filesystem::permissions(access, std::filesystem::perms{0644});
  {
    sql_session session{primary().conninfo()};
    if (has_lines)
      session.run("ALTER SYSTEM SET listen_addresses = '*'");
    session.run("ALTER SYSTEM SET hba_file = '" + access + "'");
    if (options_.standby || options_.copies) {
      session.run("ALTER SYSTEM SET wal_level = replica");
      session.run("ALTER SYSTEM SET max_wal_senders = 10");
      session.run("ALTER SYSTEM SET wal_retrieve_retry_interval = '200ms'");
      session.run("ALTER SYSTEM SET wal_sender_timeout = '5s'");
      session.run("ALTER SYSTEM SET wal_receiver_timeout = '5s'");
    }
  }
  using shutdown = persistence::private_cluster::shutdown;
  if (const auto stopped = primary().stop(shutdown::fast); !stopped)
    throw std::runtime_error{stopped.error().detail};
  restart();
}

void database::crash(persistence::private_cluster& server) {
  if (!server.running())
    return;
  ::kill(server.server_pid(), SIGKILL);
  while (server.running()) // or whoever starts it again finds it still there
    std::this_thread::sleep_for(1ms);
}

void database::crash() { crash(primary()); }

void database::fail_over() {
  crash(primary());
  // A node that is let in and sent away again does not look for the other server.
  proxies_.at(primary_).reset();
  primary_ = 1 - primary_;
  // It never waits for the standby that it was itself: those words were said to the other server
  // after it had been copied.
  promote();
}

/// A query that waits for the promotion may be ended by what the standby still has to replay.
void database::promote() {
  for (const auto until = clock::now() + standby_limit; clock::now() < until;) {
    try {
      sql_session session{primary().conninfo()};
      if (session.rows("SELECT pg_is_in_recovery()").at(0).at(0) == "f")
        return;
      session.run("SELECT pg_promote(wait => false)");
    } catch (const std::exception&) { // it asks again
    }
    std::this_thread::sleep_for(pause);
  }
  throw std::runtime_error{"the standby does not become the server"};
}

void database::kill_standby() {
  const auto which = 1 - primary_;
  proxies_.at(which).reset();
  kill_server(*servers_.at(which), directory_of(which) + "/pgdata");
}

void database::start_standby() {
  start(1 - primary_);
  put_proxy_before(1 - primary_);
}

std::string database::account() const {
  const auto owner =
      bench::run_shell("stat -c %U: " + bench::quoted(directory_of(primary_) + "/pgdata")).output;
  return owner.substr(0, owner.find(':'));
}

database_copy& database::make_copy(database_copy::manner how) {
  copy_ = std::make_unique<database_copy>(how, directory_of(primary_) + "/copy",
                                          primary().conninfo(), account(), programs_);
  return *copy_;
}

void database::replace_by_copy() {
  const auto place = directory_of(primary_) + "/pgdata";
  kill_server(primary(), place);
  copy_->stop();
  const auto replaced = directory_of(primary_) + "/replaced";
  std::filesystem::create_directories(replaced);
  std::filesystem::rename(place, replaced + "/pgdata");
  std::filesystem::rename(copy_->data(), place);
  copy_.reset();
  restart();
  promote();
  if (options_.standby) // it has more than the server now, and cannot follow it
    kill_standby();
}

std::string database::start_replaced() {
  replaced_ = make_server(directory_of(primary_) + "/replaced", programs_);
  if (const auto started = replaced_->start(); !started)
    throw std::runtime_error{"the replaced server does not start: " + started.error().detail};
  return replaced_->conninfo();
}

void database::remove_replaced() {
  replaced_.reset();
  std::filesystem::remove_all(directory_of(primary_) + "/replaced");
}

void database::restore_standby() {
  const auto which = 1 - primary_;
  copy_to(which);
  start(which);
  put_proxy_before(which);
  sql_session session{primary().conninfo()};
  // The name by which a standby comes. A copy that lags behind has another one.
  session.run("ALTER SYSTEM SET synchronous_standby_names = 'walreceiver'");
  session.run("SELECT pg_reload_conf()");
  await_standby();
}

void database::copy_to(std::uint32_t which) {
  const auto place = directory_of(which) + "/pgdata";
  const auto account = this->account();
  await_killed(which);
  std::filesystem::create_directories(directory_of(which));
  std::filesystem::remove_all(place);
  bench::must_run("install -d -m 700 -o " + account + " -g " + account + ' '
                  + bench::quoted(place));
  options_.lines->inside(options_.place + which, [&] {
    bench::must_run(
        "cd / && PATH=\"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1):$PATH\" setpriv --reuid "
        + account + " --regid " + account
        + " --clear-groups pg_basebackup --checkpoint=fast --wal-method=stream"
          " --write-recovery-conf --host="
        + address_of(primary_)
        + " --port=5432 --username=holdfast --pgdata=" + bench::quoted(place));
  });
}

void database::await_standby() {
  const auto until = clock::now() + standby_limit;
  while (clock::now() < until) {
    sql_session session{primary().conninfo()};
    if (!session.rows("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").empty())
      return;
    std::this_thread::sleep_for(pause);
  }
  throw std::runtime_error{"the standby does not follow the server"};
}

std::vector<clock::time_point> database::sessions_of_nodes() const {
  const auto offset = clock::now().time_since_epoch()
                      - std::chrono::duration_cast<clock::duration>(
                          std::chrono::system_clock::now().time_since_epoch());
  std::vector<clock::time_point> all;
  // A server that is started again sets a long log aside.
  for (const std::uint32_t which : {0, 1})
    for (const auto* name : {"/server.log", "/server.log.1"}) {
      std::ifstream log{directory_of(which) + name};
      for (std::string line; std::getline(log, line);) {
        if (line.find("connection authorized") == std::string::npos
            || line.find("application_name=holdfast node") == std::string::npos)
          continue;
        auto time = line.substr(0, log_time_length);
        time[log_date_length] = 'T'; // and it is RFC 3339
        if (const auto at = core::parse_rfc3339(time + 'Z'))
          all.emplace_back(offset
                           + std::chrono::duration_cast<clock::duration>(at->time_since_epoch()));
      }
    }
  return all;
}

std::uint64_t database::log_lines(const char* text) const {
  std::ifstream log{directory_of(primary_) + "/server.log"};
  std::uint64_t found = 0;
  for (std::string line; std::getline(log, line);)
    if (line.find(text) != std::string::npos)
      ++found;
  return found;
}

} // namespace holdfast::soak
