// A disk that reports an error where the server makes a commit durable. PostgreSQL then trusts
// nothing that it has in memory: it panics and recovers from the log. What was acknowledged must be
// there, once.

#include "persistence/server_process.hpp"
#include "tests/persistence/conformance.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace holdfast::test {

namespace {

using persistence::program_start;
using persistence::server_process;

/// Long for a recovery of some pages of log, and short enough for a test that fails.
constexpr auto recovery_limit = 60s;

/// Makes the first `fdatasync` of every process of the server fail with EIO, by strace.
class failing_sync {
public:
  explicit failing_sync(const std::vector<pid_t>& processes) : processes_(processes) {
    program_start start;
    start.program = "/usr/bin/strace";
    start.arguments = {"-qq",
                       "-o",
                       "/dev/null",
                       "-e",
                       "trace=fdatasync",
                       "-e",
                       "inject=fdatasync:error=EIO:when=1"};
    for (const auto pid : processes_) {
      start.arguments.emplace_back("-p");
      start.arguments.push_back(std::to_string(pid));
    }
    start.death_signal = SIGTERM;
    auto started = server_process::start(start);
    BOOST_REQUIRE_MESSAGE(started, (started ? "" : started.error().detail));
    tracer_.emplace(std::move(*started));
    const auto until = std::chrono::steady_clock::now() + recovery_limit;
    while (!attached()) {
      if (tracer_->ended_within(10ms))
        return; // this machine lets nobody trace the server
      BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < until,
                            "strace does not attach to the server");
    }
    works_ = true;
  }
  ~failing_sync() {
    tracer_->signal(SIGTERM); // it lets go of whoever is left
    tracer_->ended_within(10s);
  }
  bool works() const { return works_; }

  failing_sync(const failing_sync&) = delete;
  failing_sync& operator=(const failing_sync&) = delete;

private:
  bool attached() const {
    return std::all_of(processes_.begin(), processes_.end(), [](pid_t pid) {
      std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
      for (std::string line; std::getline(status, line);)
        if (line.rfind("TracerPid:", 0) == 0)
          return line.find_first_not_of(" \t0", sizeof "TracerPid:" - 1) != std::string::npos;
      return false;
    });
  }

  std::vector<pid_t> processes_;
  std::optional<server_process> tracer_;
  bool works_ = false;
};

struct failing_disk_fixture : unit_batches<postgres_world> {
  std::int64_t stored_units() {
    return test_cluster::instance()
        .sql("SELECT count(*) FROM holdfast.units")[0][0]
        .as<std::int64_t>();
  }
  /// The processes that make commits durable: the one of the store, and those that write the log
  /// for all.
  std::vector<pid_t> writers_of_the_log() {
    std::vector<pid_t> all;
    for (const auto& row : test_cluster::instance().sql(
             "SELECT pid FROM pg_stat_activity WHERE backend_type IN ('walwriter', 'checkpointer')"
             " OR application_name = 'holdfast test'"))
      all.push_back(row[0].as<int>());
    return all;
  }
};

BOOST_FIXTURE_TEST_SUITE(failing_disk, failing_disk_fixture)

BOOST_AUTO_TEST_CASE(a_disk_error_at_a_commit_loses_nothing_and_doubles_nothing) { // I-12, F16
  std::int64_t acknowledged = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i, ++acknowledged)
      BOOST_TEST(is(commit(next_batch()), committed));
    const auto batch = next_batch();
    {
      const failing_sync disk{writers_of_the_log()};
      if (!disk.works()) {
        BOOST_TEST_MESSAGE("not tried: this machine lets nobody trace the server (CAP_SYS_PTRACE)");
        return;
      }
      const auto result = commit(batch);
      BOOST_TEST(
          (result.status == commit_status::in_doubt || result.status == commit_status::unavailable),
          name_of(result.status) << ": " << result.reason);
    }
    // Does as a writer: commits the same batch until the server that recovers tells its fate.
    auto result = commit(batch);
    for (const auto until = std::chrono::steady_clock::now() + recovery_limit;
         result.status != committed && std::chrono::steady_clock::now() < until;)
      result = commit(batch);
    BOOST_TEST(is(result, committed));
    ++acknowledged;
    BOOST_TEST(stored_units() == acknowledged);
  }
  const auto data = test_cluster::instance()
                        .sql("SELECT current_setting('data_directory')")[0][0]
                        .as<std::string>();
  std::ifstream log{std::filesystem::path{data}.parent_path() / "server.log"};
  std::stringstream text;
  text << log.rdbuf();
  BOOST_TEST(text.str().find("PANIC:  could not fdatasync file")
             != std::string::npos); // or it proves nothing
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
