// A node with certificates bounds in bytes what waits in it for a peer: requests and answers.

#include "messages/task_messages.hpp"
#include "tests/end_to_end/producer.hpp"
#include "tests/node_link/hand_made_peer.hpp"
#include "tests/node_link/secure_node.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <string>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;
using test::hand_made_peer;
using test::mebibyte;
using test::secure_node;

namespace {

/// The least bounds that there are; other deadlines than theirs are far away.
struct bounded_node : secure_node {
  bounded_node()
      : secure_node("0.0.0.0",
                    {"--set", "peers.waiting_per_peer_mb=32", "--set", "peers.unread_mb=32",
                     "--set", "link.room_deadline=2s", "--set", "link.stall_deadline=1min", "--set",
                     "peers.connection_timeout=1min"}) {}
};

/// Waits for tasks for as long as a claim may.
msg::claim_tasks waiting_claim(const core::queue_name& queue, std::uint8_t number) {
  msg::claim_tasks claim;
  claim.queue = queue;
  claim.worker = "w";
  claim.claim.value.bytes = {8, number};
  claim.wait = 1min;
  return claim;
}

} // namespace

BOOST_AUTO_TEST_SUITE(bounds_of_a_node_with_certificates,
                      *boost::unit_test::fixture<bounded_node>())

// finding B6
BOOST_AUTO_TEST_CASE(requests_of_one_peer_that_wait_have_a_bound_and_other_peers_are_served) {
  auto& node = secure_node::current();
  test::producer other{node.endpoint_for("carl")};
  other.make_queue("bounded", "{}");
  const auto serve_other = [&] {
    other.ask<msg::queue_statistics>(msg::get_queue_statistics{"bounded"});
  };
  // given: requests that are answered, beyond the bound together, and two that wait
  hand_made_peer peer{7001};
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(peer.wire.write(peer.request(15 * mebibyte)));
    BOOST_TEST(peer.is_answered());
  }
  BOOST_TEST(!test::has_line(node.directory->path() / "node.log", {"peer_slowed", "why=requests"}));
  for (const std::uint8_t number : {1, 2})
    BOOST_TEST(
        peer.wire.write(peer.request_of(waiting_claim("bounded", number), 15 * mebibyte, number)));
  // when: a third one begins
  BOOST_TEST(peer.wire.write(peer.request(15 * mebibyte).substr(0, 4096)));
  // then: the peer is not read, and cut; other peers, and its own small requests, are served
  BOOST_TEST(node.logs({"peer_slowed", "names=ana", "why=requests"}, serve_other));
  BOOST_TEST(node.logs({"peer_refused", "reason=requests_full", "names=ana"}, serve_other));
  BOOST_TEST(peer.wire.ended());
  BOOST_TEST(node.status("ana").code == 0);
}

// finding B6
BOOST_AUTO_TEST_CASE(peer_that_does_not_read_its_answers_is_cut_and_named) {
  auto& node = secure_node::current();
  test::producer other{node.endpoint_for("carl")};
  other.make_queue("unread", "{}");
  const auto task = other.enqueue("t", 1, '"' + std::string(200'000, 'x') + '"').front();
  const auto serve_other = [&] { other.view(task); };
  hand_made_peer peer{7002};
  std::string requests;
  for (std::uint64_t number = 1; number <= 500; ++number) // answers of 100 MB
    requests += peer.request_of(msg::get_task{task}, 0, number);
  BOOST_TEST(peer.wire.write(requests));
  BOOST_TEST(node.logs({"peer_refused", "reason=unread_full", "names=ana"}, serve_other));
  BOOST_TEST(node.logs({"connection_unread"}, serve_other));
  BOOST_TEST(peer.wire.ended());
  BOOST_TEST(node.status("ana").code == 0);
}

BOOST_AUTO_TEST_SUITE_END()
