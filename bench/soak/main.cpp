// The soak harness: `./dev soak`. A seed becomes a plan; nodes, a server and their users run while
// the plan goes wrong; then everything is healed, all work must come to its end, and what the users
// were told is compared with what is stored.

#include "bench/soak/cluster.hpp"
#include "bench/soak/isolation.hpp"
#include "bench/soak/load.hpp"
#include "bench/soak/nemesis.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/report.hpp"
#include "client/peer_system.hpp"
#include "persistence/verify.hpp"

#include <CLI/CLI.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

namespace {

using namespace holdfast;
using namespace holdfast::soak;
using namespace std::chrono_literals;

constexpr int exit_green = 0;
constexpr int exit_red = 1;
constexpr int exit_void = 2;
constexpr int exit_broken = 3;
/// Of all faults that are wanted none is possible here.
constexpr int exit_impossible = 4;

/// After everything has been healed.
constexpr core::duration quiet_limit = 3min;
constexpr auto verify_pause = 5s;
constexpr auto memory_pause = 1s;

std::atomic<bool> interrupted{false};

struct options {
  std::uint64_t seed = 0;
  double minutes = 10;
  std::uint32_t nodes = 3;
  double lease_seconds = 2;
  bool lazy_disk = false;
  bool keep = false;
  std::vector<std::string> faults; ///< Names; none: all.
  load_options load;
  std::string program = HOLDFAST_BINARY;
  std::string upgrade_from; ///< Empty: there is one version only.
  std::string out = "soak";
};

struct nothing_possible {};

/// Verifies the live database again and again beside the load.
class live_verifier {
public:
  explicit live_verifier(const cluster& nodes)
      : thread_([this, conninfo = nodes.conninfo()] { run(conninfo); }) {}
  ~live_verifier() {
    over_ = true;
    thread_.join();
  }

  /// One round, now. Its findings are in `broken`.
  void verify_once(const std::string& conninfo) {
    const auto results = persistence::verify(conninfo);
    if (!results)
      return; // the server is away
    const std::lock_guard lock{mutex_};
    ++rounds_;
    for (const auto& result : *results)
      for (const auto& sample : result.samples)
        broken_.push_back(result.what.invariant + ' ' + result.what.name + ": " + sample);
  }
  std::vector<std::string> broken() const {
    const std::lock_guard lock{mutex_};
    return broken_;
  }
  std::uint32_t rounds() const {
    const std::lock_guard lock{mutex_};
    return rounds_;
  }

private:
  void run(const std::string& conninfo) {
    while (!over_) {
      verify_once(conninfo);
      for (auto waited = 0ms; waited < verify_pause && !over_; waited += 50ms)
        std::this_thread::sleep_for(50ms);
    }
  }

  mutable std::mutex mutex_;
  std::atomic<bool> over_{false};
  std::vector<std::string> broken_;
  std::uint32_t rounds_ = 0;
  std::thread thread_;
};

std::string command_of(const options& o) {
  std::string command = "./dev soak --seed " + std::to_string(o.seed) + " --minutes "
                        + std::to_string(o.minutes).substr(0, 5) + " --nodes "
                        + std::to_string(o.nodes);
  for (std::size_t i = 0; i < o.faults.size(); ++i)
    command += (i == 0 ? " --faults " : ",") + o.faults[i];
  if (!o.upgrade_from.empty())
    command += " --upgrade-from " + o.upgrade_from;
  return o.lazy_disk ? command + " --lazy-disk" : command;
}

/// What is wanted and possible here; what is not is noted in `left_out`.
std::vector<fault_kind> possible_kinds(const options& o, const obstacles& machine,
                                       std::vector<std::pair<fault_kind, std::string>>& left_out) {
  std::vector<fault_kind> kinds;
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    const auto kind = static_cast<fault_kind>(i);
    if (!o.faults.empty()
        && std::none_of(o.faults.begin(), o.faults.end(),
                        [&](const std::string& name) { return kind_named(name) == kind; }))
      continue;
    if (auto why = obstacle_to(kind, o.nodes, machine); why.empty())
      kinds.push_back(kind);
    else
      left_out.emplace_back(kind, std::move(why));
  }
  return kinds;
}

/// Words such as `kill,one-way-partition`.
std::string problem_with_fault(const std::string& name) {
  if (kind_named(name))
    return {};
  std::string known;
  for (const auto one : fault_names)
    known += (known.empty() ? "" : ", ") + std::string{one};
  return "no such fault; there are " + known;
}

