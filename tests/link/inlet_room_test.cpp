// The memory that peers may take in the process behind an inlet.

#include "link/payload_room.hpp"
#include "link/waiting_requests.hpp"
#include "tests/link/link_world.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;
using link::refusal;
using test::frames;
using test::link_world;

BOOST_FIXTURE_TEST_SUITE(room_behind_an_inlet, link_world)

// finding B6: CAF takes memory for a payload when it has read the header
BOOST_AUTO_TEST_CASE(large_payloads_of_all_connections_have_a_bound_and_others_wait) {
  options.limits.payload_bytes_max = options.limits.payload_bytes_per_peer_max = 1'000'000;
  options.limits.room_deadline = 1min;
  open();
  auto [first, behind_first] = talking();
  auto [second, behind_second] = talking();
  const auto large = frames::message("@<>+hf1.enqueue_tasks", 700'000);
  const auto small = frames::message("@<>+hf1.claim_tasks", 60'000);
  constexpr std::size_t beginning = 1000;
  BOOST_TEST(first.write(large.substr(0, beginning)));
  BOOST_TEST((behind_first.read(beginning) == large.substr(0, beginning)));
  BOOST_TEST(second.write(small + large + frames::heartbeat()));
  BOOST_TEST((behind_second.read(small.size()) == small)); // what needs no room goes on
  BOOST_TEST(eventually([&] { return inlet->counters().slowed == 1U; }));
  BOOST_TEST(behind_second.empty()); // not even the header
  BOOST_TEST(logged("peer_slowed address=127.0.0.1 names=ana why=payloads"));
  BOOST_TEST(first.write(large.substr(beginning) + small));
  const auto rest = large.substr(beginning) + small;
  BOOST_TEST((behind_first.read(rest.size()) == rest));
  const auto waited = large + frames::heartbeat();
  BOOST_TEST((behind_second.read(waited.size()) == waited));
  BOOST_TEST(first.write(large + large)); // and again, one behind the other
  BOOST_TEST((behind_first.read(2 * large.size()) == large + large));
  BOOST_TEST(inlet->counters().open == 2U);
}

// finding B6
BOOST_AUTO_TEST_CASE(payload_that_finds_no_room_in_time_costs_the_connection) {
  options.limits.payload_bytes_max = options.limits.payload_bytes_per_peer_max = 1'000'000;
  options.limits.room_deadline = 200ms;
  open();
  const auto large = frames::message("@<>+hf1.enqueue_tasks", 700'000);
  auto [first, behind_first] = talking();
  auto [second, behind_second] = talking();
  BOOST_TEST(first.write(large.substr(0, 1000)));
  BOOST_TEST(behind_first.read(1000).size() == 1000U);
  BOOST_TEST(second.write(large.substr(0, 1000)));
  BOOST_TEST(second.ended());
  BOOST_TEST(refused(refusal::payloads_full));
  BOOST_TEST(behind_second.read(1).empty());
  BOOST_TEST(logged("peer_refused reason=payloads_full address=127.0.0.1 names=ana"));
  first.close(); // what it held is free again
  BOOST_TEST(behind_first.ended());
  auto [third, behind_third] = talking();
  BOOST_TEST(third.write(large));
  BOOST_TEST((behind_third.read(large.size()) == large));
}

// finding B6: a parsed request waits in a mailbox, and CAF's have no bound
BOOST_AUTO_TEST_CASE(requests_without_an_answer_have_a_bound_and_the_next_one_waits) {
  options.limits.waiting_bytes_max = options.limits.waiting_bytes_per_peer_max = 100'000;
  options.limits.room_deadline = 1min;
  open();
  auto [first, behind_first] = talking();
  auto [second, behind_second] = talking();
  const auto request = frames::message("@<>+hf1.claim_tasks", 60'000);
  BOOST_TEST(first.write(request));
  BOOST_TEST((behind_first.read(request.size()) == request));
  BOOST_TEST(second.write(frames::heartbeat() + request)); // of the same peer
  BOOST_TEST((behind_second.read(32) == frames::heartbeat()));
  BOOST_TEST(eventually([&] { return inlet->counters().slowed == 1U; }));
  BOOST_TEST(behind_second.empty());
  BOOST_TEST(logged("peer_slowed address=127.0.0.1 names=ana why=requests"));
  const auto answer = frames::answer();
  BOOST_TEST(behind_first.write(answer));
  BOOST_TEST((first.read(answer.size()) == answer));
  BOOST_TEST((behind_second.read(request.size()) == request));
  BOOST_TEST(inlet->counters().open == 2U);
}

// finding B6
BOOST_AUTO_TEST_CASE(request_that_finds_no_room_in_time_costs_the_connection) {
  options.limits.waiting_bytes_max = options.limits.waiting_bytes_per_peer_max = 100'000;
  options.limits.room_deadline = 200ms;
  open();
  auto [outside, inside] = talking();
  const auto request = frames::message("@<>+hf1.claim_tasks", 60'000);
  BOOST_TEST(outside.write(request + request));
  BOOST_TEST((inside.read(request.size()) == request));
  BOOST_TEST(outside.ended());
  BOOST_TEST(refused(refusal::requests_full));
  BOOST_TEST(inside.read(1).empty());
  BOOST_TEST(logged("peer_refused reason=requests_full address=127.0.0.1 names=ana"));
}

// finding B6
BOOST_AUTO_TEST_CASE(request_that_does_not_end_takes_its_room_with_the_connection) {
  options.limits.waiting_bytes_max = options.limits.waiting_bytes_per_peer_max = 100'000;
  options.limits.room_deadline = 1min;
  open();
  const auto request = frames::message("@<>+hf1.claim_tasks", 60'000);
  {
    auto [outside, inside] = talking();
    BOOST_TEST(outside.write(request.substr(0, 1000)));
    BOOST_TEST((inside.read(1000) == request.substr(0, 1000)));
    outside.close();
    BOOST_TEST(inside.ended());
  }
  auto [outside, inside] = talking();
  BOOST_TEST(outside.write(request));
  BOOST_TEST((inside.read(request.size()) == request));
  BOOST_TEST(inlet->counters().slowed == 0U);
}

// finding B6
BOOST_AUTO_TEST_CASE(room_of_a_request_is_free_when_it_is_answered_or_old) {
  using link::waiting_requests;
  constexpr waiting_requests::clock::time_point begin{1h};
  constexpr std::uint64_t bytes = 1000 - waiting_requests::bytes_of_each;
  waiting_requests all{2000, 2000};
  const auto pass = [&](std::uint64_t number, waiting_requests::clock::time_point now) {
    auto room = all.ask("ana", bytes, now, [] {});
    if (!room->granted())
      return false;
    all.passed({}, {7, number}, now, std::move(room));
    return true;
  };
  BOOST_TEST(pass(1, begin));
  BOOST_TEST(pass(1, begin)); // two of one number are two
  BOOST_TEST(!pass(2, begin));
  all.answered({}, {8, 1}); // of another actor
  BOOST_TEST(!pass(2, begin));
  all.answered({}, {7, 1});
  BOOST_TEST(all.held() == 1000U);
  BOOST_TEST(pass(2, begin + 1s));
  const auto old = begin + waiting_requests::counted_for;
  BOOST_TEST(!pass(3, old - 1ms));
  BOOST_TEST(pass(3, old)); // in the room of the oldest
  BOOST_TEST(!pass(4, old));
}

// finding B6
BOOST_AUTO_TEST_CASE(connection_with_too_much_unread_is_ended_by_its_port_and_named) {
  open();
  auto [outside, inside] = talking();
  auto [other, behind_other] = talking();
  inlet->end_unread(inside.other_port());
  BOOST_TEST(outside.ended());
  BOOST_TEST(inside.ended());
  BOOST_TEST(refused(refusal::unread_full));
  BOOST_TEST(logged("peer_refused reason=unread_full address=127.0.0.1 names=ana"));
  BOOST_TEST(other.write(frames::heartbeat()));
  BOOST_TEST((behind_other.read(32) == frames::heartbeat()));
}

BOOST_AUTO_TEST_CASE(payloads_have_room_in_their_order_and_each_peer_a_part_of_it) {
  link::payload_room room{100, 60};
  std::string granted;
  const auto ask = [&](const std::string& peer, std::uint64_t bytes, char sign) {
    return room.ask(peer, bytes, [&granted, sign] { granted += sign; });
  };
  auto a1 = ask("ana", 50, 'a');
  BOOST_TEST(a1->granted());
  auto a2 = ask("ana", 20, 'b'); // beyond ana's part
  BOOST_TEST(!a2->granted());
  auto b1 = ask("bob", 40, 'c'); // which keeps nobody else waiting
  BOOST_TEST(b1->granted());
  auto c1 = ask("carl", 60, 'd'); // beyond what there is
  auto d1 = ask("dora", 10, 'e'); // there would be room, but carl came first
  BOOST_TEST(!c1->granted());
  BOOST_TEST(!d1->granted());
  BOOST_TEST(room.held() == 90U);
  BOOST_TEST(granted.empty());
  a1.reset();
  BOOST_TEST(granted == "b");
  b1.reset();
  BOOST_TEST(granted == "bde");
  BOOST_TEST(room.held() == 90U);
  auto e1 = ask("eve", 1'000'000, 'f'); // more than a part: it has to be alone
  BOOST_TEST(!e1->granted());
  c1.reset();
  BOOST_TEST(granted == "bdef");
  a2.reset();
  d1.reset();
  e1.reset();
  BOOST_TEST(room.held() == 0U);
  auto given_up = ask("ana", 60, 'g');
  auto waits = ask("ana", 60, 'h');
  auto behind_it = ask("ana", 60, 'i');
  waits.reset(); // while it waits
  given_up.reset();
  BOOST_TEST(granted == "bdefi");
}

BOOST_AUTO_TEST_SUITE_END()
