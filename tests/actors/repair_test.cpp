// Repairs: what was finished before a contributor was removed.

#include "actors/internal_messages.hpp"
#include "core/repair.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// `more` are further members of the first step; what follows are steps after it. Results are kept
/// whose answers stand.
std::string step_with(const std::string& more, const std::string& following = "") {
  return R"({"name": "colours", "steps": [{"key": "label", "repair": "keep",
             "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30},
             )"
         + more + "}" + following + "]}";
}

const std::string one_step_of_three = R"({"name": "colours", "steps": [{"key": "label",
    "judgments_per_unit": 3}]})";
const std::string of_three = step_with(R"("judgments_per_unit": 3)");

struct repaired_node : node_fixture {
  repaired_node() { start(); }

  /// `who` judges the units of the step in their order; an answer for each.
  void judge(const core::step_id& step, const std::string& who,
             const std::vector<std::string>& answers) {
    for (const auto& answer : answers)
      work(step, who, answer);
  }

  void remove(const core::step_id& step, const std::string& who) {
    BOOST_REQUIRE(call(msg::remove_contributor{step, who}).value);
  }

  msg::repair_contributor repair_of(const core::step_id& step, const std::string& who,
                                    bool dry_run = false) {
    return {step, fresh<core::repair_id>(), who, dry_run};
  }

  /// Asks until it is done.
  template <class Request>
  msg::repair_progress done(const Request& request) {
    for (int i = 0; i < 100; ++i) {
      const auto told = call(request);
      BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
      if (told.value->done)
        return *told.value;
      advance(1s);
    }
    BOOST_FAIL("the repair is not done");
    return {};
  }

  /// The answers of the step's units, `-` where there is none.
  std::string answers(const core::step_id& step) {
    std::string text;
    for (const auto& result : results(step))
      text += (result.result.empty()
                   ? "-"
                   : nlohmann::json::parse(result.result).at("answer").get<std::string>())
              + " ";
    return text;
  }

  static std::string figures(const msg::repair_progress& told) {
    const auto number = [](std::uint64_t n) { return std::to_string(n) + " "; };
    return number(told.found) + "= " + number(told.unchanged) + number(told.changed)
           + number(told.reopened) + number(told.went_on) + "/ " + number(told.disregarded);
  }

  std::size_t tainted() const {
    std::size_t count = 0;
    for (const auto& [key, row] : database->tables().judgments)
      count += row.tainted_at ? 1 : 0;
    return count;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(repairs, repaired_node)

// A27, A126, G-7, I-5, I-6: only where the winner changes somebody else is asked
BOOST_AUTO_TEST_CASE(a_result_is_taken_back_only_where_it_does_not_stand) {
  const auto step = create(of_three);
  feed(step, 4);
  seal(step);
  judge(step, "eve", {"red", "red", "red", "red"});
  judge(step, "ana", {"red", "red", "blue", "blue"});
  judge(step, "bob", {"red", "blue", "red", "blue"});
  advance(1s);
  BOOST_TEST(answers(step) == "red red red blue ");
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));

  remove(step, "eve");
  advance(1s);
  BOOST_TEST(answers(step) == "red red red blue ");
  const auto told = done(repair_of(step, "eve"));
  BOOST_TEST(figures(told) == "4 = 2 0 2 0 / 4 ");
  BOOST_TEST(told.units == 4U);
  BOOST_TEST(told.units_done == 4U);
  advance(1s);
  BOOST_TEST(answers(step) == "red - - blue ");
  const auto open = statistics(step);
  BOOST_TEST((open.step.status == core::step_status::open));
  BOOST_TEST(open.step.completed_units == 2U);
  BOOST_TEST(tainted() == 4U);

