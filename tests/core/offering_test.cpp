// What a step offers next: units in their turn, test questions, and what was given back. A14, A16,
// A110, G-5

#include "core/offering.hpp"
#include "core/uuid.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;
using core::errc;
using core::instant;
using core::unit_id;
using holdfast::test::beginning;

namespace {

constexpr std::uint64_t question_count = 20;
constexpr std::uint64_t unit_count = 200;

unit_id offered_as(std::uint64_t n) {
  unit_id id;
  id.value.bytes[15] = static_cast<std::uint8_t>(n);
  id.value.bytes[14] = static_cast<std::uint8_t>(n >> 8U);
  return id;
}

/// Units 1 to 20 are test questions; the others have two slots each.
struct offering_step {
  core::contributor_board board;
  core::ready_set ready;
  instant now = beginning;
  std::map<core::contributor_id, std::set<unit_id>> had = {};

  explicit offering_step(std::uint32_t quiz = 0) : board(some_step(), rules(quiz)) {
    for (std::uint64_t n = 1; n <= question_count; ++n) {
      board.add_question(offered_as(n), n);
      ready.add_apart(offered_as(n));
    }
    for (std::uint64_t n = 1; n <= unit_count; ++n)
      ready.add(offered_as(question_count + n), 2);
  }

  static core::step_id some_step() {
    core::uuid_source ids{78};
    return {ids.next(beginning)};
  }
  static core::test_question_policy rules(std::uint32_t quiz) {
    core::test_question_policy policy;
    policy.placement.quiz = quiz;
    policy.placement.quiz_pass = 0.5;
    policy.placement.every = 2;
    return policy;
  }

