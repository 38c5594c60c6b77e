#include "bench/link_fuzz.hpp"

#include "app/data_dir.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "bench/must.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "link/authority.hpp"
#include "messages/work_messages.hpp"
#include "tests/link/frames.hpp"
#include "tests/link/sockets.hpp"

#include <caf/actor_system.hpp>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::bench {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using test::frames;
using test::stream;

constexpr auto start_limit = 60s;
/// Of strangers while their cost is measured; more a node does not take by itself.
constexpr double strangers_per_second = 100;
constexpr auto cost_measured_for = 10s;
constexpr std::uint64_t attackers_at_once = 2;
/// Streams after which the link is asked how many it has refused. After the first of them the
/// allocators have what they keep for themselves.
constexpr std::uint64_t streams_at_once = 1000;
/// Frames of a stream, most of them in order: what is malformed comes somewhere among them.
constexpr std::size_t frames_at_once = 40;

/// A node with TLS and its private database; `ana` may come in.
class fuzzed_node {
public:
  fuzzed_node() : directory_(make_directory()) {
    const auto now = std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
    std::filesystem::create_directory(directory_.path() / "node");
    must(link::make_authority(authority(), "fuzz", link::authority_days, now));
    link::certificate_request request;
    request.directory = authority();
    request.name = "ana";
    must(link::issue_certificate(request, now));
    request.name = "n1";
    request.kind = link::holder::node;
    request.hosts = {"127.0.0.1"};
    must(link::issue_certificate(request, now));
  }

  /// Starts it, again if need be; so many connections a second are taken.
  void start(std::uint32_t accepts_per_second) {
    process_.reset();
    const auto node = of("n1");
    std::vector<std::string> words;
    for (const auto& option :
         {std::string{"node.listen_address=0.0.0.0"}, "link.certificate=" + node.certificate,
          "link.key=" + node.key, "link.ca=" + node.authority, std::string{"link.peers=ana"},
          "link.accepts_per_second=" + std::to_string(accepts_per_second)})
      words.insert(words.end(), {"--set", option});
    process_.emplace(HOLDFAST_BINARY, directory_.path() / "node", words);
    if (const auto started = process_->start(start_limit); !started)
      throw std::runtime_error{started.error().detail + ": " + process_->log_tail()};
  }

  std::uint16_t port() const { return process_->port(); }
  bool lives() { return !process_->ended(); }
  link::credentials of(const std::string& who) const {
    const auto file = authority() + '/' + who;
    return {file + ".crt", file + ".key", authority() + "/ca.crt", {}};
  }

  /// What somebody with a certificate is told of the link, if it serves them.
  std::optional<msg::link_status> status() const {
    client::peer_system configuration{client::peer_settings{}};
    caf::actor_system system{configuration};
    client::retry_policy patience;
    patience.deadline = 10s;
    const client::connection ana{system, {"127.0.0.1", port(), of("ana"), "n1"}, patience, 60};
    auto answered = ana.ask<msg::link_status>(msg::get_link_status{});
    return answered ? std::optional{std::move(*answered)} : std::nullopt;
  }

  double memory_megabytes() const {
    std::ifstream status{process() + "/status"};
    for (std::string line; std::getline(status, line);)
      if (line.rfind("VmRSS:", 0) == 0)
        return std::stod(line.substr(6)) * 1024 / 1e6;
    return 0;
  }

