// The audit log: a change that a principal has had made leaves one entry, in the same commit; all
// else leaves none.

#include "tests/support/queue_fixture.hpp"
#include "tests/support/recording_sender.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string question_step = R"({"key": "label", "judgments_per_unit": 2,
    "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 3}})";

struct node_with_audit_log : node_fixture {
  node_with_audit_log() {
    prepare();
    node->settings.webhooks = std::make_shared<recording_sender>();
    node->settings.audit_retention = 1h;
    node->settings.events_prune_interval = 1min;
    start();
  }

  /// Sends a request as the HTTP API does for a principal.
  template <class Request>
  std::shared_ptr<answer<msg::answer_to<Request>>> send_as(const std::string& who,
                                                           const Request& request) {
    return send<msg::answer_to<Request>>(node->gateway,
                                         caf::make_message(msg::author{who}, request));
  }
  template <class Request>
  answer<msg::answer_to<Request>> call_as(const std::string& who, const Request& request) {
    const auto result = send_as(who, request);
    settle();
    return *result;
  }
  /// The same; the change must be made, and is the newest in the log.
  template <class Request>
  void made_as(const std::string& who, const Request& request, const std::string& entry) {
    const auto before = log().size();
    const auto answered = call_as(who, request);
    BOOST_REQUIRE_MESSAGE(
        answered.value,
        entry << ": " << (answered.error ? answered.error->detail : std::string{"no answer"}));
    const auto after = log();
    BOOST_REQUIRE_MESSAGE(after.size() == before + 1, entry);
    BOOST_TEST(after.back() == who + ' ' + entry);
  }

