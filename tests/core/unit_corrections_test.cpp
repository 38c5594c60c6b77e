// What somebody in charge corrects about one unit, as far as the scenarios do not see it: rows,
// events, and what holds under any sequence of corrections.

#include "core/unit_corrections.hpp"

#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"
#include "tests/core/unit_mirror.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

using core::errc;
using core::unit_state;

core::way corrected_way(const std::string& answer, const std::string& to) {
  core::way way;
  way.rule.when.answers = {answer};
  way.rule.to = {to};
  way.targets = {{1, false}};
  return way;
}

/// One unit, with what its database row holds of the result.
struct corrected_unit {
  corrected_unit() {
    u.id = {ids.next(beginning)};
    u.step = {ids.next(beginning)};
    u.root = u.id;
    u.slots = 3;
  }

  core::lease ask(const std::string& who) {
    const auto asked = decide(u, leases, core::ask{who, {ids.next(beginning)}}, now);
    BOOST_REQUIRE(asked.refusal == errc::none);
    return asked.answer;
  }

  core::judgment_id judge(const std::string& who, const std::string& answer) {
    const auto lease = ask(who);
    const core::judgment_id id{ids.next(beginning)};
    const auto judged =
        decide(u, leases, core::submit{who, lease.token, id, "{}", answer, {}, std::nullopt}, now);
    BOOST_REQUIRE(judged.refusal == errc::none);
    return id;
  }

  void finish() {
    const auto d =
        decide(u, policy, ways, core::aggregate_if_ready{"aggregation", {0, ++messages}}, now);
    BOOST_REQUIRE(d.answer.finalized);
    keep(d.changes);
  }

  /// Takes over what the database would hold of the result.
  void keep(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* done = std::get_if<core::finalize_unit>(&write)) {
        u.result = done->result;
        u.confidence = done->confidence;
        u.route = done->route;
      } else if (const auto* said = std::get_if<core::override_unit>(&write)) {
        u.result = said->result;
        u.confidence = 1;
        u.route = said->route;
      }
  }

  core::correction_command command(decltype(core::correction_command::what) what) {
    return {{{ids.next(beginning)}, ++number, "token rita", "it is wrong"}, std::move(what)};
  }

  core::corrected correct(decltype(core::correction_command::what) what,
                          core::finished_result was = {}) {
    const core::correction_rules rules{leases, policy, ways};
    auto d = u.state == unit_state::finalized
                 ? core::correct_finished(u, rules, command(std::move(what)), was, now)
                 : core::correct(u, rules, command(std::move(what)), now);
    if (d.refusal != errc::none || d.changes.empty())
      --number;
    keep(d.changes);
    return d;
  }

  core::uuid_source ids{7};
  core::lease_policy leases;
  core::aggregation_policy policy;
  std::vector<core::way> ways;
  core::unit_record u;
  core::instant now = beginning;
  core::event_seq messages = 0;
  std::uint32_t number = 0;
};

core::finished_result result_of(const std::string& answer, std::uint32_t votes) {
  core::finished_result was;
  was.standing.answer = answer;
  was.standing.votes = votes;
  return was;
}