  const auto taken_back = events(core::event_type::unit_reopened);
  BOOST_REQUIRE(taken_back.size() == 2U);
  const auto details = nlohmann::json::parse(taken_back.front().details);
  BOOST_TEST(details.at("revision") == 1);
  BOOST_TEST(details.at("judgments_wanted") == 1);
  BOOST_TEST(details.at("result").at("answer") == "red");
  BOOST_TEST(details.at("disregarded").at(0).at("contributor_id") == "eve");

  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  judge(step, "cid", {"blue", "blue"});
  advance(1s);
  BOOST_TEST(answers(step) == "red blue blue blue ");
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  const auto finalized = events(core::event_type::unit_finalized);
  BOOST_REQUIRE(finalized.size() == 6U);
  BOOST_TEST(nlohmann::json::parse(finalized.back().details).at("revision") == 2);
  BOOST_TEST(!nlohmann::json::parse(finalized.front().details).contains("revision"));
  BOOST_TEST(broken_invariants(*database).empty());
}

// finding C1: three said cat, and two of them are removed
BOOST_AUTO_TEST_CASE(a_result_by_too_few_judgments_is_asked_for_again) {
  const auto step = create(one_step_of_three);
  feed(step, 1);
  seal(step);
  for (const auto* who : {"ana", "bob", "eve"})
    work(step, who, "cat");
  advance(1s);
  BOOST_TEST(results(step).front().result
             == R"({"answer":"cat","confidence":1,"votes":{"cat":3},"tied":1})");
  for (const auto* who : {"bob", "eve"}) {
    remove(step, who);
    done(repair_of(step, who));
  }
  advance(1s);
  BOOST_TEST(answers(step) == "- ");
  for (const auto* who : {"cid", "dan"})
    work(step, who, "dog");
  advance(1s);
  BOOST_TEST(answers(step) == "dog ");
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*database).empty());
}

// finding C1
BOOST_AUTO_TEST_CASE(a_result_that_is_kept_counts_no_removed_judgment) {
  const auto step = create(of_three);
  feed(step, 1);
  for (const auto* who : {"ana", "bob", "eve"})
    work(step, who, "cat");
  advance(1s);
  for (const auto* who : {"bob", "eve"}) {
    remove(step, who);
    BOOST_TEST(figures(done(repair_of(step, who))) == "1 = 1 0 0 0 / 1 ");
  }
  BOOST_TEST(results(step).front().result
             == R"({"answer":"cat","confidence":1,"votes":{"cat":1},"tied":1,"rests_on":1})");
}

// A29, A48: who stops early may be content with what is left
BOOST_AUTO_TEST_CASE(judgments_that_are_enough_give_another_result_at_once) {
  const auto step = create(step_with(R"("stopping": {"min": 2, "max": 5, "stop_at": 0.6})"));
  feed(step, 1);
  seal(step);
  judge(step, "ana", {"apple"});
  judge(step, "bob", {"berry"});
  judge(step, "cid", {"cherry"});
  judge(step, "dan", {"apple"});
  judge(step, "eve", {"berry"});
  advance(1s);
  BOOST_TEST(answers(step) == "apple "); // of the two best the first
  remove(step, "ana");
  remove(step, "dan");
  BOOST_TEST(figures(done(repair_of(step, "ana"))) == "1 = 0 1 0 0 / 2 ");
  advance(1s);
  BOOST_TEST(answers(step) == "berry ");
  BOOST_TEST(events(core::event_type::unit_reopened).size() == 1U);
  BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  BOOST_TEST(figures(done(repair_of(step, "dan"))) == "0 = 0 0 0 0 / 0 ");
  BOOST_TEST(broken_invariants(*database).empty());
}

