#pragma once

#include "core/aggregation.hpp"
#include "core/change.hpp"
#include "core/trust_course.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// A judgment as far as deciding needs it; its payload stays in the database.
struct judgment_mark {
  judgment_id id;
  contributor_id contributor;
  core::token token = 0;
  std::string answer;
  double trust = 1;                   ///< Of the contributor, as of when it came in.
  bool tainted = false;               ///< Counts no more.
  std::optional<bool> test_correct{}; ///< On a test question: whether the answer is right.
  instant submitted_at{};
  std::optional<std::uint32_t> judged_before{};   ///< As in `insert_judgment`.
  std::optional<std::uint32_t> trust_questions{}; ///< As in `trust_mark`.
  bool late = false;                              ///< It came when its lease had expired.
  bool taint_requested = false; ///< Somebody in charge has said that it counts no more.
  std::uint8_t corrected = 0;   ///< How often its author has handed in another payload.
};

/// A lease of the unit that expired without an answer, for what may come in late.
struct lapsed_lease {
  contributor_id contributor;
  core::token token = 0;
  judgment_id surplus{}; ///< Kept under it; nil for none.
};

/// A contributor who is not to be offered the unit before `until`.
struct bar {
  contributor_id contributor;
  instant until;
};

/// One microtask: collects judgments from different contributors until its slots are filled, then
/// gets its result.
///
///              pause ┌────────┐
///   judgable ───────►│ paused │──┐ cancel
///    │  ▲   ◄────────└────────┘  ▼
///    │  └ resume              canceled
///    │ all slots judged          ▲
///    ▼                    cancel │
///   finalized        judgable ───┘
///
/// A *gathered* unit is not worked on: it is part of a batch, or waits to be (core/gathering.hpp).
/// Of all of these it can only become canceled, when it is withdrawn.
///
/// A repair may take the result of a finalized unit back (core/repair.hpp); it is judgable again
/// then. What was made from that result is *withdrawn*: canceled, even when it is finalized.
///
/// Pausing stops new leases; leases already out may still be handed in. Canceling ends them.
///
/// A *test question* is a unit whose right answer is known. Everybody may judge it once; it is
/// never finalized, and nobody but its requester can tell it from another unit.
///
/// This is what deciding needs, and all that is kept in memory of each unit that is worked on.
struct unit {
  unit_id id;
  step_id step;
  unit_id root;
  std::string input;         ///< JSON, or what stands for it when it is in the object store.
  std::string truth;         ///< JSON; empty unless this is a test question.
  std::uint32_t slots = 1;   ///< Judgments wanted so far.
  std::uint32_t loops = 0;   ///< How often its chain was sent back.
  std::uint32_t version = 1; ///< Of the workflow, under which its chain began.
  unit_state state = unit_state::judgable;
  std::uint32_t reopened = 0; ///< Results that were taken back.
  bool overridden = false;    ///< Its result is what its requester has said.
  lease_table leases;
  std::vector<judgment_mark> judgments;
  std::vector<bar> bars; ///< At most one per contributor.
  /// Those under which surplus was kept, and of each contributor who neither holds nor has judged
  /// the unit the last lease, if it expired. Empty where late judgments are refused.
  std::vector<lapsed_lease> lapsed;
};

/// A unit with all that is stored of it.
struct unit_record : unit {
  unit_id parent;
  std::uint64_t ordinal = 0;
  std::string source_key;
  instant created_at;
  std::string result; ///< JSON; empty until finalized.
  double confidence = 0;
  std::int16_t route = no_route; ///< That took it on when it was finalized.
  std::uint32_t part = 0;        ///< Place among the units that its parent's result made.
  list_place list;
  unit_id batch;                ///< What a gathered unit is part of; nil while it waits for that.
  std::uint32_t ungathered = 0; ///< How often a gathered unit was taken out of its batch.
};

/// The slots of a test question: more than there are contributors.
inline constexpr std::uint32_t test_question_slots = 1'000'000'000;

inline bool is_test_question(const unit& u) { return !u.truth.empty(); }

