// Leases and waiting tasks when the clock is set back: finding R4.

#include "core/clock_steps.hpp"
#include "core/queue.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

/// A queue whose leases live 60 s, or 10 min if they are extended.
struct queue_on_a_clock {
  queue_on_a_clock() {
    q.name = "work";
    q.policy.lease.ttl = 60s;
    q.policy.lease.total_max = 10min;
    q.policy.retry.least = 10s;
    q.policy.retry.most = 10s;
  }

  core::task_id added(core::duration delay = {}) {
    core::new_task made;
    made.spec.id = {ids.next(now)};
    made.spec.type = "report";
    if (delay > 0s)
      made.run_at = now + delay;
    decide(q, core::enqueue{{made}}, now);
    return made.spec.id;
  }
  std::vector<core::task_id> claimed(std::uint32_t most = 1) {
    core::claim c;
    c.worker = "ana";
    c.id = {ids.next(now)};
    c.most = most;
    return decide(q, c, now).answer;
  }
  core::held_task held(const core::task_id& task) const {
    return {task, q.tasks.at(task).leases.last_token};
  }
  core::errc extended(const core::task_id& task) {
    return decide(q, core::extend_tasks{"ana", {held(task)}}, now).answer.front().refusal;
  }
  /// A task that waits after a try which has failed.
  core::task_id tried() {
    const auto task = added();
    BOOST_REQUIRE(claimed().size() == 1U);
    core::fail_task failed;
    failed.worker = "ana";
    failed.task = held(task);
    failed.kind = core::failure_kind::transient;
    decide(q, failed, now);
    return task;
  }
  /// The world outside asked for a pause when it had this task, which is leased.
  void put_off(const core::task_id& task, core::duration retry_after) {
    core::fail_task failed;
    failed.worker = "ana";
    failed.task = held(task);
    failed.kind = core::failure_kind::rate_limited;
    failed.retry_after = retry_after;
    decide(q, failed, now);
  }
  /// Its worker gives the task back, to be looked at again after `delay`.
  void give_back(const core::task_id& task, core::duration delay) {
    core::release_task released;
    released.worker = "ana";
    released.task = held(task);
    released.next_action = now + delay;
    decide(q, released, now);
  }
  /// Whether nothing of the tasks' type goes to anybody for `span` from now, and then does.
  bool is_held_off_for(core::duration span) {
    bool held_off = true;
    if (span > 0s) {
      now += span - 1us;
      held_off = claimed().empty();
      now += 1us;
    }
    return held_off && !claimed().empty();
  }
  std::size_t expired() {
    return decide(q, core::expire_tasks{[](const core::task_id&) { return false; }}, now)
        .answer.size();
  }
  /// As a node does that starts: it enters what was stored.
  void load_anew() {
    core::queue fresh;
    fresh.name = q.name;
    fresh.policy = q.policy;
    for (const auto& [id, t] : q.tasks)
      enter(fresh, t);
    q = std::move(fresh);
  }

  core::queue q;
  core::instant now{10h};
  core::uuid_source ids{3};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(clock_steps, queue_on_a_clock)

BOOST_AUTO_TEST_CASE(a_lease_ends_no_later_than_one_that_is_granted_when_the_step_back_is_noticed) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 1h;
  BOOST_TEST(expired() == 0U);
  now += 59s;
  BOOST_TEST(expired() == 0U);
  BOOST_TEST(q.tasks.at(task).held() != nullptr);
  now += 1s;
  BOOST_TEST(expired() == 1U);
  BOOST_TEST(q.tasks.at(task).held() == nullptr);
}

// `verify` compares the end of a lease with the time at which it was to end.
BOOST_AUTO_TEST_CASE(the_end_of_a_shortened_lease_is_stored_before_the_lease_ends) {
  const auto write_of = [](const core::change& changes) {
    const auto* first = std::get_if<core::extend_task_lease>(&changes.writes.front());
    return first != nullptr ? std::optional{first->expires_at} : std::nullopt;
  };
  const core::expire_tasks expire{[](const core::task_id&) { return false; }};
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 10s;
  BOOST_TEST(decide(q, expire, now).changes.empty());
  const auto end = q.tasks.at(task).held()->expires_at;
  now += 60s;
  const auto over = decide(q, expire, now).changes;
  BOOST_TEST((write_of(over) == std::optional{end}));
  BOOST_TEST((std::get<core::end_task_lease>(over.writes.at(1)).at >= end));

  // Of a lease that ends with its task, too; and no more once it was extended.
  now += 1min;
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 10s;
  decide(q, expire, now);
  const auto canceled = decide(q, core::task_verb::cancel, task, now).changes;
  BOOST_TEST(write_of(canceled).has_value());
  const auto other = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 10s;
  decide(q, expire, now);
  now += 5s;
  BOOST_TEST((extended(other) == core::errc::none));
  now += 70s;
  BOOST_TEST(!write_of(decide(q, expire, now).changes).has_value());
}

