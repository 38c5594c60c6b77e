// Three nodes of the real binary on one database: any of them may be killed or stopped under load,
// and who is connected to one works for all.

#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "app/exit_codes.hpp"
#include "app/version.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "client/way_to_node.hpp"
#include "client/worker.hpp"
#include "messages/errors.hpp"
#include "messages/protocol.hpp"
#include "persistence/private_cluster.hpp"
#include "tests/end_to_end/task_stream.hpp"
#include "tests/support/child_program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

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
    load.emplace(*connection);
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

  std::optional<app::demo::scratch_directory> directory;
  std::optional<persistence::private_cluster> server;
  std::map<std::string, std::unique_ptr<app::demo::node_process>> processes;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::unique_ptr<client::connection> connection;
  std::optional<task_stream> load;
};

/// Runs tasks, none of which ends before it is told.
class slow_tasks : public client::task_handler {
public:
  outcome run(const client::task_context&) override {
    std::unique_lock lock{mutex_};
    ++running_;
    changed_.notify_all();
    changed_.wait_for(lock, 60s, [&] { return over_; });
    return client::done{};
  }
  bool run_within(std::chrono::seconds limit, int number) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [&] { return running_ == number; });
  }
  void finish() {
    const std::lock_guard lock{mutex_};
    over_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool over_ = false;
};

/// Eight tasks in a queue of which one node is the host; another one is to be met by workers.
struct work_elsewhere : three_nodes {
  static constexpr std::uint64_t tasks = 8;

  work_elsewhere() {
    ask(msg::put_queue{"images", "{}"}); // leases of a minute: nobody waits for their end
    enqueue();
    const auto host = host_of("images");
    far = *std::find_if(names.begin(), names.end(), [&](const auto& name) { return name != host; });
  }

  void enqueue() {
    msg::enqueue_tasks batch{"images", {}};
    for (std::uint64_t i = 0; i < tasks; ++i) {
      msg::task_request task;
      task.task = {
          ids.next(std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now()))};
      task.type = "resize";
      task.body = "{}";
      made.push_back(task.task);
      batch.tasks.push_back(std::move(task));
    }
    ask(batch);
  }
  template <class Request>
  msg::answer_to<Request> ask(const Request& request) {
    auto answer = connection->ask<msg::answer_to<Request>>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }
  std::string host_of(const core::queue_name& queue) {
    const auto status = ask(msg::get_node_status{});
    pqxx::connection database{server->conninfo()};
    pqxx::work tx{database};
    const auto shard = core::shard_of(queue, status.shards_total);
    return tx.exec("SELECT host FROM report.shards WHERE shard_id = " + std::to_string(shard))[0][0]
        .as<std::string>();
  }
  /// Asks until the counts are as wanted; the answer is the pace.
  bool counted_within(std::chrono::seconds limit,
                      const std::function<bool(const msg::queue_statistics&)>& wanted) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < until)
      if (wanted(ask(msg::get_queue_statistics{"images"})))
        return true;
    return false;
  }
  std::uint64_t crashes() {
    std::uint64_t count = 0;
    for (const auto& id : made)
      count += ask(msg::get_task{id}).crashes;
    return count;
  }

  core::uuid_source ids{
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count())};
  std::vector<core::task_id> made;
  std::string far;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cluster, three_nodes)

// C33: its node tells the host at once.
BOOST_FIXTURE_TEST_CASE(task_of_a_killed_worker_over_another_node_is_free_at_once, work_elsewhere) {
  child_program worker{HOLDFAST_HOLDING_WORKER,
                       {std::to_string(processes.at(far)->port()), "images", "0"}};
  BOOST_REQUIRE(counted_within(30s, [](const auto& counts) { return counts.leased == tasks; }));
  worker.signal(SIGKILL);
  BOOST_TEST(counted_within(20s, [](const auto& counts) { return counts.leased == 0; }));
  BOOST_TEST(crashes() == tasks);
}

