// Models of live steps: all judgments are looked at again in the background, which calibrates
// results and selects how they are found.

#include "actors/internal_messages.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

std::string step_of(int judgments, const std::string& method) {
  return R"({"name": "colours", "steps": [{"key": "label", "judgments_per_unit": )"
         + std::to_string(judgments) + R"(,
             "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30},
             "aggregation": {"method": ")"
         + method + R"(", "labels": ["blue", "red"]},
             "test_questions": {"quiz": 12, "quiz_pass": 0.1, "every": 0}}]})";
}

/// Without test questions.
std::string untested_step(const std::string& method) {
  return R"({"name": "colours", "steps": [{"key": "label", "judgments_per_unit": 4,
             "aggregation": {"method": ")"
         + method + R"(", "labels": ["blue", "red"]}}]})";
}

struct refitted_node : node_fixture {
  refitted_node() { start(); }

  core::step_id step;

  /// A step with `units` units, and twelve test questions of either answer.
  void begin(const std::string& definition, std::size_t units) {
    step = create(definition);
    feed(step, units);
    msg::add_test_questions questions{step, {}};
    for (int i = 0; i < 12; ++i)
      questions.rows.push_back({"test-" + std::to_string(i), "{}",
                                i % 2 == 0 ? R"({"answer":"red"})" : R"({"answer":"blue"})"});
    BOOST_REQUIRE(call(questions).value);
  }

  /// What is right about it.
  std::string truth_of(const msg::assignment& lease) const {
    const auto& known = database->tables().units.at(lease.unit).made.truth;
    const bool red = known.empty() ? lease.unit.value.bytes[15] % 2 == 0
                                   : known.find("red") != std::string::npos;
    return red ? "red" : "blue";
  }

  void judge(const std::string& who, int units, bool rightly = true) {
    for (int i = 0; i < units; ++i) {
      const auto lease = assigned(step, who);
      const auto truth = truth_of(lease);
      BOOST_REQUIRE(submit(lease, who, rightly ? truth : (truth == "red" ? "blue" : "red")).value);
    }
    advance(1s);
  }

  void take_quizzes(const std::vector<std::string>& people) {
    for (const auto& who : people)
      judge(who, 12);
  }

  /// A step that first has a unit with one judgment, then 25 with four each. Of these pat and quin
  /// are right about all, ana errs now and then about either colour, and bob about blue alone: he
  /// calls half of it red.
  void learn_who_leans(const std::string& method) {
    step = create(untested_step(method));
    BOOST_REQUIRE(call(msg::add_source_data{step, {{"first", "{}", 1}}}).value);
    work(step, "pat", "blue");
    advance(1s);
    feed(step, 25);
    for (const std::string who : {"pat", "quin", "ana", "bob"}) {
      for (int i = 0; i < 25; ++i) {
        const auto lease = assigned(step, who);
        const auto n = std::stoi(lease.input.substr(lease.input.find(':') + 1));
        const bool errs = who == "ana" ? n == 0 || n == 11 : who == "bob" && n % 4 == 2;
        BOOST_REQUIRE(submit(lease, who, (n % 2 == 1) != errs ? "red" : "blue").value);
      }
      advance(1s);
    }
  }

  /// What the step makes of a unit that ana calls red and bob blue. Whoever knows that bob never
  /// calls red blue believes him; whoever counts mistakes believes ana, who makes fewer.
  std::string result_of_two(const std::string& key) {
    BOOST_REQUIRE(call(msg::add_source_data{step, {{key, "{}", 2}}}).value);
    work(step, "ana", "red");
    work(step, "bob", "blue");
    advance(1s);
    for (const auto& one : results(step))
      if (one.source_key == key)
        return one.result;
    return {};
  }

  /// Of units that are finished.
  std::size_t finished_with(const std::string& text) {
    std::size_t count = 0;
    for (const auto& one : results(step))
      count +=
          one.state == core::unit_state::finalized && one.result.find(text) != std::string::npos
              ? 1
              : 0;
    return count;
  }
};

const std::string raw = R"("calibrated":false)";
const std::string calibrated = R"("calibrated":true)";

} // namespace

BOOST_FIXTURE_TEST_SUITE(refits_of_live_steps, refitted_node)

