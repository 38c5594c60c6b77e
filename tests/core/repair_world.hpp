#pragma once

#include "core/judgment_correction.hpp"
#include "core/repair.hpp"
#include "core/unit_corrections.hpp"
#include "tests/core/scenario_worlds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::test {

/// One unit whose contributors are removed and come back to work, with the rules of its step.
class repair_world : public world {
public:
  explicit repair_world(std::uint32_t slots) {
    unit_.id = numbered<core::unit_id>(1);
    unit_.step = numbered<core::step_id>(2);
    unit_.root = unit_.id;
    unit_.slots = slots;
  }

  bool given(word_reader& words) override {
    if (words.take("the repair policy")) {
      const auto policy = core::repair_policy_named(words.word("a repair policy"));
      if (!policy)
        throw bad_line("the repair policy is refill or keep");
      repair_policy_ = *policy;
    } else if (words.take("judgments weighted by trust")) {
      policy_.method = core::aggregation_method::weighted;
    } else if (words.take("judging that stops at")) {
      auto& rule = policy_.stopping.emplace();
      rule.stop_at = words.decimal("a confidence");
      words.expect("with");
      rule.min = static_cast<std::uint32_t>(words.number("the fewest judgments"));
      words.expect("to");
      rule.max = static_cast<std::uint32_t>(words.number("the most judgments"));
      words.expect("judgments");
      unit_.slots = core::first_slots(rule);
    } else if (words.take("judgments that are corrected within")) {
      correcting_.within = words.duration("for how long");
    } else if (words.take("test questions beside it")) {
      correcting_.hides_questions = true;
    } else if (words.take("a route for")) {
      core::way on;
      on.rule.when.answers = {words.word("an answer")};
      on.rule.to = {"next"};
      on.targets = {{1, false}};
      ways_.push_back(std::move(on));
    } else {
      return false;
    }
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now;
    if (words.take("the unit has"))
      return standing();
    if (words.take("the unit is reopened")) {
      const bool some = words.take("for");
      return correct(core::reopen_finished{
          some ? static_cast<std::uint32_t>(words.number("how many judgments")) : 1});
    }
    if (words.take("the requester says"))
      return correct(core::override_result{words.word("an answer"), {}, {}});
    if (words.take("the judgment of")) {
      const auto about = judgment_of(words.word("a contributor"));
      words.expect("is");
      if (words.take("tainted"))
        return correct(core::taint_one{about.first});
      words.expect("reinstated");
      return correct(core::reinstate_one{about.first, removed_.count(about.second) != 0});
    }
    std::vector<core::contributor_id> people{words.word("a contributor")};
    while (words.take("and"))
      people.push_back(words.word("a contributor"));
    const auto& who = people.front();
    if (people.size() == 1 && words.take("corrects to"))
      return correct_own(who, words);
    if (people.size() == 1 && words.take("judges"))
      return judge(who, words);
    if (people.size() == 1 && words.take("is trusted")) {
      trust_[who] = words.decimal("how much");
      return "trusted " + core_number(trust_[who]);
    }
    words.expect(people.size() == 1 ? "is" : "are");
    if (words.take("removed"))
      return remove({people.begin(), people.end()});
    words.expect("reinstated");
    return reinstate({people.begin(), people.end()});
  }

private:
  std::pair<core::judgment_id, core::contributor_id>
  judgment_of(const core::contributor_id& who) const {
    for (const auto& j : unit_.judgments)
      if (j.contributor == who)
        return {j.id, who};
    return {numbered<core::judgment_id>(1'000'000), who};
  }

  /// As the step and the unit do with a correction by somebody in charge.
  std::string correct(decltype(core::correction_command::what) what) {
    const core::lease_policy leases;
    const core::correction_rules rules{leases, policy_, ways_, repair_policy_};
    const core::correction_command command{
        {numbered<core::correction_id>(++count_), ++corrections_, "rita", "it is wrong"},
        std::move(what)};
    core::corrected d;
    if (unit_.state == core::unit_state::finalized) {
      core::finished_result was{stored(), {}, {}};
      if (was.standing.overridden && unit_.result.find(R"("was":)") != std::string::npos)
        was.before_override = std::string{behind(R"("was":)")};
      d = core::correct_finished(unit_, rules, command, was, now_);
    } else {
      d = core::correct(unit_, rules, command, now_);
    }
    if (d.refusal != core::errc::none || d.changes.empty()) {
      --corrections_;
      return d.refusal == core::errc::none ? "nothing to do"
                                           : "refused " + std::string{to_string(d.refusal)};
    }
    for (const auto& write : d.changes.writes)
      if (const auto* said = std::get_if<core::override_unit>(&write)) {
        unit_.result = said->result;
        unit_.route = said->route;
      }
    check_slots();
    std::string text{to_string(d.answer.kind)};
    text += d.answer.took_back ? ", its result is taken back; " : "; ";
    const bool open = unit_.state == core::unit_state::judgable;
    if (open != d.answer.is_open)
      throw broken_rule("a correction says whether the unit is open");
    return open && aggregate() ? text + "finalized " + result() : text + standing();
  }

