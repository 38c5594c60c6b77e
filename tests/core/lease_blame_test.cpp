// The blame for the end of a lease: the time that a task took, a worker that is gone, or nobody.

#include "core/queue.hpp"
#include "tests/core/describe.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <variant>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

/// A queue whose leases live 60 s, or 90 s if they are extended, with one task.
struct blamed_queue {
  blamed_queue() {
    q.name = "work";
    q.policy.lease.ttl = 60s;
    q.policy.lease.total_max = 90s;
    q.policy.retry.max_attempts = 2;
    q.policy.retry.crashes_max = 2;
    id = added("report");
  }

  core::task_id added(const std::string& type) {
    core::new_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = type;
    decide(q, core::enqueue{{made}}, now);
    return made.spec.id;
  }

  std::vector<core::task_id> claimed(const std::string& worker, std::uint32_t most = 1) {
    core::claim c;
    c.worker = worker;
    c.id = {ids.next(now)};
    c.most = most;
    return decide(q, c, now).answer;
  }
  core::held_task held(const core::task_id& task) const {
    return {task, q.tasks.at(task).leases.last_token};
  }
  void extend(const std::string& worker) { decide(q, core::extend_tasks{worker, {held(id)}}, now); }
  /// How the lease, or the task with it, ended: "Failed TIMEOUT".
  static std::string told(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* gone = std::get_if<core::finish_task>(&write))
        return std::string{to_string(gone->ending)} + ' ' + gone->error.code;
      else if (const auto* over = std::get_if<core::end_task_lease>(&write))
        return std::string{to_string(over->how)} + ' ' + over->error.code;
    return "nothing";
  }
  std::string expired(bool connected = false) {
    return told(decide(q, core::expire_tasks{[=](const core::task_id&) { return connected; }}, now)
                    .changes);
  }
  const core::task_progress& progress() const { return q.tasks.at(id).progress; }

  core::queue q;
  core::instant now = beginning;
  core::uuid_source ids{1};
  core::task_id id;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lease_blame, blamed_queue)

// finding B9
BOOST_AUTO_TEST_CASE(a_task_that_takes_longer_than_its_extended_lease_may_live_has_timed_out) {
  claimed("w");
  now += 40s;
  extend("w"); // the end is at 90 s, and no extension moves it
  now += 50s - 1us;
  BOOST_TEST(expired() == "nothing");
  now += 1us;
  BOOST_TEST(expired() == "Failed TIMEOUT");
  BOOST_TEST(progress().attempts == 1U);
  BOOST_TEST(progress().crashes == 0U);
  now += 1h;
  claimed("w");
  now += 59s;
  extend("w");
  now += 31s;
  BOOST_TEST(expired() == "Dead TIMEOUT"); // the second of two tries
}

// finding B9
BOOST_AUTO_TEST_CASE(a_worker_that_does_not_extend_is_lost_and_the_time_is_not_blamed) {
  claimed("w");
  now += 60s;
  BOOST_TEST(expired() == "Expired WORKER_LOST");
  BOOST_TEST(progress().crashes == 1U);
  claimed("w");
  now += 60s;
  BOOST_TEST(expired(true) == "Dead WORKER_LOST");
}

// finding B9
BOOST_AUTO_TEST_CASE(without_extensions_the_time_is_blamed_where_the_worker_is_known_to_live) {
  q.policy.lease.total_max = q.policy.lease.ttl;
  claimed("w");
  now += 60s;
  BOOST_TEST(expired(true) == "Failed TIMEOUT");
  now += 1h;
  claimed("w");
  now += 60s;
  BOOST_TEST(expired(false) == "Expired WORKER_LOST");
}

// finding B9
BOOST_AUTO_TEST_CASE(a_type_has_a_timeout_of_its_own) {
  q.policy.types["report"].timeout = 10s;
  q.policy.types["long"].timeout = 2h;
  const auto other = added("plain");
  const auto slow = added("long");
  BOOST_TEST(claimed("w", 3).size() == 3U);
  BOOST_TEST((q.tasks.at(id).held()->expires_at == now + 10s));
  BOOST_TEST((q.tasks.at(other).held()->expires_at == now + 60s));
  now += 5s;
  BOOST_TEST((decide(q, core::extend_tasks{"w", {held(id)}}, now).answer.front().refusal
              == core::errc::not_extendable));
  now += 5s;
  BOOST_TEST(expired() == "Failed TIMEOUT");
  for (auto passed = 10s; passed < 2h; passed += 50s) {
    decide(q, core::extend_tasks{"w", {held(slow)}}, now);
    now += 50s;
  }
  BOOST_TEST((q.tasks.at(slow).held()->expires_at == beginning + 2h));
}

// finding R6
BOOST_AUTO_TEST_CASE(a_grant_that_nobody_has_received_costs_its_task_nothing) {
  for (int i = 0; i < 5; ++i) {
    note_undelivered(q, claimed("w"));
    now += 60s;
    BOOST_TEST(expired(i % 2 == 0) == "Released GRANT_NOT_DELIVERED");
  }
  note_undelivered(q, claimed("w"));
  BOOST_TEST(told(decide(q, core::lose_worker{"w"}, now).changes)
             == "Released GRANT_NOT_DELIVERED");
  note_undelivered(q, claimed("w"));
  BOOST_TEST(told(decide(q, core::lose_leases{{held(id)}}, now).changes)
             == "Released GRANT_NOT_DELIVERED");
  BOOST_TEST(progress().crashes == 0U);
  BOOST_TEST(progress().failures == 0U);
  BOOST_TEST((progress().next_action == now));
  BOOST_TEST(q.undelivered.empty());
}

// finding R6
BOOST_AUTO_TEST_CASE(a_grant_is_received_once_it_is_durable_unless_it_has_run_out_by_then) {
  note_undelivered(q, claimed("w"));
  const auto first = held(id);
  BOOST_TEST(take_delivered(q, {{id, first.token + 1}}, now).empty());
  now += 60s;
  BOOST_TEST(take_delivered(q, {first}, now).empty());
  expired();
  BOOST_TEST(take_delivered(q, {first}, now).empty());
  note_undelivered(q, claimed("w"));
  now += 60s - 1us;
  BOOST_TEST(take_delivered(q, {first, held(id)}, now).size() == 1U);
  now += 1us;
  BOOST_TEST(expired() == "Expired WORKER_LOST");
}

// finding B5
BOOST_AUTO_TEST_CASE(the_end_of_a_connection_ends_the_leases_that_are_bound_to_it_and_no_others) {
  const auto other = added("report");
  BOOST_TEST(claimed("w", 2).size() == 2U);
  const auto mine = held(id);
  BOOST_TEST(told(decide(q, core::lose_leases{{{id, mine.token + 1}}}, now).changes) == "nothing");
  BOOST_TEST(told(decide(q, core::lose_leases{{mine}}, now).changes) == "Lost WORKER_LOST");
  BOOST_TEST((q.tasks.at(id).held() == nullptr));
  BOOST_TEST((q.tasks.at(other).held() != nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
