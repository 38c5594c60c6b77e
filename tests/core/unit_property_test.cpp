// Whatever is asked of a unit, in whatever order: it does what a model says that keeps everything
// in maps and knows nothing of how the unit is built, and it keeps its promises to the database.

#include "core/unit.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"
#include "tests/core/unit_mirror.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using core::errc;
using core::unit_state;

namespace {

using command = std::variant<core::ask, core::extend, core::give_back, core::submit, core::expire,
                             core::aggregate_if_ready, core::disregard, core::reinstate,
                             core::withdraw, core::unit_verb>;

/// What a decision said, in a form that all decisions share.
struct result {
  errc refusal = errc::none;
  std::string answer;
  core::change changes;
};

template <class Answer, class Text>
result told(core::decision<Answer> d, Text&& text) {
  auto answer = d.refusal == errc::none ? text(d.answer) : std::string{};
  return {d.refusal, std::move(answer), std::move(d.changes)};
}

/// Carries out any command on a unit.
struct carried_out {
  core::unit& u;
  const core::lease_policy& policy;
  const core::aggregation_policy& aggregation;
  core::instant now;

  result operator()(const core::ask& c) const {
    return told(decide(u, policy, c, now), [](const core::lease& l) { return describe(l); });
  }
  result operator()(const core::extend& c) const {
    return told(decide(u, policy, c, now), [](const core::lease& l) { return describe(l); });
  }
  result operator()(const core::give_back& c) const {
    return told(decide(u, policy, c, now), [](bool) { return std::string{"given back"}; });
  }
  result operator()(const core::submit& c) const {
    return told(decide(u, policy, c, now), [](const core::submitted& s) {
      return to_string(s.judgment) + (s.repeated ? " repeated" : "") + (s.surplus ? " kept" : "");
    });
  }
  result operator()(const core::expire& c) const {
    return told(decide(u, policy, c, now), [](std::uint32_t n) { return std::to_string(n); });
  }
  result operator()(const core::aggregate_if_ready& c) const {
    return told(decide(u, aggregation, {}, c, now), [](const core::aggregated& done) {
      return std::string{done.finalized ? "done" : "not"};
    });
  }
  result operator()(const core::disregard& c) const {
    return told(decide(u, policy, c, now),
                [](bool done) { return std::string{done ? "done" : "nothing"}; });
  }
  result operator()(const core::withdraw& c) const {
    return told(decide(u, policy, {}, c, now),
                [](bool done) { return std::string{done ? "done" : "nothing"}; });
  }
  result operator()(const core::reinstate& c) const {
    return told(decide(u, c, now),
                [](bool done) { return std::string{done ? "done" : "nothing"}; });
  }
  result operator()(core::unit_verb verb) const {
    return told(decide(u, policy, verb, now),
                [](unit_state s) { return std::string{to_string(s)}; });
  }
};

/// The rules of a unit once more, as plainly as they can be put.
class model {
public:
  model(std::uint32_t first, core::lease_policy policy, core::aggregation_policy aggregation)
      : slots(first), policy_(policy), aggregation_(std::move(aggregation)) {}

  struct verdict {
    errc refusal = errc::none;
    bool writes = false; ///< Whether anything is to be stored.
  };

  verdict operator()(const core::ask& c) {
    if (const auto held = leases.find(c.contributor); held != leases.end())
      return held->second.id == c.assignment && now < held->second.expires_at
                 ? verdict{}
                 : verdict{errc::already_exists};
    if (judgments.count(c.contributor) != 0)
      return {errc::already_judged};
    if (state != unit_state::judgable)
      return {errc::wrong_state};
    if (leases.size() + counted() == slots || now < bars[c.contributor])
      return {errc::no_unit_available};
    last_expired.erase(c.contributor);
    last_token = std::max(last_token + 1, c.token_min);
    leases[c.contributor] = {c.assignment, c.contributor, last_token, now, now + policy_.ttl};
    return {errc::none, true};
  }

