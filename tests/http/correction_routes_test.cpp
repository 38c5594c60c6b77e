// The routes about corrections: the requests that the gateway gets, and the bodies that clients
// get.

#include "core/ids.hpp"
#include "core/uuid.hpp"
#include "http/route_table.hpp"
#include "messages/correction_messages.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace {

namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;

constexpr std::string_view corrected_step = "018f0000-0000-7000-8000-0000000000a1";
constexpr std::string_view corrected_unit = "018f0000-0000-7000-8000-0000000000b1";
constexpr std::string_view corrected_judgment = "018f0000-0000-7000-8000-0000000000e1";

std::string of_unit(const std::string& rest) {
  return "/v1/job-steps/" + std::string{corrected_step} + "/units/" + std::string{corrected_unit}
         + rest;
}

struct correction_fixture : test::door_fixture {
  const core::step_id step{*core::parse_uuid(corrected_step)};
  const core::unit_id unit{*core::parse_uuid(corrected_unit)};
  const core::judgment_id judgment{*core::parse_uuid(corrected_judgment)};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(correction_routes, correction_fixture)

BOOST_AUTO_TEST_CASE(a_unit_is_reopened_for_one_judgment_unless_the_body_says_more) {
  gateway.answers<msg::reopen_unit>({unit, {}, "reopened", 1, true, true, true});
  const auto reply = ask("requester", "POST", of_unit("/reopen"), R"({"reason":"wrong"})");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body.find(R"("what":"reopened","judgments_wanted":1,"took_back":true)")
             != std::string::npos);
  BOOST_TEST(gateway.only<msg::reopen_unit>().judgments == 1U);
  BOOST_TEST((gateway.only<msg::reopen_unit>().unit == unit));
  BOOST_TEST(gateway.only<msg::reopen_unit>().reason == "wrong");
  ask("requester", "POST", of_unit("/reopen"), R"({"reason":"wrong","judgments":4})");
  BOOST_TEST(gateway.seen<msg::reopen_unit>().back().judgments == 4U);
  BOOST_TEST(
      ask("requester", "POST", of_unit("/reopen"), R"({"reason":"wrong","judgments":101})").status
      == 400U);
  BOOST_TEST(ask("requester", "POST", of_unit("/reopen"), "{}").status == 400U);
  BOOST_TEST(ask("contributor:ann", "POST", of_unit("/reopen"), R"({"reason":"wrong"})").status
             == 403U);
}

BOOST_AUTO_TEST_CASE(an_override_takes_any_json_as_the_answer) {
  gateway.answers<msg::override_result>({});
  BOOST_TEST(
      ask("requester", "POST", of_unit("/override"), R"({"answer":[1,2],"reason":"wrong"})").status
      == 200U);
  BOOST_TEST(gateway.only<msg::override_result>().answer == "[1,2]");
  BOOST_TEST(gateway.only<msg::override_result>().corrected_to.empty());
  ask("requester", "POST", of_unit("/override"),
      R"({"answer":"correct","corrected_to":"cat","reason":"wrong"})");
  BOOST_TEST(gateway.seen<msg::override_result>().back().answer == R"("correct")");
  BOOST_TEST(gateway.seen<msg::override_result>().back().corrected_to == R"("cat")");
}

BOOST_AUTO_TEST_CASE(one_judgment_is_tainted_and_reinstated) {
  gateway.answers<msg::taint_judgment>({});
  gateway.answers<msg::reinstate_judgment>({});
  const auto of_judgment = of_unit("/judgments/" + std::string{corrected_judgment});
  BOOST_TEST(ask("requester", "POST", of_judgment + "/taint", R"({"reason":"why"})").status
             == 200U);
  BOOST_TEST((gateway.only<msg::taint_judgment>().judgment == judgment));
  BOOST_TEST((gateway.only<msg::taint_judgment>().step == step));
  BOOST_TEST(ask("requester", "POST", of_judgment + "/reinstate", R"({"reason":"why"})").status
             == 200U);
  BOOST_TEST((gateway.only<msg::reinstate_judgment>().judgment == judgment));
  BOOST_TEST(ask("auditor", "POST", of_judgment + "/taint", R"({"reason":"why"})").status == 403U);
}

BOOST_AUTO_TEST_CASE(corrections_are_listed_for_requesters_and_auditors) {
  msg::correction_list list;
  list.unit = unit;
  msg::correction_view one;
  one.number = 1;
  one.what = "overridden";
  one.by = "token rita";
  one.reason = "wrong";
  one.answer = "cat";
  list.corrections.push_back(one);
  list.judgments.push_back({judgment, 1, false, "cat", R"({"answer":"cat"})", {}});
  gateway.answers<msg::list_corrections>(list);
  for (const auto* role : {"requester", "auditor"}) {
    const auto reply = ask(role, "GET", of_unit("/corrections"));
    BOOST_TEST(reply.status == 200U);
    BOOST_TEST(reply.body.find(R"("by":"token rita","reason":"wrong","answer":"cat")")
               != std::string::npos);
    BOOST_TEST(reply.body.find(R"("applied":false,"answer":"cat","data":{"answer":"cat"})")
               != std::string::npos);
  }
  BOOST_TEST(ask("contributor:ann", "GET", of_unit("/corrections")).status == 403U);
}

BOOST_AUTO_TEST_CASE(an_author_corrects_a_judgment_of_their_own) {
  gateway.answers<msg::correct_judgment>({judgment, 2, false});
  const auto body = R"({"step_id":")" + std::string{corrected_step} + R"(","unit_id":")"
                    + std::string{corrected_unit}
                    + R"(","number":2,"contributor_id":"ann","data":{"answer":"cat"}})";
  const auto target = "/v1/judgments/" + std::string{corrected_judgment} + "/correct";
  const auto reply = ask("contributor:ann", "POST", target, body);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == R"({"judgment_id":")" + std::string{corrected_judgment}
                    + R"(","number":2,"repeated":false})");
  BOOST_TEST(gateway.only<msg::correct_judgment>().number == 2U);
  BOOST_TEST(gateway.only<msg::correct_judgment>().payload == R"({"answer":"cat"})");
  BOOST_TEST(ask("requester", "POST", target, body).status == 403U);
}

BOOST_AUTO_TEST_SUITE_END()
