// Test questions in a live step: who gets one when, and who has to go. A14, A16, A27, A28, G-1, G-9

#include "core/contributor_board.hpp"
#include "core/uuid.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using core::contributor_board;
using core::errc;
using core::standing_reason;
using core::unit_id;
using holdfast::test::beginning;

namespace {

unit_id unit_numbered(std::uint64_t n) {
  unit_id id;
  id.value.bytes[15] = static_cast<std::uint8_t>(n);
  id.value.bytes[14] = static_cast<std::uint8_t>(n >> 8U);
  return id;
}

constexpr std::uint64_t first_ordinary = 1000;

/// A step with twenty test questions and ordinary units without end.
struct step_with_tests {
  core::step_id step;
  core::test_question_policy policy;
  contributor_board board;
  /// What a database would have kept.
  core::step_history stored;
  std::map<core::contributor_id, std::uint64_t> grants;
  std::uint64_t next_ordinary = first_ordinary;
  std::uint64_t moments = 0;

  /// Three judgments each instant, which their ids tell apart.
  core::judgment_moment next_moment() {
    const auto number = moments++;
    core::judgment_moment when{beginning + std::chrono::seconds{number / 3}, {}};
    when.id.value.bytes[15] = static_cast<std::uint8_t>(number % 3);
    return when;
  }

  explicit step_with_tests(core::test_question_policy rules = usual())
      : step(step_of_test()), policy(rules), board(step, policy) {
    for (std::uint64_t n = 1; n <= 20; ++n) {
      board.add_question(unit_numbered(n), n);
      stored.questions.push_back({unit_numbered(n), n, R"({"answer":"yes"})", true, false});
    }
  }

  static core::step_id step_of_test() {
    core::uuid_source ids{77};
    return {ids.next(beginning)};
  }

  static core::test_question_policy usual() {
    core::test_question_policy rules;
    rules.placement.quiz = 4;
    rules.placement.quiz_pass = 0.75;
    rules.placement.every = 5;
    return rules;
  }

  /// One assignment; whether it was a test question.
  std::optional<unit_id> give(const core::contributor_id& who) {
    const auto next = board.next_for(who, true);
    BOOST_REQUIRE((next.refusal == errc::none));
    const auto given = next.question.value_or(unit_numbered(next_ordinary++));
    board.offered(who, given);
    ++grants[who];
    if (next.question)
      stored.asked_questions.push_back({who, *next.question, std::nullopt});
    return next.question;
  }

  core::decision<bool> answer(const core::contributor_id& who, const unit_id& question,
                              bool correct) {
    const auto when = next_moment();
    for (auto& asked : stored.asked_questions)
      if (asked.contributor == who && asked.unit == question) {
        asked.correct = correct;
        asked.when = when;
      }
    auto decided = board.answered(who, question, correct, when, beginning);
    keep(decided.changes);
    return decided;
  }

  core::decision<contributor_board::forgiveness> forgive(const unit_id& question,
                                                         bool forgiven = true) {
    auto decided = board.forgive(question, forgiven, beginning);
    keep(decided.changes);
    return decided;
  }

  void keep(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* standing = std::get_if<core::put_standing>(&write))
        keep(*standing);
      else if (const auto* forgiven = std::get_if<core::set_question_forgiven>(&write))
        for (auto& question : stored.questions)
          if (question.unit == forgiven->unit) {
            question.forgiven = forgiven->forgiven;
            question.reconsidered = true;
          }
  }

  void keep(const core::put_standing& put) {
    for (auto& standing : stored.standings)
      if (standing.contributor == put.contributor) {
        standing = {put.contributor, put.standing, put.reason};
        return;
      }
    stored.standings.push_back({put.contributor, put.standing, put.reason});
  }

  void pass_quiz(const core::contributor_id& who) {
    for (std::uint32_t i = 0; i < policy.placement.quiz; ++i) {
      const auto question = give(who);
      BOOST_REQUIRE(question.has_value());
      BOOST_TEST(!answer(who, *question, true).answer);
    }
  }

  /// What a later life of the step knows.
  contributor_board restarted() const {
    auto history = stored;
    for (const auto& [who, count] : grants)
      history.contributors.push_back({who, count});
    std::stable_sort(
        history.asked_questions.begin(), history.asked_questions.end(),
        [](const auto& a, const auto& b) { return a.correct.has_value() && !b.correct; });
    contributor_board board_of_next_life{step, policy};
    board_of_next_life.restore(history);
    return board_of_next_life;
  }
};

