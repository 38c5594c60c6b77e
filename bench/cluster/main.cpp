// What a cluster costs: the same work on one node and on three of one machine, by connections that
// know all nodes, and what a request pays that another node than the asked one must answer, by one
// that knows a single node and by one that knows all. Nodes are processes of their own, plain on
// loopback, on a server with full durability.

#include "bench/results.hpp"
#include "bench/soak/cluster.hpp"
#include "bench/soak/sql_session.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"

#include <CLI/CLI.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace holdfast;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr int queue_count = 32;
constexpr auto warm_up = 1s;

struct options {
  std::string program = HOLDFAST_BINARY;
  std::string out = "cluster-figures.json";
  int rounds = 5;
  int seconds = 6;
  int callers = 32;
  int busy_callers = 600;
  std::size_t batch = 10;
  int requests = 2000;
};

std::string queue_named(int number) { return "q" + std::to_string(number); }

template <class Answer>
Answer must(core::outcome<Answer> answer) {
  if (!answer)
    throw std::runtime_error{answer.error().detail};
  return std::move(*answer);
}

/// Nodes, and a connection for each of them. Each knows all nodes.
struct running {
  running(const options& o, std::uint32_t size)
      : nodes({o.program, size, 5s, false, false, false, {"not wanted", "not wanted"}}) {
    for (std::uint32_t first = 0; first < size; ++first)
      connections.push_back(std::make_unique<client::connection>(system, nodes.endpoints(first),
                                                                 client::retry_policy{}, first));
    for (int queue = 0; queue < queue_count; ++queue)
      must(connections.front()->ask<msg::queue_view>(msg::put_queue{queue_named(queue), "{}"}));
  }
  ~running() { connections.clear(); }

  soak::cluster nodes;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::vector<std::unique_ptr<client::connection>> connections;
};

core::instant now() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

/// Whole lives of tasks, a batch at a time, until `over`; how many while `counting`.
std::uint64_t live(const client::connection& node, int caller, std::size_t batch,
                   const std::atomic<bool>& counting, const std::atomic<bool>& over) {
  core::uuid_source ids{std::random_device{}() + (static_cast<std::uint64_t>(caller) << 32)};
  const auto queue = queue_named(caller % queue_count);
  const auto worker = "w" + std::to_string(caller);
  std::uint64_t lives = 0;
  while (!over) {
    msg::enqueue_tasks enqueue{queue, {}};
    for (std::size_t i = 0; i < batch; ++i) {
      msg::task_request task;
      task.task = {ids.next(now())};
      task.type = "work";
      task.body = R"({"text": "a body of the size that most bodies have in a queue such as this"})";
      enqueue.tasks.push_back(std::move(task));
    }
    must(node.ask<msg::task_outcomes>(enqueue));
    msg::claim_tasks claim;
    claim.queue = queue;
    claim.worker = worker;
    claim.claim = {ids.next(now())};
    claim.most = static_cast<std::uint32_t>(batch);
    const auto taken = must(node.ask<msg::leased_tasks>(claim));
    msg::complete_tasks complete{queue, worker, {}};
    for (const auto& task : taken.tasks)
      complete.tasks.push_back({{task.task, task.token}, "{}"});
    if (complete.tasks.empty())
      continue;
    must(node.ask<msg::task_outcomes>(complete));
    if (counting)
      lives += complete.tasks.size();
  }
  return lives;
}

/// Decisions in one transaction, over all nodes: each node commits its own.
double decisions_per_commit(running& cluster) {
  std::uint64_t commits = 0;
  std::uint64_t decisions = 0;
  for (std::uint32_t number = 0; number < cluster.nodes.size(); ++number) {
    const client::connection node{cluster.system, cluster.nodes.endpoints(number).front(),
                                  client::retry_policy{}, number};
    const auto status = must(node.ask<msg::node_status>(msg::get_node_status{}));
    commits += status.commits;
    decisions += status.changes;
  }
  return commits == 0 ? 0.0 : static_cast<double>(decisions) / static_cast<double>(commits);
}

struct work_done {
  double lives = 0; ///< A second.
  double decisions_per_commit = 0;
};

work_done measure_lives(const options& o, std::uint32_t size, int caller_count) {
  running cluster{o, size};
  std::atomic<bool> counting{false};
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> lives{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < caller_count; ++caller)
    callers.emplace_back([&, caller] {
      const auto& node = *cluster.connections[static_cast<std::size_t>(caller) % size];
      lives += live(node, caller, o.batch, counting, over);
    });
  std::this_thread::sleep_for(warm_up);
  counting = true;
  const auto begun = steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds{o.seconds});
  counting = false;
  const std::chrono::duration<double> took = steady_clock::now() - begun;
  over = true;
  for (auto& caller : callers)
    caller.join();
  return {static_cast<double>(lives) / took.count(), decisions_per_commit(cluster)};
}

