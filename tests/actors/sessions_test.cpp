// Lease owners: limits, the end of sessions, lost connections and the grace time.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/send.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct session_node : node_fixture {
  session_node() {
    prepare().settings.leases_max = 3;
    start();
    step = create();
    feed(step, 8);
    BOOST_REQUIRE(node->settings.session_grace == 30s);
    them = std::make_unique<client>(*this);
  }
  ~session_node() { them.reset(); }

  /// Asks over the second connection.
  answer<msg::assignment> their_ask(const std::string& who) {
    const auto a =
        them->send(node->gateway, msg::ask_assignment{step, who, fresh<core::assignment_id>()});
    settle();
    return *a;
  }

  /// The codes of all that is told, asked over the first connection.
  template <class Request>
  std::string why(const Request& request) {
    const auto told = call(request);
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    std::string codes;
    for (const auto& one : told.value->reasons)
      codes += (codes.empty() ? "" : " ") + one.code;
    return codes;
  }

  core::step_id step;
  std::unique_ptr<client> them; ///< A second connection.
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(sessions, session_node)

BOOST_AUTO_TEST_CASE(a_contributor_holds_at_most_leases_max_leases) {
  std::vector<msg::assignment> held;
  for (int i = 0; i < 3; ++i)
    held.push_back(assigned(step, "ana"));
  const auto refused = assign(step, "ana");
  BOOST_TEST(refused.code() == core::errc::limit_reached);
  BOOST_TEST(refused.error->detail == "at most 3 leases at a time");
  BOOST_TEST(assign(step, "bob").value.has_value()); // the limit is each contributor's own
  BOOST_REQUIRE(submit(held[0], "ana").value);
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(assign(step, "ana").code() == core::errc::limit_reached);
  BOOST_REQUIRE(release(held[1], "ana").value);
  BOOST_TEST(assign(step, "ana").value.has_value());
}

BOOST_AUTO_TEST_CASE(leases_that_ran_out_do_not_count_and_extended_ones_do) {
  std::vector<msg::assignment> held;
  for (int i = 0; i < 3; ++i)
    held.push_back(assigned(step, "ana"));
  advance(30s);
  BOOST_REQUIRE(extend(held[0], "ana").value);
  advance(30s);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(assign(step, "ana").code() == core::errc::limit_reached);
}

BOOST_AUTO_TEST_CASE(asks_under_way_count_and_repeating_one_does_not) {
  BOOST_REQUIRE(release(assigned(step, "ana"), "ana").value);
  database->set_reachable(false);
  const msg::ask_assignment first{step, "ana", fresh<core::assignment_id>()};
  const auto once = send_to_node(first);
  const auto twice = send_to_node(first);
  const auto thrice = send_to_node(first);
  const auto second = send_to_node(msg::ask_assignment{step, "ana", fresh<core::assignment_id>()});
  const auto third = send_to_node(msg::ask_assignment{step, "ana", fresh<core::assignment_id>()});
  const auto fourth = send_to_node(msg::ask_assignment{step, "ana", fresh<core::assignment_id>()});
  settle();
  BOOST_TEST(fourth->code() == core::errc::limit_reached);
  database->set_reachable(true);
  advance(5s);
  for (const auto& a : {once, twice, thrice, second, third})
    BOOST_TEST(a->value.has_value());
  BOOST_TEST(active_leases() == 3u);
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_taken_away_counts_no_more) {
  const auto first = assigned(step, "ana");
  assigned(step, "ana");
  assigned(step, "ana");
  BOOST_REQUIRE(assign(step, "ana").code() == core::errc::limit_reached);
  BOOST_REQUIRE(change(first, core::unit_verb::cancel).value);
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(assign(step, "ana").code() == core::errc::limit_reached);
}