std::string writes_of(const core::corrected& d) {
  std::string text;
  for (const auto& write : d.changes.writes)
    text += (text.empty() ? "" : "; ") + std::visit(write_text{}, write);
  for (const auto& event : d.changes.events)
    text += "; tells " + std::string{to_string(event.type)};
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(unit_corrections)

// A35, I-5
BOOST_AUTO_TEST_CASE(an_override_says_who_has_said_so_and_what_was_there) {
  corrected_unit f;
  for (const auto* who : {"ana", "bob"})
    f.judge(who, "cat");
  f.judge("eve", "dog");
  f.finish();
  const auto d = f.correct(core::override_result{"dog", {}, {}}, result_of("cat", 3));
  BOOST_REQUIRE(d.refusal == errc::none);
  BOOST_TEST(f.u.result
             == R"({"answer":"dog","confidence":1,"votes":{"cat":2,"dog":1},"tied":1,)"
                R"("overridden":{"by":"token rita","reason":"it is wrong",)"
                R"("at":"2023-11-14T22:13:20.000000Z","was":{"answer":"cat","confidence":0.666667,)"
                R"("votes":{"cat":2,"dog":1},"tied":1}}})");
  BOOST_TEST(d.answer.took_back);
  BOOST_TEST(d.answer.made_result);
  BOOST_TEST(!d.answer.is_open);
  BOOST_TEST(f.u.overridden);
  BOOST_TEST(f.u.reopened == 1U);
  BOOST_REQUIRE_EQUAL(d.changes.events.size(), 2U);
  BOOST_TEST(to_string(d.changes.events[0].type) == "UnitReopened");
  BOOST_TEST(
      d.changes.events[0].details.find(R"("correction":{"by":"token rita","reason":"it is wrong"})")
      != std::string::npos);
  const auto& told = d.changes.events[1];
  BOOST_TEST(to_string(told.type) == "UnitFinalized");
  BOOST_TEST(told.details.find(R"("revision":2)") != std::string::npos);
  // What the judgments are worth is told against what the requester says.
  BOOST_TEST(told.details.find(R"("contributor_id":"ana","answer":"cat","agrees":false)")
             != std::string::npos);
  BOOST_TEST(told.details.find(R"("contributor_id":"eve","answer":"dog","agrees":true)")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_override_of_an_override_keeps_what_the_judgments_gave) {
  corrected_unit f;
  f.judge("ana", "cat");
  f.correct(core::override_result{"dog", {}, {}});
  BOOST_TEST(f.u.result.find(R"("was")") == std::string::npos);
  auto was = result_of("dog", 1);
  was.standing.overridden = true;
  was.before_override = R"({"answer":"cat"})";
  f.correct(core::override_result{"owl", {}, {}}, was);
  BOOST_TEST(f.u.result.find(R"("was":{"answer":"cat"}}})") != std::string::npos);
}

// A34
BOOST_AUTO_TEST_CASE(an_override_takes_the_route_of_its_answer) {
  corrected_unit f;
  f.ways = {corrected_way("cat", "first"), corrected_way("dog", "second")};
  for (const auto* who : {"ana", "bob", "eve"})
    f.judge(who, "cat");
  f.finish();
  BOOST_TEST(f.u.route == 0);
  const auto d = f.correct(core::override_result{"dog", {}, {}}, result_of("cat", 3));
  BOOST_TEST(f.u.route == 1);
  BOOST_TEST(d.changes.events[0].details.find(R"("route":{"to":["first"]})") != std::string::npos);
  BOOST_TEST(d.changes.events[1].details.find(R"("to":["second"])") != std::string::npos);
}

// The same answer may go another way: a route may go by confidence.
BOOST_AUTO_TEST_CASE(the_same_answer_on_another_route_takes_the_result_back) {
  corrected_unit f;
  core::way unsure = corrected_way("cat", "review");
  unsure.rule.when.confidence_below = 0.9;
  f.ways = {unsure, corrected_way("cat", "done")};
  for (const auto* who : {"ana", "bob"})
    f.judge(who, "cat");
  f.judge("eve", "dog");
  f.finish();
  BOOST_REQUIRE_EQUAL(f.u.route, 0);
  const auto d = f.correct(core::override_result{"cat", {}, {}}, result_of("cat", 3));
  BOOST_TEST(d.answer.took_back);
  BOOST_TEST(f.u.route == 1);
}

// I-1
BOOST_AUTO_TEST_CASE(an_override_of_an_open_unit_ends_its_leases) {
  corrected_unit f;
  f.judge("ana", "cat");
  const auto held = f.ask("bob");
  const auto d = f.correct(core::override_result{"dog", {}, {}});
  BOOST_TEST(f.u.leases.active.empty());
  BOOST_TEST(
      writes_of(d).find("end_lease_row bob token " + std::to_string(held.token) + " Canceled")
      == 0U);
  BOOST_TEST(to_string(d.changes.events.back().type) == "UnitFinalized");
  // Whoever held one hears the truth.
  const auto late = decide(f.u, f.leases, core::extend{"bob", held.token}, f.now);
  BOOST_TEST((late.refusal == errc::lease_not_held));
  BOOST_TEST(late.detail == "the requester has given the result of the unit");
}

BOOST_AUTO_TEST_CASE(units_that_have_no_result_of_their_own_are_not_corrected) {
  corrected_unit question;
  question.u.truth = R"({"answer":"cat"})";
  BOOST_TEST((question.correct(core::override_result{"cat", {}, {}}).refusal == errc::wrong_state));
  corrected_unit canceled;
  decide(canceled.u, canceled.leases, core::unit_verb::cancel, canceled.now);
  BOOST_TEST((canceled.correct(core::override_result{"cat", {}, {}}).refusal == errc::wrong_state));
  corrected_unit open;
  const core::correction_rules rules{open.leases, open.policy, open.ways};
  open.u.state = unit_state::finalized; // since somebody has looked
  BOOST_TEST((core::correct(open.u, rules, open.command(core::reopen_finished{}), open.now).refusal
              == errc::unavailable));
}

// A27
BOOST_AUTO_TEST_CASE(a_judgment_that_was_tainted_by_request_waits_for_a_request) {
  corrected_unit f;
  const auto id = f.judge("ana", "cat");
  const auto d = f.correct(core::taint_one{id});
  BOOST_TEST(writes_of(d)
             == "taint_judgment of ana at 0s; set_taint_requested of ana; insert_correction 1 "
                "tainted of ana by token rita: it is wrong wants 1 open at 0s");
  BOOST_TEST(decide(f.u, core::reinstate{"ana"}, f.now).changes.empty());
  const auto again = f.correct(core::reinstate_one{id, false});
  BOOST_TEST(
      writes_of(again)
      == "restore_judgment of ana; set_taint_requested of ana no more; insert_correction 2 "
         "reinstated of ana by token rita: it is wrong open at 0s; tells JudgmentReinstated");
  BOOST_TEST(
      (f.correct(core::reinstate_one{{f.ids.next(beginning)}, false}).refusal == errc::not_found));
}

// A27, I-11
BOOST_AUTO_TEST_CASE(a_repair_of_somebody_at_work_leaves_out_what_was_tainted_by_request) {
  corrected_unit f;
  f.u.slots = 2;
  const auto id = f.judge("ana", "dog");
  f.correct(core::taint_one{id});
  f.judge("bob", "cat");
  f.judge("eve", "cat");
  f.finish();
  f.u.slots = 3;
  core::disregard_finished today;
  today.result = result_of("cat", 2).standing;
  for (const auto* who : {"ana", "bob", "eve"})
    today.at_work[who] = {};
  BOOST_TEST(core::counting_again(f.u, today).empty());
}

namespace {

/// Random work and corrections on one unit, beside a mirror that refuses what the store would.
class correction_trial {
public:
  explicit correction_trial(std::uint64_t seed) : random_(seed) {
    f_.u.slots = 1 + static_cast<std::uint32_t>(random_.below(3));
    f_.leases.regrant_after = core::duration::zero();
    mirror_.emplace(f_.u, f_.leases);
  }

  void step() {
    f_.now += std::chrono::seconds{1};
    const std::vector<std::string> people{"ana", "bob", "dan", "eve", "joe"};
    const auto& who = people[random_.below(people.size())];
    switch (random_.below(8)) {
    case 0:
    case 1:
      return apply(decide(f_.u, f_.leases, core::ask{who, {f_.ids.next(beginning)}}, f_.now));
    case 2:
    case 3: {
      const auto* held = find_lease(f_.u.leases, who);
      return apply(decide(f_.u, f_.leases,
                          core::submit{who,
                                       held == nullptr ? 0 : held->token,
                                       {f_.ids.next(beginning)},
                                       "{}",
                                       random_.one_in(3) ? "dog" : "cat",
                                       {},
                                       std::nullopt},
                          f_.now));
    }
    case 4: {
      const auto d = decide(f_.u, f_.policy, f_.ways,
                            core::aggregate_if_ready{"aggregation", {3, ++f_.messages}}, f_.now);
      f_.keep(d.changes);
      return apply(d);
    }
    case 5:
      return correct(core::override_result{random_.one_in(2) ? "dog" : "owl", {}, {}});
    case 6:
      return correct(core::reopen_finished{1 + static_cast<std::uint32_t>(random_.below(2))});
    default: {
      if (f_.u.judgments.empty())
        return;
      const auto& about = f_.u.judgments[random_.below(f_.u.judgments.size())].id;
      if (random_.one_in(2))
        return correct(core::taint_one{about});
      return correct(core::reinstate_one{about, random_.one_in(4)});
    }
    }
  }

  std::size_t taken_back() const { return f_.u.reopened; }

private:
  void correct(decltype(core::correction_command::what) what) {
    core::finished_result was;
    if (f_.u.state == unit_state::finalized) {
      const auto from = f_.u.result.find(R"("answer":")") + 10;
      was.standing.answer = f_.u.result.substr(from, f_.u.result.find('"', from) - from);
      was.standing.overridden = f_.u.overridden;
      was.standing.tied = f_.u.result.find(R"("tied":1)") == std::string::npos;
      was.standing.votes = core::counted_judgments(f_.u);
    }
    const auto results = f_.u.reopened + (f_.u.state == unit_state::finalized ? 1 : 0);
    const auto d = f_.correct(std::move(what), was);
    const auto after = f_.u.reopened + (f_.u.state == unit_state::finalized ? 1 : 0);
    // I-5: the row says what verify counts by it.
    BOOST_TEST(after - results == (d.answer.made_result ? 1U : 0U));
    apply(d);
  }

  template <class Answer>
  void apply(const core::decision<Answer>& d) {
    if (d.refusal != errc::none)
      BOOST_TEST(d.changes.empty());
    mirror_->apply(d.changes);
    BOOST_TEST(mirror_->describe_at(f_.now) == unit_mirror::describe_at(f_.u, f_.now));
    // I-1
    BOOST_TEST(f_.u.leases.active.size() + core::counted_judgments(f_.u) <= f_.u.slots);
    if (f_.u.state == unit_state::finalized) {
      BOOST_TEST(f_.u.leases.active.empty());
      BOOST_TEST(!f_.u.result.empty());
      BOOST_TEST(f_.u.overridden == (f_.u.result.find(R"("overridden")") != std::string::npos));
    }
    for (const auto& j : f_.u.judgments)
      BOOST_TEST((j.tainted || !j.taint_requested));
    std::map<std::string, int> told;
    for (const auto& e : d.changes.events)
      ++told[std::string{to_string(e.type)}];
    int reopened = 0;
    int finalized = 0;
    for (const auto& w : d.changes.writes) {
      reopened += std::holds_alternative<core::reopen_unit>(w) ? 1 : 0;
      finalized += std::holds_alternative<core::finalize_unit>(w) ? 1 : 0;
      if (const auto* said = std::get_if<core::override_unit>(&w)) {
        reopened += said->found == core::overridden_state::taken_back ? 1 : 0;
        finalized += said->found == core::overridden_state::stands ? 0 : 1;
      }
    }
    BOOST_TEST(told["UnitReopened"] == reopened);
    BOOST_TEST(told["UnitFinalized"] == finalized);
  }

  random_source random_;
  corrected_unit f_;
  std::optional<unit_mirror> mirror_;
};

} // namespace

// A27, A35, I-1, I-5
BOOST_AUTO_TEST_CASE(a_unit_keeps_its_promises_under_any_sequence_of_corrections) {
  std::size_t taken_back = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    correction_trial trial{seed};
    for (int step = 0; step < 120; ++step)
      BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) { trial.step(); }
    taken_back += trial.taken_back();
  }
  BOOST_TEST(taken_back > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
