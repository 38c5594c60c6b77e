// Tasks that the world outside asks to come back later, and those that are given back for nothing:
// neither keeps others waiting, and neither goes on for ever.

#include "core/queue.hpp"
#include "core/task_explanation.hpp"
#include "tests/core/describe.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

/// A queue, and a worker that does one task after the other, each in 100 ms: those in `limited` are
/// always told to come back 2 s later, the others are done.
struct limited_queue {
  limited_queue() {
    q.name = "work";
    q.policy.retry.least = 1s;
    q.policy.retry.most = 8s;
  }

  core::task_id added(const std::string& key = "", const std::string& credential = "acme") {
    core::new_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = "api";
    made.spec.key = key;
    made.spec.credential = credential;
    decide(q, core::enqueue{{made}}, now);
    return made.spec.id;
  }
  std::vector<core::task_id> claimed() {
    core::claim c;
    c.worker = "w";
    c.id = {ids.next(now)};
    return decide(q, c, now).answer;
  }
  core::held_task held(const core::task_id& task) const {
    return {task, q.tasks.at(task).leases.last_token};
  }
  core::change pause(const core::task_id& task, core::duration retry_after = 2s) {
    return decide(q,
                  core::fail_task{"w",
                                  held(task),
                                  core::failure_kind::rate_limited,
                                  {"HTTP_429", "slow down"},
                                  retry_after,
                                  {}},
                  now)
        .changes;
  }
  core::change release(const core::task_id& task, core::duration wait = {},
                       core::task_update update = {}) {
    return decide(q, core::release_task{"w", held(task), std::move(update), now + wait}, now)
        .changes;
  }
  static std::optional<core::finish_task> ended(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* gone = std::get_if<core::finish_task>(&write))
        return *gone;
    return std::nullopt;
  }
  /// How many are done in `span`.
  int work_for(core::duration span) {
    int done = 0;
    for (const auto until = now + span; now < until; now += 100ms)
      for (const auto& id : claimed())
        if (limited.count(id) != 0) {
          pause(id);
        } else {
          decide(q, core::complete_tasks{"w", {{held(id), "{}"}}}, now);
          ++done;
        }
    return done;
  }

  core::queue q;
  core::instant now = beginning;
  core::uuid_source ids{1};
  std::set<core::task_id> limited;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(paused_tasks, limited_queue)

// finding B8
BOOST_AUTO_TEST_CASE(one_task_that_is_always_told_to_wait_starves_none_of_its_kind) {
  limited.insert(added());
  for (int i = 0; i < 120; ++i)
    added();
  BOOST_TEST(work_for(15s) >= 110); // all but what its first pause of 2 s takes
}

// finding B8
BOOST_AUTO_TEST_CASE(several_such_tasks_hold_their_kind_off_once_each) {
  for (int i = 0; i < 4; ++i)
    limited.insert(added());
  for (int i = 0; i < 200; ++i)
    added();
  BOOST_TEST(work_for(4 * 2s + 10s) >= 90);
}

// finding B8
BOOST_AUTO_TEST_CASE(such_a_task_is_as_harmless_under_another_key) {
  limited.insert(added("greedy"));
  for (int i = 0; i < 120; ++i)
    added("patient");
  BOOST_TEST(work_for(15s) >= 110);
}

// finding B8
BOOST_AUTO_TEST_CASE(after_a_pause_the_next_task_goes_first) {
  const auto first = added();
  const auto second = added();
  BOOST_TEST((claimed().front() == first));
  pause(first);
  now += 2s - 1us;
  BOOST_TEST(claimed().empty());
  now += 1us;
  BOOST_TEST((claimed().front() == second));
}

// finding B8: where all of a kind are told to wait, all of them wait
BOOST_AUTO_TEST_CASE(a_limit_that_others_meet_too_holds_off_all_of_them) {
  for (int i = 0; i < 3; ++i)
    limited.insert(added());
  int asked = 0;
  for (const auto until = now + 20s; now < until; now += 100ms)
    for (const auto& id : claimed()) {
      pause(id);
      ++asked;
    }
  BOOST_TEST(asked == 10); // one in 2 s
}

