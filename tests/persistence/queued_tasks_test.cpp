// Tasks by the names and statuses of a queue of bulk actions: `report.queued_tasks`, and
// `holdfast.queued_tasks` for operators.

#include "tests/persistence/task_fixture.hpp"

#include <string>

namespace holdfast::test {

namespace {

using core::attempt_ending;
using core::task_ending;

struct bulk_queue : task_fixture<postgres_world> {
  core::task_id given_action() {
    auto task = new_task();
    task.spec.owner_id = "ana";
    task.spec.run_as_id = "dean";
    BOOST_TEST(is(write({task}), committed));
    return task.spec.id;
  }

  /// The task has ended so, without a lease.
  core::task_id given_ended(task_ending how, const core::task_error& error) {
    auto over = finishing(given_action(), 0, how);
    over.result.clear();
    over.error = error;
    BOOST_TEST(is(write({over}), committed));
    return over.task;
  }

  static std::string column(const core::task_id& task, const std::string& what,
                            const std::string& view = "report") {
    const auto rows =
        test_cluster::instance().sql("SELECT " + what + " FROM " + view
                                     + ".queued_tasks WHERE id = '" + core::to_string(task) + "'");
    BOOST_REQUIRE_EQUAL(rows.size(), 1U);
    return rows[0][0].is_null() ? "NULL" : rows[0][0].as<std::string>();
  }
  static std::string status(const core::task_id& task) { return column(task, "workflow_status"); }

