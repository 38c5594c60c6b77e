#pragma once

#include "actors/held_promise.hpp"
#include "actors/pending_effects.hpp"
#include "documents/answer_matcher.hpp"
#include "documents/judgment_document.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/ref_counted.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::actors {

/// What the units of one step share.
struct step_context : caf::ref_counted {
  step_context(context_ptr host, decider decides, const core::step_definition& definition,
               std::vector<core::way> leads_on, caf::actor writes, caf::actor parent,
               caf::actor large_texts)
      : node(std::move(host)),
        from(std::move(decides)),
        lease(definition.lease),
        aggregation(definition.aggregation),
        repair(definition.repair),
        ways(std::move(leads_on)),
        asked_of_input(core::pointers_asked(ways)),
        hides_counts(definition.test_questions.has_value()),
        checker(definition, node->settings.json),
        writer(std::move(writes)),
        step(std::move(parent)),
        objects(std::move(large_texts)) {}

  context_ptr node;
  decider from;
  core::lease_policy lease;
  core::aggregation_policy aggregation;
  core::repair_policy repair;
  std::vector<core::way> ways;
  std::vector<std::string> asked_of_input; ///< JSON pointers that `ways` ask about.
  bool hides_counts; ///< Nothing may tell how often a unit was leased, or how many slots it has.
  documents::judgment_checker checker;
  caf::actor writer;
  caf::actor step;
  caf::actor objects;
};
using step_context_ptr = caf::intrusive_ptr<const step_context>;

/// The part of a unit that is unsure until the database says whether ids that contributors have
/// chosen are in use.
struct unsure_part {
  struct waiting_command {
    std::optional<held_promise> promise; ///< None: nobody waits for an answer.
    unit_command command;
  };
  /// The contributors with grants or judgments under way.
  std::vector<core::contributor_id> contributors;
  /// The commands that may rest on these grants or judgments, in order.
  std::deque<waiting_command> waiting;
};

struct unit_state {
  static inline const char* name = "unit";

  explicit unit_state(caf::event_based_actor*) {}
  ~unit_state() {
    if (shared != nullptr)
      --shared->node->gauges.live_units;
  }

  core::unit unit;
  step_context_ptr shared;
  pending_effects pending;
  std::unique_ptr<unsure_part> unsure;                      ///< Null in a unit that rests.
  std::unique_ptr<const documents::answer_matcher> matcher; ///< Once an answer has been matched.
};

/// A UNIT: hosts the core of one unit, and with it the leases of its slots.
///
/// Lifecycle: spawned by its step when somebody needs it, from what the reader has loaded; stopped
/// by its step when idle or finished (`passivate`), and with it. Only its step sends it messages,
/// so the two agree about who is alive.
///
/// Failure: a refused write, a lost fence or a crash ends the actor; its step loads it again from
/// the database when next needed. Requests under way are answered `unavailable`. An id that a
/// contributor has chosen and that is in use elsewhere ends nothing: what they did is taken back,
/// and they alone hear of it.
///
/// Backpressure: none of its own; it holds one pending entry per request that the gateway has
/// admitted.
///
/// Memory: a step may have 100,000 units at work, so each byte here counts (`holdfast_bench --only
/// idle`).
caf::behavior unit_actor(caf::stateful_actor<unit_state>* self, core::unit loaded,
                         step_context_ptr shared);

} // namespace holdfast::actors
