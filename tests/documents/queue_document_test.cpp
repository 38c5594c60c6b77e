// Policies of queues as they are sent: defaults, what is refused with which words, and the schemas
// of bodies that they bring.

#include "documents/queue_document.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <set>
#include <string>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

core::queue_policy parsed(std::string_view text) {
  auto policy = documents::parse_queue_policy(text, {});
  if (!policy)
    BOOST_FAIL(policy.error().detail);
  return std::move(*policy);
}

/// The detail of the refusal; "accepted" when there is none.
std::string problems(std::string_view text) {
  const auto policy = documents::parse_queue_policy(text, {});
  if (policy)
    return "accepted";
  BOOST_TEST(core::to_string(policy.error().code) == "payload_invalid");
  return policy.error().detail;
}

/// A policy in which the type `kyc` has these versions.
std::string with_versions(const std::string& versions) {
  return R"({"types":{"kyc":{"versions":)" + versions + "}}}";
}

const std::string two_versions = with_versions(R"({
    "1": {"body": {"type": "object", "required": ["customer"],
                   "properties": {"customer": {"type": "integer"}}}},
    "2": {"data": {"type": "object", "maxProperties": 0}}})");

core::failure check(const core::queue_policy& policy, const std::string& version,
                    const std::string& body, const std::string& data = "{}") {
  core::new_task task;
  task.spec.type = "kyc";
  task.spec.version = version;
  task.spec.body = body;
  task.data = data;
  return core::check_form(core::rules_of(policy, "kyc").versions, task);
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue_documents)

BOOST_AUTO_TEST_CASE(an_empty_policy_has_all_defaults) {
  const auto policy = parsed("{}");
  BOOST_TEST((policy.lease.ttl == 60s));
  BOOST_TEST(policy.types.empty());
  BOOST_TEST(core::rules_of(policy, "kyc").versions.empty());
}

BOOST_AUTO_TEST_CASE(ends_that_are_events_are_named_by_their_events) {
  BOOST_TEST(parsed("{}").events.empty());
  BOOST_TEST(parsed(R"({"events":[]})").events.empty());
  const auto two = parsed(R"({"events":["TaskDead","TaskFailed","TaskDead"]})").events;
  BOOST_TEST(
      (two == std::set<core::task_ending>{core::task_ending::failed, core::task_ending::dead}));
  const auto all =
      parsed(R"({"events":["TaskCompleted","TaskFailed","TaskDead","TaskCanceled"]})").events;
  BOOST_TEST(all.size() == 4U);
  const std::string names = "TaskCompleted, TaskFailed, TaskDead or TaskCanceled";
  BOOST_TEST(problems(R"({"events":"TaskDead"})") == "/events: must be a list of " + names);
  BOOST_TEST(problems(R"({"events":["TaskDead","dead",7,"UnitFinalized"]})")
             == "/events/1: must be " + names + "\n/events/2: must be " + names
                    + "\n/events/3: must be " + names);
}

BOOST_AUTO_TEST_CASE(a_receiver_of_tasks_is_read_with_its_defaults) {
  BOOST_TEST(!parsed("{}").push.has_value());
  const auto push =
      parsed(R"({"push": {"url": "https://example.org/w", "secret": "mailer"}})").push;
  BOOST_REQUIRE(push.has_value());
  BOOST_TEST(push->url == "https://example.org/w");
  BOOST_TEST(push->secret == "mailer");
  BOOST_TEST(push->concurrency == 8U);
  BOOST_TEST((push->timeout == 60s));
  const auto whole = parsed(R"({"push": {"url": "http://10.0.0.1:8080", "secret": "m",
                                         "concurrency": 1000, "timeout_seconds": 0.5}})");
  BOOST_TEST(whole.push->concurrency == 1000U);
  BOOST_TEST((whole.push->timeout == 500ms));
}

