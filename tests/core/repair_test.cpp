// What becomes of a finished unit when a contributor's judgment counts no more.

#include "core/repair.hpp"

#include "core/invariant.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using core::repair_outcome;
using core::unit_state;

/// A unit that is finalized, and what its database row holds of the result.
struct finished_unit {
  explicit finished_unit(core::aggregation_policy p = {}, std::vector<core::way> w = {})
      : policy(std::move(p)), ways(std::move(w)) {
    u.id = {ids.next(beginning)};
    u.step = {ids.next(beginning)};
    u.root = u.id;
    u.slots = policy.stopping ? core::first_slots(*policy.stopping) : 3;
  }

  void judge(const std::string& who, const std::string& answer) {
    const auto lease =
        decide(u, core::lease_policy{}, core::ask{who, {ids.next(beginning)}}, beginning);
    BOOST_REQUIRE(lease.refusal == core::errc::none);
    const auto judged =
        decide(u, core::lease_policy{},
               core::submit{
                   who, lease.answer.token, {ids.next(beginning)}, "{}", answer, {}, std::nullopt},
               beginning);
    BOOST_REQUIRE(judged.refusal == core::errc::none);
  }

  /// Aggregates as the step does when a judgment came in. Whether it is finalized.
  bool aggregate(std::optional<core::model_opinion> opinion = {}) {
    const auto d =
        decide(u, policy, ways, core::aggregate_if_ready{"aggregation", {0, ++messages}, opinion},
               beginning);
    for (const auto& write : d.changes.writes)
      if (const auto* done = std::get_if<core::finalize_unit>(&write)) {
        u.result = done->result;
        u.confidence = done->confidence;
        u.route = done->route;
      }
    return d.answer.finalized;
  }

  /// `voices` are names with their answers: `ana:red`.
  finished_unit& with(const std::vector<std::string>& voices) {
    for (const auto& voice : voices) {
      const auto colon = voice.find(':');
      judge(voice.substr(0, colon), voice.substr(colon + 1));
      aggregate();
    }
    BOOST_REQUIRE((u.state == unit_state::finalized));
    return *this;
  }

  core::decision<core::repaired> without(const std::set<std::string>& gone,
                                         std::optional<core::model_opinion> opinion = {}) {
    std::vector<core::trusted_answer> counted;
    for (const auto& j : u.judgments)
      if (!j.tainted)
        counted.push_back({j.answer, j.trust, core::lot_of(u.id, j.contributor)});
    core::standing_result standing;
    if (!counted.empty() && policy.method != core::aggregation_method::incremental) {
      const auto found = core::aggregate_of(policy, counted);
      standing = {found.answer, found.correction, found.tied > 1};
    } else {
      standing.answer = "red";
    }
    standing.votes = votes;
    return core::repair(u, policy, ways, {gone, standing, std::move(opinion), {}, repair},
                        beginning);
  }

  core::uuid_source ids{7};
  core::aggregation_policy policy;
  std::vector<core::way> ways;
  core::repair_policy repair = core::repair_policy::refill;
  std::optional<std::uint32_t> votes; ///< That the stored result says.
  core::unit_record u;
  core::event_seq messages = 0;
};

core::aggregation_policy stopping(std::uint32_t min, std::uint32_t max, double stop_at) {
  core::aggregation_policy policy;
  policy.stopping.emplace();
  policy.stopping->min = min;
  policy.stopping->max = max;
  policy.stopping->stop_at = stop_at;
  return policy;
}

core::way leading_on(const std::string& answer) {
  core::way way;
  way.rule.when.answers = {answer};
  way.rule.to = {"next"};
  way.targets = {{1, false}};
  return way;
}

