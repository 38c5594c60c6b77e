// Why a unit does not move: what is said is what the deciding functions do.

#include "core/explanation.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

const instant noon = from_micros(1'700'000'000'000'000);

struct asked_unit {
  step_row step;
  unit_record u;
  lease_policy policy{30s, 1h, 10s};
  std::vector<way> ways;
  workforce workers;

  asked_unit() {
    u.id.value.bytes[15] = 1;
    u.slots = 2;
  }

  std::string codes(const std::optional<candidate>& who = {}) {
    std::string text;
    for (const auto& why : explain(step, u, policy, ways, workers, who, noon))
      text += (text.empty() ? "" : " ") + why.code;
    return text;
  }
  std::string texts(const std::optional<candidate>& who = {}) {
    std::string text;
    for (const auto& why : explain(step, u, policy, ways, workers, who, noon))
      text += why.text + "\n";
    return text;
  }
  lease give(const std::string& who, instant at = noon) {
    assignment_id id;
    id.value.bytes[0] = static_cast<std::uint8_t>(who[0]);
    return decide(u, policy, ask{who, id}, at).answer;
  }
  void judge(const std::string& who) {
    judgment_id id;
    id.value.bytes[0] = static_cast<std::uint8_t>(who[0]);
    const auto held = give(who);
    BOOST_REQUIRE(
        (decide(u, policy, submit{who, held.token, id, "{}", "x"}, noon).refusal == errc::none));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(explanations, asked_unit)

BOOST_AUTO_TEST_CASE(a_unit_that_nobody_has_waits_for_as_many_as_it_has_slots) {
  BOOST_TEST(codes() == "waiting");
  BOOST_TEST(texts() == "it waits for 2 contributors to ask for work\n");
  BOOST_TEST(codes(candidate{"ana", {}}) == "waiting open_to_them");
}

BOOST_AUTO_TEST_CASE(leases_are_named_with_their_ends) {
  give("ana");
  give("bob", noon - 1min);
  BOOST_TEST(codes() == "leased lease_ran_out");
  BOOST_TEST(texts()
             == "ana has it until 2023-11-14T22:13:50.000000Z\n"
                "the lease of bob ran out at 2023-11-14T22:12:50.000000Z and is about to be "
                "ended\n");
  BOOST_TEST(codes(candidate{"ana", {}}) == "leased lease_ran_out held_by_them");
}

// A20: with nobody left who may have it, a unit waits for ever; that can be seen
BOOST_AUTO_TEST_CASE(contributor_who_may_not_have_the_unit_is_told) {
  u.bars = {{"ana", instant::max()}, {"bob", noon + 5s}, {"cid", noon - 5s}};
  BOOST_TEST(codes() == "barred waiting");
  BOOST_TEST(texts().find("2 contributors had a part in it") == 0U);
  BOOST_TEST(codes(candidate{"ana", {}}) == "barred waiting barred_for_them");
  BOOST_TEST(texts(candidate{"ana", {}}).find("ana never gets it") != std::string::npos);
  BOOST_TEST(
      texts(candidate{"bob", {}}).find("bob does not get it before 2023-11-14T22:13:25.000000Z")
      != std::string::npos);
  BOOST_TEST(codes(candidate{"cid", {}}) == "barred waiting open_to_them");
}

// A101: nobody who may not work in the step is waited for
BOOST_AUTO_TEST_CASE(requirements_of_the_step_are_told) {
  workers.looked_up = {3, 0}; // a step that asks nothing looks nobody up
  BOOST_TEST(texts() == "it waits for 2 contributors to ask for work\n");
  BOOST_TEST(codes() == "waiting");
  workers.asks = {{}, {"ner", "sql"}, {}, {"DE"}, 0.8};
  workers.looked_up = {};
  const std::string asked = "it waits for 2 contributors to ask for work; they need skill 'ner', "
                            "skill 'sql', a place in 'DE', a trust of 0.8";
  BOOST_TEST(codes() == "waiting");
  BOOST_TEST(texts() == asked + "\n");
  workers.looked_up = {3, 1};
  BOOST_TEST(codes() == "waiting");
  BOOST_TEST(texts()
             == asked + "; 1 of 3 that the step looked up within the last minute have that\n");
  workers.looked_up = {3, 0};
  BOOST_TEST(codes() == "no_eligible_contributor");
  BOOST_TEST(texts()
             == asked + "; 0 of 3 that the step looked up within the last minute have that\n");
  u.bars = {{"ana", instant::max()}};
  step.status = step_status::paused;
  BOOST_TEST(codes(candidate{"ana", {}, {"skill 'ner'"}})
             == "step_paused barred no_eligible_contributor not_eligible barred_for_them");
}

// A101
BOOST_AUTO_TEST_CASE(a_unit_that_waits_for_nobody_does_not_say_what_its_step_asks) {
  workers = {{{}, {"ner"}, {}, {}, 0}, {3, 0}};
  give("ana");
  give("bob");
  BOOST_TEST(codes() == "leased leased");
  u.leases.active.clear();
  u.state = unit_state::paused;
  BOOST_TEST(codes() == "paused");
  u.state = unit_state::judgable;
  u.truth = "1";
  u.slots = test_question_slots;
  BOOST_TEST(codes() == "test_question");
}

// A36
BOOST_AUTO_TEST_CASE(a_step_that_its_job_holds_up_says_so) {
  const auto first = [&] { return texts().substr(0, texts().find('\n')); };
  step.status = step_status::paused;
  BOOST_TEST(first() == "its step is paused: resume it");
  step.job = job_status::paused;
  BOOST_TEST(first() == "its step is paused: its job is not launched yet");
  step.job_revision = 3;
  BOOST_TEST(first() == "its step is paused, as its job is");
  BOOST_TEST(codes() == "step_paused waiting");
}

BOOST_AUTO_TEST_CASE(stops_by_somebody_are_told_first) {
  step.status = step_status::paused;
  BOOST_TEST(codes(candidate{"ana", {}}) == "step_paused waiting");
  u.state = unit_state::paused;
  BOOST_TEST(codes() == "step_paused paused");
  step.status = step_status::canceled;
  BOOST_TEST(codes() == "step_canceled paused");
  u.state = unit_state::canceled;
  BOOST_TEST(codes() == "canceled");
  u.result = R"({"answer":"red"})";
  BOOST_TEST(codes() == "withdrawn");
}

BOOST_AUTO_TEST_CASE(a_judged_unit_is_about_to_get_its_result) {
  judge("ana");
  BOOST_TEST(codes(candidate{"ana", {}}) == "waiting judged_by_them");
  judge("bob");
  BOOST_TEST(codes() == "judged");
}

// A14
BOOST_AUTO_TEST_CASE(contributors_may_have_to_answer_test_questions_first) {
  unit_id question;
  question.value.bytes[15] = 9;
  BOOST_TEST(codes(candidate{"ana", {errc::none, question}}) == "waiting test_due open_to_them");
  BOOST_TEST(codes(candidate{"ana", {errc::no_unit_available, {}}}) == "waiting quiz_stalled");
  BOOST_TEST(codes(candidate{"ana", {errc::not_qualified, {}}}) == "waiting removed");
  // A101
  BOOST_TEST(codes(candidate{"ana", {}, {"skill 'ner'"}}) == "waiting not_eligible");
  u.truth = "1";
  u.slots = test_question_slots;
  BOOST_TEST(codes(candidate{"ana", {errc::none, u.id}}) == "test_question open_to_them");
}

// A21
BOOST_AUTO_TEST_CASE(a_finished_unit_says_where_it_went) {
  u.state = unit_state::finalized;
  BOOST_TEST(codes() == "finalized chain_ended");
  route on;
  on.to = {"review", "archive"};
  ways = {{on, {}}, {{}, {}}};
  u.route = 0;
  BOOST_TEST(codes() == "finalized went_on");
  BOOST_TEST(texts() == "it has its result\nit went on to review, archive\n");
  u.route = 1;
  BOOST_TEST(texts() == "it has its result\nits route ends the chain\n");
  u.route = no_route;
  BOOST_TEST(texts() == "it has its result\nno route was for it\n");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct asked_step {
  step_row step;
  contributor_board board{{}, std::nullopt};
  ready_set ready;
  std::vector<std::string> lacks;

  static unit_id unit(std::uint8_t n) {
    unit_id id;
    id.value.bytes[15] = n;
    return id;
  }
  std::string codes(const std::string& who = "ana") {
    std::string text;
    for (const auto& why : explain(step, board, ready, who, lacks, noon))
      text += (text.empty() ? "" : " ") + why.code;
    return text;
  }
  std::string text(const std::string& who = "ana") {
    return explain(step, board, ready, who, lacks, noon).back().text;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(explanations_for_contributors, asked_step)

BOOST_AUTO_TEST_CASE(a_contributor_gets_what_there_is) {
  BOOST_TEST(codes() == "no_units");
  ready.add(unit(1), 1);
  BOOST_TEST(codes() == "work");
  ready.take("ana", noon);
  BOOST_TEST(codes("ana") == "no_slot");
  BOOST_TEST(codes("bob") == "no_slot");
}

// A20
BOOST_AUTO_TEST_CASE(contributor_who_had_a_part_in_everything_gets_nothing) {
  ready.add(unit(1), 2);
  ready.take("ana", noon);
  BOOST_TEST(codes("bob") == "work");
  BOOST_TEST(codes("ana") == "barred");
  BOOST_TEST(text("ana") == "ana had a part in all units that have a free slot");
  ready.bar(unit(1), "ana", noon + 5s);
  BOOST_TEST(codes("ana") == "barred");
  BOOST_TEST(text("ana").find("2023-11-14T22:13:25.000000Z") != std::string::npos);
  ready.bar(unit(1), "ana", noon - 1s);
  BOOST_TEST(codes("ana") == "work");
}

// A101
BOOST_AUTO_TEST_CASE(contributor_without_a_requirement_gets_nothing) {
  ready.add(unit(1), 1);
  lacks = {"skill 'ner'", "a trust of 0.80 (it is 0.55)"};
  BOOST_TEST(codes() == "not_eligible");
  BOOST_TEST(text("ana").find("skill 'ner'") != std::string::npos);
  step.status = step_status::paused;
  BOOST_TEST(codes() == "step_paused not_eligible");
}

BOOST_AUTO_TEST_CASE(a_step_that_is_stopped_is_told_first) {
  step.status = step_status::paused;
  BOOST_TEST(codes() == "step_paused no_units");
  step.status = step_status::canceled;
  BOOST_TEST(codes() == "step_canceled no_units");
  step.status = step_status::completed;
  BOOST_TEST(codes() == "step_completed no_units");
}

// A14, A27
BOOST_AUTO_TEST_CASE(tests_and_removal_come_before_work) {
  test_question_policy policy;
  policy.placement.quiz = 1;
  board = contributor_board{{}, policy};
  board.add_question(unit(9), 9);
  board.set_open(unit(9), true);
  ready.add(unit(1), 5);
  BOOST_TEST(codes() == "test_due");
  board.offered("ana", unit(9));
  BOOST_TEST(codes() == "quiz_stalled");
  board.remove("ana", noon);
  BOOST_TEST(codes() == "removed");
}

BOOST_AUTO_TEST_CASE(contributor_with_all_leases_is_told_what_to_do) {
  const auto why = leases_full("ana", 3);
  BOOST_TEST(why.code == "leases_full");
  BOOST_TEST(why.text == "ana has as many leases as may be at once, 3: hand in or release some");
}

BOOST_AUTO_TEST_SUITE_END()
