// A queue of the real binary that pushes its tasks to a real receiver: signed posts, results from
// answers, and a task that the receiver ends later with a token of its own.

#include "connectors/webhook_signature.hpp"
#include "tests/node_http/http_node.hpp"
#include "tests/support/http_receiver.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const std::string secret_text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

struct push_node : http_node {
  explicit push_node(const std::string& allowed = "127.0.0.0/8")
      : http_node(std::vector<std::string>{"--set", "webhooks.allowed_networks=" + allowed}) {
    const auto secrets = directory->path() / "secrets";
    std::filesystem::create_directories(secrets);
    const auto file = (secrets / "mailer").string();
    std::ofstream{file} << secret_text << '\n';
    BOOST_REQUIRE(::chmod(file.c_str(), 0600) == 0);
  }

  /// Has tasks of the queue `mail` posted to this receiver.
  void push_to(http_client& api, const http_receiver& receiver) {
    const json policy{{"retry", {{"least_seconds", 0.05}, {"most_seconds", 0.1}}},
                      {"push", {{"url", receiver.url("/work")}, {"secret", "mailer"}}}};
    body_of(api.put("/v1/queues/mail", policy.dump()), 200);
  }
  static std::string made(http_client& api) {
    return body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {"to": "ana"}})"),
                   201)
        .at("id")
        .get<std::string>();
  }
  static json ended(http_client& api, const std::string& task) {
    return body_of(api.get("/v1/tasks/" + task + "?wait=30&until=finished"), 200);
  }
  std::string log() const {
    std::ifstream in{directory->path() / "node.log"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

struct guarded_push_node : push_node {
  guarded_push_node() : push_node("10.255.255.255/32") {}
};

bool is_signed(const http_request& request) {
  const auto sent = request.header("webhook-timestamp");
  const auto keys = connectors::parse_secret(secret_text);
  BOOST_REQUIRE(keys);
  return std::abs(std::stoll(sent) - std::time(nullptr)) < 300
         && request.header("webhook-signature")
                == connectors::signature_of(*keys, request.header("webhook-id"), std::stoll(sent),
                                            request.body);
}

BOOST_AUTO_TEST_SUITE(push_over_http)

BOOST_FIXTURE_TEST_CASE(a_receiver_does_tasks_by_answering_posts, push_node) {
  http_receiver receiver{[](const http_request&) {
    return reply_with(200, "Content-Type: application/json\r\n", R"({"sent": true})");
  }};
  auto api = client();
  push_to(api, receiver);
  const auto task = made(api);
  const auto done = ended(api, task);
  BOOST_TEST(done.at("status") == "COMPLETED");
  BOOST_TEST(done.at("result") == json::parse(R"({"sent": true})"));
  const auto requests = receiver.requests();
  BOOST_REQUIRE(requests.size() == 1U);
  BOOST_TEST(requests.front().target == "/work");
  BOOST_TEST(is_signed(requests.front()));
  BOOST_TEST(requests.front().header("webhook-id") == task + "-1");
  BOOST_TEST((json::parse(requests.front().body).at("body") == json{{"to", "ana"}}));
}

BOOST_FIXTURE_TEST_CASE(a_receiver_that_fails_at_first_gets_the_task_again, push_node) {
  http_receiver receiver{[](const http_request&) { return reply_with(500); }};
  auto api = client();
  push_to(api, receiver);
  const auto task = made(api);
  BOOST_TEST(receiver.has_received(2));
  const auto requests = receiver.requests();
  BOOST_REQUIRE(requests.size() >= 2U);
  BOOST_TEST(requests[0].header("webhook-id") == task + "-1");
  BOOST_TEST(requests[1].header("webhook-id") == task + "-2");
}

BOOST_FIXTURE_TEST_CASE(a_receiver_ends_a_task_later_with_a_token_of_its_own, push_node) {
  http_receiver receiver{[](const http_request&) { return reply_with(202); }};
  auto api = client();
  push_to(api, receiver);
  const auto task = made(api);
  BOOST_REQUIRE(receiver.has_received(1));
  const auto pushed = json::parse(receiver.requests().front().body);
  const auto token = body_of(
      api.post("/v1/tokens",
               json{{"role", "worker"}, {"worker", "push:mail"}, {"queues", json::array({"mail"})}}
                   .dump()),
      201);
  http_client callback{port(), token.at("token").get<std::string>()};
  const json lease{{"worker", pushed.at("worker")}, {"token", pushed.at("token")}};
  const auto path = "/v1/tasks/" + task;
  body_of(callback.post(path + "/extend", lease.dump()), 200);
  auto done = lease;
  done["result"] = {{"later", true}};
  body_of(callback.post(path + "/complete", done.dump()), 200);
  const auto seen = ended(api, task);
  BOOST_TEST(seen.at("status") == "COMPLETED");
  BOOST_TEST((seen.at("result") == json{{"later", true}}));
  BOOST_TEST(receiver.requests().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_address_out_of_bounds_is_told_and_costs_no_task, guarded_push_node) {
  http_receiver receiver{[](const http_request&) { return reply_with(200); }};
  auto api = client();
  push_to(api, receiver);
  const auto task = made(api);
  const auto until = std::chrono::steady_clock::now() + 30s;
  json attempt;
  while (!attempt.contains("error_code")) {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
    const auto attempts = body_of(api.get("/v1/tasks/" + task + "/attempts"), 200).at("attempts");
    attempt = attempts.empty() ? json::object() : attempts.at(0);
  }
  BOOST_TEST(attempt.at("error_code") == "PUSH_BLOCKED");
  BOOST_TEST(contains(attempt.at("error_detail").get<std::string>(), "webhooks.allowed_networks"));
  BOOST_TEST(attempt.at("ending") == "Released");
  BOOST_TEST(body_of(api.get("/v1/tasks/" + task), 200).at("status") == "QUEUED");
  BOOST_TEST(contains(log(), "push_blocked"));
  BOOST_TEST(receiver.connections() == 0U);
  BOOST_TEST(!contains(log(), secret_text));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
