// Queues of which something stored cannot be read: whoever asks is told at once and why, what is
// beside it goes on, and the log says it once.

#include "actors/internal_messages.hpp"
#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_with_damage : node_with_queue {
  /// Somebody, or a newer program, has put this in the row, and the queue is started again.
  void store_policy(const std::string& policy) {
    database->put_definition("mail", policy);
    crash(the_actor("queue"));
    advance(1s);
  }
  core::new_task staged_task(const std::string& key = {}) {
    core::new_task made;
    made.spec.id = fresh<core::task_id>();
    made.spec.type = "send";
    made.spec.version = "1.0";
    made.spec.body = "{}";
    made.spec.unique_key = key;
    return made;
  }
  core::task_id stage(const std::string& key = {}) {
    const auto staged = database->stage("mail", staged_task(key));
    BOOST_REQUIRE(staged);
    return *staged;
  }
  void let_it_look() { advance(node->settings.intake_interval); }
  msg::queue_intake on_stage() {
    const auto told = call(msg::get_queue_intake{"mail"});
    BOOST_REQUIRE(told.value);
    return *told.value;
  }
  /// The task that a producer staged last, whose row cannot be read later.
  core::staging_id last_staged() const { return database->tables().task_intake.rbegin()->first; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(damaged_queues, node_with_damage)

// finding B3
BOOST_AUTO_TEST_CASE(requests_to_a_queue_whose_policy_is_damaged_are_refused_with_the_reason) {
  const auto task = enqueued(request());
  store_policy(R"({"retry": 5})");
  const auto life = the_actor("queue");
  const auto refused_with = [&](const auto& asked) {
    const auto answered = call(asked); // at once
    BOOST_REQUIRE(answered.error);
    BOOST_TEST((answered.code() == core::errc::damaged));
    BOOST_TEST(answered.error->detail.find("stored policy of queue mail cannot be parsed: /retry")
                   == 0U,
               answered.error->detail);
  };
  refused_with(claim("w1"));
  refused_with(msg::enqueue_tasks{"mail", {request()}});
  refused_with(msg::get_queue_metrics{"mail"});
  refused_with(msg::pause_queue{"mail", "", true});
  refused_with(msg::list_schedules{"mail", "", 10});
  refused_with(msg::change_task{"mail", task, 3});
  advance(10min);
  refused_with(claim("w1"));
  BOOST_TEST((the_actor("queue") == life));
  BOOST_TEST(count_logged("item_down") == 1U); // that of the test
  BOOST_TEST(count_logged("item_set_aside") == 0U);
  BOOST_TEST(count_logged("queue_damaged") == 1U);
  BOOST_TEST(logged("stored policy of queue mail cannot be parsed: /retry"));
}

// finding B3: what an older program meets
BOOST_AUTO_TEST_CASE(policy_of_a_newer_program_is_refused_by_the_name_of_what_is_unknown) {
  store_policy(R"({"running_max": 7, "colour": "red"})");
  const auto answered = call(claim("w1"));
  BOOST_TEST((answered.code() == core::errc::damaged));
  BOOST_TEST(answered.error->detail.find("colour") != std::string::npos);
  for (const auto* text : {"", "nonsense", "[]", "{\"lease\":", "null"}) {
    advance(2 * node->settings.restarts.within); // the test ends the queue's actor each time
    store_policy(text);
    BOOST_TEST((call(claim("w1")).code() == core::errc::damaged));
  }
  BOOST_TEST(count_logged("item_set_aside") == 0U);
}

BOOST_AUTO_TEST_CASE(queue_with_a_damaged_policy_works_again_when_somebody_puts_another_one) {
  const auto before = enqueued(request());
  const auto lease = one("w1");
  const auto waits = enqueued(request());
  store_policy(R"({"retry": 5})");
  BOOST_TEST(
      (call(msg::put_queue{"mail", R"({"retry": 6})"}).code() == core::errc::payload_invalid));
  BOOST_TEST((call(claim("w1")).code() == core::errc::damaged));
  const auto put = call(msg::put_queue{"mail", mail_policy});
  BOOST_REQUIRE(put.value);
  BOOST_TEST(put.value->policy == mail_policy);
  BOOST_TEST(put.value->revision == 2U);
  BOOST_TEST((one("w2").task == waits));
  BOOST_TEST((complete("w1", lease) == core::errc::none));
  BOOST_TEST(view(before).status == "COMPLETED");
  restart();
  BOOST_TEST(counts().live == 1U);
  BOOST_TEST(count_logged("queue_damaged") == 0U); // of the new process
}

BOOST_AUTO_TEST_CASE(policy_that_somebody_mends_in_the_database_is_noticed) {
  enqueued(request());
  store_policy(R"({"retry": 5})");
  BOOST_TEST((call(claim("w1")).code() == core::errc::damaged));
  database->put_definition("mail", mail_policy);
  advance(node->settings.sweep_interval + 1s);
  BOOST_TEST(claimed(claim("w1")).size() == 1U);
}

BOOST_AUTO_TEST_CASE(damaged_policy_keeps_no_other_queue_from_its_work) {
  BOOST_REQUIRE(call(msg::put_queue{"other", "{}"}).value);
  database->put_definition("mail", R"({"retry": 5})");
  restart();
  BOOST_TEST(call(msg::enqueue_tasks{"other", {request()}}).value.has_value());
  BOOST_TEST(call(msg::get_queue_metrics{"other"}).value.has_value());
  const auto list = call(msg::list_queues{});
  BOOST_REQUIRE(list.value);
  BOOST_TEST(list.value->queues.size() == 2U);
  // A task that is staged for the damaged queue waits.
  stage();
  let_it_look();
  BOOST_TEST(on_stage().staged == 1U);
  BOOST_REQUIRE(call(msg::put_queue{"mail", mail_policy}).value);
  let_it_look();
  BOOST_TEST(claimed(claim("w1")).size() == 1U);
}

// finding B3
BOOST_AUTO_TEST_CASE(live_task_that_cannot_be_read_keeps_no_other_from_being_done) {
  auto keyed = request();
  keyed.unique_key = "welcome-ana";
  const auto lost = enqueued(keyed);
  const auto whole = enqueued(request());
  database->set_damaged_tasks([=](const core::task_id& id) { return id == lost; });
  restart();
  BOOST_TEST((one("w1").task == whole));
  BOOST_TEST(claimed(claim("w1")).empty());
  BOOST_TEST(count_logged("tasks_unreadable") == 1U);
  // It is there all the same.
  keyed.task = fresh<core::task_id>();
  const auto repeated = enqueue(keyed);
  BOOST_TEST((repeated.task == lost));
  BOOST_TEST((call(msg::change_task{"mail", lost, 3}).code() == core::errc::damaged));
  advance(10min);
  BOOST_TEST(count_logged("item_down") == 0U);
  BOOST_TEST(count_logged("tasks_unreadable") == 1U);
  database->set_damaged_tasks(nullptr);
  restart();
  BOOST_TEST((one("w2").task == lost));
}

// finding Q4
BOOST_AUTO_TEST_CASE(finished_task_that_cannot_be_read_keeps_no_other_from_being_redriven) {
  std::vector<core::task_id> failed;
  for (int i = 0; i < 3; ++i) {
    failed.push_back(enqueued(request()));
    BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  }
  database->set_damaged_tasks([=](const core::task_id& id) { return id == failed[1]; });
  const msg::redrive_tasks all{"mail", "", "", {}, 100};
  const auto redriven = call(all);
  BOOST_REQUIRE(redriven.value);
  BOOST_TEST(redriven.value->redriven == 2U);
  BOOST_TEST(!redriven.value->more);
  BOOST_TEST(counts().live == 2U);
  BOOST_TEST(count_logged("redrive_leaves_out") == 1U);
  BOOST_TEST(logged(to_string(failed[1])));
  database->set_damaged_tasks(nullptr);
  BOOST_TEST(call(all).value->redriven == 1U);
}

// finding Q4
BOOST_AUTO_TEST_CASE(finished_task_that_cannot_be_deleted_is_told_once_and_keeps_no_other) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"retention_seconds": 600})"}).value);
  std::vector<core::task_id> done;
  for (int i = 0; i < 3; ++i) {
    done.push_back(enqueued(request()));
    BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  }
  database->set_damaged_tasks([=](const core::task_id& id) { return id == done[0]; });
  for (int round = 0; round < 3; ++round) {
    advance(30min);
    enqueued(request());
    BOOST_TEST((complete("w1", one("w1")) == core::errc::none)); // the pruner looks
  }
  advance(30min);
  BOOST_TEST(database->tables().finished_tasks.size() == 1U);
  BOOST_TEST(database->tables().finished_tasks.count(done[0]) == 1U);
  BOOST_TEST(count_logged("finished_tasks_unreadable") == 1U);
  BOOST_TEST(count_logged("pruning_failed") == 0U);
  database->set_damaged_tasks(nullptr);
  enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  advance(30min);
  BOOST_TEST(database->tables().finished_tasks.empty());
}

