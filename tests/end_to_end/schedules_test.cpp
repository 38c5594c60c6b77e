// Schedules of a real node, over a death and a long absence.

#include "tests/end_to_end/producer.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using test::running_node;

namespace {

/// Due once a year, so that no occurrence comes while the test runs, unless it runs at New Year.
std::string yearly(const std::string& backfill) {
  return R"({"cron": "@yearly", "time_zone": "Europe/Berlin", "backfill": ")" + backfill
         + R"(", "task": {"type": "report", "body": {"of": ")" + backfill + R"("}}})";
}

void kill(running_node& node) {
  node.process->kill();
  BOOST_TEST(node.process->ended_within(10s).value_or(-1) == 128 + SIGKILL);
}

std::vector<msg::schedule_view> schedules_of(test::producer& me) {
  msg::list_schedules request;
  request.queue = me.queue;
  request.limit = 10;
  return me.ask<msg::schedule_list>(request).schedules;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(schedules, running_node)

// D12, I-12, I-13
BOOST_AUTO_TEST_CASE(occurrences_missed_while_no_node_was_up_run_once) {
  {
    test::producer me{process->port()};
    me.make_queue("reports", "{}");
    for (const auto* backfill : {"none", "latest", "all"})
      me.ask<msg::schedule_view>(msg::put_schedule{"reports", backfill, yearly(backfill)});
  }
  {
    // As if it had been down for two years and a bit.
    pqxx::connection database{conninfo()};
    pqxx::work tx{database};
    tx.exec("UPDATE holdfast.schedules"
            " SET handled_until = date_trunc('year', now()) - interval '2 years 1 month'");
    tx.commit();
  }
  for (int life = 0; life < 2; ++life) {
    kill(*this);
    start();
    test::producer me{process->port()};
    me.queue = "reports";
    const auto counts =
        me.counts_when([](const msg::queue_statistics& found) { return found.live == 4; });
    BOOST_TEST(counts.live == 4U); // none of the first, one of the second, three of the third
    for (const auto& schedule : schedules_of(me)) {
      BOOST_TEST(schedule.problem == "");
      BOOST_TEST((schedule.next_due > test::producer::now()));
      BOOST_TEST((schedule.handled_until <= schedule.next_due));
    }
  }
  pqxx::connection after{conninfo()};
  pqxx::work read{after};
  const auto rows = read.exec("SELECT execution_spec ->> 'of', count(*) FROM report.tasks"
                              " GROUP BY 1 ORDER BY 1");
  BOOST_REQUIRE_EQUAL(rows.size(), 2);
  BOOST_TEST(rows[0][0].as<std::string>() == "all");
  BOOST_TEST(rows[0][1].as<int>() == 3);
  BOOST_TEST(rows[1][0].as<std::string>() == "latest");
  BOOST_TEST(rows[1][1].as<int>() == 1);
  BOOST_TEST(test::run_program(HOLDFAST_BINARY, {"verify", "--data-dir", place()}, 60s).code == 0);

  // What each is for is told by its id.
  const auto made = read.exec("SELECT task_id, execution_spec ->> 'of',"
                              " extract(year FROM now() AT TIME ZONE 'Europe/Berlin')"
                              " - row_number() OVER (PARTITION BY execution_spec ->> 'of'"
                              "                      ORDER BY task_id DESC) + 1"
                              " FROM report.tasks");
  for (const auto& row : made) {
    const auto shown = test::run_program(
        HOLDFAST_BINARY, {"tasks", "show", row[0].as<std::string>(), "--data-dir", place()}, 60s);
    BOOST_REQUIRE_MESSAGE(shown.code == 0, shown.err);
    const auto task = nlohmann::json::parse(shown.out);
    BOOST_TEST(task.at("schedule") == row[1].as<std::string>());
    BOOST_TEST(task.at("occurrence")
               == std::to_string(row[2].as<int>() - 1) + "-12-31T23:00:00.000000Z");
  }
}

BOOST_AUTO_TEST_SUITE_END()