  core::offered_unit offer(const core::contributor_id& who) {
    return core::offer_next(board, ready, who, now);
  }
  unit_id given(const core::contributor_id& who) {
    const auto again = core::offered_again(board, ready, who, now);
    const auto offered = offer(who);
    BOOST_REQUIRE((offered.refusal == errc::none));
    BOOST_REQUIRE(offered.unit.has_value());
    // What comes again is foretold, and nothing else has been there before.
    BOOST_TEST((again.has_value() == !had[who].insert(*offered.unit).second));
    BOOST_TEST((!again || again == offered.unit));
    return *offered.unit;
  }
  /// A question that they have not had.
  unit_id given_question(const core::contributor_id& who) {
    for (;;) {
      const auto unit = given(who);
      if (board.is_question(unit))
        return unit;
      answer(who, unit);
    }
  }
  unit_id given_ordinary(const core::contributor_id& who) {
    for (;;) {
      const auto unit = given(who);
      if (!board.is_question(unit))
        return unit;
      answer(who, unit);
    }
  }
  /// Their lease ends without an answer.
  void end(const core::contributor_id& who, const unit_id& unit, instant barred_until) {
    ready.bar(unit, who, barred_until);
    ready.give_back(unit);
    board.unanswered(who, unit);
  }
  void release(const core::contributor_id& who, const unit_id& unit) { end(who, unit, now); }
  void answer(const core::contributor_id& who, const unit_id& unit) {
    ready.bar(unit, who, instant::max());
    if (board.is_question(unit))
      board.answered(who, unit, true, {now, {}}, now);
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(offering)

BOOST_AUTO_TEST_CASE(units_and_questions_given_back_come_again_first_in_that_order) {
  offering_step s;
  std::map<bool, int> came_again;
  for (int round = 0; round < 12; ++round) {
    const std::vector<unit_id> held{s.given("ana"), s.given("ana"), s.given("ana")};
    const std::vector<unit_id> back{held[2], held[0], held[1]};
    for (const auto& unit : back)
      s.release("ana", unit);
    for (const auto& unit : back) {
      BOOST_TEST((s.given("ana") == unit));
      ++came_again[s.board.is_question(unit)];
    }
    for (const auto& unit : back)
      s.answer("ana", unit);
  }
  BOOST_TEST(came_again[true] > 10);
  BOOST_TEST(came_again[false] > 10);
}

BOOST_AUTO_TEST_CASE(units_and_questions_run_out_come_again_to_the_microsecond) {
  for (const bool question : {true, false}) {
    offering_step s;
    const auto unit = question ? s.given_question("ana") : s.given_ordinary("ana");
    s.end("ana", unit, s.now + 30s);
    s.now += 30s - core::duration{1};
    for (int i = 0; i < 10; ++i) {
      const auto other = s.given("ana");
      BOOST_TEST((other != unit));
      s.answer("ana", other);
    }
    s.now += core::duration{1};
    BOOST_TEST((s.given("ana") == unit));
    s.answer("ana", unit);
    for (int i = 0; i < 10; ++i) {
      const auto other = s.given("ana");
      BOOST_TEST((other != unit));
      s.answer("ana", other);
    }
  }
}

BOOST_AUTO_TEST_CASE(nobody_gets_past_a_question_by_giving_it_back) {
  offering_step s;
  const auto question = s.given_question("ana");
  for (int i = 0; i < 50; ++i) {
    s.release("ana", question);
    BOOST_TEST((s.given("ana") == question));
  }
  // Declined is declined, as with any unit.
  s.end("ana", question, instant::max());
  for (int i = 0; i < 30; ++i) {
    const auto other = s.given("ana");
    BOOST_TEST((other != question));
    s.answer("ana", other);
  }
}

BOOST_AUTO_TEST_CASE(in_the_quiz_nothing_but_its_questions_comes_again) {
  offering_step s{2};
  const auto first = s.given("ana");
  s.release("ana", first);
  BOOST_TEST((s.given("ana") == first));
  const auto second = s.given("ana");
  s.answer("ana", first);
  s.answer("ana", second);
  const auto unit = s.given_ordinary("ana");
  s.release("ana", unit);
  // What she has given back waits for the quiz, which is under way again.
  s.board.forgive(first, true, s.now);
  s.board.forgive(second, true, s.now);
  int questions = 0;
  auto next = s.offer("ana").unit;
  for (; next && *next != unit; next = s.offer("ana").unit) {
    BOOST_TEST(s.board.is_question(*next));
    s.release("ana", *next);
    BOOST_TEST((s.offer("ana").unit == next));
    s.answer("ana", *next);
    ++questions;
  }
  BOOST_TEST((next == unit));
  BOOST_TEST(questions >= 1);
  BOOST_TEST(questions <= 2);
}

BOOST_AUTO_TEST_CASE(a_question_that_is_forgiven_does_not_come_again) {
  offering_step s;
  const auto question = s.given_question("ana");
  s.release("ana", question);
  s.board.forgive(question, true, s.now);
  BOOST_TEST(!core::offered_again(s.board, s.ready, "ana", s.now).has_value());
  BOOST_TEST((s.given("ana") != question));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_paused_comes_again_when_it_is_resumed) {
  offering_step s;
  const auto question = s.given_question("ana");
  s.release("ana", question);
  s.ready.suspend(question);
  s.board.set_open(question, false);
  const auto other = s.given("ana");
  BOOST_TEST((other != question));
  s.ready.resume(question);
  s.board.set_open(question, true);
  BOOST_TEST((s.given("ana") == question));
  // A canceled one is gone.
  s.release("ana", question);
  s.ready.close(question);
  s.board.set_open(question, false);
  BOOST_TEST((s.given("ana") != question));
}

// The last unit that somebody gives back comes again as well.
BOOST_AUTO_TEST_CASE(a_question_comes_again_when_there_is_no_other_work_left) {
  offering_step s;
  const auto question = s.given_question("ana");
  for (std::uint64_t n = 1; n <= unit_count; ++n)
    s.ready.close(offered_as(question_count + n));
  BOOST_TEST(!s.offer("ana").unit.has_value());
  s.release("ana", question);
  BOOST_TEST((s.offer("ana").unit == question));
  BOOST_TEST(!s.offer("bob").unit.has_value());
}

BOOST_AUTO_TEST_CASE(removed_contributor_gets_nothing_again) {
  offering_step s;
  const auto unit = s.given("eve");
  s.release("eve", unit);
  s.board.remove("eve", s.now);
  BOOST_TEST((s.offer("eve").refusal == errc::not_qualified));
  BOOST_TEST(!core::offered_again(s.board, s.ready, "eve", s.now).has_value());
}

BOOST_AUTO_TEST_CASE(a_unit_that_is_kept_apart_comes_to_nobody_else) {
  core::ready_set set;
  set.add_apart(offered_as(1));
  BOOST_TEST(!set.take("ana", beginning).has_value());
  set.bar(offered_as(1), "ana", instant::max());
  BOOST_TEST(!set.take("ana", beginning).has_value());
  set.bar(offered_as(1), "ana", beginning + 5s);
  set.add_apart(offered_as(1)); // changes nothing
  BOOST_TEST(!set.take("bob", beginning + 5s).has_value());
  BOOST_TEST((set.next_opening_for("ana", beginning) == beginning + 5s));
  BOOST_TEST((set.next_for("ana", beginning + 5s) == offered_as(1)));
  BOOST_TEST((set.take("ana", beginning + 5s) == offered_as(1)));
  BOOST_TEST(!set.take("ana", beginning + 5s).has_value());
  BOOST_TEST(set.ready_units() == 0U);
  BOOST_TEST(set.open_units() == 0U);
  BOOST_TEST(!set.contains(offered_as(1)));
}

// I-3: what may be the repetition of a request whose lease has come and gone
BOOST_AUTO_TEST_CASE(a_request_is_late_when_it_was_made_before_what_is_in_memory) {
  using namespace holdfast::core;
  const auto id = [](instant at) { return assignment_id{uuid_source{1}.next(at)}; };
  const assignment_id timeless{*parse_uuid("f18f2c5e-7c1a-4000-8000-000000000001")};
  const instant loaded{std::chrono::seconds{1'700'000'000}};
  const over_memory known{loaded, {}};
  const auto second = std::chrono::seconds{1};
  BOOST_TEST(may_be_late(id(loaded - second), known, loaded));
  BOOST_TEST(may_be_late(id(loaded - second), known, loaded + late_request_most));
  BOOST_TEST(!may_be_late(id(loaded - second), known, loaded + late_request_most + second));
  BOOST_TEST(!may_be_late(id(loaded), known, loaded));
  BOOST_TEST(may_be_late(timeless, known, loaded));
  BOOST_TEST(!may_be_late(timeless, known, loaded + late_request_most + second));

  const auto later = loaded + 100 * late_request_most;
  const over_memory forgetful{loaded, forgotten_with(id(later), {})};
  BOOST_TEST(may_be_late(id(later), forgetful, later + second));
  BOOST_TEST(!may_be_late(id(later + second), forgetful, later + second));
  BOOST_TEST((forgotten_with(id(loaded), later) == later));
  BOOST_TEST((forgotten_with(timeless, later) == later));
}

BOOST_AUTO_TEST_SUITE_END()