// F01, F46: what a worker has begun goes on when the node dies or ends that it is connected to.
BOOST_FIXTURE_TEST_CASE(a_worker_outlives_the_node_that_it_is_connected_to, work_elsewhere) {
  std::vector<client::endpoint> all{{"127.0.0.1", processes.at(far)->port()}};
  for (const auto& name : names)
    if (name != far)
      all.push_back({"127.0.0.1", processes.at(name)->port()});
  client::peer_system own_configuration{client::peer_settings{}};
  caf::actor_system own_system{own_configuration};
  for (const bool planned : {false, true}) {
    client::connection own{own_system, all, client::retry_policy{}, 0};
    const auto handler = std::make_shared<slow_tasks>();
    client::worker_settings settings;
    settings.queue = "images";
    settings.threads = tasks;
    client::worker worker{own, settings};
    worker.handle("resize", handler);
    worker.start();
    BOOST_REQUIRE(handler->run_within(30s, tasks));
    if (planned)
      BOOST_TEST(processes.at(far)->stop(30s).value_or(-1) == 0, processes.at(far)->log_tail());
    else
      processes.at(far)->kill();
    // It is missed by the others when its shards have moved.
    ask(msg::put_queue{"images", "{}"});
    start(far);
    handler->finish();
    BOOST_TEST(
        counted_within(30s, [&](const auto& counts) { return counts.completed == made.size(); }));
    worker.stop();
    BOOST_TEST(worker.counts().lost == 0U);
    enqueue();
  }
  BOOST_TEST(crashes() == 0U);
}

BOOST_AUTO_TEST_CASE(nothing_is_lost_or_doubled_when_nodes_are_killed) { // D3, I-12, I-13, F01
  load->under_load([this] {
    for (const auto& name : names) {
      load->await_requests(50);
      processes.at(name)->kill();
      load->await_requests(50);
      start(name);
    }
    load->await_requests(50);
  });
}

BOOST_AUTO_TEST_CASE(a_node_says_what_it_speaks) { // F44
  client::way_to_node way{{"127.0.0.1", processes.at("a")->port(), {}, {}}};
  const auto gateway = way.dial<caf::actor>(system);
  BOOST_REQUIRE_MESSAGE(gateway, (gateway ? std::string{} : gateway.error().detail));
  const caf::scoped_actor self{system};
  self->request(*gateway, 10s, msg::get_protocols{1, 1})
      .receive(
          [](const msg::protocols& its) {
            BOOST_TEST(its.oldest == msg::own_protocols.oldest);
            BOOST_TEST(its.newest == msg::own_protocols.newest);
            BOOST_TEST(its.version == app::version);
          },
          [](const caf::error& error) { BOOST_ERROR(msg::failure_of(error).detail); });
}

// As if a newer program had been there, of which this one must know more, or need not. F44
BOOST_AUTO_TEST_CASE(a_node_starts_on_a_newer_schema_that_works_with_it) {
  const auto migrated_to = [this](const std::string& oldest_program) {
    pqxx::connection database{server->conninfo()};
    pqxx::nontransaction tx{database};
    tx.exec("INSERT INTO holdfast.migrations (version, name, sha256, oldest_program)"
            " VALUES (9999, 'future', 'none', "
            + oldest_program
            + ")"
              " ON CONFLICT (version) DO UPDATE SET oldest_program = excluded.oldest_program");
  };
  migrated_to("1");
  load->under_load([&] {
    load->await_requests(20);
    BOOST_TEST(processes.at("a")->stop(30s).value_or(-1) == 0);
    start("a");
    load->await_requests(20);
  });

  migrated_to("9999");
  BOOST_TEST(processes.at("b")->stop(30s).value_or(-1) == 0);
  BOOST_TEST(!processes.at("b")->start(60s));
  BOOST_TEST(processes.at("b")->ended_within(10s).value_or(-1)
             == static_cast<int>(app::exit_code::database));
  const auto log = processes.at("b")->log_tail();
  BOOST_TEST(log.find("migration 9999 (future)") != std::string::npos, log);
  BOOST_TEST(log.find("start a newer program") != std::string::npos, log);
}

BOOST_AUTO_TEST_CASE(a_rolling_restart_fails_no_request) { // F46
  load->under_load([this] {
    for (const auto& name : names) {
      load->await_requests(20);
      const auto ended = processes.at(name)->stop(30s);
      BOOST_TEST((ended && *ended == 0), processes.at(name)->log_tail());
      start(name);
    }
    load->await_requests(20);
  });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