std::string describe(const contributor_board& board) {
  std::string text;
  for (const auto& one : board.report())
    text += one.contributor + " " + std::string{to_string(one.standing)} + " "
            + std::to_string(one.assignments) + " " + std::to_string(one.tests.right) + "/"
            + std::to_string(one.tests.asked) + " " + std::to_string(one.trust.mean()) + "\n";
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(contributors)

// G-1
BOOST_AUTO_TEST_CASE(the_quiz_comes_first_and_then_one_question_among_every_five) {
  step_with_tests s;
  s.pass_quiz("ana");
  std::set<unit_id> asked;
  for (int block = 0; block < 10; ++block) {
    int tests = 0;
    for (int i = 0; i < 5; ++i)
      if (const auto question = s.give("ana")) {
        ++tests;
        BOOST_TEST(asked.insert(*question).second, "never the same question twice");
        s.answer("ana", *question, true);
      }
    BOOST_TEST(tests == 1);
  }
}

// A72, A88: the only one of the rules that may change with the version of the workflow.
BOOST_AUTO_TEST_CASE(how_often_people_are_tested_may_change_while_they_work) {
  step_with_tests s;
  s.pass_quiz("ana");
  const auto tests_among = [&](int assignments) {
    int tests = 0;
    for (int i = 0; i < assignments; ++i)
      if (const auto question = s.give("ana")) {
        ++tests;
        s.answer("ana", *question, true);
      }
    return tests;
  };
  BOOST_TEST(tests_among(20) == 4);
  s.board.test_every(20);
  tests_among(20); // the block that is under way ends in between
  BOOST_TEST(tests_among(40) <= 3);
  s.board.test_every(2);
  BOOST_TEST(tests_among(30) >= 5); // not the one or two that would have been among them before
}

BOOST_AUTO_TEST_CASE(contributors_meet_questions_at_places_and_in_orders_of_their_own) {
  const auto course_of = [](const char* who) {
    step_with_tests s;
    std::vector<std::uint64_t> course;
    for (int i = 0; i < 60; ++i) {
      const auto question = s.give(who);
      course.push_back(question ? question->value.bytes[15] : 0);
      if (question)
        s.answer(who, *question, true);
    }
    return course;
  };
  BOOST_TEST(course_of("ana") == course_of("ana"), boost::test_tools::per_element());
  BOOST_TEST((course_of("ana") != course_of("bob")));
}

// Who may still fail the quiz does no work that would have to be thrown away.
BOOST_AUTO_TEST_CASE(nothing_but_the_quiz_is_given_while_it_is_under_way) {
  step_with_tests s;
  std::vector<unit_id> quiz;
  for (int i = 0; i < 4; ++i)
    quiz.push_back(s.give("ana").value());
  BOOST_TEST((s.board.next_for("ana", true).refusal == errc::no_unit_available));
  for (int i = 0; i < 3; ++i) {
    s.answer("ana", quiz[static_cast<std::size_t>(i)], true);
    BOOST_TEST((s.board.next_for("ana", true).refusal == errc::no_unit_available));
  }
  // The next life, too, waits for what they still hold.
  auto later = s.restarted();
  later.holding("ana", quiz[3]);
  BOOST_TEST((later.next_for("ana", true).refusal == errc::no_unit_available));
  later.unanswered("ana", quiz[3]);
  BOOST_TEST((later.next_for("ana", true).refusal == errc::none));
  s.answer("ana", quiz[3], true);
  BOOST_TEST((s.board.next_for("ana", true).refusal == errc::none));
}

BOOST_AUTO_TEST_CASE(nobody_is_tested_for_work_that_there_is_not) {
  step_with_tests s;
  const auto next = s.board.next_for("ana", false);
  BOOST_TEST((next.refusal == errc::none));
  BOOST_TEST(!next.question.has_value());
  // Except that whoever is removed hears so in any case.
  s.board.remove("eve", beginning);
  BOOST_TEST((s.board.next_for("eve", false).refusal == errc::not_qualified));
}

BOOST_AUTO_TEST_CASE(giving_questions_back_does_not_end_the_quiz) {
  step_with_tests s;
  for (int i = 0; i < 16; ++i) {
    const auto question = s.give("ana");
    BOOST_REQUIRE(question.has_value());
    s.board.unanswered("ana", *question);
  }
  s.pass_quiz("ana");
  // And who has given back every question there is can pass no more.
  for (int i = 0; i < 20; ++i)
    s.board.unanswered("bob", s.give("bob").value());
  BOOST_TEST((s.board.next_for("bob", true).refusal == errc::no_unit_available));
}

// A28
BOOST_AUTO_TEST_CASE(a_quiz_that_cannot_be_passed_any_more_removes_at_once) {
  step_with_tests s;
  BOOST_TEST(!s.answer("eve", s.give("eve").value(), false).answer);
  const auto second = s.answer("eve", s.give("eve").value(), false);
  BOOST_TEST(second.answer);
  BOOST_TEST(test::describe(second.changes)
             == "put_standing eve Removed QuizFailed at 0s\n"
                R"({"type":"ContributorFlagged","step_id":")"
                    + to_string(s.step)
                    + R"(","at":1700000000000000,"details":{"contributor_id":"eve",)"
                      R"("standing":"Removed","reason":"QuizFailed","trust":0.5,)"
                      R"("test_questions":2,"right":0}})"
                      "\n");
  BOOST_TEST((s.board.next_for("eve", true).refusal == errc::not_qualified));
  BOOST_TEST((s.board.next_for("ana", true).refusal == errc::none));
}