/// The contributor's judgment, if it counts; else null.
const judgment_mark* counted_judgment(const unit& u, const contributor_id& contributor);

/// Judgments that count.
std::uint32_t counted_judgments(const unit& u);

/// Slots neither leased nor judged; 0 unless the unit is judgable. Never negative: I-1.
std::uint32_t free_slots(const unit& u);

/// Whether all slots are judged, so that the unit is finalized or asks for more.
bool ready_to_aggregate(const unit& u);

/// Why nobody holds a lease of the unit any more, where there is one reason for all; else empty.
std::string why_over(const unit& u);

/// Notes how the last lease of a contributor ended. A unit is loaded with it: once its leases and
/// judgments are there and what was kept as surplus is in `lapsed`, for each lease of the history
/// in order of token.
void note_ended(unit& u, const lease_policy& policy, const contributor_id& owner, token ended,
                lease_end how);

/// Until when `contributor` is not to be offered the unit for reasons of their own; `now` when
/// there are none.
instant barred_until(const unit& u, const contributor_id& contributor, instant now);

// Each decision changes `u` only when it is not a refusal, and depends on nothing but its
// arguments. "Repeated" means that the very same request had been carried out before: it gets the
// same answer and writes nothing.

struct ask {
  contributor_id contributor;
  assignment_id assignment; ///< Chosen by the caller: asking again with it returns the same lease.
  /// The token is no less. Where there are test questions, counting from 1 would give them away:
  /// they are leased far more often than other units.
  core::token token_min = 0;
};
/// Grants a slot. Refuses with `wrong_state`, `already_judged`, `already_exists` (another lease of
/// the contributor on this unit) or `no_unit_available` (no slot, or barred).
decision<lease> decide(unit& u, const lease_policy& policy, const ask& command, instant now);

struct extend {
  contributor_id contributor;
  core::token token = 0;
};
decision<lease> decide(unit& u, const lease_policy& policy, const extend& command, instant now);

struct give_back {
  contributor_id contributor;
  core::token token = 0;
  bool decline = false; ///< True: never offer this unit to this contributor again.
};
/// Frees a slot. A lease that has just run out may still be given back: the outcome is the same.
/// Repeating succeeds as long as the contributor has no newer lease. Refuses with `already_judged`
/// when they have handed in, under this lease or for good.
decision<bool> decide(unit& u, const lease_policy& policy, const give_back& command, instant now);

/// The refusal of an id that another judgment has.
inline constexpr std::string_view judgment_id_taken =
    "another judgment has this id; submit with a new one";

struct submit {
  contributor_id contributor;
  core::token token = 0;
  /// Chosen by the caller: submitting again with it is a repetition, and `already_exists` with
  /// another answer. Of what was kept as surplus the answer is not known, and nothing is compared.
  judgment_id judgment;
  std::string payload;                ///< Valid against the step's schema.
  std::string answer;                 ///< What the step's aggregation counts.
  trust_mark trust{};                 ///< In the contributor.
  std::optional<bool> test_correct{}; ///< Of a test question: whether the answer is right.
  bool removed = false;               ///< The contributor may no longer work in the step.
  std::optional<std::uint32_t> judged_before{}; ///< As in `insert_judgment`.
};
struct submitted {
  judgment_id judgment;
  bool repeated = false;
  bool surplus = false; ///< It came late: it is kept, but does not count.
  bool late = false;    ///< It came late, whether or not it counts.
};
/// Takes a judgment under a lease that is held.
///
/// One under the contributor's last lease of the unit, when that has expired, is *late*; what
/// becomes of it is the policy's. Where it may be accepted it takes a slot that is neither leased
/// nor judged and counts as if it had come in time, also while the unit is paused. Where there is
/// no slot, or none is given to late ones, it is kept as surplus, one for each lease; also when
/// the unit is finalized. It is refused as elsewhere when the unit is canceled, when the
/// contributor was removed, when they have the unit anew (then they hand in under the new lease),
/// and after a lease that ended in another way. `already_exists`: another judgment of the unit has
/// this id.
decision<submitted> decide(unit& u, const lease_policy& policy, const submit& command, instant now);

