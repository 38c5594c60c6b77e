// What more than the writers can take is told to come again, and costs nobody anything.

#include "actors/internal_messages.hpp"
#include "messages/errors.hpp"
#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// Its writers have enough to do with four rows.
struct busy_node : node_with_queue {
  busy_node() {
    prepare().settings.batching.high_water = 4;
    start();
    step = create();
    feed(step, 3);
  }

  /// More than the writers take, while the database is away, from somebody who is not refused.
  void fill_the_writer() {
    core::change much;
    for (int i = 0; i < 20; ++i)
      much.writes.push_back(core::advance_cursor{"nobody", 0, 0});
    system->spawn([this, much](caf::event_based_actor* self) {
      self->send(the_actor("writer"), actors::write_request{{0, {}, 1}, 1, much});
      return caf::behavior{[self](const actors::write_done&) { self->quit(); }};
    });
    settle();
  }

  /// Ends all actors of that name as they end when the writer has no room for a change of theirs.
  void refuse_in_name_of_the_writer(const std::string& name) {
    const auto full = msg::to_error(core::errc::overloaded, "the writer's queue is full");
    for (const auto& each : actors_named(name))
      caf::anon_send(each, caf::exit_msg{the_actor("writer").address(), full});
    settle();
  }

  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(backpressure, busy_node)

// F38
BOOST_AUTO_TEST_CASE(above_the_high_water_mark_requests_are_refused_and_taken_again_below_it) {
  std::vector<msg::assignment> leases;
  for (const auto* who : {"a", "b", "c", "d", "e", "f"})
    leases.push_back(assigned(step, who));
  database->set_reachable(false);
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  for (std::size_t i = 0; i < leases.size(); ++i) {
    answers.push_back(
        send_to_node(judgment(leases[i], std::string(1, static_cast<char>('a' + i)))));
    settle();
  }
  // A judgment weighs two: itself and its event.
  for (std::size_t i = 0; i < answers.size(); ++i)
    BOOST_TEST(answers[i]->arrived() == (i >= 2));
  BOOST_TEST(answers.back()->code() == core::errc::overloaded);
  BOOST_TEST(answers.back()->error->detail == "4 writes are waiting already");
  BOOST_TEST(assign(step, "g").code() == core::errc::overloaded);
  // Reading goes on, and the status says what is the matter.
  const auto full = status();
  BOOST_TEST(full.queued == 4u);
  BOOST_TEST(full.overloaded == 5u);
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(status().queued == 0u);
  BOOST_TEST(answers[0]->value.has_value());
  BOOST_TEST(answers[1]->value.has_value());
  BOOST_TEST(submit(leases[2], "c").value.has_value());
}

BOOST_AUTO_TEST_CASE(a_request_larger_than_the_mark_is_taken_when_nothing_waits) {
  feed(step, 50, 100);
  BOOST_TEST(statistics(step).judgable == 53u);
}

// Requests that had passed the gateway before the writers were busy are turned away by whoever
// would decide, and not after that by the writer, which costs those who decided their memory.
BOOST_AUTO_TEST_CASE(requests_beyond_the_mark_are_turned_away_before_a_decision) {
  prepare().settings.batching.high_water = 1;
  start();
  const auto crowded = create(R"({"name":"crowded","steps":[{"key":"a","judgments_per_unit":1,
    "aggregation":{"method":"incremental","answer":"/answer","labels":["blue","red"]}}]})");
  constexpr std::size_t units = 6;
  feed(crowded, units);
  const auto name_of = [](std::size_t i) { return std::string(1, static_cast<char>('a' + i)); };
  std::vector<msg::assignment> leases;
  for (std::size_t i = 0; i < units; ++i)
    leases.push_back(assigned(crowded, name_of(i)));
  held_back = "unit";
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  std::vector<msg::submit_judgment> judgments;
  for (std::size_t i = 0; i < units; ++i) {
    judgments.push_back(judgment(leases[i], name_of(i)));
    answers.push_back(send_to_node(judgments.back()));
  }
  settle();
  held_back.clear();
  settle();
  const auto turned_away = std::count_if(answers.begin(), answers.end(), [](const auto& one) {
    return one->code() == core::errc::overloaded;
  });
  BOOST_TEST(turned_away == units - 1);
  BOOST_TEST(status().refused == 0u);
  for (std::size_t i = 0; i < units; ++i)
    BOOST_TEST(call(judgments[i]).value.has_value());
  advance(1s);
  for (const auto& result : results(crowded))
    BOOST_TEST((result.state == core::unit_state::finalized));
}

