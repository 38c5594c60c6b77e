// Queues and tasks on the command line of a real node, and in the reports of its database.

#include "tests/end_to_end/producer.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using nlohmann::json;
using test::contains;
using test::running_node;

namespace {

test::program_end operate(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--data-dir", running_node::current().place()});
  return test::run_program(HOLDFAST_BINARY, arguments, 60s);
}

json queue_shown(const std::string& name) {
  const auto end = operate({"queues", "list", "--json", "--prefix", name});
  BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
  return json::parse(end.out).at("queues").at(0);
}

json task_shown(const core::task_id& id) {
  const auto end = operate({"tasks", "show", core::to_string(id)});
  BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
  return json::parse(end.out);
}

std::string status_reported(const core::task_id& id) {
  pqxx::connection database{running_node::current().conninfo()};
  pqxx::work tx{database};
  return tx
      .exec("SELECT workflow_status FROM report.queued_tasks WHERE id = '" + core::to_string(id)
            + "'")
      .at(0)[0]
      .as<std::string>();
}

struct mail_queue : test::producer {
  explicit mail_queue(const std::string& name) : producer(running_node::current().process->port()) {
    make_queue(name, "{}");
  }
};

/// Leases one task and says that it failed for good.
void fail_one(test::producer& me) {
  msg::claim_tasks claim;
  claim.queue = me.queue;
  claim.worker = "w";
  claim.claim.value = me.ids.next(test::producer::now());
  const auto given = me.ask<msg::leased_tasks>(claim);
  BOOST_REQUIRE(given.tasks.size() == 1U);
  msg::fail_task failure;
  failure.queue = me.queue;
  failure.worker = "w";
  failure.task = {given.tasks.front().task, given.tasks.front().token};
  failure.kind = static_cast<std::uint8_t>(core::failure_kind::permanent);
  failure.error_code = "GONE";
  me.ask<msg::task_outcome>(failure);
}

} // namespace

BOOST_AUTO_TEST_SUITE(queues_of_tasks, *boost::unit_test::fixture<running_node>())

BOOST_AUTO_TEST_CASE(are_seen_and_changed_on_the_command_line) {
  // what it is: as a file says
  BOOST_TEST(operate({"queues", "list"}).out == "no queues\n");
  const auto file = running_node::current().place() + "/mail.json";
  std::ofstream{file} << R"({"running_max": 3})";
  BOOST_TEST(operate({"queues", "put", "mail", "--file", file}).out == "mail is at revision 1\n");
  std::ofstream{file} << R"({"running_max": -3})";
  const auto wrong = operate({"queues", "put", "mail", "--file", file});
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(contains(wrong.err, "/running_max"));
  BOOST_TEST(operate({"queues", "put", "mail", "--file", "/nonexistent"}).code == 2);
  BOOST_TEST(queue_shown("mail").at("policy").at("running_max") == 3);

  // pausing: the queue, and one type
  BOOST_TEST(operate({"queues", "pause", "mail"}).out == "mail is at revision 2  paused\n");
  BOOST_TEST(queue_shown("mail").at("paused") == true);
  BOOST_TEST(operate({"queues", "resume", "mail"}).out == "mail is at revision 3\n");
  BOOST_TEST(operate({"queues", "pause", "mail", "--type", "bulk"}).out
             == "mail is at revision 4  paused: bulk\n");
  const auto table = operate({"queues", "list", "--prefix", "ma"}).out;
  BOOST_TEST(contains(table, "queue                     revision"), table);
  BOOST_TEST(contains(table, "mail                             4           0"), table);
  BOOST_TEST(contains(table, "paused: bulk\n"), table);
  BOOST_TEST(operate({"queues", "resume", "mail", "--type", "bulk"}).code == 0);
  BOOST_TEST(operate({"queues", "pause", "nothing"}).code == 1);
}

