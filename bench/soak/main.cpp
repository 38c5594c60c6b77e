// The soak harness: `./dev soak`. A seed becomes a plan; nodes, a server and their users run while
// the plan goes wrong; then everything is healed, all work must come to its end, and what the users
// were told is compared with what is stored.

#include "bench/shell.hpp"
#include "bench/soak/cluster.hpp"
#include "bench/soak/history_file.hpp"
#include "bench/soak/isolation.hpp"
#include "bench/soak/load.hpp"
#include "bench/soak/nemesis.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/report.hpp"
#include "bench/soak/run_options.hpp"
#include "bench/soak/scorecard.hpp"
#include "bench/soak/total.hpp"
#include "bench/soak/watch.hpp"
#include "client/peer_system.hpp"
#include "persistence/verify.hpp"

#include <caf/actor_system.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
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
/// What the server of the positive control has lost is waited for in vain.
constexpr core::duration deadline_of_control = 3s;
constexpr auto verify_pause = 5s;
constexpr auto sample_pause = 1s;

std::atomic<bool> interrupted{false};

struct nothing_possible {};

/// Verifies the live database again and again beside the load.
class live_verifier {
public:
  explicit live_verifier(const cluster& nodes)
      : conninfo_(nodes.conninfo()), thread_([this] { run(); }) {}
  ~live_verifier() { stop(); }

  /// A last round, and no more afterwards. Called once.
  void finish() {
    stop();
    verify_once();
  }
  /// After `finish`.
  std::vector<std::string> broken() const { return broken_; }
  std::vector<verify_round> rounds() const { return rounds_; }

private:
  void stop() {
    over_ = true;
    if (thread_.joinable())
      thread_.join();
  }

  void verify_once() {
    const auto results = persistence::verify(conninfo_);
    rounds_.push_back({clock::now(), results ? core::errc::none : results.error().code,
                       results ? std::string{} : results.error().detail});
    if (!results)
      return;
    for (const auto& result : *results)
      for (const auto& sample : result.samples)
        broken_.push_back(result.what.invariant + ' ' + result.what.name + ": " + sample);
  }

  void run() {
    while (!over_) {
      verify_once();
      for (auto waited = 0ms; waited < verify_pause && !over_; waited += 50ms)
        std::this_thread::sleep_for(50ms);
    }
  }

  std::string conninfo_;
  std::vector<std::string> broken_;
  std::vector<verify_round> rounds_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

bool is_wanted(const run_options& o, fault_kind kind) {
  return o.faults.empty()
         || std::any_of(o.faults.begin(), o.faults.end(),
                        [&](const std::string& name) { return kind_named(name) == kind; });
}

/// What is wanted and possible here; what is not is noted in `left_out`.
std::vector<fault_kind> possible_kinds(const run_options& o, const obstacles& machine,
                                       std::vector<std::pair<fault_kind, std::string>>& left_out) {
  std::vector<fault_kind> kinds;
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    const auto kind = static_cast<fault_kind>(i);
    if (!is_wanted(o, kind))
      continue;
    if (auto why = obstacle_to(kind, o.nodes, machine); why.empty())
      kinds.push_back(kind);
    else
      left_out.emplace_back(kind, std::move(why));
  }
  return kinds;
}

soak_result run(const run_options& o, own_clock* users_clock) {
  const auto microseconds = [](double seconds) {
    return core::duration{static_cast<std::int64_t>(seconds * 1e6)};
  };
  const auto lease_time = microseconds(o.lease_seconds);
  soak_result result;
  auto machine = leave_the_machine();
  // A copy and the database that it replaces share a disk for a moment.
  const bool copies =
      is_wanted(o, fault_kind::lossy_failover) || is_wanted(o, fault_kind::older_copy);
  const auto disk_bytes = (copies ? 2 : 1)
                          * disk_bytes_for(microseconds(o.minutes * 60), o.load.enqueues_per_second,
                                           o.load.units_per_second);
  if (machine.disk.empty())
    machine.disk = obstacle_to_disks(
        (is_wanted(o, fault_kind::failover) || is_wanted(o, fault_kind::standby_away))
                && machine.network.empty()
            ? 2 * disk_bytes // the standby has one, too
            : disk_bytes);
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
  cluster nodes{{o.program.empty() ? HOLDFAST_BINARY : o.program, o.nodes, lease_time, o.lazy_disk,
                 wants(fault_kind::failover) || wants(fault_kind::standby_away),
                 wants(fault_kind::clock_jump), machine, o.upgrade_from, disk_bytes,
                 wants(fault_kind::join_and_leave),
                 wants(fault_kind::commit_cut) || wants(fault_kind::commit_hang),
                 wants(fault_kind::outage) || wants(fault_kind::disk_full), copies,
                 wants(fault_kind::database_clock), users_clock}};
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  auto load_wanted = o.load;
  if (o.lazy_disk)
    load_wanted.deadline = deadline_of_control;
  load users{system, nodes, load_wanted};
  users.start();
  const watch onlooker{system, nodes};
  result.begun = clock::now();
  auto last_sample = result.begun - sample_pause;
  const auto between = [&] {
    if (clock::now() - last_sample >= sample_pause) {
      last_sample = clock::now();
      result.samples.push_back(onlooker.look());
    }
    return !interrupted;
  };
  {
    live_verifier verifier{nodes};
    result.faults = strike(nodes, result.plan, result.begun, between);
    std::cerr << "healed; waiting for all work to be finished\n";
    const auto healed = clock::now();
    users.stop_producing();
    if (!o.lazy_disk && users.drain(quiet_limit))
      result.quiet_after = std::chrono::duration<double>(clock::now() - healed).count();
    users.stop();
    result.ended = clock::now();
    verifier.finish();
    result.broken_invariants = verifier.broken();
    result.verify_rounds = verifier.rounds();
  }
  result.nodes = {nodes.log_lines("commit_unresolved"), nodes.log_lines("shards_lost"),
                  onlooker.overloaded(), onlooker.stale_writes()};
  if (wants(fault_kind::outage) || wants(fault_kind::disk_full))
    result.sessions_of_nodes = nodes.server().sessions_of_nodes();
  result.clients = users.seen();
  std::vector<lost_commits> losses;
  for (const auto& fault : result.faults)
    if (!fault.loss.empty())
      losses.push_back(fault.loss);
  result.check = check(result.clients, nodes.stored(), losses);
  result.database_mib = nodes.database_mib();
  // The positive control is red, and nobody wonders why.
  if (o.keep || (!o.lazy_disk && !violations(result).empty()))
    nodes.keep_directory();
  return result;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  if (!file.flush())
    throw std::runtime_error{"cannot write " + path};
}