  verdict operator()(const core::extend& c) {
    if (const auto refusal = check(c.contributor, c.token); refusal != errc::none)
      return {refusal};
    auto& held = leases[c.contributor];
    const auto until = std::min(now + policy_.ttl, held.granted_at + policy_.total_max);
    if (until <= held.expires_at)
      return {errc::not_extendable};
    held.expires_at = until;
    return {errc::none, true};
  }

  verdict operator()(const core::give_back& c) {
    if (const auto held = leases.find(c.contributor); held != leases.end()) {
      if (held->second.token != c.token)
        return {errc::stale_token};
      leases.erase(held);
      if (c.decline)
        bars[c.contributor] = core::instant::max();
      return {errc::none, true};
    }
    if (judgments.count(c.contributor) != 0 || kept_under.count({c.contributor, c.token}) != 0)
      return {errc::already_judged};
    return {c.token >= 1 && c.token <= last_token ? errc::none : errc::lease_not_held};
  }

  verdict operator()(const core::submit& c) {
    if (surplus.count({c.contributor, c.judgment}) != 0)
      return {};
    if (const auto earlier = judgments.find(c.contributor); earlier != judgments.end())
      return {earlier->second != c.judgment          ? errc::already_judged
              : answer_of(c.contributor) == c.answer ? errc::none
                                                     : errc::already_exists};
    if (const auto refusal = check(c.contributor, c.token); refusal != errc::none)
      return late(c, refusal);
    leases.erase(c.contributor);
    judgments[c.contributor] = c.judgment;
    answers[c.contributor] = c.answer;
    return {errc::none, true};
  }

  verdict late(const core::submit& c, errc refusal) {
    const std::pair under{c.contributor, c.token};
    const auto last = last_expired.find(c.contributor);
    const bool known =
        kept_under.count(under) != 0 || (last != last_expired.end() && last->second == c.token);
    if (refusal != errc::lease_expired && (refusal != errc::lease_not_held || !known))
      return {refusal};
    if (policy_.late_submit == core::late_submit::reject || state == unit_state::canceled)
      return {refusal};
    if (kept_under.count(under) != 0)
      return {errc::already_judged};
    if (leases.erase(c.contributor) > 0)
      bars[c.contributor] = std::max(bars[c.contributor], now + policy_.regrant_after);
    last_expired[c.contributor] = c.token;
    if (policy_.late_submit == core::late_submit::accept_if_free && live()
        && leases.size() + counted() < slots) {
      last_expired.erase(c.contributor);
      judgments[c.contributor] = c.judgment;
      answers[c.contributor] = c.answer;
    } else {
      surplus.insert({c.contributor, c.judgment});
      kept_under.insert(under);
    }
    return {errc::none, true};
  }

  verdict operator()(const core::expire&) {
    bool any = false;
    for (auto at = leases.begin(); at != leases.end();) {
      if (now < at->second.expires_at) {
        ++at;
        continue;
      }
      bars[at->first] = std::max(bars[at->first], now + policy_.regrant_after);
      last_expired[at->first] = at->second.token;
      at = leases.erase(at);
      any = true;
    }
    return {errc::none, any};
  }

  verdict operator()(const core::aggregate_if_ready&) {
    if (!live() || counted() < slots)
      return {};
    if (enough())
      state = unit_state::finalized;
    else
      ++slots;
    return {errc::none, true};
  }

  verdict operator()(const core::disregard& c) {
    if (!live())
      return {};
    const bool held = leases.erase(c.contributor) > 0;
    if (held)
      bars[c.contributor] = core::instant::max();
    const auto said = answers.find(c.contributor);
    const bool counted = said != answers.end();
    if (counted) {
      left_out.insert(*said);
      answers.erase(said);
    }
    return {errc::none, held || counted};
  }

  verdict operator()(const core::withdraw& c) {
    if (state == unit_state::canceled)
      return {};
    if (live())
      return (*this)(core::unit_verb::cancel);
    if (!c.was || c.was->reopened != reopened)
      return {errc::unavailable};
    state = unit_state::canceled;
    return {errc::none, true};
  }

  verdict operator()(const core::reinstate& c) {
    const auto said = left_out.find(c.contributor);
    if (!live() || said == left_out.end() || leases.size() + counted() == slots)
      return {};
    answers.insert(*said);
    left_out.erase(said);
    ++reinstated;
    return {errc::none, true};
  }