// D12: the next time is told; what is wrong has its place
BOOST_AUTO_TEST_CASE(have_schedules_on_the_command_line) {
  mail_queue me{"reports"};
  const auto file = running_node::current().place() + "/yearly.json";
  std::ofstream{file} << R"({"cron": "@yearly", "task": {"type": "report"}})";
  const auto made = operate({"queues", "schedule", "reports", "yearly", "--file", file});
  BOOST_TEST(made.code == 0, made.err);
  BOOST_TEST(contains(made.out, "yearly  revision 1  next 2"));
  BOOST_TEST(contains(made.out, "-01-01T00:00:00.000000Z  last never\n"));
  const auto shown = json::parse(operate({"queues", "schedules", "reports", "--json"}).out);
  BOOST_TEST(shown.at("schedules").at(0).at("definition").at("cron") == "@yearly");
  BOOST_TEST(!shown.at("schedules").at(0).contains("last_made"));
  std::ofstream{file} << R"({"cron": "61 * * * *", "task": {"type": "report"}})";
  const auto wrong = operate({"queues", "schedule", "reports", "yearly", "--file", file});
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(contains(wrong.err, "/cron"));
  BOOST_TEST(operate({"queues", "unschedule", "reports", "yearly"}).out == "yearly is removed\n");
  BOOST_TEST(operate({"queues", "schedules", "reports"}).out == "");
}

// B24, B28: what an operator sees of a task that fails, and its way back
BOOST_AUTO_TEST_CASE(have_their_dead_letters_done_again) {
  mail_queue me{"letters"};
  const auto id = me.enqueue("send", 1, R"({"to": "ana"})").front();
  BOOST_TEST(status_reported(id) == "QUEUED");
  fail_one(me);
  BOOST_TEST(queue_shown("letters").at("tasks").at("failed") == 1);
  BOOST_TEST(status_reported(id) == "FAILURE");
  const auto failed = task_shown(id);
  BOOST_TEST(failed.at("status") == "FAILURE");
  BOOST_TEST(failed.at("error_code") == "GONE");
  BOOST_TEST(failed.at("body").at("to") == "ana");

  BOOST_TEST(operate({"queues", "redrive", "letters", "--error-code", "OTHER"}).out
             == "0 tasks are live again\n");
  BOOST_TEST(operate({"queues", "redrive", "letters", "--type", "send", "--error-code", "GONE"}).out
             == "1 tasks are live again\n");
  BOOST_TEST(task_shown(id).at("status") == "QUEUED");
  BOOST_TEST(!task_shown(id).contains("error_code"));
}

BOOST_AUTO_TEST_CASE(are_acted_on_as_a_whole) {
  mail_queue me{"crowd"};
  const auto ids = me.enqueue("send", 3, R"({"to": "ana"})");
  const auto counted = operate({"queues", "act", "crowd", "cancel", "--type", "send", "--dry-run"});
  BOOST_TEST(contains(counted.out, "about 3 tasks of crowd"), counted.out);
  for (const auto& id : ids)
    BOOST_TEST(task_shown(id).at("status") == "QUEUED");
  const auto acted =
      operate({"queues", "act", "crowd", "cancel", "--type", "send", "--watch", "--json"});
  BOOST_REQUIRE_MESSAGE(acted.code == 0, acted.err);
  const auto end = nlohmann::json::parse(acted.out);
  BOOST_TEST(end.at("status") == "done");
  BOOST_TEST(end.at("changed") == 3);
  for (const auto& id : ids)
    BOOST_TEST(task_shown(id).at("status") == "CANCELED");
  const auto listed = nlohmann::json::parse(operate({"queues", "actions", "crowd", "--json"}).out);
  BOOST_TEST(listed.at("actions").at(0).at("id") == end.at("id"));
  const auto stopped =
      operate({"queues", "stop-action", "crowd", end.at("id").get<std::string>()}); // it has ended
  BOOST_TEST(contains(stopped.out, "is done: 3 tasks"), stopped.out);
  const auto latest = nlohmann::json::parse(
      operate({"tasks", "list", "--queue", "crowd", "--newest", "--limit", "1", "--json"}).out);
  BOOST_TEST(latest.at("tasks").at(0).at("id") == core::to_string(ids.back()));
}