  std::string correct_own(const core::contributor_id& who, word_reader& words) {
    core::correct_judgment command;
    command.contributor = who;
    command.judgment = judgment_of(who).first;
    command.answer = words.word("an answer");
    command.payload = "{}";
    command.removed = removed_.count(who) != 0;
    words.expect("as number");
    command.number = static_cast<std::uint32_t>(words.number("a number"));
    const auto d = decide(unit_, correcting_, command, now_);
    if (d.refusal != core::errc::none)
      return "refused " + std::string{to_string(d.refusal)};
    if (d.answer.repeated != d.changes.empty())
      throw broken_rule("a correction is written once");
    return d.answer.repeated ? "corrected before" : d.answer.applied ? "corrected" : "kept";
  }

  static std::string core_number(double value) {
    auto text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text + "0" : text;
  }

  /// As one test question shows it, or as that of somebody who has answered none.
  core::trust_mark trust_in(const core::contributor_id& who) const {
    const auto known = trust_.find(who);
    return known == trust_.end() ? core::trust_mark{} : core::trust_mark{known->second, 1};
  }

  std::string judge(const core::contributor_id& who, word_reader& words) {
    const auto answer = words.word("an answer");
    const core::lease_policy leases;
    const auto asked =
        decide(unit_, leases, core::ask{who, numbered<core::assignment_id>(++count_)}, now_);
    if (asked.refusal != core::errc::none)
      return "refused " + std::string{to_string(asked.refusal)};
    core::submit judgment{
        who, asked.answer.token, numbered<core::judgment_id>(++count_), "{}", answer, {}, {}, false,
        {}};
    judgment.trust = trust_in(who);
    const auto judged = decide(unit_, leases, judgment, now_);
    if (judged.refusal != core::errc::none)
      throw broken_rule("who holds a lease may judge");
    const auto slots = unit_.slots;
    const bool finalized = aggregate();
    check_slots();
    return finalized             ? "finalized " + result()
           : unit_.slots > slots ? "judged, one more is asked"
                                 : "judged";
  }

  /// As the step does when it hears of a judgment, or of a unit that is to be done again.
  bool aggregate() {
    const auto d =
        decide(unit_, policy_, ways_, core::aggregate_if_ready{"aggregation", {3, ++count_}}, now_);
    for (const auto& write : d.changes.writes)
      if (const auto* done = std::get_if<core::finalize_unit>(&write)) {
        unit_.result = done->result;
        unit_.confidence = done->confidence;
        unit_.route = done->route;
      }
    return d.answer.finalized;
  }

  /// The text of the result behind `name`.
  std::string_view behind(std::string_view name) const {
    const auto at = unit_.result.find(name);
    if (at == std::string::npos)
      throw broken_rule("the result has no " + std::string{name});
    return std::string_view{unit_.result}.substr(at + name.size());
  }

  /// The result as it is stored.
  core::standing_result stored() const {
    core::standing_result told;
    const auto answer = behind(R"("answer":")");
    told.answer = answer.substr(0, answer.find('"'));
    told.tied = behind(R"("tied":)").front() != '1';
    auto votes = behind(R"("votes":{)");
    votes = votes.substr(0, votes.find('}'));
    std::uint32_t sum = 0;
    for (auto at = votes.find(':'); at != std::string_view::npos; at = votes.find(':', at + 1))
      sum += static_cast<std::uint32_t>(std::stoul(std::string{votes.substr(at + 1)}));
    told.votes = sum;
    told.overridden = unit_.overridden;
    return told;
  }

  std::string remove(const std::set<core::contributor_id>& people) {
    removed_.insert(people.begin(), people.end());
    if (unit_.state == core::unit_state::finalized)
      return repaired({people, stored(), {}, {}, repair_policy_});
    if (core::repair(unit_, policy_, ways_, {people, {}, {}, {}, repair_policy_}, now_)
            .answer.outcome
        != core::repair_outcome::unconcerned)
      throw broken_rule("a repair is about finished units");
    bool any = false;
    for (const auto& who : people)
      any = decide(unit_, core::lease_policy{}, core::disregard{who}, now_).answer || any;
    check_slots();
    return any ? "counts no more; " + standing() : "unconcerned";
  }