// The step still knows whom to tell of the lease's end.
BOOST_AUTO_TEST_CASE(a_lease_that_is_taken_away_after_its_unit_crashed_counts_no_more) {
  const auto first = assigned(step, "ana");
  assigned(step, "ana");
  assigned(step, "ana");
  for (const auto& unit : actors_named("unit"))
    crash(unit);
  advance(1s);
  BOOST_REQUIRE(assign(step, "ana").code() == core::errc::limit_reached);
  BOOST_REQUIRE(change(first, core::unit_verb::cancel).value);
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(assign(step, "ana").code() == core::errc::limit_reached);
}

// What is told of the limit is what decides about asks.
BOOST_AUTO_TEST_CASE(explanations_say_when_the_limit_is_reached) {
  const auto first = assigned(step, "ana");
  assigned(step, "ana");
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work");
  const auto last = assigned(step, "ana");
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work leases_full");
  BOOST_TEST(why(msg::explain_contributor{step, "bob"}) == "work");
  BOOST_TEST(why(msg::explain_unit{step, last.unit, "ana"})
             == "leased waiting held_by_them leases_full");
  BOOST_TEST(why(msg::explain_unit{step, last.unit, "bob"}) == "leased waiting open_to_them");
  BOOST_TEST(why(msg::explain_unit{step, last.unit, ""}) == "leased waiting");
  BOOST_REQUIRE(release(first, "ana").value);
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work");
  assigned(step, "ana");
  BOOST_REQUIRE(change(last, core::unit_verb::cancel).value);
  assigned(step, "ana");
  // What is over is nothing that the limit keeps from anybody.
  BOOST_TEST(why(msg::explain_unit{step, last.unit, "ana"}) == "canceled");
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work leases_full");
  BOOST_REQUIRE((assign(step, "ana").code() == core::errc::limit_reached));
  advance(60s); // they ran out
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work");
}

BOOST_AUTO_TEST_CASE(to_be_explained_neither_begins_a_session_nor_keeps_one) {
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work");
  BOOST_TEST(status().sessions == 0u);
  for (int i = 0; i < 3; ++i)
    BOOST_REQUIRE(their_ask("ana").value);
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work leases_full");
  them->disconnect();
  settle();
  advance(20s);
  BOOST_TEST(why(msg::explain_contributor{step, "ana"}) == "work leases_full");
  advance(10s - 1us);
  BOOST_TEST(active_leases() == 3u);
  advance(1us);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(status().sessions == 0u);
}

// The step answers when all that it has decided is durable.
BOOST_AUTO_TEST_CASE(an_explanation_under_way_survives_the_end_of_the_session) {
  for (int i = 0; i < 3; ++i)
    assigned(step, "ana");
  advance(59s);
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const auto sealed = send_to_node(msg::seal_step{step});
  settle();
  const auto told = send_to_node(msg::explain_contributor{step, "ana"});
  advance(2s); // the leases run out
  BOOST_TEST(!told->arrived());
  BOOST_REQUIRE(call(msg::end_session{"ana"}).value);
  BOOST_TEST(status().sessions == 1u);
  database->set_commit_faults(nullptr);
  advance(5s);
  BOOST_REQUIRE(told->value);
  BOOST_TEST(told->value->reasons.back().code == "leases_full");
  BOOST_TEST(status().sessions == 0u);
}

// The node keeps its shards, but its writer gets nothing through.
BOOST_AUTO_TEST_CASE(an_ask_that_waits_too_long_is_told_so_and_still_counts) {
  const auto no_commits = [](const persistence::write_batch&) {
    return persistence::commit_fault::unavailable;
  };
  database->set_commit_faults(no_commits);
  const msg::ask_assignment ask{step, "ana", fresh<core::assignment_id>()};
  const auto early = send_to_node(ask);
  advance(20s);
  const auto late = send_to_node(ask);
  advance(9s);
  BOOST_TEST(!early->arrived());
  advance(2s);
  BOOST_TEST(early->code() == core::errc::unavailable);
  BOOST_TEST(late->code() == core::errc::unavailable);
  const auto last = send_to_node(ask);
  database->set_commit_faults(nullptr);
  advance(5s);
  BOOST_REQUIRE(last->value);
  BOOST_TEST(active_leases() == 1u);
  const auto again = call(ask);
  BOOST_REQUIRE(again.value);
  BOOST_TEST((again.value->unit == last->value->unit));
}

