// What a unit writes and tells, to the letter. When it does so is the matter of the scenarios.

#include "core/unit.hpp"

#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

template <class Id>
Id id_of(std::uint8_t n) {
  Id id;
  id.value.bytes[15] = n;
  return id;
}
const std::string nil_tail = "00000000-0000-0000-0000-0000000000";

struct unit_of_two {
  core::unit u;
  lease_policy policy{30s, 1h, 10s};

  unit_of_two() {
    u.id = id_of<unit_id>(0x01);
    u.step = id_of<step_id>(0x02);
    u.root = id_of<unit_id>(0x03);
    u.slots = 2;
  }

  void judge(const char* who, std::uint8_t n, const char* answer, trust_mark trust = {},
             std::optional<std::uint32_t> before = {}) {
    const auto held = decide(u, policy, ask{who, id_of<assignment_id>(n)}, beginning);
    const auto handed_in = decide(
        u, policy,
        submit{
            who, held.answer.token, id_of<judgment_id>(n), "{}", answer, trust, {}, false, before},
        beginning);
    BOOST_REQUIRE((handed_in.refusal == errc::none));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(unit_records, unit_of_two)

// A24, A34, A39, I-5
BOOST_AUTO_TEST_CASE(a_finalized_unit_tells_its_result_and_who_agreed) {
  judge("ana", 0x11, "dog");
  judge("bob", 0x12, "cat");
  const auto done = decide(u, {}, {}, aggregate_if_ready{"aggregation", {4, 9}}, beginning + 5s);
  BOOST_TEST(done.answer.finalized);
  const std::string result =
      R"({"answer":"dog","confidence":0.5,"votes":{"cat":1,"dog":1},"tied":2})";
  BOOST_TEST(test::describe(done.changes)
             == "insert_inbox aggregation 4/9\n"
                "finalize_unit "
                    + result + " confidence 0.500000 at 5s\n"
                    + R"({"type":"UnitFinalized","step_id":")" + nil_tail + R"(02","unit_id":")"
                    + nil_tail + R"(01","at":1700000005000000,"details":{"root_data_id":")"
                    + nil_tail + R"(03","result":)" + result + R"(,"judgments":[{"judgment_id":")"
                    + nil_tail + R"(11","contributor_id":"ana","answer":"dog","agrees":true,)"
                    + R"("trust":1,"tainted":false},)" + R"({"judgment_id":")" + nil_tail
                    + R"(12","contributor_id":"bob","answer":"cat","agrees":false,)"
                    + R"("trust":1,"tainted":false}]}})" + "\n");
}

// A34, I-5, A170: the message that a forgotten judgment came in is not noted
BOOST_AUTO_TEST_CASE(a_unit_is_finalized_without_the_message_when_that_is_not_kept_any_more) {
  judge("ana", 0x11, "dog");
  judge("bob", 0x12, "dog");
  const auto done = decide(u, {}, {}, aggregate_if_ready{"aggregation", {4, 0}}, beginning);
  BOOST_TEST(done.answer.finalized);
  BOOST_TEST(test::describe(done.changes).find("finalize_unit ") == 0U);
}

// A21, A39, I-5: where it goes is decided with the result, and only once
BOOST_AUTO_TEST_CASE(a_finalized_unit_keeps_and_tells_the_route_that_takes_it) {
  judge("ana", 0x11, "cat", {0.6}); // has the lesser lot
  judge("bob", 0x12, "dog", {0.9});
  u.loops = 1;
  route review;
  review.when.tied = true;
  review.when.trust_below = 0.7;
  review.when.agreement_below = 0.51;
  review.to = {"review", "archive"};
  route again;
  again.when.answers = {"cat"};
  again.to = {"label"};
  again.loops_max = 1;
  const std::vector<way> ways{{again, {{0, true}}}, {review, {{1, false}, {2, false}}}};
  const auto done = decide(u, {}, ways, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
  const auto& written = std::get<finalize_unit>(done.changes.writes.back());
  BOOST_TEST(written.route == 1);
  const std::string because = "agreement 0.5 is below 0.51, trust 0.6 is below 0.7, it is tied "
                              "(was sent back 1 times already)";
  BOOST_TEST(written.route_reason == because);
  const auto& told = done.changes.events.at(0).details;
  BOOST_TEST(told.find(R"("route":{"rule":1,"to":["review","archive"],"because":")" + because + '"')
                 != std::string::npos,
             told);
}

// finding C10
BOOST_AUTO_TEST_CASE(a_rejected_result_that_no_route_takes_leaves_its_item_without_one) {
  const auto reviewed = [&](const char* verdict, const std::vector<way>& ways,
                            std::uint32_t loops = 0) {
    u = {};
    u.slots = 1;
    u.loops = loops;
    judge("rex", 0x11, verdict);
    aggregation_policy review;
    review.method = aggregation_method::review;
    const auto done = decide(u, review, ways, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
    BOOST_TEST(done.answer.finalized);
    const auto& told = done.changes.events.at(0).details;
    BOOST_TEST((told.find(R"("without_result":true)") != std::string::npos)
               == done.answer.without_result);
    return done.answer.without_result;
  };
  route back;
  back.to = {"label"};
  back.loops_max = 1;
  back.when.answers = {"reject"}; // a way back has a condition
  const std::vector<way> again{{back, {{0, true}}}};
  BOOST_TEST(!reviewed("reject", again));
  BOOST_TEST(reviewed("reject", {}));
  BOOST_TEST(reviewed("reject", {{route{}, {}}})); // to no step
  BOOST_TEST(reviewed("reject", again, 1));
  BOOST_TEST(!reviewed("approve", {}));
  BOOST_TEST(!reviewed(R"(correct:"dog")", {}));
}

// A27: who does not count is not asked how much they are trusted
BOOST_AUTO_TEST_CASE(tainted_judgments_are_nothing_to_routes) {
  u.slots = 1;
  judge("ana", 0x11, "dog", {0.1});
  u.judgments[0].tainted = true;
  judge("bob", 0x12, "cat", {0.9});
  route review;
  review.when.trust_below = 0.5;
  const auto done =
      decide(u, {}, {{review, {}}}, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
  const auto& written = std::get<finalize_unit>(done.changes.writes.back());
  BOOST_TEST(written.route == no_route);
  BOOST_TEST(written.route_reason == "no route is for it");
}

// A22, A27: a judgment is known by what its contributor had judged when it came in
BOOST_AUTO_TEST_CASE(the_newest_of_those_who_count_is_what_routes_look_at) {
  u.slots = 3;
  judge("ana", 0x11, "dog", {}, 7);
  judge("new", 0x12, "cat", {}, 0);
  decide(u, policy, disregard{"new"}, beginning);
  judge("bob", 0x13, "cat", {}, 4);
  judge("task:q", 0x14, "cat"); // not counted
  route first;
  first.when.judged_fewer = 4;
  route second;
  second.when.judged_fewer = 5;
  const std::vector<way> ways{{first, {}}, {second, {}}};
  const auto done = decide(u, {}, ways, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
  const auto& written = std::get<finalize_unit>(done.changes.writes.back());
  BOOST_TEST(written.route == 1);
  BOOST_TEST(written.route_reason == "a contributor had judged 4 units of the step, fewer than 5");
  const auto& told = done.changes.events.at(0).details;
  BOOST_TEST(told.find(R"("trust":1,"tainted":false,"judged_before":4})") != std::string::npos,
             told);
  BOOST_TEST(told.find(R"("contributor_id":"task:q","answer":"cat","agrees":true,"trust":1,)"
                       R"("tainted":false})")
                 != std::string::npos,
             told);
}

// A10, A39: the mean of trust, what it rests on, and how low it may be
BOOST_AUTO_TEST_CASE(a_finalized_unit_tells_what_trust_rests_on_where_people_are_tested) {
  judge("ana", 0x11, "cat", {9.0 / 12, 6});
  judge("task:q", 0x12, "cat");
  const auto done = decide(u, {}, {}, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
  const auto& told = done.changes.events.at(0).details;
  BOOST_TEST(told.find(R"("trust":0.75,"tainted":false,"trust_questions":6,"trust_low":0.529913})")
                 != std::string::npos,
             told);
  BOOST_TEST(told.find(R"("trust":1,"tainted":false})") != std::string::npos, told);
}

// A14, A15, A16, I-11
BOOST_AUTO_TEST_CASE(an_answer_to_a_test_question_is_stored_with_its_verdict_and_never_counted) {
  u.truth = R"({"answer":"cat"})";
  u.slots = test_question_slots;
  decide(u, policy, ask{"ana", id_of<assignment_id>(0x21), 500}, beginning);
  const auto given =
      decide(u, policy, submit{"ana", 500, id_of<judgment_id>(0x22), "{}", "dog", {0.75}, false},
             beginning);
  BOOST_TEST(
      test::describe(given.changes)
      == "insert_judgment " + nil_tail + "22 of ana token 500 payload {} answer dog trust 0.750000 "
             + "at 0s wrong\n" + R"({"type":"JudgmentReceived","step_id":")" + nil_tail
             + R"(02","unit_id":")" + nil_tail + R"(01","judgment_id":")" + nil_tail
             + R"(22","at":1700000000000000})" + "\n" + R"({"type":"TestJudgmentEvent","step_id":")"
             + nil_tail + R"(02","unit_id":")" + nil_tail + R"(01","judgment_id":")" + nil_tail
             + R"(22","at":1700000000000000,"details":{"contributor_id":"ana",)"
             + R"("was_correct":false,"trust":0.75}})" + "\n");
  BOOST_TEST(
      !decide(u, {}, {}, aggregate_if_ready{"aggregation", {1, 1}}, beginning).answer.finalized);
  // What was said stays evidence when its contributor is removed; what is held ends.
  BOOST_TEST(!decide(u, policy, disregard{"ana"}, beginning).answer);
  decide(u, policy, ask{"bob", id_of<assignment_id>(0x23), 400}, beginning);
  BOOST_TEST(test::describe(decide(u, policy, disregard{"bob"}, beginning).changes)
             == "end_lease_row bob token 501 Ejected at 0s\n");
}

// I-6: it was never counted as a unit of the step, so its end is not counted either
BOOST_AUTO_TEST_CASE(a_test_question_is_canceled_without_an_event) {
  u.truth = R"({"answer":"cat"})";
  u.slots = test_question_slots;
  const auto canceled = decide(u, policy, unit_verb::cancel, beginning);
  BOOST_TEST(test::describe(canceled.changes) == "set_unit_state Canceled at 0s\n");
}

// A27: the unit has the result that it would have had
BOOST_AUTO_TEST_CASE(a_judgment_is_trusted_anew_while_its_unit_is_open) {
  judge("ana", 0x11, "dog");
  judge("eve", 0x12, "cat");
  decide(u, policy, disregard{"eve"}, beginning);
  const core::judgment_moment of_eve{u.judgments[1].submitted_at, u.judgments[1].id};
  BOOST_TEST((of_eve.at == beginning));
  core::trust_course course{{0.25, 0}, {{{beginning - 1s, {}}, {0.5, 1}}, {of_eve, {0.75, 2}}}};
  // Also what does not count: it may do so again. Her own answer later on says nothing of it.
  const auto anew = decide(u, trust_anew{"eve", course});
  BOOST_TEST(anew.answer);
  BOOST_TEST(test::describe(anew.changes) == "set_judgment_trust of eve 0.500000 by 1\n");
  BOOST_TEST(u.judgments[1].trust == 0.5);
  BOOST_TEST((u.judgments[1].trust_questions == 1U));
  BOOST_TEST(u.judgments[0].trust == 1);
  BOOST_TEST(decide(u, trust_anew{"eve", course}).changes.empty());
  BOOST_TEST(decide(u, trust_anew{"joe", course}).changes.empty());
  course.turns.front().after.at = beginning + 1s;
  std::swap(course.turns[0], course.turns[1]);
  for (const auto state : {unit_state::finalized, unit_state::canceled}) {
    u.state = state;
    BOOST_TEST(decide(u, trust_anew{"eve", course}).changes.empty());
  }
  u.state = unit_state::paused;
  decide(u, trust_anew{"eve", course});
  BOOST_TEST(u.judgments[1].trust == 0.25);
  // The same trust may rest on another number of answers.
  course.at_first.questions = 6;
  BOOST_TEST(decide(u, trust_anew{"eve", course}).answer);
  BOOST_TEST((u.judgments[1].trust_questions == 6U));
}

// A27, I-1: what was disregarded counts again where nobody has taken its place
BOOST_AUTO_TEST_CASE(judgments_that_count_again_are_told_to_the_unit) {
  judge("ana", 0x11, "dog");
  judge("eve", 0x12, "cat");
  decide(u, policy, disregard{"eve"}, beginning);
  const auto back = decide(u, reinstate{"eve"}, beginning + 3s);
  BOOST_TEST(back.answer);
  BOOST_TEST(test::describe(back.changes)
             == "restore_judgment of eve\n"
                R"({"type":"JudgmentReinstated","step_id":")"
                    + nil_tail + R"(02","unit_id":")" + nil_tail + R"(01","judgment_id":")"
                    + nil_tail + R"(12","at":1700000003000000})" + "\n");
  BOOST_TEST(free_slots(u) == 0U);
  BOOST_TEST(decide(u, reinstate{"eve"}, beginning).changes.empty());
  const auto done = decide(u, {}, {}, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
  BOOST_TEST(done.answer.finalized);
  BOOST_TEST(std::get<finalize_unit>(done.changes.writes[1]).confidence == 0.5);
}

// I-1: a lease takes the place as a judgment does; what is finished stays as it is
BOOST_AUTO_TEST_CASE(nothing_counts_again_where_there_is_no_room_for_it) {
  judge("ana", 0x11, "dog");
  judge("eve", 0x12, "cat");
  decide(u, policy, disregard{"eve"}, beginning);
  const auto held = decide(u, policy, ask{"bob", id_of<assignment_id>(0x13)}, beginning);
  BOOST_TEST(decide(u, reinstate{"eve"}, beginning).changes.empty());
  BOOST_TEST(counted_judgment(u, "eve") == nullptr);
  decide(u, policy, give_back{"bob", held.answer.token}, beginning);
  decide(u, policy, unit_verb::pause, beginning);
  BOOST_TEST(decide(u, reinstate{"joe"}, beginning).changes.empty());
  BOOST_TEST(decide(u, reinstate{"eve"}, beginning).answer);
  BOOST_TEST(counted_judgment(u, "eve")->answer == "cat");
  decide(u, policy, disregard{"eve"}, beginning);
  decide(u, policy, unit_verb::cancel, beginning);
  BOOST_TEST(decide(u, reinstate{"eve"}, beginning).changes.empty());
}

// A27, A29, G-7: room for another judgment instead of the tainted one
BOOST_AUTO_TEST_CASE(disregarded_judgment_makes_room_and_is_not_counted) {
  judge("ana", 0x11, "dog");
  judge("eve", 0x12, "cat");
  const auto gone = decide(u, policy, disregard{"eve"}, beginning + 2s);
  BOOST_TEST(test::describe(gone.changes) == "taint_judgment of eve at 2s\n");
  BOOST_TEST(free_slots(u) == 1U);
  BOOST_TEST(
      !decide(u, {}, {}, aggregate_if_ready{"aggregation", {4, 8}}, beginning).answer.finalized);
  judge("bob", 0x13, "dog");
  const auto done = decide(u, {}, {}, aggregate_if_ready{"aggregation", {4, 9}}, beginning);
  BOOST_TEST(done.answer.finalized);
  BOOST_TEST(std::get<finalize_unit>(done.changes.writes[1]).confidence == 1.0);
  // Too late for this unit.
  BOOST_TEST(decide(u, policy, disregard{"ana"}, beginning).changes.empty());
}

// A33: a model that has not heard of a judgment yet decides nothing
BOOST_AUTO_TEST_CASE(a_unit_waits_for_an_opinion_about_all_its_judgments) {
  aggregation_policy learned;
  learned.method = aggregation_method::incremental;
  learned.labels = {"cat", "dog"};
  judge("ana", 0x11, "dog");
  judge("bob", 0x12, "dog");
  const auto with = [&](std::optional<model_opinion> opinion) {
    return decide(u, learned, {}, aggregate_if_ready{"aggregation", {4, 9}, std::move(opinion)},
                  beginning)
        .answer.finalized;
  };
  BOOST_TEST(!with(std::nullopt));
  BOOST_TEST(!with(model_opinion{{0.1, 0.9}, 1}));
  BOOST_TEST(with(model_opinion{{0.1, 0.9}, 2}));
}

// A9, A10, A57, A123, I-4
BOOST_AUTO_TEST_CASE(a_judgment_is_stored_with_its_lease_and_told_once) {
  const auto held = decide(u, policy, ask{"ana", id_of<assignment_id>(0x21)}, beginning);
  BOOST_TEST(test::describe(held.changes)
             == "insert_lease ana " + nil_tail + "21 token 1 from 0s until 30s\n");
  const auto given = decide(
      u, policy, submit{"ana", 1, id_of<judgment_id>(0x22), R"({"a":1})", "1"}, beginning + 7s);
  BOOST_TEST(test::describe(given.changes)
             == "insert_judgment " + nil_tail
                    + R"(22 of ana token 1 payload {"a":1} answer 1 trust 1.000000 at 7s)" + "\n"
                    + R"({"type":"JudgmentReceived","step_id":")" + nil_tail + R"(02","unit_id":")"
                    + nil_tail + R"(01","judgment_id":")" + nil_tail
                    + R"(22","at":1700000007000000})" + "\n");
}

BOOST_AUTO_TEST_CASE(extending_and_ending_name_the_token) {
  decide(u, policy, ask{"ana", id_of<assignment_id>(1)}, beginning);
  decide(u, policy, ask{"bob", id_of<assignment_id>(2)}, beginning);
  const auto extended = decide(u, policy, extend{"bob", 2}, beginning + 1s);
  BOOST_TEST(test::describe(extended.changes) == "extend_lease_row bob token 2 until 31s\n");
  const auto released = decide(u, policy, give_back{"bob", 2, false}, beginning + 2s);
  BOOST_TEST(test::describe(released.changes) == "end_lease_row bob token 2 Released at 2s\n");
  const auto expired = decide(u, policy, expire{}, beginning + 30s);
  BOOST_TEST(test::describe(expired.changes) == "end_lease_row ana token 1 Expired at 30s\n");
  const auto held = decide(u, policy, ask{"eve", id_of<assignment_id>(3)}, beginning + 31s);
  const auto declined =
      decide(u, policy, give_back{"eve", held.answer.token, true}, beginning + 32s);
  BOOST_TEST(test::describe(declined.changes) == "end_lease_row eve token 3 Declined at 32s\n");
}

BOOST_AUTO_TEST_CASE(canceling_writes_each_lease_and_the_state) {
  decide(u, policy, ask{"ana", id_of<assignment_id>(1)}, beginning);
  decide(u, policy, ask{"bob", id_of<assignment_id>(2)}, beginning);
  const auto canceled = decide(u, policy, unit_verb::cancel, beginning + 3s);
  BOOST_TEST(test::describe(canceled.changes)
             == "end_lease_row ana token 1 Canceled at 3s\n"
                "end_lease_row bob token 2 Canceled at 3s\n"
                "set_unit_state Canceled at 3s\n"
                    + (R"({"type":"UnitCanceled","step_id":")" + nil_tail + R"(02","unit_id":")"
                       + nil_tail + R"(01","at":1700000003000000})")
                    + "\n");
}

