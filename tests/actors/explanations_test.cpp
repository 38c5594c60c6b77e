// Why tasks do not move and contributors get nothing, as a node answers.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

template <class Explanation>
std::string codes(const Explanation& told) {
  std::string text;
  for (const auto& why : told.reasons) {
    BOOST_TEST(!why.text.empty());
    text += (text.empty() ? "" : " ") + why.code;
  }
  return text;
}

struct explaining_node : node_with_queue {
  msg::task_explanation task(const core::task_id& id) {
    auto told = call(msg::explain_task{"mail", id});
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    return *told.value;
  }
  std::string person(const core::step_id& step, const std::string& who) {
    auto told = call(msg::explain_contributor{step, who});
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    BOOST_TEST(told.value->contributor == who);
    return codes(*told.value);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(explanations_of_a_node, explaining_node)

BOOST_AUTO_TEST_CASE(a_task_says_why_it_waits_and_how_it_ended) {
  const auto id = enqueued(request());
  BOOST_TEST(codes(task(id)) == "waiting");
  BOOST_TEST(task(id).status == "QUEUED");
  BOOST_REQUIRE(call(msg::pause_queue{"mail", "", true}).value);
  BOOST_TEST(codes(task(id)) == "queue_paused");
  BOOST_REQUIRE(call(msg::pause_queue{"mail", "", false}).value);
  const auto held = one("w");
  BOOST_TEST(codes(task(id)) == "leased");
  BOOST_TEST(task(id).status == "EXECUTING");
  BOOST_TEST((fail("w", held, core::failure_kind::transient, 1min) == core::errc::none));
  BOOST_TEST(codes(task(id)) == "not_due");
  advance(2min);
  const auto again = one("w");
  BOOST_TEST((fail("w", again, core::failure_kind::permanent) == core::errc::none));
  BOOST_TEST(codes(task(id)) == "failed");
  BOOST_TEST(task(id).status == "FAILURE");
  BOOST_TEST(task(id).reasons[0].text.find("SMTP_BUSY") != std::string::npos);
  restart();
  BOOST_TEST(codes(task(id)) == "failed");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_not_there_has_no_reasons) {
  const auto id = enqueued(request());
  BOOST_TEST(
      (call(msg::explain_task{"mail", fresh<core::task_id>()}).code() == core::errc::not_found));
  BOOST_REQUIRE(call(msg::put_queue{"other", "{}"}).value);
  BOOST_TEST((call(msg::explain_task{"other", id}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::explain_task{"nobody", id}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::explain_task{"", id}).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::explain_task{"mail", {}}).code() == core::errc::invalid_argument));
}

// A20, A28: what a contributor is told is what they get.
BOOST_AUTO_TEST_CASE(a_contributor_is_told_what_they_get) {
  const auto step = create();
  BOOST_TEST(person(step, "ana") == "no_units");
  feed(step, 1);
  BOOST_TEST(person(step, "ana") == "work");
  const auto given = assigned(step, "ana");
  BOOST_TEST(person(step, "ana") == "barred");
  BOOST_TEST(person(step, "bob") == "work");
  BOOST_TEST((assign(step, "ana").code() == core::errc::no_unit_available));
  BOOST_REQUIRE(submit(given, "ana").value);
  const auto other = assigned(step, "bob");
  BOOST_TEST(person(step, "cid") == "no_slot");
  BOOST_REQUIRE(release(other, "bob").value);
  BOOST_TEST(person(step, "cid") == "work");
  change(step, core::unit_verb::pause);
  BOOST_TEST(person(step, "cid") == "step_paused work");
  change(step, core::unit_verb::resume);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "cid"}).value);
  BOOST_TEST(person(step, "cid") == "removed");
  BOOST_TEST((call(msg::explain_contributor{fresh<core::step_id>(), "ana"}).code()
              == core::errc::not_found));
  BOOST_TEST((call(msg::explain_contributor{step, ""}).code() == core::errc::invalid_argument));
}

// A101: counted by what decides about the work; who has asked is known, and for how long.
BOOST_AUTO_TEST_CASE(a_unit_says_whom_its_step_asks_for) {
  const auto step = create(R"({"name":"names","steps":[{"key":"names","judgments_per_unit":1,
                               "requirements":{"skills":["ner"]}}]})");
  feed(step, 1);
  const auto put = [&](const std::string& who) {
    msg::put_profile profile;
    profile.contributor = who;
    profile.skills = {"ner"};
    BOOST_REQUIRE(call(profile).value);
  };
  put("ana");
  const auto given = assigned(step, "ana");
  BOOST_REQUIRE(release(given, "ana").value);
  restart(); // nobody is known to the step any more
  const auto told = [&] {
    const auto why = call(msg::explain_unit{step, given.unit, ""});
    BOOST_REQUIRE_MESSAGE(why.value, (why.error ? why.error->detail : "no answer"));
    BOOST_REQUIRE(!why.value->reasons.empty());
    return why.value->reasons.back();
  };
  BOOST_TEST(told().code == "waiting");
  BOOST_TEST(told().text == "it waits for 1 contributor to ask for work; they need skill 'ner'");
  BOOST_REQUIRE((assign(step, "bob").code() == core::errc::not_qualified));
  BOOST_REQUIRE((assign(step, "cid").code() == core::errc::not_qualified));
  BOOST_TEST(told().code == "no_eligible_contributor");
  BOOST_TEST(told().text.find("; 0 of 2 that the step") != std::string::npos, told().text);
  put("cid");
  advance(2s); // what they lacked is looked up again
  BOOST_TEST(person(step, "cid") == "work");
  BOOST_TEST(told().code == "waiting");
  BOOST_TEST(told().text.find("; 1 of 2 that the step") != std::string::npos, told().text);
  advance(60s);
  BOOST_TEST(told().text == "it waits for 1 contributor to ask for work; they need skill 'ner'");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
