// Requests that wait for the end of a task, for a unit or for a claim, without sockets, nodes and a
// database: their results, the ends of their time, the hanging up of clients, the end of the node.

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "http/open_waits.hpp"
#include "messages/task_messages.hpp"
#include "messages/work_messages.hpp"
#include "tests/http/fake_gateway.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

struct waits_fixture : door_fixture {
  waits_fixture() {
    gateway.holds<msg::await_task>();
    gateway.holds<msg::await_units>();
    gateway.holds<msg::claim_tasks>();
    gateway.answers<msg::release_assignment>({});
    gateway.answers<msg::release_task>({});
    gateway.fails<msg::ask_assignment>(core::errc::no_unit_available, "");
    gateway.on<msg::get_task>([this](const msg::get_task&) { return task_as(is_over); });
  }

  /// Time passes at the door.
  void pass(core::duration span) {
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler()).advance_time(span);
    settle();
  }

  msg::task_view task_as(bool over) const {
    msg::task_view view;
    view.task = task;
    view.queue = "mail";
    view.status = over ? "COMPLETED" : "EXECUTING";
    if (over)
      view.finished_at = now;
    return view;
  }

  msg::assignment granted(const msg::ask_assignment& asked) const {
    return {asked.assignment, asked.step, unit, 41, now + 60s, "{}", ""};
  }

  std::shared_ptr<fake_call> wait_for_task() {
    return send("producer", "GET", "/v1/tasks/" + core::to_string(task) + "?wait=20");
  }
  std::shared_ptr<fake_call> wait_for_unit(const std::string& who,
                                           const std::string& query = "?wait=20") {
    return send("contributor:" + who, "POST", "/v1/assignments" + query,
                R"({"step_id": ")" + core::to_string(step) + R"("})");
  }

  const core::task_id task{*core::parse_uuid("018f0000-0000-7000-8000-0000000000f1")};
  const core::step_id step{*core::parse_uuid("018f0000-0000-7000-8000-0000000000a1")};
  const core::unit_id unit{*core::parse_uuid("018f0000-0000-7000-8000-0000000000b1")};
  bool is_over = false;
};

BOOST_FIXTURE_TEST_SUITE(waits, waits_fixture)

// --- tasks ---

BOOST_AUTO_TEST_CASE(a_task_that_has_ended_is_told_at_once) {
  is_over = true;
  BOOST_TEST(reply_of(wait_for_task()).json.at("status") == "COMPLETED");
  BOOST_TEST(gateway.seen<msg::await_task>().empty());
}

