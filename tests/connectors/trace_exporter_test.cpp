// Spans on their way to a real receiver on loopback.

#include "connectors/trace_exporter.hpp"
#include "tests/support/http_receiver.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

constexpr auto trace_here = "0af7651916cd43dd8448eb211c80319c";

core::span span_named(const std::string& name) {
  core::span made;
  made.trace_id = trace_here;
  made.span_id = "00f067aa0ba902b7";
  made.name = name;
  made.began = core::from_micros(1'700'000'000'000'001);
  made.ended = core::from_micros(1'700'000'000'000'003);
  return made;
}

struct exporter_fixture {
  void open(const std::string& endpoint, std::string headers = {}) {
    options.endpoint = endpoint;
    options.headers = [headers = std::move(headers)] { return headers; };
    options.user_agent = "Holdfast/test";
    options.resource = {"1.2.3", "node-a"};
    options.flush_interval = 1ms;
    options.retry_min = 1ms;
    options.retry_max = 2ms;
    exporter = connectors::open_trace_exporter(options);
  }

  connectors::trace_exporter_options options;
  std::shared_ptr<connectors::trace_exporter> exporter;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(exporting_traces, exporter_fixture)

BOOST_AUTO_TEST_CASE(a_collector_gets_each_member_as_otlp_has_it) {
  test::http_receiver collector{[](const auto&) { return test::reply_with(200); }};
  open(collector.url("/v1/traces"), "x-key=a%20secret, other=1");
  auto sent = span_named("GET /v1/queues");
  sent.parent_id = "b7ad6b7169203331";
  sent.kind = core::span_kind::server;
  sent.has_failed = true;
  sent.texts = {{"http.request.method", "GET"}};
  sent.numbers = {{"http.response.status_code", 503}};
  exporter->take(sent);
  exporter->finish(30s);
  BOOST_TEST(exporter->sent() == 1U);
  BOOST_TEST(exporter->dropped() == 0U);
  const auto requests = collector.requests();
  BOOST_REQUIRE(requests.size() == 1U);
  BOOST_TEST(requests[0].target == "/v1/traces");
  BOOST_TEST(requests[0].header("content-type") == "application/json");
  BOOST_TEST(requests[0].header("user-agent") == "Holdfast/test");
  BOOST_TEST(requests[0].header("x-key") == "a secret");
  BOOST_TEST(requests[0].header("other") == "1");
  const auto expected = json::parse(R"({"resourceSpans": [{
    "resource": {"attributes": [
      {"key": "service.name", "value": {"stringValue": "holdfast"}},
      {"key": "service.version", "value": {"stringValue": "1.2.3"}},
      {"key": "service.instance.id", "value": {"stringValue": "node-a"}}]},
    "scopeSpans": [{
      "scope": {"name": "holdfast", "version": "1.2.3"},
      "spans": [{
        "traceId": "0af7651916cd43dd8448eb211c80319c",
        "spanId": "00f067aa0ba902b7",
        "parentSpanId": "b7ad6b7169203331",
        "name": "GET /v1/queues",
        "kind": 2,
        "startTimeUnixNano": "1700000000000001000",
        "endTimeUnixNano": "1700000000000003000",
        "attributes": [
          {"key": "http.request.method", "value": {"stringValue": "GET"}},
          {"key": "http.response.status_code", "value": {"intValue": "503"}}],
        "status": {"code": 2}}]}]}]})");
  BOOST_TEST(json::parse(requests[0].body) == expected, requests[0].body);
}

BOOST_AUTO_TEST_CASE(a_first_span_has_no_parent_and_none_ends_before_it_began) {
  auto one = span_named("commit");
  std::swap(one.began, one.ended);
  const auto told = json::parse(connectors::otlp_json({}, {one}));
  const auto& span = told.at("resourceSpans")[0].at("scopeSpans")[0].at("spans")[0];
  BOOST_TEST(!span.contains("parentSpanId"));
  BOOST_TEST(span.at("status").empty());
  BOOST_TEST(span.at("endTimeUnixNano") == span.at("startTimeUnixNano"));
}