BOOST_AUTO_TEST_CASE(an_ask_that_waits_for_hours_is_told_so_as_often_as_it_is_repeated) {
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const msg::ask_assignment ask{step, "ana", fresh<core::assignment_id>()};
  for (int i = 0; i < 3; ++i) {
    const auto waiting = send_to_node(ask);
    advance(61min);
    BOOST_TEST(waiting->code() == core::errc::unavailable);
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_a_session_gives_all_leases_back_at_once) {
  const auto first = assigned(step, "ana");
  BOOST_REQUIRE(extend(first, "ana").error); // nothing to gain yet
  assigned(step, "ana");
  advance(30s);
  BOOST_REQUIRE(extend(first, "ana").value);
  advance(20s);
  const auto ended = call(msg::end_session{"ana"});
  BOOST_REQUIRE(ended.value);
  BOOST_TEST(ended.value->released == 2u);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(submit(first, "ana").code() == core::errc::lease_not_held);
  BOOST_TEST(status().sessions == 1u); // that submission has begun another one
  BOOST_REQUIRE(call(msg::end_session{"ana"}).value);
  BOOST_TEST(status().sessions == 0u);
}

// finding C12: the steps tell the session that its leases are over before that is durable
BOOST_AUTO_TEST_CASE(
    the_end_of_a_session_says_how_many_leases_it_gave_back_when_commits_take_time) {
  for (int i = 0; i < 3; ++i)
    assigned(step, "ana");
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const auto ended = send_to_node(msg::end_session{"ana"});
  advance(3s);
  BOOST_TEST(!ended->arrived());
  database->set_commit_faults(nullptr);
  advance(5s);
  BOOST_REQUIRE(ended->value);
  BOOST_TEST(ended->value->released == 3u);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(status().sessions == 0u);
}

BOOST_AUTO_TEST_CASE(an_extended_lease_is_given_back_too_after_its_first_end) {
  const auto lease = assigned(step, "ana");
  advance(50s);
  BOOST_REQUIRE(extend(lease, "ana").value);
  advance(20s);
  const auto ended = call(msg::end_session{"ana"});
  BOOST_REQUIRE(ended.value);
  BOOST_TEST(ended.value->released == 1u);
  BOOST_TEST(active_leases() == 0u);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_session_that_never_began_releases_nothing) {
  const auto ended = call(msg::end_session{"nobody"});
  BOOST_REQUIRE(ended.value);
  BOOST_TEST(ended.value->released == 0u);
  BOOST_TEST(status().sessions == 0u);
}

BOOST_AUTO_TEST_CASE(a_lost_connection_gives_leases_back_exactly_after_the_grace_time) {
  BOOST_REQUIRE(their_ask("ana").value);
  BOOST_REQUIRE(their_ask("ana").value);
  assigned(step, "bob"); // over the other connection
  advance(10s);
  them->disconnect();
  settle();
  advance(30s - 1us);
  BOOST_TEST(active_leases() == 3u);
  advance(1us);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(status().sessions == 1u);
}

BOOST_AUTO_TEST_CASE(coming_back_within_the_grace_time_keeps_leases) {
  const auto lease = their_ask("ana");
  BOOST_REQUIRE(lease.value);
  them->disconnect();
  advance(29s);
  advance(1s - 1us);
  them = std::make_unique<client>(*this);
  BOOST_REQUIRE(their_ask("ana").value);
  advance(20s);
  BOOST_TEST(active_leases() == 2u);
  BOOST_TEST(submit(*lease.value, "ana").value.has_value());
}

BOOST_AUTO_TEST_CASE(every_lost_connection_has_a_grace_time_of_its_own) {
  BOOST_REQUIRE(their_ask("ana").value);
  them->disconnect();
  advance(20s);
  them = std::make_unique<client>(*this);
  BOOST_REQUIRE(their_ask("ana").value);
  them->disconnect();
  settle();
  advance(30s - 1us); // the first grace time would be over by now; its lease is at 50 s of 60
  BOOST_TEST(active_leases() == 2u);
  advance(1us);
  BOOST_TEST(active_leases() == 0u);
}

// finding B5
BOOST_AUTO_TEST_CASE(lost_connection_gives_back_no_lease_of_another_client_of_the_contributor) {
  const auto mine = assigned(step, "ana");
  BOOST_REQUIRE(their_ask("ana").value);
  advance(20s);
  them->disconnect();
  settle();
  advance(30s - 1us);
  BOOST_TEST(active_leases() == 2u);
  advance(1us);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(status().sessions == 1u);
  BOOST_TEST(submit(mine, "ana").value.has_value());
}

// finding B5
BOOST_AUTO_TEST_CASE(lease_is_the_one_of_the_client_that_extends_it) {
  const auto theirs = their_ask("ana");
  BOOST_REQUIRE(theirs.value);
  BOOST_REQUIRE(their_ask("ana").value);
  advance(20s);
  BOOST_REQUIRE(extend(*theirs.value, "ana").value);
  them->disconnect();
  settle();
  advance(30s);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(submit(*theirs.value, "ana").value.has_value());
}

// finding B5: a lease that comes after the grace time of the client that asked for it
BOOST_AUTO_TEST_CASE(lease_granted_to_a_client_that_is_gone_is_given_back_and_no_other) {
  const auto mine = assigned(step, "ana");
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  them->send(node->gateway, msg::ask_assignment{step, "ana", fresh<core::assignment_id>()});
  advance(1s);
  them->disconnect();
  advance(31s);
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(submit(mine, "ana").value.has_value());
}

// finding B5
BOOST_AUTO_TEST_CASE(end_of_a_session_gives_back_the_leases_of_all_clients_of_the_contributor) {
  assigned(step, "ana");
  BOOST_REQUIRE(their_ask("ana").value);
  const auto ended = call(msg::end_session{"ana"});
  BOOST_REQUIRE(ended.value);
  BOOST_TEST(ended.value->released == 2u);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(status().sessions == 0u);
}

BOOST_AUTO_TEST_CASE(one_connection_may_speak_for_many_contributors) {
  for (const auto* who : {"a", "b", "c"})
    BOOST_REQUIRE(their_ask(who).value);
  BOOST_TEST(status().sessions == 3u);
  them->disconnect();
  advance(30s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(status().sessions == 0u);
}

BOOST_AUTO_TEST_CASE(a_lease_granted_after_the_session_ended_is_given_back) {
  BOOST_REQUIRE(release(assigned(step, "ana"), "ana").value);
  const auto ended_by = [&](bool connection) {
    database->set_reachable(false);
    const auto late =
        them->send(node->gateway, msg::ask_assignment{step, "ana", fresh<core::assignment_id>()});
    advance(100ms);
    awaited_answer<msg::end_session> ended;
    if (connection)
      them->disconnect();
    else
      ended = me->send(node->gateway, msg::end_session{"ana"});
    advance(connection ? 29s : 100ms); // asks are given up after 30 s
    advance(800ms);
    database->set_reachable(true);
    advance(5s);
    return ended;
  };
  const auto ended = ended_by(false);
  BOOST_REQUIRE(ended->value);
  BOOST_TEST(active_leases() == 0u);
  ended_by(true);
  advance(30s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(status().sessions == 0u);
}

BOOST_AUTO_TEST_CASE(an_owner_that_crashed_costs_knowledge_and_no_lease) {
  const auto lease = assigned(step, "ana");
  crash(the_actor("owner"));
  settle();
  BOOST_TEST(status().sessions == 0u);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(submit(lease, "ana").value.has_value());
}

// finding B6
BOOST_AUTO_TEST_CASE(session_that_is_of_no_use_any_more_ends_although_its_client_stays) {
  seal(step);
  for (int i = 0; i < 50; ++i)
    call(msg::extend_assignment{step, fresh<core::unit_id>(), "name-" + std::to_string(i), 1});
  BOOST_TEST(status().sessions == 50U);
  advance(2 * node->settings.session_grace);
  BOOST_TEST(status().sessions == 0U);
}

// finding B6: the step's next life does not know whom to tell
BOOST_AUTO_TEST_CASE(session_ends_after_its_lease_ran_out_under_the_next_life_of_the_step) {
  assigned(step, "ana");
  crash(the_actor("step"));
  advance(1s);
  BOOST_TEST(status().sessions == 1U);
  advance(60s + 2 * node->settings.session_grace);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(status().sessions == 0U);
}

BOOST_AUTO_TEST_CASE(session_that_holds_a_lease_stays) {
  assigned(step, "ana");
  advance(50s);
  BOOST_TEST(status().sessions == 1U);
  BOOST_TEST(active_leases() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct node_with_few_sessions : node_fixture {
  node_with_few_sessions() {
    auto& settings = prepare().settings;
    settings.sessions_max = 5;
    settings.sessions_per_client = 3;
    start();
    step = create();
    feed(step, 20);
    them = std::make_unique<client>(*this);
  }
  ~node_with_few_sessions() { them.reset(); }

  answer<msg::assignment> their_ask(const std::string& who) {
    const auto a =
        them->send(node->gateway, msg::ask_assignment{step, who, fresh<core::assignment_id>()});
    settle();
    return *a;
  }

  core::step_id step;
  std::unique_ptr<client> them;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(bounded_sessions, node_with_few_sessions)

// finding B6
BOOST_AUTO_TEST_CASE(client_asks_for_a_bounded_number_of_contributors) {
  for (const auto* who : {"ana", "bob", "eve"})
    BOOST_TEST(assign(step, who).value.has_value());
  const auto refused = assign(step, "dan");
  BOOST_TEST((refused.code() == core::errc::limit_reached));
  BOOST_TEST(refused.error->detail.find("owner.sessions_per_client") != std::string::npos);
  BOOST_TEST(assign(step, "ana").value.has_value()); // who has one keeps it
  BOOST_TEST(their_ask("dan").value.has_value());    // others are not concerned
}

// finding B6
BOOST_AUTO_TEST_CASE(node_has_a_bounded_number_of_sessions) {
  for (const auto* who : {"ana", "bob", "eve"})
    BOOST_TEST(assign(step, who).value.has_value());
  for (const auto* who : {"dan", "fay"})
    BOOST_TEST(their_ask(who).value.has_value());
  const auto refused = their_ask("gil");
  BOOST_TEST((refused.code() == core::errc::overloaded));
  BOOST_TEST(refused.error->detail.find("owner.sessions_max") != std::string::npos);
  BOOST_TEST(status().sessions == 5U);
  // There is room again when one has ended.
  BOOST_REQUIRE(call(msg::end_session{"ana"}).value);
  advance(1s);
  BOOST_TEST(their_ask("gil").value.has_value());
}

// review: CAF's hash of a null address crashes
BOOST_AUTO_TEST_CASE(request_without_a_sender_begins_and_ends_a_session_that_counts_for_no_client) {
  const auto gateway = caf::actor_cast<caf::actor>(node->gateway);
  for (const auto* who : {"ana", "bob", "eve", "dan"})
    caf::anon_send(gateway, msg::ask_assignment{step, who, fresh<core::assignment_id>()});
  settle();
  BOOST_TEST(status().sessions == 4U);
  BOOST_TEST(active_leases() == 4U);
  BOOST_TEST(their_ask("fay").value.has_value()); // the client's own first one
  for (const auto* who : {"ana", "bob", "eve", "dan", "nobody"})
    caf::anon_send(gateway, msg::end_session{who});
  advance(1s);
  BOOST_TEST(status().sessions == 1U);
  BOOST_TEST(active_leases() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
