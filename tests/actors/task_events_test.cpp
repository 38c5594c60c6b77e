// Events of the ends of tasks, through a whole node in virtual time: who is told, how often, and in
// which form.

#include "tests/support/event_schemas.hpp"
#include "tests/support/queue_fixture.hpp"
#include "tests/support/recording_sender.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// `mail` as in `mail_policy`, and it tells of every end.
const std::string told_policy =
    R"({"lease": {"ttl_seconds": 30, "total_max_seconds": 90},
        "retry": {"max_attempts": 3, "least_seconds": 1, "most_seconds": 8},
        "events": ["TaskCompleted", "TaskFailed", "TaskDead", "TaskCanceled"]})";

struct telling_node : node_with_queue {
  void put_policy(const std::string& policy, const core::queue_name& queue = "mail") {
    BOOST_REQUIRE(call(msg::put_queue{queue, policy}).value);
  }
  core::shard_id shard() const {
    return core::shard_of(core::queue_name{"mail"}, node->settings.shards);
  }
  core::event_seq newest() const { return database->tables().shards[shard()].event_seq; }

  /// The events of the shard of `mail`, from the feed.
  std::vector<nlohmann::json> told(const std::vector<std::string>& types = {}) {
    msg::read_events asked;
    asked.shard = shard();
    asked.types = types;
    const auto page = call(asked);
    BOOST_REQUIRE(page.value);
    std::vector<nlohmann::json> all;
    for (const auto& e : page.value->events) {
      BOOST_TEST(deviation_from_schema(e.event) == "");
      all.push_back(nlohmann::json::parse(e.event));
    }
    return all;
  }
  core::errc cancel(const core::task_id& task) {
    return call(msg::change_task{"mail", task, static_cast<std::uint8_t>(core::task_verb::cancel)})
        .code();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(told_ends_of_tasks, telling_node) // A168, A174

BOOST_AUTO_TEST_CASE(each_end_is_told_in_the_feed_in_the_order_of_the_ends) {
  put_policy(told_policy);
  const auto completed = enqueued(request());
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  const auto failed = enqueued(request());
  BOOST_TEST((fail("w", one("w"), core::failure_kind::permanent) == core::errc::none));
  const auto canceled = enqueued(request());
  BOOST_TEST((cancel(canceled) == core::errc::none));
  const auto dead = enqueued(request());
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST((fail("w", one("w"), core::failure_kind::transient) == core::errc::none));
    advance(10s);
  }
  const auto all = told();
  BOOST_REQUIRE_EQUAL(all.size(), 4U);
  const auto is = [&](std::size_t i, const char* type, const core::task_id& task) {
    BOOST_TEST(all[i].at("type") == type);
    BOOST_TEST(all[i].at("queue") == "mail");
    BOOST_TEST(all[i].at("task_id") == core::to_string(task));
    // As requesters see it.
    BOOST_TEST(all[i].at("details").at("status") == view(task).status);
  };
  is(0, "TaskCompleted", completed);
  is(1, "TaskFailed", failed);
  is(2, "TaskCanceled", canceled);
  is(3, "TaskDead", dead);
  BOOST_TEST(all[1].at("details").at("error_code") == "SMTP_BUSY");
  BOOST_TEST(all[3].at("details").at("failed_attempts") == 3);
  BOOST_TEST(told({"TaskDead", "TaskFailed"}).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_queue_tells_nothing_unless_its_policy_says_so) {
  enqueued(request());
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  const auto canceled = enqueued(request());
  BOOST_TEST((cancel(canceled) == core::errc::none));
  BOOST_TEST(newest() == 0U);
  // It holds for the ends that follow, of tasks that are there as well.
  enqueued(request());
  put_policy(told_policy);
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  BOOST_TEST(newest() == 1U);
  put_policy(mail_policy);
  enqueued(request());
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  BOOST_TEST(newest() == 1U);
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_silent_ends_its_task_with_an_event) {
  put_policy(R"({"lease": {"ttl_seconds": 30, "total_max_seconds": 90},
                 "retry": {"crashes_max": 1}, "events": ["TaskDead"]})");
  enqueued(request());
  one("w");
  advance(29s);
  BOOST_TEST(told().empty());
  advance(2s);
  const auto all = told();
  BOOST_REQUIRE_EQUAL(all.size(), 1U);
  BOOST_TEST(all[0].at("details").at("error_code") == "WORKER_LOST");
  BOOST_TEST(all[0].at("details").at("lost_attempts") == 1);
}

BOOST_AUTO_TEST_CASE(a_task_that_is_redriven_is_told_of_once_for_each_end) {
  put_policy(told_policy);
  const auto task = enqueued(request());
  BOOST_TEST((fail("w", one("w"), core::failure_kind::permanent) == core::errc::none));
  msg::redrive_tasks again;
  again.queue = "mail";
  again.limit = 10;
  BOOST_REQUIRE(call(again).value);
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  const auto all = told();
  BOOST_REQUIRE_EQUAL(all.size(), 2U);
  BOOST_TEST(all[0].at("type") == "TaskFailed");
  BOOST_TEST(all[1].at("type") == "TaskCompleted");
  BOOST_TEST(all[1].at("task_id") == core::to_string(task));
}

BOOST_AUTO_TEST_CASE(an_end_and_its_event_become_durable_together_or_not_at_all) {
  put_policy(told_policy);
  const auto task = enqueued(request());
  const auto held = one("w");
  // The end is decided, and the node dies before its commit.
  held_back = "writer";
  const auto lost =
      send_to_node(msg::complete_tasks{"mail", "w", {{{held.task, held.token}, "{}"}}});
  settle();
  BOOST_TEST(!lost->arrived());
  held_back.clear();
  restart();
  BOOST_TEST(view(task).status == "EXECUTING");
  BOOST_TEST(events(core::event_type::task_completed).empty());
  // The worker sends it again, and once more because its answer is late.
  BOOST_TEST((complete("w", held) == core::errc::none));
  BOOST_TEST((complete("w", held) == core::errc::none));
  restart();
  BOOST_TEST((complete("w", held) == core::errc::none));
  BOOST_TEST(view(task).status == "COMPLETED");
  BOOST_TEST(events(core::event_type::task_completed).size() == 1U);
  BOOST_TEST(told().size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct posting_node : telling_node {
  posting_node() {
    receiver->at_once = [](const connectors::webhook_post&) { return answered(200); };
    node->kill();
    prepare();
    node->settings.webhooks = receiver;
    node->settings.events_source = "urn:holdfast:test";
    start();
    put_policy(told_policy);
    put_policy(told_policy, "orders");
  }
  void put(const std::string& more) {
    const auto saved = call(msg::put_webhook{
        "billing",
        R"({"url":"https://example.com/","secret":"billing","start":"oldest",)" + more + "}"});
    BOOST_REQUIRE_MESSAGE(saved.value, (saved.error ? saved.error->detail : "no answer"));
    advance(2s);
  }
  void complete_one() {
    enqueued(request());
    BOOST_TEST((complete("w", one("w")) == core::errc::none));
  }
  nlohmann::json body(std::size_t attempt) const {
    return nlohmann::json::parse(receiver->attempts.at(attempt).post.body);
  }

  std::shared_ptr<recording_sender> receiver = std::make_shared<recording_sender>();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(posted_ends_of_tasks, posting_node) // A159

BOOST_AUTO_TEST_CASE(a_webhook_of_a_queue_gets_the_ends_of_its_tasks_alone) {
  put(R"("queues":["mail"])");
  const auto step = create();
  feed(step, 1);
  auto ordered = request();
  BOOST_REQUIRE(call(msg::enqueue_tasks{"orders", {ordered}}).value);
  BOOST_REQUIRE(call(msg::change_task{"orders", ordered.task,
                                      static_cast<std::uint8_t>(core::task_verb::cancel)})
                    .value);
  complete_one();
  advance(10s);
  BOOST_REQUIRE_EQUAL(receiver->attempts.size(), 1U);
  BOOST_TEST(receiver->attempts[0].post.content_type == "application/json");
  const auto sent = body(0).at("events");
  BOOST_REQUIRE_EQUAL(sent.size(), 1U);
  BOOST_TEST(sent[0].at("event").at("type") == "TaskCompleted");
  BOOST_TEST(sent[0].at("event").at("queue") == "mail");
}

BOOST_AUTO_TEST_CASE(cloudevents_are_posted_one_by_one) {
  complete_one();
  complete_one();
  put(R"("queues":["mail"],"envelope":"cloudevents")");
  BOOST_REQUIRE_EQUAL(receiver->attempts.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST(receiver->attempts[i].post.content_type == "application/cloudevents+json");
    BOOST_TEST(body(i).at("specversion") == "1.0");
    BOOST_TEST(body(i).at("id") == std::to_string(shard()) + '-' + std::to_string(i + 1));
    BOOST_TEST(body(i).at("source") == "urn:holdfast:test");
    BOOST_TEST(body(i).at("type") == "holdfast.TaskCompleted");
    BOOST_TEST(body(i).at("data").at("queue") == "mail");
  }
}

BOOST_AUTO_TEST_CASE(cloudevents_are_posted_as_a_list_where_the_webhook_asks_for_batches) {
  complete_one();
  complete_one();
  complete_one();
  put(R"("queues":["mail"],"envelope":"cloudevents","batch":{"events":2})");
  BOOST_REQUIRE_EQUAL(receiver->attempts.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST(receiver->attempts[i].post.content_type == "application/cloudevents-batch+json");
    BOOST_TEST(body(i).is_array());
    // The last of them is alone, and a list all the same.
    BOOST_TEST(body(i).size() == 2U - i);
  }
}

BOOST_AUTO_TEST_CASE(events_of_units_come_as_cloudevents_as_well) {
  const auto step = create();
  put(R"("types":["JobStepUpdated"],"envelope":"cloudevents")");
  BOOST_REQUIRE_EQUAL(receiver->attempts.size(), 1U);
  BOOST_TEST(body(0).at("type") == "holdfast.JobStepUpdated");
  BOOST_TEST(body(0).at("subject") == "steps/" + core::to_string(step));
}

// The letter has the event as it is, and its replay the envelope again.
BOOST_AUTO_TEST_CASE(a_dead_letter_is_replayed_in_its_envelope) {
  receiver->at_once = [](const connectors::webhook_post&) { return answered(400); };
  complete_one();
  put(R"("queues":["mail"],"envelope":"cloudevents")");
  const auto letters = call(msg::list_dead_letters{"billing", shard(), 0, 10});
  BOOST_REQUIRE(letters.value);
  BOOST_REQUIRE_EQUAL(letters.value->letters.size(), 1U);
  BOOST_TEST(nlohmann::json::parse(letters.value->letters[0].event).at("type") == "TaskCompleted");
  receiver->at_once = [](const connectors::webhook_post&) { return answered(200); };
  BOOST_REQUIRE(call(msg::replay_webhook{"billing", shard(), 1, 0, 10}).value);
  advance(10s);
  BOOST_REQUIRE_EQUAL(receiver->attempts.size(), 2U);
  BOOST_TEST(body(1) == body(0));
  BOOST_TEST(receiver->attempts[1].post.content_type == "application/cloudevents+json");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
