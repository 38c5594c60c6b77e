// A node whose private database server ends, or is cut off, goes on and says so.

#include "app/data_dir.hpp"
#include "app/exit_codes.hpp"
#include "tests/end_to_end/holdfast_with.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A node with a private database, and what is to be done to that.
struct node_with_database : running_node {
  fs::path server_directory() const { return fs::path{place()} / "postgres"; }

  pid_t server_pid() const {
    std::ifstream in{server_directory() / "pgdata" / "postmaster.pid"};
    pid_t pid = 0;
    in >> pid;
    return pid;
  }
  program_end status(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"status", "--data-dir", place()};
    words.insert(words.end(), more.begin(), more.end());
    return holdfast_with(words);
  }
  std::string log() const {
    std::ifstream in{fs::path{place()} / "node.log"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  /// Looks now and then until it is so.
  bool comes_true(const std::function<bool()>& what) {
    const auto until = std::chrono::steady_clock::now() + 90s;
    while (std::chrono::steady_clock::now() < until) {
      if (what())
        return true;
      if (process->ended_within(50ms))
        return false;
    }
    return false;
  }
  bool works_again() {
    return comes_true([this] { return status().code == 0; });
  }
};

BOOST_FIXTURE_TEST_SUITE(node_and_its_server, node_with_database)

BOOST_AUTO_TEST_CASE(node_file_has_the_address_at_which_the_node_is_reached) { // finding Q14
  const auto file = app::read_node_file(place());
  BOOST_REQUIRE(file);
  BOOST_TEST(file->address == "127.0.0.1");
}

BOOST_AUTO_TEST_CASE(a_hangup_ends_no_node_without_certificates) { // finding Q14
  process->signal(SIGHUP);
  BOOST_TEST(comes_true([this] { return contains(log(), "hangup"); }));
  BOOST_TEST(status().code == 0);
}

// As with a full directory of the log: the first restart fails, and later there is room again.
BOOST_AUTO_TEST_CASE(a_restart_of_the_server_that_fails_is_tried_again) { // findings E1, C15
  const auto wal = server_directory() / "pgdata" / "pg_wal";
  const auto away = server_directory() / "pg_wal.away";
  const auto before = server_pid();
  fs::rename(wal, away);
  ::kill(before, SIGKILL);
  BOOST_REQUIRE(comes_true([this] { return contains(log(), "attempt=2"); }));
  BOOST_TEST(!process->ended());

  const auto told = status();
  BOOST_TEST(told.code == static_cast<int>(app::exit_code::database));
  BOOST_TEST(contains(told.out, "incarnation"), told.out);
  BOOST_TEST(contains(told.out, "AWAY"), told.out);
  const auto json = status({"--json"});
  BOOST_TEST(json.code == static_cast<int>(app::exit_code::database));
  const auto read = nlohmann::json::parse(json.out, nullptr, false);
  BOOST_REQUIRE(read.is_object());
  BOOST_TEST(read["database"]["away"] == true);
  BOOST_TEST(read["steps"].is_null());
  // Once the lease is over, it is known since when.
  BOOST_TEST(comes_true([this] { return contains(status().out, "AWAY since before 2"); }));

  fs::rename(away, wal);
  BOOST_TEST(works_again());
  BOOST_TEST(server_pid() != before);
  const auto ended = process->stop(60s);
  BOOST_TEST((ended && *ended == 0), process->log_tail());
}

BOOST_AUTO_TEST_CASE(a_deleted_socket_is_noticed) { // finding E2
  const auto before = server_pid();
  const auto conninfo = app::read_node_file(place())->database;
  const auto directory = conninfo.substr(6, conninfo.find('\'', 6) - 6);
  for (const auto& socket : fs::directory_iterator{directory})
    fs::remove(socket.path());
  BOOST_TEST(comes_true([&] { return server_pid() != 0 && server_pid() != before; }));
  BOOST_TEST(works_again());
  BOOST_TEST(contains(log(), "private_database_unreachable"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
