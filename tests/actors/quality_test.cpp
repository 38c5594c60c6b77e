// Quality control in live steps: test questions, removal, stopping rules, weighing methods.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/binary_serializer.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// `more` are further members of the only step.
std::string color_step_with(const std::string& more) {
  return R"({"name": "colours", "steps": [{"key": "label",
             "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30},
             )"
         + more + "}]}";
}

const std::string tested = color_step_with(R"("judgments_per_unit": 2,
    "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 3})");

/// Whoever gives a wrong answer early is removed for it.
const std::string strict =
    R"("test_questions": {"quiz": 0, "quiz_pass": 1, "every": 2, "certainty": 0.5})";

struct questioning_node : node_fixture {
  questioning_node() { start(); }

  /// Adds questions to which `red` is right, with the keys `test-<first>` and so on.
  void ask_about(const core::step_id& step, std::size_t questions, std::size_t first = 0) {
    msg::add_test_questions request{step, {}};
    for (auto i = first; i < first + questions; ++i)
      request.rows.push_back({"test-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}",
                              R"({"answer":"red"})"});
    const auto added = call(std::move(request));
    BOOST_REQUIRE_MESSAGE(added.value, (added.error ? added.error->detail : "no answer"));
    BOOST_REQUIRE(added.value->added == questions);
  }

  bool is_question(const msg::assignment& a) const {
    return !database->tables().units.at(a.unit).made.truth.empty();
  }

  /// Answers `right` of the quiz's questions rightly, then the others wrongly.
  void take_quiz(const core::step_id& step, const std::string& who, int right, int questions = 2) {
    for (int i = 0; i < questions; ++i) {
      const auto lease = assigned(step, who);
      BOOST_TEST(is_question(lease));
      BOOST_REQUIRE(submit(lease, who, i < right ? "red" : "blue").value);
    }
  }

  /// Does work of the step until `units` ordinary units are judged; test questions rightly.
  void work_through(const core::step_id& step, const std::string& who, int units,
                    const std::string& text) {
    while (units > 0) {
      const auto lease = assigned(step, who);
      const bool tests = is_question(lease);
      BOOST_REQUIRE(submit(lease, who, tests ? "red" : text).value);
      units -= tests ? 0 : 1;
    }
  }

  struct removal {
    core::unit_id question; ///< The one that they are removed for.
    std::vector<core::unit_id> judged;
  };
  /// Works in a strict step until the first wrong answer, but judges a unit before that.
  removal err(const core::step_id& step, const std::string& who) {
    removal out;
    for (;;) {
      const auto lease = assigned(step, who);
      const bool tests = is_question(lease);
      const bool wrong = tests && !out.judged.empty();
      BOOST_REQUIRE(submit(lease, who, tests && !wrong ? "red" : "blue").value);
      if (!tests)
        out.judged.push_back(lease.unit);
      out.question = lease.unit;
      if (wrong)
        return out;
    }
  }

  msg::question_forgiven forgive(const core::step_id& step, const core::unit_id& unit,
                                 bool count_again = false) {
    const auto told = call(msg::forgive_question{step, unit, count_again});
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    return *told.value;
  }

  std::string standings(const core::step_id& step) {
    std::string text;
    const auto page = call(msg::list_contributors{step, "", 100});
    BOOST_REQUIRE(page.value);
    for (const auto& one : page.value->contributors)
      text += one.contributor + " " + std::string{to_string(one.standing)} + " "
              + std::to_string(one.right) + "/" + std::to_string(one.tests) + "\n";
    return text;
  }

  /// Of a message on the wire.
  template <class Message>
  std::size_t bytes_of(Message message) const {
    std::vector<char> buffer;
    caf::binary_serializer sink{*system, buffer};
    BOOST_REQUIRE(!sink(message));
    return buffer.size();
  }

  const persistence::memory::judgment_row& judgment_of(const core::unit_id& unit,
                                                       const std::string& who) const {
    return database->tables().judgments.at({unit, who});
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(quality_control, questioning_node)

// --- test questions ---

// A10, A14, A15, A16, A38, A57, A60, A61, A87, I-11
BOOST_AUTO_TEST_CASE(answers_to_test_questions_are_judged_at_once_and_count_for_nothing_else) {
  const auto step = create(tested);
  feed(step, 3);
  ask_about(step, 6);
  take_quiz(step, "ana", 1);
  const auto told = events(core::event_type::test_judgment);
  BOOST_REQUIRE(told.size() == 2U);
  BOOST_TEST(told[0].details == R"({"contributor_id":"ana","was_correct":true,"trust":0.666667})");
  BOOST_TEST(told[1].details == R"({"contributor_id":"ana","was_correct":false,"trust":0.714286})");
  const auto& row = judgment_of(told[1].unit, "ana");
  BOOST_TEST((row.made.test_correct == false));
  BOOST_TEST(row.made.trust_snapshot == 5.0 / 7.0);
  BOOST_TEST((row.made.trust_questions == 1U));
  BOOST_TEST(standings(step) == "ana Working 1/2\n");

  const auto counted = statistics(step);
  BOOST_TEST(counted.step.total_units == 3U);
  BOOST_TEST(counted.judgable == 3U);
  BOOST_TEST(counted.judgments == 0U);
  BOOST_TEST(results(step).size() == 3U);
}

// G-1: nothing but work that counts completes a step
BOOST_AUTO_TEST_CASE(a_step_completes_without_its_test_questions) {
  const auto step = create(tested);
  feed(step, 4);
  ask_about(step, 10);
  seal(step);
  for (const auto* who : {"ana", "bob"}) {
    take_quiz(step, who, 2);
    work_through(step, who, 4, "blue");
  }
  advance(1s);
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  // Nobody is tested for work that there is not.
  BOOST_TEST(assign(step, "eve").code() == core::errc::no_unit_available);
  BOOST_TEST(broken_invariants(*database).empty());
}

// A28, A129, G-9: who fails the quiz is out before any of their work counts
BOOST_AUTO_TEST_CASE(contributor_who_fails_the_quiz_gets_nothing_more) {
  const auto step = create(tested);
  feed(step, 3);
  ask_about(step, 6);
  take_quiz(step, "eve", 0);
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
  const auto flagged = events(core::event_type::contributor_flagged);
  BOOST_REQUIRE(flagged.size() == 1U);
  BOOST_TEST(flagged[0].details.find(R"("contributor_id":"eve","standing":"Removed",)"
                                     R"("reason":"QuizFailed")")
             != std::string::npos);
  restart();
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
  BOOST_TEST(standings(step) == "eve Removed 0/2\n");
  BOOST_TEST(assign(step, "ana").value.has_value());
}

// A28, I-11: nothing but the quiz until it is over, and no more of it, although the step starts
// anew
BOOST_AUTO_TEST_CASE(a_quiz_that_is_under_way_goes_on_in_the_next_life) {
  const auto step = create(tested);
  feed(step, 3);
  ask_about(step, 6);
  const auto first = assigned(step, "ana");
  const auto second = assigned(step, "ana");
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  restart();
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  BOOST_REQUIRE(submit(first, "ana", "red").value);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  BOOST_REQUIRE(submit(second, "ana", "red").value);
  const auto third = assign(step, "ana");
  BOOST_REQUIRE(third.value);
  BOOST_TEST((third.value->unit != first.unit));
}

// A27, A28, G-7: what a bad contributor did makes room for others; what they hold ends
BOOST_AUTO_TEST_CASE(contributor_right_too_seldom_is_taken_out_of_open_units) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 2,
      "test_questions": {"quiz": 1, "quiz_pass": 1, "every": 2})"));
  feed(step, 30);
  ask_about(step, 20);
  take_quiz(step, "eve", 1, 1);
  std::vector<core::unit_id> judged;
  core::errc code = core::errc::none;
  while (code == core::errc::none) {
    const auto lease = assign(step, "eve");
    code = lease.code();
    if (!lease.value)
      break;
    BOOST_REQUIRE(submit(*lease.value, "eve", "blue").value);
    if (!is_question(*lease.value))
      judged.push_back(lease.value->unit);
  }
  BOOST_TEST(code == core::errc::not_qualified);
  BOOST_REQUIRE(judged.size() >= 2U);
  for (const auto& id : judged) {
    BOOST_TEST(judgment_of(id, "eve").tainted_at.has_value());
    BOOST_TEST(unit(step, id).state == core::unit_state::judgable);
  }
  for (const auto* who : {"ana", "bob"}) {
    take_quiz(step, who, 1, 1);
    work_through(step, who, 30, "red");
  }
  advance(1s);
  for (const auto& result : results(step)) {
    BOOST_TEST(result.state == core::unit_state::finalized);
    BOOST_TEST(result.confidence == 1.0);
  }
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-6: what was never counted as a unit is not counted when it ends
BOOST_AUTO_TEST_CASE(a_step_may_remove_by_a_sequential_test) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 2,
      "test_questions": {"quiz": 5, "quiz_pass": 0.1, "every": 0, "sequential": {}})"));
  feed(step, 3);
  ask_about(step, 6);
  take_quiz(step, "ana", 0, 3); // the other rule would have had enough
  BOOST_TEST(standings(step) == "ana Working 0/3\n");
  take_quiz(step, "ana", 0, 1);
  advance(1s);
  BOOST_TEST(standings(step) == "ana Removed 0/4\n");
  const auto told = events(core::event_type::contributor_flagged);
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].details.find(R"("reason":"TestQuestions")") != std::string::npos);
  restart();
  BOOST_TEST(assign(step, "ana").code() == core::errc::not_qualified);
}

