// The part of the auditor that is about test questions, taints and removals.

#include "core/quality/trust.hpp"
#include "core/trust_elsewhere.hpp"
#include "core/unit_tasks.hpp"
#include "core/workflow.hpp"
#include "tests/sim/invariants.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::sim {

using core::unit_state;

namespace {

/// Between an offer of the step and the unit's lease.
constexpr core::duration offer_under_way_max = std::chrono::minutes{1};

/// An answer to a test question is on its way to the step for so long at most: of two that came in
/// one after the other it may have been told of the second one first.
constexpr core::duration answer_under_way_max = std::chrono::seconds{5};

/// What somebody has answered to test questions: when, and whether rightly.
using test_answers = std::vector<std::pair<core::instant, bool>>;

enum class telling { best_first, worst_first };

/// Whether each is right, in that order of those in which the step may have been told of them which
/// has the right ones as early, or as late, as may be.
std::vector<bool> in_order(const test_answers& answers, telling how) {
  const bool first = how == telling::best_first;
  test_answers by_time; // and whether it is to be late: of equals those come last
  for (const auto& [at, right] : answers)
    by_time.emplace_back(at + (right == first ? core::duration{} : answer_under_way_max),
                         right != first);
  std::sort(by_time.begin(), by_time.end());
  std::vector<bool> ordered;
  for (const auto& [at, late] : by_time)
    ordered.push_back(late != first);
  return ordered;
}

bool fails_quiz(const core::quality::test_policy& policy, const std::vector<bool>& right) {
  core::quality::test_record quiz;
  for (std::size_t i = 0; i < right.size() && quiz.asked < policy.quiz; ++i, ++quiz.asked)
    quiz.right += right[i] ? 1 : 0;
  return core::quality::quiz_state_of(policy, quiz) == core::quality::quiz_state::failed;
}

/// A sequential test is over at its first verdict; the other rule goes on, and once is enough.
bool is_found_bad(const core::quality::taint_rule& rule, const std::vector<bool>& right) {
  core::quality::test_record so_far;
  for (const auto one : right) {
    ++so_far.asked;
    so_far.right += one ? 1 : 0;
    if (!rule.sequential) {
      if (core::quality::is_tainted(rule, core::quality::trust_after({}, so_far)))
        return true;
      continue;
    }
    const auto verdict = core::quality::standing_of(*rule.sequential, so_far);
    if (verdict != core::quality::standing::undecided)
      return verdict == core::quality::standing::bad;
  }
  return false;
}

} // namespace

std::vector<const persistence::memory::judgment_row*> auditor::unit_rows::counted() const {
  auto counting = judgments;
  counting.erase(std::remove_if(counting.begin(), counting.end(),
                                [](const auto* judged) { return judged->tainted_at.has_value(); }),
                 counting.end());
  return counting;
}

std::vector<const persistence::memory::judgment_row*> auditor::behind(const unit_rows& rows) const {
  auto made_of = rows.judgments;
  const auto& ids = units_.at(rows.id).behind;
  made_of.erase(std::remove_if(made_of.begin(), made_of.end(),
                               [&](const auto* judged) { return ids.count(judged->made.id) == 0; }),
                made_of.end());
  return made_of;
}