BOOST_AUTO_TEST_CASE(a_receiver_of_tasks_that_cannot_be_used_is_refused_with_the_place) {
  BOOST_TEST(problems(R"({"push": {}})")
             == "/push/url: is missing; it says where tasks are posted to\n"
                "/push/secret: is missing; it names what the posts are signed with");
  BOOST_TEST(problems(R"({"push": null})").find("/push: must be an object") == 0U);
  BOOST_TEST(problems(R"({"push": {"url": "https://x", "secret": "m", "concurency": 1}})")
             == "/push/concurency: is not a member that is known here; did you mean"
                " 'concurrency'?");
  BOOST_TEST(problems(R"({"push": {"url": "ftp://x", "secret": "m", "concurrency": 1001}})")
             == "/push/url: must begin with https:// or http://\n"
                "/push/concurrency: must be between 1 and 1000");
  const auto shown = problems(R"({"push": {"url": "https://x", "secret": "whsec_ABCDEF"}})");
  BOOST_TEST(shown.find("/push/secret: must be the name of a secret") == 0U);
  BOOST_TEST(shown.find("ABCDEF") == std::string::npos);
}

// C35
BOOST_AUTO_TEST_CASE(rates_of_credentials_are_read_for_the_queue_and_for_a_type) {
  const auto policy = parsed(R"({
      "rate_per_credential": {"per_second": 5},
      "credentials": {"paid": {"per_second": 50, "burst": 3}},
      "rate_without_credential": {"per_second": 1},
      "types": {"search": {"rate_per_credential": {"per_second": 2},
                           "credentials": {"paid": {"per_second": 20}},
                           "rate_without_credential": {"per_second": 0.5}}}})");
  const auto rate = [](const core::credential_rates& rates, const char* credential) {
    return core::rate_of(rates, credential).per_second;
  };
  BOOST_TEST(rate(policy.credentials, "paid") == 50.0);
  BOOST_TEST(core::rate_of(policy.credentials, "paid").burst == 3.0);
  BOOST_TEST(rate(policy.credentials, "other") == 5.0);
  BOOST_TEST(rate(policy.credentials, "") == 1.0);
  const auto& search = core::rules_of(policy, "search").credentials;
  BOOST_TEST(rate(search, "paid") == 20.0);
  BOOST_TEST(rate(search, "other") == 2.0);
  BOOST_TEST(rate(search, "") == 0.5);
  BOOST_TEST(rate(core::rules_of(policy, "read").credentials, "paid") == 0.0);
  BOOST_TEST(problems(R"({"types":{"t":{"rate_without_credential":{"per_second":-1}}}})")
                 .find("/types/t/rate_without_credential/per_second: ")
             == 0U);
  BOOST_TEST(problems(R"({"types":{"t":{"credentials":{"c":{"burst":0}}}}})")
                 .find("/types/t/credentials/c/burst: ")
             == 0U);
}

// C20
BOOST_AUTO_TEST_CASE(schemas_of_bodies_are_compiled_with_the_policy) {
  const auto policy = parsed(two_versions);
  BOOST_TEST((check(policy, "1.0", R"({"customer":7})").code == core::errc::none));
  BOOST_TEST((check(policy, "1.9", R"({"customer":7,"more":[]})").code == core::errc::none));
  const auto wrong = check(policy, "1.0", R"({"customer":"ana"})");
  BOOST_TEST((wrong.code == core::errc::payload_invalid));
  BOOST_TEST(wrong.detail.find("body: /customer: ") == 0U, wrong.detail);
  const auto missing = check(policy, "1.0", "{}");
  BOOST_TEST((missing.code == core::errc::payload_invalid));
  BOOST_TEST(missing.detail.find("body: ") == 0U, missing.detail);
  BOOST_TEST((check(policy, "2.0", "[]").code == core::errc::none));
  const auto data = check(policy, "2.0", "[]", R"({"a":1})");
  BOOST_TEST((data.code == core::errc::payload_invalid));
  BOOST_TEST(data.detail.find("data: ") == 0U, data.detail);
  BOOST_TEST((check(policy, "3.0", "[]").code == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_policy_checks_like_the_first) {
  auto first = std::make_unique<core::queue_policy>(parsed(two_versions));
  const auto copy = *first;
  first.reset();
  BOOST_TEST((check(copy, "1.0", "{}").code == core::errc::payload_invalid));
}

// C15
BOOST_AUTO_TEST_CASE(every_problem_of_versions_is_named_with_its_place) {
  const std::string at = "/types/kyc/versions";
  BOOST_TEST(problems(with_versions("{}"))
             == at + ": must name at least one; leave it out to take any version");
  BOOST_TEST(problems(with_versions("[]")).find(at + ": must be an object") == 0U);
  for (const auto* name : {"", "1.0", "01", "-1", "one", "4294967296", " 1"})
    BOOST_TEST(problems(with_versions("{\"" + std::string{name} + "\":{}}"))
                       .find("must be named by a major version, e.g. 1")
                   != std::string::npos,
               name);
  BOOST_TEST(problems(with_versions(R"({"0":{},"4294967295":{}})")) == "accepted");
  BOOST_TEST(problems(with_versions(R"({"1":[]})")).find(at + "/1: must be an object") == 0U);
  BOOST_TEST(problems(with_versions(R"({"1":{"boddy":{}}})"))
             == at + "/1/boddy: is not a member that is known here; did you mean 'body'?");
  const auto both =
      problems(with_versions(R"({"1":{"body":{"type":"objekt"}},"2":{"data":{"minimum":"x"}}})"));
  BOOST_TEST(both.find(at + "/1/body/type: ") == 0U, both);
  BOOST_TEST(both.find('\n' + at + "/2/data/minimum: ") != std::string::npos, both);
}

BOOST_AUTO_TEST_SUITE_END()
