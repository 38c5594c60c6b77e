// Peers with a certificate make a node keep a bounded memory, and end none of its actors.

#include "app/data_dir.hpp"
#include "config/settings.hpp"
#include "tests/link/frames.hpp"
#include "tests/node_link/hand_made_peer.hpp"
#include "tests/node_link/secure_node.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using test::frames;
using test::hand_made_peer;
using test::secure_node;

namespace {

#ifndef HOLDFAST_SANITIZED_BUILD
using test::mebibyte;

/// Bytes that the node has, or has had at most, in memory.
std::size_t memory_of_node(const std::string& which) {
  const auto running = app::read_node_file(secure_node::current().directory->path());
  BOOST_REQUIRE(running);
  std::ifstream status{"/proc/" + std::to_string(running->pid) + "/status"};
  for (std::string word; status >> word;)
    if (std::size_t kibibytes = 0; word == which + ':' && status >> kibibytes)
      return kibibytes * 1024;
  BOOST_FAIL("the system does not say " << which);
  return 0;
}
#endif

/// An error inside an error, so often, as CAF writes it.
std::string nested_error(int depth) {
  std::string text{"\1", 1};
  frames::put(text, frames::atom("test"));
  const std::string message{"\0\0\x0c@<>+@message", 15};
  for (int i = 0; i < depth; ++i)
    text += message;
  return text + std::string{"\0\0\3@<>", 6};
}

} // namespace

BOOST_AUTO_TEST_SUITE(memory_of_a_node_with_certificates, *boost::unit_test::fixture<secure_node>())

#ifndef HOLDFAST_SANITIZED_BUILD // a sanitizer keeps what is freed
// finding B6: announced alone, a thousand bytes of each
BOOST_AUTO_TEST_CASE(announced_payloads_take_no_more_than_the_room_of_a_peer) {
  auto& node = secure_node::current();
  const auto before = memory_of_node("VmRSS");
  std::vector<hand_made_peer> peers;
  peers.reserve(40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    auto& peer = peers.emplace_back(5000 + i);
    BOOST_TEST(peer.wire.write(
        frames::header(frames::kind::direct_message, link::frame_bytes_max, 1, 7, peer.gateway)
        + frames::content("@<>+hf1.get_placement", 1000)));
  }
  for (auto& peer : peers)
    BOOST_TEST(peer.wire.ended()); // those with room as well: the rest of the frame never comes
  BOOST_TEST(memory_of_node("VmHWM") < before + 150 * mebibyte); // of 640
  BOOST_TEST(node.logs({"peer_slowed", "names=ana", "why=payloads"}));
  BOOST_TEST(node.logs({"peer_refused", "reason=payloads_full", "names=ana"}));
  BOOST_TEST(node.status("ana").code == 0);
}

// finding B6
BOOST_AUTO_TEST_CASE(memory_of_large_requests_is_free_when_they_are_answered) {
  const auto before = memory_of_node("VmRSS");
  std::vector<hand_made_peer> peers;
  peers.reserve(30);
  for (std::uint32_t i = 0; i < 30; ++i) {
    auto& peer = peers.emplace_back(6000 + i);
    BOOST_TEST(peer.wire.write(peer.request(8 * mebibyte)));
    BOOST_TEST(peer.is_answered());
  }
  BOOST_TEST(memory_of_node("VmRSS") < before + 100 * mebibyte); // of 240
}

#endif

// finding B6: CAF reads them by a call inside a call
BOOST_AUTO_TEST_CASE(errors_inside_each_other_end_neither_gateway_nor_node) {
  auto& node = secure_node::current();
  for (const int depth : {0, 100'000}) {
    hand_made_peer told;
    auto content = frames::content("@<>+@error", 0) + nested_error(depth);
    told.wire.write(
        frames::with_payload(frames::kind::direct_message, content, 0, 7, told.gateway));
    BOOST_TEST(told.wire.ended());
    hand_made_peer ended;
    ended.wire.write(
        frames::with_payload(frames::kind::down_message,
                             ended.own + ended.others + nested_error(depth), 0, 7, 0)
        + frames::message("@<>+@exit")); // ends the connection also where the first was good
    BOOST_TEST(ended.wire.ended());
  }
  BOOST_TEST(node.status("ana").code == 0);
  BOOST_TEST(!test::has_line(node.directory->path() / "node.log", {"child_down", "gateway"}));
}

// finding B6
BOOST_AUTO_TEST_CASE(peer_that_names_actors_without_end_is_cut) {
  auto& node = secure_node::current();
  const auto name_too_many = [] {
    hand_made_peer peer;
    std::string requests;
    for (std::uint64_t actor = 0; actor <= config::settings{}.link.actors_max; ++actor)
      requests += peer.request(0, 1000 + actor);
    BOOST_TEST(peer.wire.write(requests));
    BOOST_TEST(peer.wire.ended());
  };
  name_too_many();
  // A reason is logged once in a while, and other cases send bad frames, too.
  BOOST_TEST(node.logs({"peer_refused", "reason=bad_frame", "names=ana", "fault=actors_full"},
                       name_too_many));
}

BOOST_AUTO_TEST_SUITE_END()
