// The backstop of all timers, through a whole node in virtual time: A179, B34, B45, B50, C41, I-9.

#include "actors/internal_messages.hpp"
#include "tests/support/queue_fixture.hpp"

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_without_timers : node_with_queue {
  /// Moves the clock by `d`; no queue and no step is woken.
  void advance_without_timers(core::duration d) {
    const auto end = now() + d;
    settle();
    lost += lose_next_timers();
    while (advance_to_next_timer(end)) {
      settle();
      lost += lose_next_timers();
    }
  }

  /// The aggregation takes all events of the step's shard for delivered.
  void lose_judgments_of(const core::step_id& step) {
    const auto shard = core::shard_of(step, node->settings.shards);
    bool written = false;
    const auto thief = system->spawn([&](caf::event_based_actor* self) {
      core::change passed;
      passed.writes.push_back(core::advance_cursor{"aggregation", shard,
                                                   database->tables().shards.at(shard).event_seq});
      self->send(the_actor("writer"), actors::write_request{{shard, {}, 1}, 1, passed});
      return caf::behavior{[&, self](const actors::write_done& done) {
        written = done.failure.code == core::errc::none;
        self->quit();
      }};
    });
    settle();
    BOOST_REQUIRE(written);
    restart();
    held_back.clear();
    settle();
  }

  std::size_t lost = 0;
  core::duration interval = node->settings.sweep_interval;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rescuer, node_without_timers)

BOOST_AUTO_TEST_CASE(lease_of_a_task_ends_although_its_timer_was_lost) {
  enqueued(request());
  const auto held = one("w1"); // for 30 s
  advance_without_timers(30s + interval);
  BOOST_TEST(lost > 0U);
  BOOST_TEST(counts().leased == 0U);
  BOOST_TEST((complete("w1", held) == core::errc::lease_not_held));
  BOOST_TEST(one("w2").token == held.token + 1);
}

BOOST_AUTO_TEST_CASE(worker_that_waits_gets_a_task_when_it_is_due_although_the_timer_was_lost) {
  auto later = request();
  later.run_at = now() + 40s;
  enqueued(later);
  auto patient = claim("w1");
  patient.wait = 60s;
  const auto answer = send_to_node(patient);
  advance_without_timers(40s - interval);
  BOOST_TEST(!answer->arrived());
  advance_without_timers(2 * interval);
  BOOST_TEST(lost > 0U);
  BOOST_REQUIRE(answer->value);
  BOOST_TEST(answer->value->tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE(lease_on_a_unit_ends_although_its_timer_was_lost) {
  const auto step = create();
  feed(step, 1);
  assigned(step, "ana"); // for 60 s
  advance_without_timers(60s + interval);
  BOOST_TEST(lost > 0U);
  BOOST_TEST(active_leases() == 0U);
}

BOOST_AUTO_TEST_CASE(nothing_is_found_while_timers_work) {
  enqueued(request());
  one("w1");
  advance(10 * interval);
  BOOST_TEST(counts().leased == 0U);
  BOOST_TEST(!logged("item_overdue"));
}

// What the queue believes is not what the database says: a person has changed the row.
BOOST_AUTO_TEST_CASE(queue_that_does_not_know_what_is_overdue_is_read_anew) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"lease": {"ttl_seconds": 3600}})"}).value);
  const auto id = enqueued(request());
  one("w1");
  database->end_lease_at(id, now() + 1s);
  advance(3 * interval);
  BOOST_TEST(counts().leased == 1U);
  advance(2 * interval);
  BOOST_TEST(logged("item_overdue"));
  BOOST_TEST(logged("item_stuck"));
  BOOST_TEST(counts().leased == 0U);
  BOOST_TEST((one("w2").task == id));
}

// D23, I-9: due in the database, and its queue does not have it.
BOOST_AUTO_TEST_CASE(task_that_its_queue_has_forgotten_is_found) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"lease": {"ttl_seconds": 3600}})"}).value);
  const auto known = enqueued(request());
  auto row = database->tables().tasks.at(known);
  row.spec.id = fresh<core::task_id>();
  database->put_task(row);
  auto patient = claim("w1", 10);
  BOOST_TEST(claimed(patient).size() == 1U);
  patient = claim("w2");
  patient.wait = 3 * interval;
  const auto answer = send_to_node(patient);
  advance(2 * interval);
  BOOST_TEST(logged("task_found"));
  BOOST_REQUIRE(answer->value);
  BOOST_REQUIRE(answer->value->tasks.size() == 1U);
  BOOST_TEST((answer->value->tasks.front().task == row.spec.id));
}

// What has just ended is not taken for forgotten, nor is what waits for a worker.
BOOST_AUTO_TEST_CASE(tasks_that_come_and_go_or_wait_are_not_found) {
  for (int i = 0; i < 60; ++i) {
    enqueued(request());
    if (i % 2 == 0)
      BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
    advance(interval / 10 + 17ms);
  }
  BOOST_TEST(!logged("task_found"));
  BOOST_TEST(counts().live == 30U);
}

BOOST_AUTO_TEST_CASE(database_that_is_away_does_not_keep_it_from_looking) {
  enqueued(request());
  one("w1");
  database->set_reachable(false);
  advance_without_timers(30s + interval);
  BOOST_TEST(logged("sweep_failed"));
  database->set_reachable(true);
  advance_without_timers(interval / 3); // before it looks again
  BOOST_TEST(counts().leased == 0U);
}

// A179, I-5: the event of the last judgment is lost
BOOST_AUTO_TEST_CASE(full_unit_that_nobody_aggregates_is_found) {
  const auto step = create(workflow_json("w", {step_json("label", 1, {})}));
  feed(step, 1);
  const auto held = assigned(step, "ana");
  held_back = "consumer";
  BOOST_REQUIRE(submit(held, "ana").value);
  lose_judgments_of(step);
  advance(interval + interval / 2);
  BOOST_TEST(statistics(step).finalized == 0U);
  BOOST_TEST(!logged("units_not_aggregated"));
  advance(interval);
  BOOST_TEST(logged("units_not_aggregated"));
  BOOST_TEST(statistics(step).finalized == 1U);
  BOOST_TEST(events(core::event_type::unit_finalized).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A179, I-10: and with it the word that more are wanted
BOOST_AUTO_TEST_CASE(unit_that_wants_more_judgments_is_offered_although_the_event_was_lost) {
  const auto step = create(R"({"name": "w", "steps": [{"key": "label",
      "stopping": {"min": 2, "max": 4, "stop_at": 0.7}}]})");
  feed(step, 1);
  work(step, "ana", "red");
  const auto held = assigned(step, "bob");
  held_back = "consumer";
  BOOST_REQUIRE(submit(held, "bob", "blue").value);
  lose_judgments_of(step);
  advance(interval + interval / 2);
  BOOST_TEST(assign(step, "eve").code() == core::errc::no_unit_available);
  advance(interval);
  BOOST_TEST(logged("units_not_aggregated"));
  BOOST_TEST((assigned(step, "eve").unit == held.unit));
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(units_that_are_aggregated_in_time_are_not_found) {
  const auto step = create();
  feed(step, 2);
  for (const auto* who : {"ana", "bob"})
    work(step, who);
  const auto lease = assigned(step, "ana");
  for (int look = 0; look < 3; ++look) {
    advance(interval);
    BOOST_REQUIRE(extend(lease, "ana").value);
  }
  BOOST_TEST(statistics(step).finalized == 1U);
  BOOST_TEST(!logged("units_not_aggregated"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
