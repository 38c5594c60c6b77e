// Versions and schemas of bodies in a queue's policy, at every way in and through restarts.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// Type `kyc` in two versions of which the first must name a customer; other types as they like.
const std::string two_versions = R"({"types": {"kyc": {"versions": {
    "1": {"body": {"type": "object", "required": ["customer"]}},
    "2": {"data": {"type": "object", "maxProperties": 1}}}}}})";

const std::string good = R"({"customer": 7})";

struct node_with_versions : node_fixture {
  node_with_versions() {
    start();
    put(two_versions);
  }

  void put(const std::string& policy) { BOOST_REQUIRE(call(msg::put_queue{"ids", policy}).value); }

  msg::task_request request(const std::string& version, const std::string& body = good) {
    msg::task_request r;
    r.task = fresh<core::task_id>();
    r.type = "kyc";
    r.version = version;
    r.body = body;
    return r;
  }

  std::vector<msg::task_outcome> enqueue(std::vector<msg::task_request> tasks) {
    auto answered = call(msg::enqueue_tasks{"ids", std::move(tasks)});
    BOOST_REQUIRE(answered.value);
    return answered.value->outcomes;
  }
  core::errc enqueue(const msg::task_request& task) {
    return enqueue(std::vector{task}).front().refusal;
  }

  std::vector<msg::leased_task> claim(std::uint32_t most = 10) {
    msg::claim_tasks c;
    c.queue = "ids";
    c.worker = "w1";
    c.claim = fresh<core::assignment_id>();
    c.most = most;
    auto answered = call(c);
    BOOST_REQUIRE(answered.value);
    return answered.value->tasks;
  }

  answer<msg::schedule_view> put_schedule(const std::string& task) {
    return call(msg::put_schedule{
        "ids", "daily", R"({"cron": "* * * * *", "task": {"type": "kyc", )" + task + "}}"});
  }
  msg::schedule_view schedule() {
    auto answered = call(msg::list_schedules{"ids", "", 10});
    BOOST_REQUIRE(answered.value);
    BOOST_REQUIRE_EQUAL(answered.value->schedules.size(), 1U);
    return answered.value->schedules.front();
  }

  std::size_t live() const { return database->tables().tasks.size(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(versions, node_with_versions)

// C15, C20, C24
BOOST_AUTO_TEST_CASE(a_body_of_a_wrong_form_harms_no_other_task_of_its_batch) {
  auto other = request("9.9", "[]");
  other.type = "mail";
  auto crowded = request("2.0", "[]");
  crowded.data = R"({"a": 1, "b": 2})";
  const auto outcomes = enqueue(
      {request("1.0"), request("1.0", "{}"), request("3.0"), request("2.7", "[]"), crowded, other});
  BOOST_TEST((outcomes[0].refusal == core::errc::none));
  BOOST_TEST((outcomes[1].refusal == core::errc::payload_invalid));
  BOOST_TEST(outcomes[1].detail.find("body: ") == 0U, outcomes[1].detail);
  BOOST_TEST((outcomes[2].refusal == core::errc::invalid_argument));
  BOOST_TEST(outcomes[2].detail.find("major versions 1, 2") != std::string::npos);
  BOOST_TEST((outcomes[3].refusal == core::errc::none));
  BOOST_TEST((outcomes[4].refusal == core::errc::payload_invalid));
  BOOST_TEST(outcomes[4].detail.find("data: ") == 0U, outcomes[4].detail);
  BOOST_TEST((outcomes[5].refusal == core::errc::none));
  BOOST_TEST(live() == 3U);
}

// C20
BOOST_AUTO_TEST_CASE(an_envelope_is_held_to_the_versions_of_its_type) {
  const auto job = [&](const std::string& version, const std::string& body) {
    msg::task_envelope made;
    made.envelope = R"({"header":{"job_id":")" + to_string(fresh<core::task_id>())
                    + R"(","type":"kyc","version":")" + version + R"("},"body":)" + body + "}";
    return made;
  };
  const auto answered =
      call(msg::enqueue_envelopes{"ids", {job("1.0", good), job("1.0", "[]"), job("3.0", good)}});
  BOOST_REQUIRE(answered.value);
  const auto& outcomes = answered.value->outcomes;
  BOOST_TEST((outcomes[0].refusal == core::errc::none));
  BOOST_TEST((outcomes[1].refusal == core::errc::payload_invalid));
  BOOST_CHECK(outcomes[1].task);
  BOOST_TEST((outcomes[2].refusal == core::errc::invalid_argument));
}