BOOST_AUTO_TEST_CASE(a_canceled_test_question_neither_counts_nor_is_asked) {
  const auto step = create(tested);
  feed(step, 1);
  ask_about(step, 3);
  const auto first = assigned(step, "ana");
  BOOST_REQUIRE(is_question(first));
  BOOST_REQUIRE(change(first, core::unit_verb::cancel).value);
  advance(10s);
  BOOST_TEST(statistics(step).step.completed_units == 0U);
  BOOST_TEST(submit(first, "ana").code() == core::errc::lease_not_held);
  take_quiz(step, "ana", 2); // the other two
  take_quiz(step, "bob", 2);
  seal(step);
  work_through(step, "ana", 1, "blue");
  work_through(step, "bob", 1, "blue");
  advance(1s);
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
}

// A restart anywhere changes nothing of who is asked what. I-12
BOOST_AUTO_TEST_CASE(a_restarted_step_tests_as_it_would_have) {
  const auto step = create(tested);
  feed(step, 40);
  ask_about(step, 12);
  std::set<core::unit_id> seen;
  int questions = 0;
  for (int i = 0; i < 20; ++i) {
    if (i % 3 == 2)
      restart();
    const auto lease = assigned(step, "ana");
    BOOST_TEST(seen.insert(lease.unit).second);
    questions += is_question(lease) ? 1 : 0;
    BOOST_REQUIRE(submit(lease, "ana", "red").value);
  }
  BOOST_TEST(questions == 2 + 6);
}

// "No message to a contributor differs for test questions": neither a lease nor what is answered
// to its extension and to the judgment, by their members and by their size on the wire.
BOOST_AUTO_TEST_CASE(no_assignment_tells_a_test_question_from_other_units) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 200,
      "test_questions": {"quiz": 0, "every": 2})"));
  feed(step, 60, 100); // three digits each, so that the inputs have one form
  advance(1h);
  ask_about(step, 60, 200);
  feed(step, 60, 300);
  struct form {
    std::map<std::size_t, std::size_t> input_sizes;
    std::set<std::string> id_beginnings;
    std::set<core::duration> lives;
    std::set<std::string> pages;                        ///< `ui`
    std::set<std::pair<bool, bool>> accepted_as;        ///< `repeated`, `surplus`
    std::map<std::string, std::set<std::size_t>> bytes; ///< By message, on the wire.
    std::size_t count = 0;
  };
  std::map<bool, form> forms;
  for (int round = 0; round < 100; ++round) {
    const auto asked_at = now();
    std::vector<awaited_answer<msg::ask_assignment>> answers;
    for (int who = 0; who < 200; ++who)
      answers.push_back(send_to_node(msg::ask_assignment{
          step, "contributor-" + std::to_string(100 + who), fresh<core::assignment_id>()}));
    settle();
    for (int who = 0; who < 200; ++who) {
      BOOST_REQUIRE(answers[static_cast<std::size_t>(who)]->value);
      const auto& lease = *answers[static_cast<std::size_t>(who)]->value;
      auto& seen = forms[is_question(lease)];
      ++seen.count;
      ++seen.input_sizes[lease.input.size()];
      seen.id_beginnings.insert(to_string(lease.unit).substr(0, 13));
      // The time of the grant, give or take the contributors who get one unit at once: not how
      // often it was leased.
      const auto asked = static_cast<std::uint64_t>(core::to_micros(asked_at));
      BOOST_TEST(lease.token >= asked);
      BOOST_TEST(lease.token < asked + 200);
      seen.lives.insert(lease.expires_at - asked_at);
      seen.pages.insert(lease.ui);
      // The input is the requester's; all else has one form.
      seen.bytes["assignment"].insert(bytes_of(lease) - lease.input.size());
    }
    std::vector<awaited_answer<msg::extend_assignment>> extended;
    advance(1s);
    for (int who = 0; who < 200; ++who) {
      const auto& lease = *answers[static_cast<std::size_t>(who)]->value;
      extended.push_back(send_to_node(msg::extend_assignment{
          step, lease.unit, "contributor-" + std::to_string(100 + who), lease.token}));
    }
    settle();
    advance(1s);
    std::vector<awaited_answer<msg::submit_judgment>> judged;
    for (int who = 0; who < 200; ++who)
      judged.push_back(send_to_node(judgment(*answers[static_cast<std::size_t>(who)]->value,
                                             "contributor-" + std::to_string(100 + who))));
    settle();
    for (std::size_t who = 0; who < 200; ++who) {
      const auto& lease = *answers[who]->value;
      auto& seen = forms[is_question(lease)];
      BOOST_REQUIRE((extended[who]->value && judged[who]->value));
      seen.bytes["extended"].insert(bytes_of(*extended[who]->value));
      seen.lives.insert(extended[who]->value->expires_at - asked_at);
      seen.bytes["accepted"].insert(bytes_of(*judged[who]->value));
      seen.accepted_as.insert({judged[who]->value->repeated, judged[who]->value->surplus});
    }
    advance(1s);
  }
  const auto& question = forms[true];
  const auto& other = forms[false];
  BOOST_TEST(question.count == 10'000U);
  BOOST_TEST(other.count == 10'000U);
  BOOST_TEST((question.id_beginnings == other.id_beginnings));
  BOOST_TEST((question.lives == other.lives));
  BOOST_TEST((question.pages == other.pages));
  BOOST_TEST((question.accepted_as == other.accepted_as));
  BOOST_TEST(question.bytes.size() == 3U);
  BOOST_TEST((question.bytes == other.bytes));
  for (const auto& [message, sizes] : other.bytes)
    BOOST_TEST(sizes.size() == 1U, message);
  for (const auto& [size, count] : question.input_sizes)
    BOOST_TEST(other.input_sizes.count(size) == 1U);
}

// A110, G-5: nor does what comes after a release, after an expiry and after a restart
BOOST_AUTO_TEST_CASE(unit_or_question_given_back_or_run_out_comes_again) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 2,
      "test_questions": {"quiz": 0, "every": 2})"));
  feed(step, 200);
  ask_about(step, 80);
  std::map<bool, int> seen;
  for (int round = 0; round < 40; ++round) {
    const auto lease = assigned(step, "ana");
    const bool tests = is_question(lease);
    ++seen[tests];
    BOOST_TEST_CONTEXT((tests ? "question" : "unit") << " of round " << round) {
      BOOST_REQUIRE(release(lease, "ana").value);
      const auto again = assigned(step, "ana");
      BOOST_TEST((again.unit == lease.unit));
      BOOST_TEST(again.token > lease.token);
      advance(61s);
      // Not at once, and then before all others.
      const auto other = assigned(step, "ana");
      BOOST_TEST((other.unit != lease.unit));
      BOOST_REQUIRE(submit(other, "ana", "red").value);
      advance(30s);
      const auto third = assigned(step, "ana");
      BOOST_TEST((third.unit == lease.unit));
      if (round % 5 == 0) {
        BOOST_REQUIRE(release(third, "ana").value);
        restart();
        const auto fourth = assigned(step, "ana");
        BOOST_TEST((fourth.unit == lease.unit));
        BOOST_REQUIRE(submit(fourth, "ana", "red").value);
      } else if (round % 5 == 1) {
        BOOST_REQUIRE(release(third, "ana", true).value);
        restart();
      } else {
        BOOST_REQUIRE(submit(third, "ana", "red").value);
      }
      for (int i = 0; i < 2; ++i) {
        const auto next = assigned(step, "ana");
        BOOST_TEST((next.unit != lease.unit));
        BOOST_REQUIRE(submit(next, "ana", "red").value);
      }
    }
  }
  BOOST_TEST(seen[true] >= 10);
  BOOST_TEST(seen[false] >= 10);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A28: who would rather not be tested is tested all the same