  std::string reinstate(const std::set<core::contributor_id>& people) {
    for (const auto& who : people)
      removed_.erase(who);
    if (unit_.state == core::unit_state::finalized) {
      core::disregard_finished command{removed_, stored(), {}, {}, repair_policy_};
      for (const auto& j : unit_.judgments)
        if (removed_.count(j.contributor) == 0)
          command.at_work[j.contributor] = {trust_in(j.contributor), {}};
      return repaired(command);
    }
    bool any = false;
    for (const auto& who : people)
      any = decide(unit_, core::reinstate{who}, now_).answer || any;
    const bool finalized = aggregate();
    check_slots();
    return !any        ? "unconcerned"
           : finalized ? "counts again; finalized " + result()
                       : "counts again; " + standing();
  }

  std::string repaired(const core::disregard_finished& command) {
    const auto before = unit_.result;
    const auto d = core::repair(unit_, policy_, ways_, command, now_);
    check_slots();
    check_changes(d, before);
    std::string text = named(d.answer.outcome);
    if (d.answer.outcome == core::repair_outcome::unconcerned)
      return text;
    text += ", " + std::to_string(d.answer.disregarded)
            + (d.answer.disregarded == 1 ? " judgment" : " judgments") + " counted otherwise; ";
    if (d.answer.outcome == core::repair_outcome::unchanged)
      return text + standing();
    text += d.answer.reissued ? "what was made from it goes; " : "";
    return aggregate() ? text + "finalized " + result() : text + standing();
  }

  static std::string named(core::repair_outcome outcome) {
    switch (outcome) {
    case core::repair_outcome::unconcerned:
      return "unconcerned";
    case core::repair_outcome::unchanged:
      return "unchanged";
    case core::repair_outcome::changed:
      return "changed";
    case core::repair_outcome::reopened:
      return "reopened";
    }
    return "?";
  }

  /// What holds for every repair, whatever the scenario is about.
  void check_changes(const core::decision<core::repaired>& d, const std::string& before) const {
    using core::repair_outcome;
    bool reopened = false;
    for (const auto& write : d.changes.writes)
      reopened = reopened || std::holds_alternative<core::reopen_unit>(write);
    const bool taken_back =
        d.answer.outcome == repair_outcome::changed || d.answer.outcome == repair_outcome::reopened;
    if (reopened != taken_back || taken_back != (unit_.state == core::unit_state::judgable))
      throw broken_rule("a result that is taken back is written so");
    if (taken_back
        && std::none_of(d.changes.events.begin(), d.changes.events.end(),
                        [](const auto& e) { return e.type == core::event_type::unit_reopened; }))
      throw broken_rule("nobody hears of a result that is taken back");
    if (d.answer.outcome == repair_outcome::unconcerned
        && (!d.changes.empty() || unit_.result != before))
      throw broken_rule("what a repair does not concern stays as it is");
  }

  void check_slots() const {
    if (unit_.leases.active.size() + core::counted_judgments(unit_) > unit_.slots)
      throw broken_rule("I-1: more leases and judgments than slots");
  }

  /// The answer, by how many judgments it is, and whether it says that the step wants more.
  std::string result() const {
    const auto told = stored();
    if (told.overridden)
      return "\"" + told.answer + "\" as said";
    const auto votes = std::to_string(told.votes.value_or(0));
    const bool says_so = unit_.result.find(R"("rests_on":)" + votes + '}') != std::string::npos;
    return "\"" + told.answer + "\" by " + votes + (says_so ? " only" : "");
  }

  std::string standing() const {
    if (unit_.state == core::unit_state::finalized)
      return std::string{to_string(unit_.state)} + " " + result();
    return std::string{to_string(unit_.state)} + ", " + std::to_string(core::free_slots(unit_))
           + " of " + std::to_string(unit_.slots) + " free";
  }

  core::unit_record unit_;
  core::aggregation_policy policy_;
  core::repair_policy repair_policy_ = core::repair_policy::refill;
  std::vector<core::way> ways_;
  std::map<core::contributor_id, double> trust_;
  std::set<core::contributor_id> removed_;
  core::judgment_correction_rules correcting_;
  std::uint32_t corrections_ = 0;
  core::instant now_;
  std::uint64_t count_ = 0;
};

} // namespace holdfast::test
