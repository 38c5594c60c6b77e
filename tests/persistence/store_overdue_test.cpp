// How the store finds leases that should be over: B34, B50, C41.

#include "tests/persistence/task_fixture.hpp"

#include <algorithm>

namespace holdfast::test {

BOOST_AUTO_TEST_SUITE(store_overdue)

BOOST_FIXTURE_TEST_CASE_TEMPLATE(queues_and_steps_with_leases_that_have_ended, World, worlds,
                                 task_fixture<World>) {
  BOOST_TEST(is(this->write({this->queue_row("idle"), this->queue_row("busy")}), committed));
  for (const auto* queue : {"mail", "mail", "busy"})
    this->given_task_lease(this->given_task(queue), "w1", 1); // until at(70)
  this->given_task("idle");
  const auto step = this->given_step();
  this->given_lease(this->given_unit(step.id), "ana", 1); // the same

  const auto found = [&](int when, std::uint32_t limit = 10) {
    return value_of(this->db->find_overdue(at(when), limit));
  };
  BOOST_TEST(found(70).empty());
  const std::vector<core::hosted_item> all{core::queue_name{"busy"}, core::queue_name{"mail"},
                                           step.id};
  BOOST_TEST((found(71) == all));
  const std::vector<core::hosted_item> of_each{core::queue_name{"busy"}, step.id};
  BOOST_TEST((found(71, 1) == of_each));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(lease_that_was_ended_is_not_overdue, World, worlds,
                                 task_fixture<World>) {
  const auto task = this->given_task();
  this->given_task_lease(task, "w1", 1);
  BOOST_TEST(is(this->end(task, 1), committed));
  BOOST_TEST(value_of(this->db->find_overdue(at(1000), 10)).empty());
}

// D23
BOOST_FIXTURE_TEST_CASE_TEMPLATE(tasks_that_are_due_and_that_nobody_has, World, worlds,
                                 task_fixture<World>) {
  const auto first = this->given_task(); // due at(1)
  this->given_task_lease(this->given_task(), "w1", 1);
  auto paused = this->new_task();
  paused.progress.paused = true;
  auto later = this->new_task();
  later.progress.next_action = at(50);
  BOOST_TEST(is(this->write({paused, later, this->queue_row("other")}), committed));
  const auto last = this->given_task("other");
  const auto found = [&](core::task_id after, int when, std::uint32_t limit) {
    auto page = value_of(this->db->find_due(after, at(when), limit));
    std::sort(page.due.begin(), page.due.end(),
              [](const auto& a, const auto& b) { return a.task < b.task; });
    return page;
  };
  const auto all = found({}, 50, 10);
  BOOST_REQUIRE(all.due.size() == 2U);
  BOOST_TEST((all.due[0].task == first));
  BOOST_TEST(all.due[0].queue == "mail");
  BOOST_TEST((all.due[1].task == last));
  BOOST_TEST(all.due[1].queue == "other");
  BOOST_TEST(!all.last);
  BOOST_TEST(found({}, 51, 10).due.size() == 3U);
  BOOST_TEST(found({}, 1, 10).due.empty()); // due at, not before
  // Page by page: of the first three one is due.
  const auto page = found({}, 50, 3);
  BOOST_REQUIRE(page.due.size() == 1U);
  BOOST_TEST((page.last == paused.spec.id));
  const auto next = found(page.last, 50, 3);
  BOOST_REQUIRE(next.due.size() == 1U);
  BOOST_TEST((next.due[0].task == last));
  BOOST_TEST(!next.last);
  const auto none = found(last, 50, 3);
  BOOST_TEST(none.due.empty());
  BOOST_TEST(!none.last);
}

// A page that ends with the last task says so with the next one.
BOOST_FIXTURE_TEST_CASE_TEMPLATE(page_of_due_tasks_that_is_full_to_the_last_one, World, worlds,
                                 task_fixture<World>) {
  this->given_task();
  const auto second = this->given_task();
  const auto page = value_of(this->db->find_due({}, at(50), 2));
  BOOST_TEST(page.due.size() == 2U);
  BOOST_TEST((page.last == second));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
