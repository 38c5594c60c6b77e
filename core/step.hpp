#pragma once

#include "core/change.hpp"
#include "core/step_listing.hpp"
#include "core/unit.hpp"
#include "core/workflow.hpp"

#include <set>
#include <vector>

namespace holdfast::core {

/// A workflow step: takes units in, counts those that are done, and completes.
///
///   ┌────── pause ──────┐
///   ▼                   │        cancel (from open, paused)
/// paused ── resume ──► open ───────────────────────────────► canceled
///                       │  ▲
///     sealed and all    │  │ new units
///     units finished    ▼  │
///                    completed
///
/// A step completes only when it is sealed: as long as its requester or its upstream steps may add
/// units, an empty step is merely idle. New source data unseals and reopens it (gap G-8 of the
/// requirements); new units of a chain, and results that are taken back, reopen it.
struct step {
  step_row row;
  std::uint64_t next_ordinal = 1;
  /// No id of a unit may tell when it was made: test questions seldom come with the others.
  bool hides_origin = false;
  token token_min = 0;                     ///< No lease is granted under a lower one.
  std::optional<task_executor> executor{}; ///< Of the tasks that judge its units.
  step_listing listing{};                  ///< What its events say of it besides how it stands.
};

/// The step as those see it who look for work, as of now.
step_listing listed(const step& s);

/// One source item to become a unit.
struct source_item {
  std::string key;         ///< Unique in the step; empty is not allowed.
  std::string input;       ///< JSON.
  std::uint32_t slots = 1; ///< Judgments wanted.
  unit_id parent;          ///< Nil for source data.
  unit_id root;            ///< Nil: the new unit is its own root.
  std::string truth{};     ///< JSON; not empty for a test question, which has slots for everybody.
  std::uint32_t loops = 0; ///< As in `insert_unit`, like the following.
  std::uint32_t part = 0;
  std::vector<contributor_id> excluded{};
  std::uint32_t version = 1;
  list_place list{};
  bool gathered = false; ///< It waits to be part of a batch.
  std::uint32_t parent_reopened = 0;
};

struct added {
  std::vector<unit_record> units;
};

/// Takes in items whose keys the step does not have yet: source data, or units of chains, which say
/// nothing about whether more will come (their steps do). Test questions are no work to be done:
/// they neither count nor reopen the step. Tasks judge as those of `judges`. Refuses with
/// `wrong_state` when canceled.
decision<added> add_units(step& s, std::vector<source_item> items, uuid_source& ids, instant now,
                          const std::vector<contributor_id>& judges = {});

/// Whether the unit may become part of a batch of that version.
bool waits_for_batch(const unit_record& unit, std::uint32_t version);

/// Makes a batch of `members`, units of the step that wait for one: a unit with `input`, which has
/// what they have in that order. It goes on from the first of them, and nobody is offered it whom
/// one of them is kept from. At least one; all of one version.
decision<unit_record> gather(step& s, const std::vector<unit_record>& members, std::string input,
                             std::uint32_t slots, uuid_source& ids, instant now,
                             const std::vector<contributor_id>& judges = {});

/// Units of the step that are gathered: all that are part of `batch`, or some that wait for one.
struct gathered_together {
  unit_id batch; ///< Canceled by now; nil for those that wait.
  std::vector<unit_id> units;
};

/// Takes batches apart, and withdraws those of their units, and of those that wait, from which the
/// results of their parents were taken back: these are canceled, the others wait for another batch.
/// Answers whether there was anything to do.
decision<bool> ungather(step& s, const std::vector<gathered_together>& these,
                        const std::set<unit_id>& withdrawn, instant now);

/// No more units are expected: completes the step once all are finished. Repeating succeeds.
decision<step_row> seal(step& s, instant now);

/// More units may come after all. Repeating succeeds.
decision<step_row> unseal(step& s, instant now);

/// The step at `position` is complete, or is no longer. The step is sealed as long as all steps
/// that lead to it, `upstreams`, are complete. Repeating succeeds.
decision<step_row> note_upstream(step& s, std::uint32_t position, bool completed,
                                 std::uint64_t upstreams, instant now);

/// `count` more units are finalized or canceled, and `reopened` are to be done again: their results
/// were taken back, or their batch was. With them a completed step is to be done again; it tells so
/// even when all of them are done by now, as others may have heard of the results meanwhile.
decision<step_row> units_finished(step& s, std::uint64_t count, instant now,
                                  std::uint64_t reopened = 0);

/// Same verbs as for units. Units of a paused or canceled step are not offered; canceling is final.
decision<step_row> decide(step& s, unit_verb verb, instant now);

} // namespace holdfast::core