// A crash between an answer and the removal that it demands loses neither. A28, I-11, I-12
BOOST_AUTO_TEST_CASE(a_later_life_removes_whom_the_earlier_one_had_no_time_to_remove) {
  step_with_tests s;
  s.pass_quiz("ana");
  s.answer("eve", s.give("eve").value(), false);
  s.answer("eve", s.give("eve").value(), false);
  BOOST_TEST(s.board.settle(beginning).answer.empty()); // has been done
  s.stored.standings.clear();

  auto later = s.restarted();
  BOOST_TEST((later.next_for("eve", true).refusal == errc::none));
  const auto settled = later.settle(beginning);
  BOOST_TEST(settled.answer == std::vector<core::contributor_id>{"eve"},
             boost::test_tools::per_element());
  BOOST_TEST(settled.changes.writes.size() == 1U);
  BOOST_TEST(settled.changes.events.size() == 1U);
  BOOST_TEST((later.next_for("eve", true).refusal == errc::not_qualified));
  BOOST_TEST((later.next_for("ana", true).refusal == errc::none));
  BOOST_TEST(later.settle(beginning).answer.empty());
}

// A27: the rule of docs/QUALITY.md, in a live step
BOOST_AUTO_TEST_CASE(contributor_right_too_seldom_is_removed_and_one_who_errs_now_and_then_is_not) {
  step_with_tests s;
  s.pass_quiz("eve");
  bool removed = false;
  int questions = 0;
  while (!removed && questions < 16)
    if (const auto question = s.give("eve")) {
      removed = s.answer("eve", *question, questions++ % 3 == 0).answer;
    }
  BOOST_TEST(removed);
  BOOST_TEST((s.board.report().front().reason == standing_reason::test_questions));

  s.pass_quiz("ana");
  for (int asked = 0; asked < 16;)
    if (const auto question = s.give("ana"))
      BOOST_TEST(!s.answer("ana", *question, asked++ % 6 != 0).answer);
  BOOST_TEST(s.board.trust_in("ana").mean > 0.75);
}

BOOST_AUTO_TEST_CASE(the_requester_removes_whom_they_will_once) {
  step_with_tests s;
  BOOST_TEST(s.board.remove("joe", beginning).answer);
  BOOST_TEST(s.board.remove("joe", beginning).changes.empty());
  BOOST_TEST((s.board.next_for("joe", true).refusal == errc::not_qualified));

  contributor_board untested{s.step, std::nullopt};
  BOOST_TEST((untested.next_for("joe", true).refusal == errc::none));
  BOOST_TEST(untested.remove("joe", beginning).answer);
  BOOST_TEST((untested.next_for("joe", true).refusal == errc::not_qualified));
  BOOST_TEST(untested.trust_in("ana").mean == 1.0);
  BOOST_TEST(!untested.trust_in("ana").questions.has_value());
}

// A22: with and without test questions, and a restart goes on counting
BOOST_AUTO_TEST_CASE(a_board_counts_what_contributors_judged_where_a_route_asks_for_it) {
  for (const bool tested : {false, true}) {
    step_with_tests s;
    const auto policy = tested ? std::optional{s.policy} : std::nullopt;
    contributor_board silent{s.step, policy};
    silent.restore({});
    silent.judged("ana");
    BOOST_TEST(!silent.judged_before("ana").has_value());

    contributor_board counting{s.step, policy};
    core::step_history stored;
    stored.judged.emplace();
    stored.judged->push_back({"ana", 2});
    counting.restore(stored);
    counting.judged("ana");
    counting.judged("bob");
    counting.remove("bob", beginning);
    BOOST_TEST((counting.judged_before("ana") == 3U));
    BOOST_TEST((counting.judged_before("bob") == 1U)); // whatever became of it
    BOOST_TEST((counting.judged_before("eve") == 0U));
    BOOST_TEST(counting.report().size() == 1U); // it makes nobody known to the requester
  }
}

BOOST_AUTO_TEST_CASE(a_question_that_is_paused_is_not_asked) {
  step_with_tests s;
  for (std::uint64_t n = 2; n <= 20; ++n)
    s.board.set_open(unit_numbered(n), false);
  BOOST_TEST((s.give("ana") == unit_numbered(1)));
  s.board.set_open(unit_numbered(7), true);
  BOOST_TEST((s.give("ana") == unit_numbered(7)));
}

// A10: what a judgment is stored with
BOOST_AUTO_TEST_CASE(trust_is_the_mean_of_four_right_and_two_wrong_and_what_was_answered) {
  step_with_tests s;
  BOOST_TEST(s.board.trust_in("ana").mean == 4.0 / 6.0);
  s.pass_quiz("ana");
  BOOST_TEST(s.board.trust_in("ana").mean == 8.0 / 10.0);
  BOOST_TEST((s.board.trust_in("ana").questions == 4U));
  BOOST_TEST((s.board.trust_in("bob").questions == 0U));
}

