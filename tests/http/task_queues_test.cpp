#include "http/task_queues.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>

namespace holdfast::test {

namespace {

core::task_id numbered_task(std::uint8_t number) {
  core::task_id id;
  id.value.bytes.back() = number;
  return id;
}

BOOST_AUTO_TEST_SUITE(task_queues)

BOOST_AUTO_TEST_CASE(a_queue_is_found_again) {
  http::task_queues queues{4};
  BOOST_TEST(!queues.find(numbered_task(1)));
  queues.remember(numbered_task(1), "mail");
  queues.remember(numbered_task(2), "fax");
  BOOST_TEST(queues.find(numbered_task(1)).value_or("") == "mail");
  BOOST_TEST(queues.find(numbered_task(2)).value_or("") == "fax");
}

BOOST_AUTO_TEST_CASE(tasks_that_nobody_asked_for_lately_are_forgotten) {
  http::task_queues queues{4};
  for (std::uint8_t number = 1; number <= 5; ++number) {
    queues.remember(numbered_task(number), "mail");
    // The first is asked for all the time.
    BOOST_TEST(queues.find(numbered_task(1)).has_value());
  }
  BOOST_TEST(!queues.find(numbered_task(2)));
  BOOST_TEST(queues.find(numbered_task(5)).has_value());
}

BOOST_AUTO_TEST_CASE(no_more_entries_are_kept_than_allowed) {
  constexpr std::uint8_t allowed = 8;
  http::task_queues queues{allowed};
  for (std::uint8_t number = 1; number <= 100; ++number)
    queues.remember(numbered_task(number), "mail");
  // From the latest on: a task that is found in the old generation moves to the young one.
  std::uint8_t found = 0;
  for (std::uint8_t number = 100; number > 0; --number)
    found = static_cast<std::uint8_t>(found + (queues.find(numbered_task(number)) ? 1 : 0));
  BOOST_TEST(found <= allowed);
  BOOST_TEST(found >= allowed / 2);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