int finish(const run_options& o, const soak_result& result) {
  const auto verdict = verdict_json(result);
  write(o.out + "-verdict.json", verdict);
  write(o.out + "-report.html", report_html(result));
  std::cout << verdict;
  std::cerr << "written: " << o.out << "-verdict.json, " << o.out << "-report.html\n";
  if (!violations(result).empty()) {
    write(o.out + "-history.jsonl", history_lines(result.clients));
    std::cerr << "written: " << o.out << "-history.jsonl\n";
    return exit_red;
  }
  return void_reasons(result).empty() ? exit_green : exit_void;
}

std::string text_of_file(const std::string& name) {
  std::ifstream file{name};
  return {std::istreambuf_iterator<char>{file}, {}};
}

int write_figures(const run_options& o, const bench::results& out) {
  const auto written = out.write(o.out + ".json");
  std::cerr << "written: " << o.out << ".json\n";
  return written && out.missed() == 0 ? exit_green : exit_red;
}

int add_up(const run_options& o) {
  std::vector<verdict_file> verdicts;
  for (const auto& name : o.total)
    verdicts.push_back({name, text_of_file(name)});
  bench::results out{command_of(o)};
  for (auto& figure : total_figures(verdicts, command_of(o)))
    out.add(std::move(figure));
  return write_figures(o, out);
}

/// Each run is a process of its own, because one leaves the machine's namespaces for good.
int run_scorecard(const run_options& o) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  bench::results out{command_of(o)};
  for (const auto& wanted : scorecard_runs()) {
    auto one = o;
    one.scorecard = false;
    one.faults.clear();
    for (const auto kind : wanted.kinds)
      if (is_wanted(o, kind))
        one.faults.emplace_back(name_of(kind));
    if (one.faults.empty() || interrupted)
      continue;
    one.out = o.out + '-' + wanted.name;
    const auto verdict_name = one.out + "-verdict.json";
    std::filesystem::remove(verdict_name); // of an earlier one
    const auto words = command_of(one).substr(std::string_view{"./dev soak"}.size());
    const auto ended = std::system(
        (bench::quoted(self) + words + " --out " + bench::quoted(one.out) + " > /dev/null")
            .c_str());
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == exit_impossible)
      continue;
    const auto verdict = text_of_file(verdict_name);
    if (verdict.empty()) {
      out.add({"scorecard.55." + wanted.name + ".ran", 0, "", command_of(one), bench::at_least(1)});
      continue;
    }
    for (auto& figure : scorecard_figures(wanted, verdict, one.lease_seconds))
      out.add(std::move(figure));
  }
  return write_figures(o, out);
}

} // namespace

int main(int argc, char** argv) {
  run_options o;
  if (const auto status = read_options(argc, argv, o))
    return *status;
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (!o.total.empty())
      return add_up(o);
    if (o.scorecard)
      return run_scorecard(o);
    std::optional<own_clock> users_clock;
    if (is_wanted(o, fault_kind::worker_clock))
      users_clock = own_clock::begin(argv);
    return finish(o, run(o, users_clock ? &*users_clock : nullptr));
  } catch (const nothing_possible&) {
    return exit_impossible;
  } catch (const std::exception& e) {
    std::cerr << "the soak did not run: " << e.what() << '\n';
    return exit_broken;
  }
}
