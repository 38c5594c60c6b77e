// None is tried for ever: what another state does not forgive.

#include "core/queue.hpp"
#include "tests/core/describe.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <variant>

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A queue with one task, which one worker claims again and again and moves between two states.
struct restless_task {
  restless_task() {
    q.name = "work";
    q.policy.retry.failures_max = 7;
    q.policy.retry.max_attempts = 3;
    q.policy.retry.crashes_max = 3;
    core::new_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = "kyc";
    id = made.spec.id;
    core::enqueue command;
    command.tasks.push_back(made);
    decide(q, command, now);
  }

  core::held_task claimed() {
    now += std::chrono::hours{1};
    core::claim c;
    c.worker = "w";
    c.id = {ids.next(now)};
    BOOST_REQUIRE(decide(q, c, now).answer.size() == 1U);
    return {id, q.tasks.at(id).leases.last_token};
  }
  core::task_update moved() const {
    core::task_update update;
    update.state = q.tasks.at(id).progress.state == "A" ? "B" : "A";
    return update;
  }
  /// What became of the task by this, when it has ended.
  std::string fails(core::failure_kind kind = core::failure_kind::transient) {
    const auto hold = claimed();
    return ended(decide(q, core::fail_task{"w", hold, kind, {"E", "x"}, {}, moved()}, now).changes);
  }
  std::string crashes() {
    const auto hold = claimed();
    decide(q, core::save_task{"w", hold, moved()}, now);
    return ended(decide(q, core::lose_worker{"w"}, now).changes);
  }
  static std::string ended(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* gone = std::get_if<core::finish_task>(&write))
        return std::string{to_string(gone->ending)} + " " + gone->error.code;
    return {};
  }

  core::queue q;
  core::instant now = beginning;
  core::uuid_source ids{1};
  core::task_id id;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tried_in_vain, restless_task)

// B66, B67
BOOST_AUTO_TEST_CASE(a_task_that_fails_in_state_after_state_is_dead_in_the_end) {
  for (int i = 1; i < 7; ++i)
    BOOST_TEST(fails() == "", i);
  BOOST_TEST(q.tasks.at(id).progress.attempts == 1U); // of this state
  BOOST_TEST(fails() == "Dead E");
}

// C33
BOOST_AUTO_TEST_CASE(a_task_that_kills_its_worker_in_state_after_state_is_dead_in_the_end) {
  for (int i = 1; i < 7; ++i)
    BOOST_TEST(crashes() == "", i);
  BOOST_TEST(crashes() == "Dead WORKER_LOST");
}

// B66, C33
BOOST_AUTO_TEST_CASE(tries_and_crashes_are_counted_together) {
  for (int i = 1; i < 4; ++i) {
    BOOST_TEST(fails() == "");
    BOOST_TEST(crashes() == "");
  }
  BOOST_TEST(fails() == "Dead E");
}

// C36: the world outside may ask to come back as often as it likes
BOOST_AUTO_TEST_CASE(rate_limits_are_not_counted) {
  for (int i = 0; i < 20; ++i)
    BOOST_TEST(fails(core::failure_kind::rate_limited) == "");
  BOOST_TEST(q.tasks.at(id).progress.failures == 0U);
}

// B66: who asks for many tries in one state gets them
BOOST_AUTO_TEST_CASE(it_is_never_less_than_what_one_state_may_have) {
  q.policy.retry.failures_max = 1;
  BOOST_TEST(core::failures_most(q.policy.retry, 3) == 6U);
  for (int i = 1; i < 6; ++i)
    BOOST_TEST(fails() == "", i);
  BOOST_TEST(fails() == "Dead E");
}

// B67
BOOST_AUTO_TEST_CASE(a_redrive_forgets_all_of_it) {
  for (int i = 1; i < 7; ++i)
    fails();
  const auto hold = claimed();
  const auto spec = q.tasks.at(id).spec;
  const auto progress = q.tasks.at(id).progress;
  const auto token = q.tasks.at(id).leases.last_token;
  BOOST_TEST(ended(decide(q,
                          core::fail_task{
                              "w", hold, core::failure_kind::transient, {"E", ""}, {}, moved()},
                          now)
                       .changes)
             == "Dead E");
  decide(q, core::redrive_task{spec, progress, token}, now);
  for (int i = 1; i < 7; ++i)
    BOOST_TEST(fails() == "", i);
}

BOOST_AUTO_TEST_SUITE_END()