// The same of tasks: each of them fits the queue, and all of them would be more than the writers
// take.
BOOST_AUTO_TEST_CASE(tasks_that_come_at_once_are_turned_away_before_they_are_taken_in) {
  watches_actors = true;
  enqueued(request());
  held_back = "queue";
  std::vector<awaited_answer<msg::enqueue_tasks>> answers;
  for (int i = 0; i < 20; ++i)
    answers.push_back(send_to_node(msg::enqueue_tasks{"mail", {request(), request(), request()}}));
  settle();
  held_back.clear();
  settle();
  const auto taken = std::count_if(answers.begin(), answers.end(),
                                   [](const auto& one) { return one->value.has_value(); });
  BOOST_TEST(taken == 2); // three rows are below the mark, six are not
  BOOST_TEST(answers.back()->code() == core::errc::overloaded);
  BOOST_TEST(status().refused == 0u);
  BOOST_TEST(actors_named("queue").size() == 1u);
  BOOST_TEST(status().queued == 0u);
}

// The writer's last bound, for what nobody turns away before: events that are applied, here.
BOOST_AUTO_TEST_CASE(work_goes_on_after_the_writer_has_refused_what_events_lead_to) {
  watches_actors = true;
  const auto steps = create_steps(
      workflow_json("two", {step_json("first", 1, {"second"}), step_json("second", 1, {})}));
  feed(steps[0], 8);
  for (std::size_t i = 1; i <= 8; ++i) {
    held_back = "consumer";
    work(steps[0], "a" + std::to_string(i));
    database->set_reachable(false);
    fill_the_writer();
    held_back.clear();
    advance(1s);
    BOOST_TEST(count_logged("change_refused") >= i);
    database->set_reachable(true);
    advance(10s);
    BOOST_TEST(statistics(steps[1]).judgable == i);
  }
  BOOST_TEST(!logged("item_set_aside"));
  BOOST_TEST(!logged("unit_parked"));
}

// Simulator seed 17437: it was refused as it started, six times at once.
BOOST_AUTO_TEST_CASE(a_step_starts_behind_a_full_writer_and_is_not_refused_again) {
  watches_actors = true;
  database->set_reachable(false);
  fill_the_writer();
  refuse_in_name_of_the_writer("step");
  BOOST_TEST(count_logged("item_down") == 1U);
  BOOST_TEST(!logged("change_refused"));
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(statistics(step).judgable == 3U);
}

// However often it happens, it is no crash: nothing is set aside, no unit paused, no node ended.
BOOST_AUTO_TEST_CASE(an_end_by_a_full_writer_counts_as_no_crash) {
  watches_actors = true;
  feed(step, 40, 100);
  for (const auto* name : {"step", "unit", "relay", "queue"})
    for (std::size_t i = 0; i < 8; ++i) {
      assigned(step, name + std::to_string(i));
      if (i == 0)
        enqueued(request());
      refuse_in_name_of_the_writer(name);
      advance(1s);
    }
  for (const auto* ending : {"item_set_aside", "unit_parked", "escalate"})
    BOOST_TEST(!logged(ending), ending);
  BOOST_TEST(count_logged("item_down") >= 16U);
  BOOST_TEST(count_logged("unit_down") >= 8U);
  BOOST_TEST(count_logged("child_down") >= 8U);
  for (const auto& result : results(step))
    BOOST_TEST((result.state == core::unit_state::judgable));
}

// I-12: an offer that is turned away keeps nothing: no slot, and no way past the removal of whoever
// asked (simulator seed 4297).
BOOST_AUTO_TEST_CASE(asks_that_come_at_once_are_turned_away_before_they_are_offered_anything) {
  feed(step, 6, 100);
  held_back = "step";
  std::vector<awaited_answer<msg::ask_assignment>> answers;
  std::vector<msg::ask_assignment> asks;
  for (int i = 0; i < 12; ++i) {
    asks.push_back({step, "w" + std::to_string(i), fresh<core::assignment_id>()});
    answers.push_back(send_to_node(asks.back()));
  }
  settle();
  held_back.clear();
  settle();
  const auto granted = std::count_if(answers.begin(), answers.end(),
                                     [](const auto& one) { return one->value.has_value(); });
  BOOST_TEST(granted > 0);
  BOOST_TEST(answers.back()->code() == core::errc::overloaded);
  BOOST_TEST(status().refused == 0u);
  BOOST_REQUIRE(call(msg::remove_contributor{step, asks.back().contributor}).value);
  BOOST_TEST(call(asks.back()).code() == core::errc::not_qualified);
  for (int i = 0; i < 11; ++i)
    BOOST_TEST(call(asks[i]).value.has_value());
  BOOST_TEST(active_leases() == 11u);
}