BOOST_AUTO_TEST_CASE(a_released_lease_leaves_no_bar_behind) {
  for (int i = 0; i < 3; ++i) {
    const auto held = decide(u, policy, ask{"ana", id_of<assignment_id>(1)}, beginning);
    decide(u, policy, give_back{"ana", held.answer.token, false}, beginning);
  }
  BOOST_TEST(u.bars.empty());
  // And there is one for each contributor at most, however often they let a lease expire.
  for (int i = 0; i < 3; ++i) {
    const auto at = beginning + i * 1min;
    decide(u, policy, ask{"ana", id_of<assignment_id>(1)}, at);
    decide(u, policy, expire{}, at + 30s);
  }
  BOOST_TEST(u.bars.size() == 1U);
}

BOOST_AUTO_TEST_CASE(refusals_name_the_state) {
  decide(u, policy, unit_verb::pause, beginning);
  BOOST_TEST(decide(u, policy, ask{"ana", id_of<assignment_id>(1)}, beginning).detail
             == "the unit is Paused");
  decide(u, policy, unit_verb::cancel, beginning);
  BOOST_TEST(decide(u, policy, unit_verb::resume, beginning).detail == "the unit is Canceled");
}

// I-1, I-4, A109, A123: what is accepted late is stored and told as what comes in time is
BOOST_AUTO_TEST_CASE(a_late_judgment_that_counts_takes_its_lease_out_of_the_history) {
  policy.late_submit = late_submit::accept_if_free;
  decide(u, policy, ask{"ana", id_of<assignment_id>(0x21)}, beginning);
  const submit late{"ana", 1, id_of<judgment_id>(0x22), "{}", "cat"};
  auto not_ended_yet = u;
  const auto row = "late: insert_judgment " + nil_tail
                   + "22 of ana token 1 payload {} answer cat trust 1.000000 at 40s\n";
  const auto told = R"({"type":"JudgmentReceived","step_id":")" + nil_tail + R"(02","unit_id":")"
                    + nil_tail + R"(01","judgment_id":")" + nil_tail
                    + R"(22","at":1700000040000000})" + "\n";
  // The lease has run out and nobody has ended it yet: that happens first.
  BOOST_TEST(test::describe(decide(not_ended_yet, policy, late, beginning + 40s).changes)
             == "end_lease_row ana token 1 Expired at 40s\n" + row + told);
  decide(u, policy, expire{}, beginning + 30s);
  const auto given = decide(u, policy, late, beginning + 40s);
  BOOST_TEST(test::describe(given.changes) == row + told);
  BOOST_TEST(!given.answer.surplus);
  BOOST_TEST(counted_judgments(u) == 1U);
  const auto again = decide(u, policy, late, beginning + 50s);
  BOOST_TEST((again.answer.repeated && !again.answer.surplus && again.changes.empty()));
}