BOOST_AUTO_TEST_CASE(nobody_gets_past_the_quiz_by_giving_it_back) {
  const auto step = create(tested);
  feed(step, 3);
  ask_about(step, 6);
  for (int i = 0; i < 20; ++i) {
    const auto lease = assigned(step, "eve");
    BOOST_TEST(is_question(lease));
    BOOST_REQUIRE(release(lease, "eve").value);
  }
  take_quiz(step, "eve", 0);
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
}

// A109: nor what is answered to a late judgment, and to what a contributor has no right to
BOOST_AUTO_TEST_CASE(no_late_answer_and_no_refusal_tells_a_test_question_from_other_units) {
  const auto step = create(R"({"name":"late","steps":[{"key":"label","judgments_per_unit":1,
      "lease":{"ttl_seconds":60,"total_max_seconds":120,"regrant_after_seconds":30,
               "late_submit":"accept_if_free"},
      "test_questions":{"quiz":0,"every":2}}]})");
  feed(step, 200);
  ask_about(step, 5);
  std::map<bool, std::set<std::string>> told;
  std::map<bool, int> late;
  for (int round = 0; round < 60; ++round) {
    const auto who = "contributor-" + std::to_string(100 + round);
    const auto lease = assigned(step, who);
    const bool tests = is_question(lease);
    const auto note = [&](const std::string& what, const auto& answered) {
      auto text = what + ": " + std::string{to_string(answered.code())};
      if (answered.value)
        text += ", " + std::to_string(bytes_of(*answered.value)) + " bytes";
      told[tests].insert(std::move(text));
    };
    const auto hand_in = [&](const std::string& what, const msg::submit_judgment& judgment) {
      const auto answered = call(judgment);
      note(what, answered);
      if (answered.value)
        told[tests].insert(what + (answered.value->surplus ? " is late" : " is in time")
                           + (answered.value->repeated ? ", repeated" : ""));
    };
    auto stale = lease;
    --stale.token;
    hand_in("stale", judgment(stale, who));
    note("stale release", release(stale, who));
    note("stale extension", extend(stale, who));
    hand_in("of somebody else", judgment(lease, "mallory"));
    note("release of somebody else", release(lease, "mallory"));
    BOOST_TEST((call(msg::ask_assignment{step, who, lease.id}).value->unit == lease.unit));
    if (round % 5 == 0) { // in time
      const auto answer = judgment(lease, who);
      hand_in("answer", answer);
      hand_in("answer again", answer);
      hand_in("another answer", judgment(lease, who));
      note("release", release(lease, who));
      note("extension", extend(lease, who));
      continue;
    }
    advance(61s);
    note("the same assignment", call(msg::ask_assignment{step, who, lease.id}));
    note("late extension", extend(lease, who));
    for (bool taken = round % 2 == 0; !taken;) { // by somebody else, if it is a unit
      const auto rival = "rival-" + std::to_string(round);
      const auto other = assigned(step, rival);
      BOOST_REQUIRE(submit(other, rival).value);
      taken = !is_question(other);
    }
    ++late[tests];
    const auto answer = judgment(lease, who);
    hand_in("late answer", answer);
    hand_in("late answer again", answer);
    hand_in("another late answer", judgment(lease, who));
    note("late release", release(lease, who));
    advance(1s); // some are finished now
    if (round % 7 == 0)
      restart();
    hand_in("late answer again", answer);
    hand_in("another late answer", judgment(lease, who));
    note("late release", release(lease, who));
    note("extension", extend(lease, who));
  }
  BOOST_TEST(told[true] == told[false], boost::test_tools::per_element());
  // Of the units some had a slot left and some had not.
  BOOST_TEST(late[true] >= 10);
  const auto kept = static_cast<int>(database->tables().surplus_judgments.size());
  BOOST_TEST(kept >= 5);
  BOOST_TEST(late[false] - kept >= 5);
  BOOST_TEST(broken_invariants(*database).empty());
}

// What is told is less than what is done.
BOOST_AUTO_TEST_CASE(late_answers_to_test_questions_are_judged_all_the_same) {
  const auto step = create(R"({"name":"late","steps":[{"key":"label","judgments_per_unit":1,
      "lease":{"ttl_seconds":60,"total_max_seconds":120,"late_submit":"accept_if_free"},
      "test_questions":{"quiz":2,"quiz_pass":0.5,"every":2}}]})");
  feed(step, 3);
  ask_about(step, 5);
  const auto lease = assigned(step, "ana");
  advance(61s);
  const auto accepted = submit(lease, "ana", "blue");
  BOOST_REQUIRE(accepted.value);
  BOOST_TEST(accepted.value->surplus); // it says that it came late
  BOOST_TEST(standings(step) == "ana Working 0/1\n");
  BOOST_TEST(database->tables().surplus_judgments.empty());
}

BOOST_AUTO_TEST_CASE(bad_test_questions_are_told_one_by_one) {
  const auto step = create(tested);
  msg::add_test_questions request{step, {}};
  request.rows.push_back({"a", "{}", R"({"answer":"red"})"});
  request.rows.push_back({"b", "{}", ""});
  request.rows.push_back({"c", "{}", R"({"match":"magic","answer":1})"});
  request.rows.push_back({"a", "{}", R"({"answer":"red"})"});
  request.rows.push_back({"d", "{", R"({"answer":"red"})"});
  const auto added = call(request);
  BOOST_REQUIRE(added.value);
  BOOST_TEST(added.value->added == 1U);
  BOOST_REQUIRE(added.value->problems.size() == 4U);
  BOOST_TEST(added.value->problems[1].detail.find("in truth") != std::string::npos);
  BOOST_TEST(call(request).value->already_there == 1U);
  BOOST_TEST(call(msg::add_test_questions{create(), request.rows}).code()
             == core::errc::wrong_state);
}

// finding C7: two programs that write the same data differently
BOOST_AUTO_TEST_CASE(a_test_question_has_the_input_that_a_unit_of_the_same_data_has) {
  const auto step = create(color_step_with(R"("test_questions": {"quiz": 0, "every": 2})"));
  const std::string data = "{\"photo\":\"\\u00e9.jpg\",\"size\":1.50,\"box\":[1e2, 7]} \r";
  BOOST_REQUIRE(call(msg::add_source_data{step, {{"unit", data, 0}}}).value->added == 1U);
  const std::string same =
      "{ \"box\": [100,7.0],\t\"photo\": \"\xc3\xa9\\u002ejpg\",\n\"size\": 15e-1 }";
  msg::add_test_questions asked{step, {{"question", same, R"({"answer":"red"})"}}};
  BOOST_REQUIRE(call(asked).value->added == 1U);
  const auto first = assigned(step, "ana");
  BOOST_REQUIRE(submit(first, "ana", "red").value);
  const auto second = assigned(step, "ana");
  BOOST_TEST(is_question(first) != is_question(second));
  BOOST_TEST(first.input == second.input);
  BOOST_TEST(first.input == "{\"box\":[100,7],\"photo\":\"\xc3\xa9.jpg\",\"size\":1.5}");
}

