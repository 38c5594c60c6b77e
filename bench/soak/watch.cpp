#include "bench/soak/watch.hpp"

#include <chrono>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto asking_pause = 2s;

} // namespace

watch::watch(caf::actor_system& system, const cluster& nodes) : nodes_(nodes) {
  client::retry_policy once;
  once.deadline = 1s; // a node that is frozen says nothing, and the others are to be asked
  once.try_timeout = 1s;
  for (std::uint32_t number = 0; number < nodes.size(); ++number)
    connections_.push_back(std::make_unique<client::connection>(
        system, nodes.endpoints(number).front(), once, number));
  thread_ = std::thread{[this] { run(); }};
}

watch::~watch() {
  over_ = true;
  thread_.join();
}

void watch::run() {
  while (!over_) {
    for (const auto& node : connections_) {
      const auto status = node->ask<msg::node_status>(msg::get_node_status{});
      if (!status)
        continue;
      const auto guard = node->ask<msg::guard_status>(msg::get_guard_status{});
      const std::lock_guard lock{mutex_};
      auto& latest = said_[to_string(status->incarnation)];
      latest.actors = static_cast<double>(status->live_units + status->sessions);
      latest.overloaded = status->overloaded;
      if (guard) // a node of the version before does not know the question
        latest.stale_writes = guard->stale_writes;
    }
    for (auto waited = 0ms; waited < asking_pause && !over_; waited += 50ms)
      std::this_thread::sleep_for(50ms);
  }
}

node_sample watch::look() const {
  node_sample sample{clock::now(), {}};
  for (std::uint32_t number = 0; number < nodes_.size(); ++number)
    sample.nodes.push_back(nodes_.reading(number));
  const std::lock_guard lock{mutex_};
  for (auto& node : sample.nodes)
    if (const auto found = node ? said_.find(node->incarnation) : said_.end(); found != said_.end())
      node->actors = found->second.actors;
  return sample;
}

std::uint64_t watch::sum_of(std::uint64_t said::*what) const {
  const std::lock_guard lock{mutex_};
  std::uint64_t all = 0;
  for (const auto& [incarnation, each] : said_)
    all += each.*what;
  return all;
}

std::uint64_t watch::overloaded() const { return sum_of(&said::overloaded); }

std::uint64_t watch::stale_writes() const { return sum_of(&said::stale_writes); }

} // namespace holdfast::soak