// A129, G-9: nobody finds questions by asking before they have answered, or by what is refused
BOOST_AUTO_TEST_CASE(feedback_is_of_questions_that_were_answered_and_where_the_step_gives_it) {
  auto rules = step_with_tests::usual();
  for (const bool given : {false, true}) {
    rules.feedback = given;
    step_with_tests s{rules};
    const auto right = s.give("ana");
    const auto wrong = s.give("ana");
    BOOST_REQUIRE((right && wrong));
    s.board.answered("ana", *right, true, s.next_moment(), beginning);
    s.board.answered("ana", *wrong, false, s.next_moment(), beginning);
    s.board.forgive(*wrong, true, beginning);
    const auto told = [&](const char* who, const unit_id& of) -> std::string {
      const auto found = s.board.feedback(who, of);
      if (!found)
        return std::string{to_string(found.error().code)} + ": " + found.error().detail;
      return std::string{found->test_question ? "question" : "nothing"}
             + (found->right ? " right" : "") + (found->counts ? " counts" : "");
    };
    const auto nothing = told("ana", unit_numbered(first_ordinary));
    BOOST_TEST(nothing
               == (given ? "nothing"
                         : "wrong_state: the step tells nobody which units are test questions"));
    BOOST_TEST(told("ana", *right) == (given ? "question right counts" : nothing));
    BOOST_TEST(told("ana", *wrong) == (given ? "question" : nothing));
    // Offered, and nobody knows yet what they say; and somebody who was never here.
    const auto open = s.give("ana");
    BOOST_REQUIRE(open.has_value());
    BOOST_TEST(told("ana", *open) == nothing);
    BOOST_TEST(told("bob", *right) == nothing);
    // Whom a repair by question concerns, also where it is forgiven.
    const std::vector<core::contributor_id> ana{"ana"};
    BOOST_TEST(s.board.who_answered(*right) == ana);
    BOOST_TEST(s.board.who_answered(*wrong) == ana);
    BOOST_TEST(s.board.who_answered(*open).empty());
  }
}

// A26, A28: a flag is for people to look at; it bars nobody
BOOST_AUTO_TEST_CASE(a_flag_is_raised_once_and_by_the_monitors_that_are_wanted) {
  step_with_tests s;
  const std::vector<core::concern> found{{"ana", core::monitor::agreement, "says red"},
                                         {"ana", core::monitor::speed, "too fast"},
                                         {"eve", core::monitor::speed, "too \"slow\""}};
  const auto first = s.board.flag(found, {core::monitor::speed, core::monitor::copying}, beginning);
  BOOST_REQUIRE(first.answer.size() == 2U);
  BOOST_TEST(std::visit(test::write_text{}, first.changes.writes.at(0))
             == "insert_flag ana speed because too fast at " + test::describe(beginning));
  BOOST_TEST(first.changes.writes.size() == 2U);
  BOOST_TEST(first.changes.events[1].details
             == R"({"contributor_id":"eve","standing":"Working","reason":"speed",)"
                R"("trust":0.666667,"test_questions":0,"right":0,"why":"too \"slow\""})");
  BOOST_TEST((s.board.next_for("eve", true).refusal == errc::none));
  BOOST_TEST(s.board.flag(found, {core::monitor::speed}, beginning).changes.empty());
  BOOST_TEST(s.board.flag(found, {}, beginning).changes.empty());
  // A later life knows of it.
  s.stored.flags = {{"ana", core::monitor::speed}, {"eve", core::monitor::speed}};
  auto later = s.restarted();
  BOOST_TEST(later.flag(found, {core::monitor::speed}, beginning).changes.empty());
  BOOST_TEST(later.flag(found, {core::monitor::agreement}, beginning).answer.size() == 1U);
  const auto report = later.report();
  BOOST_REQUIRE(report.size() == 2U);
  BOOST_TEST(report[0].contributor == "ana");
  BOOST_TEST((report[0].flags
              == std::vector<core::monitor>{core::monitor::agreement, core::monitor::speed}));
}

// A28
BOOST_AUTO_TEST_CASE(removed_contributor_is_past_all_flags) {
  step_with_tests s;
  s.board.remove("eve", beginning);
  BOOST_TEST(
      s.board.flag({{"eve", core::monitor::speed, "too fast"}}, {core::monitor::speed}, beginning)
          .changes.empty());
}

// --- forgiving ---

using names = std::vector<core::contributor_id>;