// finding C7: the units of later steps are written by the node
BOOST_AUTO_TEST_CASE(a_test_question_of_a_later_step_has_the_input_of_what_comes_to_it) {
  const auto steps = create_steps(R"({"name": "two", "steps": [
      {"key": "ask", "judgments_per_unit": 1, "routes": [
          {"to": ["check"], "input": {"z": "/data/z", "a": "/result"}}]},
      {"key": "check", "judgments_per_unit": 2, "test_questions": {"quiz": 0, "every": 2}}]})");
  // Two alike: a question comes in place of a unit that there is.
  const std::string row = R"({"z": 1, "a": 2.0})";
  BOOST_REQUIRE(
      call(msg::add_source_data{steps[0], {{"unit", row, 0}, {"another unit", row, 0}}}).value);
  work(steps[0], "ben");
  work(steps[0], "ben");
  const auto came = assigned(steps[1], "ana");
  auto spelled = came.input;
  for (std::size_t at = 0; (at = spelled.find(':', at)) != std::string::npos; at += 3)
    spelled.replace(at, 1, " : ");
  msg::add_test_questions asked{steps[1], {{"question", spelled, R"({"answer":"red"})"}}};
  BOOST_REQUIRE(call(asked).value->added == 1U);
  const auto first = assigned(steps[1], "eve");
  BOOST_REQUIRE(submit(first, "eve", "red").value);
  const auto second = assigned(steps[1], "eve");
  BOOST_TEST(is_question(first) != is_question(second));
  BOOST_TEST(first.input == came.input);
  BOOST_TEST(second.input == came.input);
  BOOST_TEST(came.input.find(R"({"data":{"a":{)") == 0U);
}

// A15: a slip of the pen would remove everybody
BOOST_AUTO_TEST_CASE(a_test_question_that_nobody_can_be_right_about_is_refused) {
  const auto step = create(color_step_with(R"("test_questions": {},
      "aggregation": {"method": "majority", "labels": ["red", "blue", 7]})"));
  msg::add_test_questions request{step, {}};
  request.rows.push_back({"a", "{}", R"({"answer":"rad"})"});
  request.rows.push_back({"b", "{}", R"({"answer":7})"});
  request.rows.push_back({"c", "{}", R"({"match":"pattern","pattern":"^(red|blue)$"})"});
  const auto added = call(request);
  BOOST_REQUIRE(added.value);
  BOOST_TEST(added.value->added == 2U);
  BOOST_REQUIRE(added.value->problems.size() == 1U);
  BOOST_TEST(added.value->problems[0].row == 0U);
  BOOST_TEST(added.value->problems[0].detail.find("aggregation.labels") != std::string::npos);
  // Where any answer will do, any truth does.
  request.step = create(tested);
  BOOST_TEST(call(request).value->added == 3U);
}

// finding C3: what counts as a label is judged as that label, in all mixtures of 1 and "1".
BOOST_AUTO_TEST_CASE(an_answer_is_right_if_it_counts_as_the_label_of_the_truth) {
  int row = 0;
  for (const auto* labels : {R"(["1","2"])", "[1,2]", R"(["1.0","2"])"})
    for (const auto* truth : {"1", R"("1")", "1.0", R"("1.0")"})
      for (const auto* answer : {"1", R"("1")", "1.0", R"("1.0")", "2"}) {
        const auto step = create(color_step_with(
            R"("judgments_per_unit": 1, "test_questions": {"quiz": 1, "quiz_pass": 1, "every": 0},
               "aggregation": {"method": "majority", "labels": )"
            + std::string{labels} + '}'));
        msg::add_test_questions questions{step, {}};
        questions.rows.push_back({"q", "{}", R"({"answer":)" + std::string{truth} + '}'});
        const auto added = call(questions);
        BOOST_REQUIRE(added.value);
        if (added.value->added == 0) // no label
          continue;
        feed(step, 1);
        const auto who = "ana" + std::to_string(++row);
        auto judged = judgment(assigned(step, who), who);
        judged.payload = R"({"answer":)" + std::string{answer} + '}';
        if (!call(judged).value) // no label
          continue;
        BOOST_TEST(standings(step)
                       == who + (std::string{answer} == "2" ? " Removed 0/1\n" : " Working 1/1\n"),
                   labels << ' ' << truth << ' ' << answer);
      }
  BOOST_TEST(row > 20);
}

// finding C4
BOOST_AUTO_TEST_CASE(a_test_question_whose_box_has_no_area_is_refused) {
  msg::add_test_questions request{create(tested), {}};
  request.rows.push_back({"zero", "{}", R"({"match":"box","answer":[5,5,5,5]})"});
  request.rows.push_back({"good", "{}", R"({"match":"box","answer":[5,5,9,9]})"});
  request.rows.push_back({"never", "{}", R"({"match":"pattern","pattern":"a^b"})"});
  const auto added = call(request);
  BOOST_REQUIRE(added.value);
  BOOST_TEST(added.value->added == 1U);
  BOOST_REQUIRE(added.value->problems.size() == 2U);
  BOOST_TEST(added.value->problems[0].detail.find("without area") != std::string::npos);
  BOOST_TEST(added.value->problems[1].detail.find("matches no text") != std::string::npos);
}

// finding Q1
BOOST_AUTO_TEST_CASE(identifiers_of_22_digits_are_answers_of_their_own) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 3)"));
  feed(step, 1);
  for (const auto* end : {"90", "91", "91"}) {
    const auto who = "ana" + std::to_string(database->tables().judgments.size());
    auto judged = judgment(assigned(step, who), who);
    judged.payload = R"({"answer":94001102008812345678)" + std::string{end} + '}';
    BOOST_REQUIRE(call(judged).value);
  }
  advance(1s);
  const auto found = results(step).at(0);
  BOOST_TEST(found.result.find(R"("answer":"9400110200881234567891")") != std::string::npos);
  BOOST_TEST(found.confidence == 2.0 / 3, boost::test_tools::tolerance(1e-6));
}

// finding C9
BOOST_AUTO_TEST_CASE(judgments_weigh_as_much_as_profiles_say_where_nobody_is_tested) {
  for (const auto& [who, trust] :
       {std::pair{"ana", 0.1}, std::pair{"bob", 0.1}, std::pair{"eve", 0.99}}) {
    msg::put_profile profile;
    profile.contributor = who;
    profile.trust = trust;
    BOOST_REQUIRE(call(profile).value);
  }
  const auto steps = create_steps(R"({"name": "trusted", "steps": [
      {"key": "label", "judgments_per_unit": 3,
       "aggregation": {"method": "weighted", "labels": ["red", "blue"]},
       "routes": [{"when": {"trust_below": 0.2}, "to": ["check"]}, {"to": []}]},
      {"key": "check"}]})");
  feed(steps[0], 1);
  work(steps[0], "ana", "blue");
  work(steps[0], "bob", "blue");
  const auto last = assigned(steps[0], "eve");
  BOOST_REQUIRE(submit(last, "eve", "red").value);
  advance(1s);
  BOOST_TEST(judgment_of(last.unit, "ana").made.trust_snapshot == 0.1);
  BOOST_TEST(judgment_of(last.unit, "eve").made.trust_snapshot == 0.99);
  BOOST_TEST(!judgment_of(last.unit, "eve").made.trust_questions.has_value());
  const auto result = results(steps[0]).at(0);
  BOOST_TEST(result.result.find(R"("answer":"red")") != std::string::npos);
  BOOST_TEST(result.confidence == 0.99 / 1.19, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(results(steps[1]).size() == 1U); // the route for trust below 0.2 has taken it
}

