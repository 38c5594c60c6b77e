// What the link lets through to CAF, and what it does not (security: S20; fuzz target Z4).

#include "tests/link/frames.hpp"

#include <boost/test/unit_test.hpp>

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using holdfast::test::fault_of_start;
using holdfast::test::frames;
using holdfast::test::judge;
using holdfast::test::mutated;
using holdfast::test::validated;
using link::frame_fault;
using link::frame_kind;

// Where Boost looks for it: beside the type.
namespace holdfast::link {
std::ostream& operator<<(std::ostream& out, frame_fault fault) { return out << to_string(fault); }
} // namespace holdfast::link

namespace {

/// What a dialer that has greeted hears about `frame`.
frame_fault fault_of(const std::string& frame) {
  validated both;
  judge(both.listener, frames::greeting_of_listener());
  BOOST_TEST_REQUIRE((judge(both.dialer, frames::greeting_of_dialer() + frames::selection()).fault
                      == frame_fault::none));
  return judge(both.dialer, frame).fault;
}

/// A connection on which both have greeted.
struct talking_pair : validated {
  explicit talking_pair(bool dialer_is_node) {
    shared.dialer_is_node = dialer_is_node;
    judge(listener, frames::greeting_of_listener());
    judge(dialer, frames::greeting_of_dialer() + frames::selection());
  }
};

/// The rules told anew, for whole streams in memory: every frame in `text` may be parsed by CAF.
bool fit_for_caf(std::string_view text) {
  while (text.size() >= link::frame_header_bytes) {
    const auto header = link::read_header(text.data());
    if (!link::well_formed(header) || header.kind == frame_kind::routed_message)
      return false;
    if ((header.flags & link::named_receiver_flag) != 0
        && header.kind == frame_kind::direct_message)
      return false;
    text.remove_prefix(link::frame_header_bytes);
    if (header.kind == frame_kind::direct_message) {
      if (text.size() >= 7 && text.substr(4, 3) != "@<>" && text.substr(5, 3) != "@<>")
        return false;
      if (text.substr(0, 40).find("@exit") != std::string_view::npos)
        return false;
    }
    text.remove_prefix(std::min<std::size_t>(text.size(), header.payload_bytes));
  }
  return text.empty(); // a header is passed whole or not at all
}

} // namespace

BOOST_AUTO_TEST_SUITE(frames_of_a_connection)

BOOST_AUTO_TEST_CASE(life_of_a_connection_passes_without_the_greeting_of_the_spawn_server) {
  validated both;
  const auto heard =
      judge(both.listener, frames::greeting_of_listener() + frames::to_name("SpawnServ")
                               + frames::message() + frames::heartbeat());
  BOOST_TEST(heard.fault == frame_fault::none);
  BOOST_TEST(
      (heard.passed == frames::greeting_of_listener() + frames::message() + frames::heartbeat()));
  const auto said = judge(both.dialer, frames::life_of_dialer());
  BOOST_TEST(said.fault == frame_fault::none);
  BOOST_TEST((said.passed == frames::life_of_dialer(false)));
  BOOST_TEST(both.dialer.frames() == 10U);
  BOOST_TEST(both.dialer.dropped() == 1U);
}

BOOST_AUTO_TEST_CASE(the_frames_that_crash_caf_are_refused) {
  for (const auto kind : {frame_kind::server_handshake, frame_kind::client_handshake}) {
    validated both; // read through a null pointer in CAF's own parser
    const auto said = judge(both.dialer, frames::header(kind, 0, 4));
    BOOST_TEST(said.fault != frame_fault::none);
    BOOST_TEST(said.passed.empty());
  }
  BOOST_TEST(fault_of(frames::header(frame_kind::direct_message, 0xfffffff0U, 0, 1, 1))
             == frame_fault::too_large); // 4 GiB to come
}

BOOST_AUTO_TEST_CASE(payload_may_have_the_largest_size_and_not_a_byte_more) {
  const auto header = [](std::uint32_t size) {
    return frames::header(frame_kind::direct_message, size, 0, 1, 1);
  };
  BOOST_TEST(fault_of(header(link::frame_bytes_max)) == frame_fault::none);
  BOOST_TEST(fault_of(header(link::frame_bytes_max + 1)) == frame_fault::too_large);
}