// A33, A34: the fiftieth judgment leads to a refit, and so does a start with that many
BOOST_AUTO_TEST_CASE(results_are_calibrated_and_say_what_was_chosen) {
  begin(step_of(2, "gold_selected"), 20);
  take_quizzes({"ana", "bob"});
  judge("ana", 5);
  judge("bob", 5);
  BOOST_TEST(finished_with(raw) == 5U);
  BOOST_TEST(finished_with(R"("method":"gold_selected")") == 5U);
  BOOST_TEST(finished_with(R"("chosen":"dawid_skene_map")") == 5U);
  judge("ana", 10);
  judge("bob", 10); // the fiftieth is among these
  BOOST_TEST(finished_with(raw) + finished_with(calibrated) == 15U);
  const auto sure = finished_with(calibrated);
  BOOST_TEST(sure > 0U);
  restart();
  judge("ana", 5);
  judge("bob", 5);
  BOOST_TEST(finished_with(calibrated) == sure + 5);
  BOOST_TEST(finished_with(R"("chosen":")") == 20U); // right about all: the first of equals
  BOOST_TEST(broken_invariants(*database).empty());
}

// A33: `incremental` is calibrated, too, and chooses nothing
BOOST_AUTO_TEST_CASE(a_step_that_goes_by_one_method_is_calibrated) {
  begin(step_of(2, "incremental"), 20);
  take_quizzes({"ana", "bob"});
  judge("ana", 20);
  judge("bob", 20);
  BOOST_TEST(finished_with(calibrated) > 0U);
  BOOST_TEST(finished_with("chosen") == 0U);
}

// A33, A34: which also holds in the step's next life
BOOST_AUTO_TEST_CASE(units_go_by_the_method_that_the_step_names_from_the_first_refit_on) {
  struct {
    const char* method;
    const char* believed;
    core::step_id made{};
  } all[] = {
      {"incremental", "blue"}, {"dawid_skene_map", "blue"}, {"one_coin", "red"}, {"wawa", "red"}};
  const auto check = [&](const auto& one, const std::string& key) {
    step = one.made;
    const std::string method = one.method;
    const auto result = result_of_two(key);
    BOOST_TEST(result.find(std::string{R"({"answer":")"} + one.believed + '"') == 0U,
               method << ": " << result);
    BOOST_TEST(result.find(R"("method":")" + method + '"') != std::string::npos, result);
    BOOST_TEST(result.find(raw) != std::string::npos, result);
    const bool says = result.find(R"("chosen":")" + method + '"') != std::string::npos;
    BOOST_TEST(says == (method != "incremental"), result);
  };
  for (auto& one : all) {
    learn_who_leans(one.method);
    one.made = step;
    const bool fixed = one.method == std::string{"one_coin"} || one.method == std::string{"wawa"};
    const auto first = finished_with(R"("chosen":"dawid_skene_map")");
    if (fixed)
      BOOST_TEST(first == 1U, one.method); // it was there before the fiftieth judgment
    check(one, "before");
  }
  restart();
  advance(1s);
  for (const auto& one : all)
    check(one, "after");
  BOOST_TEST(broken_invariants(*database).empty());
}

// A28, A33: a model that still counted her would know more judgments than the units, which would
// wait for ever
BOOST_AUTO_TEST_CASE(contributor_removed_during_a_refit_stays_out_of_late_results) {
  begin(step_of(3, "gold_selected"), 10);
  take_quizzes({"ana", "bob", "eve"});
  judge("ana", 6);
  judge("eve", 6, false);
  held_back = "refitter";
  judge("ana", 4); // the fiftieth judgment is among these
  BOOST_REQUIRE(call(msg::remove_contributor{step, "eve"}).value);
  advance(1s);
  held_back.clear();
  advance(1s);
  take_quizzes({"joe"});
  judge("bob", 10);
  judge("joe", 10);
  BOOST_TEST(finished_with(calibrated) == 10U);
  BOOST_TEST(finished_with(R"(":3},"tied":1)") == 10U); // votes for what is right, and no others
  BOOST_TEST(broken_invariants(*database).empty());
}

// A model that was replaced has no say in when the next one is refitted.
BOOST_AUTO_TEST_CASE(a_refit_of_a_model_that_was_replaced_fails_unheard) {
  begin(step_of(3, "gold_selected"), 10);
  take_quizzes({"ana", "bob", "eve"});
  judge("ana", 6);
  judge("eve", 6, false);
  held_back = "refitter";
  judge("ana", 4); // the fiftieth judgment is among these
  judge("bob", 6);
  const auto failed = [this] {
    return std::count_if(node->log.begin(), node->log.end(),
                         [](const auto& line) { return line.find("refit_failed") == 0; });
  };
  advance(5min);
  const auto& units = database->tables().units;
  const auto question = std::find_if(units.begin(), units.end(), [](const auto& known) {
    return !known.second.made.truth.empty();
  });
  BOOST_REQUIRE((question != units.end()));
  BOOST_REQUIRE(call(msg::forgive_question{step, question->first, false}).value);
  advance(6min);
  BOOST_TEST(failed() == 0);
  // Nobody waits for ever for that of the model that there is.
  advance(5min);
  BOOST_TEST(failed() == 1);
  held_back.clear();
  advance(1s);
  BOOST_TEST(broken_invariants(*database).empty());
}

// What breaks a refit would break the next one, too: nobody but this step is to notice.
BOOST_AUTO_TEST_CASE(a_refit_that_fails_ends_neither_the_refitter_nor_what_stands_below_it) {
  begin(step_of(2, "gold_selected"), 20);
  const auto refitter = the_actor("refitter");
  const auto life = the_actor("step");
  const auto nothing = std::make_shared<const core::quality::refit_input>();
  for (int i = 0; i < 10; ++i)
    BOOST_TEST((ask<actors::model_refitted>(refitter, actors::refit_model{nothing}).code()
                == core::errc::unavailable));
  BOOST_REQUIRE(!node->ended());
  BOOST_TEST((the_actor("refitter") == refitter));
  BOOST_TEST((the_actor("step") == life));
  take_quizzes({"ana", "bob"});
  judge("ana", 20);
  judge("bob", 20);
  BOOST_TEST(finished_with(calibrated) > 0U);
}

// A step of hundreds of labels and thousands of people has more confusion matrices than a refit may
// keep: whoever runs the node is told that results stay with the live estimates.
BOOST_AUTO_TEST_CASE(a_refit_that_there_is_no_room_for_is_told) {
  std::string labels = R"("red")";
  for (int i = 1; i < 256; ++i)
    labels += ",\"label-" + std::to_string(i) + '"';
  held_back = "refitter"; // the first refits, of few people, would only take time
  step = create(R"({"name": "colours", "steps": [{"key": "label", "judgments_per_unit": 1,
      "aggregation": {"method": "dawid_skene_map", "labels": [)"
                + labels + "]}}]}");
  constexpr std::size_t people = 2'049;
  for (std::size_t first = 0; first < people; first += 683)
    feed(step, 683, first);
  for (std::size_t who = 0; who < people; ++who)
    work(step, "person-" + std::to_string(who));
  const auto told = [this] {
    return std::count_if(node->log.begin(), node->log.end(), [this](const auto& line) {
      return line.find("refit_left_out") == 0 && line.find(to_string(step)) != std::string::npos
             && line.find("dawid_skene_map") != std::string::npos
             && line.find("2049") != std::string::npos;
    });
  };
  BOOST_TEST(told() == 0);
  held_back.clear();
  restart();
  advance(1s);
  BOOST_TEST(told() == 1);
  // Work goes on.
  feed(step, 1, people);
  work(step, "ana");
  advance(1s);
  BOOST_TEST(results(step).size() == people + 1);
}

// Only steps need it: no commit under way is in doubt because of it, and no shard changes hands.
BOOST_AUTO_TEST_CASE(a_refitter_that_crashes_takes_steps_along_and_no_writer) {
  begin(step_of(2, "gold_selected"), 2);
  const auto writers = actors_named("writer");
  const auto membership = the_actor("membership");
  const auto life = the_actor("step");
  const auto shards = database->tables().shards;
  crash(the_actor("refitter"));
  advance(1s);
  BOOST_TEST((actors_named("writer") == writers));
  BOOST_TEST((the_actor("membership") == membership));
  for (std::size_t i = 0; i < shards.size(); ++i)
    BOOST_TEST(database->tables().shards[i].epoch == shards[i].epoch);
  judge("ana", 1);
  BOOST_TEST((the_actor("step") != life));
  BOOST_TEST(broken_invariants(*database).empty());
}

// What the refitter was doing is begun again by the step's next life.
BOOST_AUTO_TEST_CASE(a_step_that_crashes_during_a_refit_loses_nothing) {
  begin(step_of(2, "gold_selected"), 20);
  take_quizzes({"ana", "bob"});
  held_back = "refitter";
  judge("ana", 14);
  judge("bob", 14);
  BOOST_TEST(finished_with(calibrated) == 0U);
  BOOST_TEST(finished_with(raw) == 14U);
  crash(the_actor("step"));
  advance(1s);
  held_back.clear();
  advance(1s);
  judge("ana", 6);
  judge("bob", 6);
  BOOST_TEST(finished_with(calibrated) == 6U);
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
