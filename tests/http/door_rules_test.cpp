// Rules of the door that hold for every request: traces of problems, their places in the request,
// conditions, bodies, and the page for load balancers.

#include "core/errors.hpp"
#include "http/door.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/guard_messages.hpp"
#include "messages/task_messages.hpp"
#include "messages/workflow_messages.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using nlohmann::json;

constexpr auto trace = "0af7651916cd43dd8448eb211c80319c";

std::string traceparent() { return std::string{"00-"} + trace + "-b7ad6b7169203331-01"; }

} // namespace

BOOST_FIXTURE_TEST_SUITE(door_rules, door_fixture)

// --- traces ---

BOOST_AUTO_TEST_CASE(a_problem_has_the_trace_of_its_request) {
  gateway.fails<msg::list_workflows>(core::errc::overloaded, "busy");
  const auto reply = ask("requester", "GET", "/v1/workflows", {}, {{"traceparent", traceparent()}});
  BOOST_TEST(reply.status == 503U);
  BOOST_TEST(reply.json.at("trace_id").get<std::string>() == trace);
}

BOOST_AUTO_TEST_CASE(a_problem_of_a_request_without_a_trace_gets_one) {
  for (const auto header : {"", "00-00-00-00", "nonsense"}) {
    const auto reply = ask("nobody", "GET", "/v1/workflows", {}, {{"traceparent", header}});
    BOOST_TEST(reply.status == 401U);
    const auto made = reply.json.at("trace_id").get<std::string>();
    BOOST_TEST(made.size() == 32U);
    BOOST_TEST(made.find('-') == std::string::npos);
  }
  BOOST_TEST(ask("nobody", "GET", "/v1/nowhere").json.contains("trace_id"));
}

BOOST_AUTO_TEST_CASE(a_good_answer_has_no_trace) {
  gateway.answers<msg::list_workflows>({});
  BOOST_TEST(!ask("requester", "GET", "/v1/workflows").json.contains("trace_id"));
}

BOOST_AUTO_TEST_CASE(each_problem_is_told_to_the_log_without_its_query) {
  std::vector<http::told_problem> told;
  http::door_settings settings = door.settings();
  settings.on_problem = [&](const http::told_problem& one) { told.push_back(one); };
  const http::door logging{settings, client};
  http::request asked;
  asked.method = "GET";
  asked.target = "/v1/workflows?after=secret";
  asked.headers = {{"traceparent", traceparent()}};
  const auto call = std::make_shared<fake_call>(asked);
  http::serve(logging, call);
  const auto reply = reply_of(call);
  BOOST_REQUIRE_EQUAL(told.size(), 1U);
  BOOST_TEST(told.front().trace_id == reply.json.at("trace_id").get<std::string>());
  BOOST_TEST(told.front().status == 401U);
  BOOST_TEST(told.front().code == "unauthenticated");
  BOOST_TEST(told.front().method == "GET");
  BOOST_TEST(told.front().path == "/v1/workflows");
}

// --- places ---

BOOST_AUTO_TEST_CASE(a_refused_policy_has_its_places_as_pointers) {
  gateway.fails<msg::put_queue>(core::errc::payload_invalid,
                                "/retry: must be an object\n/lease/ttl: is too long");
  const auto reply = ask("operator", "PUT", "/v1/queues/mail", R"({"retry": 1})");
  BOOST_TEST(reply.status == 422U);
  BOOST_TEST(reply.json.at("errors")
             == (json{{{"place", "/retry"}, {"detail", "must be an object"}},
                      {{"place", "/lease/ttl"}, {"detail", "is too long"}}}));
}

BOOST_AUTO_TEST_CASE(the_outcome_of_one_task_has_its_place_as_a_pointer) {
  gateway.answers<msg::enqueue_tasks>(
      {{{{}, core::errc::payload_invalid, "body: /to: is missing", false}}});
  const auto reply =
      ask("producer", "POST", "/v1/queues/mail/tasks", R"({"type": "send", "body": {}})");
  BOOST_TEST(reply.status == 422U);
  BOOST_REQUIRE(reply.json.contains("errors"));
  BOOST_TEST(reply.json.at("errors").at(0).at("place").get<std::string>() == "/body/to");
}

// --- conditions and bodies ---

BOOST_AUTO_TEST_CASE(a_condition_that_nothing_compares_is_refused) {
  gateway.answers<msg::put_queue>({});
  const auto reply = ask("operator", "PUT", "/v1/queues/mail", "{}", {{"if-match", "\"3\""}});
  BOOST_TEST(reply.status == 400U);
  BOOST_TEST(reply.json.at("errors").at(0).at("place").get<std::string>() == "If-Match");
  BOOST_TEST(gateway.seen<msg::put_queue>().empty());
}

BOOST_AUTO_TEST_CASE(a_body_that_would_not_be_read_is_refused) {
  gateway.answers<msg::remove_queue>({});
  const auto reply = ask("operator", "DELETE", "/v1/queues/mail", R"({"force": true})");
  BOOST_TEST(reply.status == 400U);
  BOOST_TEST(reply.code() == "invalid_argument");
  BOOST_TEST(gateway.seen<msg::remove_queue>().empty());
  BOOST_TEST(ask("operator", "DELETE", "/v1/queues/mail").status == 200U);
}

// --- the page for load balancers ---

BOOST_AUTO_TEST_CASE(a_node_that_serves_is_ready_for_everybody) {
  gateway.answers<msg::get_node_status>({});
  gateway.answers<msg::get_guard_status>({});
  const auto reply = ask("nobody", "GET", "/readyz");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json == (json{{"status", "ready"}}));
}

BOOST_AUTO_TEST_CASE(a_node_that_does_not_serve_tells_what_is_missing) {
  msg::node_status node;
  node.draining = true;
  gateway.answers<msg::get_node_status>(node);
  msg::guard_status guards;
  guards.fenced = true;
  gateway.answers<msg::get_guard_status>(guards);
  const auto both = ask("nobody", "GET", "/readyz");
  BOOST_TEST(both.status == 503U);
  BOOST_TEST(both.header("Retry-After") == "1");
  BOOST_TEST(both.json == (json{{"status", "not_ready"}, {"missing", {"database", "draining"}}}));

  gateway.fails<msg::get_node_status>(core::errc::unavailable, "starting");
  BOOST_TEST(ask("nobody", "GET", "/readyz").json.at("missing") == (json::array({"node"})));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