soak_result run(const options& o) {
  const auto microseconds = [](double seconds) {
    return core::duration{static_cast<std::int64_t>(seconds * 1e6)};
  };
  const auto lease_time = microseconds(o.lease_seconds);
  soak_result result;
  const auto machine = leave_the_machine();
  result.plan = draw_plan({o.seed, o.nodes, microseconds(o.minutes * 60), lease_time,
                           possible_kinds(o, machine, result.left_out)});
  result.command = command_of(o);
  for (const auto& [kind, why] : result.left_out)
    std::cerr << "no " << name_of(kind) << " here: " << why << '\n';
  if (result.plan.request.kinds.empty())
    throw nothing_possible{};
  std::cerr << "seed " << o.seed << ": " << result.plan.faults.size() << " faults in " << o.minutes
            << " minutes\n";

  result.two_versions = !o.upgrade_from.empty();
  const auto& kinds = result.plan.request.kinds;
  const auto wants = [&](fault_kind kind) {
    return std::count(kinds.begin(), kinds.end(), kind) != 0;
  };
  cluster nodes{{o.program, o.nodes, lease_time, o.lazy_disk, wants(fault_kind::failover),
                 wants(fault_kind::clock_jump), machine, o.upgrade_from}};
  if (o.keep)
    nodes.keep_directory();
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  load users{system, nodes, o.load};
  users.start();
  result.begun = clock::now();
  auto last_sample = result.begun - memory_pause;
  const auto between = [&] {
    if (clock::now() - last_sample >= memory_pause) {
      last_sample = clock::now();
      memory_sample sample{last_sample, {}};
      for (std::uint32_t i = 0; i < nodes.size(); ++i)
        sample.nodes.push_back(nodes.memory(i));
      result.memory.push_back(std::move(sample));
    }
    return !interrupted;
  };
  {
    live_verifier verifier{nodes};
    result.faults = strike(nodes, result.plan, result.begun, between);
    std::cerr << "healed; waiting for all work to be finished\n";
    users.stop_producing();
    result.quiet = users.drain(quiet_limit);
    users.stop();
    result.ended = clock::now();
    verifier.verify_once(nodes.conninfo());
    result.broken_invariants = verifier.broken();
    result.verified = verifier.rounds();
  }
  result.clients = users.seen();
  result.check = check(result.clients, nodes.stored());
  return result;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  if (!file.flush())
    throw std::runtime_error{"cannot write " + path};
}

int finish(const options& o, const soak_result& result) {
  const auto verdict = verdict_json(result);
  write(o.out + "-verdict.json", verdict);
  write(o.out + "-report.html", report_html(result));
  std::cout << verdict;
  std::cerr << "written: " << o.out << "-verdict.json, " << o.out << "-report.html\n";
  if (!violations(result).empty())
    return exit_red;
  return void_reasons(result).empty() ? exit_green : exit_void;
}

} // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{
      "Runs a Holdfast cluster under load while nodes and server are killed, frozen, cut off and\n"
      "restarted, and proves that nothing acknowledged was lost or doubled.\n"
      "Exit status: 0 green, 1 red, 2 void (something planned never struck), 3 it did not run,\n"
      "4 nothing of what it should meet is possible on this machine."};
  app.add_option("--seed", o.seed, "Of the plan; random when not given");
  app.add_option("--minutes", o.minutes, "Length of the load")
      ->check(CLI::Range(0.5, 60.0 * 24))
      ->capture_default_str();
  app.add_option("--nodes", o.nodes, "Nodes of the cluster")
      ->check(CLI::Range(1, 9))
      ->capture_default_str();
  app.add_option("--lease", o.lease_seconds, "Seconds that a silent node keeps its shards")
      ->check(CLI::Range(0.5, 60.0))
      ->capture_default_str();
  app.add_option("--rate", o.load.enqueues_per_second, "Requests with tasks a second")
      ->check(CLI::Range(1.0, 10000.0))
      ->capture_default_str();
  app.add_option("--units", o.load.units_per_second, "Units a second")
      ->check(CLI::Range(0.1, 10000.0))
      ->capture_default_str();
  app.add_option("--faults", o.faults, "Only these, e.g. kill,one-way-partition")
      ->delimiter(',')
      ->check(problem_with_fault);
  app.add_option("--program", o.program, "The binary of the nodes")->check(CLI::ExistingFile);
  app.add_option("--upgrade-from", o.upgrade_from,
                 "The binary of the version before: nodes start with it, the first rolling restart "
                 "brings up the other one, the next goes back, and so on")
      ->check(CLI::ExistingFile);
  app.add_option("--out", o.out, "Beginning of the names of verdict and report")
      ->capture_default_str();
  app.add_flag("--lazy-disk", o.lazy_disk,
               "Positive control: the server acknowledges before it has written. Must be red");
  app.add_flag("--keep", o.keep, "Keep the directory with the logs");
  CLI11_PARSE(app, argc, argv);
  if (app.count("--seed") == 0)
    o.seed = std::random_device{}() % 1'000'000;
  o.load.seed = o.seed;
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return finish(o, run(o));
  } catch (const nothing_possible&) {
    return exit_impossible;
  } catch (const std::exception& e) {
    std::cerr << "the soak did not run: " << e.what() << '\n';
    return exit_broken;
  }
}
