#include "core/contributor_board.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"

#include <algorithm>
#include <functional>

namespace holdfast::core {

namespace {

/// The low bits of a UUID v7 are random and never change.
std::uint64_t seed_of(const step_id& step) {
  std::uint64_t seed = 0;
  for (std::size_t i = 8; i < 16; ++i)
    seed = seed << 8U | step.value.bytes[i];
  return seed;
}

/// Of a test question, in the ledger.
std::uint32_t number_of(std::uint64_t ordinal) { return static_cast<std::uint32_t>(ordinal); }

trust_mark mark_of(const quality::test_record& record) {
  return {quality::trust_after({}, record).mean(), record.asked};
}

} // namespace

contributor_board::contributor_board(step_id step,
                                     const std::optional<test_question_policy>& policy)
    : step_(step),
      policy_(policy),
      seed_(seed_of(step)),
      ledger_(policy ? policy->taint : quality::taint_rule{}) {}

contributor_board::entry& contributor_board::of(const contributor_id& contributor) {
  const auto [place, fresh] = entries_.try_emplace(contributor);
  if (fresh)
    place->second.number = static_cast<std::uint32_t>(entries_.size() - 1);
  return place->second;
}

const contributor_board::entry* contributor_board::find(const contributor_id& contributor) const {
  const auto found = entries_.find(contributor);
  return found == entries_.end() ? nullptr : &found->second;
}

void contributor_board::restore(const step_history& history) {
  damage_ = history.damage;
  std::set<unit_id> unreadable;
  for (const auto& row : damage_)
    if (row.what == step_history::unreadable::row::question)
      unreadable.insert(row.unit);
    else if (row.what == step_history::unreadable::row::standing) {
      of(row.contributor); // so that they are reported
      held_.emplace(row.contributor, text_of(row));
    } else if (row.what == step_history::unreadable::row::flag)
      of(row.contributor).flags_unreadable = true;
  for (const auto& question : history.questions) {
    ordinals_[question.unit] = question.ordinal;
    const bool readable = unreadable.count(question.unit) == 0;
    if (!readable)
      unreadable_questions_.insert(question.ordinal);
    if (question.open && readable)
      open_questions_[question.ordinal] = question.unit;
    if (question.forgiven || !readable)
      ledger_.forgive(number_of(question.ordinal));
    if (question.reconsidered)
      reconsidered_.insert(question.ordinal);
  }
  for (const auto& one : history.contributors)
    if (policy_)
      of(one.contributor).assignments = one.assignments;
  for (const auto& one : history.asked_questions) {
    auto& who = of(one.contributor);
    ask(who, one.unit);
    if (one.correct)
      record(who, one.unit, *one.correct, one.when);
  }
  for (const auto& one : history.flags)
    of(one.contributor).flags.insert(one.what);
  for (const auto& one : history.standings)
    if (one.what == contributor_standing::removed) {
      of(one.contributor).removed = one.why;
      of(one.contributor).removed_at = one.at;
      if (one.by_removal)
        by_removals_.insert(one.contributor);
    }
  if (history.judged) {
    judged_.emplace();
    for (const auto& one : *history.judged)
      judged_->emplace(one.contributor, one.units);
  }
}

decision<std::vector<contributor_id>> contributor_board::settle(instant now) {
  decision<std::vector<contributor_id>> decided;
  for (const auto& [contributor, who] : entries_) {
    if (who.removed || is_held(contributor))
      continue;
    if (const auto why = verdict_on(who)) {
      remove(contributor, *why, now, decided.changes);
      decided.answer.push_back(contributor);
    }
  }
  return decided;
}

void contributor_board::test_every(std::uint32_t units) {
  if (policy_)
    policy_->placement.every = units;
}

void contributor_board::add_question(const unit_id& unit, std::uint64_t ordinal) {
  ordinals_[unit] = ordinal;
  open_questions_[ordinal] = unit;
}

void contributor_board::set_open(const unit_id& unit, bool open) {
  const auto found = ordinals_.find(unit);
  HOLDFAST_INVARIANT(found != ordinals_.end(), "only test questions are offered here");
  if (open && unreadable_questions_.count(found->second) == 0)
    open_questions_[found->second] = unit;
  else
    open_questions_.erase(found->second);
}

failure contributor_board::held(const contributor_id& contributor) const {
  const auto found = held_.find(contributor);
  if (found == held_.end())
    return {};
  return {errc::damaged,
          "contributor " + contributor
              + " may have been removed from the step, and gets and hands in nothing until that"
                " is known: "
              + found->second};
}

failure contributor_board::reconsidering_obstacle() const {
  using row = step_history::unreadable::row;
  const auto found = std::find_if(damage_.begin(), damage_.end(), [](const auto& one) {
    return one.what == row::standing || one.what == row::question;
  });
  if (found == damage_.end())
    return {};
  return {errc::damaged,
          "nothing in the step is reconsidered until this is mended: " + text_of(*found)};
}

std::uint32_t contributor_board::unreadable_answers(const entry& who) const {
  return static_cast<std::uint32_t>(
      std::count_if(unreadable_questions_.begin(), unreadable_questions_.end(),
                    [&](std::uint64_t question) { return who.answered.count(question) != 0; }));
}

bool contributor_board::is_forgiven(const unit_id& unit) const {
  return ledger_.is_forgiven(number_of(ordinals_.at(unit)));
}

quality::test_record contributor_board::quiz_of(const entry& who) const {
  return policy_ ? ledger_.record_of_first(who.number, policy_->placement.quiz)
                 : quality::test_record{};
}

std::size_t contributor_board::tests_under_way(const entry& who) const {
  return static_cast<std::size_t>(
      std::count_if(who.waiting.begin(), who.waiting.end(),
                    [&](const unit_id& unit) { return !is_forgiven(unit); }));
}

contributor_board::next_work contributor_board::next_for(const contributor_id& contributor,
                                                         bool work_left) const {
  if (is_held(contributor))
    return {errc::damaged, std::nullopt, given_back::none};
  const auto* who = find(contributor);
  if (who != nullptr && who->removed)
    return {errc::not_qualified, std::nullopt, given_back::none};
  if (!policy_ || ordinals_.empty())
    return {};
  static const entry newcomer;
  const auto answered = who == nullptr ? 0 : quiz_of(*who).asked + unreadable_answers(*who);
  if (who == nullptr)
    who = &newcomer;
  const auto& placement = policy_->placement;
  const bool in_quiz = answered < placement.quiz;
  const auto first = in_quiz ? given_back::questions : given_back::all;
  if (!work_left)
    return {errc::none, std::nullopt, first};
  // Those under way may fail the quiz yet: nothing but its questions until it is over.
  if (in_quiz && answered + tests_under_way(*who) >= placement.quiz)
    return {errc::no_unit_available, std::nullopt, given_back::none};
  const quality::test_subject subject{seed_, contributor};
  // The quiz lasts until it is answered, however many of its questions were given back.
  const auto number = std::max<std::uint64_t>(who->assignments, placement.quiz);
  if (!in_quiz && !quality::is_test_due(placement, subject, number))
    return {errc::none, std::nullopt, first};
  std::vector<std::uint64_t> questions;
  questions.reserve(open_questions_.size());
  for (const auto& [ordinal, unit] : open_questions_)
    if (!ledger_.is_forgiven(number_of(ordinal)))
      questions.push_back(ordinal);
  if (const auto next = quality::next_test_question(subject, questions, who->asked))
    return {errc::none, open_questions_.at(*next), first};
  // Nobody who could not be tested passes a quiz.
  return {in_quiz ? errc::no_unit_available : errc::none, std::nullopt, first};
}

void contributor_board::ask(entry& who, const unit_id& unit) {
  const auto question = ordinals_.find(unit);
  HOLDFAST_INVARIANT(question != ordinals_.end(), "only test questions are asked");
  if (std::find(who.asked.begin(), who.asked.end(), question->second) == who.asked.end())
    who.asked.push_back(question->second);
}

void contributor_board::holding(const contributor_id& contributor, const unit_id& unit) {
  if (!policy_ || !is_question(unit))
    return;
  auto& who = of(contributor);
  ask(who, unit);
  who.waiting.insert(unit);
}

void contributor_board::offered(const contributor_id& contributor, const unit_id& unit) {
  if (!policy_)
    return;
  auto& who = of(contributor);
  ++who.assignments;
  if (!is_question(unit))
    return;
  ask(who, unit);
  who.waiting.insert(unit);
}

void contributor_board::withdrawn(const contributor_id& contributor, const unit_id& unit) {
  if (!policy_)
    return;
  auto& who = of(contributor);
  HOLDFAST_INVARIANT(who.assignments > 0, "what is withdrawn was offered");
  --who.assignments;
  who.waiting.erase(unit);
}

void contributor_board::unanswered(const contributor_id& contributor, const unit_id& unit) {
  if (const auto found = entries_.find(contributor); found != entries_.end())
    found->second.waiting.erase(unit);
}

void contributor_board::judged(const contributor_id& contributor) {
  if (judged_)
    ++(*judged_)[contributor];
}

std::optional<std::uint32_t>
contributor_board::judged_before(const contributor_id& contributor) const {
  if (!judged_)
    return std::nullopt;
  const auto found = judged_->find(contributor);
  return found == judged_->end() ? 0 : found->second;
}

bool contributor_board::record(entry& who, const unit_id& unit, bool correct,
                               const judgment_moment& when) {
  ask(who, unit);
  who.waiting.erase(unit);
  const auto question = ordinals_.at(unit);
  if (!who.answered.emplace(question, test_answer{when, correct}).second)
    return false;
  ledger_.record(who.number, number_of(question), correct);
  return true;
}

std::optional<standing_reason> contributor_board::verdict_on(const entry& who) const {
  if (!policy_ || unreadable_answers(who) > 0)
    return std::nullopt;
  if (quality::quiz_state_of(policy_->placement, quiz_of(who)) == quality::quiz_state::failed)
    return standing_reason::quiz_failed;
  if (ledger_.tainted(who.number))
    return standing_reason::test_questions;
  return std::nullopt;
}

decision<bool> contributor_board::answered(const contributor_id& contributor, const unit_id& unit,
                                           bool correct, const judgment_moment& when, instant now) {
  auto& who = of(contributor);
  decision<bool> decided;
  if (!record(who, unit, correct, when) || who.removed || is_held(contributor))
    return decided;
  if (const auto why = verdict_on(who)) {
    remove(contributor, *why, now, decided.changes);
    decided.answer = true;
  }
  return decided;
}

decision<bool> contributor_board::remove(const contributor_id& contributor, instant now) {
  decision<bool> decided;
  if (removed(contributor) && !is_by_removal(contributor))
    return decided;
  remove(contributor, standing_reason::requester, now, decided.changes);
  decided.answer = true;
  return decided;
}

void contributor_board::remove(const contributor_id& contributor, standing_reason why, instant now,
                               change& changes) {
  auto& who = of(contributor);
  who.removed = why;
  who.removed_at = now;
  by_removals_.erase(contributor);
  changes.writes.push_back(
      put_standing{step_, contributor, contributor_standing::removed, why, now});
  tell(contributor, contributor_standing::removed, to_string(why), {}, now, changes);
}

decision<contributor_board::forgiveness> contributor_board::forgive(const unit_id& unit,
                                                                    bool forgiven, instant now) {
  decision<forgiveness> decided;
  if (is_forgiven(unit) == forgiven)
    return decided;
  const auto question = number_of(ordinals_.at(unit));
  reconsidered_.insert(ordinals_.at(unit));
  const auto concerned = forgiven ? ledger_.forgive(question) : ledger_.count_again(question);
  decided.changes.writes.push_back(set_question_forgiven{unit, forgiven, now});
  for (const auto& [contributor, who] : entries_) {
    if (std::find(concerned.begin(), concerned.end(), who.number) == concerned.end())
      continue;
    decided.answer.concerned.push_back(contributor);
    const auto why = verdict_on(who);
    if (!who.removed && why) {
      remove(contributor, *why, now, decided.changes);
      decided.answer.removed.push_back(contributor);
    } else if (who.removed && *who.removed != standing_reason::requester && !why) {
      reinstate(contributor, now, decided.changes);
      decided.answer.reinstated.push_back(contributor);
    }
  }
  return decided;
}

void contributor_board::reinstate(const contributor_id& contributor, instant now, change& changes) {
  of(contributor).removed.reset();
  constexpr auto standing = contributor_standing::working;
  constexpr auto why = standing_reason::forgiven;
  changes.writes.push_back(put_standing{step_, contributor, standing, why, now});
  tell(contributor, standing, to_string(why), {}, now, changes);
}

void contributor_board::remove_by(const contributor_id& contributor, const std::string& why,
                                  instant now, change& changes) {
  constexpr auto standing = contributor_standing::removed;
  auto& who = of(contributor);
  who.removed = standing_reason::requester;
  who.removed_at = now;
  by_removals_.insert(contributor);
  changes.writes.push_back(
      put_standing{step_, contributor, standing, standing_reason::requester, now, true});
  tell(contributor, standing, to_string(standing_reason::requester), why, now, changes);
}

void contributor_board::end_removal(const contributor_id& contributor, instant now,
                                    change& changes) {
  constexpr auto standing = contributor_standing::working;
  of(contributor).removed.reset();
  by_removals_.erase(contributor);
  changes.writes.push_back(
      put_standing{step_, contributor, standing, standing_reason::forgiven, now, true});
  tell(contributor, standing, "Reinstated", {}, now, changes);
}

decision<contributor_board::followed>
contributor_board::follow(const contributor_id& contributor, const std::optional<removal>& active,
                          const std::optional<instant>& reinstated_at, bool touched, instant now) {
  decision<followed> decided;
  decided.answer = followed::nothing;
  const auto* who = find(contributor);
  if (is_held(contributor) || (who == nullptr && !touched))
    return decided;
  const bool is_removed = who != nullptr && who->removed;
  if (active && !active->keeps_judgments) {
    if (is_removed)
      return decided;
    remove_by(contributor, active->reason, now, decided.changes);
    decided.answer = followed::removed;
    return decided;
  }
  const bool over = is_removed
                    && (is_by_removal(contributor)
                        || (*who->removed == standing_reason::requester && reinstated_at
                            && who->removed_at <= *reinstated_at));
  if (!over)
    return decided;
  if (const auto why = verdict_on(*who)) {
    remove(contributor, *why, now, decided.changes);
    return decided;
  }
  end_removal(contributor, now, decided.changes);
  decided.answer = followed::reinstated;
  return decided;
}

void contributor_board::tell(const contributor_id& contributor, contributor_standing standing,
                             std::string_view reason, const std::string& why, instant now,
                             change& changes) const {
  const auto& who = entries_.at(contributor);
  const auto tests = ledger_.record_of(who.number);
  json_object details;
  details.text("contributor_id", contributor)
      .text("standing", to_string(standing))
      .text("reason", reason)
      .number("trust", ledger_.trust_of(who.number).mean())
      .number("test_questions", static_cast<std::int64_t>(tests.asked))
      .number("right", static_cast<std::int64_t>(tests.right));
  if (!why.empty())
    details.text("why", why);
  changes.events.push_back({event_type::contributor_flagged, step_, {}, {}, now, details.str()});
}

decision<std::vector<concern>> contributor_board::flag(const std::vector<concern>& found,
                                                       const std::vector<monitor>& wanted,
                                                       instant now) {
  decision<std::vector<concern>> decided;
  for (const auto& one : found) {
    if (std::find(wanted.begin(), wanted.end(), one.what) == wanted.end()
        || removed(one.contributor) || of(one.contributor).flags_unreadable
        || !of(one.contributor).flags.insert(one.what).second)
      continue;
    decided.changes.writes.push_back(insert_flag{step_, one.contributor, one.what, one.why, now});
    tell(one.contributor, contributor_standing::working, to_string(one.what), one.why, now,
         decided.changes);
    decided.answer.push_back(one);
  }
  return decided;
}

outcome<contributor_board::told> contributor_board::feedback(const contributor_id& contributor,
                                                             const unit_id& unit) const {
  if (!policy_ || !policy_->feedback)
    return failure{errc::wrong_state, "the step tells nobody which units are test questions"};
  const auto* who = find(contributor);
  const auto question = ordinals_.find(unit);
  if (who == nullptr || question == ordinals_.end())
    return told{};
  const auto answer = who->answered.find(question->second);
  if (answer == who->answered.end())
    return told{};
  return told{true, answer->second.correct, !ledger_.is_forgiven(number_of(question->second))};
}

std::vector<contributor_id> contributor_board::who_answered(const unit_id& question) const {
  const auto ordinal = ordinals_.at(question);
  std::vector<contributor_id> all;
  for (const auto& [contributor, who] : entries_)
    if (who.answered.count(ordinal) != 0)
      all.push_back(contributor);
  return all;
}

bool contributor_board::removed(const contributor_id& contributor) const {
  const auto* who = find(contributor);
  return who != nullptr && who->removed.has_value();
}

std::vector<contributor_id>
contributor_board::remaining(std::vector<contributor_id> contributors) const {
  contributors.erase(std::remove_if(contributors.begin(), contributors.end(),
                                    [&](const auto& c) { return removed(c) || is_held(c); }),
                     contributors.end());
  return contributors;
}

trust_mark contributor_board::trust_in(const contributor_id& contributor,
                                       const trust_elsewhere& elsewhere) const {
  const auto* who = policy_ && !elsewhere.without_own ? find(contributor) : nullptr;
  const auto record = who == nullptr ? quality::test_record{} : ledger_.record_of(who->number);
  if (record.asked > 0)
    return mark_of(record);
  if (elsewhere.mean)
    return {*elsewhere.mean, std::nullopt};
  if (policy_ && !elsewhere.without_own)
    return mark_of(record);
  return elsewhere.looked ? trust_mark{quality::trust{}.mean(), std::nullopt} : trust_mark{};
}

trust_course contributor_board::course_of(const contributor_id& contributor) const {
  HOLDFAST_INVARIANT(policy_, "without test questions nothing changes trust");
  trust_course course{mark_of({})};
  const auto* who = find(contributor);
  if (who == nullptr)
    return course;
  std::vector<test_answer> counting;
  for (const auto& [question, answer] : who->answered)
    if (!ledger_.is_forgiven(number_of(question)))
      counting.push_back(answer);
  std::sort(counting.begin(), counting.end(),
            [](const auto& a, const auto& b) { return a.when < b.when; });
  quality::test_record so_far;
  for (const auto& answer : counting) {
    ++so_far.asked;
    so_far.right += answer.correct ? 1 : 0;
    course.turns.push_back({answer.when, mark_of(so_far)});
  }
  return course;
}

bool contributor_board::is_reconsidered(const contributor_id& contributor) const {
  const auto* who = find(contributor);
  return who != nullptr
         && std::any_of(who->answered.begin(), who->answered.end(),
                        [&](const auto& one) { return reconsidered_.count(one.first) != 0; });
}

std::vector<step_history::trusted>
contributor_board::wrongly_trusted(const std::vector<step_history::trusted>& judgments) const {
  std::vector<step_history::trusted> wrong;
  std::map<contributor_id, trust_course> courses;
  for (const auto& judgment : judgments) {
    if (!is_reconsidered(judgment.contributor))
      continue;
    const auto [course, fresh] = courses.try_emplace(judgment.contributor);
    if (fresh)
      course->second = course_of(judgment.contributor);
    const auto today = course->second.at(judgment.when);
    if (!(today == judgment.trust) && !keeps_trust(judgment.trust.questions, today))
      wrong.push_back(judgment);
  }
  return wrong;
}

std::vector<contributor_report> contributor_board::report() const {
  std::vector<contributor_report> all;
  all.reserve(entries_.size());
  for (const auto& [name, who] : entries_)
    all.push_back({name,
                   who.removed ? contributor_standing::removed : contributor_standing::working,
                   who.removed.value_or(standing_reason::requester),
                   who.assignments,
                   ledger_.record_of(who.number),
                   ledger_.trust_of(who.number),
                   {who.flags.begin(), who.flags.end()}});
  return all;
}

std::vector<contributor_report>
contributor_board::report(const std::vector<step_history::worked>& worked,
                          const contributor_id& after) const {
  std::map<contributor_id, contributor_report> by_name;
  for (auto& known : report())
    if (known.contributor > after)
      by_name.emplace(known.contributor, std::move(known));
  for (const auto& one : worked) {
    auto& of = by_name[one.contributor];
    of.contributor = one.contributor;
    of.assignments = one.assignments;
  }
  std::vector<contributor_report> all;
  all.reserve(by_name.size());
  for (auto& [name, report] : by_name)
    all.push_back(std::move(report));
  return all;
}

} // namespace holdfast::core