// A dry run says the same and changes nothing.
BOOST_AUTO_TEST_CASE(a_dry_run_counts_and_leaves_everything_as_it_is) {
  const auto step = create(of_three);
  feed(step, 3);
  for (const auto* who : {"eve", "ana", "bob"})
    judge(step, who, {who[0] == 'b' ? "blue" : "red", who[0] == 'e' ? "red" : "blue", who});
  advance(1s);
  remove(step, "eve");
  const auto before = events(core::event_type::unit_reopened).size();
  const auto counted = done(repair_of(step, "eve", true));
  BOOST_TEST(counted.dry_run);
  BOOST_TEST(tainted() == 0U);
  BOOST_TEST(events(core::event_type::unit_reopened).size() == before);
  const auto repaired = done(repair_of(step, "eve"));
  BOOST_TEST(figures(counted) == figures(repaired));
  BOOST_TEST(repaired.found == 3U);
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-8, I-14: asked again, it is the same one; done, it finds nothing more
BOOST_AUTO_TEST_CASE(a_repair_is_done_once) {
  const auto step = create(of_three);
  feed(step, 2);
  for (const auto* who : {"eve", "ana", "bob"})
    judge(step, who, {who, "red"});
  advance(1s);
  remove(step, "eve");
  const auto request = repair_of(step, "eve");
  const auto first = done(request);
  BOOST_TEST(figures(done(request)) == figures(first));
  restart();
  BOOST_TEST(figures(done(request)) == figures(first));
  BOOST_TEST(figures(done(repair_of(step, "eve"))) == "0 = 0 0 0 0 / 0 ");
  auto other = request;
  other.dry_run = true;
  BOOST_TEST(call(other).code() == core::errc::already_exists);
  other.repair = fresh<core::repair_id>();
  other.contributor = "ana"; // at work, and all is as it is known of her
  BOOST_TEST(figures(done(other)) == "0 = 0 0 0 0 / 0 ");
  other.contributor = "";
  BOOST_TEST(call(other).code() == core::errc::invalid_argument);
  BOOST_REQUIRE(call(msg::change_step{step, 3}).value);
  BOOST_TEST(call(repair_of(step, "eve")).code() == core::errc::wrong_state);
}

// A27: what waits to be part of a batch is withdrawn like any other that was made from the result.
BOOST_AUTO_TEST_CASE(unit_that_waits_for_a_batch_is_taken_back_as_well) {
  const auto steps =
      create_steps(step_with(R"("judgments_per_unit": 3,
      "routes": [{"when": {"answer": "red"}, "to": ["check"]}])",
                             R"(, {"key": "check", "gather": {"by": "count", "size": 2}})"));
  const auto step = steps[0];
  feed(step, 3);
  judge(step, "eve", {"red", "blue", "red"});
  judge(step, "ana", {"red", "green", "blue"});
  judge(step, "joe", {"red", "blue", "blue"});
  advance(1s);
  BOOST_TEST(answers(step) == "red blue blue ");
  remove(step, "eve");
  // The first and the third stand, and the second, which has gone nowhere, is a tie now.
  BOOST_TEST(figures(done(repair_of(step, "eve"))) == "3 = 2 0 1 0 / 3 ");
  judge(step, "bob", {"green"});
  advance(1s);
  BOOST_TEST(answers(step) == "red green blue ");
  BOOST_REQUIRE(results(steps[1]).size() == 1U);
  BOOST_TEST((results(steps[1])[0].state == core::unit_state::gathered));
  remove(step, "ana");
  BOOST_TEST(figures(done(repair_of(step, "ana"))) == "3 = 2 0 1 0 / 3 ");
  remove(step, "joe");
  const auto told = done(repair_of(step, "joe"));
  BOOST_TEST(figures(told) == "2 = 0 0 2 0 / 2 ");
  BOOST_TEST(told.reissued == 1U);
  BOOST_TEST(answers(step) == "- - - ");
  advance(1s);
  BOOST_TEST((results(steps[1])[0].state == core::unit_state::canceled));
  BOOST_TEST(statistics(steps[1]).step.completed_units == 1U);
  BOOST_TEST(broken_invariants(*database).empty());
}