// finding C9
BOOST_AUTO_TEST_CASE(test_questions_of_another_step_say_how_far_to_trust_before_the_profile) {
  msg::put_profile profile;
  profile.contributor = "ana";
  profile.trust = 0.1;
  BOOST_REQUIRE(call(profile).value);
  const auto quiz = create(color_step_with(R"("test_questions": {"quiz": 2, "quiz_pass": 0.5})"));
  ask_about(quiz, 2);
  feed(quiz, 1);
  take_quiz(quiz, "ana", 2);
  const auto step = create(color_step_with(R"("judgments_per_unit": 2,
      "aggregation": {"method": "weighted", "labels": ["red", "blue"]})"));
  feed(step, 1);
  work(step, "ana", "red");
  const auto lease = assigned(step, "bob");
  BOOST_REQUIRE(submit(lease, "bob", "blue").value);
  advance(1s);
  BOOST_TEST(judgment_of(lease.unit, "ana").made.trust_snapshot == 6.0 / 8); // two of two
  BOOST_TEST(judgment_of(lease.unit, "bob").made.trust_snapshot == 4.0 / 6); // as anybody
}

/// Two of two test questions of `quiz` are answered rightly, and none of `other`.
const std::string trusting_workflow = R"({"name": "two", "steps": [
    {"key": "quiz", "judgments_per_unit": 2, "next": ["label"],
     "test_questions": {"quiz": 2, "quiz_pass": 0.5}},
    {"key": "label", "judgments_per_unit": 1, TRUST
     "aggregation": {"method": "weighted", "labels": ["red", "blue"]}}]})";

BOOST_AUTO_TEST_CASE(a_step_says_by_what_it_trusts_people) {
  msg::put_profile profile;
  profile.contributor = "ana";
  profile.trust = 0.1;
  BOOST_REQUIRE(call(profile).value);
  // One of two in another workflow.
  const auto elsewhere =
      create(color_step_with(R"("test_questions": {"quiz": 2, "quiz_pass": 0.5})"));
  ask_about(elsewhere, 2);
  feed(elsewhere, 1);
  take_quiz(elsewhere, "ana", 1);
  const auto trusted_by = [&](const std::string& sources) {
    auto text = trusting_workflow;
    text.replace(text.find("TRUST"), 5, sources.empty() ? "" : R"("trust_from": )" + sources + ",");
    const auto steps = create_steps(text);
    ask_about(steps[0], 2);
    feed(steps[0], 1);
    take_quiz(steps[0], "ana", 2);
    work(steps[0], "ana");
    take_quiz(steps[0], "bob", 2);
    work(steps[0], "bob");
    advance(1s); // the unit goes on to the second step
    const auto lease = assigned(steps[1], "ana");
    BOOST_REQUIRE(submit(lease, "ana").value);
    return judgment_of(lease.unit, "ana").made.trust_snapshot;
  };
  BOOST_TEST(trusted_by(R"(["step", "profile"])") == 0.1);
  BOOST_TEST(trusted_by(R"(["step", "workflow", "profile"])") == 6.0 / 8);
  BOOST_TEST(trusted_by("") == 6.0 / 8);
  BOOST_TEST(trusted_by("[]") == 4.0 / 6);
  // By then ana has answered ten questions, nine of them rightly.
  BOOST_TEST(trusted_by(R"(["everywhere"])") == 15.0 / 18);
}

// --- removal by the requester ---

// A27, A28
BOOST_AUTO_TEST_CASE(a_requester_takes_a_contributor_off_a_step) {
  const auto step = create();
  feed(step, 3);
  work(step, "ana");
  work(step, "bob"); // finishes the first unit
  advance(1s);
  work(step, "bob");
  const auto held = assigned(step, "bob");
  const auto first = results(step).front();
  BOOST_TEST(first.state == core::unit_state::finalized);

  const msg::remove_contributor request{step, "bob"};
  BOOST_REQUIRE(call(request).value);
  BOOST_REQUIRE(call(request).value);
  BOOST_TEST(events(core::event_type::contributor_flagged).size() == 1U);
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
  BOOST_TEST(submit(held, "bob").code() == core::errc::lease_not_held);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(standings(step) == "ana Working 0/0\nbob Removed 0/0\n");
  // What is finished stays; what is open has room again.
  BOOST_TEST(results(step).front().result == first.result);
  work(step, "ana");
  work(step, "eve");
  advance(1s);
  BOOST_TEST(results(step)[1].state == core::unit_state::finalized);
  restart();
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
  BOOST_TEST(broken_invariants(*database).empty());
}

// A28, I-11, I-12: whatever happens to the step between the answer and what follows from it
BOOST_AUTO_TEST_CASE(contributor_who_failed_the_quiz_is_removed_after_a_crash_of_the_step) {
  const auto step = create(tested);
  feed(step, 3);
  ask_about(step, 6);
  bool refused = false;
  database->set_refusals([&refused](const core::change& c) {
    const bool removes = std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
      return std::holds_alternative<core::put_standing>(write);
    });
    return removes && !std::exchange(refused, true);
  });
  take_quiz(step, "eve", 0);
  BOOST_TEST(refused);
  advance(1s);
  BOOST_TEST(standings(step) == "eve Removed 0/2\n");
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
  BOOST_TEST(events(core::event_type::contributor_flagged).size() == 1U);
}

// A27: whatever happens to the unit before it is durable
BOOST_AUTO_TEST_CASE(judgments_of_a_removed_contributor_leave_also_a_crashed_unit) {
  for (const int refused : {1, 2, 3}) {
    const auto step = create();
    feed(step, 1);
    const auto lease = assigned(step, "bob");
    BOOST_REQUIRE(submit(lease, "bob").value);
    auto left = refused;
    database->set_refusals([&left](const core::change& c) {
      const bool taints = std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
        return std::holds_alternative<core::taint_judgment>(write);
      });
      return taints && left-- > 0;
    });
    BOOST_REQUIRE(call(msg::remove_contributor{step, "bob"}).value);
    advance(1s);
    BOOST_TEST(left < refused);
    database->set_refusals({});
    // After the third crash it is taken for a poison pill, and waits for somebody to resume it.
    if (unit(step, lease.unit).state == core::unit_state::paused)
      BOOST_REQUIRE(change(lease, core::unit_verb::resume).value);
    advance(1s);
    work(step, "ana");
    BOOST_TEST(unit(step, lease.unit).state == core::unit_state::judgable);
    work(step, "eve");
    advance(1s);
    BOOST_TEST(results(step).front().result.find(R"("votes":{"red":2})") != std::string::npos);
  }
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(contributors_are_listed_page_by_page) {
  const auto step = create();
  for (const auto* who : {"dan", "ana", "eve"})
    BOOST_REQUIRE(call(msg::remove_contributor{step, who}).value);
  const auto first = call(msg::list_contributors{step, "", 2}).value;
  BOOST_REQUIRE(first->contributors.size() == 2U);
  BOOST_TEST(first->contributors[1].contributor == "dan");
  BOOST_TEST(first->more);
  const auto second = call(msg::list_contributors{step, "dan", 2}).value;
  BOOST_REQUIRE(second->contributors.size() == 1U);
  BOOST_TEST(!second->more);
  BOOST_TEST(call(msg::list_contributors{step, "", 0}).code() == core::errc::invalid_argument);
  BOOST_TEST(call(msg::remove_contributor{step, ""}).code() == core::errc::invalid_argument);
}

// finding C13
BOOST_AUTO_TEST_CASE(all_who_have_worked_are_listed_with_or_without_test_questions) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 2)"));
  feed(step, 3);
  for (int i = 0; i < 3; ++i)
    work(step, "ana");
  work(step, "bob");
  const auto held = assigned(step, "bob");
  BOOST_REQUIRE(release(assigned(step, "eve"), "eve").value);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "ana"}).value);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "nobody"}).value);
  const auto listed = [&](const std::string& after, std::uint32_t limit) {
    const auto page = call(msg::list_contributors{step, after, limit}).value;
    BOOST_REQUIRE(page);
    std::string text;
    for (const auto& one : page->contributors)
      text += one.contributor + " " + std::string{to_string(one.standing)} + " "
              + std::to_string(one.assignments) + "\n";
    return text + (page->more ? "more" : "");
  };
  const std::string all = "ana Removed 3\nbob Working 2\neve Working 1\nnobody Removed 0\n";
  BOOST_TEST(listed("", 100) == all);
  BOOST_TEST(listed("", 2) == "ana Removed 3\nbob Working 2\nmore");
  BOOST_TEST(listed("bob", 2) == "eve Working 1\nnobody Removed 0\n");
  restart();
  BOOST_TEST(listed("", 100) == all);
}

