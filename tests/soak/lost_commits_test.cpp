// The checker excuses the acknowledgements of commits that the database itself has lost, and no
// others: the record was in the database and not in the copy that took its place, and the
// acknowledgement came before all nodes had noticed.

#include "bench/soak/checker.hpp"
#include "core/uuid.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

/// One record of each kind that was acknowledged at the tenth second. A copy that was cut off at
/// the eighth has the task as unfinished, and nothing else; at the twelfth all nodes had read it.
struct lossy {
  lossy() {
    clients.enqueued = {{task, told::yes, at(1s)}, {lost_task, told::yes, at(10s)}};
    clients.completed = {{task, 1, "w1-1", told::yes, false, at(10s)}};
    clients.failed = {{lost_task, told::yes, at(10s)}};
    clients.judgments = {{judgment, unit, "ana", told::yes, at(10s)}};
    clients.rows = {{step, "row-1", told::yes, at(10s)}};
    had.tasks[task] = {false, true, "w1-1", false};
    had.tasks[lost_task] = {false, false, "", true};
    had.judgments[judgment] = {unit, "ana"};
    had.rows = {{step, "row-1"}};
    kept.tasks[task] = {true, false, "", false};
  }

  static clock::time_point at(clock::duration since) { return clock::time_point{} + since; }
  /// In the end the database has the records of the copy, unless a test changes them.
  checked result() const {
    auto lost = lost_between(had, kept);
    lost.from = at(8s);
    lost.until = at(12s);
    return check(clients, stored.value_or(kept), {lost});
  }
  /// Has everything told at another time.
  void tell_at(clock::duration since) {
    clients.enqueued[1].at = clients.completed[0].at = clients.failed[0].at =
        clients.judgments[0].at = clients.rows[0].at = at(since);
  }

  core::uuid_source ids{5};
  core::task_id task{ids.next({})};
  core::task_id lost_task{ids.next({})};
  core::unit_id unit{ids.next({})};
  core::judgment_id judgment{ids.next({})};
  core::step_id step{ids.next({})};
  client_history clients;
  final_state had;
  final_state kept;
  std::optional<final_state> stored;
};

constexpr std::uint64_t one_of_each = 5;

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_lost_commits, lossy)

BOOST_AUTO_TEST_CASE(acknowledgements_of_lost_commits_are_excused) {
  const auto report = result();
  BOOST_TEST(report.violations.empty());
  BOOST_TEST(report.excused == one_of_each);
  BOOST_TEST(report.lost == 0U);
}

BOOST_AUTO_TEST_CASE(without_a_loss_they_are_violations) {
  BOOST_TEST(check(clients, kept).lost == one_of_each);
  BOOST_TEST(check(clients, kept).excused == 0U);
}

BOOST_AUTO_TEST_CASE(records_of_the_copy_must_be_there_in_the_end) {
  stored = kept;
  kept = had;
  BOOST_TEST(result().lost == one_of_each);
  BOOST_TEST(result().excused == 0U);
}

BOOST_AUTO_TEST_CASE(a_record_that_was_never_in_the_database_is_not_excused) {
  had = kept;
  BOOST_TEST(result().lost == one_of_each);
}

BOOST_AUTO_TEST_CASE(an_acknowledgement_before_the_copy_was_complete_is_not_excused) {
  tell_at(7999ms);
  BOOST_TEST(result().lost == one_of_each);
  tell_at(8s);
  BOOST_TEST(result().lost == 0U);
}

BOOST_AUTO_TEST_CASE(an_acknowledgement_after_the_nodes_had_noticed_is_not_excused) {
  tell_at(12s);
  BOOST_TEST(result().lost == 0U);
  tell_at(12001ms);
  BOOST_TEST(result().lost == one_of_each);
  BOOST_TEST(result().excused == 0U);
}

BOOST_AUTO_TEST_CASE(a_task_whose_result_was_lost_may_get_another_one) {
  clients.completed.push_back({task, 9, "w2-1", told::yes, false, at(20s)});
  stored = kept;
  stored->tasks[task] = {false, true, "w2-1", false};
  BOOST_TEST(result().violations.empty());
  BOOST_TEST(result().excused == one_of_each);
  // The second one is held to everything again.
  stored->tasks[task].result = "w3-1";
  BOOST_TEST(result().doubled == 1U);
  stored->tasks[task] = {true, false, "", false};
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(two_results_after_the_loss_are_doubled_as_ever) {
  clients.completed.push_back({task, 9, "w2-1", told::yes, false, at(20s)});
  clients.completed.push_back({task, 10, "w3-1", told::yes, false, at(21s)});
  stored = kept;
  stored->tasks[task] = {false, true, "w3-1", false};
  BOOST_TEST(result().doubled >= 1U);
}

BOOST_AUTO_TEST_CASE(another_result_than_the_lost_one_is_not_excused) {
  clients.completed[0].result = "w1-2";
  BOOST_TEST(result().lost == 1U);
  BOOST_TEST(result().excused == one_of_each - 1);
}

BOOST_AUTO_TEST_CASE(a_lost_commit_that_was_made_again_is_no_loss) {
  stored = had;
  BOOST_TEST(result().violations.empty());
  BOOST_TEST(result().excused == 0U);
}

BOOST_AUTO_TEST_CASE(a_judgment_that_came_to_stand_for_another_unit_is_not_excused) {
  stored = kept;
  stored->judgments[judgment] = {{ids.next({})}, "ana"};
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(a_result_under_a_lease_that_had_run_out_is_stale_though_it_was_lost) {
  clients.completed[0].stale = true;
  BOOST_TEST(result().stale_accepted == 1U);
}

BOOST_AUTO_TEST_CASE(nothing_is_lost_between_equal_states) {
  BOOST_TEST(lost_between(had, had).empty());
  BOOST_TEST(lost_between(kept, had).empty());
  BOOST_TEST(lost_between(had, kept).size() == one_of_each);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
