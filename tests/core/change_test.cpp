// Names of states and events, the JSON of events, and the JSON writer under them.

#include "core/change.hpp"
#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/lease.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(states_have_the_names_of_the_published_model) {
  BOOST_TEST(to_string(unit_state::judgable) == "Judgable");
  BOOST_TEST(to_string(unit_state::paused) == "Paused");
  BOOST_TEST(to_string(unit_state::finalized) == "Finalized");
  BOOST_TEST(to_string(unit_state::canceled) == "Canceled");
  BOOST_TEST(to_string(step_status::open) == "Open");
  BOOST_TEST(to_string(step_status::paused) == "Paused");
  BOOST_TEST(to_string(step_status::completed) == "Completed");
  BOOST_TEST(to_string(step_status::canceled) == "Canceled");
  BOOST_TEST(to_string(lease_end::expired) == "Expired");
  BOOST_TEST(to_string(lease_end::released) == "Released");
  BOOST_TEST(to_string(lease_end::declined) == "Declined");
  BOOST_TEST(to_string(lease_end::ejected) == "Ejected");
  BOOST_TEST(to_string(lease_end::canceled) == "Canceled");
}

BOOST_AUTO_TEST_CASE(event_names_can_be_read_back) {
  const std::pair<event_type, std::string_view> published[] = {
      {event_type::unit_ready_for_assignment, "UnitReadyForAssignment"},
      {event_type::judgment_received, "JudgmentReceived"},
      {event_type::unit_finalized, "UnitFinalized"},
      {event_type::job_step_updated, "JobStepUpdated"},
      {event_type::unit_canceled, "UnitCanceled"},
      {event_type::test_judgment, "TestJudgmentEvent"},
      {event_type::contributor_flagged, "ContributorFlagged"},
      {event_type::unit_task_ended, "UnitTaskEnded"},
      {event_type::unit_reopened, "UnitReopened"},
      {event_type::unit_withdrawn, "UnitWithdrawn"},
      {event_type::judgment_reinstated, "JudgmentReinstated"},
      {event_type::event_unreadable, "EventUnreadable"},
  };
  for (const auto& [type, name] : published) {
    BOOST_TEST(to_string(type) == name);
    BOOST_TEST((event_type_named(name) == type));
  }
  BOOST_TEST(!event_type_named("judgmentreceived"));
  BOOST_TEST(!event_type_named(""));
}

BOOST_AUTO_TEST_CASE(a_value_without_a_name_is_a_bug_of_ours) {
  BOOST_CHECK_THROW(to_string(static_cast<unit_state>(0)), broken_invariant);
  BOOST_CHECK_THROW(to_string(static_cast<step_status>(9)), broken_invariant);
  BOOST_CHECK_THROW(to_string(static_cast<event_type>(0)), broken_invariant);
  BOOST_CHECK_THROW(to_string(static_cast<lease_end>(0)), broken_invariant);
  BOOST_CHECK_THROW(barred_until({}, static_cast<lease_end>(0), beginning), broken_invariant);
}