// A27, A126, G-7, I-5, I-6: what was made from a result goes with it, and is made anew from the
// next
BOOST_AUTO_TEST_CASE(unit_in_work_is_withdrawn_with_the_result_that_it_was_made_from) {
  const auto steps = create_steps(
      step_with(R"("judgments_per_unit": 3, "next": ["check"])", R"(, {"key": "check"})"));
  const auto label = steps[0];
  const auto check = steps[1];
  feed(label, 1);
  seal(label);
  judge(label, "eve", {"red"});
  judge(label, "bob", {"red"});
  judge(label, "ana", {"blue"});
  advance(1s);
  const auto held = assigned(check, "dan");
  remove(label, "eve");
  remove(label, "bob");
  const auto told = done(repair_of(label, "eve"));
  BOOST_TEST(figures(told) == "1 = 0 0 1 0 / 2 ");
  BOOST_TEST(told.reissued == 1U);
  advance(1s);
  BOOST_TEST((unit(check, held.unit).state == core::unit_state::canceled));
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(submit(held, "dan").error.has_value());
  BOOST_TEST(assign(check, "dan").code() == core::errc::no_unit_available);
  const auto canceled = events(core::event_type::unit_canceled);
  BOOST_REQUIRE(canceled.size() == 1U);
  BOOST_TEST(nlohmann::json::parse(canceled[0].details).at("because")
             == "the result that it was made from was taken back");
  BOOST_TEST((statistics(label).step.status == core::step_status::open));

  judge(label, "cid", {"blue"});
  judge(label, "gus", {"blue"});
  advance(1s);
  const auto anew = assigned(check, "dan");
  BOOST_TEST((anew.unit != held.unit));
  BOOST_TEST(nlohmann::json::parse(anew.input).at("result").at("answer") == "blue");
  BOOST_REQUIRE(submit(anew, "dan", "good").value);
  judge(check, "ana", {"good"});
  judge(check, "bob", {"good"});
  advance(1s);
  BOOST_TEST(answers(check) == "- good ");
  BOOST_TEST((statistics(check).step.status == core::step_status::completed));
  BOOST_TEST(statistics(check).step.completed_units == 2U);
  BOOST_TEST(broken_invariants(*database).empty());
}

namespace {

/// Three steps, each judged once.
const std::string in_a_row =
    step_with(R"("judgments_per_unit": 1, "next": ["check"])",
              R"(, {"key": "check", "judgments_per_unit": 1, "next": ["file"]},
        {"key": "file", "judgments_per_unit": 1})");

} // namespace

// A126, I-5, I-6: down to the end of the chain
BOOST_AUTO_TEST_CASE(finished_unit_is_withdrawn_with_all_that_was_made_from_it) {
  const auto steps = create_steps(in_a_row);
  feed(steps[0], 2);
  seal(steps[0]);
  judge(steps[0], "ana", {"red"});
  judge(steps[0], "eve", {"red"});
  for (std::size_t step = 1; step < 3; ++step) {
    advance(1s);
    judge(steps[step], "bob", {"yes", "no"});
  }
  advance(1s);
  BOOST_TEST(answers(steps[2]) == "yes no ");
  const auto second = results(steps[2])[1].unit;
  remove(steps[0], "eve");
  BOOST_TEST(done(repair_of(steps[0], "eve", true)).reissued == 1U);
  BOOST_TEST(events(core::event_type::unit_withdrawn).empty());
  BOOST_TEST(done(repair_of(steps[0], "eve")).reissued == 1U);
  advance(1s);
  BOOST_TEST(answers(steps[0]) == "red - ");
  BOOST_TEST(answers(steps[1]) == "yes - ");
  BOOST_TEST(answers(steps[2]) == "yes - ");
  // It is still to be seen, and nobody counts it.
  BOOST_TEST((unit(steps[2], second).state == core::unit_state::canceled));
  BOOST_TEST(nlohmann::json::parse(unit(steps[2], second).result).at("answer") == "no");
  const auto told = events(core::event_type::unit_withdrawn);
  BOOST_REQUIRE(told.size() == 2U);
  for (const auto& event : told) {
    const auto details = nlohmann::json::parse(event.details);
    BOOST_TEST(details.at("result").at("answer") == "no");
    BOOST_TEST(details.contains("route") == (event.step == steps[1]));
  }
  for (std::size_t step = 0; step < 3; ++step) {
    judge(steps[step], "cid", {"green"});
    advance(1s);
  }
  BOOST_TEST(answers(steps[2]) == "yes - green ");
  for (const auto& step : steps)
    BOOST_TEST((statistics(step).step.status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-5: news of a result that is gone by the time it arrives makes nothing of the one that came
// after
BOOST_AUTO_TEST_CASE(late_news_of_a_result_does_not_send_the_next_one_its_way) {
  const auto steps = create_steps(step_with(
      R"("judgments_per_unit": 1,
         "routes": [{"when": {"answer": "red"}, "to": ["check"]}, {"to": ["file"]}])",
      R"(, {"key": "check"}, {"key": "file"})"));
  feed(steps[0], 1);
  bool unheard = true;
  database->set_refusals([&](const core::change& c) {
    return unheard && std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
             const auto* made = std::get_if<core::insert_unit>(&write);
             return made != nullptr && made->parent;
           });
  });
  // The step that was refused begins anew, and cannot: nobody takes the news meanwhile.
  database->set_read_faults([&](std::string_view read) { return unheard && read == "load_step"; });
  judge(steps[0], "eve", {"red"});
  advance(100ms);
  remove(steps[0], "eve");
  BOOST_TEST(done(repair_of(steps[0], "eve")).reissued == 1U);
  judge(steps[0], "cid", {"blue"});
  advance(100ms);
  BOOST_TEST(results(steps[1]).empty());
  unheard = false;
  advance(60s);
  BOOST_TEST(results(steps[1]).empty());
  BOOST_TEST(results(steps[2]).size() == 1U);
  BOOST_TEST(broken_invariants(*database).empty());
  database->set_refusals({});
  database->set_read_faults(nullptr);
}

