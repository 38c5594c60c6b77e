// What a queue does about tasks that it has forgotten, and the database has not: D23, I-9.

#include "core/queue.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

namespace holdfast::core {

namespace {

struct queue_shown_what_is_due {
  queue_shown_what_is_due() {
    q.name = "work";
    enqueue made;
    for (int i = 0; i < 2; ++i) {
      new_task task;
      task.spec.id = {ids.next(now)};
      task.spec.type = "send";
      all.push_back(task.spec.id);
      made.tasks.push_back(task);
    }
    decide(q, std::move(made), now);
  }

  std::vector<task_id> claimed() {
    claim c;
    c.worker = "w";
    c.id = {ids.next(now)};
    c.most = 10;
    return decide(q, c, now).answer;
  }

  uuid_source ids{1};
  instant now{std::chrono::seconds{100}};
  queue q;
  std::vector<task_id> all;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(overlooked, queue_shown_what_is_due)

BOOST_AUTO_TEST_CASE(waiting_units_keep_their_places) {
  const auto found = look_for(q, all, now);
  BOOST_TEST(found.found.empty());
  BOOST_TEST(found.unknown.empty());
  BOOST_TEST(claimed().size() == 2U);
  BOOST_TEST(claimed().empty());
}

BOOST_AUTO_TEST_CASE(leased_paused_and_delayed_tasks_are_left_alone) {
  q.tasks.at(all[0]).progress.paused = true;
  claimed();
  release_task later;
  later.worker = "w";
  later.task = {all[1], 1};
  later.next_action = now + std::chrono::hours{1};
  decide(q, later, now);
  BOOST_TEST(look_for(q, all, now).found.empty());
  BOOST_TEST(claimed().empty());
}

BOOST_AUTO_TEST_CASE(lost_units_wait_again) {
  q.ready.remove(q.tasks.at(all[0]));
  BOOST_TEST(claimed().size() == 1U);
  const auto found = look_for(q, all, now);
  BOOST_TEST((found.found == std::vector<task_id>{all[0]}));
  BOOST_TEST(found.unknown.empty());
  BOOST_TEST((claimed() == std::vector<task_id>{all[0]}));
}

BOOST_AUTO_TEST_CASE(missing_units_are_named) {
  const task_id unknown{ids.next(now)};
  const auto found = look_for(q, {unknown, all[0]}, now);
  BOOST_TEST((found.unknown == std::vector<task_id>{unknown}));
  BOOST_TEST(found.found.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core
