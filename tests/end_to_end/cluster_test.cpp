// Three nodes of the real binary on one database: any of them may be killed or stopped under load.

#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"
#include "persistence/private_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const std::vector<std::string> names{"a", "b", "c"};

/// A server, three nodes and a client that knows all of them.
struct three_nodes {
  three_nodes() {
    auto scratch = app::demo::scratch_directory::make();
    BOOST_REQUIRE(scratch);
    directory.emplace(std::move(*scratch));
    persistence::private_cluster_options options;
    options.directory = (directory->path() / "postgres").string();
    server.emplace(options);
    const auto started = server->start();
    BOOST_REQUIRE_MESSAGE(started, (started ? std::string{} : started.error().detail));
    for (const auto& name : names)
      start(name);
    std::vector<client::endpoint> nodes;
    for (const auto& name : names)
      nodes.push_back({"127.0.0.1", processes.at(name)->port()});
    connection = std::make_unique<client::connection>(system, nodes, client::retry_policy{}, 1);
  }
  ~three_nodes() {
    connection.reset();
    processes.clear();
  }

  void start(const std::string& name) {
    auto& process = processes[name];
    std::filesystem::create_directory(directory->path() / name);
    if (!process)
      process = std::make_unique<app::demo::node_process>(
          HOLDFAST_BINARY, directory->path() / name,
          std::vector<std::string>{"--database-url", server->conninfo(), "--set",
                                   "node.name=" + name});
    const auto started = process->start(60s);
    BOOST_REQUIRE_MESSAGE(started, process->log_tail());
  }

  template <class Request>
  msg::answer_to<Request> ask(const Request& request) {
    auto answer = connection->ask<msg::answer_to<Request>>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }

  msg::task_request a_task() {
    msg::task_request task;
    task.task.value =
        ids.next(std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now()));
    task.type = "work";
    task.body = "{}";
    return task;
  }

  /// Enqueues one task after the other, into each queue in turn, until told to end or a request
  /// fails.
  void keep_enqueueing() {
    while (!over) {
      const auto begun = steady_clock::now();
      const auto answer = connection->ask<msg::task_outcomes>(
          msg::enqueue_tasks{queues[made % queues.size()], {a_task()}});
      if (!answer || answer->outcomes.front().refusal != core::errc::none) {
        problem = answer ? answer->outcomes.front().detail : answer.error().detail;
        {
          const std::lock_guard lock{mutex};
          over = true;
        }
        answered.notify_one();
        return;
      }
      longest = std::max(longest, steady_clock::now() - begun);
      {
        const std::lock_guard lock{mutex};
        ++made;
      }
      answered.notify_one();
    }
  }

  /// Runs `operations` under load. They belong to this thread, as the processes do.
  template <class Operations>
  void under_load(Operations operations) {
    make_queues();
    std::thread load{[this] { keep_enqueueing(); }};
    operations();
    over = true;
    load.join();
    BOOST_TEST(problem == "");
    BOOST_TEST_MESSAGE(
        made << " requests, the longest took "
             << std::chrono::duration_cast<std::chrono::milliseconds>(longest).count() << " ms");
    BOOST_TEST(live_tasks() == made);
  }

  /// Returns when that many more requests have been answered.
  void await_requests(std::uint64_t more) {
    std::unique_lock lock{mutex};
    const auto enough = made + more;
    answered.wait(lock, [&] { return made >= enough || over; });
  }

  std::uint64_t live_tasks() {
    std::uint64_t live = 0;
    for (const auto& queue : queues)
      live += ask(msg::get_queue_statistics{queue}).live;
    return live;
  }

  void make_queues() {
    for (int i = 0; i < 8; ++i) {
      queues.push_back("q" + std::to_string(i));
      ask(msg::put_queue{queues.back(), "{}"});
    }
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<persistence::private_cluster> server;
  std::map<std::string, std::unique_ptr<app::demo::node_process>> processes;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::unique_ptr<client::connection> connection;
  core::uuid_source ids{std::random_device{}()};
  std::vector<core::queue_name> queues;

  std::atomic<bool> over{false};
  std::mutex mutex;
  std::condition_variable answered; ///< One more request has been, or the load is over.
  std::atomic<std::uint64_t> made{0};
  std::string problem;              ///< Of the load, once it is over.
  steady_clock::duration longest{}; ///< That a request took.
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cluster, three_nodes)

BOOST_AUTO_TEST_CASE(nothing_is_lost_or_doubled_when_nodes_are_killed) { // I-12, I-13, F01
  under_load([this] {
    for (const auto& name : names) {
      await_requests(50);
      processes.at(name)->kill();
      await_requests(50);
      start(name);
    }
    await_requests(50);
  });
}

BOOST_AUTO_TEST_CASE(a_rolling_restart_fails_no_request) { // F46
  under_load([this] {
    for (const auto& name : names) {
      await_requests(20);
      const auto ended = processes.at(name)->stop(30s);
      BOOST_TEST((ended && *ended == 0), processes.at(name)->log_tail());
      start(name);
    }
    await_requests(20);
  });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
