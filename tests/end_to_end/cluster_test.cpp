// Three nodes of the real binary on one database: any of them may be killed or stopped under load.

#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "persistence/private_cluster.hpp"
#include "tests/end_to_end/task_stream.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
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

} // namespace

BOOST_FIXTURE_TEST_SUITE(cluster, three_nodes)

BOOST_AUTO_TEST_CASE(nothing_is_lost_or_doubled_when_nodes_are_killed) { // I-12, I-13, F01
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
