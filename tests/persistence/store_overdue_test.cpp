// How the store finds leases that should be over: B34, B50, C41.

#include "tests/persistence/task_fixture.hpp"

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

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
