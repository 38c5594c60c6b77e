// Scorecard 46, in small: malformed frames through a live link, by peers with and without a
// certificate. `frame_validator_test` gives the judge alone a million.

#include "tests/link/link_world.hpp"

#include <boost/test/unit_test.hpp>

#include <malloc.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using test::frames;
using test::stream;

namespace {

/// Megabytes by which the heap may differ: what allocators keep for themselves.
constexpr double memory_tolerance = 8;

double heap_megabytes() { return static_cast<double>(mallinfo2().uordblks) / 1e6; }

std::vector<std::string> session() {
  return {frames::greeting_of_dialer(), frames::selection(),
          frames::to_name("SpawnServ"), frames::message(),
          frames::heartbeat(),          frames::message("@<>+@error", 900)};
}

struct fuzzed : test::link_world {
  fuzzed() {
    options.limits.accepts_per_second = 100'000;
    options.limits.greeting_deadline = std::chrono::milliseconds{200};
  }

  /// `rounds` peers with a malformed stream each; `secure` says how one begins.
  template <class Begin>
  void attack(std::size_t rounds, std::uint64_t seed, const Begin& begin) {
    std::mt19937_64 random{seed};
    double after_warm_up = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round == rounds / 4)
        after_warm_up = heap_megabytes();
      auto peer = stream::to(inlet->port());
      begin(peer, test::mutated(session(), random));
      peer.finish();
      BOOST_TEST_REQUIRE(peer.ended());
      while (!behind.empty()) { // the process behind greets and hangs up
        auto inside = behind.accept();
        inside.write(frames::greeting_of_listener());
      }
    }
    BOOST_TEST(eventually([&] { return inlet->counters().open == 0U; }));
    BOOST_TEST(heap_megabytes() - after_warm_up < memory_tolerance);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(live_fuzz, fuzzed)

BOOST_AUTO_TEST_CASE(strangers_send_malformed_bytes_instead_of_a_handshake) {
  open();
  attack(3'000, 1, [](stream& peer, const std::string& bytes) { peer.write(bytes); });
  BOOST_TEST(inlet->counters().established == 0U);
  BOOST_TEST(behind.empty());
  auto fine = talking();
}

BOOST_AUTO_TEST_CASE(proven_peers_send_malformed_frames) {
  open();
  attack(600, 2, [&](stream& peer, const std::string& bytes) {
    if (peer.secure(certs.shown("ana")))
      peer.write(bytes);
  });
  BOOST_TEST(inlet->counters().established > 300U);
  BOOST_TEST(inlet->counters().refused_for(link::refusal::bad_frame) > 100U);
  while (!behind.empty())
    behind.accept();
  auto fine = talking();
}

BOOST_AUTO_TEST_CASE(malformed_frames_on_plain_loopback_are_judged_as_well) {
  options.tls.reset();
  open();
  attack(5'000, 3, [](stream& peer, const std::string& bytes) { peer.write(bytes); });
  BOOST_TEST(inlet->counters().refused_for(link::refusal::bad_frame) > 1'000U);
}

BOOST_AUTO_TEST_SUITE_END()
