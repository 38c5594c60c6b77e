// Traces of the real binary, as a collector on loopback receives them.

#include "tests/node_http/http_node.hpp"
#include "tests/support/http_receiver.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto caller_trace = "0af7651916cd43dd8448eb211c80319c";
constexpr auto caller_span = "b7ad6b7169203331";

std::string traceparent_with(const std::string& flags) {
  return std::string{"00-"} + caller_trace + '-' + caller_span + '-' + flags;
}

/// The spans of all requests, in their order.
std::vector<json> spans_in(const std::vector<http_request>& requests) {
  std::vector<json> spans;
  for (const auto& request : requests) {
    const auto told = json::parse(request.body);
    for (const auto& span : told.at("resourceSpans")[0].at("scopeSpans")[0].at("spans"))
      spans.push_back(span);
  }
  return spans;
}

/// The first span of the caller's trace with this name; null when there is none.
json span_called(const std::vector<json>& spans, const std::string& name) {
  for (const auto& span : spans)
    if (span.at("name") == name && span.at("traceId") == caller_trace)
      return span;
  return nullptr;
}

/// The commit under this span; null when there is none.
json commit_under(const std::vector<json>& spans, const json& decision) {
  for (const auto& span : spans)
    if (span.at("name") == "commit" && span.value("parentSpanId", "") == decision.at("spanId"))
      return span;
  return nullptr;
}

std::string text_of(const json& span, const std::string& key) {
  for (const auto& one : span.at("attributes"))
    if (one.at("key") == key)
      return one.at("value").value("stringValue", one.at("value").value("intValue", ""));
  return {};
}

std::vector<std::string> arguments_for(const std::string& endpoint) {
  return {"--set", "traces.endpoint=" + endpoint, "--set", "traces.flush_interval=10ms",
          "--set", "traces.sample_percent=0"};
}

constexpr auto enqueue_name = "POST /v1/queues/{queue}/tasks";

BOOST_AUTO_TEST_SUITE(http_traces)

BOOST_AUTO_TEST_CASE(a_collector_gets_request_decision_commit_and_handler_of_a_callers_trace) {
  http_receiver collector{[](const http_request&) { return reply_with(200); }};
  http_node node{arguments_for(collector.url("/v1/traces"))};
  auto api = node.client();
  body_of(api.put("/v1/queues/mail", "{}"), 200); // of no trace: the share is 0
  api.set_header("traceparent", traceparent_with("01"));
  body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {"to": "hush"}})"), 201);
  api.set_header("traceparent", "");
  const auto claimed =
      body_of(api.post("/v1/queues/mail/claims", R"({"worker": "w", "limit": 1})"), 200);
  const auto task = claimed.at("tasks").at(0);
  BOOST_TEST(task.at("traceparent") == traceparent_with("01"));
  const auto id = task.at("id").get<std::string>();
  const json done{{"worker", "w"}, {"token", task.at("token")}, {"queue", "mail"}};
  body_of(api.post("/v1/tasks/" + id + "/complete", done.dump()), 200);

  BOOST_REQUIRE(collector.received([](const auto& requests) {
    const auto spans = spans_in(requests);
    const auto decision = span_called(spans, "decide enqueue_tasks");
    return !span_called(spans, enqueue_name).is_null() && !decision.is_null()
           && !commit_under(spans, decision).is_null()
           && !span_called(spans, "process mail").is_null();
  }));
  const auto requests = collector.requests();
  const auto spans = spans_in(requests);
  const auto request = span_called(spans, enqueue_name);
  BOOST_TEST(request.at("parentSpanId") == caller_span);
  BOOST_TEST(request.at("kind") == 2);
  BOOST_TEST(text_of(request, "http.request.method") == "POST");
  BOOST_TEST(text_of(request, "http.route") == "/v1/queues/{queue}/tasks");
  BOOST_TEST(text_of(request, "http.response.status_code") == "201");
  const auto decision = span_called(spans, "decide enqueue_tasks");
  BOOST_TEST(decision.at("parentSpanId") == request.at("spanId"));
  BOOST_TEST(commit_under(spans, decision).at("traceId") == caller_trace);
  const auto handler = span_called(spans, "process mail");
  BOOST_TEST(handler.at("parentSpanId") == caller_span);
  BOOST_TEST(text_of(handler, "messaging.message.id") == id);
  BOOST_TEST(text_of(handler, "holdfast.task.status") == "COMPLETED");
  for (const auto& span : spans) {
    BOOST_TEST(span.at("traceId") == caller_trace, span.dump());
    BOOST_TEST(span.at("name").get<std::string>().find(id) == std::string::npos);
  }
  for (const auto& one : requests) {
    BOOST_TEST(one.body.find(node.token()) == std::string::npos);
    BOOST_TEST(one.body.find("hush") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_request_that_its_caller_does_not_record_is_not_traced) {
  http_receiver collector{[](const http_request&) { return reply_with(200); }};
  http_node node{arguments_for(collector.url("/v1/traces"))};
  auto api = node.client();
  api.set_header("traceparent", traceparent_with("00"));
  body_of(api.get("/v1/queues"), 200);
  api.set_header("traceparent", traceparent_with("01"));
  body_of(api.get("/v1/workflows"), 200);
  BOOST_REQUIRE(collector.has_received(1));
  BOOST_TEST((node.process->stop(60s) == 0));
  for (const auto& span : spans_in(collector.requests()))
    BOOST_TEST(span.at("name") == "GET /v1/workflows");
}

BOOST_AUTO_TEST_CASE(a_collector_that_is_away_harms_nobody_and_its_spans_are_counted) {
  std::string endpoint;
  {
    http_receiver gone{[](const http_request&) { return reply_with(200); }};
    endpoint = gone.url("/v1/traces");
  }
  auto arguments = arguments_for(endpoint);
  arguments.insert(arguments.end(),
                   {"--set", "traces.queue_max=16", "--set", "traces.batch_max=16"});
  http_node node{arguments};
  auto api = node.client();
  api.set_header("traceparent", traceparent_with("01"));
  for (int i = 0; i < 100; ++i) // more than wait and are under way together
    body_of(api.get("/v1/queues"), 200);
  const auto metrics = api.get("/metrics");
  BOOST_TEST(metrics.body.find("holdfast_trace_spans_total{outcome=\"sent\"} 0")
             != std::string::npos);
  BOOST_TEST(metrics.body.find("holdfast_trace_spans_total{outcome=\"dropped\"} ")
             != std::string::npos);
  BOOST_TEST(metrics.body.find("holdfast_trace_spans_total{outcome=\"dropped\"} 0\n")
             == std::string::npos);
  BOOST_TEST((node.process->stop(60s) == 0));
}

BOOST_AUTO_TEST_CASE(without_a_collector_nothing_is_counted_and_tasks_keep_their_trace) {
  http_node node;
  auto api = node.client();
  body_of(api.put("/v1/queues/mail", "{}"), 200);
  api.set_header("traceparent", traceparent_with("01"));
  body_of(api.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  const auto claimed =
      body_of(api.post("/v1/queues/mail/claims", R"({"worker": "w", "limit": 1})"), 200);
  BOOST_TEST(claimed.at("tasks").at(0).at("traceparent") == traceparent_with("01"));
  BOOST_TEST(api.get("/metrics").body.find("holdfast_trace_spans_total{") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
