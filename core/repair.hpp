#pragma once

#include "core/repair_policy.hpp"
#include "core/unit.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Repairing what was finished before a contributor was removed, or came back to work: which
/// results do not stand by what is known of the contributors now, and what becomes of those.
namespace holdfast::core {

/// What becomes of a finished unit.
enum class repair_outcome : std::uint8_t {
  unconcerned = 0, ///< Nothing counts in it that should not.
  unchanged = 1,   ///< Its answer stands: what must not count is marked and leaves the result.
  changed = 2,     ///< Its result is taken back, and the judgments that are left give another.
  reopened = 3,    ///< Its result is taken back, and it asks others.
};

/// A result as it is stored, as far as a repair compares it.
struct standing_result {
  std::string answer;
  std::string correction;               ///< JSON; empty for none.
  bool tied = false;                    ///< Another answer had as great a share.
  std::optional<std::uint32_t> votes{}; ///< How many judgments it says that it rests on.
  bool overridden = false;              ///< It is what the requester has said.
};

/// Nothing that these contributors said about the unit counts any more, although it is finished.
struct disregard_finished {
  std::set<contributor_id> contributors;
  standing_result result;
  /// Of the step's model, where the method asks one. It knows nothing of the contributors, and of
  /// all other judgments of the unit, with those that are to count again.
  std::optional<model_opinion> opinion{};
  /// Of a repair about somebody who is at work: all who judged the unit and are, and how much they
  /// are trusted as is known today. What they said counts again as in open units, where slots are
  /// free, and is trusted so.
  std::map<contributor_id, trust_course> at_work{};
  repair_policy policy = repair_policy::refill; ///< Of the step.
  /// What these said counts again, also where others have filled their slots: somebody in charge
  /// has said so.
  std::set<contributor_id> again{};
  std::string by{};     ///< Who has asked for it by name; empty for a repair.
  std::string reason{}; ///< Why, likewise.
};

/// Judgments of the finished unit that count no more, and would again.
std::vector<judgment_mark> counting_again(const unit& u, const disregard_finished& command);

struct repaired {
  repair_outcome outcome = repair_outcome::unconcerned;
  std::uint32_t disregarded = 0; ///< Judgments that count no more, or again, or for more or less.
  bool reissued = false;         ///< Other units were made from the result that is taken back.
};

/// A result stands when the judgments that are left give the same answer, and not only together
/// with another that is as good, and are as many as the step wants or the policy is to keep it.
/// Then what counts no more is marked, and the votes and the confidence of the result are those of
/// the judgments that are left; but where others are taken as they are today, nothing is written,
/// so that the result is that of the judgments that are stored. A result that counts what was
/// marked before, as earlier versions of Holdfast have left it, is dealt with likewise. Else it is
/// taken back: the unit is judgable again, with as many slots as it needs, and gets its next result
/// as it got this one, from those who aggregate. Where the judgments that are left are enough for
/// the step's stopping rule, its slots are full.
///
/// A result that its requester has overridden stands whatever counts: only the marks are written.
///
/// Units that were made from a result that is taken back are withdrawn, and with them what was made
/// from those (`withdraw` in core/unit.hpp), also through batches (`ungather` in core/step.hpp);
/// its next result goes on as the first did.
decision<repaired> repair(unit_record& u, const aggregation_policy& policy,
                          const std::vector<way>& ways, const disregard_finished& command,
                          instant now);

/// The name under which a repair is about all who answered a test question, in place of a
/// contributor's: `question:` and the id of the question. Rows of repairs have one name only, which
/// programs of earlier versions read, too; to these it is somebody who has judged nothing.
contributor_id answerers_of(const unit_id& question);
/// The question that such a name means.
std::optional<unit_id> question_named(const contributor_id& name);
/// Whether a name means a question, or is meant to.
bool names_a_question(std::string_view name);

/// Units, in their order of arrival, that a repair deals with in one change: so many changes of
/// units fit in one batch, and reading their judgments takes milliseconds.
inline constexpr std::uint64_t repair_chunk = 500;

/// The place up to which the next chunk goes.
std::uint64_t next_bookmark(const repair_row& repair);

/// Counts one unit.
void tally(repair_figures& figures, const repaired& unit);

} // namespace holdfast::core