BOOST_AUTO_TEST_CASE(are_removed_on_the_command_line_when_no_task_is_live) {
  mail_queue me{"retired"};
  const auto ids = me.enqueue("send", 2, "{}");
  const auto file = running_node::current().place() + "/retired.json";
  std::ofstream{file} << R"({"cron": "@yearly", "task": {"type": "send"}})";
  BOOST_TEST(operate({"queues", "schedule", "retired", "yearly", "--file", file}).code == 0);
  const auto in_use = operate({"queues", "remove", "retired"});
  BOOST_TEST(in_use.code == 1);
  BOOST_TEST(contains(in_use.err, "2 live tasks, 0 of them leased, and 0 staged ones"), in_use.err);
  for (const auto& id : ids)
    BOOST_TEST(operate({"tasks", "cancel", "retired", core::to_string(id)}).code == 0);
  BOOST_TEST(operate({"queues", "remove", "retired"}).out
             == "retired is removed with its policy and 1 schedules; 2 finished tasks remain\n");
  BOOST_TEST(operate({"queues", "remove", "retired"}).out == "no queue retired\n");
  const auto again = operate({"queues", "remove", "retired", "--json"});
  BOOST_REQUIRE_MESSAGE(again.code == 0, again.err);
  BOOST_TEST(
      json::parse(again.out)
      == (json{{"queue", "retired"}, {"removed", false}, {"schedules", 0}, {"finished", 0}}));
  BOOST_TEST(task_shown(ids.front()).at("status") == "CANCELED");
  BOOST_TEST(status_reported(ids.front()) == "CANCELED");
  BOOST_TEST(operate({"queues", "show", "retired"}).code == 1);
  BOOST_TEST(operate({"queues", "remove"}).code == 2);
}

BOOST_AUTO_TEST_CASE(have_their_attempts_told_on_the_command_line) {
  mail_queue me{"attempts"};
  const auto name = core::to_string(me.enqueue("send", 1, "{}").front());
  BOOST_TEST(operate({"tasks", "attempts", name}).out == "no attempts\n");
  fail_one(me);
  BOOST_TEST(operate({"queues", "redrive", "attempts"}).code == 0);
  fail_one(me);
  const auto told = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tasks", "attempts", name, "--json"});
    const auto end = operate(arguments);
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    return json::parse(end.out);
  };
  const auto all = told({});
  BOOST_TEST(all.at("id") == name);
  BOOST_TEST(all.at("more") == false);
  BOOST_REQUIRE_EQUAL(all.at("attempts").size(), 2U);
  const auto& second = all.at("attempts").at(1);
  BOOST_TEST(second.at("token") == 2);
  BOOST_TEST(second.at("worker") == "w");
  BOOST_TEST(second.at("ending") == "Failed");
  BOOST_TEST(second.at("error_code") == "GONE");
  BOOST_TEST(!second.contains("error_detail"));
  BOOST_TEST(second.at("ended_at").is_string());
  BOOST_TEST(second.at("late_results").empty());
  const auto first = told({"--limit", "1"});
  BOOST_TEST(first.at("attempts").size() == 1U);
  BOOST_TEST(first.at("more") == true);
  BOOST_TEST(told({"--after", first.at("last").dump()}).at("attempts").at(0) == second);

  const auto lines = operate({"tasks", "attempts", name}).out;
  BOOST_TEST(contains(lines, "  Failed       w                 GONE\n"), lines);
  BOOST_TEST(contains(operate({"tasks", "attempts", name, "--limit", "1"}).out,
                      "there are more; go on with --after 1\n"));
  BOOST_TEST(operate({"tasks", "attempts", "018f2c5e-7c1a-7000-8000-000000000004"}).code == 1);
  BOOST_TEST(operate({"tasks", "attempts", "mail"}).code == 2);
  BOOST_TEST(operate({"tasks", "attempts", name, "--limit", "0"}).code == 2);
}