// --- forgiving ---

// A129, G-9: a judgment is answered before its contributor can ask what it was worth
BOOST_AUTO_TEST_CASE(contributors_learn_whether_they_were_right_where_the_step_says_so) {
  for (const bool given : {true, false}) {
    const auto step = create(color_step_with(
        R"("judgments_per_unit": 2, "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 0)"
        + std::string{given ? R"(, "feedback": true})" : "}"}));
    feed(step, 3);
    ask_about(step, 3);
    const auto told = [&](const core::unit_id& unit, const std::string& who) -> std::string {
      const auto answer = call(msg::get_feedback{step, unit, who});
      if (!answer.value)
        return answer.error ? std::string{to_string(answer.error->code)} : "no answer";
      BOOST_TEST((answer.value->unit == unit));
      return std::string{answer.value->test_question ? "question" : "nothing"}
             + (answer.value->right ? " right" : "") + (answer.value->counts ? " counts" : "");
    };
    std::vector<core::unit_id> judged;
    for (const auto* answer : {"red", "blue", "blue"}) {
      const auto lease = assigned(step, "ana");
      BOOST_TEST(told(lease.unit, "ana") == (given ? "nothing" : "wrong_state"));
      BOOST_REQUIRE(submit(lease, "ana", answer).value);
      judged.push_back(lease.unit);
      BOOST_TEST(is_question(lease) == (judged.size() <= 2));
    }
    const std::vector<std::string> expected =
        given ? std::vector<std::string>{"question right counts", "question counts", "nothing"}
              : std::vector<std::string>(3, "wrong_state");
    for (int life = 0; life < 2; ++life) {
      for (std::size_t i = 0; i < judged.size(); ++i) {
        BOOST_TEST(told(judged[i], "ana") == expected[i]);
        BOOST_TEST(told(judged[i], "bob") == (given ? "nothing" : "wrong_state"));
      }
      restart();
    }
  }
}

// A27, A28, G-1: who was removed for one question is back, and so is what they said
BOOST_AUTO_TEST_CASE(forgiving_a_question_brings_back_people_and_what_they_said) {
  const auto step = create(color_step_with("\"judgments_per_unit\": 2, " + strict));
  feed(step, 4);
  ask_about(step, 6);
  const auto out = err(step, "eve");
  advance(1s);
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
  for (const auto& id : out.judged)
    BOOST_TEST(judgment_of(id, "eve").tainted_at.has_value());
  work_through(step, "ana", 4, "red");
  advance(1s);
  BOOST_TEST(unit(step, out.judged[0]).state == core::unit_state::judgable);

  const auto told = forgive(step, out.question);
  BOOST_TEST(told.forgiven);
  BOOST_TEST(told.reinstated == std::vector<core::contributor_id>{"eve"},
             boost::test_tools::per_element());
  BOOST_TEST(told.removed.empty());
  // Their judgment was the last that the unit waited for: nobody else need come.
  advance(1s);
  BOOST_TEST(events(core::event_type::judgment_reinstated).size() == out.judged.size());
  for (const auto& id : out.judged) {
    BOOST_TEST(!judgment_of(id, "eve").tainted_at);
    BOOST_TEST(unit(step, id).state == core::unit_state::finalized);
  }
  const auto flagged = events(core::event_type::contributor_flagged);
  BOOST_TEST(flagged.back().details.find(R"("standing":"Working","reason":"QuestionForgiven")")
             != std::string::npos);
  for (const bool later : {false, true}) {
    if (later)
      restart();
    const auto all = standings(step);
    BOOST_TEST(all.find("eve Working") != std::string::npos, all);
    BOOST_TEST(assign(step, "eve").code() != core::errc::not_qualified);
  }
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(test_questions_are_listed_with_how_often_they_were_answered_rightly) {
  const auto step = create(color_step_with("\"judgments_per_unit\": 2, " + strict));
  feed(step, 4);
  ask_about(step, 6);
  const auto out = err(step, "eve");
  forgive(step, out.question);
  std::vector<msg::test_question_summary> seen;
  for (bool more = true; more && seen.size() < 7;) {
    const auto after = seen.empty() ? 0 : seen.back().ordinal;
    const auto page = call(msg::list_test_questions{step, after, 4}).value.value();
    seen.insert(seen.end(), page.questions.begin(), page.questions.end());
    more = page.more;
  }
  BOOST_REQUIRE(seen.size() == 6U);
  std::uint64_t answered = 0;
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    BOOST_TEST(seen[i].key == "test-" + std::to_string(i));
    BOOST_TEST(seen[i].input == R"({"n":)" + std::to_string(i) + "}");
    BOOST_TEST(seen[i].truth == R"({"answer":"red"})");
    BOOST_TEST(seen[i].forgiven == (seen[i].unit == out.question));
    BOOST_TEST((seen[i].unit != out.question || (seen[i].answered == 1U && seen[i].right == 0U)));
    answered += seen[i].answered;
    right += seen[i].right;
  }
  BOOST_TEST(answered == right + 1U); // all but the one that they were removed for
}

// A22, I-5: what counts again came before once, not twice
BOOST_AUTO_TEST_CASE(reinstated_contributor_has_judged_no_more_than_before) {
  const auto step = create(color_step_with(
      R"("judgments_per_unit": 2, "routes": [{"when": {"judged_fewer": 9}, "to": []}], )"
      + strict));
  feed(step, 9);
  ask_about(step, 8);
  const auto out = err(step, "eve");
  advance(1s);
  BOOST_TEST(forgive(step, out.question).reinstated.size() == 1U);
  advance(1s);
  BOOST_TEST(events(core::event_type::judgment_reinstated).size() == out.judged.size());
  work_through(step, "eve", 1, "red");
  std::set<std::uint32_t> before;
  for (const auto& [key, judged] : database->tables().judgments)
    if (!judged.made.test_correct)
      before.insert(judged.made.judged_before.value());
  BOOST_TEST(before.size() == out.judged.size() + 1);
  BOOST_TEST(*before.rbegin() == out.judged.size());
}

