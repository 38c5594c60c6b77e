// Leases through all actors of one node, each boundary to the microsecond of virtual time.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct leasing_node : node_fixture {
  leasing_node() {
    start();
    step = create();
  }
  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(leases, leasing_node)

// A67, A117, I-9: a lease is held while now < expires_at.
BOOST_AUTO_TEST_CASE(a_lease_is_over_at_the_instant_it_names_and_not_a_microsecond_earlier) {
  feed(step, 1);
  const auto ana = assigned(step, "ana");
  const auto bob = assigned(step, "bob");
  BOOST_TEST((ana.expires_at == now() + 60s));
  advance(60s - 1us);
  BOOST_TEST(unit(step, ana.unit).assignment_count == 2u);
  BOOST_TEST(assign(step, "eve").code() == core::errc::no_unit_available);
  BOOST_TEST(submit(bob, "bob").value.has_value());
  advance(1us);
  BOOST_TEST(unit(step, ana.unit).assignment_count == 0u);
  BOOST_TEST(submit(ana, "ana").code() == core::errc::lease_not_held);
  // The slot is offered to others right then.
  BOOST_TEST(assign(step, "eve").value.has_value());
  BOOST_TEST(statistics(step).expired_leases == 1u);
}

// G-5: an expiry bars for `regrant_after`, not for ever.
BOOST_AUTO_TEST_CASE(after_an_expiry_the_same_contributor_waits_for_regrant_after) {
  feed(step, 1);
  const auto first = assigned(step, "ana");
  advance(60s);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  advance(30s - 1us);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  advance(1us);
  const auto second = assigned(step, "ana");
  BOOST_TEST((second.unit == first.unit));
  BOOST_TEST(second.token > first.token);
}

BOOST_AUTO_TEST_CASE(an_expired_lease_cannot_be_submitted_extended_or_used_with_its_old_token) {
  feed(step, 1);
  const auto first = assigned(step, "ana");
  advance(90s);
  BOOST_TEST(extend(first, "ana").code() == core::errc::lease_not_held);
  const auto second = assigned(step, "ana");
  BOOST_TEST(submit(first, "ana").code() == core::errc::stale_token);
  BOOST_TEST(extend(first, "ana").code() == core::errc::stale_token);
  BOOST_TEST(release(first, "ana").code() == core::errc::stale_token);
  BOOST_TEST(submit(second, "ana").value.has_value());
}

// D26
BOOST_AUTO_TEST_CASE(a_lease_is_extended_up_to_total_max_and_then_no_further) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  const auto granted_at = now();
  advance(40s);
  const auto once = extend(lease, "ana");
  BOOST_REQUIRE(once.value);
  BOOST_TEST((once.value->expires_at == granted_at + 100s));
  advance(40s);
  const auto twice = extend(lease, "ana");
  BOOST_REQUIRE(twice.value);
  BOOST_TEST((twice.value->expires_at == granted_at + 120s));
  BOOST_TEST(extend(lease, "ana").code() == core::errc::not_extendable);
  advance(40s - 1us);
  BOOST_TEST(active_leases() == 1u);
  advance(1us);
  BOOST_TEST(active_leases() == 0u);
}

BOOST_AUTO_TEST_CASE(an_extended_lease_survives_its_first_end_and_can_be_submitted) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  advance(59s);
  BOOST_REQUIRE(extend(lease, "ana").value);
  advance(30s);
  BOOST_TEST(submit(lease, "ana").value.has_value());
}

BOOST_AUTO_TEST_CASE(a_released_unit_is_offered_to_the_same_contributor_again) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  BOOST_REQUIRE(release(lease, "ana").value);
  BOOST_TEST(release(lease, "ana").value.has_value()); // repeating it is harmless
  const auto again = assigned(step, "ana");
  BOOST_TEST((again.unit == lease.unit));
  BOOST_TEST(again.token == lease.token + 1);
}

BOOST_AUTO_TEST_CASE(a_declined_unit_is_never_offered_to_that_contributor_again) {
  feed(step, 1);
  BOOST_REQUIRE(release(assigned(step, "ana"), "ana", true).value);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  BOOST_TEST(assign(step, "bob").value.has_value());
  advance(1h);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  restart();
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  BOOST_TEST(assign(step, "eve").value.has_value());
}

BOOST_AUTO_TEST_CASE(repeating_an_ask_gives_the_same_lease_and_takes_no_second_slot) {
  feed(step, 3);
  const msg::ask_assignment request{step, "ana", fresh<core::assignment_id>()};
  const auto first = call(request);
  const auto second = call(request);
  BOOST_REQUIRE(first.value);
  BOOST_REQUIRE(second.value);
  BOOST_TEST((first.value->unit == second.value->unit));
  BOOST_TEST(first.value->token == second.value->token);
  BOOST_TEST((first.value->expires_at == second.value->expires_at));
  BOOST_TEST(active_leases() == 1u);
}