// finding Q4
BOOST_AUTO_TEST_CASE(staged_row_that_cannot_be_read_is_refused_and_keeps_no_other_waiting) {
  stage();
  stage();
  const auto lost = last_staged();
  stage();
  database->set_damaged_staged([=](const core::staging_id& id) { return id == lost; });
  let_it_look();
  BOOST_TEST(counts().live == 2U);
  auto told = on_stage();
  BOOST_TEST(told.staged == 0U);
  BOOST_TEST(told.refused == 1U);
  BOOST_TEST(told.unreadable == 1U);
  BOOST_TEST(told.last_refusal.find("damaged: ") == 0U);
  BOOST_TEST(count_logged("staged_rows_unreadable") == 1U);
  stage();
  advance(10s);
  BOOST_TEST(counts().live == 3U);
  BOOST_TEST(count_logged("staged_rows_unreadable") == 1U);
}

// finding Q4
BOOST_AUTO_TEST_CASE(stage_that_cannot_be_read_is_told_once_and_asked_for_seldom) {
  stage();
  int asked = 0;
  database->set_read_faults([&](std::string_view read) {
    asked += read == "load_staged" ? 1 : 0;
    return read == "load_staged";
  });
  advance(60s);
  BOOST_TEST(count_logged("stage_not_read") == 1U);
  BOOST_TEST(asked < 60);
  BOOST_TEST(asked > 10);
  database->set_read_faults(nullptr);
  advance(node->settings.writer_retry_max + 1s);
  BOOST_TEST(counts().live == 1U);
}

// finding B10
BOOST_AUTO_TEST_CASE(staged_task_whose_unique_key_another_one_has_got_since_is_refused_by_name) {
  const auto first = stage("welcome-ana");
  auto keyed = request();
  keyed.unique_key = "welcome-ana";
  const auto live = enqueued(keyed); // before the queue has looked at the stage
  let_it_look();
  BOOST_TEST(counts().live == 1U);
  const auto told = on_stage();
  BOOST_TEST(told.refused == 1U);
  BOOST_TEST(told.last_refusal.find(to_string(live)) != std::string::npos, told.last_refusal);
  BOOST_TEST((call(msg::get_task{first}).code() == core::errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