  /// `who operation item: outcome` of each entry, in order.
  std::vector<std::string> log() const {
    std::vector<std::string> entries;
    for (const auto& [number, made] : database->tables().audit_log)
      entries.push_back(made.who + ' ' + made.operation + ' ' + made.item + ": " + made.outcome);
    return entries;
  }
  msg::task_request task() {
    msg::task_request made;
    made.task = fresh<core::task_id>();
    made.type = "send";
    made.body = "{}";
    return made;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(audit_log, node_with_audit_log)

BOOST_AUTO_TEST_CASE(changes_of_queues_and_tasks_leave_entries) {
  made_as("admin", msg::put_queue{"mail", mail_policy}, "put_queue queue mail: saved");
  const auto one = task();
  const auto two = task();
  BOOST_REQUIRE(call(msg::enqueue_tasks{"mail", {one, two}}).value);
  made_as("token:1", msg::pause_queue{"mail", {}, true}, "pause_queue queue mail: paused");
  made_as("token:1", msg::pause_queue{"mail", {}, false}, "pause_queue queue mail: resumed");
  made_as("admin", msg::change_task{"mail", one.task, 1},
          "change_task task " + to_string(one.task) + ": paused");
  made_as("admin", msg::change_task{"mail", one.task, 3},
          "change_task task " + to_string(one.task) + ": canceled");
  msg::eject_task ejection;
  ejection.queue = "mail";
  ejection.task = two.task;
  ejection.update.state = "elsewhere";
  made_as("admin", ejection, "eject_task task " + to_string(two.task) + ": ejected");
  made_as("admin",
          msg::put_schedule{"mail", "daily", R"({"cron": "@daily", "task": {"type": "send"}})"},
          "put_schedule queue mail schedule daily: saved");
  const auto by_hand = fresh<core::task_id>();
  made_as("admin", msg::run_schedule{"mail", "daily", by_hand},
          "run_schedule queue mail schedule daily task " + to_string(by_hand) + ": ran");
  made_as("admin", msg::change_task{"mail", by_hand, 3},
          "change_task task " + to_string(by_hand) + ": canceled");
  made_as("admin", msg::remove_schedule{"mail", "daily"},
          "remove_schedule queue mail schedule daily: removed");
  made_as("admin", msg::change_task{"mail", two.task, 3},
          "change_task task " + to_string(two.task) + ": canceled");
  made_as("admin", msg::remove_queue{"mail"}, "remove_queue queue mail: removed");
}

BOOST_AUTO_TEST_CASE(changes_of_workflows_steps_and_units_leave_entries) {
  const auto workflow = fresh<core::workflow_id>();
  made_as("rita", msg::create_workflow{workflow, workflow_json("pets", {question_step})},
          "create_workflow workflow " + to_string(workflow) + ": created");
  const auto step = call(msg::get_workflow{workflow, 0}).value->steps.front().step;
  const auto of_step = "step " + to_string(step);
  made_as("rita", msg::add_source_data{step, {{"a", "{}", 0}}},
          "add_source_data " + of_step + ": source_data_added");
  made_as("rita", msg::load_source_data{step, {{"b", "{}", 0}}},
          "load_source_data " + of_step + ": source_data_loaded");
  made_as("rita", msg::load_source_data{step, {{"a", "[1]", 0}, {"b", "[2]", 0}}, true},
          "load_source_data " + of_step + ": source_data_loaded");
  msg::add_test_questions questions{step, {}};
  questions.rows.push_back({"q", "{}", R"({"answer": "cat"})"});
  made_as("rita", questions, "add_test_questions " + of_step + ": test_questions_added");
  const auto asked = call(msg::list_test_questions{step, 0, 10}).value->questions.at(0).unit;
  made_as("rita", msg::forgive_question{step, asked, false},
          "forgive_question unit " + to_string(asked) + ": forgiven");
  made_as("rita", msg::remove_contributor{step, "mallory"},
          "remove_contributor " + of_step + " contributor mallory: removed");
  made_as("rita", msg::repair_contributor{step, fresh<core::repair_id>(), "mallory", true},
          "repair_contributor " + of_step + " contributor mallory: dry_repair_begun");
  advance(5s);
  core::unit_id unit;
  for (const auto& [id, row] : database->tables().units)
    if (row.made.truth.empty())
      unit = id;
  made_as("rita", msg::change_unit{step, unit, 1},
          "change_unit unit " + to_string(unit) + ": paused");
  made_as("rita", msg::change_step{step, 1}, "change_step " + of_step + ": paused");
  made_as("rita", msg::change_step{step, 2}, "change_step " + of_step + ": resumed");
  made_as("rita", msg::seal_step{step}, "seal_step " + of_step + ": sealed");
  made_as("rita", msg::job_status_changed{workflow, 1, 2, {}},
          "job_status_changed workflow " + to_string(workflow) + ": job_noted");
}

BOOST_AUTO_TEST_CASE(changes_of_profiles_and_webhooks_leave_entries) {
  msg::put_profile profile;
  profile.contributor = "ana";
  profile.skills = {"cats"};
  made_as("rita", profile, "put_profile contributor ana: saved");
  const std::string definition = R"({"url": "https://example.com/", "secret": "billing"})";
  made_as("otto", msg::put_webhook{"billing", definition}, "put_webhook webhook billing: saved");
  advance(2s);
  made_as("otto", msg::change_webhook{"billing", 1}, "change_webhook webhook billing: paused");
  advance(2s);
  made_as("otto", msg::replay_webhook{"billing", 0, 3, 0, 1},
          "replay_webhook webhook billing: position_moved");
  made_as("otto", msg::change_webhook{"billing", 3}, "change_webhook webhook billing: removed");
}

BOOST_AUTO_TEST_CASE(refused_changes_and_changes_of_nothing_leave_no_entry) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  BOOST_TEST(call_as("admin", msg::put_queue{"mail", "["}).error.has_value());
  BOOST_TEST(call_as("admin", msg::pause_queue{"none", {}, true}).error.has_value());
  BOOST_TEST(
      call_as("admin", msg::change_task{"mail", fresh<core::task_id>(), 3}).error.has_value());
  BOOST_REQUIRE(call(msg::enqueue_tasks{"mail", {task()}}).value);
  BOOST_TEST(call_as("admin", msg::remove_queue{"mail"}).error.has_value());
  BOOST_TEST(call_as("admin", msg::put_queue{"mail", mail_policy}).value.has_value());
  BOOST_TEST(log().empty());
}

BOOST_AUTO_TEST_CASE(a_request_that_is_sent_again_leaves_no_second_entry) {
  const auto workflow = fresh<core::workflow_id>();
  const msg::create_workflow creation{workflow, workflow_json("pets", {question_step})};
  made_as("rita", creation, "create_workflow workflow " + to_string(workflow) + ": created");
  BOOST_TEST(call_as("rita", creation).value.has_value());
  const auto step = call(msg::get_workflow{workflow, 0}).value->steps.front().step;
  const msg::add_source_data rows{step, {{"a", "{}", 0}}};
  BOOST_TEST(call_as("rita", rows).value.has_value());
  BOOST_TEST(call_as("rita", rows).value->already_there == 1U);
  BOOST_TEST(log().size() == 2U);
}

BOOST_AUTO_TEST_CASE(changes_of_the_node_itself_leave_no_entry) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  BOOST_REQUIRE(call(msg::pause_queue{"mail", {}, true}).value);
  BOOST_TEST(log().empty());
  // Nor does a change that comes from the queue behind one of a principal.
  made_as("admin", msg::put_queue{"mail", R"({"retry": {"least_seconds": 2}})"},
          "put_queue queue mail: saved");
  BOOST_REQUIRE(call(msg::enqueue_tasks{"mail", {task()}}).value);
  advance(1min);
  BOOST_TEST(log().size() == 1U);
}

