#include "bench/task_scale.hpp"

#include "bench/child.hpp"
#include "bench/shell.hpp"
#include "bench/task_load.hpp"
#include "bench/task_requests.hpp"
#include "client/connection.hpp"

#include <caf/io/middleman.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <thread>

namespace holdfast::bench {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint32_t at_once = 1000; ///< Tasks in a request.
const core::queue_name extended = "extended";
const core::queue_name killed = "killed"; ///< Its worker is.

double millis_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

void enqueue_many(node_under_load& node, const core::queue_name& queue, std::size_t tasks) {
  core::uuid_source ids{static_cast<std::uint64_t>(core::to_micros(wall_now()))};
  while (tasks > 0) {
    const auto some = std::min<std::size_t>(tasks, at_once);
    msg::enqueue_tasks request{queue, {}};
    for (std::size_t i = 0; i < some; ++i)
      request.tasks.push_back(new_task(ids));
    call<msg::task_outcomes>(node, std::move(request));
    tasks -= some;
  }
}

msg::claim_tasks claim_of(const core::queue_name& queue, const core::worker_id& worker,
                          core::uuid_source& ids, bool tied) {
  msg::claim_tasks claim;
  claim.queue = queue;
  claim.worker = worker;
  claim.claim = {ids.next(wall_now())};
  claim.most = at_once;
  claim.wait = std::chrono::seconds{30};
  claim.tied = tied;
  return claim;
}

/// Everything that `worker` has been granted, as it extends it.
msg::extend_tasks claim_all(node_under_load& node, const core::worker_id& worker,
                            core::uuid_source& ids) {
  const auto leased = call<msg::leased_tasks>(node, claim_of(extended, worker, ids, false));
  msg::extend_tasks held{extended, worker, {}};
  for (const auto& task : leased.tasks)
    held.tasks.push_back({task.task, task.token});
  return held;
}

std::uint64_t commits_of(node_under_load& node) {
  return call<msg::node_status>(node, msg::get_node_status{}).commits;
}

} // namespace

void extend_many(const std::string& conninfo, std::size_t tasks, results& out) {
  constexpr std::chrono::seconds ttl{15};
  constexpr auto duration = 2 * ttl + ttl / 3;
  node_under_load node{conninfo, 21};
  call<msg::queue_view>(node, msg::put_queue{extended, R"({"lease":{"ttl_seconds":15}})"});
  enqueue_many(node, extended, tasks);
  core::uuid_source ids{22};
  std::vector<msg::extend_tasks> held;
  for (std::size_t i = 0; i * at_once < tasks; ++i)
    held.push_back(claim_all(node, "worker-" + std::to_string(i), ids));
  // Each worker every ttl / 3, one after the other.
  const auto pause =
      std::chrono::duration_cast<clock::duration>(ttl) / 3 / static_cast<int>(held.size());
  caf::scoped_actor worker{node.system()};
  std::size_t answers = 0;
  std::size_t refused = 0;
  const auto before = commits_of(node);
  const auto start = clock::now();
  std::size_t asked = 0;
  for (auto next = start; next < start + duration; next += pause) {
    std::this_thread::sleep_until(next);
    worker->send(node.gateway(), held[asked++ % held.size()]);
  }
  const auto elapsed = millis_since(start) / 1000;
  const auto commits = static_cast<double>(commits_of(node) - before);
  while (answers < asked)
    worker->receive(
        [&](const msg::task_outcomes& answer) {
          ++answers;
          refused += static_cast<std::size_t>(
              std::count_if(answer.outcomes.begin(), answer.outcomes.end(),
                            [](const auto& o) { return o.refusal != core::errc::none; }));
        },
        [&](const caf::error&) {
          ++answers;
          refused += at_once;
        });
  std::size_t completed = 0;
  for (const auto& leases : held) {
    msg::complete_tasks done{extended, leases.worker, {}};
    for (const auto& task : leases.tasks)
      done.tasks.push_back({task, "{}"});
    const auto answer = call<msg::task_outcomes>(node, std::move(done));
    completed += static_cast<std::size_t>(
        std::count_if(answer.outcomes.begin(), answer.outcomes.end(),
                      [](const auto& o) { return o.refusal == core::errc::none; }));
  }
  out.add("tasks.extend_100000.commits", commits / elapsed, "1/s", at_most(1));
  out.add("tasks.extend_100000.extensions",
          static_cast<double>(asked * at_once - refused) / elapsed, "1/s");
  out.add("tasks.extend_100000.refused", static_cast<double>(refused), "", at_most(0));
  out.add("tasks.extend_100000.completed", static_cast<double>(completed), "",
          at_least(static_cast<double>(tasks)));
}