  verdict operator()(core::unit_verb verb) {
    const auto wanted = verb == core::unit_verb::pause    ? unit_state::paused
                        : verb == core::unit_verb::resume ? unit_state::judgable
                                                          : unit_state::canceled;
    if (state == wanted)
      return {};
    if (state == unit_state::finalized || state == unit_state::canceled)
      return {errc::wrong_state};
    state = wanted;
    if (wanted == unit_state::canceled) {
      for (const auto& [who, l] : leases)
        bars[who] = core::instant::max();
      leases.clear();
    }
    return {errc::none, true};
  }

  std::size_t counted() const { return answers.size(); }
  /// Of a contributor who has judged, whether it counts or not.
  const std::string& answer_of(const core::contributor_id& who) const {
    const auto counts = answers.find(who);
    return counts != answers.end() ? counts->second : left_out.at(who);
  }

  core::instant now = beginning;
  std::uint32_t slots;
  std::uint32_t reopened = 0; ///< Stays what it is.
  unit_state state = unit_state::judgable;
  std::map<core::contributor_id, core::lease> leases;
  std::map<core::contributor_id, core::judgment_id> judgments;
  std::map<core::contributor_id, std::string> answers;  ///< That count.
  std::map<core::contributor_id, std::string> left_out; ///< That do not.
  std::size_t reinstated = 0;
  std::map<core::contributor_id, core::instant> bars;
  std::map<core::contributor_id, core::token> last_expired; ///< Where the last lease has.
  std::set<std::pair<core::contributor_id, core::judgment_id>> surplus;
  std::set<std::pair<core::contributor_id, core::token>> kept_under;
  core::token last_token = 0;

private:
  bool live() const { return state == unit_state::judgable || state == unit_state::paused; }

  /// Whether the majority may stand, by counting.
  bool enough() const {
    if (!aggregation_.stopping)
      return true;
    const auto& rule = *aggregation_.stopping;
    std::map<std::string, std::size_t> votes;
    for (const auto& [who, answer] : answers)
      ++votes[answer];
    std::vector<std::size_t> most{0, 0};
    for (const auto& [answer, count] : votes)
      most.push_back(count);
    std::sort(most.rbegin(), most.rend());
    const auto missing = rule.max - counted();
    return counted() >= rule.max
           || (counted() >= rule.min
               && ((rule.stop_at && most[0] >= *rule.stop_at * counted())
                   || (rule.curtail && most[0] > most[1] + missing)));
  }

  errc check(const core::contributor_id& who, core::token presented) const {
    const auto held = leases.find(who);
    if (held == leases.end())
      return errc::lease_not_held;
    if (held->second.token != presented)
      return errc::stale_token;
    return now < held->second.expires_at ? errc::none : errc::lease_expired;
  }

  const core::lease_policy policy_;
  const core::aggregation_policy aggregation_;
};

const std::vector<core::contributor_id> people{"ana", "bob", "eve", "joe", "kim"};

/// One unit, its model and its mirror under a random sequence of commands.
class unit_trial {
public:
  explicit unit_trial(std::uint64_t seed) : random_(seed), ids_(seed) {
    policy_.ttl = core::duration{static_cast<std::int64_t>(10 + random_.below(100))};
    policy_.total_max =
        policy_.ttl * static_cast<std::int64_t>(1 + random_.below(3)); // 1: no extensions
    policy_.regrant_after = core::duration{static_cast<std::int64_t>(random_.below(50))};
    policy_.late_submit = random_.of(std::vector{
        core::late_submit::reject, core::late_submit::accept_if_free, core::late_submit::surplus});
    unit_.id = {ids_.next(beginning)};
    unit_.step = {ids_.next(beginning)};
    unit_.root = unit_.id;
    if (random_.one_in(2)) {
      core::quality::stopping_rule rule;
      rule.max = static_cast<std::uint32_t>(1 + random_.below(5));
      rule.min = static_cast<std::uint32_t>(1 + random_.below(rule.max));
      rule.curtail = random_.one_in(2);
      if (random_.one_in(2))
        rule.stop_at = 0.75; // a share that votes can make exactly
      aggregation_.stopping = rule;
      // Leases that seldom run out, so that units get as far as asking for more.
      policy_.ttl *= 50;
      policy_.total_max *= 50;
      unit_.slots = core::first_slots(rule);
    } else {
      unit_.slots = static_cast<std::uint32_t>(1 + random_.below(4));
    }
    unit_.reopened = static_cast<std::uint32_t>(random_.below(3));
    model_.emplace(unit_.slots, policy_, aggregation_);
    model_->reopened = unit_.reopened;
    mirror_.emplace(unit_, policy_);
  }