BOOST_AUTO_TEST_CASE(each_direction_begins_with_its_own_greeting_and_gives_it_once) {
  using faults = std::vector<std::pair<std::string, frame_fault>>;
  const auto dialer_first = frames::greeting_of_dialer();
  const auto both_greetings = dialer_first + frames::selection();
  for (const auto& [bytes, fault] : faults{
           {frames::message(), frame_fault::handshake_missing},
           {frames::heartbeat(), frame_fault::handshake_missing},
           {frames::selection(), frame_fault::handshake_missing},
           {frames::greeting_of_listener(), frame_fault::handshake_missing},
           {dialer_first + frames::message(), frame_fault::handshake_missing},
           {dialer_first + dialer_first, frame_fault::handshake_missing},
           {both_greetings + dialer_first, frame_fault::handshake_repeated},
           {both_greetings + frames::selection(), frame_fault::handshake_repeated},
           {both_greetings + frames::greeting_of_listener(), frame_fault::handshake_repeated},
       })
    BOOST_TEST(fault_of_start(link::sender::dialer, bytes) == fault);
  const auto listener_first = frames::greeting_of_listener();
  for (const auto& [bytes, fault] : faults{
           {frames::message(), frame_fault::handshake_missing},
           {dialer_first, frame_fault::handshake_missing},
           {listener_first + listener_first, frame_fault::handshake_repeated},
           {listener_first + dialer_first, frame_fault::handshake_repeated},
           {listener_first + frames::selection(), frame_fault::handshake_repeated},
       })
    BOOST_TEST(fault_of_start(link::sender::listener, bytes) == fault);
}

BOOST_AUTO_TEST_CASE(greeting_has_an_id_of_the_one_kind_that_is_used_and_keeps_it) {
  const auto greet = [](const std::string& payload, std::uint8_t flags = 0) {
    return frames::with_payload(frame_kind::client_handshake, payload, 0, 0, 0, flags);
  };
  const auto said = [](const std::string& bytes) {
    return fault_of_start(link::sender::dialer, bytes);
  };
  std::string uri;
  frames::put(uri, frames::atom("uri"));
  BOOST_TEST(said(greet(uri + std::string(24, 'u'))) == frame_fault::bad_node_id);
  BOOST_TEST(said(greet(frames::dialer_id().substr(1))) == frame_fault::bad_node_id);
  BOOST_TEST(said(greet(frames::dialer_id() + "x")) == frame_fault::bad_node_id);
  BOOST_TEST(
      said(frames::greeting_of_dialer() + greet(frames::node_id('x'), link::select_connection_flag))
      == frame_fault::bad_node_id);
  validated both; // a process that takes the other's id for its own
  judge(both.listener, frames::greeting_of_listener());
  BOOST_TEST(judge(both.dialer, greet(frames::listener_id())).fault == frame_fault::bad_node_id);
}

BOOST_AUTO_TEST_CASE(no_message_is_forwarded) {
  BOOST_TEST(fault_of(frames::with_payload(frame_kind::routed_message,
                                           frames::dialer_id() + frames::node_id('x'), 0, 1, 1))
             == frame_fault::routed);
}

BOOST_AUTO_TEST_CASE(no_actor_is_reached_by_name) {
  for (const auto* name : {"ConfigServ", "StreamServ", "spawnserv", "a", ""})
    BOOST_TEST(fault_of(frames::to_name(name)) == frame_fault::named_receiver, name);
  validated both;
  judge(both.dialer, frames::greeting_of_dialer() + frames::selection());
  const auto greeted = judge(both.dialer, frames::to_name("SpawnServ"));
  BOOST_TEST(greeted.fault == frame_fault::none);
  BOOST_TEST(greeted.passed.empty());
}

BOOST_AUTO_TEST_CASE(monitors_and_downs_are_between_the_two_who_talk) {
  const auto me = frames::dialer_id();
  const auto you = frames::listener_id();
  const auto third = frames::node_id('x');
  BOOST_TEST(fault_of(frames::monitor(me, you)) == frame_fault::none);
  BOOST_TEST(fault_of(frames::down(me, you)) == frame_fault::none);
  for (const auto& [from, to] : {std::pair{me, third}, {third, you}, {you, me}, {me, me}}) {
    BOOST_TEST(fault_of(frames::monitor(from, to)) == frame_fault::foreign_node);
    BOOST_TEST(fault_of(frames::down(from, to)) == frame_fault::foreign_node);
  }
  validated unknown; // before the other side has said who it is
  BOOST_TEST(judge(unknown.dialer,
                   frames::greeting_of_dialer() + frames::selection() + frames::monitor(me, you))
                 .fault
             == frame_fault::foreign_node);
}