// A27, A28
BOOST_AUTO_TEST_CASE(contributor_who_failed_the_quiz_by_a_forgiven_question_goes_on_with_it) {
  step_with_tests s;
  const auto first = s.give("eve").value();
  s.answer("eve", first, false);
  const auto second = s.give("eve").value();
  BOOST_TEST(s.answer("eve", second, false).answer);

  const auto forgiven = s.forgive(second);
  BOOST_TEST(forgiven.answer.reinstated == names{"eve"}, boost::test_tools::per_element());
  BOOST_TEST(forgiven.answer.removed.empty());
  BOOST_TEST(test::describe(forgiven.changes)
             == "set_question_forgiven yes at 0s\n"
                "put_standing eve Working QuestionForgiven at 0s\n"
                R"({"type":"ContributorFlagged","step_id":")"
                    + to_string(s.step)
                    + R"(","at":1700000000000000,"details":{"contributor_id":"eve",)"
                      R"("standing":"Working","reason":"QuestionForgiven","trust":0.571429,)"
                      R"("test_questions":1,"right":0}})"
                      "\n");
  // Three more questions make the quiz of four; the forgiven one stays asked.
  for (int i = 0; i < 3; ++i) {
    const auto next = s.give("eve");
    BOOST_REQUIRE(next.has_value());
    BOOST_TEST((*next != second));
    BOOST_TEST(!s.answer("eve", *next, true).answer);
  }
  BOOST_TEST((s.board.next_for("eve", true).refusal == errc::none));
}

// A27: what was said to it before and after says nothing
BOOST_AUTO_TEST_CASE(a_forgiven_question_is_offered_to_nobody_and_says_nothing) {
  step_with_tests s;
  const auto held = s.give("eve").value();
  s.forgive(held);
  BOOST_TEST(s.board.is_forgiven(held));
  BOOST_TEST(!s.answer("eve", held, false).answer);
  BOOST_TEST(s.board.trust_in("eve").mean == 4.0 / 6.0);
  for (std::uint64_t n = 1; n <= 20; ++n)
    if (unit_numbered(n) != held)
      s.forgive(unit_numbered(n));
  BOOST_TEST((s.board.next_for("ana", true).refusal == errc::no_unit_available));
  s.board.set_open(unit_numbered(5), true); // its unit reports that it is judgable
  BOOST_TEST((s.board.next_for("ana", true).refusal == errc::no_unit_available));
  s.forgive(unit_numbered(5), false);
  BOOST_TEST((s.board.next_for("ana", true).question == unit_numbered(5)));
}

// A lease of a forgiven question does not hold the quiz up.
BOOST_AUTO_TEST_CASE(a_quiz_does_not_wait_for_answers_that_will_not_count) {
  step_with_tests s;
  const auto held = s.give("ana").value();
  for (int i = 0; i < 3; ++i)
    s.give("ana");
  BOOST_TEST((s.board.next_for("ana", true).refusal == errc::no_unit_available));
  s.forgive(held);
  BOOST_TEST(s.board.next_for("ana", true).question.has_value());
}

BOOST_AUTO_TEST_CASE(to_forgive_again_changes_nothing_and_to_count_again_is_the_reverse) {
  step_with_tests s;
  const auto question = s.give("eve").value();
  s.answer("eve", question, false);
  s.answer("eve", s.give("eve").value(), false);
  BOOST_TEST(s.forgive(question, false).changes.empty());
  BOOST_TEST(s.forgive(question).answer.reinstated.size() == 1U);
  BOOST_TEST(s.forgive(question).changes.empty());
  const auto again = s.forgive(question, false);
  BOOST_TEST(again.answer.removed == names{"eve"}, boost::test_tools::per_element());
  BOOST_TEST(again.answer.reinstated.empty());
  BOOST_TEST((s.board.report().front().reason == standing_reason::quiz_failed));
  BOOST_TEST((s.board.next_for("eve", true).refusal == errc::not_qualified));
}

// A28: only what test questions have done is undone by them
BOOST_AUTO_TEST_CASE(contributor_removed_by_the_requester_stays_removed) {
  step_with_tests s;
  const auto question = s.give("joe").value();
  s.answer("joe", question, false);
  s.board.remove("joe", beginning);
  BOOST_TEST(s.forgive(question).answer.reinstated.empty());
  BOOST_TEST(s.board.removed("joe"));
}

// Had the question never been asked, the quiz would have been another one.
BOOST_AUTO_TEST_CASE(to_forgive_what_was_right_may_remove) {
  step_with_tests s;
  std::vector<unit_id> right;
  for (const bool correct : {true, true, true, false}) {
    const auto question = s.give("eve").value();
    if (correct)
      right.push_back(question);
    BOOST_TEST(!s.answer("eve", question, correct).answer);
  }
  for (int asked = 0; asked < 1;)
    if (const auto question = s.give("eve")) {
      ++asked;
      BOOST_TEST(!s.answer("eve", *question, false).answer);
    }
  BOOST_TEST(s.forgive(right[0]).answer.removed == names{"eve"}, boost::test_tools::per_element());
}

