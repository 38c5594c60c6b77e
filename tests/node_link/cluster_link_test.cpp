// Three nodes on addresses of their own that reach each other through TLS alone: under load, while
// nodes are killed, certificates are replaced, and names are not or no longer welcome (S20, C11).

#include "client/worker.hpp"
#include "persistence/private_cluster.hpp"
#include "tests/end_to_end/task_stream.hpp"
#include "tests/node_link/secure_node.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> names{"a", "b", "c"};

/// Nodes on one server. Only a, b and c are expected by the others; d has a certificate as well.
struct secure_cluster {
  secure_cluster() {
    auto scratch = app::demo::scratch_directory::make();
    BOOST_REQUIRE(scratch);
    directory.emplace(std::move(*scratch));
    persistence::private_cluster_options options;
    options.directory = (directory->path() / "postgres").string();
    server.emplace(options);
    const auto started = server->start();
    BOOST_REQUIRE_MESSAGE(started, (started ? std::string{} : started.error().detail));
    issued.emplace((directory->path() / "ca").string());
    for (const auto* name : {"a", "b", "c", "d"})
      issued->certs({"node", "--name", name, "--host", address_of(name)});
    issued->certs({"peer", "--name", "wilma", "--role", "workers"});
    for (const auto& name : names)
      start(name);
  }
  ~secure_cluster() {
    connection.reset();
    processes.clear();
  }

  static std::string address_of(const std::string& name) {
    return "127.0.0." + std::to_string(name.front() - 'a' + 2);
  }

  void start(const std::string& name) {
    auto& process = processes[name];
    if (!process) {
      std::filesystem::create_directory(place_of(name));
      auto arguments = issued->options_of(name);
      arguments.insert(arguments.end(),
                       {"--database-url", server->conninfo(), "--set", "node.name=" + name, "--set",
                        "node.listen_address=" + address_of(name), "--set",
                        "link.crl=" + issued->file("ca.crl"), "--set",
                        "link.peers=a, b, c, workers"});
      process =
          std::make_unique<app::demo::node_process>(HOLDFAST_BINARY, place_of(name), arguments);
    }
    const auto ready = process->start(60s);
    BOOST_REQUIRE_MESSAGE(ready, process->log_tail());
  }

  std::filesystem::path place_of(const std::string& name) const { return directory->path() / name; }

  client::endpoint endpoint_of(const std::string& name) const {
    return {address_of(name), processes.at(name)->port(), issued->of("wilma"), {}};
  }
  std::vector<client::endpoint> endpoints() const {
    std::vector<client::endpoint> all;
    for (const auto& name : names)
      all.push_back(endpoint_of(name));
    return all;
  }

  /// A producer that knows these nodes.
  test::task_stream& load_through(std::vector<client::endpoint> nodes) {
    connection =
        std::make_unique<client::connection>(system, std::move(nodes), client::retry_policy{}, 1);
    load.emplace(*connection);
    return *load;
  }

  /// What `holdfast status` says of a node's link.
  nlohmann::json link_of(const std::string& name) const {
    auto words = issued->options_of("wilma");
    words.insert(words.begin(), {"status", "--json", "--host", address_of(name), "--port",
                                 std::to_string(processes.at(name)->port())});
    const auto end = test::run_program(HOLDFAST_BINARY, words, 60s);
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    return nlohmann::json::parse(end.out).at("link");
  }
  /// For how many peers a node's `status` gives this reason.
  std::uint64_t refused(const std::string& node, const std::string& reason) const {
    return link_of(node).at("refused").value(reason, std::uint64_t{0});
  }
  /// Whether that is so soon; answers of `status` are the pace.
  bool soon(const std::function<bool()>& wanted) const {
    const auto until = std::chrono::steady_clock::now() + test::patience;
    while (!wanted() && std::chrono::steady_clock::now() < until)
      link_of("a");
    return wanted();
  }
  bool logs(const std::string& node, const std::vector<std::string>& words) const {
    return soon([&] { return test::has_line(place_of(node) / "node.log", words); });
  }

  /// Whether a node's log says so: of what c had dialed, of what c dials now, or of dialing c.
  /// Which of them there is depends on the connection that was open.
  bool refused_as_revoked(const std::string& node, const std::string& other) const {
    const auto has = [&](const std::string& event, const std::string& who) {
      return test::has_line(place_of(node) / "node.log", {event, "reason=revoked", who});
    };
    return has("peer_refused", "names=" + other) || has("peer_refused", "claims=" + other)
           || has("dial_failed", "remote=" + address_of(other) + ':');
  }

