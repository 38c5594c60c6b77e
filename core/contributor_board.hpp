#pragma once

#include "core/change.hpp"
#include "core/contributor.hpp"
#include "core/outcome.hpp"
#include "core/quality/test_ledger.hpp"
#include "core/removal.hpp"
#include "core/step_survey.hpp"
#include "core/trust_elsewhere.hpp"
#include "core/workflow.hpp"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace holdfast::core {

/// Which of the units that a contributor has given back they may have again now.
enum class given_back : std::uint8_t { none, questions, all };

/// A contributor of a step as its requester sees them.
struct contributor_report {
  contributor_id contributor;
  contributor_standing standing = contributor_standing::working;
  standing_reason reason = standing_reason::requester; ///< Of a standing other than working.
  std::uint64_t assignments = 0;                       ///< Ever granted in the step.
  quality::test_record tests;
  quality::trust trust;
  std::vector<monitor> flags; ///< Raised so far.
};

/// The contributors of one step: who gets a test question next, what their answers say about them,
/// and who is to go. Rebuilt from the database whenever the step starts; a step without test
/// questions keeps only who was removed or flagged, and how much everybody has judged where a route
/// asks for that.
///
/// A row that cannot be read must not change what anybody may do. A contributor with an unreadable
/// standing is held: they may have been removed, so they get nothing and hand in nothing, and no
/// standing of theirs is written. An unreadable test question is offered to nobody and says nothing
/// of trust; contributors who answered it need no other one for their quiz, and the rest of their
/// answers does not remove them. A flag that cannot be read counts as raised by every monitor.
///
///              quiz failed | right too seldom | the requester says so
///   working ────────────────────────────────────────────────────────► removed
///       ▲                                                               │
///       └───────────────────────────────────────────────────────────────┘
///         a question is forgiven, and what is left no longer speaks against them;
///         not those whom the requester removed
///         a removal from elsewhere ends (core/removal.hpp), and test questions say nothing
class contributor_board {
public:
  contributor_board(step_id step, const std::optional<test_question_policy>& policy);

  /// Goes on from what is stored.
  void restore(const step_history& history);
  /// Rows of it that are damaged.
  const std::vector<step_history::unreadable>& damage() const { return damage_; }
  /// Why nothing is given to them, taken from them or decided about them, because their standing
  /// cannot be read; `none` if it can.
  failure held(const contributor_id& contributor) const;
  bool is_held(const contributor_id& contributor) const { return held_.count(contributor) != 0; }
  /// Why no question is forgiven now, or counts again, and no result is repaired: the standings and
  /// the trust by which that is decided may be others. `none` if nothing keeps from it.
  failure reconsidering_obstacle() const;
  /// Removes all whose answers demand it already: an earlier life may have ended between an answer
  /// and what follows from it. Answers who they are.
  decision<std::vector<contributor_id>> settle(instant now);

  /// How often contributors who have passed the quiz are tested from now on, as
  /// `quality::test_policy::every`. Nothing where there are no test questions.
  void test_every(std::uint32_t units);

  /// A test question is there, with its place in the step's order of arrival.
  void add_question(const unit_id& unit, std::uint64_t ordinal);
  /// Offers it from now on, or no more.
  void set_open(const unit_id& unit, bool open);
  bool is_question(const unit_id& unit) const { return ordinals_.count(unit) != 0; }
  /// Of a test question.
  bool is_forgiven(const unit_id& unit) const;

  /// What to offer to whoever asks for work. Without ordinary units to be done nobody is tested.
  struct next_work {
    /// Why there is nothing: `not_qualified` for good, `no_unit_available` for now, `damaged` as
    /// long as they are held.
    errc refusal = errc::none;
    /// A test question that they have not been asked; none: an ordinary unit.
    std::optional<unit_id> question;
    /// What they have given back, and may have again, goes before all that: were it otherwise, a
    /// unit that is given back and comes again at once, or does not, would say what it is.
    given_back first = given_back::all;
  };
  next_work next_for(const contributor_id& contributor, bool work_left) const;