// I-5: a result is taken back between the read of it and what is made from that; the news of it
// finds nothing to withdraw yet
BOOST_AUTO_TEST_CASE(nothing_is_made_from_a_result_that_was_taken_back_since_it_was_read) {
  watches_actors = true;
  const auto steps = create_steps(in_a_row);
  feed(steps[0], 1);
  const auto lives = actors_named("step"); // since the workflow was made, in its order
  BOOST_REQUIRE_EQUAL(lives.size(), 3U);
  const auto lease = assigned(steps[0], "eve");
  bool reading = true;
  // What the next step asks once it has read the result that it makes something from.
  database->set_read_faults([&, target = lives[1]](std::string_view read) {
    if (reading && read == "find_source_keys") {
      reading = false;
      caf::anon_send(target, actors::add_children{"routing", steps[1], {}, {{lease.unit, 1}}});
    }
    return false;
  });
  BOOST_REQUIRE(submit(lease, "eve", "red").value);
  database->set_read_faults(nullptr);
  BOOST_TEST(!reading);
  BOOST_TEST(results(steps[1]).empty());
  // Whoever told of the result tells again, and then it is gone.
  BOOST_TEST(std::any_of(node->log.begin(), node->log.end(), [](const auto& line) {
    return line.find("results were taken back since they were read") != std::string::npos;
  }));
  remove(steps[0], "eve");
  BOOST_TEST(done(repair_of(steps[0], "eve")).reissued == 1U);
  advance(20s);
  BOOST_TEST(results(steps[1]).empty());
  judge(steps[0], "cid", {"green"});
  advance(1s);
  BOOST_TEST(results(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-5, I-12: the node dies with the withdrawal under way, at any of its commits
BOOST_AUTO_TEST_CASE(a_withdrawal_goes_on_after_any_crash) {
  for (int last = 0; last < 4; ++last) {
    const auto steps = create_steps(in_a_row);
    feed(steps[0], 1);
    judge(steps[0], "eve", {"red"});
    for (std::size_t step = 1; step < 3; ++step) {
      advance(1s);
      judge(steps[step], "bob", {"yes"});
    }
    advance(1s);
    remove(steps[0], "eve");
    int left = last;
    database->set_refusals([&](const core::change& c) {
      const bool withdraws = std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
        return std::holds_alternative<core::withdraw_unit>(write)
               || std::holds_alternative<core::reopen_unit>(write);
      });
      return withdraws && left-- == 0;
    });
    BOOST_REQUIRE(call(repair_of(steps[0], "eve")).value);
    restart();
    advance(20s);
    BOOST_TEST(answers(steps[0]) == "- ");
    BOOST_TEST(answers(steps[1]) == "- ");
    BOOST_TEST(answers(steps[2]) == "- ");
    judge(steps[0], "cid", {"green"});
    advance(1s);
    BOOST_TEST(results(steps[1]).size() == 2U);
    BOOST_TEST(broken_invariants(*database).empty());
    database->set_refusals({});
  }
}

// Nobody's work in the step is interrupted because one read of it fails.
BOOST_AUTO_TEST_CASE(a_repair_waits_until_its_units_can_be_read) {
  const auto step = create(of_three);
  feed(step, 1);
  for (const auto* who : {"eve", "ana", "bob"})
    judge(step, who, {who});
  advance(1s);
  remove(step, "eve");
  const auto life = the_actor("step");
  int failing = 3;
  database->set_read_faults(
      [&](std::string_view read) { return read == "load_units" && failing-- > 0; });
  const auto told = done(repair_of(step, "eve"));
  database->set_read_faults(nullptr);
  BOOST_TEST(failing < 0);
  BOOST_TEST(told.found == 1U);
  BOOST_TEST((the_actor("step") == life));
  BOOST_TEST(broken_invariants(*database).empty());
}

// I-12: goes on where it was, whatever dies when
BOOST_AUTO_TEST_CASE(a_repair_goes_on_after_any_crash) {
  const auto step = create(step_with(R"("judgments_per_unit": 1)"));
  const std::size_t units = 3 * core::repair_chunk / 2;
  feed(step, units);
  seal(step);
  for (std::size_t i = 0; i < units; ++i)
    work(step, i % 3 == 0 ? "ana" : "eve");
  advance(1s);
  remove(step, "eve");
  const auto request = repair_of(step, "eve");
  int refusals = 3;
  database->set_refusals([&](const core::change& c) {
    const bool repairs = std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
      const auto* put = std::get_if<core::put_repair>(&write);
      return put != nullptr && put->row.bookmark > 0;
    });
    return repairs && refusals-- > 0;
  });
  BOOST_REQUIRE(call(request).value);
  advance(10s);
  restart();
  advance(10s);
  const auto told = done(request);
  BOOST_TEST(told.found == units - units / 3);
  BOOST_TEST(told.reopened == told.found);
  BOOST_TEST(told.disregarded == told.found);
  BOOST_TEST(events(core::event_type::unit_reopened).size() == told.found);
  BOOST_TEST(statistics(step).step.completed_units == units - told.found);
  BOOST_TEST(broken_invariants(*database).empty());
}