std::string said(const core::decision<core::repaired>& d) {
  static const char* const names[] = {"unconcerned", "unchanged", "changed", "reopened", "went on"};
  std::string text = names[static_cast<std::size_t>(d.answer.outcome)];
  for (const auto& write : d.changes.writes)
    text += "; " + std::visit(write_text{}, write);
  for (const auto& event : d.changes.events)
    text += "; tells " + std::string{to_string(event.type)};
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(repair)

// A27, G-7
// finding C1
BOOST_AUTO_TEST_CASE(a_result_that_stands_by_too_few_judgments_is_asked_for_again) {
  finished_unit f;
  f.with({"ana:cat", "bob:cat", "eve:cat"});
  BOOST_TEST(said(f.without({"bob", "eve"}))
             == "reopened; taint_judgment of bob at 0s; taint_judgment of eve at 0s;"
                " reopen_unit 3 slots at 0s; tells UnitReopened");
  BOOST_TEST(core::free_slots(f.u) == 2U);
}

// finding C1
BOOST_AUTO_TEST_CASE(a_result_that_is_kept_says_what_it_rests_on) {
  finished_unit f;
  f.repair = core::repair_policy::keep;
  f.with({"ana:cat", "bob:cat", "eve:dog"});
  BOOST_TEST(said(f.without({"bob", "eve"}))
             == R"(unchanged; taint_judgment of bob at 0s; taint_judgment of eve at 0s;)"
                R"( restate_unit {"answer":"cat","confidence":1,"votes":{"cat":1},"tied":1,)"
                R"("rests_on":1} confidence 1.000000)");
  BOOST_TEST((f.u.state == unit_state::finalized));
  BOOST_TEST(core::counted_judgments(f.u) == 1U);
  f.votes = 1;
  BOOST_TEST(said(f.without({"bob", "eve"})) == "unconcerned");
}

// finding C1
BOOST_AUTO_TEST_CASE(a_result_that_the_stopping_rule_is_content_with_counts_what_is_left) {
  finished_unit f{stopping(2, 5, 0.8)};
  f.with({"ana:cat", "bob:dog", "eve:cat", "dan:cat", "gil:cat"});
  BOOST_TEST(core::counted_judgments(f.u) == 5U);
  BOOST_TEST(said(f.without({"bob"}))
             == R"(unchanged; taint_judgment of bob at 0s; restate_unit {"answer":"cat",)"
                R"("confidence":1,"votes":{"cat":4},"tied":1} confidence 1.000000)");
}

// finding C1: what repairs of earlier versions have left
BOOST_AUTO_TEST_CASE(a_result_that_counts_what_was_marked_before_is_repaired_as_well) {
  finished_unit f;
  f.with({"ana:cat", "bob:cat", "eve:cat"});
  f.u.judgments[1].tainted = f.u.judgments[2].tainted = true;
  f.votes = 3;
  finished_unit kept = f;
  kept.repair = core::repair_policy::keep;
  BOOST_TEST(said(f.without({"bob"})) == "reopened; reopen_unit 3 slots at 0s; tells UnitReopened");
  BOOST_TEST(said(kept.without({"bob"}))
             == R"(unchanged; restate_unit {"answer":"cat","confidence":1,"votes":{"cat":1},)"
                R"("tied":1,"rests_on":1} confidence 1.000000)");
}

BOOST_AUTO_TEST_CASE(another_winner_takes_the_result_back) {
  finished_unit f;
  f.with({"ana:red", "bob:blue", "eve:blue"});
  BOOST_TEST(said(f.without({"bob", "eve"}))
             == "reopened; taint_judgment of bob at 0s; taint_judgment of eve at 0s;"
                " reopen_unit 3 slots at 0s; tells UnitReopened");
  BOOST_TEST((f.u.state == unit_state::judgable));
  BOOST_TEST(core::free_slots(f.u) == 2U);
  BOOST_TEST(f.u.reopened == 1U);
}

// A29: a stopping rule may be content with what is left, or want one more
BOOST_AUTO_TEST_CASE(where_the_others_are_enough_they_give_the_next_result_at_once) {
  // A model was sure of red because of those who are gone; the others say blue.
  core::aggregation_policy policy = stopping(2, 5, 0.7);
  policy.method = core::aggregation_method::incremental;
  policy.labels = {"blue", "red"};
  finished_unit f{policy};
  for (const auto* who : {"ana", "bob", "eve"}) {
    f.judge(who, who[0] == 'e' ? "red" : "blue");
    const auto count = static_cast<std::uint32_t>(f.u.judgments.size());
    const bool last = who[0] == 'e';
    BOOST_TEST(f.aggregate(core::model_opinion{{last ? 0.1 : 0.5, last ? 0.9 : 0.5}, count})
               == last);
    if (last)
      break;
  }
  const auto d = f.without({"eve"}, core::model_opinion{{0.8, 0.2}, 2});
  BOOST_TEST((d.answer.outcome == repair_outcome::changed));
  BOOST_TEST(f.u.slots == 2U);
  BOOST_TEST(core::ready_to_aggregate(f.u));
  BOOST_TEST(f.aggregate(core::model_opinion{{0.8, 0.2}, 2}));
  BOOST_TEST(f.u.result.find(R"("answer":"blue")") != std::string::npos);
  // Less sure, they want one more.
  f.u.state = unit_state::finalized;
  f.repair = core::repair_policy::keep;
  const auto again = f.without({"bob"}, core::model_opinion{{0.4, 0.6}, 1});
  BOOST_TEST((again.answer.outcome == repair_outcome::unchanged));
  const auto last = f.without({"ana"}, core::model_opinion{{0.5, 0.5}, 0});
  BOOST_TEST((last.answer.outcome == repair_outcome::reopened));
  BOOST_TEST(core::free_slots(f.u) == 2U);
}

// finding C2
BOOST_AUTO_TEST_CASE(a_tie_stays_as_it_was_told_although_another_lot_is_the_least) {
  finished_unit f;
  f.u.slots = 4;
  f.repair = core::repair_policy::keep;
  std::vector<std::string> by_lot{"ana", "bob", "eve", "joe"};
  std::sort(by_lot.begin(), by_lot.end(), [&](const auto& a, const auto& b) {
    return core::lot_of(f.u.id, a) < core::lot_of(f.u.id, b);
  });
  f.with({by_lot[0] + ":red", by_lot[1] + ":blue", by_lot[2] + ":blue", by_lot[3] + ":red"});
  BOOST_TEST(f.u.result.find(R"("answer":"red")") != std::string::npos);
  const auto d = f.without({by_lot[0], by_lot[1]});
  BOOST_TEST((d.answer.outcome == repair_outcome::unchanged));
  BOOST_TEST(f.u.result.find(R"("answer":"red")") != std::string::npos);
  BOOST_TEST(f.u.result.find(R"("votes":{"blue":1,"red":1})") != std::string::npos);
}

// A model that does not know the judgments would decide about another unit.
BOOST_AUTO_TEST_CASE(an_opinion_of_other_judgments_is_our_own_mistake) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::incremental;
  policy.labels = {"blue", "red"};
  finished_unit f{policy};
  for (const auto* who : {"ana", "bob", "eve"})
    f.judge(who, "red");
  BOOST_TEST(f.aggregate(core::model_opinion{{0, 1}, 3}));
  BOOST_CHECK_THROW(f.without({"eve"}, core::model_opinion{{0, 1}, 3}), core::broken_invariant);
  BOOST_CHECK_THROW(f.without({"eve"}), core::broken_invariant);
}