  /// They hold a unit that an earlier life of the step gave them: a test question is under way then
  /// as if it had just been offered.
  void holding(const contributor_id& contributor, const unit_id& unit);
  /// A unit is offered to them.
  void offered(const contributor_id& contributor, const unit_id& unit);
  /// They did not get it after all. A test question stays asked: whether it comes again is decided
  /// as for any unit, by what they have given back.
  void withdrawn(const contributor_id& contributor, const unit_id& unit);
  /// Their lease of the unit ended without an answer.
  void unanswered(const contributor_id& contributor, const unit_id& unit);

  /// They judged a unit that is no test question, in a way that counted, and that is durable: what
  /// is stored with a later one says so.
  void judged(const contributor_id& contributor);
  /// How many such units they have judged in the step so far, whatever became of the judgments.
  /// None where no route asks for it.
  std::optional<std::uint32_t> judged_before(const contributor_id& contributor) const;

  /// They answered a test question then. Answers whether that removes them. To be told again
  /// changes nothing.
  decision<bool> answered(const contributor_id& contributor, const unit_id& unit, bool correct,
                          const judgment_moment& when, instant now);

  /// What changes with a question, and for whom; by name.
  struct forgiveness {
    std::vector<contributor_id> reinstated;
    std::vector<contributor_id> removed;
    /// All who have answered it: what they said in open units is to be trusted by `course_of`.
    std::vector<contributor_id> concerned;
  };
  /// The question was wrong or unfair: no answer to it counts, from the beginning, and it is not
  /// offered any more. With `forgiven` false the reverse. Everybody's standing becomes what it
  /// would be had it always been so; but whom the requester has removed stays removed. To be told
  /// again changes nothing.
  decision<forgiveness> forgive(const unit_id& unit, bool forgiven, instant now);

  /// What monitors have found. Answers what is new of it and wanted; who was removed is past all
  /// flags.
  decision<std::vector<concern>> flag(const std::vector<concern>& found,
                                      const std::vector<monitor>& wanted, instant now);

  /// The requester removes them. Answers whether that is new.
  decision<bool> remove(const contributor_id& contributor, instant now);

  /// What removals change in the step (core/removal.hpp).
  enum class followed : std::uint8_t { nothing, removed, reinstated };
  /// Their standing follows the removal that keeps them from the step now; none: nothing does.
  /// `reinstated_at`: since when they are back by what was said of this step, which ends what the
  /// requester has decided in the step before. Whoever has had nothing to do with the step
  /// (`touched`) needs no standing there. Whom test questions speak against stays removed.
  decision<followed> follow(const contributor_id& contributor, const std::optional<removal>& active,
                            const std::optional<instant>& reinstated_at, bool touched, instant now);
  /// All whose standing follows from a removal, by name.
  const std::set<contributor_id>& removed_by_removals() const { return by_removals_; }

  /// What a contributor may be told of a unit.
  struct told {
    bool test_question = false; ///< It was one, and they have answered it.
    bool right = false;         ///< Only then.
    bool counts = false;        ///< Only then; not when the question is forgiven.
  };
  /// The same of ordinary units and of questions that they have not answered: nobody is to find
  /// these by asking. `wrong_state` where the step tells nobody, before anything is looked at.
  outcome<told> feedback(const contributor_id& contributor, const unit_id& unit) const;

  /// Those who have answered a test question, forgiven or not; by name.
  std::vector<contributor_id> who_answered(const unit_id& question) const;

