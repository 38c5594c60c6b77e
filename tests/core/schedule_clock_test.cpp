// Schedules when the database's clock has stood ahead for a while and is put right.

#include "core/occurrence.hpp"
#include "core/queue_schedules.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

const instant noon{std::chrono::seconds{1'700'049'600}};

struct minutely {
  explicit minutely(backfill policy = backfill::latest) {
    q.name = "work";
    q.revision = 1;
    schedule_plan plan;
    plan.cron = "* * * * *";
    plan.times = *parse_cron(plan.cron);
    plan.zone = find_utc("UTC");
    plan.backfill = policy;
    plan.task.spec.type = "report";
    plan.task.spec.version = "1.0";
    plan.task.spec.body = "{}";
    decide(q, put_schedule{"s", "d", plan}, noon);
  }

  /// Ids of the tasks that are made. Those that it is unsure of are looked for among `finished`.
  std::set<task_id> run(instant at) {
    auto ran = decide(q, run_schedules{}, at);
    auto made = made_by(ran.changes);
    for (int look = 0; look < 3 && !ran.answer.unsure.empty(); ++look) {
      run_schedules command;
      for (const auto& id : ran.answer.unsure) {
        command.known.looked_for.insert(id);
        if (finished.count(id) != 0)
          command.known.exist.insert(id);
      }
      looked_for += ran.answer.unsure.size();
      ran = decide(q, command, at);
      for (const auto& id : made_by(ran.changes))
        made.insert(id);
    }
    BOOST_TEST(ran.answer.unsure.empty());
    // Every task that is made is done at once.
    for (const auto& id : made) {
      BOOST_TEST(finished.insert(id).second, "an occurrence has made a second task");
      q.tasks.erase(id);
    }
    q.ready = {};
    q.unique.clear();
    return made;
  }
  static std::set<task_id> made_by(const change& changes) {
    std::set<task_id> made;
    for (const auto& write : changes.writes)
      if (const auto* task = std::get_if<insert_task>(&write))
        made.insert(task->spec.id);
    return made;
  }
  const schedule& it() const { return q.schedules.at("s"); }

  queue q;
  std::set<task_id> finished;
  std::size_t looked_for = 0;
};

/// How many tasks are made at a time, which stay in the queue.
std::size_t made_at_once(minutely& m, instant at) {
  return minutely::made_by(decide(m.q, run_schedules{}, at).changes).size();
}

} // namespace

BOOST_AUTO_TEST_SUITE(schedule_clock)

// finding Q9
BOOST_AUTO_TEST_CASE(a_schedule_that_ran_two_days_ahead_goes_on_from_now_and_says_so) {
  minutely m;
  BOOST_TEST(m.run(noon + 1min).size() == 1U);
  BOOST_TEST(m.run(noon + 48h + 10s).size() == 1U); // the clock jumps ahead
  BOOST_TEST(m.it().problem == "");
  const auto back = noon + 1min + 12s;
  BOOST_TEST(m.run(back).empty());
  BOOST_TEST(m.it().problem.find("the database's clock stood ahead") == 0U);
  BOOST_REQUIRE(m.it().next);
  BOOST_TEST((*m.it().next == noon + 2min));
  for (int minute = 2; minute < 10; ++minute)
    BOOST_TEST(m.run(noon + minute * 1min).size() == 1U);
  BOOST_TEST(m.it().problem == "");
}

BOOST_AUTO_TEST_CASE(an_occurrence_made_ahead_is_not_made_again_when_its_time_comes) {
  minutely m{backfill::all};
  BOOST_TEST(m.run(noon + 1min).size() == 1U);
  BOOST_TEST(m.run(noon + 5min).size() == 4U); // ahead, and all in between
  BOOST_TEST(m.run(noon + 1min + 30s).empty());
  for (int minute = 2; minute <= 5; ++minute)
    BOOST_TEST(m.run(noon + minute * 1min).empty());
  BOOST_TEST(m.looked_for >= 4U);
  const auto looked = m.looked_for;
  for (int minute = 6; minute < 9; ++minute)
    BOOST_TEST(m.run(noon + minute * 1min).size() == 1U);
  BOOST_TEST(m.looked_for == looked); // no more than is unsure
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_put_right_by_little_changes_nothing) {
  minutely m;
  BOOST_TEST(m.run(noon + 1min).size() == 1U);
  BOOST_TEST(m.run(noon + 1min - 2s).empty());
  BOOST_TEST(m.it().problem == "");
  BOOST_TEST((*m.it().next == noon + 2min));
  BOOST_TEST(m.run(noon + 2min).size() == 1U);
}

// finding R4, Q9
BOOST_AUTO_TEST_CASE(schedule_whose_task_was_refused_ahead_is_tried_when_it_is_due) {
  minutely m{backfill::all};
  m.q.policy.depth_max = 1;
  const auto ahead = made_at_once(m, noon + 30min); // one, and the next finds no room
  BOOST_TEST(ahead == 1U);
  BOOST_TEST(m.it().problem.find("overloaded") == 0U);
  BOOST_TEST((m.it().handled_until == noon + 1min));
  m.q.policy.depth_max = 100;
  BOOST_TEST(made_at_once(m, noon + 1min + 30s) == 0U);
  BOOST_TEST((next_schedule(m.q) == noon + 2min));
  BOOST_TEST(made_at_once(m, noon + 2min) == 1U);
}

BOOST_AUTO_TEST_CASE(the_row_is_written_once_with_what_it_makes) {
  minutely m;
  m.run(noon + 48h);
  const auto ran = decide(m.q, run_schedules{}, noon + 10min);
  std::size_t rows = 0;
  for (const auto& write : ran.changes.writes)
    rows += std::holds_alternative<put_schedule_row>(write) ? 1 : 0;
  BOOST_TEST(rows == 1U);
  BOOST_TEST((ran.answer.stuck == std::vector<std::string>{"s"}));
}

// review
BOOST_AUTO_TEST_CASE(an_occurrence_whose_id_another_queue_has_leaves_the_next_one_alone) {
  minutely m{backfill::all};
  const auto due = due_tasks(m.q, noon + 3min);
  BOOST_REQUIRE_EQUAL(due.size(), 3U);
  run_schedules command;
  command.known.looked_for = {due.begin(), due.end()};
  command.known.elsewhere.emplace(due[1], "other");
  const auto ran = decide(m.q, command, noon + 3min);
  BOOST_TEST((minutely::made_by(ran.changes) == std::set<task_id>{due[0], due[2]}));
  BOOST_TEST((ran.answer.stuck == std::vector<std::string>{"s"}));
  BOOST_TEST(m.it().problem.find("the queue other has one of its id") != std::string::npos);
  BOOST_TEST((m.it().handled_until == noon + 3min));
  BOOST_TEST(due_tasks(m.q, noon + 3min).empty());
  m.run(noon + 4min);
  BOOST_TEST(m.it().problem == "");
}

BOOST_AUTO_TEST_SUITE_END()