// A126, I-5: what was made from a result that is taken back is named, so that it can be withdrawn
BOOST_AUTO_TEST_CASE(a_result_from_which_others_were_made_is_taken_back_with_word_of_where_it_led) {
  finished_unit on{{}, {leading_on("blue")}};
  on.with({"ana:red", "bob:blue", "eve:blue"});
  const auto d = on.without({"eve"});
  BOOST_TEST((d.answer.outcome == repair_outcome::reopened));
  BOOST_TEST(d.answer.reissued);
  BOOST_REQUIRE(d.changes.events.size() == 1U);
  BOOST_TEST(d.changes.events[0].details.find(R"("route":{"to":["next"]})") != std::string::npos);
  finished_unit stands{{}, {leading_on("red")}};
  stands.repair = core::repair_policy::keep;
  stands.with({"ana:red", "bob:red", "eve:blue"});
  BOOST_TEST((stands.without({"eve"}).answer.outcome == repair_outcome::unchanged));
  finished_unit ended{{}, {leading_on("red")}};
  ended.with({"ana:red", "bob:blue", "eve:blue"});
  const auto alone = ended.without({"eve"});
  BOOST_TEST((alone.answer.outcome == repair_outcome::reopened));
  BOOST_TEST(!alone.answer.reissued);
  BOOST_TEST(alone.changes.events[0].details.find("route") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(chunks_follow_each_other_to_the_end) {
  core::repair_row row;
  row.through = 2 * core::repair_chunk + 1;
  int chunks = 0;
  while (!row.done()) {
    BOOST_TEST(core::next_bookmark(row) > row.bookmark);
    row.bookmark = core::next_bookmark(row);
    ++chunks;
  }
  BOOST_TEST(chunks == 3);
  BOOST_TEST(row.bookmark == row.through);
  BOOST_TEST(core::repair_row{}.done());
}

// Whatever was said and whoever goes: what is decided is what the judgments that are left ask for.
BOOST_AUTO_TEST_CASE(every_outcome_is_that_of_the_judgments_that_are_left) {
  random_source random{20261122};
  std::array<int, 4> seen{};
  for (int round = 0; round < 5000; ++round) {
    const auto flexible = random.below(2) == 0;
    finished_unit f{flexible ? stopping(1 + static_cast<std::uint32_t>(random.below(3)), 5, 0.6)
                             : core::aggregation_policy{},
                    random.below(3) == 0 ? std::vector<core::way>{leading_on("a")}
                                         : std::vector<core::way>{}};
    for (int who = 0; f.u.state != unit_state::finalized; ++who) {
      f.judge("c" + std::to_string(who), std::string(1, static_cast<char>('a' + random.below(3))));
      f.aggregate();
    }
    f.repair = random.below(2) == 0 ? core::repair_policy::keep : core::repair_policy::refill;
    std::set<std::string> gone;
    for (std::size_t who = 0; who < f.u.judgments.size(); ++who)
      if (random.below(2) == 0)
        gone.insert("c" + std::to_string(who));
    const auto before = f.u;
    const auto d = f.without(gone);
    ++seen[static_cast<std::size_t>(d.answer.outcome)];

    const auto left = core::counted_judgments(before) - gone.size();
    const bool touched = d.answer.outcome != repair_outcome::unconcerned;
    BOOST_TEST(core::counted_judgments(f.u) == (touched ? left : before.judgments.size()));
    BOOST_TEST(d.answer.disregarded == (touched ? gone.size() : 0));
    BOOST_TEST(gone.empty() == (d.answer.outcome == repair_outcome::unconcerned));
    const bool opened =
        d.answer.outcome == repair_outcome::changed || d.answer.outcome == repair_outcome::reopened;
    BOOST_TEST((f.u.state == unit_state::judgable) == opened);
    BOOST_TEST(d.changes.events.size() == (opened ? 1U : 0U));
    // A result that stays rests on what counts, and on enough unless it is to be kept.
    if (d.answer.outcome == repair_outcome::unchanged) {
      std::vector<std::string> counted;
      for (const auto& j : f.u.judgments)
        if (!j.tainted)
          counted.push_back(j.answer);
      auto found = core::majority(counted);
      // Of a tie the answer stays that was told.
      const auto told =
          std::find_if(found.support.begin(), found.support.end(), [&](const auto& a) {
            return before.result.find(R"("answer":")" + a.answer + '"') != std::string::npos;
          });
      BOOST_REQUIRE((told != found.support.end() && core::may_win(found, told->answer)));
      found.answer = told->answer;
      const auto text = core::to_json(found);
      BOOST_TEST(f.u.result.substr(0, text.size() - 1) == text.substr(0, text.size() - 1));
      BOOST_TEST(f.u.confidence == found.confidence);
      const bool is_enough =
          flexible ? core::enough(*f.policy.stopping, found) : counted.size() >= f.u.slots;
      BOOST_TEST((is_enough || f.repair == core::repair_policy::keep));
      BOOST_TEST(is_enough == (f.u.result.find("rests_on") == std::string::npos));
    }
    if (opened) {
      // I-1, and it can be finished: at once, or by as many as it has room for.
      BOOST_TEST((core::free_slots(f.u) == 0) == (d.answer.outcome == repair_outcome::changed));
      BOOST_TEST(f.aggregate() == (d.answer.outcome == repair_outcome::changed));
      const bool led_on = core::way_taken(before.route, f.ways) != nullptr;
      BOOST_TEST(d.answer.reissued == led_on);
      for (int who = 100; f.u.state != unit_state::finalized; ++who) {
        BOOST_REQUIRE(who < 110);
        f.judge("c" + std::to_string(who), "a");
        f.aggregate();
      }
      if (f.policy.stopping)
        BOOST_TEST(core::counted_judgments(f.u) <= 5U);
    }
    BOOST_TEST((f.without(gone).answer.outcome == repair_outcome::unconcerned));
  }
  for (const auto count : seen)
    BOOST_TEST(count > 10);
}

// A31, A32: a repair about somebody who is at work takes all who are as they are known today
BOOST_AUTO_TEST_CASE(judgments_that_count_again_may_change_the_answer) {
  core::aggregation_policy weighted;
  weighted.method = core::aggregation_method::weighted;
  finished_unit f{weighted};
  f.with({"ana:blue", "bob:blue", "eve:red"});
  f.u.judgments[2].tainted = true;
  core::disregard_finished command;
  command.result = {"blue", "", false};
  const auto trusted = [](double mean) { return core::trust_course{{mean, 1}, {}}; };
  command.at_work = {{"ana", trusted(0.3)}, {"bob", trusted(0.3)}, {"eve", trusted(0.9)}};
  const auto again = core::counting_again(f.u, command);
  BOOST_REQUIRE(again.size() == 1U);
  BOOST_TEST(again.front().contributor == "eve");
  const auto done = core::repair(f.u, f.policy, f.ways, command, beginning);
  BOOST_TEST((done.answer.outcome == repair_outcome::changed));
  BOOST_TEST(done.answer.disregarded == 3U);
  BOOST_TEST((f.u.state == unit_state::judgable));
  BOOST_TEST(core::ready_to_aggregate(f.u));
  BOOST_TEST(f.u.judgments[2].trust == 0.9);
  std::size_t weights = 0;
  std::size_t restored = 0;
  for (const auto& write : done.changes.writes) {
    weights += std::holds_alternative<core::set_judgment_trust>(write) ? 1 : 0;
    restored += std::holds_alternative<core::restore_judgment>(write) ? 1 : 0;
  }
  BOOST_TEST(weights == 3U);
  BOOST_TEST(restored == 1U);
  BOOST_TEST(done.changes.events.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_question_stands_for_all_who_answered_it) {
  core::unit_id question;
  question.value.bytes[15] = 7;
  const auto name = core::answerers_of(question);
  BOOST_TEST(name == "question:00000000-0000-0000-0000-000000000007");
  BOOST_TEST((core::question_named(name) == question));
  BOOST_TEST(core::names_a_question(name));
  for (const auto* other : {"ana", "question", "question:", "question:7", "task:question:7"})
    BOOST_TEST(!core::question_named(other), other);
  BOOST_TEST(core::names_a_question("question:7"));
  BOOST_TEST(!core::names_a_question("questions"));
}

// I-1: others have taken the place since; and a result that stands is that of what is stored
BOOST_AUTO_TEST_CASE(judgment_that_would_count_again_has_no_room_or_changes_nothing) {
  finished_unit f;
  f.with({"ana:blue", "bob:blue", "eve:red"});
  core::disregard_finished command;
  command.result = {"blue", "", false};
  const core::trust_course same{{f.u.judgments[0].trust, f.u.judgments[0].trust_questions}, {}};
  command.at_work = {{"ana", same}, {"bob", same}, {"eve", same}};
  BOOST_TEST((core::repair(f.u, f.policy, f.ways, command, beginning).answer.outcome
              == repair_outcome::unconcerned));
  f.u.judgments[2].tainted = true;
  const auto stands = core::repair(f.u, f.policy, f.ways, command, beginning);
  BOOST_TEST((stands.answer.outcome == repair_outcome::unchanged));
  BOOST_TEST(stands.answer.disregarded == 1U);
  BOOST_TEST(stands.changes.empty());
  f.u.slots = 2;
  BOOST_TEST(core::counting_again(f.u, command).empty());
  BOOST_TEST((core::repair(f.u, f.policy, f.ways, command, beginning).answer.outcome
              == repair_outcome::unconcerned));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
