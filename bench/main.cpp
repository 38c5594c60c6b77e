#include "bench/code.hpp"
#include "bench/fields.hpp"
#include "bench/link_fuzz.hpp"
#include "bench/must.hpp"
#include "bench/node_under_load.hpp"
#include "bench/peers.hpp"
#include "bench/quality.hpp"
#include "bench/results.hpp"
#include "bench/robustness.hpp"
#include "bench/same_timing.hpp"
#include "bench/seed_sql.hpp"
#include "bench/store_batches.hpp"
#include "bench/task_load.hpp"
#include "bench/task_scale.hpp"
#include "persistence/migrate.hpp"
#include "persistence/private_cluster.hpp"

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

/// jemalloc's, where it is linked.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old_value, std::size_t* old_size,
                                     void* new_value, std::size_t new_size);

namespace holdfast::bench {

namespace {

namespace fs = std::filesystem;

struct options {
  std::size_t units = 100000;
  std::uint32_t slots = 3;
  int seconds = 6;
  std::vector<std::size_t> contributors{1, 16, 64, 1000};
  std::uint64_t finished = 1'000'000;
  std::size_t leases = 10'000;
  std::size_t assignments = 60'000;
  std::size_t races = 20'000;
  std::size_t judgments = 100'000;
  std::uint64_t malformed = 5'000;
  std::size_t poisoned = 40;
  std::uint16_t poisoned_worker = 0; ///< Not 0: this is a worker process of `poison_workers`.
  std::uint16_t hold_tasks = 0;      ///< Not 0: this is the worker process of `kill_a_worker`.
  std::string only;
  std::string out = std::string{HOLDFAST_SOURCE_DIR} + "/bench/results/latest.json";
};

/// A server of our own, and a directory that goes away with it.
class server {
public:
  server() {
    char name[] = "/tmp/holdfast-bench-db-XXXXXX";
    if (mkdtemp(name) == nullptr)
      throw std::runtime_error{"cannot make a directory in /tmp"};
    directory_ = name;
    fs::permissions(directory_,
                    fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    persistence::private_cluster_options cluster;
    cluster.directory = directory_ + "/postgres";
    cluster.shared_buffers = "1GB";
    cluster.max_connections = 100; // pgbench's sessions
    cluster_ = std::make_unique<persistence::private_cluster>(cluster);
    must(cluster_->start());
    const auto migrated = persistence::migrate(conninfo(), persistence::embedded_migrations());
    if (!migrated)
      throw std::runtime_error{migrated.error().detail};
  }
  ~server() {
    cluster_.reset();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  const std::string& conninfo() const { return cluster_->conninfo(); }

private:
  std::string directory_;
  std::unique_ptr<persistence::private_cluster> cluster_;
};

void add_latencies(results& out, const std::string& name, const std::vector<double>& millis) {
  out.add(name + "_p50", quantile(millis, 0.5), "ms");
  out.add(name + "_p99", quantile(millis, 0.99), "ms");
}

/// One step, many contributors: first each asks for one assignment after the other and keeps it,
/// then, on a new step, each asks and submits in turn. Every grant and judgment durable.
void hot_step(const options& o, const server& db, results& out) {
  const std::chrono::milliseconds duration{o.seconds * 1000};
  const std::chrono::milliseconds warm_up{500};
  for (const auto contributors : o.contributors) {
    const auto name = "hot_step." + std::to_string(contributors);
    for (const bool submit : {false, true}) {
      node_under_load node{db.conninfo(), contributors};
      const auto step = node.make_step(o.units, o.slots);
      node.work(step, contributors, warm_up, submit);
      const auto r = node.work(step, contributors, duration, submit);
      const auto per_second = [&](std::uint64_t count) {
        return static_cast<double>(count) / r.seconds;
      };
      const auto kind = name + (submit ? ".cycle" : ".assign");
      out.add(kind + "s", per_second(r.assignments), "1/s");
      if (submit) {
        add_latencies(out, kind + "_ask", r.ask_millis);
        add_latencies(out, kind + "_submit", r.submit_millis);
      } else {
        add_latencies(out, kind, r.ask_millis);
      }
      out.add(kind + "_commits", per_second(r.commits), "1/s");
      out.add(kind + "_changes_per_commit",
              static_cast<double>(r.changes)
                  / static_cast<double>(std::max<std::uint64_t>(r.commits, 1)),
              "");
      if (r.failures > 0)
        out.add(kind + "_failures", static_cast<double>(r.failures), "");
    }
  }
}

/// The same by SQL alone, in the same run on the same server, and how the two compare: assignments
/// with assignments, and cycles of assignment and judgment with such cycles.
void sql_alone(const options& o, const server& db, results& out) {
  for (const auto work : {sql_work::assign, sql_work::cycle}) {
    const std::string kind = work == sql_work::assign ? "assigns" : "cycles";
    double seed = 0;
    double best = 0;
    double best_p99 = 0;
    double seed_p99 = 0;
    for (const auto& variant : sql_variants())
      for (const std::size_t clients : {16u, 64u}) {
        const auto r = run_variant(variant, work, db.conninfo(),
                                   {o.units, o.slots, clients, std::chrono::seconds{o.seconds}});
        const auto name = "sql." + variant.name + '.' + std::to_string(clients) + '.' + kind;
        out.add(name, r.per_second, "1/s");
        out.add(name + "_p50", r.p50_millis, "ms");
        out.add(name + "_p99", r.p99_millis, "ms");
        if (variant.name == "as_written" && clients == 64) {
          seed = r.per_second;
          seed_p99 = r.p99_millis;
        }
        if (r.per_second > best) {
          best = r.per_second;
          best_p99 = r.p99_millis;
        }
      }
    const auto compare = [&](const std::string& figure, const std::string& mine, double theirs) {
      if (const auto value = out.value(mine); value > 0 && theirs > 0)
        out.add(figure, value / theirs, "x");
    };
    if (work == sql_work::assign) {
      compare("hot_step.ratio_vs_seed", "hot_step.64.assigns", seed);
      compare("hot_step.ratio_vs_best_variant", "hot_step.64.assigns", best);
      compare("hot_step.1000.ratio_vs_best_variant", "hot_step.1000.assigns", best);
      compare("hot_step.p99_vs_seed", "hot_step.64.assign_p99", seed_p99);
      compare("hot_step.p99_vs_best_variant", "hot_step.64.assign_p99", best_p99);
      // Stricter than like with like: here Holdfast takes in a judgment for each assignment, too.
      compare("hot_step.ratio_with_judgments_vs_seed", "hot_step.64.cycles", seed);
      compare("hot_step.ratio_with_judgments_vs_best_variant", "hot_step.64.cycles", best);
    } else {
      compare("hot_step.cycle_ratio_vs_seed", "hot_step.64.cycles", seed);
      compare("hot_step.cycle_ratio_vs_best_variant", "hot_step.64.cycles", best);
      compare("hot_step.1000.cycle_ratio_vs_best_variant", "hot_step.1000.cycles", best);
    }
  }
}

/// Workers of `tasks.processed_one_by_one`: as many jobs at once as its peers are given.
constexpr std::size_t workers_waiting = 24;

constexpr core::duration rejoin_max_default = std::chrono::milliseconds{1};

/// Lives on a node of their own, begun before they count.
task_result warm_lives(const server& db, task_load load, core::duration rejoin_max) {
  node_under_load node{db.conninfo(), load.callers + load.queues + load.batch, rejoin_max};
  const auto duration = std::exchange(load.duration, std::chrono::milliseconds{500});
  live_tasks(node, load);
  load.duration = duration;
  return live_tasks(node, load);
}

double per_second(const task_result& r) { return static_cast<double>(r.completed) / r.seconds; }

/// What commits that wait for those just answered are worth: with and without in turn, because a
/// machine changes its pace from one run to the next.
void rejoining(const options& o, const server& db, results& out) {
  constexpr int rounds = 7;
  std::vector<double> with;
  std::vector<double> without;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const auto lives = [&](core::duration rejoin_max) {
      return per_second(
          warm_lives(db, {16, 1, 1, std::chrono::milliseconds{o.seconds * 500}}, rejoin_max));
    };
    with.push_back(lives(rejoin_max_default));
    without.push_back(lives(core::duration::zero()));
    ratios.push_back(with.back() / without.back());
  }
  const std::string name = "tasks.one_by_one.16.";
  out.add(name + "rejoining.lives", quantile(with, 0.5), "1/s");
  out.add(name + "without_rejoining.lives", quantile(without, 0.5), "1/s");
  out.add(name + "rejoining_ratio", quantile(ratios, 0.5), "x");
  out.add(name + "rejoining_ratio_least", quantile(ratios, 0), "x");
  out.add(name + "rejoining_ratio_most", quantile(ratios, 1), "x");
}

/// Tasks one at a time: how soon a worker that waits has one, and how many callers get done who
/// each wait for theirs.
void latency(const options& o, const server& db, results& out) {
  node_under_load node{db.conninfo(), 9};
  start_tasks(node, 100, std::chrono::milliseconds{1000});
  const auto started = start_tasks(node, 100, std::chrono::milliseconds{o.seconds * 1000});
  out.add("tasks.start_at_100.p50", quantile(started.start_millis, 0.5), "ms", at_most(1));
  out.add("tasks.start_at_100.p99", quantile(started.start_millis, 0.99), "ms", at_most(5));
  out.add("tasks.start_at_100.cpu", 100 * started.cpu_seconds / started.seconds, "% of a core",
          at_most(5));
  processed_tasks(node, 16, workers_waiting, std::chrono::milliseconds{500});
  const auto processed =
      processed_tasks(node, 16, workers_waiting, std::chrono::milliseconds{o.seconds * 1000});
  out.add("tasks.processed_one_by_one.16.lives", per_second(processed), "1/s");
  add_latencies(out, "tasks.processed_one_by_one.16.life", processed.life_millis);
}

/// Whole lives of tasks, beside the textbook's queue in SQL on the same server: in turn, because a
/// machine changes its pace from one run to the next.
void tasks(const options& o, const server& db, results& out) {
  const auto lived = [&](task_load load) {
    load.duration = std::chrono::seconds{o.seconds};
    return warm_lives(db, load, rejoin_max_default);
  };
  const auto add = [&](const std::string& name, const task_result& r) {
    out.add(name + ".lives", per_second(r), "1/s");
    add_latencies(out, name + ".life", r.life_millis);
    out.add(name + ".commits", static_cast<double>(r.commits) / r.seconds, "1/s");
    if (r.failures > 0)
      out.add(name + ".failures", static_cast<double>(r.failures), "");
  };
  add("tasks.one_by_one.256", lived({256, 1, 1, {}}));
  add("tasks.batch_100.16", lived({16, 1, 100, {}}));

  constexpr int rounds = 3;
  std::vector<pgbench_result> textbook;
  std::vector<task_result> best;
  std::vector<task_result> one_by_one;
  std::vector<double> ratios;
  std::vector<double> ratios_one_by_one;
  for (int round = 0; round < rounds; ++round) {
    textbook.push_back(skip_locked(db.conninfo(), 16, std::chrono::seconds{o.seconds}));
    best.push_back(lived({8, 4, 1000, {}}));
    one_by_one.push_back(lived({16, 1, 1, {}}));
    ratios.push_back(per_second(best.back()) / textbook.back().per_second);
    ratios_one_by_one.push_back(per_second(one_by_one.back()) / textbook.back().per_second);
  }
  const auto median_of = [](auto& runs, auto pace) {
    std::sort(runs.begin(), runs.end(),
              [&](const auto& a, const auto& b) { return pace(a) < pace(b); });
    return runs.at(runs.size() / 2);
  };
  add("tasks.batch_1000.8.four_queues", median_of(best, per_second));
  add("tasks.one_by_one.16", median_of(one_by_one, per_second));
  const auto theirs = median_of(textbook, [](const auto& r) { return r.per_second; });
  out.add("sql.skip_locked.16.lives", theirs.per_second, "1/s");
  out.add("sql.skip_locked.16.life_p50", theirs.p50_millis, "ms");
  out.add("sql.skip_locked.16.life_p99", theirs.p99_millis, "ms");
  out.add("tasks.ratio_vs_skip_locked", quantile(ratios, 0.5), "x", at_least(10));
  out.add("tasks.one_by_one_vs_skip_locked", quantile(ratios_one_by_one, 0.5), "x");
  add("tasks.batch_1000.8", lived({8, 1, 1000, {}}));
  latency(o, db, out);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/// Bytes that the process has allocated and not freed, by the allocator's own count.
double allocated_bytes() {
  if (mallctl == nullptr)
    return 0; // a sanitizer's allocator
  std::uint64_t epoch = 1;
  std::size_t size = sizeof epoch;
  mallctl("epoch", &epoch, &size, &epoch, size); // the counts are of the last epoch
  std::size_t bytes = 0;
  size = sizeof bytes;
  mallctl("stats.allocated", &bytes, &size, nullptr, 0);
  return static_cast<double>(bytes);
}

/// What a node costs that does nothing, and what a unit costs in memory.
void idle_cost(const options& o, const server& db, results& out) {
  const std::size_t units = std::min<std::size_t>(o.units, 20000);
  std::vector<msg::release_assignment> held;
  {
    node_under_load node{db.conninfo(), 5};
    const auto empty = allocated_bytes();
    const auto step = node.make_step(units, 1);
    out.add("memory.open_unit_in_ready_set",
            (allocated_bytes() - empty) / static_cast<double>(units), "bytes");
    held = node.work(step, 64, std::chrono::seconds{60}, false).held;
  }
  // A node that starts with every unit leased out and none in memory: whoever is touched comes in.
  node_under_load node{db.conninfo(), 6};
  const auto warm_up = held.begin() + static_cast<std::ptrdiff_t>(held.size() / 20);
  node.touch({held.begin(), warm_up});
  const auto before = allocated_bytes();
  node.touch({warm_up, held.end()});
  out.add("memory.live_unit_actor",
          (allocated_bytes() - before) / static_cast<double>(held.end() - warm_up), "bytes");
  std::this_thread::sleep_for(std::chrono::seconds{1}); // the relay writes its cursors
  const auto cpu_before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds{o.seconds});
  out.add("idle.cpu", 100 * (cpu_seconds() - cpu_before) / o.seconds, "% of a core");
}

/// Each on a server of its own: what is stored is verified, and nobody is to wait for what another
/// part has left behind.
void robustness(const options& o, const std::function<bool(const char*)>& wanted, results& out) {
  const auto measure = [&](const char* part, const auto& measured) {
    if (!wanted(part))
      return;
    const server db;
    measured(db.conninfo());
  };
  using conninfo = const std::string&;
  measure("robustness.leases", [&](conninfo db) { expire_at_once(db, o.leases, out); });
  measure("robustness.assignments",
          [&](conninfo db) { assign_concurrently(db, o.assignments, out); });
  measure("robustness.races", [&](conninfo db) { race_expiry(db, o.races, out); });
  measure("robustness.verify", [&](conninfo db) { verify_judgments(db, o.judgments, out); });
  measure("robustness.batches", [&](conninfo db) { spoil_batches(db, 100, out); });
  measure("robustness.poison", [&](conninfo db) { poison_workers(db, o.poisoned, out); });
  if (wanted("robustness.link"))
    fuzz_link(o.malformed, out);
}

int run(int argc, char** argv) {
  options o;
  CLI::App app{
      "Measures a Holdfast node on a private PostgreSQL server, side by side with SQL alone."};
  app.add_option("--units", o.units, "Units on the hot step")->capture_default_str();
  app.add_option("--slots", o.slots, "Judgments per unit")->capture_default_str();
  app.add_option("--seconds", o.seconds, "Seconds for each measurement")
      ->capture_default_str()
      ->check(CLI::Range(1, 600));
  app.add_option("--contributors", o.contributors,
                 "Contributors at once on the hot step, one round each");
  app.add_option("--finished", o.finished,
                 "Finished tasks that are stored, beside which others live")
      ->capture_default_str();
  app.add_option("--leases", o.leases, "Leases that expire at once, of tasks and of units")
      ->capture_default_str();
  app.add_option("--assignments", o.assignments, "Assignments to a few contributors at once")
      ->capture_default_str();
  app.add_option("--races", o.races, "Judgments that are handed in when their lease ends")
      ->capture_default_str();
  app.add_option("--judgments", o.judgments, "Judgments beside which is verified")
      ->capture_default_str();
  app.add_option("--malformed", o.malformed,
                 "Streams with something malformed against a link, by strangers and by a peer each")
      ->capture_default_str();
  app.add_option("--poisoned", o.poisoned, "Tasks that end the process which does them")
      ->capture_default_str();
  app.add_option("--poisoned-worker", o.poisoned_worker)->group(""); // hidden
  app.add_option("--hold-tasks", o.hold_tasks)->group("");           // hidden
  app.add_option("--only", o.only, "One part of all")
      ->check(CLI::IsMember({"code",
                             "quality",
                             "fields",
                             "hot_step",
                             "sql",
                             "tasks",
                             "rejoining",
                             "latency",
                             "peers",
                             "scale",
                             "sustained",
                             "writer",
                             "timing",
                             "idle",
                             "robustness",
                             "robustness.leases",
                             "robustness.assignments",
                             "robustness.races",
                             "robustness.verify",
                             "robustness.batches",
                             "robustness.poison",
                             "robustness.link"}));
  app.add_option("--out", o.out, "Where the figures go, as JSON")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (o.hold_tasks != 0)
    hold_tasks(o.hold_tasks);
  if (o.poisoned_worker != 0)
    work_until_poisoned(o.poisoned_worker);
  std::string command = "./dev bench";
  for (int i = 1; i < argc; ++i)
    command += std::string{" "} + argv[i];
  results out{command};
  const auto wanted = [&](const char* part) { return o.only.empty() || o.only == part; };
  if (wanted("code"))
    measure_code(out);
  if (wanted("quality"))
    measure_quality(out);
  if (wanted("fields"))
    measure_fields(out);
  if (wanted("hot_step") || wanted("sql")) {
    const server db;
    if (wanted("hot_step"))
      hot_step(o, db, out);
    if (wanted("sql"))
      sql_alone(o, db, out);
  }
  if (wanted("tasks") || wanted("peers")) {
    const server db;
    tasks(o, db, out);
  }
  if (wanted("peers")) {
    const server graphile_worker;
    const server pg_boss;
    measure_peers(graphile_worker.conninfo(), pg_boss.conninfo(), o.seconds, out);
  }
  if (wanted("rejoining")) {
    const server db;
    rejoining(o, db, out);
  }
  if (o.only == "latency") { // else it is a part of `tasks`
    const server db;
    latency(o, db, out);
  }
  if (wanted("scale")) {
    const server db;
    extend_many(db.conninfo(), 100'000, out);
    kill_a_worker(db.conninfo(), out);
    const server empty;
    const server full;
    live_beside_finished(empty.conninfo(), full.conninfo(), o.finished, o.seconds, out);
  }
  if (wanted("sustained")) {
    const server db;
    live_for_long(db.conninfo(), out);
  }
  if (wanted("writer")) {
    const server db;
    store_batches(db.conninfo(), o.seconds, out);
  }
  if (wanted("timing")) {
    const server db;
    same_timing(db.conninfo(), o.seconds, out);
  }
  if (wanted("idle")) {
    const server db;
    idle_cost(o, db, out);
  }
  robustness(
      o, [&](const char* part) { return wanted(part) || o.only == "robustness"; }, out);
  return out.write(o.out) ? 0 : 1;
}

} // namespace

} // namespace holdfast::bench

int main(int argc, char** argv) {
  try {
    return holdfast::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "the benchmark ended early: " << e.what() << '\n';
    return 1;
  }
}