// I-1: nobody loses their place to somebody who comes back
BOOST_AUTO_TEST_CASE(slots_filled_by_others_in_between_stay_as_they_are) {
  const auto step = create(color_step_with("\"judgments_per_unit\": 2, " + strict));
  feed(step, 4);
  ask_about(step, 8);
  const auto out = err(step, "eve");
  advance(1s);
  for (const auto* who : {"ana", "bob"})
    work_through(step, who, 4, "red");
  advance(1s);
  const auto before = results(step);
  BOOST_TEST(forgive(step, out.question).reinstated.size() == 1U);
  advance(1s);
  BOOST_TEST(judgment_of(out.judged[0], "eve").tainted_at.has_value());
  BOOST_TEST(events(core::event_type::judgment_reinstated).empty());
  for (std::size_t i = 0; i < before.size(); ++i)
    BOOST_TEST(results(step)[i].result == before[i].result);
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-12: whatever happens to unit and step between the two commits
BOOST_AUTO_TEST_CASE(judgments_that_count_again_do_so_also_after_crashes) {
  for (const int refused : {1, 2, 3}) {
    const auto step = create(color_step_with("\"judgments_per_unit\": 2, " + strict));
    feed(step, 2);
    ask_about(step, 6);
    const auto out = err(step, "eve");
    advance(1s);
    auto left = refused;
    database->set_refusals([&left, &out](const core::change& c) {
      const bool restores =
          std::any_of(c.writes.begin(), c.writes.end(), [&](const core::write_op& write) {
            const auto* restored = std::get_if<core::restore_judgment>(&write);
            return restored != nullptr && restored->unit == out.judged[0];
          });
      return restores && left-- > 0;
    });
    BOOST_TEST(forgive(step, out.question).reinstated.size() == 1U);
    advance(1s);
    BOOST_TEST(left < refused);
    database->set_refusals({});
    // After the third crash it is taken for a poison pill; the next life of the step tries again.
    if (refused == 3) {
      BOOST_TEST(judgment_of(out.judged[0], "eve").tainted_at.has_value());
      restart();
      BOOST_TEST(standings(step).find("eve Working") != std::string::npos);
      advance(1s);
    }
    BOOST_TEST(!judgment_of(out.judged[0], "eve").tainted_at);
  }
  BOOST_TEST(broken_invariants(*database).empty());
}

// A27, A32: an open unit has exactly the result that there would have been
BOOST_AUTO_TEST_CASE(forgiving_gives_judgments_the_trust_that_they_would_have_had) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 3,
      "aggregation": {"method": "weighted", "answer": "/answer"},
      "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 0})"));
  feed(step, 1);
  ask_about(step, 8);
  take_quiz(step, "ana", 2);
  advance(1s);
  work_through(step, "ana", 1, "blue");
  take_quiz(step, "bob", 1);
  advance(1s);
  core::unit_id wrong;
  for (const auto& [key, row] : database->tables().judgments)
    if (row.made.test_correct == false)
      wrong = row.made.unit;
  work_through(step, "bob", 1, "red");
  const auto contested = results(step).front().unit;
  const auto trust = [&](const char* who) {
    return judgment_of(contested, who).made.trust_snapshot;
  };
  // By the answers that count: ana may have been asked the same question.
  const auto earned = [&](const char* who) {
    double asked = 0;
    double right = 0;
    for (const auto& [key, row] : database->tables().judgments) {
      const auto& unit = database->tables().units.at(row.made.unit);
      if (row.made.owner != who || !row.made.test_correct || unit.forgiven_at)
        continue;
      ++asked;
      right += *row.made.test_correct ? 1 : 0;
    }
    return (4 + right) / (6 + asked);
  };
  const auto questions = [&](const char* who) {
    return judgment_of(contested, who).made.trust_questions.value();
  };
  BOOST_TEST(trust("bob") == 5.0 / 8);
  BOOST_TEST(questions("bob") == 2U);
  for (const bool count_again : {false, true, false}) {
    forgive(step, wrong, count_again);
    advance(1s);
    BOOST_TEST(trust("bob") == (count_again ? 5.0 / 8 : 5.0 / 7));
    BOOST_TEST(questions("bob") == (count_again ? 2U : 1U));
    BOOST_TEST(trust("ana") == earned("ana"));
  }
  restart();
  BOOST_TEST(trust("bob") == 5.0 / 7);
  take_quiz(step, "joe", 2);
  advance(1s);
  work_through(step, "joe", 1, "blue");
  advance(1s);
  const auto result = results(step).front();
  BOOST_TEST(result.state == core::unit_state::finalized);
  const auto blue = earned("ana") + earned("joe");
  BOOST_TEST(result.confidence == blue / (blue + 5.0 / 7), boost::test_tools::tolerance(1e-12));
  // What is finished stays as it is.
  forgive(step, wrong, true);
  advance(1s);
  BOOST_TEST(trust("bob") == 5.0 / 7);
  BOOST_TEST(results(step).front().confidence == result.confidence);
  // A10: whoever looks at it sees on what it rests, and how low the accuracy may be.
  const auto told = call(msg::get_lineage{contested, {}, 10}).value.value();
  for (const auto& judged : told.units.at(0).judgments)
    if (judged.contributor == "bob") {
      BOOST_TEST(judged.trust_questions == 1U);
      BOOST_TEST(judged.trust_low == low(core::quality::trust_after({}, {1, 1})));
    }
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-12: whatever happens to unit and step between the two commits
BOOST_AUTO_TEST_CASE(trust_becomes_what_it_would_have_been_also_after_crashes) {
  for (const int refused : {1, 2, 3}) {
    const auto step = create(color_step_with(R"("judgments_per_unit": 2,
        "test_questions": {"quiz": 2, "quiz_pass": 0.5, "every": 0})"));
    feed(step, 1);
    ask_about(step, 4);
    take_quiz(step, "bob", 1);
    core::unit_id wrong;
    for (const auto& [key, row] : database->tables().judgments)
      if (row.made.test_correct == false
          && database->tables().units.at(row.made.unit).made.step == step)
        wrong = row.made.unit;
    advance(1s);
    work_through(step, "bob", 1, "red");
    const auto judged = results(step).front().unit;
    const auto trust = [&] { return judgment_of(judged, "bob").made.trust_snapshot; };
    auto left = refused;
    database->set_refusals([&left](const core::change& c) {
      const bool trusts =
          std::any_of(c.writes.begin(), c.writes.end(), [](const core::write_op& write) {
            return std::holds_alternative<core::set_judgment_trust>(write);
          });
      return trusts && left-- > 0;
    });
    forgive(step, wrong);
    advance(1s);
    BOOST_TEST(left < refused);
    database->set_refusals({});
    // After the third crash it is taken for a poison pill; the next life of the step tries again.
    if (refused == 3) {
      BOOST_TEST(trust() == 5.0 / 8);
      restart();
      BOOST_TEST(standings(step).find("bob Working") != std::string::npos);
      advance(1s);
    }
    BOOST_TEST(trust() == 5.0 / 7);
  }
  BOOST_TEST(broken_invariants(*database).empty());
}

// G-1
BOOST_AUTO_TEST_CASE(a_forgiven_question_is_not_asked_until_it_counts_again) {
  const auto step = create(tested);
  feed(step, 3);
  ask_about(step, 2);
  const auto held = assigned(step, "ana");
  BOOST_REQUIRE(is_question(held));
  const auto told = forgive(step, held.unit);
  BOOST_TEST(told.reinstated.empty());
  // Whoever has it sees nothing of that, and nothing comes of what they say.
  const auto taken = submit(held, "ana", "blue");
  BOOST_REQUIRE(taken.value);
  BOOST_TEST(!taken.value->repeated);
  BOOST_TEST(standings(step) == "ana Working 0/0\n");
  for (const bool later : {false, true}) {
    if (later)
      restart();
    const std::string who = later ? "eve" : "bob";
    const auto other = assigned(step, who);
    BOOST_TEST((is_question(other) && other.unit != held.unit));
    BOOST_REQUIRE(submit(other, who, "red").value);
    BOOST_TEST(assign(step, who).code() == core::errc::no_unit_available);
  }
  forgive(step, held.unit, true);
  BOOST_TEST(standings(step).find("ana Working 0/1") != std::string::npos);
  BOOST_TEST((assigned(step, "bob").unit == held.unit));
}

// A27, A28
BOOST_AUTO_TEST_CASE(a_question_that_counts_again_removes_again) {
  const auto step = create(color_step_with("\"judgments_per_unit\": 2, " + strict));
  feed(step, 2);
  ask_about(step, 6);
  const auto out = err(step, "eve");
  advance(1s);
  forgive(step, out.question);
  const auto written = [&] { return events(core::event_type::contributor_flagged).size(); };
  BOOST_TEST(written() == 2U);
  BOOST_TEST(forgive(step, out.question).reinstated.empty());
  BOOST_TEST(written() == 2U);
  const auto again = forgive(step, out.question, true);
  BOOST_TEST(!again.forgiven);
  BOOST_TEST(again.removed == std::vector<core::contributor_id>{"eve"},
             boost::test_tools::per_element());
  advance(1s);
  BOOST_TEST(judgment_of(out.judged[0], "eve").tainted_at.has_value());
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
  BOOST_TEST(forgive(step, out.question, true).removed.empty());
  BOOST_TEST(written() == 3U);
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(only_a_test_question_of_the_step_is_forgiven) {
  const auto step = create(tested);
  feed(step, 1);
  const auto ordinary = results(step).front().unit;
  const auto refused = [&](const core::step_id& where, const core::unit_id& what) {
    const auto asked = call(msg::forgive_question{where, what, false});
    return asked.error ? std::string{to_string(asked.code())} + ": " + asked.error->detail : "";
  };
  BOOST_TEST(refused(step, ordinary).find("the unit is no test question") != std::string::npos);
  BOOST_TEST(
      (call(msg::forgive_question{step, ordinary, false}).code() == core::errc::wrong_state));
  BOOST_TEST((call(msg::forgive_question{step, fresh<core::unit_id>(), false}).code()
              == core::errc::not_found));
  const auto untested = create();
  feed(untested, 1);
  const auto other = results(untested).front().unit;
  BOOST_TEST(refused(untested, other).find("no test questions") != std::string::npos);
  BOOST_TEST((call(msg::forgive_question{step, other, false}).code() == core::errc::not_found));
  BOOST_TEST((call(msg::forgive_question{step, {}, false}).code() == core::errc::invalid_argument));
}

// A33: the model hears again whom it had been told not to believe
BOOST_AUTO_TEST_CASE(a_model_learns_anew_when_a_question_is_forgiven) {
  const auto step = create(color_step_with("\"judgments_per_unit\": 2,"
                                           R"("aggregation": {"method": "incremental",
      "answer": "/answer", "labels": ["blue", "red"]}, )"
                                           + strict));
  feed(step, 6);
  ask_about(step, 8);
  const auto out = err(step, "eve");
  advance(1s);
  work_through(step, "ana", 6, "red");
  advance(1s);
  // Two at once, and work goes on meanwhile.
  auto first = send_to_node(msg::forgive_question{step, out.question, false});
  auto second = send_to_node(msg::forgive_question{step, out.question, false});
  settle();
  BOOST_REQUIRE((first->value && second->value));
  BOOST_TEST(first->value->reinstated.size() + second->value->reinstated.size() == 1U);
  advance(1s);
  for (const auto& id : out.judged)
    BOOST_TEST(unit(step, id).state == core::unit_state::finalized);
  work_through(step, "bob", 1, "red");
  restart();
  work_through(step, "bob", 5 - static_cast<int>(out.judged.size()), "red");
  advance(1s);
  for (const auto& result : results(step))
    BOOST_TEST(result.state == core::unit_state::finalized);
  BOOST_TEST(broken_invariants(*database).empty());
}