// QUALITY.md: trust and removals are exactly what they would have been. A27, A28
BOOST_AUTO_TEST_CASE(forgiving_leaves_what_there_would_be_had_nobody_answered) {
  const names people{"ana", "bob", "eve"};
  std::size_t reinstated = 0;
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::random_source random{seed};
    step_with_tests s;
    for (int i = 0; i < 150; ++i) {
      const auto& who = random.of(people);
      if (s.board.next_for(who, true).refusal == errc::none)
        if (const auto question = s.give(who))
          s.answer(who, *question, !random.one_in(3));
      if (!random.one_in(10))
        continue;
      const auto decided = s.forgive(unit_numbered(1 + random.below(20)), !random.one_in(3));
      reinstated += decided.answer.reinstated.size();
      removed += decided.answer.removed.size();
      // A step that has only ever heard the answers that count.
      auto others = s.stored;
      others.standings.clear();
      for (auto& asked : others.asked_questions)
        for (const auto& question : s.stored.questions)
          if (question.forgiven && question.unit == asked.unit)
            asked.correct.reset();
      contributor_board never{s.step, s.policy};
      never.restore(others);
      never.settle(beginning);
      BOOST_TEST_CONTEXT("seed " << seed << ", request " << i) {
        for (const auto& one : people) {
          BOOST_TEST(never.removed(one) == s.board.removed(one), one);
          BOOST_TEST((never.trust_in(one) == s.board.trust_in(one)), one);
        }
      }
    }
  }
  BOOST_TEST(reinstated > 20U);
  BOOST_TEST(removed > 20U);
}

// Trust as judgments were stored with it is, after any forgiving and counting again, what it would
// have been had the answers that count been the only ones. A27
BOOST_AUTO_TEST_CASE(forgiving_leaves_the_trust_that_judgments_would_have_had) {
  struct snapshot {
    core::contributor_id who;
    core::judgment_moment when;
    core::trust_mark trust;
  };
  const names people{"ana", "bob", "eve"};
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::random_source random{seed};
    step_with_tests s;
    std::vector<snapshot> judged;
    struct given_answer {
      core::contributor_id who;
      unit_id question;
      bool correct;
      std::size_t before; ///< Judgments that came in first.
    };
    std::vector<given_answer> given;
    std::set<std::pair<core::contributor_id, unit_id>> once;
    for (int i = 0; i < 60; ++i) {
      const auto& who = random.of(people);
      if (random.one_in(2)) {
        judged.push_back({who, s.next_moment(), s.board.trust_in(who)});
        continue;
      }
      const auto question = unit_numbered(1 + random.below(20));
      if (!once.insert({who, question}).second)
        continue;
      const bool correct = !random.one_in(3);
      s.board.answered(who, question, correct, s.next_moment(), beginning);
      given.push_back({who, question, correct, judged.size()});
    }
    const auto check = [&] {
      std::vector<core::trust_mark> trust;
      step_with_tests other; // has only ever heard the answers that count
      std::size_t next = 0;
      for (std::size_t i = 0; i <= judged.size(); ++i) {
        for (; next < given.size() && given[next].before == i; ++next)
          if (!s.board.is_forgiven(given[next].question))
            other.board.answered(given[next].who, given[next].question, given[next].correct,
                                 other.next_moment(), beginning);
        if (i < judged.size())
          trust.push_back(other.board.trust_in(judged[i].who));
      }
      for (std::size_t i = 0; i < judged.size(); ++i) {
        const auto now = s.board.course_of(judged[i].who).at(judged[i].when);
        BOOST_TEST((now == trust[i]));
        changed += now == judged[i].trust ? 0 : 1;
      }
    };
    BOOST_TEST_CONTEXT("seed " << seed) {
      check();
      for (int i = 0; i < 10; ++i) {
        const auto question = unit_numbered(1 + random.below(20));
        const bool forgiven = !random.one_in(3);
        const auto decided = s.forgive(question, forgiven);
        for (const auto& one : given)
          if (one.question == question && !decided.changes.empty())
            BOOST_TEST((std::count(decided.answer.concerned.begin(), decided.answer.concerned.end(),
                                   one.who)
                        == 1));
        check();
      }
      // All of it taken back: as it was stored.
      for (const bool forgiven : {true, false})
        for (std::uint64_t n = 1; n <= 20; ++n)
          s.forgive(unit_numbered(n), forgiven);
      std::vector<core::step_history::trusted> stored;
      for (const auto& one : judged)
        stored.push_back({one.who, unit_numbered(first_ordinary), one.when, one.trust});
      BOOST_TEST(s.board.wrongly_trusted(stored).empty());
      stored.front().trust.mean = 0.99;
      BOOST_TEST((s.board.wrongly_trusted(stored).size() == 1U
                  || std::none_of(given.begin(), given.end(), [&](const auto& one) {
                       return one.who == stored.front().contributor;
                     })));
    }
  }
  BOOST_TEST(changed > 1000U);
}

