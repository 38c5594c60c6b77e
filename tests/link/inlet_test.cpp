// The way into a node: who is let in, what is refused, and what it may cost (security: S20).

#include "link/token_bucket.hpp"
#include "tests/link/link_world.hpp"

#include <boost/test/unit_test.hpp>

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;
using link::frame_fault;
using link::refusal;
using test::frames;
using test::link_world;
using test::stream;

BOOST_FIXTURE_TEST_SUITE(way_in, link_world)

BOOST_AUTO_TEST_CASE(expected_peer_talks_to_the_node_and_each_hangs_up_for_both) {
  open();
  auto [outside, inside] = talking();
  BOOST_TEST(outside.write(frames::to_name("SpawnServ") + frames::message()));
  BOOST_TEST((inside.read(frames::message().size()) == frames::message()));
  const auto large = frames::message("@<>+hf1.leased_tasks", 500'000);
  BOOST_TEST(inside.write(large));
  BOOST_TEST((outside.read(large.size()) == large));
  BOOST_TEST(inlet->counters().open == 1U);
  outside.close();
  BOOST_TEST(inside.ended());
  auto [second, behind_second] = talking();
  behind_second.close();
  BOOST_TEST(second.ended());
  BOOST_TEST(eventually([&] { return inlet->counters().open == 0U; }));
  BOOST_TEST(inlet->counters().established == 2U);
  BOOST_TEST(inlet->counters().dropped == 1U);
  BOOST_TEST(logged("peer_connected address=127.0.0.1 names=ana"));
}

BOOST_AUTO_TEST_CASE(each_stranger_is_refused_for_its_reason_and_nothing_reaches_the_node) {
  certs.issue("past", link::holder::peer, false, test::certificates::now() - 24h * 40);
  certs.issue("eve", link::holder::peer);
  certs.issue("bob", link::holder::peer);
  certs.issue("ghost", link::holder::peer);
  certs.revoke("eve");
  options.allowed = {"ana", "past", "eve", "role"};
  options.limits.handshake_deadline = 300ms;
  test::certificates others;
  others.issue("ana", link::holder::peer);
  open();
  const auto turned_away = [&](const stream::tls_files& files) {
    auto stranger = stream::to(inlet->port());
    if (stranger.secure(files)) // a client of TLS 1.3 hears of its refusal afterwards
      stranger.write(frames::greeting_of_dialer());
    return stranger.ended();
  };
  BOOST_TEST(turned_away({}));
  BOOST_TEST(refused(refusal::no_certificate));
  BOOST_TEST(turned_away(others.shown("ana")));
  BOOST_TEST(refused(refusal::unknown_authority));
  BOOST_TEST(turned_away(certs.shown("past")));
  BOOST_TEST(refused(refusal::expired));
  BOOST_TEST(turned_away(certs.shown("eve")));
  BOOST_TEST(refused(refusal::revoked));
  BOOST_TEST(turned_away(certs.shown("bob")));
  BOOST_TEST(refused(refusal::name_not_allowed));
  auto old = certs.shown("ana");
  old.version_max = TLS1_2_VERSION;
  BOOST_TEST(turned_away(old));
  BOOST_TEST(refused(refusal::old_protocol));

  std::uint64_t no_tls = 0;
  for (const auto& bytes : {frames::greeting_of_dialer(), frames::greeting_of_listener(),
                            std::string{"GET / HTTP/1.1\r\nHost: node\r\n\r\n"}}) {
    auto plain = stream::to(inlet->port());
    BOOST_TEST(plain.write(bytes));
    BOOST_TEST(plain.ended());
    BOOST_TEST(refused(refusal::not_tls, ++no_tls));
  }
  auto mute = stream::to(inlet->port());
  BOOST_TEST(mute.ended());
  BOOST_TEST(refused(refusal::handshake_timeout));

  BOOST_TEST(inlet->counters().established == 0U);
  BOOST_TEST(behind.empty());
  BOOST_TEST(logged("peer_refused reason=no_certificate address=127.0.0.1"));
  BOOST_TEST(logged("reason=name_not_allowed address=127.0.0.1 names=bob"));
  // Who uses the old one? Its names prove nothing, but say where to look.
  BOOST_TEST(logged("reason=revoked address=127.0.0.1 claims=eve"));
  BOOST_TEST(logged("reason=expired address=127.0.0.1 claims=past"));
  auto [outside, inside] = talking(); // and the node is fine
  BOOST_TEST(outside.write(frames::heartbeat()));
  BOOST_TEST((inside.read(32) == frames::heartbeat()));
}

// Nodes look whether a peer node still listens, and so do load balancers: nobody is warned of them.
BOOST_AUTO_TEST_CASE(peer_that_hangs_up_without_a_word_is_no_stranger) {
  open();
  for (int i = 0; i < 3; ++i) {
    auto visitor = stream::to(inlet->port());
    visitor.finish();
    BOOST_TEST(visitor.ended());
  }
  BOOST_TEST(eventually([&] { return inlet->counters().silent == 3U; }));
  BOOST_TEST(refused(refusal::handshake_failed, 0));
  BOOST_TEST(!logged("peer_refused"));
  auto broken_off = stream::to(inlet->port());
  BOOST_TEST(broken_off.write("\x16"));
  broken_off.finish();
  BOOST_TEST(broken_off.ended());
  BOOST_TEST(refused(refusal::handshake_failed));
}

BOOST_AUTO_TEST_CASE(role_of_a_certificate_lets_its_holder_in) {
  certs.issue("carl", link::holder::peer, false, test::certificates::now(), {"workers"});
  options.allowed = {"workers"};
  open();
  auto carl = connected("carl");
  auto inside = behind.accept();
  BOOST_TEST(inside.write(frames::greeting_of_listener()));
  BOOST_TEST(carl.read(32).size() == 32U);
  BOOST_TEST(logged("names=carl,workers"));
}

BOOST_AUTO_TEST_CASE(certificate_of_a_peer_does_not_make_a_node) {
  options.tls = certs.of("ana"); // good for clients only
  open();
  auto thread_of_dialer = std::make_unique<link::io_thread>();
  link::outlet_options dial;
  dial.host = "127.0.0.1";
  dial.port = inlet->port();
  dial.expected_name = "ana";
  dial.tls = certs.of("ana");
  auto way = link::outlet::open(*thread_of_dialer, dial);
  BOOST_REQUIRE(way);
  BOOST_TEST(stream::to((*way)->port()).ended());
  BOOST_TEST((*way)->last_failure().find("purpose") != std::string::npos, (*way)->last_failure());
  way->reset();
}

BOOST_AUTO_TEST_CASE(forbidden_frame_costs_a_proven_peer_its_connection) {
  open();
  std::uint64_t cut = 0;
  const std::vector<std::pair<std::string, frame_fault>> attacks{
      {frames::header(frames::kind::direct_message, 0xfffffff0U, 0, 1, 1), frame_fault::too_large},
      {frames::to_name("ConfigServ"), frame_fault::named_receiver},
      {frames::message("@<>+@exit"), frame_fault::foreign_content},
      {frames::with_payload(frames::kind::routed_message, std::string(64, 'x'), 0, 1, 1),
       frame_fault::routed},
  };
  for (const auto& [attack, fault] : attacks) {
    auto [outside, inside] = talking();
    BOOST_TEST(outside.write(frames::heartbeat() + attack));
    BOOST_TEST(outside.ended());
    BOOST_TEST(refused(refusal::bad_frame, ++cut));
    BOOST_TEST(inlet->counters().faults_of(fault) == 1U);
    BOOST_TEST(inside.read(64).size() <= 32U); // the heartbeat at most
  }
  BOOST_TEST(logged("reason=bad_frame address=127.0.0.1 names=ana fault=too_large"));
}

// ADR 0054
BOOST_AUTO_TEST_CASE(only_a_certificate_of_a_node_lets_one_speak_as_a_node) {
  certs.issue("n2", link::holder::node);
  options.allowed = {"ana", "n2"};
  open();
  auto [outside, inside] = talking();
  BOOST_TEST(outside.write(frames::message("@<>+hf1.meet_node")));
  BOOST_TEST(outside.ended());
  BOOST_TEST(inside.read(1).empty());
  BOOST_TEST(inlet->counters().faults_of(frame_fault::not_a_node) == 1U);
  BOOST_TEST(logged("reason=bad_frame address=127.0.0.1 names=ana fault=not_a_node"));
  auto node = connected("n2");
  auto behind_node = behind.accept();
  const auto said = frames::greeting_of_dialer() + frames::selection()
                    + frames::message("@<>+hf1.meet_node")
                    + frames::message("@<>+hf1.apply_events");
  BOOST_TEST(node.write(said));
  BOOST_TEST((behind_node.read(said.size()) == said));
}

BOOST_AUTO_TEST_CASE(process_of_one_peer_cannot_be_taken_by_another) {
  certs.issue("bob", link::holder::peer);
  options.allowed = {"ana", "bob"};
  open();
  auto [outside, inside] = talking();
  auto bob = connected("bob");
  auto behind_bob = behind.accept();
  BOOST_TEST(bob.write(frames::greeting_of_dialer())); // with ana's id
  BOOST_TEST(bob.ended());
  BOOST_TEST(refused(refusal::bad_frame));
  BOOST_TEST(inlet->counters().faults_of(frame_fault::node_id_taken) == 1U);
  BOOST_TEST(behind_bob.read(1).empty());
  auto again = connected("ana"); // the same process may have a second connection
  auto behind_again = behind.accept();
  BOOST_TEST(again.write(frames::greeting_of_dialer()));
  BOOST_TEST(behind_again.read(64).size() == frames::greeting_of_dialer().size());
}

BOOST_AUTO_TEST_CASE(proven_peer_that_says_nothing_is_let_go) {
  options.limits.greeting_deadline = 200ms;
  open();
  auto silent = connected();
  BOOST_TEST(silent.ended());
  BOOST_TEST(refused(refusal::greeting_timeout));
}

BOOST_AUTO_TEST_CASE(node_that_takes_no_connection_is_told_apart) {
  open();
  behind.close();
  auto peer = connected();
  BOOST_TEST(peer.ended());
  BOOST_TEST(refused(refusal::node_unavailable));
}

BOOST_AUTO_TEST_CASE(connections_have_bounds_in_total_and_for_an_address) {
  options.limits.connections_max = 3;
  open();
  auto first = talking();
  auto second = talking();
  auto third = talking();
  BOOST_TEST(stream::to(inlet->port()).ended());
  BOOST_TEST(refused(refusal::connections_full));
  third.first.close();
  BOOST_TEST(eventually([&] { return inlet->counters().open == 2U; }));
  auto fourth = talking();

  link_world one_address;
  one_address.options.limits.connections_per_address_max = 1;
  one_address.open();
  auto only = one_address.talking();
  BOOST_TEST(stream::to(one_address.inlet->port()).ended());
  BOOST_TEST(one_address.refused(refusal::address_full));
}

BOOST_AUTO_TEST_CASE(handshakes_under_way_have_a_bound) {
  options.limits.handshakes_max = 2;
  options.limits.handshakes_per_address_max = 2;
  open();
  auto first = stream::to(inlet->port());
  auto second = stream::to(inlet->port());
  BOOST_TEST(stream::to(inlet->port()).ended());
  BOOST_TEST(refused(refusal::handshakes_full));
  first.close();
  BOOST_TEST(eventually([&] { return inlet->counters().silent == 1U; }));
  auto peer = connected();
}

// Else silent connections from one place would keep everybody else out.
BOOST_AUTO_TEST_CASE(handshakes_of_one_address_leave_room_for_those_of_others) {
  options.limits.handshakes_max = 8;
  options.limits.handshakes_per_address_max = 2;
  options.limits.handshake_deadline = 1min;
  open();
  auto first = stream::to(inlet->port());
  auto second = stream::to(inlet->port());
  BOOST_TEST(eventually([&] { return inlet->counters().accepted == 2U; }));
  for (std::uint64_t more = 1; more <= 3; ++more) {
    BOOST_TEST(stream::to(inlet->port()).ended());
    BOOST_TEST(refused(refusal::handshakes_full, more));
  }
  auto other = stream::to(inlet->port(), "127.0.0.2");
  BOOST_TEST(other.secure(certs.shown("ana")));
  auto behind_other = behind.accept();
  // Who has proven itself counts no more, nor who has gone.
  first.close();
  BOOST_TEST(eventually([&] { return inlet->counters().silent == 1U; }));
  auto third = connected();
  BOOST_TEST(eventually([&] { return inlet->counters().established == 2U; }));
  auto fourth = connected();
  BOOST_TEST(refused(refusal::handshakes_full, 3));
}

BOOST_AUTO_TEST_CASE(connections_beyond_the_rate_wait_and_are_not_lost) {
  options.limits.accepts_per_second = 20;
  options.limits.handshakes_per_address_max = 64; // all of these are silent
  open();
  std::vector<stream> at_once;
  for (int i = 0; i < 25; ++i)
    at_once.push_back(stream::to(inlet->port()));
  BOOST_TEST(eventually([&] { return inlet->counters().accepted == 25U; }));
  BOOST_TEST(inlet->counters().accept_pauses >= 1U);
  auto after_them = talking();
}

// S22
BOOST_AUTO_TEST_CASE(peer_that_sends_more_than_it_may_waits_and_loses_nothing) {
  options.limits.messages_per_second = 200;
  open();
  auto [outside, inside] = talking();
  std::string all;
  for (int i = 0; i < 400; ++i)
    all += frames::message("@<>+hf1.enqueue_tasks", 200);
  BOOST_TEST(outside.write(all));
  BOOST_TEST((inside.read(all.size()) == all));
  BOOST_TEST(inlet->counters().slowed >= 1U);
  BOOST_TEST(inlet->counters().open == 1U);
  BOOST_TEST(logged("peer_slowed address=127.0.0.1 names=ana why=rate"));
  // when: it comes over another connection, the same holds
  BOOST_TEST(outside.write(all));
  BOOST_TEST((inside.read(1) == all.substr(0, 1))); // it has been counted
  const auto before = inlet->counters().slowed.load();
  auto second = talking();
  BOOST_TEST(inlet->counters().slowed > before);
}

// finding B6
BOOST_AUTO_TEST_CASE(refusals_of_one_peer_are_one_line_a_second_and_hide_no_other_peer) {
  certs.issue("bob", link::holder::peer);
  options.allowed = {"ana", "bob"};
  open();
  const auto break_off = [&](const std::string& name, std::uint64_t times) {
    auto peer = connected(name);
    auto inside = behind.accept();
    BOOST_TEST(peer.write(frames::heartbeat())); // before its greeting
    BOOST_TEST(peer.ended());
    BOOST_TEST(refused(refusal::bad_frame, times));
  };
  const auto begin = std::chrono::steady_clock::now();
  break_off("ana", 1);
  break_off("ana", 2);
  break_off("bob", 3);
  const auto took = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(lines_with("peer_refused reason=bad_frame address=127.0.0.1 names=bob") == 1U);
  const auto of_ana = lines_with("peer_refused reason=bad_frame address=127.0.0.1 names=ana");
  BOOST_TEST((of_ana == 1U || took >= 1s), of_ana); // a slow machine may take a second
}

BOOST_AUTO_TEST_CASE(rate_of_a_peer_is_paid_off_in_time) {
  link::peer_rate rate{10, 1000};
  const link::peer_rate::clock::time_point begin{1h};
  BOOST_TEST((rate.wait(begin) == 0s));
  rate.take(begin, 15, 10);
  BOOST_TEST((rate.wait(begin) == 600ms)); // five too many, and the next
  BOOST_TEST((rate.wait(begin + 599ms) > 0s));
  BOOST_TEST((rate.wait(begin + 601ms) == 0s));
  rate.take(begin + 2s, 0, 1500);
  BOOST_TEST((rate.wait(begin + 2s) > 500ms));
  BOOST_TEST((rate.wait(begin + 3s) == 0s));
}

BOOST_AUTO_TEST_CASE(peer_that_stops_reading_holds_its_own_stream_up_and_is_let_go) {
  options.limits.stall_deadline = 500ms;
  open();
  auto [outside, inside] = talking();
  BOOST_TEST(
      inside.write(frames::header(frames::kind::direct_message, link::frame_bytes_max, 0, 1, 9)
                   + frames::content("@<>+hf1.leased_tasks", 0)));
  constexpr std::size_t most = 12U * 1024 * 1024; // more than the sockets between can hold
  const auto taken = inside.write_until_full(most);
  BOOST_TEST(taken < most); // what is not read does not pile up in the link
  BOOST_TEST(inside.ended());
  BOOST_TEST(refused(refusal::stalled));
}

BOOST_AUTO_TEST_CASE(certificates_are_read_anew_and_what_is_revoked_is_cut) {
  open();
  auto [outside, inside] = talking();
  BOOST_TEST(outside.server_name() == "node");
  certs.issue("other", link::holder::node);
  for (const auto* ending : {".key", ".crt"})
    std::filesystem::copy_file(certs.file("other", ending), certs.file("node", ending),
                               std::filesystem::copy_options::overwrite_existing);
  inlet->reload();
  BOOST_TEST(inlet->counters().reloads == 1U);
  auto [second, behind_second] = talking();
  BOOST_TEST(second.server_name() == "other");
  BOOST_TEST(outside.write(frames::heartbeat())); // the old one lives on
  BOOST_TEST((inside.read(32) == frames::heartbeat()));

  certs.revoke("ana");
  inlet->reload();
  BOOST_TEST(outside.ended());
  BOOST_TEST(second.ended());
  BOOST_TEST(refused(refusal::revoked, 2));
  auto late = stream::to(inlet->port());
  late.secure(certs.shown("ana"));
  BOOST_TEST(late.ended());
  BOOST_TEST(refused(refusal::revoked, 3));
}

BOOST_AUTO_TEST_CASE(credentials_that_make_no_sense_leave_the_old_ones_in_force) {
  open();
  std::filesystem::copy_file(certs.file("ana", ".key"), certs.file("node", ".key"),
                             std::filesystem::copy_options::overwrite_existing);
  inlet->reload();
  BOOST_TEST(inlet->counters().reloads == 0U);
  BOOST_TEST(logged("link_reload_failed what=key " + certs.file("node", ".key")));
  auto peer = talking();
}

BOOST_AUTO_TEST_CASE(plain_connections_are_for_loopback_alone) {
  options.tls.reset();
  options.address = "0.0.0.0";
  const auto refused_by_us = link::inlet::open(thread, options);
  BOOST_REQUIRE(!refused_by_us);
  BOOST_TEST((refused_by_us.error().code == core::errc::invalid_argument));
  options.address = "127.0.0.1";
  open();
  auto outside = stream::to(inlet->port());
  auto inside = behind.accept();
  BOOST_TEST(outside.write(frames::greeting_of_dialer() + frames::heartbeat()));
  BOOST_TEST(outside.ended()); // and judged all the same
  BOOST_TEST(inlet->counters().faults_of(frame_fault::handshake_missing) == 1U);
}

BOOST_AUTO_TEST_CASE(port_in_use_and_wrong_credentials_are_errors_that_name_what_is_wrong) {
  open();
  auto again = options;
  again.port = inlet->port();
  const auto taken = link::inlet::open(thread, again);
  BOOST_REQUIRE(!taken);
  BOOST_TEST((taken.error().code == core::errc::already_exists));
  auto wrong = options;
  wrong.tls->authority = "/nowhere/ca.crt";
  const auto missing = link::inlet::open(thread, wrong);
  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().detail == "authority /nowhere/ca.crt: No such file or directory");
  std::filesystem::permissions(certs.file("node", ".key"), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  const auto open_key = link::inlet::open(thread, options);
  BOOST_REQUIRE(!open_key);
  BOOST_TEST(open_key.error().detail.find("every user of this machine can read")
             != std::string::npos);
}

// Finding 4: what idle connections, proven and not, cost in work of the thread.
BOOST_AUTO_TEST_CASE(idle_connections_cause_no_work) {
  options.limits.handshake_deadline = 1min;
  options.limits.handshakes_per_address_max = 64;
  open();
  auto [outside, inside] = talking();
  const auto work_of_round_trips = [&, &o = outside, &i = inside] {
    const auto before = thread.wakeups();
    for (int round = 0; round < 200; ++round) {
      o.write(frames::heartbeat());
      i.read(32);
      i.write(frames::heartbeat());
      o.read(32);
    }
    return thread.wakeups() - before;
  };
  const auto alone = work_of_round_trips();
  std::vector<std::pair<stream, stream>> idle;
  std::vector<stream> unproven;
  for (int i = 0; i < 50; ++i) {
    idle.push_back(talking());
    unproven.push_back(stream::to(inlet->port()));
  }
  BOOST_TEST(eventually([&] { return inlet->counters().accepted == 101U; }));
  const auto among_idle = work_of_round_trips();
  BOOST_TEST(among_idle <= alone + alone / 10, alone << " and " << among_idle);
  const auto wakeups = thread.wakeups();
  const auto used = thread.processor_time();
  for (int i = 0; i < 100; ++i)
    thread.call([] {});
  BOOST_TEST(thread.wakeups() - wakeups <= 110U); // these calls, and a timer or two
  BOOST_TEST((thread.processor_time() - used < 100ms));
}

BOOST_AUTO_TEST_CASE(no_new_connections_after_the_end_of_accepting) {
  open();
  auto [outside, inside] = talking();
  inlet->stop_accepting();
  BOOST_CHECK_THROW(stream::to(inlet->port()), std::runtime_error);
  BOOST_TEST(outside.write(frames::heartbeat()));
  BOOST_TEST((inside.read(32) == frames::heartbeat()));
  inlet.reset();
  BOOST_TEST(outside.ended());
  BOOST_TEST(inside.ended());
}

BOOST_AUTO_TEST_SUITE_END()