  bool removed(const contributor_id& contributor) const;
  /// Those of `contributors` who are neither removed nor held.
  std::vector<contributor_id> remaining(std::vector<contributor_id> contributors) const;
  /// How much their next judgment is trusted: by the test questions of this step that they have
  /// answered, else by what is known elsewhere, else as one trusts anybody. 1 where nobody is
  /// tested and the step does not go by trust.
  trust_mark trust_in(const contributor_id& contributor,
                      const trust_elsewhere& elsewhere = {}) const;
  /// How much their judgments are trusted, whenever they came in. Not where nobody is tested.
  trust_course course_of(const contributor_id& contributor) const;
  /// Those of the judgments, of people who answered a question that was reconsidered, that are not
  /// trusted as `course_of` says: an earlier life of step or unit may have ended in between.
  std::vector<step_history::trusted>
  wrongly_trusted(const std::vector<step_history::trusted>& judgments) const;
  /// All who are known here: who have worked, where there are test questions, or were flagged or
  /// removed; by name.
  std::vector<contributor_report> report() const;
  /// The same with those of `worked`, who may not be known here, and with their assignments;
  /// without those up to the name `after`.
  std::vector<contributor_report> report(const std::vector<step_history::worked>& worked,
                                         const contributor_id& after) const;

private:
  struct test_answer {
    judgment_moment when;
    bool correct = false;
  };
  struct entry {
    std::uint32_t number = 0; ///< In the ledger.
    std::uint64_t assignments = 0;
    std::vector<std::uint64_t> asked;              ///< Ordinals of test questions, answered or not.
    std::map<std::uint64_t, test_answer> answered; ///< Those of them that are.
    std::set<unit_id> waiting;                     ///< Test questions offered and not answered yet.
    std::optional<standing_reason> removed;
    instant removed_at{};
    std::set<monitor> flags;
    bool flags_unreadable = false; ///< One of them at least.
  };

  entry& of(const contributor_id& contributor);
  const entry* find(const contributor_id& contributor) const;
  void ask(entry& who, const unit_id& unit);
  /// How many of the questions that they answered cannot be read.
  std::uint32_t unreadable_answers(const entry& who) const;
  /// False: it is recorded already.
  bool record(entry& who, const unit_id& unit, bool correct, const judgment_moment& when);
  /// The first answers that count, as many as the quiz has questions.
  quality::test_record quiz_of(const entry& who) const;
  /// Test questions offered to them whose answers will count.
  std::size_t tests_under_way(const entry& who) const;
  /// Whether they answered a question that was forgiven at some time.
  bool is_reconsidered(const contributor_id& contributor) const;
  /// What the answers so far demand.
  std::optional<standing_reason> verdict_on(const entry& who) const;
  /// Adds to `changes` what makes it durable.
  void remove(const contributor_id& contributor, standing_reason why, instant now, change& changes);
  void reinstate(const contributor_id& contributor, instant now, change& changes);
  /// As `remove` and `reinstate`, by a removal or its end.
  void remove_by(const contributor_id& contributor, const std::string& why, instant now,
                 change& changes);
  void end_removal(const contributor_id& contributor, instant now, change& changes);
  bool is_by_removal(const contributor_id& contributor) const {
    return by_removals_.count(contributor) != 0;
  }
  void tell(const contributor_id& contributor, contributor_standing standing,
            std::string_view reason, const std::string& why, instant now, change& changes) const;

  step_id step_;
  std::optional<test_question_policy> policy_;
  std::uint64_t seed_;
  std::map<contributor_id, entry> entries_;
  quality::test_ledger ledger_;
  std::unordered_map<unit_id, std::uint64_t> ordinals_; ///< Of all test questions.
  std::map<std::uint64_t, unit_id> open_questions_;     ///< By ordinal.
  std::set<std::uint64_t> reconsidered_;                ///< Ordinals; forgiven, now or once.
  std::vector<step_history::unreadable> damage_;
  std::map<contributor_id, std::string> held_;   ///< With the reason.
  std::set<contributor_id> by_removals_;         ///< Removed, and by a removal.
  std::set<std::uint64_t> unreadable_questions_; ///< Ordinals.
  /// Apart from `entries_`: it says nothing of them to the requester. None: not counted.
  std::optional<std::unordered_map<contributor_id, std::uint32_t>> judged_;
};

} // namespace holdfast::core