// --- what is known of people who are at work ---

namespace {

struct forgiving_node : repaired_node {
  /// Answers the four questions of the quiz, those with these numbers wrongly.
  void take_quiz(const core::step_id& step, const std::string& who, const std::set<int>& wrongly) {
    for (int i = 0; i < 4; ++i) {
      const auto lease = assigned(step, who);
      const auto number = nlohmann::json::parse(lease.input).at("n").get<int>();
      BOOST_REQUIRE(submit(lease, who, wrongly.count(number) != 0 ? "blue" : "red").value);
    }
  }

  core::unit_id question(int number) const {
    for (const auto& [id, row] : database->tables().units)
      if (row.made.source_key == "test-" + std::to_string(number))
        return id;
    BOOST_FAIL("there is no such question");
    return {};
  }

  /// A unit of two who contradict each other is finished; then the two questions are forgiven that
  /// bob answered wrongly.
  core::step_id contested_step(const std::string& method) {
    const auto step = create(step_with(R"("judgments_per_unit": 2, "aggregation": )" + method
                                       + R"(, "test_questions": {"quiz": 4, "quiz_pass": 0.25,
                                       "every": 0})"));
    msg::add_test_questions asked{step, {}};
    for (int i = 0; i < 4; ++i)
      asked.rows.push_back({"test-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}",
                            R"({"answer":"red"})"});
    BOOST_REQUIRE(call(std::move(asked)).value);
    feed(step, 1);
    take_quiz(step, "ana", {2});
    take_quiz(step, "bob", {0, 1});
    advance(1s);
    work(step, "ana", "blue");
    work(step, "bob", "red");
    advance(1s);
    for (const int number : {0, 1})
      BOOST_REQUIRE(call(msg::forgive_question{step, question(number), false}).value);
    advance(1s);
    return step;
  }
};

} // namespace

