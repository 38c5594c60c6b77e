// A PostgreSQL server of our own: made once, reachable only by those who may, gone with its node,
// back at once.

#include "persistence/private_cluster.hpp"

#include "persistence/connection.hpp"
#include "tests/persistence/test_cluster.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using holdfast::test::contains;

namespace holdfast::test {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using persistence::private_cluster;
using persistence::private_cluster_options;

private_cluster_options options_for(const std::string& directory) {
  private_cluster_options options;
  options.directory = directory;
  options.shared_buffers = "16MB";
  options.predecessor_timeout = 300ms;
  return options;
}

std::string failure_of(const core::outcome<bool>& outcome) {
  return outcome ? std::string{} : outcome.error().detail;
}

/// The one value that a query yields.
std::string ask(const std::string& conninfo, const std::string& sql) {
  pqxx::connection database{conninfo};
  pqxx::work tx{database};
  const auto rows = tx.exec(sql);
  tx.commit();
  return rows.empty() ? std::string{} : rows[0][0].c_str();
}

void write(const std::string& file, const std::string& text) { std::ofstream{file} << text; }

BOOST_AUTO_TEST_SUITE(private_cluster_of_a_node)

BOOST_AUTO_TEST_CASE(is_durable_checksummed_and_off_the_network) {
  const auto& conninfo = test_cluster::instance().conninfo();
  const auto setting = [&](const std::string& name) { return ask(conninfo, "SHOW " + name); };
  for (const auto* name : {"fsync", "synchronous_commit", "full_page_writes", "data_checksums"})
    BOOST_TEST(setting(name) == "on", name);
  BOOST_TEST(setting("listen_addresses").empty());
  BOOST_TEST(setting("server_encoding") == "UTF8");
  BOOST_TEST(setting("lc_collate") == "C");
  BOOST_TEST(setting("wal_level") == "minimal");
  BOOST_TEST(setting("idle_in_transaction_session_timeout") == "5s");
  BOOST_TEST(ask(conninfo, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules")
             == "peer");
}

BOOST_AUTO_TEST_CASE(keeps_its_data_over_stops_of_either_kind) {
  const scratch_directory scratch;
  private_cluster cluster{options_for(scratch.path() + "/with space, 'quote\" and comma")};
  BOOST_TEST(failure_of(cluster.start()) == "");
  BOOST_TEST(cluster.running());
  ask(cluster.conninfo(), "CREATE TABLE kept (n integer)");
  const auto made =
      fs::last_write_time(scratch.path() + "/with space, 'quote\" and comma/pgdata/PG_VERSION");
  for (const auto how : {private_cluster::shutdown::fast, private_cluster::shutdown::immediate}) {
    ask(cluster.conninfo(), "INSERT INTO kept VALUES (1)");
    BOOST_TEST(failure_of(cluster.stop(how)) == "");
    BOOST_TEST(!cluster.running());
    BOOST_TEST(failure_of(cluster.start()) == "");
  }
  BOOST_TEST(ask(cluster.conninfo(), "SELECT count(*) FROM kept") == "2");
  BOOST_TEST((made
              == fs::last_write_time(scratch.path()
                                     + "/with space, 'quote\" and comma/pgdata/PG_VERSION")));
  // Starting what runs and stopping what does not are no errors.
  BOOST_TEST(failure_of(cluster.start()) == "");
  BOOST_TEST(failure_of(cluster.stop(private_cluster::shutdown::fast)) == "");
  BOOST_TEST(failure_of(cluster.stop(private_cluster::shutdown::fast)) == "");
}

BOOST_AUTO_TEST_CASE(lets_only_the_listed_accounts_in) {
  if (geteuid() != 0) {
    BOOST_TEST_MESSAGE("needs root, to become another account");
    return;
  }
  const auto& conninfo = test_cluster::instance().conninfo();
  const auto attempt_as = [&](const char* account) {
    const auto user = persistence::find_os_user(account);
    BOOST_REQUIRE(user);
    const auto pid = fork();
    if (pid == 0) {
      if (setgid(user->gid) != 0 || setuid(user->uid) != 0)
        _exit(3);
      _exit(persistence::connection::open(conninfo, "intruder", "", 1s) ? 1 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
  };
  // `nobody` may not enter the socket's directory; the server's own account may, and is turned away
  // by the server.
  BOOST_TEST(attempt_as("nobody") == 0);
  BOOST_TEST(attempt_as("postgres") == 0);
  struct stat socket {};
  const auto directory = conninfo.substr(6, conninfo.find('\'', 6) - 6);
  BOOST_TEST(stat(directory.c_str(), &socket) == 0);
  BOOST_TEST((socket.st_mode & 0777U) == 0700U);
}

BOOST_AUTO_TEST_CASE(takes_a_short_place_for_its_socket_when_the_directory_is_deep) {
  const scratch_directory scratch;
  private_cluster cluster{options_for(scratch.path() + '/' + std::string(120, 'd'))};
  BOOST_TEST(failure_of(cluster.start()) == "");
  BOOST_TEST(contains(cluster.conninfo(), "/holdfast-"));
  BOOST_TEST(ask(cluster.conninfo(), "SELECT 1") == "1");
  BOOST_TEST(failure_of(cluster.stop(private_cluster::shutdown::fast)) == "");
  const auto& conninfo = cluster.conninfo();
  BOOST_TEST(!fs::exists(conninfo.substr(6, conninfo.find('\'', 6) - 6)));
}

BOOST_AUTO_TEST_CASE(begins_anew_where_initdb_was_killed) {
  const scratch_directory scratch;
  fs::create_directories(scratch.path() + "/pgdata.new/base");
  write(scratch.path() + "/pgdata.new/PG_VERSION", "15\n");
  private_cluster cluster{options_for(scratch.path())};
  BOOST_TEST(failure_of(cluster.start()) == "");
  BOOST_TEST(!fs::exists(scratch.path() + "/pgdata.new"));

  // A second node in the same directory is told so, and the first goes on.
  private_cluster second{options_for(scratch.path())};
  BOOST_TEST(contains(failure_of(second.start()), "another node uses " + scratch.path()));
  BOOST_TEST(ask(cluster.conninfo(), "SELECT 1") == "1");

  // The server is killed, not we: noticed, and started again.
  kill(cluster.server_pid(), SIGKILL);
  BOOST_TEST(failure_of(cluster.stop(private_cluster::shutdown::immediate)) == "");
  BOOST_TEST(failure_of(cluster.start()) == "");

  const auto postgres = fs::read_symlink("/proc/" + std::to_string(cluster.server_pid()) + "/exe");

  // What is left of a crash names a process that is now somebody else: us.
  BOOST_TEST(failure_of(cluster.stop(private_cluster::shutdown::fast)) == "");
  write(scratch.path() + "/pgdata/postmaster.pid", std::to_string(getpid()) + "\n");
  BOOST_TEST(failure_of(cluster.start()) == "");
  BOOST_TEST(failure_of(cluster.stop(private_cluster::shutdown::fast)) == "");

  // A server that nobody is stopping is not ours to take.
  persistence::program_start foreign{
      postgres,
      {"-D", scratch.path() + "/pgdata", "--config-file=" + scratch.path() + "/postgresql.conf"},
      persistence::find_os_user("postgres"),
      open("/dev/null", O_WRONLY | O_CLOEXEC),
      SIGINT};
  if (geteuid() != 0)
    foreign.run_as.reset();
  auto server = persistence::server_process::start(foreign);
  BOOST_REQUIRE(server);
  while (!persistence::connection::open(cluster.conninfo(), "test", "", 1s))
    BOOST_REQUIRE(!server->ended_within(5ms));
  BOOST_TEST(contains(failure_of(cluster.start()), "does not stop"));
  server->signal(SIGINT);
  BOOST_TEST(server->ended_within(30s));
  close(foreign.output);
}

// The node is killed and started again: the kernel tells the server, the next start waits for it.
BOOST_AUTO_TEST_CASE(follows_its_node_into_death_and_comes_back) {
  const scratch_directory scratch;
  auto options = options_for(scratch.path());
  options.predecessor_timeout = 5s;
  int ready[2];
  BOOST_REQUIRE_EQUAL(pipe(ready), 0);
  const auto node = fork();
  if (node == 0) {
    private_cluster cluster{options};
    const bool started = static_cast<bool>(cluster.start());
    if (started)
      ask(cluster.conninfo(), "CREATE TABLE kept AS SELECT g AS n, repeat('x', 100) AS t FROM "
                              "generate_series(1, 50000) g");
    if (::write(ready[1], started ? "y" : "n", 1) != 1)
      _exit(1);
    pause();
    _exit(0);
  }
  char answer = 0;
  BOOST_REQUIRE_EQUAL(read(ready[0], &answer, 1), 1);
  BOOST_TEST(answer == 'y');
  const auto killed_at = std::chrono::steady_clock::now();
  kill(node, SIGKILL);
  private_cluster cluster{options};
  BOOST_TEST(failure_of(cluster.start()) == "");
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - killed_at);
  BOOST_TEST_MESSAGE("from SIGKILL of the node to a connection: " << took.count() << " ms");
  waitpid(node, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  BOOST_TEST(ask(cluster.conninfo(), "SELECT count(*) FROM kept") == "50000");
}

// finding D4
BOOST_AUTO_TEST_CASE(overwrites_nothing_through_links_in_its_directory) {
  const scratch_directory scratch;
  const auto directory = scratch.path() + "/postgres";
  fs::create_directory(directory);
  write(scratch.path() + "/victim", "theirs");
  for (const auto* name : {"postgresql.conf", "pg_hba.conf", "pg_ident.conf"})
    fs::create_symlink(scratch.path() + "/victim", directory + "/" + name);
  const auto theirs = [&] {
    std::ifstream in{scratch.path() + "/victim"};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  for (const mode_t mode : {0777U, 0775U}) {
    BOOST_REQUIRE(chmod(directory.c_str(), mode) == 0);
    private_cluster refused{options_for(directory)};
    BOOST_TEST(failure_of(refused.start()).find("chmod go-w") != std::string::npos);
  }
  BOOST_REQUIRE(chmod(directory.c_str(), 0755) == 0);
  private_cluster cluster{options_for(directory)};
  BOOST_TEST(failure_of(cluster.start()) == "");
  BOOST_TEST(theirs() == "theirs");
  cluster.stop(private_cluster::shutdown::immediate);
  fs::remove(directory + "/server.log");
  fs::create_symlink(scratch.path() + "/victim", directory + "/server.log");
  BOOST_TEST(failure_of(cluster.start()).find("server.log") != std::string::npos);
  BOOST_TEST(theirs() == "theirs");
}

BOOST_AUTO_TEST_CASE(calls_its_start_off_when_nobody_wants_it_any_more) {
  const scratch_directory scratch;
  auto options = options_for(scratch.path());
  bool asked = false;
  options.stop_asked = [&] { return asked = true; };
  private_cluster cluster{options};
  const auto failure = failure_of(cluster.start());
  BOOST_TEST((failure.empty() || asked)); // it may be up before anybody asks
  BOOST_TEST(cluster.running() == failure.empty());
}

BOOST_AUTO_TEST_CASE(says_what_stands_in_its_way) {
  const scratch_directory scratch;
  const auto refusal = [](private_cluster_options options) {
    private_cluster cluster{std::move(options)};
    return failure_of(cluster.start());
  };
  if (geteuid() == 0) {
    fs::create_directories(scratch.path() + "/closed/inner");
    fs::permissions(scratch.path() + "/closed/inner", fs::perms{0755});
    fs::permissions(scratch.path() + "/closed", fs::perms{0700});
    const auto why = refusal(options_for(scratch.path() + "/closed/inner"));
    BOOST_TEST(contains(why, "may not enter " + scratch.path() + "/closed"), why);
    BOOST_TEST(contains(why, "chmod o+x"), why);
  }
  auto no_server = options_for(scratch.path() + "/a");
  no_server.binary_directory = scratch.path();
  BOOST_TEST(contains(refusal(no_server), "install the package postgresql"));

  auto old_server = no_server;
  for (const auto* program : {"/initdb", "/postgres"}) {
    write(scratch.path() + program, "#!/bin/sh\necho 'postgres (PostgreSQL) 12.22'\n");
    fs::permissions(scratch.path() + program, fs::perms{0755});
  }
  BOOST_TEST(contains(refusal(old_server), "no server (initdb and postgres) of PostgreSQL 13 to"));

  fs::create_directories(scratch.path() + "/b/pgdata");
  fs::permissions(scratch.path() + "/b", fs::perms{0755});
  for (const auto* version : {"12", "18"}) {
    write(scratch.path() + "/b/pgdata/PG_VERSION", version + std::string{"\n"});
    const auto other = refusal(options_for(scratch.path() + "/b"));
    BOOST_TEST(contains(other, std::string{"made by PostgreSQL "} + version + ", and"), other);
    BOOST_TEST(contains(other, "pg_upgrade"), other);
  }
  // One that could be run, but not by the server that there is.
  auto of_another = options_for(scratch.path() + "/b");
  of_another.binary_directory = scratch.path();
  write(scratch.path() + "/b/pgdata/PG_VERSION", "13\n");
  BOOST_TEST(contains(refusal(of_another), "install the package postgresql-13"));

  auto bad_memory = options_for(scratch.path() + "/c");
  bad_memory.shared_buffers = "many";
  const auto why = refusal(bad_memory);
  BOOST_TEST(contains(why, "shared_buffers"), why);

  for (const auto* account : {"/^.*$", "a\" \"b", ""}) {
    auto pattern = options_for(scratch.path() + "/c");
    pattern.allowed_users = {account};
    BOOST_TEST(contains(refusal(pattern), "cannot be the name of an account"));
  }

  write(scratch.path() + "/file", "");
  BOOST_TEST(contains(refusal(options_for(scratch.path() + "/file/d")), "cannot be created"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