  void hang_up(const std::vector<std::string>& nodes) {
    for (const auto& name : nodes)
      processes.at(name)->signal(SIGHUP);
  }
  /// Puts a new certificate in the place of a node's, and says where the old one is kept.
  std::string replace_certificate(const std::string& name) {
    const auto old = issued->file(name + "-old.crt");
    std::filesystem::copy_file(issued->file(name + ".crt"), old,
                               std::filesystem::copy_options::overwrite_existing);
    issued->certs({"node", "--name", name, "--host", address_of(name), "--replace"});
    return old;
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<persistence::private_cluster> server;
  std::optional<test::issued_certificates> issued;
  std::map<std::string, std::unique_ptr<app::demo::node_process>> processes;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::unique_ptr<client::connection> connection;
  std::optional<test::task_stream> load;
};

class no_op : public client::task_handler {
public:
  outcome run(const client::task_context&) override { return client::done{"{}"}; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cluster_behind_links, secure_cluster)

BOOST_AUTO_TEST_CASE(shard_of_one_node_is_reached_through_another_by_tls) {
  auto& stream = load_through({endpoint_of("a")});
  stream.under_load([&] { stream.await_requests(100); });
  for (const auto& here : names) {
    for (const auto& other : names)
      if (other != here)
        BOOST_TEST(logs(here, {"peer_connected", "names=" + other}));
    const auto link = link_of(here);
    BOOST_TEST(link.at("refused").empty(), here << ": " << link.dump());
    // Not all stay open: of two connections between the same nodes one is enough.
    BOOST_TEST(link.at("established").get<std::uint64_t>() >= names.size() - 1);
  }
}

BOOST_AUTO_TEST_CASE(a_worker_loses_nothing_when_nodes_are_killed) { // I-12, I-13, F01
  auto& stream = load_through(endpoints());
  client::connection of_worker{system, endpoints(), {}, 2};
  client::worker_settings settings;
  settings.queue = stream.queues().front();
  settings.threads = 4;
  client::worker worker{of_worker, settings};
  worker.handle("work", std::make_shared<no_op>());
  worker.start();
  stream.under_load([&] {
    for (const auto& name : names) {
      stream.await_requests(40);
      processes.at(name)->kill();
      stream.await_requests(40);
      start(name);
    }
    stream.await_requests(40);
  });
  const auto done = [&] { return stream.ask(msg::get_queue_statistics{settings.queue}).live == 0; };
  BOOST_TEST(soon(done));
  worker.stop();
}

BOOST_AUTO_TEST_CASE(certificates_are_replaced_and_the_old_ones_revoked_without_a_restart) {
  auto& stream = load_through({endpoint_of("a")});
  stream.under_load([&] {
    for (const auto& name : names) {
      const auto old = replace_certificate(name);
      hang_up({name});
      BOOST_TEST(soon([&] { return link_of(name).at("reloads") >= 1; }));
      issued->certs({"revoke", "--certificate", old});
      hang_up(names);
      stream.await_requests(20);
    }
  });
  // What had been open under a certificate that was revoked meanwhile was cut, by one end or the
  // other, and is there again.
  for (const auto& name : names)
    for (const auto& other : names)
      if (other != name)
        BOOST_TEST(logs(name, {"node_lost", "node=" + other}));
}

BOOST_AUTO_TEST_CASE(a_revoked_node_is_out_of_reach_until_it_has_a_new_certificate) {
  auto& stream = load_through({endpoint_of("a")});
  stream.under_load([&] {
    stream.await_requests(20);
    issued->certs({"revoke", "--name", "c"});
    hang_up(names);
    for (const auto* other : {"a", "b"}) {
      BOOST_TEST(soon([&] { return refused(other, "revoked") >= 1; }));
      BOOST_TEST(soon([&] { return refused_as_revoked(other, "c"); }));
      BOOST_TEST(logs(other, {"node_lost", "node=c"}));
    }
    replace_certificate("c");
    hang_up({"c"});
    stream.await_requests(100); // also those that waited for what c hosts
  });
}

BOOST_AUTO_TEST_CASE(a_node_that_is_not_expected_is_refused_and_counted) {
  auto& stream = load_through(endpoints());
  stream.under_load([&] {
    stream.await_requests(20);
    start("d");
    for (const auto& name : names) {
      BOOST_TEST(soon([&] { return refused(name, "name_not_allowed") >= 1; }));
      BOOST_TEST(logs(name, {"peer_refused", "reason=name_not_allowed", "names=d"}));
    }
    stream.await_requests(20);
    BOOST_TEST(processes.at("d")->stop(30s).value_or(-1) == 0);
    stream.await_requests(20);
  });
}

BOOST_AUTO_TEST_SUITE_END()
