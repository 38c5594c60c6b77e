// Handlers inside a node, as programs of their own: what becomes of tasks when such a node is used,
// stopped and killed.

#include "app/data_dir.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "examples/shared/exec_params.hpp"
#include "messages/search_messages.hpp"
#include "tests/end_to_end/producer.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace app = holdfast::app;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;

namespace {

/// A program that is a node, and a client of it.
struct node_of {
  explicit node_of(const std::string& program, const std::vector<std::string>& arguments = {}) {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    directory.emplace(std::move(*made));
    process.emplace(program, directory->path(), arguments);
    start();
    me.emplace(process->port());
  }

  void start() {
    const auto started = process->start(60s);
    BOOST_REQUIRE_MESSAGE(started, process->log_tail());
  }

  /// Until the handler of each has been called.
  void await_begun(const std::vector<core::task_id>& tasks) {
    for (const auto& task : tasks)
      BOOST_REQUIRE(
          me->view_when(task, [](const msg::task_view& now) { return now.percent > 0; }).percent
          == 1U);
  }

  void await_completed(std::uint64_t tasks) {
    const auto counts =
        me->counts_when([&](const msg::queue_statistics& now) { return now.completed == tasks; });
    BOOST_REQUIRE_EQUAL(counts.completed, tasks);
    BOOST_TEST(counts.live == 0U);
  }

  int verify() const {
    return test::run_program(HOLDFAST_BINARY, {"verify", "--data-dir", directory->path().string()},
                             60s)
        .code;
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<app::demo::node_process> process;
  std::optional<test::producer> me;
};

} // namespace

BOOST_AUTO_TEST_SUITE(handlers_in_a_node)

// D5, D24: without any other process
BOOST_AUTO_TEST_CASE(node_does_the_tasks_of_its_queue_itself) {
  constexpr std::uint64_t tasks = 100;
  node_of node{HOLDFAST_IMAGE_NODE};
  node.me->make_queue("images", "{}");
  const auto made = node.me->enqueue("resize", tasks, R"({"image": 1})");
  node.await_completed(tasks);
  BOOST_TEST(node.me->view(made.front()).result == R"({"resized": {"image": 1}})");
  BOOST_TEST(node.process->stop(30s).value_or(-1) == 0);
  BOOST_TEST(node.verify() == 0);
}

// A95: a program may know its contributors from elsewhere.
BOOST_AUTO_TEST_CASE(node_asks_its_program_for_what_is_known_of_contributors) {
  node_of node{HOLDFAST_HOLDING_NODE};
  const auto known = node.me->ask<msg::profile_view>(msg::get_profile{"ana"});
  BOOST_TEST(known.skills == std::vector<std::string>{"ner"}, boost::test_tools::per_element());
  BOOST_TEST(node.me->ask<msg::profile_view>(msg::get_profile{"bob"}).skills.empty());
  msg::put_profile ana;
  ana.contributor = "ana";
  const auto put = node.me->node.ask<msg::profile_view>(ana);
  BOOST_REQUIRE(!put);
  BOOST_TEST((put.error().code == core::errc::wrong_state));
}

// D28, I-12: given back, not left to run out
BOOST_AUTO_TEST_CASE(drain_gives_back_what_is_not_finished_with_its_bookmark) {
  node_of node{HOLDFAST_HOLDING_NODE, {"--set", "node.drain_timeout=2s"}};
  node.me->make_queue("held", "{}"); // leases of a minute: nobody waits for their end
  const auto task = node.me->enqueue("patient", 1, "{}").front();
  node.await_begun({task});
  BOOST_TEST(node.process->stop(30s).value_or(-1) == 0, node.process->log_tail());
  node.start();
  node.await_completed(1);
  BOOST_TEST(node.me->view(task).result == R"("from the bookmark")");
  BOOST_TEST(node.me->view(task).crashes == 0U);
  BOOST_TEST(node.verify() == 0);
}

BOOST_AUTO_TEST_CASE(handler_that_never_returns_does_not_hold_a_drain_up) {
  node_of node{HOLDFAST_HOLDING_NODE, {"--set", "node.drain_timeout=2s"}};
  node.me->make_queue("held", "{}");
  const auto task = node.me->enqueue("stubborn", 1, "{}").front();
  node.await_begun({task});
  BOOST_TEST(node.process->stop(30s).value_or(-1) == 0, node.process->log_tail());
  node.start();
  node.await_completed(1);
  BOOST_TEST(node.me->view(task).crashes == 0U);
}

// B35, D6, D15: what ran inside the dead process is over with it, and each lease counts one crash
BOOST_AUTO_TEST_CASE(tasks_of_a_node_that_was_killed_are_taken_over_after_its_restart) {
  constexpr std::uint64_t tasks = 4;
  node_of node{HOLDFAST_HOLDING_NODE};
  // Nobody waits for the end of these leases.
  node.me->make_queue("held", R"({"lease": {"ttl_seconds": 3600, "total_max_seconds": 7200}})");
  const auto made = node.me->enqueue("stubborn", tasks, "{}");
  node.await_begun(made);
  node.process->kill();
  BOOST_TEST(node.process->ended_within(10s).value_or(-1) == 128 + SIGKILL);
  node.start();
  node.await_completed(tasks);
  for (const auto& id : made) {
    const auto task = node.me->view(id);
    BOOST_TEST(task.result == R"("by the next life")");
    BOOST_TEST(task.crashes == 1U);
    BOOST_TEST(task.attempts == 0U);
  }
  BOOST_TEST(node.verify() == 0);
}

// C33: a handler that kills its process, node and all, is found out by that, and harms nobody
BOOST_AUTO_TEST_CASE(task_that_kills_its_node_three_times_is_a_dead_letter) {
  constexpr std::uint64_t others = 20;
  node_of node{HOLDFAST_HOLDING_NODE};
  node.me->make_queue("held", R"({"lease": {"ttl_seconds": 3600, "total_max_seconds": 7200},
                                  "retry": {"least_seconds": 0.001, "most_seconds": 0.002}})");
  const auto poison = node.me->enqueue("poison", 1, "{}").front();
  node.me->enqueue("harmless", others, "{}");
  for (int life = 0; life < 3; ++life) {
    BOOST_REQUIRE(node.process->ended_within(30s).value_or(-1) == 128 + SIGABRT);
    node.start();
  }
  const auto counts = node.me->counts_when(
      [&](const msg::queue_statistics& now) { return now.completed == others && now.dead == 1; });
  BOOST_TEST(counts.completed == others);
  BOOST_TEST(counts.dead == 1U);
  BOOST_TEST(counts.live == 0U);
  const auto dead = node.me->view(poison);
  BOOST_TEST(dead.status == "ERROR");
  BOOST_TEST(dead.error_code == "WORKER_LOST");
  BOOST_TEST(dead.crashes == 3U);
  BOOST_TEST(dead.attempts == 0U);
  // Its history names each try, and which process it was that died.
  const auto running = app::read_node_file(node.directory->path());
  BOOST_REQUIRE(running);
  pqxx::connection database{running->database};
  pqxx::read_transaction tx{database};
  const auto history = examples::exec_params(tx,
                                             "SELECT string_agg(ending, ' ' ORDER BY token),"
                                             "       count(DISTINCT split_part(worker, '@', 2))"
                                             "  FROM report.task_attempts WHERE task_id = $1",
                                             core::to_string(poison))
                           .front();
  BOOST_TEST(history[0].as<std::string>() == "Lost Lost Dead");
  BOOST_TEST(history[1].as<int>() == 3);
  BOOST_TEST(node.verify() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
