// Workers in processes of their own, and one in this process, on a real node.

#include "client/worker.hpp"
#include "tests/end_to_end/producer.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace app = holdfast::app;
namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::running_node;

namespace {

std::string port() { return std::to_string(running_node::current().process->port()); }

struct producer : test::producer {
  producer() : test::producer(running_node::current().process->port()) {}
};

/// A handler that is a function.
class handler_of : public client::task_handler {
public:
  explicit handler_of(std::function<outcome(const client::task_context&)> run)
      : run_(std::move(run)) {}
  outcome run(const client::task_context& task) override { return run_(task); }

private:
  std::function<outcome(const client::task_context&)> run_;
};

/// Lets one thread wait for another.
class gate {
public:
  void open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    changed_.notify_all();
  }
  bool passed_within(std::chrono::seconds limit) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [&] { return open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

int verify() {
  return test::run_program(HOLDFAST_BINARY,
                           {"verify", "--data-dir", running_node::current().place()}, 60s)
      .code;
}

} // namespace

BOOST_AUTO_TEST_SUITE(worker, *boost::unit_test::fixture<running_node>())

// C11, C33, D6: what a killed worker held is done by another within seconds, each task once.
BOOST_AUTO_TEST_CASE(tasks_of_a_worker_that_is_killed_are_finished_by_the_next_one) {
  constexpr std::uint64_t tasks = 200;
  constexpr std::uint64_t done_by_the_first = 60;
  constexpr std::uint64_t threads = 8; // of both programs
  producer me;
  me.make_queue("images", "{}"); // leases of a minute: nobody waits for their end
  const auto made = me.enqueue("resize", tasks, R"({"image": 1})");

  {
    test::child_program first{HOLDFAST_HOLDING_WORKER,
                              {port(), "images", std::to_string(done_by_the_first)}};
    const auto held = me.counts_when([](const msg::queue_statistics& counts) {
      return counts.completed == done_by_the_first && counts.leased == threads;
    });
    BOOST_TEST(held.completed == done_by_the_first);
    BOOST_TEST(held.leased == threads);
    first.signal(SIGKILL);
    BOOST_TEST(first.ended_within(10s).value_or(-1) == 128 + SIGKILL);
  }

  const auto killed_at = steady_clock::now();
  test::child_program second{HOLDFAST_WORKER_PROGRAM, {"127.0.0.1:" + port()}};
  const auto end =
      me.counts_when([](const msg::queue_statistics& counts) { return counts.completed == tasks; });
  const auto took = steady_clock::now() - killed_at;
  BOOST_TEST(end.completed == tasks);
  BOOST_TEST(end.live == 0U);
  BOOST_TEST(end.dead == 0U);
  BOOST_TEST((took < 20s), std::chrono::duration_cast<std::chrono::milliseconds>(took).count());

  std::uint64_t by_the_first = 0;
  std::uint64_t crashed = 0;
  for (const auto& id : made) {
    const auto task = me.view(id);
    BOOST_TEST(task.status == "COMPLETED");
    BOOST_TEST(task.attempts == 0U);
    by_the_first += task.result == R"("by the first")" ? 1U : 0U;
    crashed += task.crashes;
  }
  BOOST_TEST(by_the_first == done_by_the_first);
  BOOST_TEST(crashed == threads);

  second.signal(SIGTERM);
  BOOST_TEST(second.ended_within(30s).value_or(-1) == 0);
  BOOST_TEST(verify() == 0);
}

// C43
BOOST_AUTO_TEST_CASE(results_errors_and_saves_of_handlers_reach_the_node) {
  producer me;
  me.make_queue("all", R"({"retry": {"max_attempts": 2, "least_seconds": 0.001,
                                     "most_seconds": 0.002}})");
  const auto throws = me.enqueue("throws", 1, "{}").front();
  const auto fails = me.enqueue("fails", 1, "{}").front();
  const auto saves = me.enqueue("saves", 1, "{}").front();
  const auto follows = me.enqueue("follows", 1, "{}").front();
  const auto waits = me.enqueue("waits", 1, "{}").front();

  client::worker_settings settings;
  settings.queue = "all";
  settings.threads = 3;
  client::worker worker{me.node, settings};
  const auto handle = [&](const std::string& type, auto run) {
    worker.handle(type, std::make_shared<handler_of>(run));
  };
  handle("throws", [](const client::task_context&) -> client::outcome {
    throw std::runtime_error{"by a \xff handler"}; // no UTF-8: nothing may stumble over it
  });
  handle("fails", [](const client::task_context&) -> client::outcome {
    return client::failed{"NO", "never", core::failure_kind::permanent};
  });
  handle("saves", [](const client::task_context& task) -> client::outcome {
    msg::task_update update;
    update.percent = 40;
    update.state = "HALF";
    if (!task.save(update) || task.canceled() || task.time_left() <= 10s)
      return client::failed{"LOST"};
    return client::done{task.envelope()};
  });
  msg::task_request second = me.request("second", R"({"of": 2})");
  handle("follows", [second](const client::task_context&) -> client::outcome {
    return client::next{second, "1"};
  });
  handle("second",
         [](const client::task_context&) -> client::outcome { return client::done{"2"}; });
  handle("waits", [](const client::task_context& task) -> client::outcome {
    if (task.task().state == "POLLED")
      return client::done{};
    client::wait_until wait{task.now() + 100ms};
    wait.update.state = "POLLED";
    return wait;
  });
  worker.start();
  const auto end =
      me.counts_when([](const msg::queue_statistics& counts) { return counts.live == 0; });
  BOOST_TEST(end.live == 0U);
  worker.stop();

  BOOST_TEST(me.view(throws).status == "ERROR");
  BOOST_TEST(me.view(fails).status == "FAILURE");
  BOOST_TEST(me.view(fails).error_code == "NO");
  BOOST_TEST(me.view(saves).status == "COMPLETED");
  BOOST_TEST(me.view(saves).state == "HALF");
  BOOST_TEST(me.view(follows).result == "1");
  BOOST_TEST(me.view(second.task).result == "2");
  BOOST_TEST(me.view(waits).status == "COMPLETED");
  const auto counts = worker.counts();
  BOOST_TEST(counts.completed == 4U);
  BOOST_TEST(counts.failed == 3U); // two tries of the one that throws
  BOOST_TEST(counts.released == 1U);
  BOOST_TEST(counts.lost == 0U);
  BOOST_TEST(counts.running == 0U);
  BOOST_TEST(counts.claimed == 8U);
}