  void step() {
    pass_time();
    const auto what = any_command();
    auto twin = unit_;
    const auto before = describe(unit_);
    const auto last_token = unit_.leases.last_token;

    const auto got = std::visit(carried_out{unit_, policy_, aggregation_, now_}, what);
    model_->now = now_;
    const auto expected = std::visit(*model_, what);

    if (std::holds_alternative<core::withdraw>(what) && !got.changes.empty()
        && !std::holds_alternative<core::withdraw_unit>(got.changes.writes.back()))
      ++withdrawn_;
    BOOST_TEST(got.refusal == expected.refusal);
    BOOST_TEST(!got.changes.writes.empty() == expected.writes, describe(got.changes));
    if (got.refusal != errc::none) {
      // A refusal changes nothing.
      BOOST_TEST(describe(unit_) == before);
      BOOST_TEST(got.changes.empty());
    }
    if (got.changes.writes.empty())
      BOOST_TEST(got.changes.events.empty());
    check_model();
    check_promises(got, last_token);

    // The same arguments give the same decision.
    const auto again = std::visit(carried_out{twin, policy_, aggregation_, now_}, what);
    BOOST_TEST(again.answer == got.answer);
    BOOST_TEST(describe(again.changes) == describe(got.changes));
    BOOST_TEST(describe(twin) == describe(unit_));

    // What was written leads a fresh unit to the same state.
    mirror_->apply(got.changes);
    BOOST_TEST(mirror_->describe_at(now_) == unit_mirror::describe_at(unit_, now_));
  }

  bool widened() const {
    return aggregation_.stopping && unit_.slots > core::first_slots(*aggregation_.stopping);
  }
  bool over() const {
    return unit_.state == unit_state::finalized || unit_.state == unit_state::canceled;
  }
  std::size_t expiries_met() const { return expiries_met_; }
  std::size_t counted_late() const { return counted_late_; }
  std::size_t kept() const { return kept_; }
  std::size_t withdrawn() const { return withdrawn_; }
  std::size_t withdrawn_late() const { return withdrawn_late_; }
  std::size_t reinstated() const { return model_->reinstated; }

private:
  /// Mostly to where something is about to change: an expiry, the end of a bar, one microsecond
  /// before and after.
  void pass_time() {
    std::vector<core::instant> edges{
        now_, now_ + core::duration{1},
        now_ + core::duration{static_cast<std::int64_t>(random_.below(120))}};
    const auto add_edge = [&](core::instant edge) {
      for (const auto offset : {-1, 0, 1})
        if (edge != core::instant::max() && edge + core::duration{offset} > now_)
          edges.push_back(edge + core::duration{offset});
    };
    for (const auto& l : unit_.leases.active)
      add_edge(l.expires_at);
    for (const auto& b : unit_.bars)
      add_edge(b.until);
    now_ = random_.one_in(2) ? now_ : random_.of(edges);
    for (const auto& l : unit_.leases.active)
      expiries_met_ += l.expires_at == now_ ? 1 : 0;
  }