void auditor::check_result(const unit_rows& rows) {
  require(!rows.is_test_question(), "I-11", rows.id, "a test question was finalized");
  const auto counted = behind(rows);
  const auto& step = defined(rows.unit->made);
  const auto& rule = step.aggregation.stopping;
  if (!require(counted.size() == rows.unit->made.slots && !counted.empty()
                   && (!rule || counted.size() <= rule->max),
               "I-5", rows.id, "a unit was finalized without all its judgments, or with too many"))
    return;
  // The unit may have decided while it was still to be told.
  constexpr std::chrono::seconds tell_bound{5};
  for (const auto* judged : counted)
    if (is_removed(rows.unit->made.step, judged->made.owner))
      require(units_.at(rows.id).finalized_at
                  <= t_.standings.at({rows.unit->made.step, judged->made.owner}).at + tell_bound,
              "removal", rows.id, "a unit was finalized with what a removed contributor had said");
  // What a model found cannot be found again from one unit.
  if (core::asks_model(step.aggregation.method))
    return;
  auto ordered = counted;
  // A repair restates a result that stands, without the judgments that it has marked.
  if (*rows.unit->result != units_.at(rows.id).outcomes.back().result)
    ordered.erase(std::remove_if(ordered.begin(), ordered.end(),
                                 [](const auto* judged) { return judged->tainted_at.has_value(); }),
                  ordered.end());
  if (!require(!ordered.empty(), "I-5", rows.id, "a result stands though no judgment counts"))
    return;
  // In the order in which they were stored: sums of doubles know it.
  std::sort(ordered.begin(), ordered.end(),
            [](const auto* a, const auto* b) { return a->made.token < b->made.token; });
  std::vector<core::trusted_answer> answers;
  for (const auto* judged : ordered)
    answers.push_back({judged->made.answer, judged->made.trust_snapshot,
                       core::lot_of(rows.id, judged->made.owner)});
  const auto consensus = core::aggregate_of(step.aggregation, answers);
  // A repair leaves a tie as it was told, whoever of those that are left has the least lot.
  const auto& all = consensus.support;
  const bool is_told = std::any_of(all.begin(), all.end(), [&](const core::answer_support& one) {
    return core::may_win(consensus, one.answer)
           && rows.unit->result->find("\"answer\":\"" + one.answer + '"') != std::string::npos;
  });
  require(std::abs(rows.unit->confidence - consensus.confidence) < 1e-9 && is_told, "I-5", rows.id,
          "the stored result is not that of the judgments");
  require(!rule || core::enough(*rule, consensus), "I-5", rows.id,
          "a unit was finalized although its stopping rule was not content");
}

std::size_t auditor::judged_in(const core::step_id& step, const core::contributor_id& who) const {
  return static_cast<std::size_t>(
      std::count_if(t_.judgments.begin(), t_.judgments.end(), [&](const auto& row) {
        const auto& [unit, contributor] = row.first;
        if (contributor != who)
          return false;
        const auto& made = t_.units.at(unit).made;
        return made.step == step && made.truth.empty();
      }));
}

std::size_t auditor::tested_before(const core::insert_judgment& judgment) const {
  const auto& step = t_.units.at(judgment.unit).made.step;
  std::size_t answered = 0;
  for (const auto& [where, judged] : t_.judgments) {
    const auto& made = judged.made;
    if (where.second != judgment.owner || !made.test_correct
        || t_.units.at(where.first).made.step != step)
      continue;
    if (ever_forgiven_.count(where.first) != 0)
      return 0;
    answered += made.submitted_at + answer_under_way_max < judgment.submitted_at ? 1 : 0;
  }
  return answered;
}

void auditor::check_judgments(const unit_rows& rows) {
  const auto& step = rows.unit->made.step;
  const bool tested = defined(step).test_questions.has_value();
  const bool counted = core::history_needed(workflow_of(step).versions, position_of(step)).judged;
  for (const auto* judged : rows.judgments) {
    const auto& made = judged->made;
    require(made.test_correct.has_value() == rows.is_test_question(), "I-11", rows.id,
            "an answer to a test question has no verdict, or another judgment has one");
    require(!made.test_correct || *made.test_correct == (made.answer == "red"), "I-11", rows.id,
            "a verdict on an answer to a test question is wrong");
    const bool by_trust = core::goes_by_trust(defined(step));
    require(made.trust_questions ? made.trust_snapshot > 0 && made.trust_snapshot < 1
            : by_trust           ? made.trust_snapshot >= 0 && made.trust_snapshot <= 1
                                 : made.trust_snapshot == 1,
            "trust", rows.id, "a judgment was stored with a trust that nobody can have");
    require(made.trust_questions.has_value() == tested || (tested && by_trust), "trust", rows.id,
            "a judgment does not say on how many test questions its trust rests");
    if (made.trust_questions)
      require(*made.trust_questions >= tested_before(made), "trust", rows.id,
              "a judgment is trusted as if questions had not been answered that were");
    if (made.trust_questions)
      require(std::abs(core::quality::trust_of(made.trust_snapshot, *made.trust_questions).mean()
                       - made.trust_snapshot)
                  < 1e-9,
              "trust", rows.id, "no answers to so many test questions give this trust");
    require(made.judged_before.has_value() == (counted && !core::is_task_judge(made.owner)),
            "routes", rows.id, "a judgment says how many came before it, or does not");
    if (made.judged_before)
      require(*made.judged_before
                  <= judged_in(step, made.owner) - (rows.is_test_question() ? 0 : 1),
              "routes", rows.id, "more judgments came before one than there are");
  }
}