/// One and three in turn, so that both have the machine's moods.
void measure_work(const options& o, const std::string& name, int callers, bench::results& out) {
  std::vector<double> alone;
  std::vector<double> together;
  std::vector<double> ratios;
  std::vector<double> gathered_alone;
  std::vector<double> gathered_together;
  for (int round = 0; round < o.rounds; ++round) {
    const auto one = measure_lives(o, 1, callers);
    const auto three = measure_lives(o, 3, callers);
    alone.push_back(one.lives);
    together.push_back(three.lives);
    gathered_alone.push_back(one.decisions_per_commit);
    gathered_together.push_back(three.decisions_per_commit);
    ratios.push_back(together.back() / alone.back());
    std::cerr << "round " << round + 1 << ": " << alone.back() << " and " << together.back()
              << " lives a second\n";
  }
  out.add(name + ".one_node.lives", bench::quantile(alone, 0.5), "1/s");
  out.add(name + ".three_nodes.lives", bench::quantile(together, 0.5), "1/s");
  out.add(name + ".one_node.decisions_per_commit", bench::quantile(gathered_alone, 0.5), "1");
  out.add(name + ".three_nodes.decisions_per_commit", bench::quantile(gathered_together, 0.5), "1");
  out.add(name + ".three_vs_one", bench::quantile(ratios, 0.5), "x", bench::at_least(0.9));
  out.add(name + ".three_vs_one_least", bench::quantile(ratios, 0), "x");
  out.add(name + ".three_vs_one_most", bench::quantile(ratios, 1), "x");
}

/// A queue that the first node hosts, or one that it does not.
std::string queue_hosted(running& cluster, bool by_first) {
  soak::sql_session session{cluster.nodes.conninfo()};
  const auto first = cluster.nodes.incarnation(0);
  const auto hosts = session.rows("SELECT shard, host FROM holdfast.shard_leases");
  const auto shards = static_cast<std::uint32_t>(hosts.size());
  for (int queue = 0; queue < queue_count; ++queue)
    for (const auto& row : hosts)
      if (row[0] == std::to_string(core::shard_of(core::queue_name{queue_named(queue)}, shards))
          && (row[1] == first) == by_first)
        return queue_named(queue);
  throw std::runtime_error{"no such queue"};
}

/// A request that its host answers from memory, so that nothing but the way differs.
double milliseconds_for(const client::connection& node, const std::string& queue) {
  const auto begun = steady_clock::now();
  must(node.ask<msg::schedule_list>(msg::list_schedules{queue, {}, 1}));
  return std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count();
}

void measure_way(const options& o, bench::results& out) {
  running cluster{o, 3};
  const auto here = queue_hosted(cluster, true);
  const auto there = queue_hosted(cluster, false);
  const client::connection node{cluster.system, cluster.nodes.endpoints(0).front(),
                                client::retry_policy{}, 0};
  const auto& knows_all = *cluster.connections.front();
  for (int i = 0; i < o.requests / 10; ++i) {
    milliseconds_for(node, here);
    milliseconds_for(node, there);
    milliseconds_for(knows_all, there);
  }
  std::vector<double> direct;
  std::vector<double> forwarded;
  std::vector<double> followed;
  for (int i = 0; i < o.requests; ++i) {
    direct.push_back(milliseconds_for(node, here));
    forwarded.push_back(milliseconds_for(node, there));
    followed.push_back(milliseconds_for(knows_all, there));
  }
  for (const auto& [name, share] : {std::pair{"p50", 0.5}, std::pair{"p99", 0.99}}) {
    const auto one = bench::quantile(direct, share);
    const auto two = bench::quantile(forwarded, share);
    out.add(std::string{"cluster.direct_"} + name, one, "ms");
    out.add(std::string{"cluster.forwarded_"} + name, two, "ms");
    out.add(std::string{"cluster.forwarding_adds_"} + name, two - one, "ms",
            share == 0.5 ? std::optional{bench::at_most(1)} : std::nullopt);
    out.add(std::string{"cluster.followed_"} + name, bench::quantile(followed, share), "ms");
  }
}

} // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Measures what a cluster costs: the same work on one node and on three of this\n"
               "machine, and what a request pays that is passed on."};
  app.add_option("--program", o.program, "The binary of the nodes")->check(CLI::ExistingFile);
  app.add_option("--rounds", o.rounds, "Of one node and three, in turn")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--seconds", o.seconds, "Length of a measurement")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  app.add_option("--callers", o.callers, "Callers that work side by side")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--busy-callers", o.busy_callers,
                 "Callers in a second measurement, that keep the machine busy")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--requests", o.requests, "Requests of which the time is taken, each way")
      ->check(CLI::Range(10, 1'000'000))
      ->capture_default_str();
  app.add_option("--out", o.out, "File for the figures")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    bench::results out{"./dev bench-cluster --rounds " + std::to_string(o.rounds) + " --seconds "
                       + std::to_string(o.seconds) + " --callers " + std::to_string(o.callers)
                       + " --busy-callers " + std::to_string(o.busy_callers)};
    measure_way(o, out);
    measure_work(o, "cluster", o.callers, out);
    measure_work(o, "cluster.busy", o.busy_callers, out);
    return out.write(o.out) ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "not measured: " << e.what() << '\n';
    return 1;
  }
}