BOOST_AUTO_TEST_CASE(have_single_tasks_paused_resumed_retried_and_canceled) {
  mail_queue me{"cards"};
  const auto id = me.enqueue("send", 1, "{}").front();
  const auto name = core::to_string(id);
  BOOST_TEST(operate({"tasks", "pause", "cards", name}).out == name + " is paused\n");
  BOOST_TEST(task_shown(id).at("paused") == true);
  BOOST_TEST(operate({"tasks", "resume", "cards", name}).out == name + " is resumed\n");
  BOOST_TEST(operate({"tasks", "retry", "cards", name}).out == name + " is due\n");
  BOOST_TEST(operate({"tasks", "cancel", "cards", name}).out == name + " is canceled\n");
  BOOST_TEST(task_shown(id).at("status") == "CANCELED");
  BOOST_TEST(status_reported(id) == "CANCELED");

  const auto nobody = std::string{"018f2c5e-7c1a-7000-8000-000000000004"};
  BOOST_TEST(operate({"tasks", "show", nobody}).code == 1);
  BOOST_TEST(operate({"tasks", "cancel", "cards", nobody}).code == 1);
  BOOST_TEST(operate({"tasks", "show", "mail"}).code == 2);
  BOOST_TEST(operate({"tasks", "pause", "mail"}).code == 2);
}

// B15, C37-C40
BOOST_AUTO_TEST_CASE(are_looked_through_and_measured_on_the_command_line) {
  mail_queue me{"parcels"};
  const auto ids = me.enqueue("send", 3, "{}");
  fail_one(me);
  const auto listed = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tasks", "list", "--queue", "parcels", "--json"});
    const auto end = operate(arguments);
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    return json::parse(end.out);
  };
  const auto all = listed({});
  BOOST_TEST(all.at("tasks").size() == 3U);
  BOOST_TEST(all.at("more") == false);
  const auto failed = listed({"--status", "FAILURE"}).at("tasks");
  BOOST_REQUIRE_EQUAL(failed.size(), 1U);
  BOOST_TEST(failed[0].at("error_code") == "GONE");
  BOOST_TEST(!failed[0].contains("body"));
  BOOST_TEST(listed({"--status", "QUEUED"}).at("tasks").size() == 2U);
  const auto first = listed({"--limit", "1"});
  BOOST_REQUIRE_EQUAL(first.at("tasks").size(), 1U);
  BOOST_TEST(first.at("more") == true);
  BOOST_TEST(listed({"--after", first.at("last").get<std::string>()}).at("tasks").size() == 2U);
  BOOST_TEST(listed({"--until", "2020-01-01T00:00:00Z"}).at("tasks").empty());
  BOOST_TEST(operate({"tasks", "list", "--since", "yesterday"}).code == 2);
  BOOST_TEST(operate({"tasks", "list", "--status", "DONE"}).code == 1);
  const auto lines = operate({"tasks", "list", "--queue", "parcels", "--status", "QUEUED"}).out;
  BOOST_TEST(contains(lines, core::to_string(ids.back()) + "  QUEUED     parcels"), lines);
  BOOST_TEST(contains(lines, "task                                  status"), lines);

  const auto shown = operate({"queues", "show", "parcels", "--json"});
  BOOST_REQUIRE_MESSAGE(shown.code == 0, shown.err);
  const auto metrics = json::parse(shown.out).at("metrics");
  BOOST_TEST(metrics.at("ready") == 2);
  BOOST_TEST(metrics.at("failed") == 1);
  BOOST_TEST(metrics.at("error_share") == 1.0);
  BOOST_TEST(!metrics.at("ready_since").is_null());
  const auto text = operate({"queues", "show", "parcels"}).out;
  BOOST_TEST(contains(text, "2 ready, 0 later, 0 leased, 0 paused, 0 dead letters"), text);
  BOOST_TEST(operate({"queues", "show", "parc"}).code == 1);
  BOOST_TEST(operate({"queues", "show", "parcels", "--window", "9"}).code == 1);
}

BOOST_AUTO_TEST_SUITE_END()