// C20, C25
BOOST_AUTO_TEST_CASE(a_staged_task_of_a_wrong_form_is_set_aside_with_the_reason) {
  const auto stage = [&](const std::string& version, const std::string& body) {
    core::new_task made;
    made.spec.id = fresh<core::task_id>();
    made.spec.type = "kyc";
    made.spec.version = version;
    made.spec.body = body;
    BOOST_REQUIRE(database->stage("ids", made));
  };
  stage("1.0", "{}");
  stage("1.0", good);
  stage("3.0", good);
  advance(node->settings.intake_interval);
  BOOST_TEST(live() == 1U);
  std::vector<core::refuse_staged> refusals;
  for (const auto& [id, row] : database->tables().task_intake) {
    BOOST_REQUIRE(row.refused);
    refusals.push_back(*row.refused);
  }
  BOOST_REQUIRE_EQUAL(refusals.size(), 2U);
  BOOST_TEST((refusals[0].code == core::errc::payload_invalid));
  BOOST_TEST(refusals[0].detail.find("body: ") == 0U);
  BOOST_TEST((refusals[1].code == core::errc::invalid_argument));
  BOOST_TEST(refusals[1].detail.find("major versions 1, 2") != std::string::npos);
}

// C20, D12
BOOST_AUTO_TEST_CASE(a_schedule_whose_task_has_a_wrong_form_is_refused) {
  const auto refused = put_schedule(R"("body": {})");
  BOOST_TEST((refused.code() == core::errc::payload_invalid));
  BOOST_TEST((put_schedule(R"("version": "3.0")").code() == core::errc::invalid_argument));
  BOOST_CHECK(put_schedule(R"("body": )" + good).value);
}

BOOST_AUTO_TEST_CASE(a_schedule_that_the_policy_has_left_behind_says_so_and_goes_on_when_it_fits) {
  BOOST_REQUIRE(put_schedule(R"("body": )" + good).value);
  put(R"({"types": {"kyc": {"versions": {"2": {}}}}})");
  advance(60s);
  BOOST_TEST(live() == 0U);
  BOOST_TEST(schedule().problem.find("invalid_argument: version 1.0") == 0U, schedule().problem);
  put(two_versions);
  advance(60s);
  BOOST_TEST(live() >= 1U);
  BOOST_TEST(schedule().problem.empty());
}

// D39
BOOST_AUTO_TEST_CASE(follow_up_task_of_a_wrong_form_keeps_the_completion_from_happening) {
  BOOST_TEST((enqueue(request("1.0")) == core::errc::none));
  const auto t = claim();
  BOOST_REQUIRE_EQUAL(t.size(), 1U);
  msg::follow_task follow;
  follow.queue = "ids";
  follow.worker = "w1";
  follow.done = {{t[0].task, t[0].token}, "{}"};
  follow.next = request("1.0", "{}");
  follow.claim = fresh<core::assignment_id>();
  BOOST_TEST((call(follow).code() == core::errc::payload_invalid));
  BOOST_TEST(live() == 1U);
  follow.next = request("2.0", "[]");
  const auto followed = call(follow);
  BOOST_REQUIRE(followed.value);
  BOOST_TEST(followed.value->tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_changed_policy_holds_for_what_enters_from_then_on) {
  const auto in = request("1.0");
  BOOST_TEST((enqueue(in) == core::errc::none));
  put(R"({"types": {"kyc": {"versions": {"2": {}}}}})");
  BOOST_TEST((enqueue(request("1.0")) == core::errc::invalid_argument));
  BOOST_TEST(enqueue(std::vector{in}).front().repeated); // it is in
  const auto t = claim();
  BOOST_REQUIRE_EQUAL(t.size(), 1U);
  msg::fail_task f;
  f.queue = "ids";
  f.worker = "w1";
  f.task = {t[0].task, t[0].token};
  f.kind = 2;
  f.error_code = "NO";
  BOOST_REQUIRE(call(f).value);
  BOOST_TEST(call(msg::redrive_tasks{"ids", "", "", {}, 100}).value->redriven == 1U);
  BOOST_TEST(claim().size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_rule_survives_a_restart) {
  restart();
  BOOST_TEST((enqueue(request("1.0")) == core::errc::none));
  BOOST_TEST((enqueue(request("1.0", "{}")) == core::errc::payload_invalid));
  BOOST_TEST((enqueue(request("3.0")) == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_policy_with_an_unusable_schema_is_refused_and_changes_nothing) {
  const auto refused =
      call(msg::put_queue{"ids", R"({"types": {"kyc": {"versions": {"1": {"body": 7}}}}})"});
  BOOST_TEST((refused.code() == core::errc::payload_invalid));
  BOOST_TEST((enqueue(request("1.0", "{}")) == core::errc::payload_invalid));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
