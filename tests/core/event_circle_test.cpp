// Events of tasks that become tasks, whose ends are events: no circle of queues is closed.

#include "core/event_circle.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast::core;

namespace {

/// Brings events of tasks of `from` into the queue `to`.
webhook_definition group_of(std::string to, std::vector<queue_name> from,
                            std::vector<event_type> types = {}) {
  webhook_definition made;
  made.tasks = event_tasks{std::move(to), "event"};
  made.queues = std::move(from);
  made.types = std::move(types);
  return made;
}

std::string circle(const webhook_definition& added, const std::vector<webhook_definition>& others) {
  const auto why = check_circle(added, others);
  if (why.code == errc::none)
    return {};
  BOOST_TEST((why.code == errc::payload_invalid));
  const std::string begin = "through the queues ";
  const auto from = why.detail.find(begin) + begin.size();
  return why.detail.substr(from, why.detail.find(';') - from);
}

} // namespace

BOOST_AUTO_TEST_SUITE(circles_of_events)

BOOST_AUTO_TEST_CASE(a_group_wants_ends_of_tasks_that_it_names_and_never_its_own) {
  BOOST_TEST(wants_ends_of(group_of("a", {"b"}), "b"));
  BOOST_TEST(!wants_ends_of(group_of("a", {"b"}), "c"));
  BOOST_TEST(!wants_ends_of(group_of("a", {}), "b"));
  BOOST_TEST(wants_ends_of(group_of("a", {}, {event_type::task_dead}), "b"));
  BOOST_TEST(!wants_ends_of(group_of("a", {}, {event_type::task_dead}), "a"));
  BOOST_TEST(!wants_ends_of(group_of("a", {}, {event_type::unit_finalized}), "b"));
  auto of_a_workflow = group_of("a", {}, {event_type::task_dead});
  of_a_workflow.workflow.value.bytes.fill(1);
  BOOST_TEST(!wants_ends_of(of_a_workflow, "b"));
}

BOOST_AUTO_TEST_CASE(a_receiver_over_http_wants_all_and_closes_no_circle) {
  webhook_definition posted;
  posted.url = "https://example.com/";
  BOOST_TEST(wants_ends_of(posted, "a"));
  BOOST_TEST(circle(posted, {group_of("a", {"b"}), group_of("c", {"a"})}) == "");
}

BOOST_AUTO_TEST_CASE(queues_in_a_row_are_no_circle) {
  BOOST_TEST(circle(group_of("a", {"b"}), {}) == "");
  BOOST_TEST(circle(group_of("c", {"b"}), {group_of("b", {"a"}), group_of("d", {"c", "b"})}) == "");
  BOOST_TEST(circle(group_of("a", {}), {group_of("b", {})}) == "");
}

BOOST_AUTO_TEST_CASE(the_group_that_closes_a_circle_is_told_its_queues) {
  BOOST_TEST(circle(group_of("a", {"b"}), {group_of("b", {"a"})}) == "a, b, a");
  BOOST_TEST(circle(group_of("a", {"c"}), {group_of("b", {"a"}), group_of("c", {"b", "x"})})
             == "a, b, c, a");
  BOOST_TEST(circle(group_of("a", {}, {event_type::task_dead}),
                    {group_of("b", {}, {event_type::task_dead})})
             == "a, b, a");
}

// It may be replaced by one that leaves the circle open.
BOOST_AUTO_TEST_CASE(a_circle_of_others_is_not_blamed_on_the_one_that_is_added) {
  BOOST_TEST(circle(group_of("x", {"a"}), {group_of("a", {"b"}), group_of("b", {"a"})}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
