#include "core/queue_meter.hpp"

#include "core/queue.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <deque>
#include <utility>

using namespace holdfast;
using namespace std::chrono_literals;
using core::instant;
using core::queue_meter;
using core::queue_tally;
using core::task_id;

namespace {

const instant meter_start = core::from_micros(1'767'225'605'000'000); // in the middle of a slot

core::task_id numbered(std::uint8_t n) {
  task_id id;
  id.value.bytes.fill(n);
  return id;
}

core::change ended(core::task_ending how) {
  core::finish_task gone;
  gone.ending = how;
  core::change decided;
  decided.writes.emplace_back(std::move(gone));
  return decided;
}

core::change lease_over(core::attempt_ending how) {
  core::end_task_lease over;
  over.how = how;
  core::change decided;
  decided.writes.emplace_back(std::move(over));
  return decided;
}

/// A queue with one policy, and what it is told in one line each.
struct metered_queue {
  core::queue q;
  queue_meter meter{meter_start};
  instant now = meter_start;
  std::uint8_t claims = 0;

  core::item_outcome make(std::uint8_t n, const std::string& type = "t",
                          core::duration wait = core::duration::zero()) {
    core::new_task task;
    task.spec.id = numbered(n);
    task.spec.type = type;
    task.run_at = now + wait;
    return note(core::decide(q, core::enqueue{{task}}, now)).front();
  }
  core::held_task take(const std::string& worker = "w") {
    core::claim claim;
    claim.worker = worker;
    claim.id.value.bytes.fill(++claims);
    const auto got = note(core::decide(q, claim, now));
    BOOST_REQUIRE_EQUAL(got.size(), 1U);
    return {got.front(), q.tasks.at(got.front()).held()->token};
  }
  void complete(const core::held_task& held) {
    note(core::decide(q, core::complete_tasks{"w", {{held, "{}"}}}, now));
  }
  void fail(const core::held_task& held, core::failure_kind kind) {
    core::fail_task said;
    said.worker = "w";
    said.task = held;
    said.kind = kind;
    note(core::decide(q, said, now));
  }
  template <class Answer>
  Answer note(core::decision<Answer> decided) {
    meter.count(decided.changes, now);
    return std::move(decided.answer);
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(queue_meters)

// C38, C39
BOOST_FIXTURE_TEST_CASE(decisions_of_a_queue_are_counted_by_kind, metered_queue) {
  q.policy.retry.max_attempts = 2;
  for (std::uint8_t n = 1; n <= 6; ++n)
    make(n);
  make(1); // a repetition
  complete(take());
  fail(take(), core::failure_kind::permanent);
  fail(take(), core::failure_kind::transient);
  fail(take(), core::failure_kind::rate_limited); // holds the others off
  note(core::decide(q, core::task_verb::cancel, numbered(5), now));
  now += 70s;
  const auto again = take();
  fail(again, core::failure_kind::transient);
  now += 2s;
  take();
  note(core::decide(q, core::lose_worker{"w"}, now));
  const auto tally = meter.last(5min, now).tally;
  BOOST_TEST(tally.made == 6U);
  BOOST_TEST(tally.granted == 6U);
  BOOST_TEST(tally.completed == 1U);
  BOOST_TEST(tally.failed == 1U);
  BOOST_TEST(tally.canceled == 1U);
  BOOST_TEST(tally.tries_failed + tally.dead == 2U);
  BOOST_TEST(tally.rate_limited == 1U);
  BOOST_TEST(tally.crashes == 1U);
}

// C39
BOOST_AUTO_TEST_CASE(errors_and_dead_letters_are_shares_of_what_ended_by_itself) {
  BOOST_TEST(core::error_share({}) == 0.0);
  BOOST_TEST(core::dead_share({}) == 0.0);
  queue_tally tally;
  tally.completed = 6;
  tally.canceled = 100;
  tally.rate_limited = 100;
  BOOST_TEST(core::error_share(tally) == 0.0);
  tally.failed = 1;
  tally.dead = 1;
  BOOST_TEST(core::error_share(tally) == 0.25);
  BOOST_TEST(core::dead_share(tally) == 0.125);
  tally.tries_failed = 7;
  tally.crashes = 1;
  BOOST_TEST(core::error_share(tally) == 0.625);
  BOOST_TEST(core::dead_share(tally) == 0.125);
}

BOOST_AUTO_TEST_CASE(leases_that_were_given_back_or_taken_are_no_errors) {
  queue_meter meter{meter_start};
  using core::attempt_ending;
  for (const auto how :
       {attempt_ending::released, attempt_ending::ejected, attempt_ending::canceled})
    meter.count(lease_over(how), meter_start);
  BOOST_TEST(core::error_share(meter.last(1min, meter_start).tally) == 0.0);
  meter.count(lease_over(attempt_ending::expired), meter_start);
  meter.count(lease_over(attempt_ending::lost), meter_start);
  BOOST_TEST(meter.last(1min, meter_start).tally.crashes == 2U);
}

// C38: both sides of every boundary of a slot
BOOST_AUTO_TEST_CASE(decisions_older_than_the_window_are_left_out) {
  queue_meter meter{meter_start};
  meter.count(ended(core::task_ending::completed), meter_start);
  const auto in = [&](core::duration window, instant at) {
    return meter.last(window, at).tally.completed;
  };
  BOOST_TEST(in(10s, meter_start) == 1U);
  BOOST_TEST((meter.last(10s, meter_start).from == meter_start)); // there was no queue before
  const auto end_of_slot = meter_start + 5s;
  BOOST_TEST(in(10s, end_of_slot + 10s - 1us) == 1U);
  BOOST_TEST(in(10s, end_of_slot + 10s) == 0U);
  BOOST_TEST((meter.last(10s, end_of_slot + 10s).from == end_of_slot));
  BOOST_TEST(in(1min, end_of_slot + 1min - 1us) == 1U);
  BOOST_TEST(in(1min, end_of_slot + 1min) == 0U);
  BOOST_TEST(in(5min, end_of_slot + 5min - 1us) == 1U);
  BOOST_TEST(in(5min, end_of_slot + 5min) == 0U);
  BOOST_TEST(in(1h, end_of_slot + 5min) == 0U); // as the longest
}

// C38: against a list of everything that was ever counted
BOOST_AUTO_TEST_CASE(a_meter_agrees_with_whoever_remembers_all) {
  holdfast::test::random_source random{7};
  queue_meter meter{meter_start};
  std::deque<instant> all;
  auto now = meter_start;
  for (int turn = 0; turn < 5'000; ++turn) {
    now += core::duration{static_cast<std::int64_t>(random.below(9'000'000))};
    if (random.one_in(200))
      now += 20min;
    if (!random.one_in(3)) {
      meter.count(ended(core::task_ending::dead), now);
      all.push_back(now);
    }
    const core::duration window = 10s * static_cast<int>(1 + random.below(30));
    const auto lately = meter.last(window, now);
    BOOST_REQUIRE((lately.from <= std::max(now - window, meter_start)));
    BOOST_REQUIRE((lately.from > now - window - 10s || lately.from == meter_start));
    const auto known =
        std::count_if(all.begin(), all.end(), [&](instant at) { return at >= lately.from; });
    BOOST_REQUIRE_EQUAL(lately.tally.dead, static_cast<std::uint64_t>(known));
  }
}

// C37
BOOST_FIXTURE_TEST_CASE(the_load_of_a_queue_says_where_its_tasks_are, metered_queue) {
  BOOST_TEST((!core::load_of(q, now).ready_since));
  make(1);
  now += 1s;
  const auto second = now;
  make(2);
  make(3, "later", 1h);
  make(4);
  make(5, "other");
  note(core::decide(q, core::task_verb::pause, numbered(4), now));
  now += 1s;
  take();
  auto load = core::load_of(q, now);
  BOOST_TEST(load.leased == 1U);
  BOOST_TEST(load.ready == 2U);
  BOOST_TEST(load.later == 1U);
  BOOST_TEST(load.paused == 1U);
  BOOST_REQUIRE(load.ready_since);
  BOOST_TEST((*load.ready_since == second));
  // Nobody claims, and time passes.
  now += 2h;
  load = core::load_of(q, now);
  BOOST_TEST(load.ready == 3U);
  BOOST_TEST(load.later == 0U);
  BOOST_TEST((*load.ready_since == second));
}

// C36: what is read anew waits for what the world outside has asked for
BOOST_FIXTURE_TEST_CASE(a_pause_that_was_learnt_holds_for_the_whole_credential_again,
                        metered_queue) {
  core::task told;
  told.spec.id = numbered(1);
  told.spec.type = "api";
  told.spec.credential = "acme";
  told.progress.next_action = now + 30s;
  auto same = told;
  same.spec.id = numbered(2);
  same.progress.next_action = now;
  auto other = same;
  other.spec.id = numbered(3);
  other.spec.credential = "bolt";
  for (const auto& t : {told, same, other})
    core::enter(q, t);
  core::hold_off_again(q, told.spec.id);
  BOOST_TEST((take().task == other.spec.id));
  core::claim claim;
  claim.worker = "w";
  claim.most = 9;
  claim.id.value.bytes.fill(0x77);
  now += 30s - 1us;
  BOOST_TEST(core::decide(q, claim, now).answer.empty());
  now += 1us;
  BOOST_TEST(core::decide(q, claim, now).answer.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
