// Queues that are removed, through a whole node in virtual time: when, what stays, and who is told
// what meanwhile.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string yearly = R"({"cron": "@yearly", "task": {"type": "send"}})";

struct removal_node : node_with_queue {
  answer<msg::queue_removed> remove() { return call(msg::remove_queue{"mail"}); }
  msg::queue_removed removed() {
    const auto answered = remove();
    BOOST_REQUIRE_MESSAGE(answered.value, (answered.error ? answered.error->detail : "no answer"));
    return *answered.value;
  }
  template <class Request>
  void refused(const Request& asked, core::errc code, const std::string& what) {
    const auto answered = call(asked);
    BOOST_REQUIRE(answered.error);
    BOOST_TEST((answered.code() == code));
    BOOST_TEST(answered.error->detail.find(what) != std::string::npos, answered.error->detail);
  }
  core::task_id finished() {
    const auto task = enqueued(request());
    BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
    return task;
  }
  core::new_task to_stage() {
    core::new_task made;
    made.spec.id = fresh<core::task_id>();
    made.spec.type = "send";
    made.spec.version = "1.0";
    made.spec.body = "{}";
    return made;
  }
  std::size_t queues() const { return database->tables().queues.size(); }

  /// Asks to remove the queue; the change is decided, and its commit waits.
  awaited_answer<msg::remove_queue> remove_without_commit() {
    held_back = "writer";
    auto answered = send_to_node(msg::remove_queue{"mail"});
    settle();
    BOOST_TEST(!answered->arrived());
    BOOST_TEST(queues() == 1U);
    return answered;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_removal, removal_node)

BOOST_AUTO_TEST_CASE(removed_queue_leaves_its_finished_tasks_and_nothing_else) {
  const auto task = finished();
  BOOST_REQUIRE(call(msg::put_schedule{"mail", "s", yearly}).value);
  const auto answered = removed();
  BOOST_TEST(answered.queue == "mail");
  BOOST_TEST(answered.removed);
  BOOST_TEST(answered.schedules == 1U);
  BOOST_TEST(answered.finished == 1U);
  BOOST_TEST(database->tables().schedules.empty());
  BOOST_TEST(actors_named("queue").empty());
  BOOST_TEST(view(task).status == "COMPLETED");
  BOOST_TEST(call(msg::list_queues{}).value->queues.empty());
  refused(msg::enqueue_tasks{"mail", {request()}}, core::errc::not_found, "no queue mail");
  refused(claim("w1"), core::errc::not_found, "no queue mail");
  refused(msg::get_queue_statistics{"mail"}, core::errc::not_found, "no such queue");

  const auto again = removed();
  BOOST_TEST(!again.removed);
  BOOST_TEST(again.finished == 0U);
  BOOST_TEST(!call(msg::remove_queue{"none"}).value->removed);
  BOOST_TEST(actors_named("queue").empty());
  BOOST_TEST(!logged("item_down"));
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(queue_that_is_put_after_its_removal_is_a_new_one) {
  const auto task = finished();
  BOOST_REQUIRE(call(msg::put_schedule{"mail", "s", yearly}).value);
  BOOST_REQUIRE(call(msg::pause_queue{"mail", "", true}).value);
  removed();
  const auto put = call(msg::put_queue{"mail", mail_policy});
  BOOST_REQUIRE(put.value);
  BOOST_TEST(put.value->revision == 1U);
  BOOST_TEST(!put.value->paused);
  BOOST_TEST(call(msg::list_schedules{"mail", "", 10}).value->schedules.empty());
  auto same = request();
  same.task = task;
  BOOST_TEST(enqueue(same).repeated); // its id is that of a finished task
  const auto fresh_one = enqueued(request());
  BOOST_TEST((one("w1").task == fresh_one));
  BOOST_TEST(counts().completed == 1U);
  BOOST_TEST(database->tables().removed_queues.empty());
}

BOOST_AUTO_TEST_CASE(queue_with_live_or_staged_tasks_goes_on) {
  const auto first = enqueued(request());
  enqueued(request());
  const auto lease = one("w1");
  refused(msg::remove_queue{"mail"}, core::errc::wrong_state,
          "2 live tasks, 1 of them leased, and 0 staged ones; finish or cancel them");
  BOOST_TEST((complete("w1", lease) == core::errc::none));
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  BOOST_TEST(view(first).status == "COMPLETED");
  BOOST_REQUIRE(database->stage("mail", to_stage()));
  refused(msg::remove_queue{"mail"}, core::errc::wrong_state,
          "0 live tasks, 0 of them leased, and 1 staged ones");
  advance(node->settings.intake_interval);
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  BOOST_TEST(removed().finished == 3U);
}

// Nobody hears of a removal before it is durable.
BOOST_AUTO_TEST_CASE(requests_that_come_during_the_commit_are_told_to_ask_again) {
  auto patient = claim("w1");
  patient.wait = 30s;
  const auto waits = send_to_node(patient);
  settle();
  const auto removal = remove_without_commit();
  BOOST_REQUIRE(waits->value);
  BOOST_TEST(waits->value->tasks.empty());
  const auto telling = "queue mail is being removed; ask again";
  refused(msg::enqueue_tasks{"mail", {request()}}, core::errc::unavailable, telling);
  refused(claim("w1"), core::errc::unavailable, telling);
  refused(msg::put_queue{"mail", "{}"}, core::errc::unavailable, telling);
  refused(msg::put_schedule{"mail", "s", yearly}, core::errc::unavailable, telling);
  refused(msg::remove_queue{"mail"}, core::errc::unavailable, telling);
  held_back.clear();
  settle();
  BOOST_REQUIRE(removal->value);
  BOOST_TEST(removal->value->removed);
  BOOST_TEST(queues() == 0U);
  BOOST_TEST(actors_named("queue").empty());
  BOOST_TEST(call(msg::put_queue{"mail", "{}"}).value->revision == 1U);
  BOOST_TEST(!logged("item_down"));
}

BOOST_AUTO_TEST_CASE(removal_whose_answer_is_lost_is_done_once) {
  const auto removal = remove_without_commit();
  crash(the_actor("queue"));
  held_back = "queue"; // the commit comes, and its queue has ended before it hears of it
  settle();
  held_back.clear();
  settle();
  BOOST_REQUIRE(removal->error);
  BOOST_TEST((removal->code() == core::errc::unavailable));
  BOOST_TEST(queues() == 0U);
  BOOST_TEST(!removed().removed);
  refused(claim("w1"), core::errc::not_found, "no queue mail");
}

BOOST_AUTO_TEST_CASE(node_that_dies_before_the_commit_has_removed_nothing) {
  const auto task = finished();
  remove_without_commit();
  held_back.clear();
  restart();
  BOOST_TEST(queues() == 1U);
  enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  BOOST_TEST(removed().finished == 2U);
  restart();
  BOOST_TEST(queues() == 0U);
  BOOST_TEST(view(task).status == "COMPLETED");
  BOOST_TEST(!removed().removed);
}

// The store refuses to delete a queue that has tasks, and memory may have lost sight of one.
BOOST_AUTO_TEST_CASE(removal_that_the_database_refuses_leaves_the_queue) {
  database->set_refusals([](const core::change& c) {
    return !c.writes.empty() && std::holds_alternative<core::delete_queue>(c.writes.front());
  });
  BOOST_TEST((remove().code() == core::errc::refused_by_store));
  database->set_refusals(nullptr);
  settle();
  BOOST_TEST(queues() == 1U);
  enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  BOOST_TEST(removed().removed);
}

// C25: the transaction of its producer was open during the removal
BOOST_AUTO_TEST_CASE(task_that_is_staged_too_late_is_set_aside) {
  removed();
  const auto late = to_stage();
  database->insert_staged("mail", late);
  advance(5 * node->settings.intake_interval);
  BOOST_TEST(database->tables().tasks.empty());
  BOOST_REQUIRE_EQUAL(database->tables().task_intake.size(), 1U);
  const auto& row = database->tables().task_intake.begin()->second;
  BOOST_REQUIRE(row.refused);
  BOOST_TEST((row.refused->code == core::errc::not_found));
  BOOST_TEST(row.refused->detail == "queue mail was removed");
  BOOST_TEST(!logged("change_refused"));
}

// B67, A170
BOOST_AUTO_TEST_CASE(finished_tasks_of_a_removed_queue_are_forgotten_at_their_age) {
  auto& settings = prepare().settings; // hours pass quickly: what it does by itself it does seldom
  settings.heartbeat_interval = 20min;
  settings.lease_time = 1h;
  settings.intake_interval = 1h;
  settings.events_prune_interval = 1h;
  start();
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"retention_seconds": 36000})"}).value);
  const auto task = finished();
  removed();
  advance(8h);
  BOOST_TEST(view(task).status == "COMPLETED");
  advance(5h);
  BOOST_TEST((call(msg::get_task{task}).code() == core::errc::not_found));
  BOOST_TEST(database->tables().removed_queues.size() == 1U);
  advance(16h);
  BOOST_TEST(database->tables().removed_queues.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