BOOST_AUTO_TEST_CASE(canceled_task_reaches_its_handler_and_its_result_is_refused) {
  producer me;
  me.make_queue("canceling", "{}");
  const auto id = me.enqueue("slow", 1, "{}").front();
  gate begun;
  gate goes_on;
  gate reported;
  client::worker_settings settings;
  settings.queue = "canceling";
  settings.on_problem = [&](const client::worker_problem& problem) {
    if (problem.task == id)
      reported.open();
  };
  client::worker worker{me.node, settings};
  bool canceled = false;
  worker.handle("slow", std::make_shared<handler_of>([&](const client::task_context& task) {
                  begun.open();
                  goes_on.passed_within(30s);
                  canceled = task.canceled();
                  return client::done{};
                }));
  worker.start();
  BOOST_REQUIRE(begun.passed_within(30s));
  me.ask<msg::task_changed>(msg::change_task{"canceling", id, 3});
  BOOST_TEST(reported.passed_within(10s));
  goes_on.open();
  worker.stop();
  BOOST_TEST(canceled);
  BOOST_TEST(worker.counts().lost == 1U);
  BOOST_TEST(worker.counts().completed == 0U);
  BOOST_TEST(me.view(id).status == "CANCELED");
}

BOOST_AUTO_TEST_CASE(results_of_the_time_without_a_node_are_taken_when_it_is_back) {
  constexpr std::uint64_t tasks = 100;
  constexpr std::uint64_t before = 40;
  constexpr std::uint64_t threads = 4;
  producer me;
  me.make_queue("outage", "{}");
  me.enqueue("step", tasks, "{}");
  std::atomic<std::uint64_t> begun{0};
  gate node_is_gone;
  client::worker_settings settings;
  settings.queue = "outage";
  settings.threads = threads;
  client::worker worker{me.node, settings};
  worker.handle("step", std::make_shared<handler_of>([&](const client::task_context&) {
                  if (++begun > before)
                    node_is_gone.passed_within(30s);
                  return client::done{};
                }));
  worker.start();
  const auto held = me.counts_when([](const msg::queue_statistics& counts) {
    return counts.completed == before && counts.leased == threads;
  });
  BOOST_TEST(held.leased == threads);
  auto& node = *running_node::current().process;
  node.kill();
  BOOST_TEST(node.ended_within(10s).value_or(-1) == 128 + SIGKILL);
  node_is_gone.open();
  BOOST_REQUIRE_MESSAGE(node.start(60s), node.log_tail());
  const auto end =
      me.counts_when([](const msg::queue_statistics& counts) { return counts.live == 0; });
  BOOST_TEST(end.completed == tasks);
  worker.stop();
  BOOST_TEST(worker.counts().completed == tasks);
  BOOST_TEST(worker.counts().lost == 0U);
  BOOST_TEST(verify() == 0);
}

BOOST_AUTO_TEST_CASE(worker_that_stops_gives_back_what_it_has_not_finished) {
  producer me;
  me.make_queue("stopping", "{}");
  const auto id = me.enqueue("slow", 1, "{}").front();
  gate begun;
  gate given_back;
  client::worker_settings settings;
  settings.queue = "stopping";
  settings.grace = 10ms;
  settings.cancel_grace = 10ms;
  client::worker first{me.node, settings};
  first.handle("slow", std::make_shared<handler_of>([&](const client::task_context&) {
                 begun.open();
                 given_back.passed_within(30s); // it does not look at `canceled`
                 return client::done{};
               }));
  client::worker second{me.node, settings};
  second.handle("slow", std::make_shared<handler_of>([&](const client::task_context&) {
                  given_back.open();
                  return client::done{R"("second")"};
                }));
  first.start();
  BOOST_REQUIRE(begun.passed_within(30s));
  second.start();
  first.stop();
  me.counts_when([](const msg::queue_statistics& counts) { return counts.completed == 1; });
  const auto task = me.view(id);
  BOOST_TEST(task.result == R"("second")");
  BOOST_TEST(task.crashes == 0U);
  BOOST_TEST(first.counts().released == 1U);
  // An idle worker ends at once: its claim is called off.
  const auto before = steady_clock::now();
  second.stop();
  BOOST_TEST((steady_clock::now() - before < 2s));
}

BOOST_AUTO_TEST_SUITE_END()