BOOST_AUTO_TEST_CASE(entry_and_change_become_durable_together) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  const auto revision = [&] { return database->tables().queues.at("mail").revision; };
  const auto before = revision();
  held_back = "writer";
  const auto answered = send_as("admin", msg::pause_queue{"mail", {}, true});
  settle();
  BOOST_TEST(!answered->arrived()); // decided, and not written
  BOOST_TEST(revision() == before);
  BOOST_TEST(log().empty());
  held_back.clear();
  settle();
  BOOST_TEST(answered->value.has_value());
  BOOST_TEST(revision() == before + 1);
  BOOST_TEST(log().size() == 1U);
}

BOOST_AUTO_TEST_CASE(request_that_comes_while_its_queue_is_loading_keeps_its_author) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  restart();
  made_as("admin", msg::pause_queue{"mail", {}, true}, "pause_queue queue mail: paused");
}

BOOST_AUTO_TEST_CASE(log_is_read_from_the_newest_entry_on) {
  made_as("admin", msg::put_queue{"mail", mail_policy}, "put_queue queue mail: saved");
  advance(1min);
  const auto later = now();
  made_as("token:1", msg::pause_queue{"mail", {}, true}, "pause_queue queue mail: paused");
  const auto all = call(msg::list_audit{{}, {}, {}, {}, 0, 10});
  BOOST_REQUIRE(all.value);
  BOOST_REQUIRE_EQUAL(all.value->entries.size(), 2U);
  BOOST_TEST(all.value->entries[0].operation == "pause_queue");
  BOOST_TEST(all.value->entries[1].who == "admin");
  BOOST_TEST(!all.value->more);
  const auto first = call(msg::list_audit{{}, {}, {}, {}, 0, 1});
  BOOST_TEST(first.value->more);
  const auto second = call(msg::list_audit{{}, {}, {}, {}, first.value->entries[0].number, 1});
  BOOST_TEST(second.value->entries.at(0).operation == "put_queue");
  BOOST_TEST(call(msg::list_audit{later, {}, {}, {}, 0, 10}).value->entries.size() == 1U);
  BOOST_TEST(call(msg::list_audit{{}, "admin", {}, {}, 0, 10}).value->entries.size() == 1U);
  BOOST_TEST(call(msg::list_audit{{}, {}, {}, "queue none", 0, 10}).value->entries.empty());
}

BOOST_AUTO_TEST_CASE(old_entries_are_forgotten) {
  made_as("admin", msg::put_queue{"mail", mail_policy}, "put_queue queue mail: saved");
  advance(50min);
  BOOST_TEST(log().size() == 1U);
  made_as("admin", msg::pause_queue{"mail", {}, true}, "pause_queue queue mail: paused");
  advance(20min);
  BOOST_REQUIRE_EQUAL(log().size(), 1U);
  BOOST_TEST(log().front() == "admin pause_queue queue mail: paused");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
