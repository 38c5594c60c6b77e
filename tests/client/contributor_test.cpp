#include "client/contributor_agent.hpp"

#include "messages/errors.hpp"
#include "tests/client/inbox.hpp"
#include "tests/client/testing_system.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using holdfast::test::errand;
using holdfast::test::inbox;
using namespace std::chrono_literals;

namespace {

/// What an agent has answered, once it has.
template <class Answer>
struct heard {
  std::optional<Answer> value;
  std::optional<core::errc> refusal;

  bool anything() const { return value || refusal; }
  bool refused_as(core::errc code) const { return refusal == code; }
};

template <class Answer>
using heard_ptr = std::shared_ptr<heard<Answer>>;

struct contributor_fixture {
  contributor_fixture() {
    sched.clock().current_time += 1h; // timers of CAF take zero for "none"
    gateway = system.spawn([this](caf::event_based_actor* self) -> caf::behavior {
      return {asks.keep_in(self),       submissions.keep_in(self), releases.keep_in(self),
              extensions.keep_in(self), ends.keep_in(self),        [](errand& e) { e.run(); }};
    });
    client::contributor_agent_deps deps;
    deps.gateway = caf::actor_cast<msg::gateway_actor>(gateway);
    deps.request_timeout = 1h; // the gateway of the test answers when the test wants
    deps.contributor = "ana";
    deps.now = [this] { return now(); };
    agent = system.spawn(client::contributor_agent, std::move(deps));
    step.value = ids.next(now());
    settle();
  }

  ~contributor_fixture() {
    for (const auto& asker : askers) // some wait for what the test has not answered
      caf::anon_send_exit(asker, caf::exit_reason::kill);
    askers.clear();
    caf::anon_send_exit(gateway, caf::exit_reason::kill);
    settle();
    agent = nullptr;
    asks.clear();
    submissions.clear();
    releases.clear();
    extensions.clear();
    ends.clear();
    gateway = nullptr;
    settle();
  }

  core::instant now() {
    return core::instant{
        std::chrono::duration_cast<core::duration>(sched.clock().now().time_since_epoch())};
  }

  void settle() {
    while (sched.try_run_once()) {
    }
  }

  void advance(std::chrono::milliseconds span) {
    settle();
    for (auto passed = 0ms; passed < span; passed += 50ms) {
      sched.advance_time(50ms);
      settle();
    }
  }

  template <class Answer, class Question>
  heard_ptr<Answer> ask(Question question) {
    auto result = std::make_shared<heard<Answer>>();
    askers.push_back(system.spawn([=](caf::event_based_actor* self) {
      self->request(agent, 36000s, question)
          .then([=](Answer& value) { result->value = std::move(value); },
                [=](const caf::error& error) { result->refusal = msg::failure_of(error).code; });
    }));
    settle();
    return result;
  }

  heard_ptr<client::unit_delivery> next(core::duration wait) {
    return ask<client::unit_delivery>(client::next_unit{step, wait});
  }
  heard_ptr<msg::judgment_accepted> submit(const core::unit_id& unit) {
    return ask<msg::judgment_accepted>(client::submit_unit{unit, R"({"answer":"red"})"});
  }

  template <class Box>
  void refuse(Box& box, core::errc code) {
    box.answer(msg::to_error(code, "the test refuses"));
    settle();
  }

  /// So does the node for this long with whatever is asked for.
  void refuse_for(std::chrono::milliseconds span, core::errc code) {
    for (auto passed = 0ms; passed < span; passed += 50ms) {
      while (asks.size() > 0)
        refuse(asks, code);
      advance(50ms);
    }
    while (asks.size() > 0)
      refuse(asks, code);
  }

  /// Answers the open question for a unit with one.
  core::unit_id grant(std::uint64_t token = 1) {
    msg::assignment given;
    given.id = asks.first().assignment;
    given.step = asks.first().step;
    given.unit.value = ids.next(now());
    given.token = token;
    given.expires_at = now() + 30s;
    asks.answer(given);
    settle();
    return given.unit;
  }