BOOST_AUTO_TEST_CASE(a_lease_bars_by_how_it_ended) {
  // G-5
  lease_policy policy;
  policy.regrant_after = 30s;
  BOOST_TEST((barred_until(policy, lease_end::expired, beginning) == beginning + 30s));
  BOOST_TEST((barred_until(policy, lease_end::released, beginning) == beginning));
  BOOST_TEST((barred_until(policy, lease_end::declined, beginning) == instant::max()));
  BOOST_TEST((barred_until(policy, lease_end::ejected, beginning) == instant::max()));
  BOOST_TEST((barred_until(policy, lease_end::canceled, beginning) == instant::max()));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(changes)

BOOST_AUTO_TEST_CASE(appended_steps_come_behind_with_their_events) {
  const auto of = [](unit_state state, event_type type) {
    change made;
    made.writes.push_back(set_unit_state{{}, state, beginning});
    made.events.push_back({type, {}, {}, {}, beginning, {}});
    return made;
  };
  auto both = of(unit_state::paused, event_type::unit_canceled);
  append(both, of(unit_state::canceled, event_type::unit_reopened));
  append(both, {});
  BOOST_REQUIRE(both.writes.size() == 2U);
  BOOST_TEST((std::get<set_unit_state>(both.writes[0]).state == unit_state::paused));
  BOOST_TEST((std::get<set_unit_state>(both.writes[1]).state == unit_state::canceled));
  BOOST_REQUIRE(both.events.size() == 2U);
  BOOST_TEST((both.events[0].type == event_type::unit_canceled));
  BOOST_TEST((both.events[1].type == event_type::unit_reopened));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(event_json)

// A39, A105, A173
BOOST_AUTO_TEST_CASE(an_event_names_what_it_is_about_and_nothing_else) {
  event e{event_type::judgment_received,
          step_id{*parse_uuid("00000000-0000-7000-8000-000000000001")},
          unit_id{*parse_uuid("00000000-0000-7000-8000-000000000002")},
          judgment_id{*parse_uuid("00000000-0000-7000-8000-000000000003")},
          from_micros(1'700'000'000'123'456),
          {}};
  BOOST_TEST(to_json(e)
             == R"({"type":"JudgmentReceived","step_id":"00000000-0000-7000-8000-000000000001",)"
                R"("unit_id":"00000000-0000-7000-8000-000000000002",)"
                R"("judgment_id":"00000000-0000-7000-8000-000000000003",)"
                R"("at":1700000000123456})");
  e.type = event_type::job_step_updated;
  e.unit = {};
  e.judgment = {};
  e.details = R"({"status":"Open"})";
  BOOST_TEST(to_json(e)
             == R"({"type":"JobStepUpdated","step_id":"00000000-0000-7000-8000-000000000001",)"
                R"("at":1700000000123456,"details":{"status":"Open"}})");
}

// finding Q4
BOOST_AUTO_TEST_CASE(event_that_cannot_be_read_names_its_place_and_the_problem_in_utf8) {
  BOOST_TEST(to_json(unreadable_event({3, 17}, from_micros(5), "page \xff"))
             == "{\"type\":\"EventUnreadable\",\"at\":5,\"details\":"
                "{\"shard\":3,\"seq\":17,\"problem\":\"page \xef\xbf\xbd\"}}");
}

BOOST_AUTO_TEST_CASE(instants_are_microseconds_in_both_directions) {
  BOOST_TEST(to_micros(from_micros(1)) == 1);
  BOOST_TEST(to_micros(from_micros(-1)) == -1);
  BOOST_TEST(to_micros(instant{} + 1s) == 1'000'000);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(json_writer)

BOOST_AUTO_TEST_CASE(strings_are_escaped) {
  BOOST_TEST(json_quoted("") == R"("")");
  BOOST_TEST(json_quoted("plain äöü 😀") == R"("plain äöü 😀")");
  BOOST_TEST(json_quoted("\"\\/") == R"("\"\\/")");
  BOOST_TEST(json_quoted("\n\r\t") == R"("\n\r\t")");
  BOOST_TEST(json_quoted(std::string("\0\x01\x1f\x7f", 4)) == "\"\\u0000\\u0001\\u001f\x7f\"");
  for (char c = 1; c < 0x20; ++c) {
    const auto quoted = json_quoted(std::string(1, c));
    BOOST_TEST(quoted.find(c) == std::string::npos);
    BOOST_TEST(quoted[1] == '\\');
  }
}

BOOST_AUTO_TEST_CASE(objects_are_built_member_by_member) {
  BOOST_TEST(json_object{}.str() == "{}");
  BOOST_TEST(json_object{}.text("a", "x").str() == R"({"a":"x"})");
  BOOST_TEST(
      json_object{}
          .text("quote\"", "\\")
          .number("int", std::int64_t{-5})
          .number("real", 0.5)
          .boolean("yes", true)
          .boolean("no", false)
          .raw("list", "[1,2]")
          .raw("none", "")
          .str()
      == R"({"quote\"":"\\","int":-5,"real":0.5,"yes":true,"no":false,"list":[1,2],"none":null})");
}

BOOST_AUTO_TEST_CASE(lists_of_strings_are_escaped_one_by_one) {
  const auto list = [](const std::vector<std::string>& values) {
    return json_object{}.texts("l", values).str();
  };
  BOOST_TEST(list({}) == R"({"l":[]})");
  BOOST_TEST(list({"["}) == R"({"l":["["]})");
  BOOST_TEST(list({"a", "", "\"\\,"}) == R"({"l":["a","","\"\\,"]})");
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_range) {
  const auto number = [](auto value) { return json_object{}.number("n", value).str(); };
  BOOST_TEST(number(std::numeric_limits<std::int64_t>::min()) == R"({"n":-9223372036854775808})");
  BOOST_TEST(number(std::numeric_limits<std::int64_t>::max()) == R"({"n":9223372036854775807})");
  BOOST_TEST(number(1.0) == R"({"n":1})");
  BOOST_TEST(number(2.0 / 3.0) == R"({"n":0.666667})");
  BOOST_TEST(number(1e300) == R"({"n":1e+300})");
  BOOST_CHECK_THROW(number(std::numeric_limits<double>::infinity()), broken_invariant);
  BOOST_CHECK_THROW(number(std::numeric_limits<double>::quiet_NaN()), broken_invariant);
}

BOOST_AUTO_TEST_SUITE_END()