// A restart between any two requests changes nothing. I-12
BOOST_AUTO_TEST_CASE(a_later_life_goes_on_exactly_as_this_one_would) {
  const std::vector<std::string> people{"ana", "bob", "eve", "joe"};
  std::size_t removals = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::random_source random{seed};
    step_with_tests s;
    for (int i = 0; i < 120; ++i) {
      const auto& who = random.of(people);
      const auto next = s.board.next_for(who, true);
      if (next.refusal != errc::none)
        continue;
      const auto question = s.give(who);
      if (question && !random.one_in(5))
        removals += s.answer(who, *question, random.one_in(who == "eve" ? 3 : 1)).answer ? 1 : 0;
      else if (question)
        s.board.unanswered(who, *question);
      if (random.one_in(8))
        s.forgive(unit_numbered(1 + random.below(20)), !random.one_in(3));
      auto later = s.restarted();
      BOOST_TEST_CONTEXT("seed " << seed << ", request " << i) {
        BOOST_TEST(describe(later) == describe(s.board));
        for (const auto& one : people) {
          const auto here = s.board.next_for(one, true);
          const auto there = later.next_for(one, true);
          BOOST_TEST((here.refusal == there.refusal));
          BOOST_TEST((here.question == there.question));
        }
      }
    }
  }
  BOOST_TEST(removals > 30U);
}

// finding Q4
BOOST_AUTO_TEST_CASE(contributor_whose_standing_cannot_be_read_is_held_and_no_other) {
  step_with_tests s;
  s.pass_quiz("ana");
  s.pass_quiz("dan");
  s.answer("eve", s.give("eve").value(), false);
  s.answer("eve", s.give("eve").value(), false);
  s.stored.standings.clear();
  using row = core::step_history::unreadable::row;
  s.stored.damage = {{row::standing, "eve", {}, "invalid page"},
                     {row::standing, "dan", {}, "invalid page"}};
  auto later = s.restarted();
  BOOST_TEST((later.next_for("eve", true).refusal == errc::damaged));
  BOOST_TEST((later.next_for("dan", false).refusal == errc::damaged));
  BOOST_TEST((later.next_for("ana", true).refusal == errc::none));
  BOOST_TEST((later.held("dan").code == errc::damaged));
  BOOST_TEST(later.held("dan").detail.find("holdfast.contributor_standings cannot be read: invalid")
             != std::string::npos);
  BOOST_TEST((later.held("ana").code == errc::none));
  BOOST_TEST((later.remaining({"ana", "dan", "eve"}) == std::vector<core::contributor_id>{"ana"}));
  // Her answers demand a removal, which would be written over the row that cannot be read.
  BOOST_TEST(later.settle(beginning).changes.empty());
  BOOST_TEST(!later.removed("eve"));
  BOOST_TEST(
      later.answered("eve", unit_numbered(20), false, s.next_moment(), beginning).changes.empty());
  BOOST_TEST((later.reconsidering_obstacle().code == errc::damaged));
  BOOST_TEST((s.board.reconsidering_obstacle().code == errc::none));
}

// finding Q4
BOOST_AUTO_TEST_CASE(question_that_cannot_be_read_is_not_asked_and_changes_no_standing) {
  step_with_tests s;
  std::vector<unit_id> quiz;
  for (int i = 0; i < 4; ++i) {
    quiz.push_back(s.give("ana").value());
    s.answer("ana", quiz.back(), i != 1);
  }
  // Without the first answer to the quiz this one would be of it, and two wrong ones fail it.
  std::optional<unit_id> fifth;
  while (!fifth)
    fifth = s.give("ana");
  s.answer("ana", *fifth, false);
  s.stored.damage = {{core::step_history::unreadable::row::question, {}, quiz[0], "invalid page"}};
  auto later = s.restarted();
  BOOST_TEST(later.settle(beginning).answer.empty());
  BOOST_TEST((later.trust_in("ana").questions == 4U));
  BOOST_TEST((s.board.trust_in("ana").questions == 5U));
  later.set_open(quiz[0], true);
  for (std::uint64_t i = 0; i < 19; ++i) {
    const auto next = later.next_for("bob", true);
    BOOST_REQUIRE(next.question.has_value());
    BOOST_TEST((*next.question != quiz[0]));
    later.offered("bob", *next.question);
    later.unanswered("bob", *next.question);
  }
  BOOST_TEST((later.next_for("bob", true).refusal == errc::no_unit_available));
  BOOST_TEST((later.reconsidering_obstacle().code == errc::damaged));
}

// finding Q4
BOOST_AUTO_TEST_CASE(quiz_that_was_passed_is_not_asked_again_for_a_question_that_cannot_be_read) {
  step_with_tests s;
  const auto first = s.give("dan").value();
  s.answer("dan", first, true);
  for (int i = 0; i < 3; ++i)
    s.answer("dan", s.give("dan").value(), true);
  s.stored.damage = {{core::step_history::unreadable::row::question, {}, first, "invalid page"}};
  const auto later = s.restarted();
  BOOST_TEST((later.trust_in("dan").questions == 3U));
  BOOST_TEST((later.next_for("dan", true).first == core::given_back::all)); // not of a quiz alone
}