BOOST_AUTO_TEST_CASE(messages_of_caf_itself_are_refused) {
  for (const auto* types : {"@<>+@exit", "@<>+@down", "@<>+@atom+@strong_actor_ptr", "@<>+@message",
                            "@<>+hf1.claim_tasks+@message", "@<>+", "@<>+hf1.",
                            "@<>+hf.claim_tasks", "@<>hf1.claim_tasks", "hf1.claim_tasks", ""})
    BOOST_TEST(fault_of(frames::message(types)) == frame_fault::foreign_content, types);
  for (const auto* types : {"@<>", "@<>+@error", "@<>+@unit", "@<>+hf1.claim_tasks", "@<>+hf12.x",
                            "@<>+hf1.claim_tasks+hf1.task_outcomes"})
    BOOST_TEST(fault_of(frames::message(types)) == frame_fault::none, types);
}

// ADR 0054
BOOST_AUTO_TEST_CASE(messages_of_nodes_are_refused_from_a_peer) {
  const auto says = [](link::sender who, bool dialer_is_node, const std::string& types) {
    validated both;
    both.shared.dialer_is_node = dialer_is_node;
    judge(both.listener, frames::greeting_of_listener());
    judge(both.dialer, frames::greeting_of_dialer() + frames::selection());
    return judge(both.of(who), frames::message(types)).fault;
  };
  for (const auto& row : core::message_table())
    for (const auto* version : {"hf1.", "hf27."}) {
      if (row.who != core::said_by::nodes)
        continue;
      const auto types = "@<>+" + (version + std::string{row.message});
      BOOST_TEST(says(link::sender::dialer, false, types) == frame_fault::not_a_node, types);
      BOOST_TEST(says(link::sender::dialer, true, types) == frame_fault::none, types);
      BOOST_TEST(says(link::sender::listener, false, types) == frame_fault::none, types);
    }
  for (const auto* hidden :
       {"@<>+hf1.claim_tasks+hf1.apply_events", "@<>+hf1.apply_events+hf1.claim_tasks",
        "@<>+hf1.author+hf1.put_queue"})
    BOOST_TEST(says(link::sender::dialer, false, hidden) == frame_fault::not_a_node, hidden);
  for (const auto* others : {"@<>+hf1.claim_tasks", "@<>+hf1.meet_nodes", "@<>"})
    BOOST_TEST(says(link::sender::dialer, false, others) == frame_fault::none, others);
}

// finding B4
BOOST_AUTO_TEST_CASE(message_to_an_actor_that_is_not_published_ends_the_connection_of_a_peer) {
  for (const std::uint64_t actor : {1U, 8U, 10U, 11U, 4000U}) {
    talking_pair both{false};
    const auto said = judge(both.dialer, frames::message_to(actor));
    BOOST_TEST(said.fault == frame_fault::unpublished, actor);
    BOOST_TEST(said.passed.empty());
  }
  talking_pair both{false};
  const auto said = judge(both.dialer, frames::message_to(9));
  BOOST_TEST(said.fault == frame_fault::none);
  BOOST_TEST((said.passed == frames::message_to(9)));
}

// finding B4
BOOST_AUTO_TEST_CASE(message_of_a_node_to_an_actor_that_is_not_published_is_dropped) {
  talking_pair both{true};
  const auto lost = judge(both.dialer, frames::message_to(10));
  BOOST_TEST(lost.fault == frame_fault::none);
  BOOST_TEST(lost.passed.empty());
  BOOST_TEST(both.dialer.dropped() == 1U);
  for (const std::uint64_t actor : {9U, 11U})
    BOOST_TEST((judge(both.dialer, frames::message_to(actor)).passed == frames::message_to(actor)));
}

// finding B4
BOOST_AUTO_TEST_CASE(actor_that_has_ended_is_no_offence_for_a_while) {
  talking_pair both{false};
  both.published.withdraw(9);
  BOOST_TEST(judge(both.dialer, frames::message_to(9)).fault == frame_fault::none);
  for (std::uint64_t other = 0; other < link::published_actors::former_max; ++other) {
    both.published.publish(100 + other, link::audience::nodes);
    both.published.withdraw(100 + other);
  }
  BOOST_TEST(judge(both.dialer, frames::message_to(9)).fault == frame_fault::unpublished);
}