BOOST_AUTO_TEST_CASE(a_lease_that_was_extended_before_the_step_back_ends_no_later_either) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now += 50s;
  BOOST_TEST((extended(task) == core::errc::none));
  now -= 45s; // the lease began before this
  expired();
  now += 61s;
  BOOST_TEST(expired() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lease_can_be_extended_after_a_step_back) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 1h;
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST((extended(task) == core::errc::none) == (now <= core::instant{9h} + 9min));
    now += 30s;
    if (now < core::instant{9h} + 10min)
      BOOST_TEST(expired() == 0U);
  }
  BOOST_TEST(expired() == 1U); // the longest life counts from the step back
}

BOOST_AUTO_TEST_CASE(corrections_of_the_clock_shorten_no_lease) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  const auto end = q.tasks.at(task).held()->expires_at;
  now -= 900ms;
  BOOST_TEST(expired() == 0U);
  BOOST_TEST((q.tasks.at(task).held()->expires_at == end));
}

BOOST_AUTO_TEST_CASE(a_lease_of_a_clock_that_stood_ahead_ends_in_time_at_a_node_that_starts_later) {
  added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 1h;
  load_anew();
  BOOST_TEST(expired() == 0U);
  now += 60s;
  BOOST_TEST(expired() == 1U);
}

BOOST_AUTO_TEST_CASE(a_task_that_was_due_before_a_step_back_is_due_after_it) {
  added();
  const auto later = added(5min);
  now -= 1h;
  load_anew();
  BOOST_TEST(claimed(2).size() == 1U);
  // A time that its producer has named is kept.
  now += 1h;
  BOOST_TEST(claimed(2).empty());
  now += 5min;
  const auto last = claimed(2);
  BOOST_REQUIRE(last.size() == 1U);
  BOOST_TEST((last.front() == later));
}

// The wire has times and no delays: a producer that wants one reckons the time itself.
BOOST_AUTO_TEST_CASE(time_that_a_producer_has_named_stands_after_a_step_back) {
  for (const bool starts_again : {false, true}) {
    const auto task = added(5min);
    now -= 1h;
    if (starts_again)
      load_anew();
    BOOST_TEST(claimed().empty()); // which has the queue notice the step
    BOOST_TEST(is_held_off_for(1h + 5min));
    decide(q, core::task_verb::cancel, task, now);
  }
}

BOOST_AUTO_TEST_CASE(retry_ends_the_wait_for_a_time_from_before_a_step_back) {
  const auto task = added(5min);
  now -= 1h;
  decide(q, core::task_verb::retry, task, now);
  BOOST_TEST(claimed().size() == 1U);
}

BOOST_AUTO_TEST_CASE(time_that_a_release_has_named_stands_after_a_step_back) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  give_back(task, 5min);
  now -= 1h;
  BOOST_TEST(claimed().empty());
  BOOST_TEST(is_held_off_for(1h + 5min));
}

// A stored task does not tell the pause after an attempt from a time that a release has named.
BOOST_AUTO_TEST_CASE(release_after_an_earlier_try_waits_its_own_length_after_a_step_back) {
  for (const bool starts_again : {false, true}) {
    const auto task = tried();
    now = q.tasks.at(task).progress.next_action;
    BOOST_REQUIRE(claimed().size() == 1U);
    give_back(task, 5min);
    now -= 1h;
    if (starts_again)
      load_anew();
    BOOST_TEST(claimed().empty());
    BOOST_TEST(is_held_off_for(5min));
    decide(q, core::task_verb::cancel, task, now);
  }
}