  double cpu_seconds() const {
    std::ifstream file{process() + "/stat"};
    const std::string all{std::istreambuf_iterator<char>{file}, {}};
    std::istringstream fields{all.substr(all.rfind(')') + 1)}; // its name may have spaces
    constexpr int fields_before_times = 11;
    std::string skipped;
    for (int i = 0; i < fields_before_times; ++i)
      fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

private:
  static app::demo::scratch_directory make_directory() {
    auto made = app::demo::scratch_directory::make();
    if (!made)
      throw std::runtime_error{made.error().detail};
    return std::move(*made);
  }

  std::string authority() const { return (directory_.path() / "ca").string(); }
  std::string process() const {
    const auto file = app::read_node_file(directory_.path() / "node");
    if (!file)
      throw std::runtime_error{"the node does not say what its process is"};
    return "/proc/" + std::to_string(file->pid);
  }

  app::demo::scratch_directory directory_;
  std::optional<app::demo::node_process> process_;
};

std::vector<std::string> whole_session() {
  std::vector<std::string> all{frames::greeting_of_dialer(), frames::selection(),
                               frames::to_name("SpawnServ")};
  while (all.size() < frames_at_once)
    all.push_back(all.size() % 3 == 0 ? frames::heartbeat()
                                      : frames::message("@<>+hf1.claim_tasks", 900));
  return all;
}

/// Strangers either send frames as they are, or try TLS without a certificate first.
bool attack_as_stranger(stream& peer, const std::string& bytes, std::uint64_t number) {
  return (number % 2 == 0 || peer.secure({})) && peer.write(bytes);
}

/// One stream, and the node's end of it.
template <class Attack>
void attack_once(fuzzed_node& node, std::mt19937_64& random, std::uint64_t number, Attack& attack) {
  try {
    auto peer = stream::to(node.port());
    attack(peer, test::mutated(whole_session(), random), number);
    peer.finish();
    peer.ended();
  } catch (const std::exception&) {
    if (!node.lives())
      return; // that is counted; else it was merely slow
  }
}

/// How many connections the link has refused or cut for what came from them.
std::uint64_t refused_by(const fuzzed_node& node) {
  const auto status = node.status();
  std::uint64_t sum = 0;
  if (status)
    for (const auto& refusal : status->refusals)
      sum += refusal.connections;
  return sum;
}

/// Attackers side by side, until the link has found so much that is malformed.
template <class Attack>
void attack_with(fuzzed_node& node, const std::string& who, std::uint64_t wanted, results& out,
                 Attack attack) {
  const auto began = clock::now();
  const auto refused_before = refused_by(node);
  std::optional<double> warm;
  std::uint64_t streams = 0;
  std::uint64_t refused = 0;
  while (refused < wanted && node.lives()) {
    std::vector<std::thread> attackers;
    for (std::uint64_t i = 0; i < attackers_at_once; ++i)
      attackers.emplace_back([&, i] {
        std::mt19937_64 random{streams + i};
        for (auto number = i; number < streams_at_once; number += attackers_at_once)
          attack_once(node, random, number, attack);
      });
    for (auto& each : attackers)
      each.join();
    streams += streams_at_once;
    if (!warm)
      warm = node.memory_megabytes();
    if (node.lives())
      refused = refused_by(node) - refused_before;
  }
  const std::chrono::duration<double> took = clock::now() - began;
  const auto name = "robustness.46." + who;
  out.add(name + ".malformed", static_cast<double>(refused), "", at_least(1));
  out.add(name + ".streams", static_cast<double>(streams), "");
  out.add(name + ".streams_per_second", static_cast<double>(streams) / took.count(), "1/s");
  out.add(name + ".crashes", node.lives() ? 0 : 1, "", at_most(0));
  if (!node.lives())
    throw std::runtime_error{"the node did not survive"};
  out.add(name + ".memory_growth", node.memory_megabytes() - warm.value_or(0), "MB", at_most(50));
  out.add(name + ".serves_afterwards", node.status() ? 1 : 0, "", at_least(1));
}

void measure_cost(fuzzed_node& node, results& out) {
  std::mt19937_64 random{61};
  const auto attack = attack_as_stranger;
  const auto began = clock::now();
  const auto cpu_before = node.cpu_seconds();
  std::this_thread::sleep_for(cost_measured_for / 2);
  const auto idle = node.cpu_seconds() - cpu_before;
  const auto idle_for = std::chrono::duration<double>(clock::now() - began).count();
  const auto from = clock::now();
  const auto cpu_from = node.cpu_seconds();
  std::uint64_t strangers = 0;
  for (auto due = from; due < from + cost_measured_for;
       due += std::chrono::duration_cast<clock::duration>(
           std::chrono::duration<double>(1 / strangers_per_second))) {
    std::this_thread::sleep_until(due);
    attack_once(node, random, strangers++, attack);
  }
  const auto took = std::chrono::duration<double>(clock::now() - from).count();
  const auto share = (node.cpu_seconds() - cpu_from) / took - idle / idle_for;
  out.add("robustness.46.strangers.rate_of_cost", static_cast<double>(strangers) / took, "1/s");
  out.add("robustness.46.strangers.cpu", 100 * share, "% of a core", at_most(5));
}

} // namespace

void fuzz_link(std::uint64_t malformed, results& out) {
  fuzzed_node node;
  node.start(static_cast<std::uint32_t>(strangers_per_second));
  measure_cost(node, out);
  constexpr std::uint32_t all_that_come = 100'000;
  node.start(all_that_come);
  attack_with(node, "strangers", malformed, out, attack_as_stranger);
  const auto shown = node.of("ana");
  attack_with(node, "proven_peer", malformed, out,
              [&](stream& peer, const std::string& bytes, std::uint64_t) {
                return peer.secure({shown.certificate, shown.key}) && peer.write(bytes);
              });
}

} // namespace holdfast::bench
