// What webhooks say about themselves.

#include "documents/webhook_document.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

core::outcome<core::webhook_definition> parsed(const std::string& text) {
  return documents::parse_webhook(text, {64 * 1024, 64});
}

std::string problems(const std::string& text) {
  const auto webhook = parsed(text);
  BOOST_TEST((webhook || webhook.error().code == core::errc::payload_invalid));
  return webhook ? "" : webhook.error().detail;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(webhook_documents) // A159

BOOST_AUTO_TEST_CASE(all_members_are_read) {
  const auto webhook = parsed(R"({"url":"https://example.com/hooks","secret":"billing",
    "types":["UnitFinalized","JobStepUpdated","UnitFinalized"],
    "workflow":"018f2c5e-7c1a-7000-8000-000000000001","start":"oldest",
    "retry":{"max_attempts":7,"least_seconds":0.5,"most_seconds":60},
    "timeout_seconds":12.5,"failing_after":3,"dead_letters_max":4,
    "batch":{"events":5,"bytes":6}})");
  BOOST_REQUIRE_MESSAGE(webhook, (webhook ? "" : webhook.error().detail));
  BOOST_TEST(webhook->url == "https://example.com/hooks");
  BOOST_TEST(webhook->secret == "billing");
  BOOST_REQUIRE_EQUAL(webhook->types.size(), 2U);
  BOOST_TEST((webhook->types[1] == core::event_type::job_step_updated));
  BOOST_TEST(to_string(webhook->workflow) == "018f2c5e-7c1a-7000-8000-000000000001");
  BOOST_TEST((webhook->start == core::event_start::oldest));
  const auto& policy = webhook->policy;
  BOOST_TEST(policy.attempts_max == 7U);
  BOOST_TEST((policy.least == 500ms));
  BOOST_TEST((policy.most == 60s));
  BOOST_TEST((policy.timeout == 12500ms));
  BOOST_TEST(policy.failing_after == 3U);
  BOOST_TEST(policy.dead_letters_max == 4U);
  BOOST_TEST(policy.batch_events == 5U);
  BOOST_TEST(policy.batch_bytes == 6U);
}