// finding B4
BOOST_AUTO_TEST_CASE(answer_passes_once_to_who_has_asked_and_from_who_was_asked) {
  for (const bool is_node : {false, true}) {
    talking_pair both{is_node};
    BOOST_TEST(judge(both.dialer, frames::answer("@<>+@error")).passed.empty()); // nobody has asked
    judge(both.listener, frames::message()); // actor 7, request 1
    const auto wrong_actor =
        frames::with_payload(frame_kind::direct_message, frames::content("@<>+@error", 3),
                             1 | frames::response_flag, 0, 8);
    const auto wrong_number =
        frames::with_payload(frame_kind::direct_message, frames::content("@<>+@error", 3),
                             2 | frames::response_flag, 0, 7);
    BOOST_TEST(judge(both.dialer, wrong_actor).passed.empty());
    BOOST_TEST(judge(both.dialer, wrong_number).passed.empty());
    BOOST_TEST(
        (judge(both.dialer, frames::answer("@<>+@error")).passed == frames::answer("@<>+@error")));
    BOOST_TEST(judge(both.dialer, frames::answer("@<>+@error")).passed.empty());
    BOOST_TEST(both.open.size() == 0U);
  }
  talking_pair asked{true};
  judge(asked.listener, frames::message());
  validated other; // another process that this one is connected to
  other.shared.open = &asked.open;
  judge(other.listener, frames::greeting_of_listener());
  judge(other.dialer, frames::with_payload(frame_kind::client_handshake, frames::node_id('x'))
                          + frames::with_payload(frame_kind::client_handshake, frames::node_id('x'),
                                                 0, 0, 0, link::select_connection_flag));
  BOOST_TEST(judge(other.dialer, frames::answer("@<>+@error")).passed.empty());
}

// finding B4
BOOST_AUTO_TEST_CASE(answers_pass_without_the_number_of_the_actor_that_gives_them) {
  talking_pair both{false};
  const auto answer = judge(both.listener, frames::answer("@<>+hf1.leased_tasks", 100, 4711));
  BOOST_TEST((answer.passed == frames::answer("@<>+hf1.leased_tasks", 100, 0)));
  const auto hint = [](std::uint64_t from) {
    return frames::with_payload(frame_kind::direct_message,
                                frames::content("@<>+hf1.tasks_lost", 9), 0, from, 7);
  };
  BOOST_TEST((judge(both.listener, hint(4711)).passed == hint(0)));
  // An actor that asks must be answered.
  BOOST_TEST((judge(both.listener, frames::message()).passed == frames::message()));
}

// finding B6: an actor that is told an error ends
BOOST_AUTO_TEST_CASE(error_of_a_peer_is_refused_unless_it_answers) {
  for (const auto* types : {"@<>+@error", "@<>+hf1.claim_tasks+@error"}) {
    talking_pair of_peer{false};
    const auto said = judge(of_peer.dialer, frames::message(types));
    BOOST_TEST(said.fault == frame_fault::foreign_content, types);
    BOOST_TEST(said.passed.empty());
    talking_pair of_node{true};
    BOOST_TEST(judge(of_node.dialer, frames::message(types)).fault == frame_fault::none, types);
  }
  talking_pair asked{false};
  judge(asked.listener, frames::message());
  BOOST_TEST(!judge(asked.dialer, frames::answer("@<>+@error")).passed.empty());
}

// finding B6: CAF reads a reason inside a reason by a call inside a call
BOOST_AUTO_TEST_CASE(reason_for_the_end_of_an_actor_has_a_bound) {
  const auto down = [](std::size_t bytes) {
    auto payload = frames::dialer_id() + frames::listener_id();
    payload.resize(bytes, '\1');
    return frames::with_payload(frame_kind::down_message, payload, 0, 9, 0);
  };
  for (const bool is_node : {false, true}) {
    talking_pair both{is_node};
    BOOST_TEST(
        (judge(both.dialer, down(link::down_bytes_max)).passed == down(link::down_bytes_max)));
    const auto header = down(link::down_bytes_max + 1).substr(0, link::frame_header_bytes);
    BOOST_TEST(judge(both.dialer, header).fault == frame_fault::too_large);
    // The guard inside CAF, which is all that stands before it without certificates.
    BOOST_TEST(!link::well_formed(link::read_header(header.data())));
  }
}