// finding Q4
BOOST_AUTO_TEST_CASE(flag_that_cannot_be_read_is_not_raised_again) {
  step_with_tests s;
  s.stored.damage = {{core::step_history::unreadable::row::flag, "eve", {}, "invalid page"}};
  auto later = s.restarted();
  const auto speed = core::monitor::speed;
  const auto decided =
      later.flag({{"eve", speed, "fast"}, {"bob", speed, "fast"}}, {speed}, beginning);
  BOOST_REQUIRE_EQUAL(decided.answer.size(), 1U);
  BOOST_TEST(decided.answer[0].contributor == "bob");
  BOOST_TEST((later.next_for("eve", true).refusal == errc::none));
  BOOST_TEST((later.reconsidering_obstacle().code == errc::none));
}

// --- removals from elsewhere ---

namespace {

core::removal from_everywhere(bool keeps_judgments = false) {
  core::removal one;
  one.contributor = "eve";
  one.place = core::everywhere();
  one.keeps_judgments = keeps_judgments;
  one.at = beginning;
  one.reason = "spam";
  return one;
}

using followed = contributor_board::followed;

} // namespace

BOOST_AUTO_TEST_CASE(standing_follows_a_removal_and_its_end) {
  step_with_tests s;
  s.answer("eve", s.give("eve").value(), true);
  auto begun = s.board.follow("eve", from_everywhere(), {}, false, beginning);
  BOOST_TEST((begun.answer == followed::removed));
  BOOST_REQUIRE_EQUAL(begun.changes.writes.size(), 1U);
  const auto& row = std::get<core::put_standing>(begun.changes.writes[0]);
  BOOST_TEST(row.by_removal);
  BOOST_TEST((row.standing == core::contributor_standing::removed));
  BOOST_TEST(s.board.removed("eve"));
  BOOST_TEST(
      (s.board.follow("eve", from_everywhere(), {}, false, beginning).answer == followed::nothing));
  BOOST_TEST((s.board.follow("eve", {}, {}, false, beginning).answer == followed::reinstated));
  BOOST_TEST(!s.board.removed("eve"));
  BOOST_TEST((s.board.follow("eve", {}, {}, false, beginning).answer == followed::nothing));
}

BOOST_AUTO_TEST_CASE(removal_that_keeps_judgments_changes_no_standing) {
  step_with_tests s;
  s.answer("eve", s.give("eve").value(), true);
  BOOST_TEST((s.board.follow("eve", from_everywhere(true), {}, true, beginning).answer
              == followed::nothing));
  BOOST_TEST(!s.board.removed("eve"));
}

BOOST_AUTO_TEST_CASE(whoever_has_had_nothing_to_do_with_the_step_gets_no_standing_there) {
  step_with_tests s;
  BOOST_TEST(s.board.follow("eve", from_everywhere(), {}, false, beginning).changes.empty());
  BOOST_TEST(!s.board.follow("eve", from_everywhere(), {}, true, beginning).changes.empty());
}

BOOST_AUTO_TEST_CASE(end_of_a_removal_brings_nobody_back_whom_test_questions_speak_against) {
  step_with_tests s;
  for (int i = 0; i < 3; ++i)
    s.answer("eve", s.give("eve").value(), i > 0);
  s.board.follow("eve", from_everywhere(), {}, false, beginning);
  // Under way while they were removed: the quiz is failed by it.
  s.board.answered("eve", unit_numbered(19), false, s.next_moment(), beginning);
  const auto over = s.board.follow("eve", {}, {}, false, beginning);
  BOOST_TEST((over.answer == followed::nothing));
  BOOST_TEST(s.board.removed("eve"));
  BOOST_REQUIRE_EQUAL(over.changes.writes.size(), 1U);
  BOOST_TEST((std::get<core::put_standing>(over.changes.writes[0]).reason
              == standing_reason::quiz_failed));
}

BOOST_AUTO_TEST_CASE(reinstatement_ends_what_the_requester_said_in_the_step_before_it_alone) {
  step_with_tests s;
  const auto later = beginning + std::chrono::seconds{2};
  s.board.remove("eve", beginning + std::chrono::seconds{1});
  BOOST_TEST((s.board.follow("eve", {}, {}, true, later).answer == followed::nothing));
  BOOST_TEST((s.board.follow("eve", {}, beginning, true, later).answer == followed::nothing));
  BOOST_TEST((s.board.follow("eve", {}, later, true, later).answer == followed::reinstated));
  BOOST_TEST(!s.board.removed("eve"));
}

BOOST_AUTO_TEST_CASE(later_life_knows_which_standing_follows_from_a_removal) {
  step_with_tests s;
  s.stored.standings = {
      {"eve", core::contributor_standing::removed, standing_reason::requester, beginning, true}};
  auto later = s.restarted();
  BOOST_TEST((later.removed_by_removals() == std::set<core::contributor_id>{"eve"}));
  BOOST_TEST((later.follow("eve", {}, {}, false, beginning).answer == followed::reinstated));
}

BOOST_AUTO_TEST_SUITE_END()