BOOST_AUTO_TEST_CASE(the_end_of_a_task_is_told_when_its_queue_tells_it) {
  const auto call = wait_for_task();
  BOOST_TEST(call->answers.empty());
  const auto& asked = gateway.only<msg::await_task>();
  BOOST_TEST(asked.queue == "mail");
  BOOST_CHECK(asked.task == task);
  BOOST_CHECK(asked.wait == 20s);
  is_over = true;
  gateway.answer_held<msg::await_task>(msg::task_awaited{task, false});
  const auto reply = reply_of(call);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("status") == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(a_task_that_does_not_end_in_time_is_answered_204) {
  const auto call = wait_for_task();
  gateway.answer_held<msg::await_task>(msg::task_awaited{task, true});
  const auto reply = reply_of(call);
  BOOST_TEST(reply.status == 204U);
  BOOST_TEST(reply.body.empty());
}

BOOST_AUTO_TEST_CASE(a_task_that_its_queue_does_not_know_yet_is_to_be_asked_for_again) {
  const auto call = wait_for_task();
  gateway.answer_held<msg::await_task>(msg::task_awaited{task, false});
  const auto reply = reply_of(call);
  BOOST_TEST(reply.status == 503U);
  BOOST_TEST(!reply.header("Retry-After").empty());
}

BOOST_AUTO_TEST_CASE(a_client_that_hangs_up_ends_its_wait_for_a_task) {
  const auto call = wait_for_task();
  call->abandon();
  settle();
  const auto& asked = gateway.seen<msg::await_task>();
  BOOST_REQUIRE_EQUAL(asked.size(), 2U);
  BOOST_CHECK(asked[1].id == asked[0].id);
  BOOST_CHECK(asked[1].wait == 0s);
  is_over = true;
  gateway.answer_held<msg::await_task>(msg::task_awaited{task, false});
  settle();
  BOOST_TEST(call->answers.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_point_that_is_unknown_is_refused) {
  const auto reply =
      ask("producer", "GET", "/v1/tasks/" + core::to_string(task) + "?wait=20&until=started");
  BOOST_TEST(reply.status == 400U);
  BOOST_TEST(contains(reply.detail(), "until"), reply.detail());
}

// --- units ---

BOOST_AUTO_TEST_CASE(a_request_that_does_not_wait_is_told_that_there_is_no_unit) {
  BOOST_TEST(reply_of(wait_for_unit("ann", "")).code() == "no_unit_available");
  BOOST_TEST(reply_of(wait_for_unit("ann", "?wait=0")).status == 204U);
  BOOST_TEST(gateway.seen<msg::await_units>().empty());
}

BOOST_AUTO_TEST_CASE(a_unit_that_comes_into_the_step_goes_to_a_request_that_waits) {
  const auto call = wait_for_unit("ann");
  gateway.answer_held<msg::await_units>(msg::units_awaited{7});
  settle();
  BOOST_TEST(call->answers.empty());
  BOOST_TEST(gateway.seen<msg::await_units>().back().seen == 7U);

  gateway.on<msg::ask_assignment>([this](const msg::ask_assignment& m) { return granted(m); });
  gateway.answer_held<msg::await_units>(msg::units_awaited{8});
  const auto reply = reply_of(call);
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("unit_id") == core::to_string(unit));
  // All requests of one wait have one id, so none takes a second unit.
  const auto& asked = gateway.seen<msg::ask_assignment>();
  BOOST_TEST(asked.size() == 3U);
  for (const auto& one : asked)
    BOOST_CHECK(one.assignment == asked.front().assignment);
}

BOOST_AUTO_TEST_CASE(one_wait_at_the_step_serves_all_requests_of_a_node) {
  for (int i = 0; i < 30; ++i)
    wait_for_unit("c" + std::to_string(i));
  BOOST_TEST(gateway.seen<msg::await_units>().size() == 1U);
  gateway.answer_held<msg::await_units>(msg::units_awaited{7});
  settle();
  const auto before = gateway.seen<msg::ask_assignment>().size();
  BOOST_TEST(before == 30U + 8U); // the first of the line ask again, and are all refused
  pass(1s);
  gateway.answer_held<msg::await_units>(msg::units_awaited{8});
  settle();
  BOOST_TEST(gateway.seen<msg::ask_assignment>().size() == before + 8U);
}

BOOST_AUTO_TEST_CASE(requests_go_on_asking_while_units_are_granted) {
  std::vector<std::shared_ptr<fake_call>> calls;
  for (int i = 0; i < 20; ++i)
    calls.push_back(wait_for_unit("c" + std::to_string(i)));
  gateway.on<msg::ask_assignment>([this](const msg::ask_assignment& m) { return granted(m); });
  gateway.answer_held<msg::await_units>(msg::units_awaited{7});
  settle();
  for (const auto& one : calls)
    BOOST_TEST(reply_of(one).status == 200U);
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_unit_ends_when_its_time_is_over) {
  const auto call = wait_for_unit("ann");
  pass(19s);
  BOOST_TEST(call->answers.empty());
  pass(1s);
  BOOST_TEST(reply_of(call).status == 204U);
}

BOOST_AUTO_TEST_CASE(a_unit_that_is_granted_after_the_client_hung_up_goes_back) {
  const auto call = wait_for_unit("ann");
  gateway.holds<msg::ask_assignment>();
  gateway.answer_held<msg::await_units>(msg::units_awaited{7});
  settle();
  call->abandon();
  settle();
  BOOST_TEST(gateway.seen<msg::release_assignment>().empty());
  gateway.answer_held<msg::ask_assignment>(granted(gateway.seen<msg::ask_assignment>().back()));
  settle();
  const auto& back = gateway.only<msg::release_assignment>();
  BOOST_CHECK(back.unit == unit);
  BOOST_TEST(back.contributor == "ann");
  BOOST_TEST(back.token == 41U);
  BOOST_TEST(!back.decline);
  BOOST_TEST(call->answers.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_refusal_of_the_contributor_ends_the_wait) {
  const auto call = wait_for_unit("ann");
  gateway.fails<msg::ask_assignment>(core::errc::not_qualified, "removed");
  gateway.answer_held<msg::await_units>(msg::units_awaited{7});
  BOOST_TEST(reply_of(call).code() == "not_qualified");
}

BOOST_AUTO_TEST_CASE(a_step_whose_host_is_away_for_a_moment_does_not_end_the_wait) {
  const auto call = wait_for_unit("ann");
  gateway.fails<msg::ask_assignment>(core::errc::unavailable, "moving");
  gateway.answer_held<msg::await_units>(core::failure{core::errc::unavailable, "moving"});
  settle();
  pass(500ms);
  BOOST_TEST(call->answers.empty());
  gateway.on<msg::ask_assignment>([this](const msg::ask_assignment& m) { return granted(m); });
  gateway.answer_held<msg::await_units>(msg::units_awaited{7});
  BOOST_TEST(reply_of(call).status == 200U);
}

// --- the end of the node, and bounds ---

BOOST_AUTO_TEST_CASE(all_waits_are_answered_when_the_node_drains) {
  const auto for_task = wait_for_task();
  const auto for_unit = wait_for_unit("ann");
  const auto claim =
      send("worker", "POST", "/v1/queues/mail/claims?wait=20", R"({"worker": "w1"})");
  door.drain();
  settle();
  for (const auto& call : {for_task, for_unit, claim}) {
    const auto reply = reply_of(call);
    BOOST_TEST(reply.status == 503U);
    BOOST_TEST(reply.code() == "unavailable");
    BOOST_TEST(!reply.header("Retry-After").empty());
  }
  // The claim is called off, so that nothing is leased to nobody.
  BOOST_TEST(gateway.seen<msg::claim_tasks>().size() == 2U);
  BOOST_CHECK(gateway.seen<msg::claim_tasks>().back().wait == 0s);
  BOOST_TEST(door.waits().count() == 0U);
  // No other wait begins; a request that does not wait is served.
  BOOST_TEST(reply_of(wait_for_task()).status == 503U);
  BOOST_TEST(ask("producer", "GET", "/v1/tasks/" + core::to_string(task)).status == 200U);
}

BOOST_AUTO_TEST_CASE(the_number_of_waits_is_bounded) {
  const auto waits = std::make_shared<http::open_waits>(2);
  auto first = waits->begin([] {});
  const auto second = waits->begin([] {});
  BOOST_REQUIRE(first);
  BOOST_REQUIRE(second);
  const auto third = waits->begin([] {});
  BOOST_REQUIRE(!third);
  BOOST_CHECK(third.error().code == core::errc::overloaded);
  *first = nullptr;
  BOOST_TEST(static_cast<bool>(waits->begin([] {})));
}

BOOST_AUTO_TEST_CASE(a_wait_that_is_answered_leaves_its_place) {
  const auto call = wait_for_task();
  BOOST_TEST(door.waits().count() == 1U);
  gateway.answer_held<msg::await_task>(msg::task_awaited{task, true});
  BOOST_TEST(reply_of(call).status == 204U);
  BOOST_TEST(door.waits().count() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