// finding B6: CAF keeps an entry for each
BOOST_AUTO_TEST_CASE(peer_names_a_bounded_number_of_actors_that_have_not_ended) {
  constexpr std::size_t most = 1024;
  constexpr std::uint64_t first = 100;
  const auto down = [](std::uint64_t actor) {
    return frames::with_payload(frame_kind::down_message,
                                frames::dialer_id() + frames::listener_id() + std::string(9, '\1'),
                                0, actor, 0);
  };
  talking_pair both{false};
  both.shared.actors_max = most;
  const auto from = [&](std::uint64_t actor) {
    return judge(both.dialer, frames::message_to(9, actor)).fault;
  };
  for (std::uint64_t actor = first; actor < first + most; ++actor)
    BOOST_TEST_REQUIRE(from(actor) == frame_fault::none);
  BOOST_TEST(from(first) == frame_fault::none); // known
  // One that ends makes room, and one that nobody has named does not.
  BOOST_TEST(judge(both.dialer, down(first + 7) + down(5)).fault == frame_fault::none);
  BOOST_TEST(from(6) == frame_fault::none);
  // A dropped frame makes CAF keep nothing.
  const auto unasked = frames::answer("@<>+@error", 30, 99'999);
  BOOST_TEST(judge(both.dialer, unasked).fault == frame_fault::none);
  const auto one_too_many = judge(both.dialer, frames::message_to(9, first + 7));
  BOOST_TEST(one_too_many.fault == frame_fault::actors_full);
  BOOST_TEST(one_too_many.passed.empty());
}

// finding B6: each unit of a node may send
BOOST_AUTO_TEST_CASE(node_names_any_number_of_actors) {
  talking_pair both{true};
  both.shared.actors_max = 10;
  for (std::uint64_t actor = 100; actor < 120; ++actor)
    BOOST_TEST_REQUIRE(judge(both.dialer, frames::message_to(9, actor)).fault == frame_fault::none);
}

BOOST_AUTO_TEST_CASE(open_requests_are_bounded_and_the_oldest_is_forgotten) {
  link::open_requests open;
  for (std::uint64_t number = 1; number <= link::open_requests::most + 1; ++number)
    open.asked({{}, 7, number});
  BOOST_TEST(open.size() == link::open_requests::most);
  BOOST_TEST(!open.answered({{}, 7, 1}));
  BOOST_TEST(open.answered({{}, 7, 2}));
  BOOST_TEST(open.size() == link::open_requests::most - 1);
}

BOOST_AUTO_TEST_CASE(monitor_of_an_actor_that_is_not_published_is_dropped_from_a_peer) {
  const auto monitor = frames::monitor(frames::dialer_id(), frames::listener_id(), 10);
  talking_pair of_peer{false};
  const auto said = judge(of_peer.dialer, monitor);
  BOOST_TEST(said.fault == frame_fault::none);
  BOOST_TEST(said.passed.empty());
  const auto good = frames::monitor(frames::dialer_id(), frames::listener_id(), 9);
  BOOST_TEST((judge(of_peer.dialer, good).passed == good));
  talking_pair of_node{true};
  BOOST_TEST((judge(of_node.dialer, monitor).passed == monitor));
}

BOOST_AUTO_TEST_CASE(peer_must_say_which_of_its_actors_sends) {
  talking_pair both{false};
  BOOST_TEST(judge(both.dialer, frames::message_to(9, 0)).fault == frame_fault::malformed_header);
}

// finding D3
BOOST_AUTO_TEST_CASE(peer_sends_the_requests_of_its_roles_and_no_other_message) {
  for (std::size_t i = 0; i < core::role_count; ++i)
    for (const auto& row : core::message_table()) {
      talking_pair both{false};
      const auto role = static_cast<core::role>(i);
      both.shared.dialer_roles = {role};
      const auto types = "@<>+hf1." + std::string{row.message};
      const auto fault = judge(both.dialer, frames::message(types)).fault;
      const auto allowed = row.who == core::said_by::clients && row.roles.has(role);
      BOOST_TEST((fault == frame_fault::none) == allowed, core::to_string(role)
                                                              << " says " << row.message);
      BOOST_TEST((judge(both.listener, frames::message(types)).fault == frame_fault::none));
    }
  talking_pair nobody{false};
  nobody.shared.dialer_roles = {};
  BOOST_TEST(judge(nobody.dialer, frames::message("@<>+hf1.get_node_status")).fault
             == frame_fault::not_of_role);
  talking_pair hidden{false};
  hidden.shared.dialer_roles = {core::role::worker};
  BOOST_TEST(judge(hidden.dialer, frames::message("@<>+hf1.claim_tasks+hf1.put_queue")).fault
             == frame_fault::not_of_role);
}

BOOST_AUTO_TEST_CASE(content_is_refused_with_stages_or_a_number_for_a_type_or_a_long_list) {
  const auto fault = [](const std::string& payload) {
    return fault_of(frames::with_payload(frame_kind::direct_message, payload, 0, 1, 1));
  };
  const auto good = frames::content("@<>+hf1.claim_tasks", 4);
  BOOST_TEST(fault(good) == frame_fault::none);
  for (std::size_t at = 0; at < 3; ++at) {
    auto bad = good;
    bad[at] = 1;
    BOOST_TEST(fault(bad) == frame_fault::foreign_content);
  }
  BOOST_TEST(fault(good.substr(0, 12)) == frame_fault::foreign_content);
  std::string many = "@<>";
  while (many.size() < link::frame_validator::payload_held_max)
    many += "+hf1.claim_tasks";
  BOOST_TEST(fault(frames::content(many, 0)) == frame_fault::foreign_content);
  BOOST_TEST(fault(std::string{"\0\0\0\xff\xff\xff\xff\x0f", 8}) == frame_fault::foreign_content);
}

BOOST_AUTO_TEST_CASE(nothing_passes_after_a_fault) {
  validated both;
  judge(both.dialer, frames::greeting_of_dialer());
  BOOST_TEST(judge(both.dialer, frames::heartbeat()).fault == frame_fault::handshake_missing);
  const auto after = judge(both.dialer, frames::selection());
  BOOST_TEST(after.fault == frame_fault::handshake_missing);
  BOOST_TEST(after.passed.empty());
}

// Z4: one feed and a feed byte by byte mean the same.
BOOST_AUTO_TEST_CASE(pieces_in_which_bytes_arrive_change_nothing) {
  std::mt19937_64 random{20260301};
  const std::vector<std::string> life{frames::greeting_of_dialer(),
                                      frames::selection(),
                                      frames::to_name("SpawnServ"),
                                      frames::monitor(frames::dialer_id(), frames::listener_id()),
                                      frames::message(),
                                      frames::heartbeat(),
                                      frames::message("@<>+hf1.enqueue_tasks", 3'000)};
  for (int round = 0; round < 20'000; ++round) {
    const auto stream = mutated(life, random);
    validated whole;
    judge(whole.listener, frames::greeting_of_listener());
    const auto once = judge(whole.dialer, stream);
    validated cut;
    judge(cut.listener, frames::greeting_of_listener());
    const auto most = 1 + random() % 300;
    const auto pieces = judge(cut.dialer, stream, [&] { return 1 + random() % most; });
    BOOST_REQUIRE((pieces.fault == once.fault));
    BOOST_REQUIRE((pieces.passed == once.passed));
  }
}

// Scorecard 46: a million malformed frames; no crash, nothing unfit passes, no memory taken.
BOOST_AUTO_TEST_CASE(a_million_malformed_streams_pass_nothing_that_caf_may_not_parse) {
  std::mt19937_64 random{4711};
  const std::vector<std::string> of_dialer{
      frames::greeting_of_dialer(),
      frames::selection(),
      frames::to_name("SpawnServ"),
      frames::monitor(frames::dialer_id(), frames::listener_id()),
      frames::message(),
      frames::down(frames::dialer_id(), frames::listener_id()),
      frames::heartbeat(),
      frames::message("@<>+@error", 3)};
  std::size_t refused = 0;
  std::size_t steps_with_memory = 0;
  for (int round = 0; round < 1'000'000; ++round) {
    const auto stream = mutated(of_dialer, random);
    validated both;
    judge(both.listener, frames::greeting_of_listener());
    const auto said = judge(both.dialer, stream, [&] { return 1 + random() % 512; });
    refused += said.fault == frame_fault::none ? 0U : 1U;
    if (!fit_for_caf(said.passed))
      BOOST_FAIL("unfit after seed 4711, round " << round << ": " << link::to_string(said.fault));
    if (round % 1000 == 0) { // the validator alone, without this test's strings around it
      validated alone;
      const auto before = mallinfo2().uordblks;
      std::string_view input{stream};
      while (!input.empty()) {
        const auto step = alone.dialer.next(input);
        if (step.fault != frame_fault::none)
          break;
        input.remove_prefix(step.consumed);
      }
      steps_with_memory += mallinfo2().uordblks == before ? 0U : 1U;
    }
  }
  BOOST_TEST(refused > 500'000U);
  BOOST_TEST(refused < 1'000'000U); // some changes do no harm: the mutations are not all noise
  BOOST_TEST(steps_with_memory == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
