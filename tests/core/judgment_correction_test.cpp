// Corrections by the authors of judgments: nothing may tell a test question from another unit.

#include "core/judgment_correction.hpp"

#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

namespace holdfast::test {

namespace {

using core::errc;

/// A unit with one judgment of ana.
struct judged_by_ana {
  explicit judged_by_ana(bool is_question, std::uint32_t slots = 3) {
    u.id = {ids.next(beginning)};
    u.step = {ids.next(beginning)};
    u.root = u.id;
    u.slots = is_question ? core::test_question_slots : slots;
    if (is_question)
      u.truth = R"({"answer":"cat"})";
    const core::lease_policy leases;
    const auto lease = decide(u, leases, core::ask{"ana", {ids.next(beginning)}}, beginning);
    id = {ids.next(beginning)};
    core::submit judgment{"ana", lease.answer.token, id, R"({"answer":"dog"})", "dog", {}, {}};
    if (is_question)
      judgment.test_correct = false;
    BOOST_REQUIRE(decide(u, leases, judgment, beginning).refusal == errc::none);
  }

  core::decision<core::corrected_judgment> correct(std::uint32_t number, core::duration after,
                                                   bool removed = false) {
    return decide(u, rules,
                  core::correct_judgment{"ana", id, number, R"({"answer":"cat"})", "cat", removed},
                  beginning + after);
  }

  core::uuid_source ids{9};
  core::unit u;
  core::judgment_id id;
  core::judgment_correction_rules rules{std::chrono::minutes{2}, true};
};

/// What the author hears.
std::string heard(const core::decision<core::corrected_judgment>& d) {
  return std::string{to_string(d.refusal)} + ' ' + d.detail + (d.answer.repeated ? " again" : "");
}

} // namespace

BOOST_AUTO_TEST_SUITE(judgment_correction)

// A14
BOOST_AUTO_TEST_CASE(a_correction_leaves_the_verdict_on_a_test_question_as_it_was) {
  judged_by_ana question{true};
  const auto d = question.correct(1, std::chrono::seconds{1});
  BOOST_TEST((d.refusal == errc::none));
  BOOST_TEST(!d.answer.applied);
  BOOST_TEST(question.u.judgments[0].answer == "dog");
  BOOST_TEST(question.u.judgments[0].test_correct.value() == false);
  BOOST_TEST(describe(d.changes)
             == "insert_judgment_correction 1 of ana {\"answer\":\"cat\"} answer cat kept at 1s\n");
}

BOOST_AUTO_TEST_CASE(a_correction_of_an_open_unit_takes_the_place_of_the_judgment) {
  judged_by_ana open{false};
  const auto d = open.correct(1, std::chrono::seconds{1});
  BOOST_TEST(d.answer.applied);
  BOOST_TEST(open.u.judgments[0].answer == "cat");
  BOOST_TEST(describe(d.changes)
             == "insert_judgment_correction 1 of ana {\"answer\":\"cat\"} answer cat at 1s\n");
  // A submission that is repeated late is no other judgment.
  const auto again = decide(open.u, core::lease_policy{},
                            core::submit{"ana", 1, open.id, "{}", "dog", {}, {}}, beginning);
  BOOST_TEST((again.refusal == errc::none));
  BOOST_TEST(again.answer.repeated);
}

// A14
BOOST_AUTO_TEST_CASE(whatever_an_author_tries_a_test_question_answers_like_another_unit) {
  using std::chrono::seconds;
  judged_by_ana question{true};
  judged_by_ana open{false};
  judged_by_ana finished{false, 1};
  decide(finished.u, core::aggregation_policy{}, {},
         core::aggregate_if_ready{"aggregation", {0, 1}}, beginning);
  BOOST_REQUIRE((finished.u.state == core::unit_state::finalized));
  judged_by_ana canceled{false};
  decide(canceled.u, core::lease_policy{}, core::unit_verb::cancel, beginning);
  struct attempt {
    std::uint32_t number;
    core::duration after;
    bool removed;
  };
  for (const auto& a :
       {attempt{0, seconds{1}, false}, attempt{2, seconds{1}, false}, attempt{1, seconds{1}, true},
        attempt{1, seconds{1}, false}, attempt{1, seconds{2}, false}, attempt{2, seconds{3}, false},
        attempt{1, seconds{4}, false}, attempt{3, seconds{120}, false},
        attempt{2, seconds{121}, false}}) {
    const auto expected = heard(open.correct(a.number, a.after, a.removed));
    for (auto* other : {&question, &finished, &canceled})
      BOOST_TEST(heard(other->correct(a.number, a.after, a.removed)) == expected);
  }
  BOOST_TEST(open.u.judgments[0].corrected == 2);
  BOOST_TEST(question.u.judgments[0].corrected == 2);
}

BOOST_AUTO_TEST_CASE(corrections_of_a_judgment_are_bounded) {
  judged_by_ana open{false};
  for (std::uint32_t number = 1; number <= core::judgment_corrections_max; ++number)
    BOOST_TEST((open.correct(number, std::chrono::seconds{1}).refusal == errc::none));
  BOOST_TEST((open.correct(core::judgment_corrections_max + 1, std::chrono::seconds{1}).refusal
              == errc::limit_reached));
}

BOOST_AUTO_TEST_CASE(a_step_that_says_nothing_lets_nobody_correct) {
  judged_by_ana open{false};
  open.rules.within.reset();
  const auto d = open.correct(1, std::chrono::seconds{1});
  BOOST_TEST((d.refusal == errc::wrong_state));
  BOOST_TEST(d.detail.find("correct_within_seconds") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_used_says_so_where_there_are_no_test_questions) {
  judged_by_ana finished{false, 1};
  finished.rules.hides_questions = false;
  decide(finished.u, core::aggregation_policy{}, {},
         core::aggregate_if_ready{"aggregation", {0, 1}}, beginning);
  BOOST_TEST((finished.correct(1, std::chrono::seconds{1}).refusal == errc::wrong_state));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