/// Ends every lease that has run out; answers how many.
struct expire {};
decision<std::uint32_t> decide(unit& u, const lease_policy& policy, const expire& command,
                               instant now);

/// A consumer tells that a judgment of this unit was received. When all slots are judged, the unit
/// gets its result and the route that it takes on, or one slot more where the step's stopping rule
/// is not content; otherwise nothing is written.
struct aggregate_if_ready {
  std::string consumer;
  message_id message; ///< Its number is zero when the message is not kept any more.
  /// Of the step's model where the method asks one. When it does not know of all judgments, nothing
  /// happens: the message of the last one is still to come.
  std::optional<model_opinion> opinion{};
  input_values input{}; ///< Of the unit, where a route asks about its input.
};
struct aggregated {
  bool finalized = false;
  /// Of what the chain was about there is no result: a review rejected it, and no route goes on.
  bool without_result = false;
};
decision<aggregated> decide(unit& u, const aggregation_policy& policy, const std::vector<way>& ways,
                            const aggregate_if_ready& command, instant now);

/// Nothing that the contributor did for this unit counts from now on: ends their lease and taints
/// their judgment, which makes room for others. A finished unit stays as it is. Answers whether
/// there was anything to do.
struct disregard {
  contributor_id contributor;
  bool keeps_judgments = false; ///< Only their lease ends.
};
decision<bool> decide(unit& u, const lease_policy& policy, const disregard& command, instant now);

/// The contributor is trusted again: where a slot is neither leased nor judged, their judgment
/// counts as it would have. A finished unit stays as it is, and so does one that others have
/// filled. Answers whether there was anything to do.
struct reinstate {
  contributor_id contributor;
};
decision<bool> decide(unit& u, const reinstate& command, instant now);

/// What is known of the contributor has changed for the past, too: their judgment, whether or not
/// it counts, is trusted as it would have been. A finished unit stays as it is. Answers whether
/// there was anything to do.
struct trust_anew {
  contributor_id contributor;
  trust_course course;
};
decision<bool> decide(unit& u, const trust_anew& command);

/// Why, as the events say it.
inline constexpr std::string_view withdrawn_because =
    "the result that it was made from was taken back";

/// The result that the unit was made from was taken back, and with it the need for what it asks.
struct withdraw {
  /// Of a finalized unit, as it is stored.
  struct finished {
    std::uint32_t reopened = 0;
    std::string result; ///< JSON.
    std::int16_t route = no_route;
  };
  std::optional<finished> was{};
};
/// Ends its leases and cancels it; what was judged stays to be seen, and so does a result. Refuses
/// with `unavailable` when the unit was finalized since `was` was read. To be told again, and what
/// is gathered, changes nothing: the step withdraws that (`ungather` in core/step.hpp). Answers
/// whether there was anything to do.
decision<bool> decide(unit& u, const lease_policy& policy, const std::vector<way>& ways,
                      const withdraw& command, instant now);

/// What keeps the input of a unit as it is.
inline constexpr std::string_view unit_is_touched =
    "somebody has had the unit: its input stays as it was";

/// The requester has another input under the unit's key. Taken while nobody has ever had a lease of
/// the unit, so that nobody has seen the input that it had. Refuses with `wrong_state` when
/// somebody has, when the unit is not open, and for a test question; the same input changes
/// nothing. Answers whether it was another one.
struct replace_input {
  std::string input; ///< JSON in the spelling of inputs, or what stands for it.
};
decision<bool> decide(unit& u, const replace_input& command);

enum class unit_verb : std::uint8_t { pause = 1, resume = 2, cancel = 3 };
/// Repeating a verb succeeds and writes nothing. Refuses with `wrong_state` what the diagram does
/// not show.
decision<unit_state> decide(unit& u, const lease_policy& policy, unit_verb verb, instant now);

} // namespace holdfast::core
