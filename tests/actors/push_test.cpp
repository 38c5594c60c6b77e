// Queues that push: each task is posted to the receiver under an ordinary lease, and what the
// receiver answers, later or never, decides about the task.

#include "core/placement.hpp"
#include "core/push.hpp"
#include "tests/support/queue_fixture.hpp"
#include "tests/support/recording_sender.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string push_worker = "push:mail";

/// Leases of 30 s that may be extended to `total_max` seconds; three attempts, no long waits.
std::string push_policy(const std::string& push, int total_max = 90) {
  return R"({"lease": {"ttl_seconds": 30, "total_max_seconds": )" + std::to_string(total_max)
         + R"(}, "retry": {"max_attempts": 3, "least_seconds": 1, "most_seconds": 2},)"
         + R"( "push": )" + push + "}";
}
const std::string two_at_once =
    R"({"url": "https://example.com/work", "secret": "mailer", "concurrency": 2})";

struct pushing_node : node_fixture {
  pushing_node() {
    prepare();
    start_node();
    put(push_policy(two_at_once));
  }

  void start_node() {
    node->settings.webhooks = receiver;
    start();
  }
  void restart_node() {
    node->kill();
    prepare();
    start_node();
    advance(2s);
  }
  void put(const std::string& policy) {
    BOOST_REQUIRE(call(msg::put_queue{"mail", policy}).value);
    settle();
  }
  core::task_id enqueued(const std::string& trace_id = {}, const std::string& span_id = {}) {
    msg::task_request r;
    r.task = fresh<core::task_id>();
    r.type = "send";
    r.body = R"({"to":"ana"})";
    r.trace_id = trace_id;
    r.span_id = span_id;
    const auto answered = call(msg::enqueue_tasks{"mail", {r}});
    BOOST_REQUIRE(answered.value);
    BOOST_REQUIRE((answered.value->outcomes.front().refusal == core::errc::none));
    return r.task;
  }
  msg::task_view view(const core::task_id& task) {
    auto answered = call(msg::get_task{task});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
  std::size_t posts() const { return receiver->attempts.size(); }
  const connectors::webhook_post& post(std::size_t number) const {
    return receiver->attempts.at(number).post;
  }
  nlohmann::json body(std::size_t number) const { return nlohmann::json::parse(post(number).body); }
  /// The receiver answers this post.
  void reply(std::size_t number, core::post_answer how) {
    receiver->attempts.at(number).done(std::move(how));
    settle();
  }
  static core::post_answer says(std::uint32_t status, const std::string& text = {}) {
    auto how = answered(status);
    how.body = text;
    how.content_type = "application/json";
    return how;
  }
  static core::post_answer barred() {
    return {core::post_verdict::barred, 0, {}, "the host is at 10.0.0.1"};
  }
  /// What a receiver does that ends the task later.
  core::errc complete(const nlohmann::json& pushed, const std::string& result) {
    const auto id = core::parse_uuid(pushed.at("id").get<std::string>());
    BOOST_REQUIRE(id);
    auto answered = call(msg::complete_tasks{
        "mail",
        pushed.at("worker").get<std::string>(),
        {{{core::task_id{*id}, pushed.at("token").get<core::token>()}, result}}});
    BOOST_REQUIRE(answered.value);
    return answered.value->outcomes.front().refusal;
  }
  std::vector<msg::task_attempt> attempts(const core::task_id& task) {
    auto answered = call(msg::get_task_attempts{task});
    BOOST_REQUIRE(answered.value);
    return answered.value->attempts;
  }

  std::shared_ptr<recording_sender> receiver = std::make_shared<recording_sender>();
};

/// The name of a node that does not host the shard while one called `first` is there.
std::string less_suited_than(const std::string& first, core::shard_id shard) {
  for (int number = 2;; ++number)
    if (const auto name = "n" + std::to_string(number);
        core::suitability(name, shard) < core::suitability(first, shard))
      return name;
}

/// With another node that takes over when the first one is gone.
struct pushing_pair : pushing_node {
  pushing_pair() {
    second.settings.webhooks = receiver;
    second.start();
    advance(3s);
  }
  ~pushing_pair() { other.disconnect(); }

  msg::task_view seen_by_second(const core::task_id& task) {
    const auto answered = other.send(second.gateway, msg::get_task{task});
    settle();
    BOOST_REQUIRE(answered->value);
    return *answered->value;
  }

