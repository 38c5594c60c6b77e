// Corrections: a finished unit is judged again, a result is overridden, a judgment counts no more
// or again, and an author corrects a judgment.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

std::string correctable(const std::string& more, const std::string& following = "") {
  return R"({"name": "colours", "steps": [{"key": "label", "judgments_per_unit": 3)" + more + "}"
         + following + "]}";
}

const std::string correctable_chain =
    correctable(R"(, "next": ["check"])", R"(, {"key": "check", "judgments_per_unit": 1})");

struct corrected_node : node_fixture {
  corrected_node() { start(); }

  std::vector<core::unit_id> fed(const core::step_id& step, std::size_t units = 1) {
    feed(step, units);
    std::vector<core::unit_id> ids;
    for (const auto& result : results(step))
      ids.push_back(result.unit);
    return ids;
  }

  /// A unit with the judgments cat, cat, dog of ana, bob and eve.
  core::unit_id finished(const core::step_id& step) {
    const auto unit = fed(step).front();
    work(step, "ana", "cat");
    work(step, "bob", "cat");
    work(step, "eve", "dog");
    advance(1s);
    return unit;
  }

  /// Until it is answered; a correction goes through several commits.
  template <class Request>
  answer<msg::answer_to<Request>> asked(const Request& request) {
    auto result = send_to_node(request);
    for (int i = 0; i < 100 && !result->value && !result->error; ++i)
      advance(1s);
    return *result;
  }
  /// The same as a principal does over HTTP.
  template <class Request>
  answer<msg::answer_to<Request>> asked_as(const std::string& who, const Request& request) {
    const auto result =
        send<msg::answer_to<Request>>(node->gateway, caf::make_message(msg::author{who}, request));
    for (int i = 0; i < 100 && !result->value && !result->error; ++i)
      advance(1s);
    return *result;
  }

  msg::override_result override_to(const core::step_id& step, const core::unit_id& unit,
                                   const std::string& answer) {
    return {step, unit,         fresh<core::correction_id>(), nlohmann::json(answer).dump(),
            "",   "it is wrong"};
  }
  msg::reopen_unit reopening(const core::step_id& step, const core::unit_id& unit,
                             std::uint32_t judgments = 1) {
    return {step, unit, fresh<core::correction_id>(), judgments, "it is wrong"};
  }

  core::judgment_id judgment_of(const core::unit_id& unit, const std::string& who) const {
    return database->tables().judgments.at({unit, who}).made.id;
  }