BOOST_AUTO_TEST_CASE(repeating_an_ask_while_the_grant_is_not_durable_gives_the_same_lease) {
  feed(step, 3);
  BOOST_REQUIRE(release(assigned(step, "ana"), "ana").value); // the units are in memory now
  const msg::ask_assignment request{step, "ana", fresh<core::assignment_id>()};
  database->set_reachable(false);
  const auto first = send_to_node(request);
  advance(1s);
  const auto second = send_to_node(request);
  advance(1s);
  BOOST_TEST(!first->arrived());
  BOOST_TEST(!second->arrived());
  database->set_reachable(true);
  advance(5s);
  BOOST_REQUIRE(first->value);
  BOOST_REQUIRE(second->value);
  BOOST_TEST((first->value->unit == second->value->unit));
  BOOST_TEST(first->value->token == second->value->token);
  BOOST_TEST(active_leases() == 1u);
}

BOOST_AUTO_TEST_CASE(repeating_an_ask_after_a_restart_of_the_node_gives_the_same_lease) {
  feed(step, 3);
  const msg::ask_assignment request{step, "ana", fresh<core::assignment_id>()};
  const auto before = call(request);
  BOOST_REQUIRE(before.value);
  restart();
  const auto after = call(request);
  BOOST_REQUIRE(after.value);
  BOOST_TEST((after.value->unit == before.value->unit));
  BOOST_TEST(after.value->token == before.value->token);
  BOOST_TEST((after.value->expires_at == before.value->expires_at));
}

BOOST_AUTO_TEST_CASE(repeating_an_ask_after_a_crash_of_the_step_gives_the_same_lease) {
  feed(step, 3);
  const msg::ask_assignment request{step, "ana", fresh<core::assignment_id>()};
  const auto before = call(request);
  BOOST_REQUIRE(before.value);
  crash(the_actor("step"));
  const auto after = call(request);
  BOOST_REQUIRE(after.value);
  BOOST_TEST((after.value->unit == before.value->unit));
  BOOST_TEST(after.value->token == before.value->token);
}

// A53, A123
BOOST_AUTO_TEST_CASE(repeating_a_submission_is_accepted_once_and_says_so) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  const auto request = judgment(lease, "ana");
  const auto first = call(request);
  const auto second = call(request);
  BOOST_REQUIRE(first.value);
  BOOST_REQUIRE(second.value);
  BOOST_TEST(!first.value->repeated);
  BOOST_TEST(second.value->repeated);
  restart();
  const auto third = call(request);
  BOOST_REQUIRE(third.value);
  BOOST_TEST(third.value->repeated);
  BOOST_TEST(unit(step, lease.unit).judgment_count == 1u);
  BOOST_TEST(events(core::event_type::judgment_received).size() == 1u);
}

BOOST_AUTO_TEST_CASE(another_answer_under_the_id_of_a_judgment_is_refused) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  const auto request = judgment(lease, "ana");
  BOOST_REQUIRE(call(request).value);
  auto other = request;
  other.payload = R"({"answer":"blue"})";
  BOOST_TEST(call(other).code() == core::errc::already_exists);
  restart();
  BOOST_TEST(call(other).code() == core::errc::already_exists);
  BOOST_TEST(call(request).value->repeated);
  BOOST_TEST(unit(step, lease.unit).judgment_count == 1u);
}

BOOST_AUTO_TEST_CASE(a_second_judgment_of_the_same_contributor_is_refused) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  BOOST_REQUIRE(submit(lease, "ana").value);
  BOOST_TEST(submit(lease, "ana", "blue").code() == core::errc::already_judged);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  BOOST_TEST(release(lease, "ana").code() == core::errc::already_judged);
}

BOOST_AUTO_TEST_CASE(a_wrong_token_changes_nothing) {
  feed(step, 1);
  auto lease = assigned(step, "ana");
  lease.token += 7;
  BOOST_TEST(submit(lease, "ana").code() == core::errc::stale_token);
  BOOST_TEST(extend(lease, "ana").code() == core::errc::stale_token);
  BOOST_TEST(release(lease, "ana").code() == core::errc::stale_token);
  BOOST_TEST(submit(lease, "bob").code() == core::errc::lease_not_held);
  BOOST_TEST(active_leases() == 1u);
  BOOST_TEST(unit(step, lease.unit).judgment_count == 0u);
}

// I-3
BOOST_AUTO_TEST_CASE(tokens_of_a_unit_grow_with_every_grant_and_across_restarts) {
  feed(step, 1);
  core::token last = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto* who : {"ana", "bob"}) {
      const auto lease = assigned(step, who);
      BOOST_TEST(lease.token > last);
      last = lease.token;
      BOOST_REQUIRE(release(lease, who).value);
    }
    restart();
  }
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-1
BOOST_AUTO_TEST_CASE(no_more_leases_are_granted_than_there_are_slots) {
  feed(step, 2);
  for (const auto* who : {"a", "b", "c", "d"}) // two units of two slots
    BOOST_TEST(assign(step, who).value.has_value());
  BOOST_TEST(assign(step, "e").code() == core::errc::no_unit_available);
  BOOST_TEST(active_leases() == 4u);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(many_leases_end_each_at_its_own_instant) {
  feed(step, 50);
  std::vector<core::instant> ends;
  for (int i = 0; i < 50; ++i) {
    ends.push_back(assigned(step, "w" + std::to_string(i)).expires_at);
    advance(7us);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    advance(ends[i] - now() - 1us);
    BOOST_TEST(active_leases() == ends.size() - i);
    advance(1us);
    BOOST_TEST(active_leases() == ends.size() - i - 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