void kill_a_worker(const std::string& conninfo, results& out) {
  node_under_load node{conninfo, 31};
  call<msg::queue_view>(node, msg::put_queue{killed, "{}"});
  core::uuid_source ids{32};
  const auto port = node.system().middleman().publish(node.gateway(), 0, "127.0.0.1", true);
  if (!port)
    throw std::runtime_error{"cannot publish the gateway"};
  enqueue_many(node, killed, at_once);
  child worker{{"holdfast_bench", "--hold-tasks", std::to_string(*port)}};
  if (!worker.printed_line())
    throw std::runtime_error{"the worker process ended early"};
  msg::complete_tasks inherited{killed, "heir", {}};
  worker.die();
  const auto died = clock::now();
  while (inherited.tasks.size() < at_once)
    for (const auto& task :
         call<msg::leased_tasks>(node, claim_of(killed, inherited.worker, ids, false)).tasks)
      inherited.tasks.push_back({{task.task, task.token}, "{}"});
  out.add("tasks.worker_killed.1000_owned_again", millis_since(died), "ms", at_most(1000));
  call<msg::task_outcomes>(node, std::move(inherited));
  const auto stored = call<msg::queue_statistics>(node, msg::get_queue_statistics{killed});
  out.add("tasks.worker_killed.completed", static_cast<double>(stored.completed), "",
          at_least(at_once));
  out.add("tasks.worker_killed.left", static_cast<double>(stored.live), "", at_most(0));
}

void live_beside_finished(const std::string& empty, const std::string& full, std::uint64_t stored,
                          int seconds, results& out) {
  // Ids in order of time, as real ones. What a transaction writes into a table that it has emptied
  // itself needs no log, only a sync at its end.
  const auto began = clock::now();
  const auto ran = run_shell("psql -X -q -v ON_ERROR_STOP=1 " + quoted(full) + " -c " + quoted(R"(
    BEGIN;
    TRUNCATE holdfast.finished_tasks;
    INSERT INTO holdfast.finished_tasks
    SELECT (lpad(to_hex(1600000000000 + i), 12, '0') || '70008000000000000000')::uuid,
           at, at, at, at, at, 1, '00000000-0000-7000-8000-000000000001', at, at + interval '1 min',
           0, 0, 0, 100, 0, 1, false, 'bench-0', 'bench', '1.0', 'new', '', '', NULL, '', '', '',
           '', 'worker', '', '', '{}', '{}',
           '{"text":"the quick brown fox jumps over the lazy dog and then it sleeps","number":1}',
           '{}'
      FROM generate_series(1, )" + std::to_string(stored) + R"() i,
           LATERAL (SELECT timestamptz '2020-09-13' + i * interval '1 ms') t(at);
    COMMIT)") + " -c " + quoted("ANALYZE holdfast.finished_tasks")
                             + " -c CHECKPOINT");
  if (ran.status != 0)
    throw std::runtime_error{"psql: " + ran.output};
  out.add("tasks.beside_finished.stored", static_cast<double>(stored), "tasks");
  out.add("tasks.beside_finished.filled_in", millis_since(began) / 1000, "s");
  const task_load load{8, 1, at_once, std::chrono::seconds{seconds}};
  const auto lives = [&](const std::string& conninfo) {
    node_under_load node{conninfo, 41};
    auto warm_up = load;
    warm_up.duration = std::chrono::milliseconds{500};
    live_tasks(node, warm_up);
    const auto lived = live_tasks(node, load);
    return static_cast<double>(lived.completed) / lived.seconds;
  };
  // In turn, because a machine may change its pace.
  constexpr int rounds = 3;
  double alone = 0;
  double beside = 0;
  for (int i = 0; i < rounds; ++i) {
    alone += lives(empty) / rounds;
    beside += lives(full) / rounds;
  }
  out.add("tasks.beside_finished.empty.lives", alone, "1/s");
  out.add("tasks.beside_finished.lives", beside, "1/s");
  out.add("tasks.beside_finished.ratio", beside / alone, "x", at_least(0.9));
}

void live_for_long(const std::string& conninfo, results& out) {
  constexpr std::size_t slices = 20;
  constexpr std::size_t compared = 5; // of those, at either end
  node_under_load node{conninfo, 42};
  std::vector<double> paces;
  for (std::size_t i = 0; i < slices; ++i) {
    const auto lived = live_tasks(node, {8, 4, at_once, std::chrono::seconds{5}});
    paces.push_back(static_cast<double>(lived.completed) / lived.seconds);
  }
  const auto mean = [](auto first, auto last) {
    return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
  };
  out.add("tasks.sustained.lives", mean(paces.begin(), paces.end()), "1/s");
  out.add("tasks.sustained.last_vs_first",
          mean(paces.end() - compared, paces.end()) / mean(paces.begin(), paces.begin() + compared),
          "x", at_least(0.9));
  const auto size = run_shell("psql -X -q -A -t -v ON_ERROR_STOP=1 " + quoted(conninfo) + " -c "
                              + quoted("SELECT pg_total_relation_size('holdfast.tasks')"
                                       " + pg_total_relation_size('holdfast.task_leases')"));
  if (size.status != 0)
    throw std::runtime_error{"psql: " + size.output};
  out.add("tasks.sustained.live_tables", std::stod(size.output) / 1e6, "MB");
}

void hold_tasks(std::uint16_t port) {
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  const client::connection node{system, {"127.0.0.1", port}, {}, 33};
  core::uuid_source ids{34};
  std::size_t held = 0;
  while (held < at_once) {
    const auto leased = node.ask<msg::leased_tasks>(claim_of(killed, "to-be-killed", ids, true));
    if (!leased)
      std::_Exit(1);
    held += leased->tasks.size();
  }
  std::cout << "holding" << std::endl;
  for (;;)
    pause();
}

} // namespace holdfast::bench