  command any_command() {
    if (unit_.state == unit_state::finalized && random_.one_in(30))
      return any_withdrawal();
    const auto& who = random_.of(people);
    switch (random_.below(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      if (!random_.one_in(4) || assignments_.count(who) == 0)
        assignments_[who] = {ids_.next(now_)};
      return core::ask{who, assignments_[who], random_.one_in(3) ? random_.below(50) : 0};
    case 5:
    case 6:
    case 7:
      return core::extend{who, any_token(who)};
    case 8:
    case 9:
    case 10:
      return core::give_back{who, any_token(who), random_.one_in(8)};
    case 11:
    case 12:
    case 13:
      if (!random_.one_in(3) || judgments_.count(who) == 0)
        judgments_[who] = {ids_.next(now_)};
      return core::submit{who, any_token(who), judgments_[who], R"({"answer":1})",
                          std::to_string(random_.below(3))};
    case 14:
    case 15:
    case 16:
      return core::expire{};
    case 17:
    case 20:
    case 21:
    case 22:
      return core::aggregate_if_ready{"aggregation", {1, ++messages_}};
    case 18:
      // Seldom, because it takes one of few out for good.
      if (random_.one_in(6))
        return core::disregard{who};
      return core::reinstate{model_->left_out.empty() ? who : model_->left_out.begin()->first};
    case 19:
      return random_.one_in(2) ? core::unit_verb::pause : core::unit_verb::resume;
    default:
      // Rarely, because it ends the trial.
      if (random_.one_in(20))
        return core::unit_verb::cancel;
      if (random_.one_in(20))
        return any_withdrawal();
      return core::unit_verb::resume;
    }
  }

  /// As the unit is, or as somebody has read it before.
  core::withdraw any_withdrawal() {
    core::withdraw called;
    if (!random_.one_in(3))
      called.was = core::withdraw::finished{static_cast<std::uint32_t>(random_.below(4)),
                                            R"({"answer":1})", core::no_route};
    return called;
  }

  core::token any_token(const core::contributor_id& who) {
    const auto* held = find_lease(unit_.leases, who);
    for (const auto& l : unit_.lapsed)
      if (l.contributor == who && random_.one_in(held == nullptr ? 2 : 8))
        return l.token;
    return held != nullptr && !random_.one_in(4) ? held->token
                                                 : random_.below(unit_.leases.last_token + 2);
  }

  void check_model() {
    BOOST_TEST(unit_.state == model_->state);
    BOOST_TEST(unit_.leases.last_token == model_->last_token);
    BOOST_TEST(unit_.leases.active.size() == model_->leases.size());
    for (const auto& l : unit_.leases.active)
      BOOST_TEST(describe(l) == describe(model_->leases[l.owner]));
    BOOST_TEST(unit_.judgments.size() == model_->judgments.size());
    for (const auto& j : unit_.judgments)
      BOOST_TEST(to_string(j.id) == to_string(model_->judgments[j.contributor]));
    BOOST_TEST(unit_.slots == model_->slots);
    const auto taken = model_->leases.size() + model_->counted();
    const auto free = model_->state == unit_state::judgable ? unit_.slots - taken : 0;
    BOOST_TEST(free_slots(unit_) == free);
    for (const auto& who : people) {
      const bool never_again = model_->leases.count(who) != 0 || model_->judgments.count(who) != 0;
      const auto until = never_again ? core::instant::max() : std::max(model_->bars[who], now_);
      BOOST_TEST((barred_until(unit_, who, now_) == until));
    }
  }

  void check_promises(const result& got, core::token last_token) {
    // I-1, I-2
    BOOST_TEST(unit_.leases.active.size() + core::counted_judgments(unit_) <= unit_.slots);
    std::set<core::contributor_id> owners;
    for (const auto& l : unit_.leases.active)
      BOOST_TEST(owners.insert(l.owner).second);
    for (const auto& j : unit_.judgments)
      BOOST_TEST(owners.insert(j.contributor).second);
    auto earliest = core::instant::max();
    for (const auto& l : unit_.leases.active)
      earliest = std::min(earliest, l.expires_at);
    BOOST_TEST((next_expiry(unit_.leases) == earliest));

    std::map<std::string, int> written;
    for (const auto& w : got.changes.writes) {
      if (const auto* granted = std::get_if<core::insert_lease>(&w)) {
        // I-3
        BOOST_TEST(granted->lease.token > last_token);
        BOOST_TEST((granted->lease.expires_at == now_ + policy_.ttl));
      } else if (const auto* extended = std::get_if<core::extend_lease_row>(&w)) {
        BOOST_TEST((extended->expires_at > now_));
        BOOST_TEST((extended->expires_at <= now_ + policy_.ttl));
      } else if (std::holds_alternative<core::insert_judgment>(w)) {
        ++written["JudgmentReceived"];
      } else if (std::holds_alternative<core::insert_late_judgment>(w)) {
        ++written["JudgmentReceived"];
        ++counted_late_;
      } else if (std::holds_alternative<core::insert_surplus_judgment>(w)) {
        // Nobody is told: it changes nothing.
        ++kept_;
      } else if (std::holds_alternative<core::restore_judgment>(w)) {
        ++written["JudgmentReinstated"];
      } else if (std::holds_alternative<core::finalize_unit>(w)) {
        ++written["UnitFinalized"];
      } else if (std::holds_alternative<core::withdraw_unit>(w)) {
        ++written["UnitWithdrawn"];
        ++withdrawn_late_;
      } else if (const auto* state = std::get_if<core::set_unit_state>(&w)) {
        written["UnitCanceled"] += state->state == unit_state::canceled ? 1 : 0;
      }
    }
    // I-4, I-5: one event for each, in the same change.
    std::map<std::string, int> published;
    for (const auto& e : got.changes.events) {
      ++published[std::string{to_string(e.type)}];
      BOOST_TEST(to_string(e.unit) == to_string(unit_.id));
      BOOST_TEST(to_string(e.step) == to_string(unit_.step));
      BOOST_TEST((e.at == now_));
    }
    for (const auto* name : {"JudgmentReceived", "JudgmentReinstated", "UnitFinalized",
                             "UnitCanceled", "UnitWithdrawn"})
      BOOST_TEST(published[name] == written[name]);
  }

  random_source random_;
  core::uuid_source ids_;
  core::unit unit_;
  core::lease_policy policy_;
  core::aggregation_policy aggregation_;
  std::optional<model> model_;
  std::optional<unit_mirror> mirror_;
  core::instant now_ = beginning;
  std::uint64_t messages_ = 0;
  std::size_t expiries_met_ = 0;
  std::size_t counted_late_ = 0;
  std::size_t kept_ = 0;
  std::size_t withdrawn_ = 0;      ///< While they were open.
  std::size_t withdrawn_late_ = 0; ///< When they were finalized.
  std::map<core::contributor_id, core::assignment_id> assignments_;
  std::map<core::contributor_id, core::judgment_id> judgments_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(unit_properties)

// I-1, I-2, I-3, I-4, I-5, A27, A48, A108, A109
BOOST_AUTO_TEST_CASE(a_unit_does_what_its_model_says_under_any_sequence_of_commands) {
  std::size_t steps = 0;
  std::size_t ended = 0;
  std::size_t expiries_met = 0;
  std::size_t widened = 0;
  std::size_t counted_late = 0;
  std::size_t kept = 0;
  std::size_t withdrawn = 0;
  std::size_t withdrawn_late = 0;
  std::size_t reinstated = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    unit_trial trial{seed};
    for (int step = 0; step < 400; ++step, ++steps) {
      BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) { trial.step(); }
      if (trial.over() && step > 100)
        break;
    }
    ended += trial.over() ? 1 : 0;
    expiries_met += trial.expiries_met();
    widened += trial.widened() ? 1 : 0;
    counted_late += trial.counted_late();
    kept += trial.kept();
    withdrawn += trial.withdrawn();
    withdrawn_late += trial.withdrawn_late();
    reinstated += trial.reinstated();
  }
  // The sequences go everywhere: into final states, and to the very instants of expiry.
  BOOST_TEST(steps > 30'000U);
  BOOST_TEST(ended > 30U);
  BOOST_TEST(expiries_met > 1000U);
  BOOST_TEST(widened > 5U);
  BOOST_TEST(counted_late > 20U);
  BOOST_TEST(kept > 20U);
  BOOST_TEST(withdrawn > 10U);
  BOOST_TEST(withdrawn_late > 10U);
  BOOST_TEST(reinstated > 20U);
}

BOOST_AUTO_TEST_SUITE_END()
