// Which tasks may enter by the forms of their type. Schemas are strangers to core: here a check
// accepts one text.

#include "core/queue.hpp"
#include "core/queue_schedules.hpp"
#include "core/task_form.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;
using holdfast::test::beginning;

namespace {

text_check accepts(const std::string& text) {
  return [text](std::string_view json) {
    return json == text ? failure{} : failure{errc::payload_invalid, "/a: must be " + text};
  };
}

new_task a_task(const std::string& version, const std::string& body,
                const std::string& data = "{}") {
  static uuid_source ids{5};
  new_task made;
  made.spec.id.value = ids.next(beginning);
  made.spec.type = "kyc";
  made.spec.version = version;
  made.spec.body = body;
  made.data = data;
  return made;
}

/// Version 1 has a body of 1, version 3 data of 3.
task_forms two_versions() { return {{1, {accepts("1"), {}}}, {3, {{}, accepts("3")}}}; }

queue with_versions() {
  queue q;
  q.name = "checks";
  q.revision = 1;
  q.policy.types["kyc"].versions = two_versions();
  return q;
}

} // namespace

BOOST_AUTO_TEST_SUITE(task_form_rules)

// C15
BOOST_AUTO_TEST_CASE(a_major_version_is_what_stands_before_the_dot) {
  BOOST_TEST((major_of("1.0") == 1U));
  BOOST_TEST((major_of("012.7") == 12U));
  BOOST_TEST((major_of("999999999.1") == 999'999'999U));
  for (const auto* text : {"", "1", ".1", "x.1", "1x.0", "-1.0", "+1.0", "99999999999.0"})
    BOOST_TEST(!major_of(text), text);
}

// C15, C20
BOOST_AUTO_TEST_CASE(a_type_without_forms_takes_any_version_and_body) {
  BOOST_TEST((check_form({}, a_task("1.0", "{}")).code == errc::none));
  BOOST_TEST((check_form({}, a_task("77.3", "[]", "7")).code == errc::none));
}

// C15, C20
BOOST_AUTO_TEST_CASE(a_version_that_the_type_does_not_know_is_refused_with_those_it_knows) {
  const auto why = check_form(two_versions(), a_task("2.0", "1"));
  BOOST_TEST((why.code == errc::invalid_argument));
  BOOST_TEST(why.detail == "version 2.0: tasks of type kyc are known here in major versions 1, 3");
  BOOST_TEST((check_form(two_versions(), a_task("1.99", "1")).code == errc::none));
}

// C20
BOOST_AUTO_TEST_CASE(body_and_data_are_checked_by_their_version) {
  const auto forms = two_versions();
  const auto body = check_form(forms, a_task("1.0", "2"));
  BOOST_TEST((body.code == errc::payload_invalid));
  BOOST_TEST(body.detail == "body: /a: must be 1");
  BOOST_TEST((check_form(forms, a_task("1.0", "1", "any")).code == errc::none));
  const auto data = check_form(forms, a_task("3.0", "any", "4"));
  BOOST_TEST((data.code == errc::payload_invalid));
  BOOST_TEST(data.detail == "data: /a: must be 3");
  BOOST_TEST((check_form(forms, a_task("3.0", "any", "3")).code == errc::none));
}

// C20, C24
BOOST_AUTO_TEST_CASE(a_task_of_a_wrong_form_harms_no_other_that_is_made_with_it) {
  auto q = with_versions();
  auto other = a_task("9.0", "anything");
  other.spec.type = "mail";
  const auto made = decide(
      q, enqueue{{a_task("1.0", "1"), a_task("1.0", "2"), a_task("2.0", "1"), other}}, beginning);
  BOOST_REQUIRE_EQUAL(made.answer.size(), 4U);
  BOOST_TEST((made.answer[0].refusal == errc::none));
  BOOST_TEST((made.answer[1].refusal == errc::payload_invalid));
  BOOST_TEST((made.answer[2].refusal == errc::invalid_argument));
  BOOST_TEST((made.answer[3].refusal == errc::none));
  BOOST_TEST(q.tasks.size() == 2U);
  BOOST_TEST(made.changes.writes.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_repetition_is_one_whatever_the_policy_says_by_now) {
  auto q = with_versions();
  const auto first = a_task("1.0", "1");
  decide(q, enqueue{{first}}, beginning);
  q.policy.types["kyc"].versions = {{2, {}}};
  const auto again = decide(q, enqueue{{first}}, beginning);
  BOOST_TEST(again.answer.front().repeated);
  BOOST_TEST((decide(q, enqueue{{a_task("1.0", "1")}}, beginning).answer.front().refusal
              == errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_schedule_whose_task_has_a_wrong_form_is_refused) {
  auto q = with_versions();
  schedule_plan plan;
  plan.cron = "@daily";
  plan.times = *parse_cron("@daily");
  plan.zone = find_utc("UTC");
  plan.task = a_task("1.0", "2");
  const auto refused = decide(q, put_schedule{"s", "{}", plan}, beginning);
  BOOST_TEST((refused.refusal == errc::payload_invalid));
  BOOST_TEST(refused.detail == "task: body: /a: must be 1");
  BOOST_TEST(q.schedules.empty());
  plan.task = a_task("1.0", "1");
  BOOST_TEST((decide(q, put_schedule{"s", "{}", plan}, beginning).refusal == errc::none));
}

BOOST_AUTO_TEST_SUITE_END()