// A31, A32, I-5: a result that was told stays until somebody asks, and then is what it would have
// been
BOOST_FIXTURE_TEST_CASE(forgiven_question_reaches_finished_units_by_a_repair, forgiving_node) {
  const auto step = contested_step(R"({"method": "weighted", "answer": "/answer"})");
  BOOST_TEST(answers(step) == "blue ");
  const auto tried = done(repair_of(step, "bob", true));
  BOOST_TEST(figures(tried) == "1 = 0 1 0 0 / 2 ");
  advance(1s);
  BOOST_TEST(answers(step) == "blue ");
  BOOST_TEST(events(core::event_type::unit_reopened).empty());

  BOOST_TEST(figures(done(repair_of(step, "bob"))) == figures(tried));
  advance(1s);
  BOOST_TEST(answers(step) == "red "); // 0.75 against 0.625
  BOOST_TEST(events(core::event_type::unit_reopened).size() == 1U);
  BOOST_TEST(figures(done(repair_of(step, "bob"))) == "0 = 0 0 0 0 / 0 ");
  BOOST_TEST(figures(done(repair_of(step, "ana"))) == "0 = 0 0 0 0 / 0 ");
  BOOST_TEST(broken_invariants(*database) == "");
}

// A31, A32, G-7: of whom trust has changed and who was never removed, nobody needs to know the
// names.
BOOST_FIXTURE_TEST_CASE(one_repair_reaches_all_that_a_question_had_a_say_in, forgiving_node) {
  const auto step = create(step_with(R"("judgments_per_unit": 2,
      "aggregation": {"method": "weighted", "answer": "/answer"},
      "test_questions": {"quiz": 4, "quiz_pass": 0.25, "every": 0})"));
  msg::add_test_questions asked{step, {}};
  for (int i = 0; i < 4; ++i)
    asked.rows.push_back(
        {"test-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}", R"({"answer":"red"})"});
  BOOST_REQUIRE(call(std::move(asked)).value);
  feed(step, 2);
  for (const auto* who : {"ana", "cid"})
    take_quiz(step, who, {2});
  for (const auto* who : {"bob", "dan"})
    take_quiz(step, who, {0, 1});
  advance(1s);
  for (const auto* pair : {"ana:blue", "bob:red", "cid:blue", "dan:red"})
    work(step, std::string{pair, 3}, pair + 4);
  advance(1s);
  BOOST_TEST(answers(step) == "blue blue ");
  for (const int number : {0, 1}) {
    const auto forgiven = call(msg::forgive_question{step, question(number), false});
    BOOST_REQUIRE(forgiven.value);
    BOOST_TEST(forgiven.value->reinstated.empty()); // nobody is named whom one could repair
  }
  advance(1s);
  BOOST_TEST(answers(step) == "blue blue ");

  const auto repair = [&](bool dry_run) {
    return msg::repair_question{step, fresh<core::repair_id>(), question(0), dry_run};
  };
  BOOST_TEST(figures(done(repair(true))) == "2 = 0 2 0 0 / 4 ");
  advance(1s);
  BOOST_TEST(answers(step) == "blue blue ");
  const auto request = repair(false);
  const auto told = done(request);
  BOOST_TEST(figures(told) == "2 = 0 2 0 0 / 4 ");
  BOOST_TEST(told.contributor == "question:" + to_string(question(0)));
  advance(1s);
  BOOST_TEST(answers(step) == "red red "); // 0.75 against 0.625
  BOOST_TEST(figures(done(repair(false))) == "0 = 0 0 0 0 / 0 ");

  restart();
  BOOST_TEST(figures(done(request)) == figures(told)); // known by its id
  auto other = request;
  other.unit = question(1);
  BOOST_TEST(call(other).code() == core::errc::already_exists);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A31: of people removed for other reasons nothing counts, whose question it ever was
BOOST_FIXTURE_TEST_CASE(a_repair_by_question_counts_nothing_of_who_is_removed, forgiving_node) {
  const auto step = contested_step(R"({"method": "weighted", "answer": "/answer"})");
  remove(step, "bob");
  const msg::repair_question request{step, fresh<core::repair_id>(), question(0), false};
  BOOST_TEST(figures(done(request)) == "1 = 1 0 0 0 / 2 "); // blue, of ana alone, less trusted
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-14: a crash between two chunks, and it goes on
BOOST_FIXTURE_TEST_CASE(a_repair_by_question_goes_on_in_the_next_life, forgiving_node) {
  const auto step = contested_step(R"({"method": "weighted", "answer": "/answer"})");
  const msg::repair_question request{step, fresh<core::repair_id>(), question(0), false};
  database->set_commit_faults([](const persistence::write_batch& batch) {
    for (const auto& part : batch.shards)
      for (const auto& change : part.changes)
        for (const auto& write : change.writes)
          if (const auto* put = std::get_if<core::put_repair>(&write); put && put->row.done())
            return persistence::commit_fault::unavailable;
    return persistence::commit_fault::none;
  });
  const auto begun = call(request);
  BOOST_REQUIRE(begun.value);
  BOOST_TEST(!begun.value->done);
  advance(5s);
  BOOST_TEST(answers(step) == "blue ");
  database->set_commit_faults(nullptr);
  restart();
  const auto told = done(request);
  BOOST_TEST(figures(told) == "1 = 0 1 0 0 / 2 ");
  advance(1s);
  BOOST_TEST(answers(step) == "red ");
}

BOOST_FIXTURE_TEST_CASE(only_questions_are_repaired_by_question, forgiving_node) {
  const auto step = contested_step(R"({"method": "majority", "answer": "/answer"})");
  const auto code_of = [&](const core::step_id& where, const core::unit_id& unit) {
    return call(msg::repair_question{where, fresh<core::repair_id>(), unit, false}).code();
  };
  BOOST_TEST(code_of(step, results(step).front().unit) == core::errc::wrong_state);
  BOOST_TEST(code_of(step, fresh<core::unit_id>()) == core::errc::not_found);
  BOOST_TEST(code_of(step, {}) == core::errc::invalid_argument);
  BOOST_TEST(code_of(create(of_three), question(0)) == core::errc::wrong_state);
  const auto named = call(repair_of(step, "question:" + to_string(question(0))));
  BOOST_TEST(named.code() == core::errc::invalid_argument);
}

// Where nobody's weight counts, nothing is another answer: what was told stands as it was.
BOOST_FIXTURE_TEST_CASE(a_result_that_stands_is_left_with_the_trust_that_it_was_made_with,
                        forgiving_node) {
  const auto step = contested_step(R"({"method": "majority", "answer": "/answer"})");
  const auto before = answers(step);
  const auto trust = [&] {
    std::vector<double> all;
    for (const auto& [key, row] : database->tables().judgments)
      all.push_back(row.made.trust_snapshot);
    return all;
  };
  const auto stored = trust();
  BOOST_TEST(figures(done(repair_of(step, "bob"))) == "1 = 1 0 0 0 / 2 ");
  advance(1s);
  BOOST_TEST(answers(step) == before);
  BOOST_TEST(trust() == stored);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