BOOST_AUTO_TEST_CASE(an_error_that_may_pass_is_tried_again) {
  for (const int status : {429, 502, 503, 504}) {
    std::atomic<int> asked{0};
    test::http_receiver collector{
        [&](const auto&) { return test::reply_with(asked++ == 0 ? status : 200); }};
    open(collector.url());
    exporter->take(span_named("commit"));
    BOOST_TEST(collector.has_received(2), status);
    exporter->finish(30s);
    BOOST_TEST(exporter->sent() == 1U, status);
    BOOST_TEST(exporter->dropped() == 0U, status);
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_drops_the_spans_at_once) {
  for (const int status : {302, 400, 401, 404, 500}) {
    test::http_receiver collector{[&](const auto&) { return test::reply_with(status); }};
    std::string told;
    options.report = [&](const std::string& why) { told = why; };
    open(collector.url());
    exporter->take(span_named("commit"));
    exporter->finish(30s);
    BOOST_TEST(collector.requests().size() == 1U, status);
    BOOST_TEST(exporter->sent() == 0U, status);
    BOOST_TEST(exporter->dropped() == 1U, status);
    BOOST_TEST(told == "the collector answered HTTP " + std::to_string(status));
  }
}

BOOST_AUTO_TEST_CASE(a_collector_that_never_takes_them_is_given_up) {
  test::http_receiver collector{[](const auto&) { return test::reply_with(503); }};
  options.tries_max = 3;
  open(collector.url());
  exporter->take(span_named("commit"));
  BOOST_TEST(collector.has_received(3));
  exporter->finish(30s);
  BOOST_TEST(collector.requests().size() == 3U);
  BOOST_TEST(exporter->dropped() == 1U);
}

BOOST_AUTO_TEST_CASE(spans_beyond_the_queue_are_dropped_and_counted) {
  test::http_receiver hanging{[](const auto&) { return test::http_reply{"", false, true}; }};
  options.queue_max = 2;
  options.batch_max = 1;
  open(hanging.url());
  exporter->take(span_named("under way"));
  BOOST_TEST(hanging.has_received(1));
  for (int i = 0; i < 5; ++i)
    exporter->take(span_named("later"));
  BOOST_TEST(exporter->dropped() == 3U);
  exporter->finish(0s);
  BOOST_TEST(exporter->sent() == 0U);
  BOOST_TEST(exporter->dropped() == 6U);
  exporter->take(span_named("too late"));
  BOOST_TEST(exporter->dropped() == 7U);
}

BOOST_AUTO_TEST_CASE(a_request_has_no_more_spans_than_it_may) {
  test::http_receiver collector{[](const auto&) { return test::reply_with(200); }};
  options.batch_max = 2;
  open(collector.url());
  for (int i = 0; i < 5; ++i)
    exporter->take(span_named("commit"));
  exporter->finish(30s);
  BOOST_TEST(exporter->sent() == 5U);
  const auto requests = collector.requests();
  for (const auto& request : requests) {
    const auto told = json::parse(request.body);
    BOOST_TEST(told.at("resourceSpans")[0].at("scopeSpans")[0].at("spans").size() <= 2U);
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_no_header_is_refused_without_being_told) {
  for (const auto* text :
       {"secret", "=secret", "na me=secret", "a=b,secret", "a=%secret", "a=%0a", "a=1%2"}) {
    const auto parsed = connectors::parse_headers(text);
    BOOST_REQUIRE_MESSAGE(!parsed, text);
    BOOST_TEST(parsed.error().detail.find("secret") == std::string::npos, text);
  }
  BOOST_TEST(connectors::parse_headers("")->empty());
  const auto two = connectors::parse_headers("a=b=c , d=%2C");
  BOOST_REQUIRE(two);
  BOOST_TEST((*two == std::vector<std::pair<std::string, std::string>>{{"a", "b=c"}, {"d", ","}}));
}

BOOST_AUTO_TEST_SUITE_END()
