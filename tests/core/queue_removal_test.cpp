// Queues that are removed: which tasks are in the way, and that nothing comes into one afterwards.

#include "core/queue_schedules.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <variant>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

struct queue_to_remove {
  queue_to_remove() {
    q.name = "work";
    q.revision = 1;
  }

  new_task task() {
    new_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = "report";
    made.spec.version = "1.0";
    made.spec.body = "{}";
    return made;
  }
  task_id added() {
    const auto outcomes = decide(q, enqueue{{task()}}, now).answer;
    BOOST_REQUIRE((outcomes.at(0).refusal == errc::none));
    return outcomes.at(0).task;
  }
  decision<schedule_put> put_daily() {
    schedule_plan plan;
    plan.cron = "@daily";
    plan.times = *parse_cron(plan.cron);
    plan.zone = find_utc("UTC");
    plan.task = task();
    plan.task.spec.id = {};
    return decide(q, put_schedule{"daily", "{}", plan}, now);
  }
  void refuses(const remove_queue& command, const std::string& numbers) {
    const auto refused = decide(q, command, now);
    BOOST_TEST((refused.refusal == errc::wrong_state));
    BOOST_TEST(refused.detail.find(numbers) != std::string::npos, refused.detail);
    BOOST_TEST(refused.changes.empty());
    BOOST_TEST(!q.removed);
    BOOST_TEST((check_not_removed(q).code == errc::none));
  }

  uuid_source ids{5};
  instant now = beginning;
  queue q;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_removal, queue_to_remove)

BOOST_AUTO_TEST_CASE(queue_without_tasks_is_removed_with_its_schedules) {
  BOOST_REQUIRE(put_daily().answer.changed);
  const auto removed = decide(q, remove_queue{}, now);
  BOOST_TEST((removed.refusal == errc::none));
  BOOST_TEST(removed.answer == 1U);
  BOOST_REQUIRE_EQUAL(removed.changes.writes.size(), 1U);
  const auto* gone = std::get_if<delete_queue>(&removed.changes.writes.front());
  BOOST_REQUIRE(gone);
  BOOST_TEST(gone->name == "work");
  BOOST_TEST((gone->at == now));
  BOOST_TEST((next_schedule(q) == instant::max()));
  BOOST_TEST(due_tasks(q, now + 48h).empty());
}

BOOST_AUTO_TEST_CASE(live_tasks_keep_their_queue_whether_waiting_leased_or_paused) {
  added();
  const auto paused = added();
  refuses({}, "2 live tasks, 0 of them leased, and 0 staged ones");
  decide(q, task_verb::pause, paused, now);
  claim one;
  one.worker = "w";
  one.id = {ids.next(now)};
  BOOST_REQUIRE_EQUAL(decide(q, one, now).answer.size(), 1U);
  refuses({}, "2 live tasks, 1 of them leased, and 0 staged ones; finish or cancel them");
  for (int left = 2; left > 0; --left) {
    refuses({}, std::to_string(left) + " live tasks");
    const auto next = q.tasks.begin()->first;
    decide(q, task_verb::cancel, next, now);
  }
  BOOST_TEST((decide(q, remove_queue{}, now).refusal == errc::none));
}

BOOST_AUTO_TEST_CASE(staged_and_unreadable_tasks_keep_their_queue) {
  refuses({3, 0}, "0 live tasks, 0 of them leased, and 3 staged ones");
  refuses({0, 2}, "2 live tasks, 0 of them leased, and 0 staged ones");
  refuses({0, 2}, "the rows of 2 live ones");
}

BOOST_AUTO_TEST_CASE(nothing_comes_into_a_queue_that_was_removed) {
  const auto finished = added();
  const auto spec = q.tasks.at(finished).spec;
  decide(q, task_verb::cancel, finished, now);
  decide(q, remove_queue{}, now);
  const auto made = decide(q, enqueue{{task(), task()}}, now);
  BOOST_REQUIRE_EQUAL(made.answer.size(), 2U);
  for (const auto& outcome : made.answer) {
    BOOST_TEST((outcome.refusal == errc::not_found));
    BOOST_TEST(outcome.detail == "queue work was removed; make it with put_queue");
  }
  BOOST_TEST(made.changes.empty());
  const auto scheduled = put_daily();
  BOOST_TEST((scheduled.refusal == errc::not_found));
  BOOST_TEST(scheduled.changes.empty());
  const auto redriven = decide(q, redrive_task{spec, {}, 1}, now);
  BOOST_TEST((redriven.answer.refusal == errc::not_found));
  BOOST_TEST(redriven.changes.empty());
  BOOST_TEST(q.tasks.empty());
}

BOOST_AUTO_TEST_SUITE_END()
