#include "app/demo/peer.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <chrono>

namespace holdfast::app::demo {

namespace {

using namespace std::chrono_literals;

/// A node that is back gets questions from everybody at once; short pauses find it quickly.
client::retry_policy demo_retry() {
  client::retry_policy retry;
  retry.deadline = 60s; // a restart with crash recovery on a slow disk
  retry.backoff_min = 10ms;
  retry.backoff_max = 200ms;
  return retry;
}

} // namespace

demo_peer::demo_peer(std::uint16_t port, std::uint64_t seed)
    : configuration(client::peer_settings{}),
      system(configuration),
      node(system, {"127.0.0.1", port}, demo_retry(), seed),
      ids(seed) {}

demo_peer::~demo_peer() {
  for (const auto& actor : actors)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

} // namespace holdfast::app::demo