BOOST_AUTO_TEST_CASE(a_task_waits_after_a_try_as_long_as_it_would_have_without_the_step_back) {
  const auto task = tried();
  const auto wait = q.tasks.at(task).progress.next_action - now;
  BOOST_REQUIRE((wait > 1s));
  now -= 1h;
  load_anew();
  BOOST_TEST(claimed().empty());
  now += wait;
  BOOST_TEST(claimed().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_pause_after_a_try_is_as_long_at_a_second_look) {
  tried();
  now -= 1h;
  load_anew();
  BOOST_TEST(claimed().empty());
  decide(q, core::set_policy{q.policy, "{}"}, now); // which has the queue look again
  BOOST_TEST(claimed().empty());
}

BOOST_AUTO_TEST_CASE(a_task_that_was_paused_before_a_step_back_is_due_when_it_is_resumed_after_it) {
  const auto task = added();
  decide(q, core::task_verb::pause, task, now);
  now -= 1h;
  decide(q, core::task_verb::resume, task, now);
  BOOST_TEST(claimed().size() == 1U);
  const auto other = added();
  now -= 1h;
  decide(q, core::task_verb::pause, other, now); // was ready, by the time before the step
  decide(q, core::task_verb::resume, other, now);
  BOOST_TEST(claimed().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_release_without_progress_is_none_after_a_step_back) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  now -= 1h;
  expired();
  core::release_task released;
  released.worker = "ana";
  released.task = held(task);
  decide(q, released, now);
  BOOST_TEST(q.tasks.at(task).progress.idle_releases == 1U);
}

BOOST_AUTO_TEST_CASE(tasks_that_wait_stay_due_when_the_policy_is_changed_after_a_step_back) {
  added();
  now -= 1h;
  decide(q, core::set_policy{q.policy, "{}"}, now);
  BOOST_TEST(claimed().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_pause_that_was_asked_for_is_as_long_after_a_step_back) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  put_off(task, 30s);
  added();
  now += 10s;
  BOOST_TEST(claimed().empty());
  now -= 1h;
  BOOST_TEST(claimed().empty()); // which has the queue notice the step
  BOOST_TEST(is_held_off_for(30s));
}

BOOST_AUTO_TEST_CASE(
    a_pause_that_was_asked_for_is_as_long_at_a_node_that_starts_after_a_step_back) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  put_off(task, 30s);
  added();
  now -= 1h;
  load_anew();
  hold_off_again(q, task);
  BOOST_TEST(claimed().empty());
  BOOST_TEST(is_held_off_for(30s));
}

BOOST_AUTO_TEST_CASE(a_pause_that_was_over_before_a_step_back_stays_over) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  put_off(task, 30s);
  added();
  now += 30s;
  BOOST_TEST(claimed().size() == 1U);
  now += 1s - 1h;
  BOOST_TEST(is_held_off_for(0s));
}

BOOST_AUTO_TEST_CASE(a_pause_ends_as_stored_where_the_clock_is_set_back_to_a_time_within_it) {
  const auto task = added();
  BOOST_REQUIRE(claimed().size() == 1U);
  put_off(task, 1h);
  now += 30min;
  BOOST_TEST(claimed().empty());
  now -= 10min;
  BOOST_TEST(claimed().empty());
  BOOST_TEST(is_held_off_for(40min));
}

BOOST_AUTO_TEST_CASE(a_pause_that_is_asked_for_first_after_a_step_back_is_as_long_as_asked) {
  const auto before = added();
  const auto after = added();
  BOOST_REQUIRE(claimed(2).size() == 2U);
  added();
  put_off(before, 10s);
  now -= 1h;
  put_off(after, 60s); // and nothing else has had the queue look at the clock
  BOOST_TEST(is_held_off_for(60s));
}

BOOST_AUTO_TEST_CASE(work_that_went_well_before_a_step_back_excuses_no_pause_after_it) {
  const auto task = added();
  const auto other = added();
  BOOST_REQUIRE(claimed(2).size() == 2U);
  put_off(task, 10s);
  now += 1s;
  decide(q, core::complete_tasks{"ana", {{held(other), "{}"}}}, now);
  now -= 1h;
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(claimed().empty());
    now += 10s;
    BOOST_REQUIRE(claimed().size() == 1U);
    put_off(task, 10s);
  }
  added();
  BOOST_TEST(claimed().empty());
}

BOOST_AUTO_TEST_CASE(leases_of_units_end_no_later_than_one_that_begins_now) {
  core::lease_table table;
  core::lease_policy policy;
  policy.ttl = 5min;
  grant_lease(table, policy, {ids.next(now)}, "ana", now);
  BOOST_TEST(!heed_clock(table, policy.ttl, now));
  BOOST_TEST(!heed_clock(table, policy.ttl, now - 1s));
  BOOST_TEST(heed_clock(table, policy.ttl, now - 2h));
  const auto& lease = table.active.front();
  BOOST_TEST((lease.granted_at == now - 2h - 1us));
  BOOST_TEST((lease.expires_at <= now - 2h + 5min));
  BOOST_TEST(!heed_clock(table, policy.ttl, now - 2h));
  BOOST_TEST((extend_lease(table, policy, "ana", lease.token, now - 2h) == core::errc::none));
}

BOOST_AUTO_TEST_SUITE_END()