  /// Seconds after the start of the test's own time.
  static std::string time(const core::task_id& task, const std::string& what) {
    return column(task, "(extract(epoch FROM " + what + ") - 1700000000)::int::text");
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queued_tasks, bulk_queue)

// B16-B23, B41: a pointer to the entry and its audit fields
BOOST_AUTO_TEST_CASE(waiting_is_queued_and_belongs_to_who_asked) {
  const auto task = given_action();
  BOOST_TEST(status(task) == "QUEUED");
  BOOST_TEST(column(task, "owner_id || ' ' || run_as_id") == "ana dean");
  BOOST_TEST(column(task, "created_by || ' ' || modified_by") == "ana ana");
  BOOST_TEST(column(task, "execution_component_name") == "mail.send");
  BOOST_TEST(column(task, "execution_spec ->> 'to'") == "ana");
  BOOST_TEST(column(task, "execution_state::text", "holdfast") == "{}");
  BOOST_TEST(time(task, "created_date") == "1");
  BOOST_TEST(time(task, "modified_date") == "1");
  for (const auto* unset : {"scheduling_started_date", "scheduled_by_process",
                            "execution_started_date", "workflow_stopped_date"})
    BOOST_TEST(column(task, unset) == "NULL", unset);
}

BOOST_AUTO_TEST_CASE(it_runs_as_its_owner_when_nobody_else_is_named) {
  auto task = new_task();
  task.spec.owner_id = "ana";
  BOOST_TEST(is(write({task}), committed));
  BOOST_TEST(column(task.spec.id, "run_as_id") == "ana");
}

// B24, B30, B31
BOOST_AUTO_TEST_CASE(in_the_hands_of_a_process_that_was_not_heard_of_is_scheduling) {
  const auto task = given_action();
  given_task_lease(task, "node-7", 1);
  BOOST_TEST(status(task) == "SCHEDULING");
  BOOST_TEST(column(task, "scheduled_by_process") == "node-7");
  BOOST_TEST(time(task, "scheduling_started_date") == "10");
  BOOST_TEST(time(task, "modified_date") == "10");
  BOOST_TEST(column(task, "modified_by") == "dean");
  BOOST_TEST(column(task, "execution_started_date") == "NULL");
  BOOST_TEST(column(task, "workflow_status_desc", "holdfast") == "NULL");
}

// B25, B32
BOOST_AUTO_TEST_CASE(a_process_that_has_stored_progress_is_executing) {
  const auto task = given_action();
  given_task_lease(task, "node-7", 1);
  auto progress = load_live(task).progress;
  progress.execution_state = R"({"done":3})";
  progress.last_action = at(12);
  BOOST_TEST(is(write({core::update_task{task, progress}}), committed));
  BOOST_TEST(status(task) == "EXECUTING");
  BOOST_TEST(time(task, "execution_started_date") == "10");
  BOOST_TEST(column(task, "execution_state ->> 'done'", "holdfast") == "3");
}

BOOST_AUTO_TEST_CASE(a_process_that_has_asked_for_more_time_is_executing) {
  const auto task = given_action();
  const auto lease = given_task_lease(task, "node-7", 1);
  const auto extend = [&](core::duration by) {
    BOOST_TEST(
        is(write({core::extend_task_lease{task, lease.token, lease.expires_at + by}}), committed));
  };
  extend(1us); // as a ttl that is no whole number of microseconds may be rounded
  BOOST_TEST(status(task) == "SCHEDULING");
  extend(1s);
  BOOST_TEST(status(task) == "EXECUTING");
}

// B34: the lock is gone with the lease
BOOST_AUTO_TEST_CASE(task_lost_by_its_process_is_queued_again) {
  const auto task = given_action();
  given_task_lease(task, "node-7", 1);
  BOOST_TEST(is(end(task, 1, attempt_ending::expired), committed));
  BOOST_TEST(status(task) == "QUEUED");
  BOOST_TEST(column(task, "scheduled_by_process") == "NULL");
  BOOST_TEST(column(task, "scheduling_started_date") == "NULL");
  BOOST_TEST(column(task, "modified_by") == "dean"); // who had it
}

// B26, B33
BOOST_AUTO_TEST_CASE(task_that_ended_well_is_completed) {
  const auto task = given_action();
  given_task_lease(task, "node-7", 1);
  BOOST_TEST(is(finish(task, 1), committed));
  BOOST_TEST(status(task) == "COMPLETED");
  BOOST_TEST(time(task, "workflow_stopped_date") == "30");
  BOOST_TEST(time(task, "execution_started_date") == "10");
  BOOST_TEST(column(task, "modified_by") == "dean");
  BOOST_TEST(column(task, "workflow_status_desc", "holdfast") == "NULL");
}

// B27-B29: whose fault it was
BOOST_AUTO_TEST_CASE(task_without_a_worker_is_an_error_and_a_failed_one_a_failure) {
  const auto poison = given_ended(task_ending::dead, {"WORKER_LOST", "3 times"});
  BOOST_TEST(status(poison) == "ERROR");
  BOOST_TEST(column(poison, "workflow_status_desc", "holdfast") == "WORKER_LOST: 3 times");
  BOOST_TEST(status(given_ended(task_ending::failed, {"PAYLOAD_MISSING", {}})) == "ERROR");
  BOOST_TEST(status(given_ended(task_ending::failed, {"PAYLOAD_DAMAGED", {}})) == "ERROR");
  for (const auto* code : {"TIMEOUT", "NO_PROGRESS"}) // finding B9
    BOOST_TEST(status(given_ended(task_ending::dead, {code, {}})) == "ERROR", code);
  const auto tried = given_ended(task_ending::dead, {"MAIL_UNAVAILABLE", {}});
  BOOST_TEST(status(tried) == "FAILURE"); // its tries are used up
  BOOST_TEST(column(tried, "workflow_status_desc", "holdfast") == "MAIL_UNAVAILABLE");
  BOOST_TEST(status(given_ended(task_ending::failed, {"RIGHTS_REVOKED", {}})) == "FAILURE");
  BOOST_TEST(status(given_ended(task_ending::canceled, {})) == "CANCELED");
}

// finding B3
BOOST_AUTO_TEST_CASE(a_damaged_policy_leaves_the_entries_of_all_queues_to_be_read) {
  const auto task = given_action();
  given_task_lease(task, "node-7", 1);
  for (const auto* policy :
       {"{", R"({"lease":{"ttl_seconds":"long"}})", R"({"lease":{"ttl_seconds":1e300}})",
        R"({"lease":{"ttl_seconds":-1e300}})"}) {
    test_cluster::instance().sql(std::string{"UPDATE holdfast.queues SET definition = '"} + policy
                                 + "'");
    BOOST_TEST(column(task, "scheduled_by_process") == "node-7", policy);
    BOOST_TEST(status(task) != "QUEUED", policy);
  }
}

// B14: the entry is there when the producer's transaction has committed
BOOST_AUTO_TEST_CASE(staged_task_is_queued) {
  core::new_task task;
  task.spec = new_task().spec;
  task.spec.owner_id = "ana";
  value_of(world.stage("mail", task));
  BOOST_TEST(status(task.spec.id) == "QUEUED");
  BOOST_TEST(column(task.spec.id, "created_by") == "ana");
}

// Whoever was given an id finds out what became of it, once.
BOOST_AUTO_TEST_CASE(task_refused_by_its_queue_is_an_error_until_it_comes_again) {
  core::new_task task;
  task.spec = new_task().spec;
  task.spec.owner_id = "ana";
  task.spec.run_as_id = "dean";
  const auto id = task.spec.id;
  value_of(world.stage("mail", task));
  const auto page = value_of(db->load_staged("mail", 10, 1'000'000));
  BOOST_REQUIRE(page.tasks.size() == 1U);
  const auto code = core::errc::overloaded;
  BOOST_TEST(
      is(write({core::refuse_staged{page.tasks[0].id, code, "it is full", at(40)}}), committed));
  BOOST_TEST(status(id) == "ERROR");
  BOOST_TEST(column(id, "workflow_status_desc", "holdfast").find(": it is full")
             != std::string::npos);
  BOOST_TEST(time(id, "workflow_stopped_date") == "40");
  BOOST_TEST(time(id, "modified_date") == "40");
  BOOST_TEST(column(id, "modified_by") == "ana");
  value_of(world.stage("mail", task));
  BOOST_TEST(status(id) == "QUEUED"); // and one row
  core::insert_task made;
  made.queue = "mail";
  made.spec = task.spec;
  made.progress = new_task().progress;
  BOOST_TEST(is(write({made}), committed)); // by message, before its queue has taken it in
  BOOST_TEST(status(id) == "QUEUED");
  BOOST_TEST(column(id, "modified_by") == "ana");
}

// An operator's order is no work of whom it runs as.
BOOST_AUTO_TEST_CASE(changes_before_any_lease_are_not_of_whom_it_runs_as) {
  const auto task = given_action();
  auto progress = load_live(task).progress;
  progress.paused = true;
  progress.last_action = at(5);
  BOOST_TEST(is(write({core::update_task{task, progress}}), committed));
  BOOST_TEST(time(task, "modified_date") == "5");
  BOOST_TEST(column(task, "modified_by") == "ana");
}

// B42: never in the hands of a requester
BOOST_AUTO_TEST_CASE(reports_have_neither_bookmarks_nor_descriptions) {
  const auto rows = test_cluster::instance().sql(
      "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'report'"
      " AND table_name = 'queued_tasks'"
      " AND column_name IN ('execution_state', 'workflow_status_desc')");
  BOOST_TEST(rows[0][0].as<int>() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