/// Whoever has failed the quiz gets no ordinary work, and who was found bad none at all, though a
/// crash came between the answer and the removal.
void auditor::check_quiz_passed(const unit_rows& rows, const core::lease& lease) {
  const auto& step = rows.unit->made.step;
  const auto& rules = defined(step).test_questions;
  if (!rules)
    return;
  test_answers answers;
  for (const auto& [where, judged] : t_.judgments)
    if (where.second == lease.owner && judged.made.test_correct
        && t_.units.at(where.first).made.step == step
        && judged.made.submitted_at + offer_under_way_max < lease.granted_at) {
      // What it said when the lease was granted is not known any more.
      if (ever_forgiven_.count(where.first) != 0)
        return;
      answers.emplace_back(judged.made.submitted_at, *judged.made.test_correct);
    }
  const auto right = in_order(answers, telling::best_first);
  require(rows.is_test_question() || !fails_quiz(rules->placement, right), "I-11", rows.id,
          "ordinary work was given to somebody who has failed the quiz");
  require(!is_found_bad(rules->taint, right), "I-11", rows.id,
          "work was given to somebody whose answers to test questions rule that out");
}

void auditor::check_question_due(const unit_rows& rows, const core::lease& lease) {
  if (!rows.is_test_question())
    return;
  const auto& step = rows.unit->made.step;
  const auto& placement = defined(step).test_questions->placement;
  std::uint64_t assignments = 0;
  std::set<core::unit_id> asked;
  std::set<core::unit_id>
      given_back; // others may take their place in the quiz, and they come again
  const auto see = [&](const core::unit_id& unit, const core::lease& got, bool ended) {
    const auto& made = t_.units.at(unit).made;
    if (got.owner != lease.owner || made.step != step)
      return;
    ++assignments;
    if (made.truth.empty())
      return;
    asked.insert(unit);
    if (ended)
      given_back.insert(unit);
  };
  for (const auto& [where, active] : t_.active_leases)
    see(where.first, active, false);
  for (const auto& [where, ended] : t_.ended_leases)
    see(where.first, ended.lease, true);
  for (const auto& [where, judged] : t_.judgments)
    see(where.first, judged.lease, judged.late);
  // The quiz did not know of those, or does not any more.
  if (std::any_of(asked.begin(), asked.end(),
                  [&](const auto& unit) { return ever_forgiven_.count(unit) != 0; }))
    return;
  // After the quiz one among `every`; at both ends there may be one more, and one whose place a
  // crash has taken back.
  const auto due = placement.every == 0 ? 0 : assignments / placement.every + 3;
  require(asked.size() <= placement.quiz + given_back.size() + due, "test questions", rows.id,
          "somebody is asked more test questions than are due");
}

void auditor::sending(const msg::get_feedback& asked) {
  const auto judged = t_.judgments.find({asked.unit, asked.contributor});
  if (judged != t_.judgments.end() && judged->second.made.test_correct
      && judgments_.count(judged->second.made.id) != 0)
    feedback_due_.insert({asked.unit, asked.contributor});
}

/// Own answers alone are told of, and those for sure, where the step tells of any.
void auditor::acknowledged(const msg::get_feedback& asked, const msg::judgment_feedback& answer) {
  const auto& rules = defined(asked.step).test_questions;
  require(rules && rules->feedback && answer.unit == asked.unit, "feedback", asked.unit,
          "feedback is given where there should be none");
  if (!answer.test_question) {
    require(!answer.right && !answer.counts, "feedback", asked.unit,
            "something is said of a unit of which nothing is to be said");
    require(feedback_due_.count({asked.unit, asked.contributor}) == 0, "feedback", asked.unit,
            "somebody is not told of a question that they have answered");
    return;
  }
  const auto judged = t_.judgments.find({asked.unit, asked.contributor});
  if (!require(judged != t_.judgments.end() && judged->second.made.test_correct, "feedback",
               asked.unit, "a test question is given away to somebody who has not answered it"))
    return;
  require(answer.right == *judged->second.made.test_correct, "feedback", asked.unit,
          "somebody is told otherwise of their answer than it was found");
  require(answer.counts || ever_forgiven_.count(asked.unit) != 0, "feedback", asked.unit,
          "an answer to a question that was never forgiven is said not to count");
}

void auditor::refused(const msg::get_feedback& asked) {
  const auto& rules = defined(asked.step).test_questions;
  require(!rules || !rules->feedback, "feedback", asked.unit,
          "a step refuses feedback that it gives");
}