  /// A unit that the agent has delivered.
  core::unit_id take() {
    const auto taken = next(1s);
    const auto unit = grant();
    BOOST_REQUIRE(taken->value);
    BOOST_REQUIRE(taken->value->unit);
    BOOST_TEST((taken->value->unit->unit == unit));
    return unit;
  }

  holdfast::test::testing_system config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  core::uuid_source ids{7};
  inbox<msg::ask_assignment, msg::assignment> asks;
  inbox<msg::submit_judgment, msg::judgment_accepted> submissions;
  inbox<msg::release_assignment, msg::assignment_released> releases;
  inbox<msg::extend_assignment, msg::assignment_extended> extensions;
  inbox<msg::end_session, msg::session_ended> ends;
  caf::actor gateway;
  client::contributor_agent_actor agent;
  core::step_id step;
  std::vector<caf::actor> askers;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(contributor, contributor_fixture)

BOOST_AUTO_TEST_CASE(unit_that_comes_while_somebody_waits_is_delivered) {
  const auto taken = next(10s);
  refuse(asks, core::errc::no_unit_available);
  BOOST_TEST(!taken->anything());
  advance(5s); // the pause is over
  BOOST_REQUIRE(asks.size() == 1U);
  const auto unit = grant();
  BOOST_REQUIRE(taken->value);
  BOOST_REQUIRE(taken->value->unit);
  BOOST_TEST((taken->value->unit->unit == unit));
}

BOOST_AUTO_TEST_CASE(nothing_is_delivered_when_none_has_come_in_time) {
  const auto taken = next(1s);
  refuse_for(950ms, core::errc::no_unit_available);
  BOOST_TEST(!taken->anything());
  refuse_for(50ms, core::errc::no_unit_available);
  BOOST_REQUIRE(taken->value);
  BOOST_TEST(!taken->value->unit);
}

BOOST_AUTO_TEST_CASE(question_that_does_not_wait_has_the_answer_of_the_node) {
  const auto taken = next(0s);
  BOOST_REQUIRE(asks.size() == 1U);
  BOOST_TEST(!taken->anything());
  refuse(asks, core::errc::no_unit_available);
  BOOST_REQUIRE(taken->value);
  BOOST_TEST(!taken->value->unit);
  // when: asked again and again, the node has peace during the pause
  for (int i = 0; i < 10; ++i) {
    const auto again = next(0s);
    BOOST_TEST(again->anything());
  }
  BOOST_TEST(asks.size() == 0U);
}

BOOST_AUTO_TEST_CASE(answer_that_is_under_way_when_the_wait_ends_is_waited_for) {
  const auto taken = next(1s);
  advance(20s);
  BOOST_TEST(!taken->anything());
  grant();
  BOOST_REQUIRE(taken->value);
  BOOST_TEST(taken->value->unit.has_value());
}

// A108: an assignment that was granted and not heard of is asked for under its id
BOOST_AUTO_TEST_CASE(assignment_of_unknown_outcome_is_asked_for_again_with_its_id) {
  const auto taken = next(1s);
  const auto id = asks.first().assignment;
  refuse_for(950ms, core::errc::unavailable);
  BOOST_TEST(!taken->anything()); // a node may be there until then
  refuse_for(50ms, core::errc::unavailable);
  BOOST_TEST(taken->refused_as(core::errc::unavailable));
  BOOST_TEST(asks.size() == 0U); // nobody waits
  advance(30s);
  const auto again = next(1s);
  BOOST_REQUIRE(asks.size() == 1U);
  BOOST_TEST((asks.first().assignment == id));
  grant();
  BOOST_TEST(again->value.has_value());
  // when: that is answered, the next one is another
  next(1s);
  BOOST_REQUIRE(asks.size() == 1U);
  BOOST_TEST((asks.first().assignment != id));
}

BOOST_AUTO_TEST_CASE(refusal_that_no_wait_mends_comes_at_once) {
  for (const auto code :
       {core::errc::not_qualified, core::errc::limit_reached, core::errc::not_found}) {
    const auto taken = next(1h);
    refuse(asks, code);
    BOOST_TEST(taken->refused_as(code));
  }
}

BOOST_AUTO_TEST_CASE(newer_question_takes_the_place_of_the_older_one) {
  const auto older = next(10s);
  const auto newer = next(10s);
  BOOST_REQUIRE(older->value);
  BOOST_TEST(!older->value->unit);
  BOOST_TEST(asks.size() == 1U);
  grant();
  BOOST_REQUIRE(newer->value);
  BOOST_TEST(newer->value->unit.has_value());
}

// A108: one unit, one judgment, however often it is said
BOOST_AUTO_TEST_CASE(judgment_of_unknown_outcome_is_submitted_again_with_its_id) {
  const auto unit = take();
  const auto first = submit(unit);
  const auto said = submissions.first();
  BOOST_TEST(said.token == 1U);
  BOOST_TEST(said.contributor == "ana");
  refuse(submissions, core::errc::unavailable);
  BOOST_TEST(first->refused_as(core::errc::unavailable));
  const auto second = submit(unit);
  BOOST_REQUIRE(submissions.size() == 1U);
  BOOST_TEST((submissions.first().judgment == said.judgment));
  submissions.answer(msg::judgment_accepted{said.judgment, true, false});
  settle();
  BOOST_REQUIRE(second->value);
  BOOST_TEST(second->value->repeated);
  // then: it is held no more, and nobody is asked
  BOOST_TEST(submit(unit)->refused_as(core::errc::lease_not_held));
  BOOST_TEST(submissions.size() == 0U);
}

BOOST_AUTO_TEST_CASE(unit_stays_held_after_a_payload_that_was_refused) {
  const auto unit = take();
  const auto bad = submit(unit);
  refuse(submissions, core::errc::payload_invalid);
  BOOST_TEST(bad->refused_as(core::errc::payload_invalid));
  submit(unit);
  BOOST_TEST(submissions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(unit_whose_lease_is_over_is_dropped) {
  for (const auto code : {core::errc::lease_expired, core::errc::stale_token,
                          core::errc::lease_not_held, core::errc::already_judged}) {
    const auto unit = take();
    submit(unit);
    refuse(submissions, code);
    BOOST_TEST(submit(unit)->refused_as(core::errc::lease_not_held));
    BOOST_TEST(submissions.size() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(unit_is_given_back_or_declined_under_its_token) {
  const auto unit = take();
  const auto released = ask<msg::assignment_released>(client::release_unit{unit, true});
  BOOST_REQUIRE(releases.size() == 1U);
  BOOST_TEST(releases.first().decline);
  BOOST_TEST(releases.first().token == 1U);
  releases.answer(msg::assignment_released{unit});
  settle();
  BOOST_TEST(released->value.has_value());
  BOOST_TEST(submit(unit)->refused_as(core::errc::lease_not_held));
}

BOOST_AUTO_TEST_CASE(extension_leaves_the_unit_held) {
  const auto unit = take();
  const auto more = ask<msg::assignment_extended>(client::extend_unit{unit});
  extensions.answer(msg::assignment_extended{unit, now() + 60s});
  settle();
  BOOST_REQUIRE(more->value);
  const auto none = ask<msg::assignment_extended>(client::extend_unit{unit});
  refuse(extensions, core::errc::not_extendable);
  BOOST_TEST(none->refused_as(core::errc::not_extendable));
  submit(unit);
  BOOST_TEST(submissions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(unit_that_is_granted_after_the_end_is_given_back_at_once) {
  const auto held = take();
  const auto taken = next(10s);
  const auto left = ask<msg::session_ended>(client::leave_session{});
  BOOST_REQUIRE(taken->value);
  BOOST_TEST(!taken->value->unit);
  ends.answer(msg::session_ended{1});
  settle();
  BOOST_TEST(left->value.has_value());
  BOOST_TEST(submit(held)->refused_as(core::errc::lease_not_held));
  const auto unit = grant(4);
  BOOST_REQUIRE(releases.size() == 1U);
  BOOST_TEST((releases.first().unit == unit));
  BOOST_TEST(releases.first().token == 4U);
  BOOST_TEST(!releases.first().decline);
}

BOOST_AUTO_TEST_CASE(waiting_caller_is_told_of_the_end_of_the_connection) {
  const auto taken = next(1h);
  caf::anon_send_exit(gateway, caf::exit_reason::kill);
  settle();
  BOOST_TEST(taken->refused_as(core::errc::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()