BOOST_AUTO_TEST_CASE(two_members_are_enough) {
  const auto webhook = parsed(R"({"url":"http://x","secret":"s"})");
  BOOST_REQUIRE(webhook);
  BOOST_TEST(webhook->types.empty());
  BOOST_TEST(!webhook->workflow);
  BOOST_TEST((webhook->start == core::event_start::newest));
}

// A177
BOOST_AUTO_TEST_CASE(events_may_become_tasks_of_a_queue) {
  const auto least = parsed(R"({"queue":"mail"})");
  BOOST_REQUIRE_MESSAGE(least, (least ? "" : least.error().detail));
  BOOST_REQUIRE(least->tasks);
  BOOST_TEST(least->tasks->queue == "mail");
  BOOST_TEST(least->tasks->type == "event");
  BOOST_TEST(!parsed(R"({"url":"http://x","secret":"s"})")->tasks);
  const auto more = parsed(R"({"queue":"mail","task_type":"unit.done","types":["UnitFinalized"],
    "retry":{"least_seconds":1,"most_seconds":2},"batch":{"events":7}})");
  BOOST_REQUIRE_MESSAGE(more, (more ? "" : more.error().detail));
  BOOST_TEST(more->tasks->type == "unit.done");
  BOOST_TEST((more->policy.least == 1s));
  BOOST_TEST(more->policy.batch_events == 7U);
}

BOOST_AUTO_TEST_CASE(posting_and_making_tasks_exclude_each_other) {
  const auto both = problems(R"({"url":"http://x","secret":"s","queue":"q","timeout_seconds":1,
    "retry":{"max_attempts":3}})");
  for (const auto* part : {"/url", "/secret", "/timeout_seconds", "/retry/max_attempts"})
    BOOST_TEST(mentions(both, part), part << " in " << both);
  BOOST_TEST(mentions(problems(R"({"queue":"Not one"})"), "/queue"));
  BOOST_TEST(mentions(problems(R"({"queue":""})"), "/queue"));
  BOOST_TEST(mentions(problems(R"({"queue":1})"), "/queue"));
  BOOST_TEST(mentions(problems(R"({"queue":"q","task_type":""})"), "/task_type"));
  BOOST_TEST(
      mentions(problems(R"({"url":"http://x","secret":"s","task_type":"t"})"), "/task_type"));
  BOOST_TEST(mentions(problems("{}"), "name a queue"));
}

BOOST_AUTO_TEST_CASE(events_of_tasks_are_chosen_by_their_queues) {
  const auto webhook = parsed(R"({"url":"http://x","secret":"s","queues":["mail","orders"]})");
  BOOST_REQUIRE_MESSAGE(webhook, (webhook ? "" : webhook.error().detail));
  BOOST_TEST(webhook->queues == (std::vector<std::string>{"mail", "orders"}),
             boost::test_tools::per_element());
  const auto with = [](const std::string& members) {
    return problems(R"({"url":"http://x","secret":"s",)" + members + "}");
  };
  BOOST_TEST(with(R"("queues":[])")
             == "/queues: must name at least one; leave it out to have the events of all");
  BOOST_TEST(with(R"("queues":"mail")") == "/queues: must be a list of names of queues");
  BOOST_TEST(with(R"("queues":["mail",7])") == "/queues/1: must be the name of a queue");
  BOOST_TEST(mentions(with(R"("queues":["Mail"])"), "/queues/0: must be 1 to 64 of"));
  BOOST_TEST(with(R"("queues":["mail"],"workflow":"018f2c5e-7c1a-7000-8000-000000000001")")
             == "/queues: excludes workflow: an event is of a queue or of a workflow");
  BOOST_TEST(mentions(problems(R"({"queue":"mail","queues":["mail"]})"),
                      "/queues/0: is the queue that gets the events"));
}

BOOST_AUTO_TEST_CASE(the_envelope_of_cloudevents_has_one_event_unless_a_batch_is_asked_for) {
  const auto with = [](const std::string& members) {
    return parsed(R"({"url":"http://x","secret":"s")" + members + "}");
  };
  BOOST_TEST((with("")->envelope == core::event_envelope::plain));
  BOOST_TEST(with("")->policy.batch_events == 100U);
  BOOST_TEST((with(R"(,"envelope":"plain")")->envelope == core::event_envelope::plain));
  BOOST_TEST(with(R"(,"envelope":"plain")")->policy.batch_events == 100U);
  const auto single = with(R"(,"envelope":"cloudevents")");
  BOOST_REQUIRE(single);
  BOOST_TEST((single->envelope == core::event_envelope::cloudevents));
  BOOST_TEST(single->policy.batch_events == 1U);
  const auto batch = with(R"(,"batch":{"events":7},"envelope":"cloudevents")");
  BOOST_REQUIRE(batch);
  BOOST_TEST(batch->policy.batch_events == 7U);
  BOOST_TEST(with(R"(,"batch":{"bytes":7},"envelope":"cloudevents")")->policy.batch_events == 1U);
  for (const auto* wrong : {R"(,"envelope":"CloudEvents")", R"(,"envelope":"")", R"(,"envelope":1)",
                            R"(,"envelope":null)"}) {
    const auto refused = with(wrong);
    BOOST_REQUIRE_MESSAGE(!refused, wrong);
    BOOST_TEST(mentions(refused.error().detail, "/envelope: "), refused.error().detail);
  }
  BOOST_TEST(
      mentions(problems(R"({"queue":"q","envelope":"cloudevents"})"), "/envelope: excludes queue"));
}

BOOST_AUTO_TEST_CASE(every_problem_is_told_with_its_place) {
  const auto all = problems(R"({"url":1,"types":["X"],"workflow":"w","start":"now","secrets":"s",
    "retry":{"attempts":1},"batch":{"size":1}})");
  for (const auto* part : {"/url", "/secret", "/types/0", "/workflow", "/start", "/secrets",
                           "/retry/attempts", "/batch/size"})
    BOOST_TEST(mentions(all, part), part << " in " << all);
  BOOST_TEST(mentions(problems(R"({"url":"http://x","secret":"s","types":[]})"), "/types"));
  BOOST_TEST(mentions(problems(R"({"url":"http://x","secret":"s","types":"X"})"), "/types"));
  BOOST_TEST(mentions(problems(R"({"url":"ftp://x","secret":"s"})"), "/url"));
  BOOST_TEST(
      mentions(problems(R"({"url":"http://x","secret":"whsec_MfKQ9r8GKYqrTwjU="})"), "/secret"));
  BOOST_TEST(
      !mentions(problems(R"({"url":"http://x","secret":"whsec_MfKQ9r8GKYqrTwjU="})"), "MfKQ"));
}

BOOST_AUTO_TEST_CASE(definition_that_is_no_object_is_refused) {
  for (const auto* text : {"", "[]", "1", "{", "\"x\""})
    BOOST_TEST(!parsed(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