bool auditor::is_removed(const core::step_id& step, const core::contributor_id& contributor) const {
  const auto found = t_.standings.find({step, contributor});
  return found != t_.standings.end()
         && found->second.standing == core::contributor_standing::removed;
}

/// Whom test questions have removed, their answers that count speak against: in the order in which
/// they came in, or nearly.
void auditor::check_removal(const core::put_standing& standing) {
  const auto& rules = defined(standing.step).test_questions;
  if (!is_removed(standing.step, standing.contributor)
      || standing.reason == core::standing_reason::requester || !rules)
    return;
  test_answers answers;
  for (const auto& [where, judged] : t_.judgments) {
    const auto& unit = t_.units.at(where.first);
    if (where.second == standing.contributor && unit.made.step == standing.step
        && judged.made.test_correct && !unit.forgiven_at)
      answers.emplace_back(judged.made.submitted_at, *judged.made.test_correct);
  }
  const auto right = in_order(answers, telling::worst_first);
  if (!fails_quiz(rules->placement, right) && !is_found_bad(rules->taint, right))
    blame("removal", standing.contributor + " was removed for answers that do not demand it");
}

void auditor::check_standings() {
  std::map<core::step_id, std::uint64_t> told; // of each standing and of each flag
  for (const auto& [key, standing] : t_.standings)
    check_removal(standing);
  for (const auto& [key, standing] : stood_)
    if (const auto row = t_.standings.find(key);
        row == t_.standings.end() || row->second.standing != standing)
      blame("removal", "it is not written how " + key.second + " stands" + dump(key.first));
  for (const auto& [key, flag] : t_.flags)
    ++told[flag.step];
  for (const auto& [step, known] : steps_)
    if (known.flagged != told[step] + known.stood)
      blame("removal",
            "not exactly one ContributorFlagged for each standing and flag" + dump(step));
}

void auditor::check_removed_are_gone() {
  for (const auto& [id, row] : t_.units) {
    const auto rows = rows_of(id);
    const auto& step = row.made.step;
    const auto gone = [&](const core::contributor_id& who) { return is_removed(step, who); };
    for (const auto* lease : rows.active)
      require(!gone(lease->owner), "removal", id, "a removed contributor still holds a lease");
    if (row.state == unit_state::finalized || rows.is_test_question())
      continue;
    for (const auto* judged : rows.counted())
      require(row.state == unit_state::canceled || !gone(judged->made.owner), "removal", id,
              "what a removed contributor said still counts");
  }
}

std::string auditor::unfinished_repairs() const {
  for (const auto& [id, row] : t_.repairs)
    if (!row.done())
      return "a repair of what " + row.contributor + " said is not done" + dump(row.step);
  return {};
}

/// What a repair has passed is without its contributor; and nothing was taken back but by repairs,
/// each once.
void auditor::check_repairs() {
  std::map<core::step_id, std::uint64_t> taken_back;
  std::map<core::step_id, std::uint64_t> gone_on;
  for (const auto& [id, repair] : t_.repairs) {
    const auto& f = repair.figures;
    if (f.found > repair.bookmark || f.disregarded < f.found
        || f.unchanged + f.changed + f.reopened != f.found || f.went_on > 0
        || f.reissued > f.changed + f.reopened)
      blame("repairs", "the figures of a repair do not add up" + dump(repair.step));
    if (repair.dry_run)
      continue;
    taken_back[repair.step] += f.changed + f.reopened;
    gone_on[repair.step] += f.reissued;
    if (t_.steps.at(repair.step).row.status == core::step_status::canceled)
      continue;
    for (const auto& [key, judged] : t_.judgments) {
      const auto& unit = t_.units.at(key.first);
      // Who has been back at work since may have said something that counts again.
      if (!is_removed(repair.step, repair.contributor)
          || t_.standings.at({repair.step, repair.contributor}).at > repair.asked_at)
        continue;
      const bool passed = key.second == repair.contributor && unit.made.step == repair.step
                          && unit.made.ordinal <= repair.bookmark && unit.made.truth.empty();
      require(!passed || judged.tainted_at || unit.state != unit_state::finalized, "repairs",
              key.first, "a repair has left what it should have found");
    }
  }
  for (const auto& [step, known] : steps_) {
    if (known.reopened != taken_back[step])
      blame("repairs", "not as many results were taken back as the repairs say" + dump(step));
    if (known.reissued != gone_on[step])
      blame("repairs", "not as many of them had gone on as the repairs say" + dump(step));
  }
}

} // namespace holdfast::sim
