// Which tasks a queue's schedules make, and when: by the clock, after a time without a node, in a
// full queue, and whatever crashes.

#include "core/occurrence.hpp"
#include "core/queue_schedules.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;
using holdfast::test::random_source;

namespace {

/// A midnight, so that the times of tests are read easily.
const instant midnight{std::chrono::seconds{1'700'006'400}};

schedule_plan plan_of(const std::string& cron, backfill policy = backfill::latest) {
  schedule_plan plan;
  plan.cron = cron;
  plan.times = *parse_cron(cron);
  plan.zone = find_utc("UTC");
  plan.backfill = policy;
  plan.task.spec.type = "report";
  plan.task.spec.version = "1.0";
  plan.task.spec.body = "{}";
  return plan;
}

task_id task_of_hand(std::uint8_t number) {
  task_id id;
  id.value.bytes.back() = number;
  return id;
}

struct scheduled_queue {
  scheduled_queue() {
    q.name = "work";
    q.revision = 1;
  }

  decision<schedule_put> put(const schedule_plan& plan, instant at, const std::string& name = "s") {
    return decide(q, put_schedule{name, "definition " + std::to_string(++definitions), plan}, at);
  }
  decision<schedules_run> run(instant at) { return decide(q, run_schedules{}, at); }

  const schedule& it(const std::string& name = "s") const { return q.schedules.at(name); }

  /// The occurrences that the change makes tasks of, in minutes after midnight, by commas.
  static std::string made(const change& changes) {
    std::string text;
    for (const auto& write : changes.writes)
      if (const auto* task = std::get_if<insert_task>(&write))
        text +=
            (text.empty() ? "" : ",") + std::to_string((time_of(task->spec.id) - midnight) / 1min);
    return text;
  }
  std::string made_at(instant at) { return made(run(at).changes); }

  static instant time_of(const task_id& id) {
    std::int64_t millis = 0;
    for (std::size_t i = 0; i < 6; ++i)
      millis = millis << 8 | id.value.bytes[i];
    return instant{std::chrono::milliseconds{millis}};
  }

  static std::vector<put_schedule_row> rows(const change& changes) {
    std::vector<put_schedule_row> found;
    for (const auto& write : changes.writes)
      if (const auto* row = std::get_if<put_schedule_row>(&write))
        found.push_back(*row);
    return found;
  }

  queue q;
  int definitions = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(schedules, scheduled_queue)

// D12
BOOST_AUTO_TEST_CASE(an_occurrence_makes_a_task_and_is_written_with_it) {
  const auto put_now = put(plan_of("*/10 * * * *"), midnight + 3min);
  BOOST_TEST(put_now.answer.changed);
  BOOST_REQUIRE_EQUAL(rows(put_now.changes).size(), 1U);
  BOOST_TEST((next_schedule(q) == midnight + 10min));
  BOOST_TEST(run(midnight + 10min - 1us).changes.empty());
  const auto at = midnight + 10min + 7ms;
  const auto ran = run(at);
  BOOST_TEST(made(ran.changes) == "10");
  const auto row = rows(ran.changes).at(0);
  BOOST_TEST((row.handled_until == midnight + 10min));
  BOOST_TEST((row.last_made == midnight + 10min));
  BOOST_TEST((row.at == at));
  BOOST_TEST(row.revision == 1U);
  const auto& task = std::get<insert_task>(ran.changes.writes.at(0));
  BOOST_TEST(task.spec.type == "report");
  BOOST_TEST((task.progress.next_action == at));
  BOOST_TEST((next_schedule(q) == midnight + 20min));
  BOOST_TEST(run(at).changes.empty());
}

BOOST_AUTO_TEST_CASE(a_new_schedule_begins_now) {
  put(plan_of("* * * * *", backfill::all), midnight);
  BOOST_TEST((it().next == midnight + 1min));
  BOOST_TEST((it().created_at == midnight));
  BOOST_TEST(made_at(midnight + 1min) == "1");
}

BOOST_AUTO_TEST_CASE(no_more_are_caught_up_than_allowed_and_no_more_at_once_than_bounded) {
  auto plan = plan_of("* * * * *", backfill::all);
  plan.backfill_max = 3;
  put(plan, midnight);
  BOOST_TEST(made_at(midnight + 20min + 30s) == "17,18,19,20");
  plan.backfill_max = 1000;
  put(plan, midnight + 20min + 30s);
  std::size_t tasks = 0;
  for (const auto expected : {100U, 100U, 50U, 0U}) {
    const auto ran = run(midnight + 270min);
    BOOST_TEST(ran.answer.made == expected);
    tasks += ran.answer.made;
    if (expected == 100U)
      BOOST_TEST((next_schedule(q) <= midnight + 270min));
  }
  BOOST_TEST(tasks == 250U);
  BOOST_TEST(q.tasks.size() == 254U);
}

BOOST_AUTO_TEST_CASE(many_schedules_share_one_decision_within_its_bound) {
  for (int i = 0; i < 150; ++i)
    put(plan_of("@hourly"), midnight, "s" + std::to_string(i));
  BOOST_TEST(run(midnight + 1h).answer.made == 100U);
  const auto rest = run(midnight + 1h);
  BOOST_TEST(rest.answer.made == 50U);
  BOOST_TEST(rows(rest.changes).size() == 50U);
  BOOST_TEST((next_schedule(q) == midnight + 2h));
}

BOOST_AUTO_TEST_CASE(a_full_queue_leaves_the_schedule_where_it_is) {
  q.policy.depth_max = 2;
  put(plan_of("0 * * * *", backfill::all), midnight);
  const auto ran = run(midnight + 3h);
  BOOST_TEST(made(ran.changes) == "60,120");
  BOOST_TEST((rows(ran.changes).at(0).handled_until == midnight + 2h));
  BOOST_TEST(ran.answer.stuck.size() == 1U);
  BOOST_TEST(it().problem.find("overloaded") == 0U);
  // It is tried again at a bounded pace, and says so once.
  BOOST_TEST((next_schedule(q) == midnight + 3h + schedule_retry_pace));
  const auto again = run(midnight + 3h + schedule_retry_pace);
  BOOST_TEST(again.changes.empty());
  BOOST_TEST(again.answer.stuck.empty());
  q.policy.depth_max = 3;
  BOOST_TEST(made_at(midnight + 3h + 2 * schedule_retry_pace) == "180");
  BOOST_TEST(it().problem.empty());
}

BOOST_AUTO_TEST_CASE(a_changed_schedule_goes_on_unless_its_times_are_others) {
  auto plan = plan_of("0 * * * *", backfill::all);
  put(plan, midnight);
  plan.task.spec.body = "[1]";
  put(plan, midnight + 30min);
  BOOST_TEST(it().revision == 2U);
  BOOST_TEST((it().handled_until == midnight));
  // By other times nothing of the past is made up.
  plan = plan_of("*/5 * * * *", backfill::all);
  BOOST_TEST(made(put(plan, midnight + 2h + 1min).changes) == "60,120");
  BOOST_TEST((it().handled_until == midnight + 2h + 1min));
  BOOST_TEST(made_at(midnight + 2h + 5min) == "125");
  // The same again changes nothing.
  const auto same = decide(q, put_schedule{"s", it().definition, plan}, midnight + 3h);
  BOOST_TEST(!same.answer.changed);
  BOOST_TEST(same.changes.empty());
}

BOOST_AUTO_TEST_CASE(a_taken_id_that_the_old_plan_owes_is_a_problem_of_the_new_one) {
  put(plan_of("*/10 * * * *", backfill::all), midnight);
  put_schedule command{"s", "another", plan_of("0 * * * *"), {}};
  const auto owed = owed_tasks(q, command, midnight + 20min);
  BOOST_REQUIRE_EQUAL(owed.size(), 2U);
  command.known.looked_for = {owed.begin(), owed.end()};
  command.known.elsewhere.emplace(owed.front(), "other");
  BOOST_TEST(made(decide(q, command, midnight + 20min).changes) == "20");
  BOOST_TEST(it().definition == "another");
  BOOST_TEST(it().problem.find("the queue other has one of its id") != std::string::npos);
  BOOST_TEST(owed_tasks(q, command, midnight + 2h).empty()); // it would change nothing
  BOOST_TEST(made_at(midnight + 1h) == "60");
  BOOST_TEST(it().problem.empty());
}

BOOST_AUTO_TEST_CASE(a_replaced_plan_makes_all_that_it_owes_in_bounded_decisions) {
  auto plan = plan_of("* * * * *", backfill::all);
  plan.backfill_max = 1000;
  put(plan, midnight);
  const put_schedule command{"s", "another", plan_of("0 12 * * *"), {}};
  const auto at = midnight + 250min;
  std::size_t tasks = 0;
  for (const auto expected : {100U, 100U}) {
    const auto part = decide(q, command, at);
    BOOST_TEST(part.answer.owes_more);
    BOOST_TEST(!part.answer.changed);
    BOOST_TEST(q.tasks.size() - tasks == expected);
    tasks = q.tasks.size();
    // A node that dies now goes on with the old plan behind these.
    BOOST_REQUIRE_EQUAL(rows(part.changes).size(), 1U);
    BOOST_TEST((rows(part.changes).at(0).handled_until == midnight + tasks * 1min));
    BOOST_TEST(rows(part.changes).at(0).definition != "another");
    BOOST_TEST(owed_tasks(q, command, at).size() == 250U - tasks);
  }
  const auto last = decide(q, command, at);
  BOOST_TEST(last.answer.changed);
  BOOST_TEST(!last.answer.owes_more);
  BOOST_TEST(q.tasks.size() == 250U);
  BOOST_TEST(it().definition == "another");
  BOOST_TEST(it().problem.empty());
  BOOST_TEST((next_schedule(q) == midnight + 12h));
}

BOOST_AUTO_TEST_CASE(a_plan_that_owes_one_decision_of_tasks_is_replaced_with_it) {
  auto plan = plan_of("* * * * *", backfill::all);
  plan.backfill_max = 1000;
  put(plan, midnight);
  const auto replaced = put(plan_of("0 12 * * *"), midnight + 100min);
  BOOST_TEST(replaced.answer.changed);
  BOOST_TEST(q.tasks.size() == 100U);
}

// C22
BOOST_AUTO_TEST_CASE(a_unique_key_keeps_occurrences_from_overlapping) {
  auto plan = plan_of("0 * * * *");
  plan.task.spec.unique_key = "report";
  put(plan, midnight);
  BOOST_TEST(made_at(midnight + 1h) == "60");
  const auto second = run(midnight + 2h);
  BOOST_TEST(made(second.changes).empty());
  BOOST_TEST((rows(second.changes).at(0).handled_until == midnight + 2h));
  BOOST_TEST((rows(second.changes).at(0).last_made == midnight + 1h));
  decide(q, task_verb::cancel, q.tasks.begin()->first, midnight + 2h);
  BOOST_TEST(made_at(midnight + 3h) == "180");
}

BOOST_AUTO_TEST_CASE(a_state_that_the_type_does_not_have_is_refused) {
  q.policy.types["report"].transitions = {{"NEW", {}}};
  q.policy.types["report"].first_state = "NEW";
  auto plan = plan_of("0 * * * *");
  plan.task.state = "OLD";
  BOOST_TEST((put(plan, midnight).refusal == errc::wrong_state));
  BOOST_TEST(q.schedules.empty());
  plan.task.state = "";
  put(plan, midnight);
  BOOST_TEST(made_at(midnight + 1h) == "60");
}

BOOST_AUTO_TEST_CASE(a_queue_has_a_bounded_number_of_schedules) {
  for (std::size_t i = 0; i < schedules_most; ++i)
    BOOST_REQUIRE(put(plan_of("@yearly"), midnight, "s" + std::to_string(i)).answer.changed);
  BOOST_TEST((put(plan_of("@yearly"), midnight, "more").refusal == errc::limit_reached));
  BOOST_TEST(put(plan_of("@daily"), midnight, "s7").answer.changed);
}

BOOST_AUTO_TEST_CASE(a_schedule_that_is_removed_and_made_again_is_another_one) {
  put(plan_of("* * * * *"), midnight);
  const auto first = occurrence_id({"work", "s", it().created_at}, midnight + 1min);
  const auto removed = decide(q, remove_schedule{"s"}, midnight);
  BOOST_TEST(removed.answer);
  BOOST_TEST(removed.changes.writes.size() == 1U);
  BOOST_TEST((next_schedule(q) == instant::max()));
  const auto again = decide(q, remove_schedule{"s"}, midnight);
  BOOST_TEST(!again.answer);
  BOOST_TEST(again.changes.empty());
  put(plan_of("* * * * *"), midnight + 1s);
  BOOST_TEST((occurrence_id({"work", "s", it().created_at}, midnight + 1min) != first));
}

BOOST_AUTO_TEST_CASE(a_schedule_that_cannot_be_read_does_nothing_and_can_be_replaced) {
  schedule unreadable;
  unreadable.name = "s";
  unreadable.definition = "of a zone that is gone";
  unreadable.created_at = unreadable.handled_until = midnight;
  unreadable.revision = 4;
  enter(q, unreadable);
  BOOST_TEST((next_schedule(q) == instant::max()));
  BOOST_TEST(run(midnight + 2h).changes.empty());
  put(plan_of("0 * * * *", backfill::all), midnight + 2h);
  BOOST_TEST(it().revision == 5U);
  BOOST_TEST(made_at(midnight + 3h) == "180");
}

namespace {

/// What the database has of the queue, and the queue that is made of it.
struct durable_queue : scheduled_queue {
  std::map<std::string, put_schedule_row> stored;
  std::map<std::string, schedule_plan> plans; ///< By definition.
  std::set<task_id> tasks;                    ///< Ever made.

  void commit(const change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* task = std::get_if<insert_task>(&write))
        BOOST_TEST(tasks.insert(task->spec.id).second, "an occurrence has made two tasks");
      else if (const auto* row = std::get_if<put_schedule_row>(&write))
        stored[row->name] = *row;
  }

  /// The host has died: memory is what the database says. The tasks are over meanwhile.
  void restart() {
    q = {};
    q.name = "work";
    for (const auto& [name, row] : stored)
      enter(q, {name,
                row.definition,
                plans.at(row.definition),
                row.created_at,
                row.handled_until,
                row.last_made,
                row.revision,
                {},
                {},
                {}});
  }
};

} // namespace

// D12, B45: under `all`, whatever sleeps and crashes, each occurrence makes one task
BOOST_AUTO_TEST_CASE(any_sequence_of_wakes_and_crashes_makes_each_occurrence_once) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    random_source random{seed};
    durable_queue world;
    world.q.policy.depth_max = 20;
    const std::vector<std::string> crons{"*/7 * * * *", "0 * * * *", "13 */2 * * *"};
    for (const auto& cron : crons) {
      auto plan = plan_of(cron, backfill::all);
      plan.backfill_max = 1000;
      plan.grace = core::duration{static_cast<std::int64_t>(random.below(600'000'000))};
      const auto put_now = world.put(plan, midnight, cron);
      world.plans[world.it(cron).definition] = plan;
      world.commit(put_now.changes);
    }
    auto now = midnight;
    for (int step = 0; step < 200; ++step) {
      now += core::duration{static_cast<std::int64_t>(random.below(900'000'000))};
      if (random.one_in(4) && next_schedule(world.q) < instant::max())
        now = std::max(now, next_schedule(world.q));
      if (random.one_in(3)) // the queue is full now and then
        while (!world.q.tasks.empty() && !random.one_in(5))
          decide(world.q, task_verb::cancel, world.q.tasks.begin()->first, now);
      const auto ran = world.run(now);
      if (random.one_in(5)) { // it dies before the commit, or after
        if (random.one_in(2))
          world.commit(ran.changes);
        world.restart();
        world.q.policy.depth_max = 20;
      } else {
        world.commit(ran.changes);
      }
    }
    world.q.policy.depth_max = 1'000'000;
    now += schedule_retry_pace;
    while (next_schedule(world.q) <= now)
      world.commit(world.run(now).changes);
    std::size_t expected = 0;
    for (const auto& cron : crons)
      expected += due_between(*parse_cron(cron), *find_utc("UTC"), midnight, now, 100'000).size();
    BOOST_TEST(world.tasks.size() == expected, "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(a_look_ahead_begins_after_now_and_ends_with_the_schedule) {
  auto plan = plan_of("*/10 * * * *");
  plan.until = midnight + 40min;
  put(plan, midnight);
  const std::vector<instant> last_two{midnight + 30min, midnight + 40min};
  BOOST_TEST((coming_occurrences(it(), midnight + 20min, 100) == last_two));
  BOOST_TEST((coming_occurrences(it(), midnight + 30min - 1us, 1)
              == std::vector<instant>{midnight + 30min}));
  BOOST_TEST(coming_occurrences(it(), midnight + 40min, 100).empty());
  BOOST_TEST(coming_occurrences(it(), midnight, 0).empty());
}

BOOST_AUTO_TEST_CASE(a_look_ahead_shows_what_a_paused_schedule_would_do) {
  auto plan = plan_of("0 * * * *");
  plan.paused = true;
  put(plan, midnight);
  BOOST_TEST((next_schedule(q) == instant::max()));
  BOOST_TEST((coming_occurrences(it(), midnight, 1) == std::vector<instant>{midnight + 1h}));
}

BOOST_AUTO_TEST_CASE(a_look_ahead_at_a_day_that_never_comes_is_empty) {
  put(plan_of("0 0 30 2 *"), midnight);
  BOOST_TEST(coming_occurrences(it(), midnight, 10).empty());
}

BOOST_AUTO_TEST_CASE(a_schedule_run_by_hand_makes_its_task_once_and_keeps_its_times) {
  const auto by_hand = task_of_hand(1);
  put(plan_of("0 * * * *"), midnight);
  const auto before = it();
  const auto ran = decide(q, run_schedule{"s", by_hand}, midnight + 5min);
  BOOST_REQUIRE((ran.refusal == errc::none));
  BOOST_TEST(!ran.answer.repeated);
  BOOST_REQUIRE_EQUAL(ran.changes.writes.size(), 1U);
  const auto& made = std::get<insert_task>(ran.changes.writes.front());
  BOOST_TEST((made.spec.id == by_hand));
  BOOST_TEST(made.spec.type == "report");
  const auto again = decide(q, run_schedule{"s", by_hand}, midnight + 6min);
  BOOST_TEST(again.answer.repeated);
  BOOST_TEST(again.changes.empty());
  BOOST_TEST((it().handled_until == before.handled_until && it().last_made == before.last_made));
  BOOST_TEST(made_at(midnight + 1h) == "60");
}

BOOST_AUTO_TEST_CASE(a_paused_schedule_can_be_run_by_hand) {
  auto plan = plan_of("0 * * * *");
  plan.paused = true;
  put(plan, midnight);
  const auto ran = decide(q, run_schedule{"s", task_of_hand(2)}, midnight);
  BOOST_TEST((ran.refusal == errc::none));
  BOOST_TEST(ran.changes.writes.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_run_by_hand_is_refused_without_a_readable_schedule_or_room) {
  const auto by_hand = task_of_hand(3);
  BOOST_TEST((decide(q, run_schedule{"s", by_hand}, midnight).refusal == errc::not_found));
  put(plan_of("0 * * * *"), midnight);
  q.policy.depth_max = 0;
  const auto full = decide(q, run_schedule{"s", by_hand}, midnight);
  BOOST_TEST((full.refusal == errc::overloaded));
  BOOST_TEST(full.changes.empty());
  q.schedules.at("s").plan.reset();
  BOOST_TEST((decide(q, run_schedule{"s", by_hand}, midnight).refusal == errc::wrong_state));
}

BOOST_AUTO_TEST_SUITE_END()