// Many leases that end at the same moment are more than the writers take at once.
BOOST_AUTO_TEST_CASE(leases_that_end_together_end_one_part_after_the_other) {
  constexpr std::size_t crowd = 60;
  feed(step, crowd, 100);
  for (std::size_t i = 0; i < crowd; ++i)
    assigned(step, "w" + std::to_string(i));
  BOOST_REQUIRE_EQUAL(active_leases(), crowd);
  advance(61s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(status().refused == 0u);
}

// D26, D36: a worker that is turned away when it wants to keep its leases loses them, and what it
// does is done once more: so the busy would be the busier. Extensions come in, and wait for room.
BOOST_AUTO_TEST_CASE(extensions_are_let_in_however_busy_the_writers_are) {
  for (int i = 0; i < 3; ++i)
    enqueued(request());
  const auto tasks = claimed(claim("w1", 3));
  BOOST_REQUIRE_EQUAL(tasks.size(), 3U);
  const auto lease = assigned(step, "a");
  const auto other = assigned(step, "b");
  database->set_reachable(false);
  const auto judged = send_to_node(judgment(lease, "blue"));
  const auto judged_too = send_to_node(judgment(other, "red"));
  advance(1s);
  BOOST_TEST(status().queued == 4U); // each judgment with its event
  std::vector<awaited_answer<msg::extend_tasks>> answers;
  for (const auto& t : tasks)
    answers.push_back(send_to_node(msg::extend_tasks{"mail", "w1", {{t.task, t.token}}}));
  advance(2s);
  for (const auto& answer : answers)
    BOOST_TEST(!answer->arrived());
  BOOST_TEST(status().queued == 7U);
  database->set_reachable(true);
  advance(5s);
  for (const auto& answer : answers) {
    BOOST_REQUIRE(answer->value);
    BOOST_TEST((answer->value->outcomes.front().refusal == core::errc::none));
  }
  BOOST_TEST(status().refused == 0U);
}

// D26: beyond twice the mark they wait in the queue, so that the writers refuse nobody for them.
BOOST_AUTO_TEST_CASE(many_extensions_at_once_are_written_one_part_after_the_other) {
  watches_actors = true;
  constexpr std::size_t crowd = 60;
  for (std::size_t i = 0; i < crowd; ++i)
    enqueued(request());
  const auto tasks = claimed(claim("w1", crowd));
  BOOST_REQUIRE_EQUAL(tasks.size(), crowd);
  const auto extend = [&](std::size_t first, std::size_t last) {
    msg::extend_tasks all{"mail", "w1", {}};
    for (auto i = first; i < last; ++i)
      all.tasks.push_back({tasks[i].task, tasks[i].token});
    return send_to_node(std::move(all));
  };
  advance(20s);
  database->set_reachable(false);
  std::vector<awaited_answer<msg::extend_tasks>> answers;
  for (const auto first : {0U, 20U, 40U})
    answers.push_back(extend(first, first + 20));
  advance(2s);
  BOOST_TEST(status().queued == 20U); // one of them is more than twice the mark, and goes alone
  // A bounded number of requests waits.
  for (std::size_t i = 0; i < 4; ++i)
    answers.push_back(extend(i, i + 1));
  settle();
  for (std::size_t i = 0; i < answers.size(); ++i)
    BOOST_TEST((answers[i]->code() == core::errc::overloaded) == (i >= 5));
  database->set_reachable(true);
  advance(10s);
  for (std::size_t i = 0; i < 5; ++i)
    BOOST_TEST(answers[i]->value.has_value());
  BOOST_TEST(status().refused == 0U);
  BOOST_TEST(actors_named("queue").size() == 1U);
  BOOST_TEST(status().queued == 0U);
  advance(15s); // 47 s after the grant: beyond the first end
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(counts().leased == crowd);
}

// Requests wait for a step that loads, but not without a bound.
BOOST_AUTO_TEST_CASE(a_step_that_cannot_load_lets_a_bounded_number_of_requests_wait) {
  crash(the_actor("step"));
  database->set_reachable(false);
  std::vector<awaited_answer<msg::ask_assignment>> answers;
  for (int i = 0; i < 8; ++i)
    answers.push_back(send_to_node(
        msg::ask_assignment{step, "w" + std::to_string(i), fresh<core::assignment_id>()}));
  advance(1s);
  for (std::size_t i = 0; i < answers.size(); ++i)
    BOOST_TEST((answers[i]->code() == core::errc::overloaded) == (i >= 4));
  database->set_reachable(true);
  advance(10s);
  for (std::size_t i = 0; i < 4; ++i)
    BOOST_TEST(answers[i]->value.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