// I-1, A109: surplus moves nothing, and nobody is told of it
BOOST_AUTO_TEST_CASE(surplus_is_stored_apart_and_told_to_nobody) {
  policy.late_submit = late_submit::surplus;
  decide(u, policy, ask{"ana", id_of<assignment_id>(0x21)}, beginning);
  decide(u, policy, expire{}, beginning + 30s);
  const submit late{"ana", 1, id_of<judgment_id>(0x22), "{}", "cat"};
  const auto kept = decide(u, policy, late, beginning + 40s);
  BOOST_TEST((kept.answer.surplus && !kept.answer.repeated));
  BOOST_TEST(test::describe(kept.changes)
             == "surplus: insert_judgment " + nil_tail
                    + "22 of ana token 1 payload {} answer cat trust 1.000000 at 40s\n");
  BOOST_TEST(u.judgments.empty());
  BOOST_TEST(free_slots(u) == 2U);
}

// I-11: surplus never counts, so there is no verdict on it
BOOST_AUTO_TEST_CASE(surplus_of_a_test_question_has_no_verdict) {
  policy.late_submit = late_submit::surplus;
  u.truth = R"({"answer":"cat"})";
  u.slots = test_question_slots;
  decide(u, policy, ask{"ana", id_of<assignment_id>(0x21)}, beginning);
  const auto kept =
      decide(u, policy, submit{"ana", 1, id_of<judgment_id>(0x22), "{}", "dog", {0.75}, false},
             beginning + 40s);
  BOOST_TEST(kept.answer.surplus);
  BOOST_TEST(kept.changes.events.empty());
  const auto& row = std::get<insert_surplus_judgment>(kept.changes.writes.back());
  BOOST_TEST(!row.judgment.test_correct.has_value());
  // Where it may count, it has one.
  policy.late_submit = late_submit::accept_if_free;
  decide(u, policy, ask{"bob", id_of<assignment_id>(0x23)}, beginning);
  const auto counted =
      decide(u, policy, submit{"bob", 2, id_of<judgment_id>(0x24), "{}", "dog", {0.75}, false},
             beginning + 40s);
  BOOST_TEST(!counted.answer.surplus);
  BOOST_TEST(counted.changes.events.size() == 2U);
}