// --- stopping and weighing ---

// A29, A48: as many judgments as the unit turns out to need
BOOST_AUTO_TEST_CASE(a_unit_gets_more_judgments_only_while_they_disagree) {
  const auto step = create(color_step_with(R"("stopping": {"min": 2, "max": 4, "stop_at": 0.7})"));
  feed(step, 2);
  const auto judge = [&](const std::string& who, const std::string& first,
                         const std::string& second) {
    const auto a = assign(step, who);
    if (a.value)
      submit(*a.value, who, results(step)[0].unit == a.value->unit ? first : second);
    const auto b = assign(step, who);
    if (b.value)
      submit(*b.value, who, results(step)[0].unit == b.value->unit ? first : second);
    advance(1s);
  };
  judge("ana", "red", "red");
  judge("bob", "red", "blue");
  BOOST_TEST(results(step)[0].state == core::unit_state::finalized);
  BOOST_TEST(results(step)[0].judgments == 2U);
  BOOST_TEST(results(step)[1].state == core::unit_state::judgable);
  BOOST_TEST(unit(step, results(step)[1].unit).judgments_per_unit == 3U);
  restart();
  judge("eve", "", "blue");
  BOOST_TEST(results(step)[1].state == core::unit_state::judgable);
  judge("joe", "", "blue");
  BOOST_TEST(results(step)[1].state == core::unit_state::finalized);
  BOOST_TEST(results(step)[1].judgments == 4U);
  BOOST_TEST(results(step)[1].confidence == 0.75);
  BOOST_TEST(broken_invariants(*database).empty());
}

// A32: trust as it was when the judgment came in
BOOST_AUTO_TEST_CASE(weighted_steps_trust_those_who_were_right_about_test_questions) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 2,
      "aggregation": {"method": "weighted", "answer": "/answer"},
      "test_questions": {"quiz": 4, "quiz_pass": 0.5, "every": 0})"));
  feed(step, 1);
  ask_about(step, 6);
  take_quiz(step, "ana", 4, 4);
  take_quiz(step, "bob", 2, 4);
  work_through(step, "ana", 1, "blue");
  work_through(step, "bob", 1, "red");
  advance(1s);
  const auto result = results(step).front();
  BOOST_TEST(result.state == core::unit_state::finalized);
  BOOST_TEST(result.confidence == 0.8 / (0.8 + 0.6), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(result.result.find(R"("answer":"blue")") != std::string::npos);
  BOOST_TEST(result.result.find(R"("method":"weighted")") != std::string::npos);
}

// A33: the model knows from test questions whom to believe, and a restart does not change its mind
BOOST_AUTO_TEST_CASE(an_incremental_step_believes_the_one_who_knows_against_two_who_do_not) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 3,
      "aggregation": {"method": "incremental", "answer": "/answer", "labels": ["blue", "red"]},
      "test_questions": {"quiz": 12, "quiz_pass": 0.1, "every": 0, "certainty": 0.9999})"));
  feed(step, 2);
  // To half of the questions `blue` is right.
  ask_about(step, 8);
  msg::add_test_questions blue{step, {}};
  for (int i = 20; i < 28; ++i)
    blue.rows.push_back({"test-" + std::to_string(i), "{}", R"({"answer":"blue"})"});
  BOOST_REQUIRE(call(blue).value);
  const auto quiz = [&](const std::string& who, bool knows) {
    for (int i = 0; i < 12; ++i) {
      const auto lease = assigned(step, who);
      const auto& truth = database->tables().units.at(lease.unit).made.truth;
      const bool is_red = truth.find("red") != std::string::npos;
      BOOST_REQUIRE(
          submit(lease, who, knows == is_red || (!knows && i % 2 == 0) ? "red" : "blue").value);
    }
  };
  quiz("ana", true);
  quiz("bob", false);
  quiz("eve", false);
  const auto judge_next = [&] {
    work_through(step, "bob", 1, "blue");
    work_through(step, "eve", 1, "blue");
    work_through(step, "ana", 1, "red");
    advance(1s);
  };
  judge_next();
  restart();
  judge_next();
  for (const auto& result : results(step)) {
    BOOST_TEST(result.state == core::unit_state::finalized);
    BOOST_TEST(result.result.find(R"("answer":"red")") != std::string::npos, result.result);
    BOOST_TEST(result.result.find(R"("shares":{"blue":)") != std::string::npos);
  }
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_label_is_refused) {
  const auto step = create(color_step_with(R"("aggregation": {"labels": ["blue", "red"]})"));
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  const auto refused = submit(lease, "ana", "green");
  BOOST_TEST(refused.code() == core::errc::payload_invalid);
  BOOST_TEST(refused.error->detail.find("blue, red") != std::string::npos);
  BOOST_TEST(submit(lease, "ana", "red").value.has_value());
}

// G-1, across a restart: the method is that of the definition as it was taken.
BOOST_AUTO_TEST_CASE(where_there_are_test_questions_and_labels_results_are_selected_by_them) {
  const auto step = create(color_step_with(R"("judgments_per_unit": 1,
      "aggregation": {"labels": ["blue", "red"]}, "test_questions": {"quiz": 0, "every": 0})"));
  feed(step, 2);
  work_through(step, "ana", 1, "red");
  restart();
  work_through(step, "ana", 1, "red");
  advance(1s);
  for (const auto& result : results(step))
    BOOST_TEST(result.result.find(R"("method":"gold_selected")") != std::string::npos,
               result.result);
}

BOOST_AUTO_TEST_CASE(a_row_cannot_ask_for_judgments_where_a_rule_decides) {
  const auto step =
      create(color_step_with(R"("stopping": {"judgments_per_unit": 3, "curtail": true})"));
  const auto added = call(msg::add_source_data{step, {{"a", "{}", 5}, {"b", "{}", 0}}});
  BOOST_REQUIRE(added.value);
  BOOST_TEST(added.value->added == 1U);
  BOOST_REQUIRE(added.value->problems.size() == 1U);
  BOOST_TEST(added.value->problems[0].detail.find("stopping rule") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