  virtual_node second{
      *this,
      less_suited_than("n1", core::shard_of(core::queue_name{"mail"}, node->settings.shards)), 777};
  client other{*this};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queues_that_push, pushing_node)

BOOST_AUTO_TEST_CASE(a_task_is_posted_with_all_that_its_worker_needs) {
  const auto task = enqueued("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
  BOOST_REQUIRE(posts() == 1U);
  BOOST_TEST(post(0).url == "https://example.com/work");
  BOOST_TEST(post(0).secret == "mailer");
  BOOST_TEST(post(0).id == core::push_id(task, 1));
  BOOST_TEST((post(0).timeout == 60s));
  BOOST_TEST(post(0).answer_bytes == node->settings.json.bytes_max);
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  BOOST_TEST(post(0).traceparent == traceparent);
  const auto sent = body(0);
  BOOST_TEST(sent.at("queue") == "mail");
  BOOST_TEST(sent.at("worker") == push_worker);
  BOOST_TEST(sent.at("id") == core::to_string(task));
  BOOST_TEST(sent.at("type") == "send");
  BOOST_TEST(sent.at("body").at("to") == "ana");
  BOOST_TEST(sent.at("state") == "new");
  BOOST_TEST(sent.at("data") == nlohmann::json::object());
  BOOST_TEST(sent.at("attempt") == 1);
  BOOST_TEST(sent.at("token") == 1);
  BOOST_TEST(sent.at("lease_seconds") == 30);
  BOOST_TEST(sent.at("traceparent") == traceparent);
  BOOST_TEST(view(task).status == "EXECUTING");
  BOOST_TEST(view(task).worker == push_worker);
  reply(0, says(200, R"({"sent":true})"));
  BOOST_TEST(view(task).status == "COMPLETED");
  BOOST_TEST(view(task).result == R"({"sent":true})");
}

BOOST_AUTO_TEST_CASE(no_more_posts_are_under_way_than_the_policy_allows) {
  for (int i = 0; i < 5; ++i)
    enqueued();
  BOOST_TEST(posts() == 2U);
  reply(0, says(204));
  BOOST_TEST(posts() == 3U);
  reply(1, says(500));
  BOOST_TEST(posts() == 4U);
  advance(20s);
  BOOST_TEST(posts() == 4U);
}

BOOST_AUTO_TEST_CASE(a_failure_that_may_pass_is_tried_again_as_another_attempt) {
  const auto task = enqueued();
  reply(0, says(503, R"("warming up")"));
  BOOST_TEST(view(task).status == "QUEUED");
  advance(3s);
  BOOST_REQUIRE(posts() == 2U);
  BOOST_TEST(post(1).id == core::push_id(task, 2));
  reply(1, {core::post_verdict::again, 0, {}, "no answer: Connection refused"});
  advance(3s);
  BOOST_REQUIRE(posts() == 3U);
  reply(2, says(500));
  BOOST_TEST(view(task).status == "ERROR");
  BOOST_TEST(view(task).error_code == "HTTP_500");
}

BOOST_AUTO_TEST_CASE(a_refusal_fails_the_task_for_good) {
  const auto task = enqueued();
  reply(0, says(422, R"("no such address")"));
  BOOST_TEST(view(task).status == "FAILURE");
  BOOST_TEST(view(task).error_code == "HTTP_422");
  advance(60s);
  BOOST_TEST(posts() == 1U);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_is_busy_says_when_to_come_again_and_costs_no_attempt) {
  const auto task = enqueued();
  auto busy = says(429);
  busy.retry_after = 20s;
  reply(0, busy);
  advance(20s - 1us);
  BOOST_TEST(posts() == 1U);
  advance(1us);
  BOOST_REQUIRE(posts() == 2U);
  // The same attempt: the receiver said itself that it has not begun it.
  BOOST_TEST(post(1).id == core::push_id(task, 1));
}

BOOST_AUTO_TEST_CASE(the_lease_is_extended_while_the_receiver_works) {
  const auto task = enqueued();
  advance(59s);
  BOOST_TEST(view(task).status == "EXECUTING");
  BOOST_TEST(posts() == 1U);
  reply(0, says(200, "1"));
  BOOST_TEST(view(task).status == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(an_accepted_task_is_ended_by_the_receiver_later) {
  const auto task = enqueued();
  advance(9s);
  reply(0, says(202));
  advance(2s); // extensions share a commit
  BOOST_TEST(view(task).status == "EXECUTING");
  const auto next = enqueued();
  enqueued();
  BOOST_TEST(posts() == 3U); // what is accepted is under way no longer
  advance(27s);
  BOOST_TEST(view(task).status == "EXECUTING"); // the whole lease from the answer on
  BOOST_TEST((complete(body(0), R"({"later":true})") == core::errc::none));
  BOOST_TEST(view(task).status == "COMPLETED");
  BOOST_TEST(view(next).status == "EXECUTING");
}

BOOST_AUTO_TEST_CASE(an_accepted_task_of_which_nothing_is_heard_is_posted_again) {
  const auto task = enqueued();
  reply(0, says(202));
  advance(29s);
  BOOST_TEST(posts() == 1U);
  advance(3s);
  BOOST_REQUIRE(posts() == 2U);
  BOOST_TEST(post(1).id == core::push_id(task, 1));
  BOOST_TEST(body(1).at("token") != body(0).at("token"));
  BOOST_TEST((complete(body(0), "1") != core::errc::none));
  BOOST_TEST((complete(body(1), "2") == core::errc::none));
  BOOST_TEST(view(task).result == "2");
}

BOOST_AUTO_TEST_CASE(an_answer_after_the_end_of_the_lease_does_not_count) {
  put(push_policy(two_at_once, 45));
  const auto task = enqueued();
  BOOST_TEST((post(0).timeout == 45s));
  advance(50s); // the lease has lived as long as it may; the next attempt is on its way
  BOOST_REQUIRE(posts() == 2U);
  reply(0, says(200, R"("late")"));
  BOOST_TEST(view(task).status == "EXECUTING");
  BOOST_TEST(logged("push_answered_late"));
  reply(1, says(200, R"("in time")"));
  BOOST_TEST(view(task).result == R"("in time")");
}

BOOST_AUTO_TEST_CASE(a_result_that_is_no_json_fails_the_task_for_good) {
  const auto task = enqueued();
  reply(0, says(200, "<html>"));
  BOOST_TEST(view(task).status == "FAILURE");
  BOOST_TEST(view(task).error_code == "PUSH_ANSWER_INVALID");
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_paused_pushes_nothing) {
  BOOST_REQUIRE(call(msg::pause_queue{"mail", "", true}).value);
  const auto task = enqueued();
  advance(120s);
  BOOST_TEST(posts() == 0U);
  BOOST_REQUIRE(call(msg::pause_queue{"mail", "", false}).value);
  BOOST_TEST(posts() == 1U);
  reply(0, says(204));
  BOOST_TEST(view(task).status == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(tasks_wait_unharmed_while_the_receiver_is_out_of_bounds) {
  receiver->at_once = [](const connectors::webhook_post&) { return barred(); };
  const auto first = enqueued();
  const auto second = enqueued();
  advance(600s);
  // Pauses of 1, 2, 4 … seconds up to a minute, with one task each.
  BOOST_TEST(posts() >= 12U);
  BOOST_TEST(posts() <= 20U);
  BOOST_TEST(count_logged("push_blocked") == 1U);
  for (const auto& task : {first, second}) {
    BOOST_TEST(view(task).status == "QUEUED");
    for (const auto& attempt : attempts(task))
      BOOST_TEST(attempt.error_code == "PUSH_BLOCKED");
  }
  receiver->at_once = [](const connectors::webhook_post&) { return says(204); };
  advance(130s);
  BOOST_TEST(view(first).status == "COMPLETED");
  BOOST_TEST(view(second).status == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(another_url_is_used_from_the_next_post_on) {
  const auto first = enqueued();
  put(push_policy(R"({"url": "https://example.org/new", "secret": "other", "concurrency": 1})"));
  const auto second = enqueued();
  BOOST_TEST(posts() == 1U); // one at once, and the first one is under way still
  reply(0, says(204));
  BOOST_TEST(view(first).status == "COMPLETED");
  BOOST_REQUIRE(posts() == 2U);
  BOOST_TEST(post(1).url == "https://example.org/new");
  BOOST_TEST(post(1).secret == "other");
  reply(1, says(204));
  BOOST_TEST(view(second).status == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(a_queue_that_stops_pushing_ends_what_is_under_way_and_leaves_the_rest) {
  const auto first = enqueued();
  put(R"({"lease": {"ttl_seconds": 30}})");
  const auto second = enqueued();
  advance(50s);
  BOOST_TEST(posts() == 1U);
  reply(0, says(204));
  BOOST_TEST(view(first).status == "COMPLETED");
  BOOST_TEST(view(second).status == "QUEUED");
  put(push_policy(two_at_once)); // and it may push again
  BOOST_REQUIRE(posts() == 2U);
  reply(1, says(204));
  BOOST_TEST(view(second).status == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(a_queue_that_pushes_can_be_removed) {
  enqueued();
  BOOST_TEST((call(msg::remove_queue{"mail"}).code() == core::errc::wrong_state));
  reply(0, says(204));
  BOOST_TEST(call(msg::remove_queue{"mail"}).value.has_value());
  advance(120s);
  BOOST_TEST(posts() == 1U);
}

BOOST_AUTO_TEST_CASE(another_process_of_the_node_pushes_on) {
  const auto task = enqueued();
  restart_node();
  BOOST_TEST(posts() == 1U); // the lease holds still
  advance(31s);
  BOOST_REQUIRE(posts() == 2U);
  BOOST_TEST(post(1).id == core::push_id(task, 1));
  reply(0, says(200, "1")); // nobody hears it
  BOOST_TEST(view(task).status == "EXECUTING");
  reply(1, says(200, "2"));
  BOOST_TEST(view(task).result == "2");
}

BOOST_FIXTURE_TEST_CASE(a_node_that_takes_the_shard_over_pushes_on, pushing_pair) {
  const auto task = enqueued();
  BOOST_REQUIRE(posts() == 1U);
  node->kill();
  advance(15s);
  BOOST_TEST(posts() == 1U); // the lease holds still
  advance(25s);
  BOOST_REQUIRE(posts() == 2U);
  BOOST_TEST(post(1).id == core::push_id(task, 1));
  BOOST_TEST(body(1).at("token") != body(0).at("token"));
  reply(0, says(200, "1"));
  BOOST_TEST(seen_by_second(task).status == "EXECUTING");
  reply(1, says(200, "2"));
  BOOST_TEST(seen_by_second(task).result == "2");
}

BOOST_AUTO_TEST_CASE(a_pusher_that_crashes_is_started_again) {
  watches_actors = true;
  enqueued();
  const auto crashed = actors_named("pusher");
  BOOST_REQUIRE(crashed.size() == 1U);
  crash(crashed.front());
  settle();
  BOOST_TEST(logged("pusher_down"));
  advance(100s);
  BOOST_TEST(posts() == 2U);
}

BOOST_AUTO_TEST_CASE(a_node_that_ends_waits_for_answers_and_posts_nothing_more) {
  const auto task = enqueued();
  caf::anon_send(node->root, actors::drain{});
  advance(2s);
  BOOST_TEST(!node->ended());
  reply(0, says(204));
  advance(1s);
  BOOST_TEST(node->ended());
  BOOST_TEST(posts() == 1U);
  restart_node();
  BOOST_TEST(view(task).status == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(a_node_that_ends_waits_for_a_receiver_only_so_long) {
  enqueued();
  caf::anon_send(node->root, actors::drain{});
  advance(9s);
  BOOST_TEST(!node->ended());
  advance(2s);
  BOOST_TEST(node->ended());
}

BOOST_AUTO_TEST_CASE(a_node_has_only_so_many_posts_under_way_of_all_its_queues) {
  node->kill();
  prepare().settings.push_requests_max = 3;
  start_node();
  advance(2s);
  BOOST_REQUIRE(call(msg::put_queue{"bulk", push_policy(two_at_once)}).value);
  for (int i = 0; i < 2; ++i)
    enqueued();
  for (int i = 0; i < 2; ++i) {
    msg::task_request r;
    r.task = fresh<core::task_id>();
    r.type = "send";
    r.body = "{}";
    BOOST_REQUIRE(call(msg::enqueue_tasks{"bulk", {r}}).value);
  }
  advance(10s);
  BOOST_TEST(posts() == 3U);
  reply(0, says(204));
  advance(2s);
  BOOST_TEST(posts() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