// A3, A108
BOOST_AUTO_TEST_CASE(the_input_of_a_test_question_is_not_replaced_by_a_row) {
  u.truth = R"({"answer":"cat"})";
  u.input = R"({"a":1})";
  const auto other = decide(u, replace_input{R"({"a":2})"});
  BOOST_TEST((other.refusal == errc::wrong_state));
  BOOST_TEST(other.detail == "the key is that of a test question");
  BOOST_TEST(u.input == R"({"a":1})");
  const auto same = decide(u, replace_input{R"({"a":1})"});
  BOOST_TEST((same.refusal == errc::none && same.changes.empty()));
}

// A3
BOOST_AUTO_TEST_CASE(an_input_is_replaced_while_nobody_has_had_the_unit) {
  const auto done = decide(u, replace_input{R"({"a":2})"});
  BOOST_TEST(done.answer);
  BOOST_TEST(u.input == R"({"a":2})");
  BOOST_TEST(std::get<set_unit_input>(done.changes.writes.at(0)).input == R"({"a":2})");
  BOOST_TEST(done.changes.events.empty());
  // A unit that is loaded knows by its last token that somebody had it once.
  u.leases.last_token = 1;
  const auto refused = decide(u, replace_input{R"({"a":3})"});
  BOOST_TEST((refused.refusal == errc::wrong_state));
  BOOST_TEST(refused.detail == unit_is_touched);
  BOOST_TEST(u.input == R"({"a":2})");
}

// A27: nothing late is taken from somebody who was removed, though it would only be kept
BOOST_AUTO_TEST_CASE(nothing_late_is_taken_from_somebody_who_was_removed) {
  for (const auto late : {late_submit::accept_if_free, late_submit::surplus}) {
    auto of_two = u;
    policy.late_submit = late;
    decide(of_two, policy, ask{"ana", id_of<assignment_id>(0x21)}, beginning);
    decide(of_two, policy, expire{}, beginning + 30s);
    submit command{"ana", 1, id_of<judgment_id>(0x22), "{}", "cat"};
    command.removed = true;
    const auto refused = decide(of_two, policy, command, beginning + 40s);
    BOOST_TEST((refused.refusal == errc::lease_not_held));
    BOOST_TEST(refused.changes.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