// finding B8
BOOST_AUTO_TEST_CASE(pauses_are_counted_and_the_last_one_makes_a_dead_letter) {
  q.policy.retry.pauses_max = 3;
  const auto id = added();
  for (std::uint32_t i = 1; i < 3; ++i) {
    claimed();
    BOOST_TEST(!ended(pause(id)).has_value());
    BOOST_TEST(q.tasks.at(id).progress.pauses == i);
    BOOST_TEST(q.tasks.at(id).progress.attempts == 0U);
    const auto why = explain(q, q.tasks.at(id), now).front().text;
    BOOST_TEST(why.find("was asked to come back later") != std::string::npos, why);
    now += 2s;
  }
  claimed();
  const auto last = pause(id);
  const auto gone = ended(last);
  BOOST_REQUIRE(gone.has_value());
  BOOST_TEST((gone->ending == core::task_ending::dead));
  BOOST_TEST(gone->error.code == "HTTP_429");
  BOOST_TEST(gone->error.detail.find("3 times") != std::string::npos, gone->error.detail);
  BOOST_TEST(gone->error.detail.find("slow down") != std::string::npos, gone->error.detail);
}

// finding B8
BOOST_AUTO_TEST_CASE(a_redrive_gives_all_pauses_back) {
  q.policy.retry.pauses_max = 2;
  const auto id = added();
  claimed();
  pause(id);
  now += 2s;
  claimed();
  const auto spec = q.tasks.at(id).spec;
  const auto progress = q.tasks.at(id).progress;
  const auto token = q.tasks.at(id).leases.last_token;
  BOOST_TEST(ended(pause(id)).has_value());
  decide(q, core::redrive_task{spec, progress, token}, now);
  BOOST_TEST(q.tasks.at(id).progress.pauses == 0U);
}

// finding R5
BOOST_AUTO_TEST_CASE(a_task_that_is_given_back_for_nothing_is_granted_less_and_less_often) {
  q.policy.retry.releases_max = 6;
  const auto id = added();
  int grants = 0;
  for (const auto until = now + 60s; now < until && q.tasks.count(id) != 0; now += 1ms)
    if (!claimed().empty()) {
      ++grants;
      if (const auto gone = ended(release(id))) {
        BOOST_TEST((gone->ending == core::task_ending::dead));
        BOOST_TEST(gone->error.code == "NO_PROGRESS");
      }
    }
  BOOST_TEST(grants == 6);
  BOOST_TEST(q.tasks.count(id) == 0U);
}

// finding R5
BOOST_AUTO_TEST_CASE(progress_and_waits_that_a_worker_chose_are_no_releases_for_nothing) {
  q.policy.retry.releases_max = 3;
  const auto id = added();
  for (int i = 0; i < 20; ++i) {
    BOOST_REQUIRE(claimed().size() == 1U);
    core::task_update update;
    switch (i % 4) {
    case 0: // the first for nothing
      release(id);
      break;
    case 1:
      update.data = std::to_string(i);
      release(id, {}, update);
      break;
    case 2:
      now += 1us;
      update.execution_state = std::to_string(i);
      decide(q, core::save_task{"w", held(id), update}, now);
      release(id);
      break;
    default:
      release(id, 50ms);
      now += 50ms;
    }
  }
  BOOST_TEST(q.tasks.at(id).progress.idle_releases <= 1U);
}

// finding R5: the pause counts from the grant; who had the task for long gets it again at once
BOOST_AUTO_TEST_CASE(a_task_that_was_worked_on_for_long_is_due_at_once_when_it_is_given_back) {
  const auto id = added();
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST_REQUIRE(claimed().size() == 1U, i);
    now += 10s;
    release(id);
  }
}

// finding R5
BOOST_AUTO_TEST_CASE(a_task_that_is_given_back_for_nothing_lets_others_go_first) {
  const auto first = added();
  const auto second = added();
  now += 1ms;
  claimed();
  release(first);
  now += 1us;
  const auto third = added();
  BOOST_TEST((claimed().front() == second));
  BOOST_TEST((claimed().front() == first)); // made later than it was due again
  BOOST_TEST((claimed().front() == third));
}

BOOST_AUTO_TEST_SUITE_END()