  nlohmann::json result_of(const core::step_id& step, std::size_t place = 0) {
    const auto all = results(step);
    return all.at(place).result.empty() ? nlohmann::json{}
                                        : nlohmann::json::parse(all[place].result);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(corrections, corrected_node)

// A35, I-5
BOOST_AUTO_TEST_CASE(a_reopened_unit_asks_again_and_its_step_is_open_again) {
  const auto step = create(correctable(""));
  const auto unit = finished(step);
  seal(step);
  advance(1s);
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  const auto request = reopening(step, unit, 2);
  const auto told = asked(request);
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->what == "reopened");
  BOOST_TEST(told.value->took_back);
  BOOST_TEST(told.value->is_open);
  advance(1s);
  BOOST_TEST((statistics(step).step.status == core::step_status::open));
  BOOST_TEST(this->unit(step, unit).judgments_per_unit == 5U);
  // The same request again changes nothing, also when the unit has its next result.
  BOOST_TEST(asked(request).value->judgments_wanted == 2U);
  work(step, "dan", "dog");
  work(step, "joe", "dog");
  advance(1s);
  BOOST_TEST(result_of(step).at("answer") == "dog");
  BOOST_TEST(asked(request).value->changed);
  BOOST_TEST(result_of(step).at("answer") == "dog");
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  auto other = request;
  other.judgments = 3;
  BOOST_TEST(asked(other).code() == core::errc::already_exists);
  BOOST_TEST(broken_invariants(*database).empty());
}

// A35, I-5
BOOST_AUTO_TEST_CASE(an_override_withdraws_what_was_made_from_another_result) {
  const auto steps = create_steps(correctable_chain);
  const auto unit = finished(steps[0]);
  advance(1s);
  BOOST_REQUIRE_EQUAL(results(steps[1]).size(), 1U);
  const auto request = override_to(steps[0], unit, "dog");
  const auto told = asked_as("token rita", request);
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->what == "overridden");
  BOOST_TEST(told.value->took_back);
  advance(1s);
  const auto result = result_of(steps[0]);
  BOOST_TEST(result.at("answer") == "dog");
  BOOST_TEST(result.at("overridden").at("by") == "token rita");
  BOOST_TEST(result.at("overridden").at("was").at("answer") == "cat");
  const auto next = results(steps[1]);
  BOOST_REQUIRE_EQUAL(next.size(), 2U);
  BOOST_TEST((next[0].state == core::unit_state::canceled));
  BOOST_TEST((next[1].state == core::unit_state::judgable));
  BOOST_REQUIRE(asked_as("token rita", request).value);
  BOOST_REQUIRE_EQUAL(database->tables().audit_log.size(), 1U);
  const auto& entry = database->tables().audit_log.begin()->second;
  BOOST_TEST(entry.who == "token rita");
  BOOST_TEST(entry.operation == "override_result");
  BOOST_TEST(entry.outcome == "overridden");
  // Whoever follows events has learnt what each judgment was worth.
  const auto events_told = events(core::event_type::unit_finalized);
  const auto details = nlohmann::json::parse(events_told.back().details);
  BOOST_TEST(details.at("revision") == 2);
  BOOST_TEST(details.at("judgments").at(0).at("agrees") == false);
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(an_override_with_the_same_answer_withdraws_nothing) {
  const auto steps = create_steps(correctable_chain);
  const auto unit = finished(steps[0]);
  advance(1s);
  const auto told = asked(override_to(steps[0], unit, "cat"));
  BOOST_REQUIRE(told.value);
  BOOST_TEST(!told.value->took_back);
  advance(1s);
  BOOST_TEST(result_of(steps[0]).at("confidence") == 1);
  BOOST_TEST(results(steps[1]).size() == 1U);
  BOOST_TEST(events(core::event_type::unit_reopened).empty());
}

// I-1
BOOST_AUTO_TEST_CASE(an_override_of_an_open_unit_ends_its_leases_and_says_why) {
  const auto step = create(correctable(""));
  const auto unit = fed(step).front();
  const auto held = assigned(step, "ana");
  BOOST_REQUIRE(asked(override_to(step, unit, "owl")).value);
  BOOST_TEST(active_leases() == 0U);
  const auto late = submit(held, "ana", "cat");
  BOOST_TEST(late.code() == core::errc::lease_not_held);
  BOOST_TEST(late.error->detail.find("the requester has given the result") != std::string::npos);
  BOOST_TEST(result_of(step).at("answer") == "owl");
  seal(step);
  advance(1s);
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(an_override_must_be_an_answer_that_a_judgment_could_give) {
  const auto step =
      create(correctable(R"(, "aggregation": {"method": "majority", "labels": ["cat", "dog"]})"));
  const auto unit = fed(step).front();
  const auto refused = asked(override_to(step, unit, "owl"));
  BOOST_TEST(refused.code() == core::errc::payload_invalid);
  BOOST_TEST(refused.error->detail.find("cat, dog") != std::string::npos);
  BOOST_TEST(asked(override_to(step, fresh<core::unit_id>(), "cat")).code()
             == core::errc::not_found);
  auto without_reason = override_to(step, unit, "cat");
  without_reason.reason.clear();
  BOOST_TEST(asked(without_reason).code() == core::errc::invalid_argument);
}

// A27, G-7
BOOST_AUTO_TEST_CASE(no_repair_changes_an_overridden_result) {
  const auto step = create(correctable(""));
  const auto unit = finished(step);
  BOOST_REQUIRE(asked(override_to(step, unit, "dog")).value);
  for (const auto* who : {"ana", "bob", "eve"}) {
    BOOST_REQUIRE(call(msg::remove_contributor{step, who}).value);
    const msg::repair_contributor repair{step, fresh<core::repair_id>(), who, false};
    for (int i = 0; i < 20 && !asked(repair).value->done; ++i)
      advance(1s);
  }
  BOOST_TEST(result_of(step).at("answer") == "dog");
  BOOST_TEST(result_of(step).contains("overridden"));
}

// A27
BOOST_AUTO_TEST_CASE(a_tainted_judgment_makes_room_and_stays_tainted_over_a_restart) {
  const auto step = create(correctable(""));
  const auto unit = fed(step).front();
  work(step, "ana", "cat");
  work(step, "bob", "cat");
  const msg::taint_judgment taint{step, unit, judgment_of(unit, "bob"),
                                  fresh<core::correction_id>(), "never read it"};
  BOOST_TEST(asked(taint).value->judgments_wanted == 1U);
  BOOST_TEST(asked(taint).value->changed);
  auto again = taint;
  again.correction = fresh<core::correction_id>();
  BOOST_TEST(!asked(again).value->changed);
  restart();
  advance(1s);
  work(step, "eve", "dog");
  advance(1s);
  BOOST_TEST(result_of(step).is_null());
  work(step, "dan", "dog");
  advance(1s);
  BOOST_TEST(result_of(step).at("answer") == "dog");
  BOOST_TEST(broken_invariants(*database).empty());
  const auto listed = asked(msg::list_corrections{step, unit});
  BOOST_REQUIRE_EQUAL(listed.value->corrections.size(), 1U);
  BOOST_TEST(listed.value->corrections[0].contributor == "bob");
  BOOST_TEST(listed.value->corrections[0].reason == "never read it");
}

// A27, G-7
BOOST_AUTO_TEST_CASE(a_finished_unit_is_repaired_without_a_tainted_judgment) {
  const auto step = create(correctable(""));
  const auto unit = finished(step);
  const msg::taint_judgment taint{step, unit, judgment_of(unit, "ana"),
                                  fresh<core::correction_id>(), "never read it"};
  BOOST_TEST(asked(taint).value->took_back);
  const msg::reinstate_judgment back{step, unit, judgment_of(unit, "ana"),
                                     fresh<core::correction_id>(), "she did"};
  BOOST_REQUIRE(asked(back).value);
  advance(1s);
  BOOST_TEST(result_of(step).at("answer") == "cat");
  BOOST_TEST(broken_invariants(*database).empty());
  BOOST_REQUIRE(call(msg::remove_contributor{step, "eve"}).value);
  const msg::reinstate_judgment removed{step, unit, judgment_of(unit, "eve"),
                                        fresh<core::correction_id>(), "she did"};
  BOOST_TEST(asked(removed).code() == core::errc::wrong_state);
}

BOOST_AUTO_TEST_CASE(test_questions_are_not_corrected) {
  const auto step = create(
      correctable(R"(, "test_questions": {"quiz": 0, "every": 2}, "correct_within_seconds": 60)"));
  BOOST_REQUIRE(call(msg::add_test_questions{step, {{"q", "{}", R"({"answer": "cat"})"}}}).value);
  const auto question = asked(msg::list_test_questions{step, 0, 10}).value->questions.at(0).unit;
  BOOST_TEST(asked(override_to(step, question, "cat")).code() == core::errc::wrong_state);
  BOOST_TEST(asked(reopening(step, question)).code() == core::errc::wrong_state);
}

// A27
BOOST_AUTO_TEST_CASE(an_author_corrects_until_the_judgment_is_used) {
  const auto step = create(correctable(R"(, "correct_within_seconds": 60)"));
  const auto unit = fed(step).front();
  work(step, "ana", "cat");
  const msg::correct_judgment first{
      step, unit, "ana", judgment_of(unit, "ana"), 1, R"({"answer": "dog"})"};
  BOOST_TEST(!asked(first).value->repeated);
  BOOST_TEST(asked(first).value->repeated);
  auto invalid = first;
  invalid.number = 2;
  invalid.payload = R"({"other": 1})";
  BOOST_TEST(asked(invalid).code() == core::errc::payload_invalid);
  work(step, "bob", "dog");
  work(step, "eve", "cat");
  advance(1s);
  BOOST_TEST(result_of(step).at("answer") == "dog");
  auto second = first;
  second.number = 2;
  BOOST_TEST(asked(second).code() == core::errc::wrong_state);
  const auto listed = asked(msg::list_corrections{step, unit});
  BOOST_REQUIRE_EQUAL(listed.value->judgments.size(), 2U);
  BOOST_TEST(listed.value->judgments[0].answer == "cat");
  BOOST_TEST(listed.value->judgments[1].answer == "dog");
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(nobody_corrects_where_the_step_does_not_say_so) {
  const auto step = create(correctable(""));
  const auto unit = fed(step).front();
  work(step, "ana", "cat");
  BOOST_TEST(asked(msg::correct_judgment{step, unit, "ana", judgment_of(unit, "ana"), 1,
                                         R"({"answer": "dog"})"})
                 .code()
             == core::errc::wrong_state);
}

// The model of a step goes by what the requester has said, also after a restart.
BOOST_AUTO_TEST_CASE(the_model_takes_an_override_for_known) {
  const auto step = create(
      correctable(R"(, "aggregation": {"method": "incremental", "labels": ["cat", "dog"]})"));
  const auto unit = finished(step);
  BOOST_TEST(result_of(step).at("answer") == "cat");
  BOOST_REQUIRE(asked(override_to(step, unit, "dog")).value);
  restart();
  advance(1s);
  BOOST_REQUIRE(asked(reopening(step, unit)).value);
  work(step, "dan", "cat");
  advance(1s);
  BOOST_TEST(result_of(step).at("answer") == "cat");
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
