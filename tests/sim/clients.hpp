#pragma once

#include "core/uuid.hpp"
#include "messages/interfaces.hpp"
#include "tests/sim/faults.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/plan.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::sim {

/// What all clients of a run share.
struct field {
  field(const plan& drawn_plan, auditor& checks, trace& lines, tally& counts)
      : drawn(drawn_plan), audit(checks), log(lines), seen(counts) {}

  const plan& drawn;
  auditor& audit;
  trace& log;
  tally& seen;
  const persistence::memory::tables* tables = nullptr; ///< What a requester sees on its dashboard.
  /// What a producer writes to in transactions of its own.
  std::shared_ptr<persistence::memory_database> database;
  /// Some node's gateway; null when no node is up. The number picks one of several.
  std::function<msg::gateway_actor(std::uint64_t pick)> gateway;
  std::function<core::instant()> now;
  /// A client has died and wants `back` called after that time.
  std::function<void(core::duration after, std::function<void()> back)> return_after;
  std::vector<core::step_id> steps; ///< Of all versions of the workflow, by position.
  /// Odd from the moment at which the database loses commits until each node knows of it, or
  /// decides nothing. Meanwhile nodes may answer from a memory of what is gone.
  std::uint64_t era = 0;
  /// Whether an answer in this moment to a request of that era speaks of what the database has.
  bool believes(std::uint64_t of) const { return of == era && era % 2 == 0; }
  bool calm = false; ///< Liveness phase: only helpful clients remain, and finish all work.
  bool over = false; ///< Everybody stops.
  /// The operator has something under way that might revive what is finished.
  bool steering = false;
  /// The requester may still ask for repairs.
  bool repairing = false;
  std::uint32_t seekers = 0; ///< Started by `start_seeker`, and without an answer yet.
};

/// Requests that may be under way, unanswered, and are then sent again with the same ids.
using repeatable =
    std::variant<msg::create_workflow, msg::update_workflow, msg::get_workflow,
                 msg::job_status_changed, msg::add_source_data, msg::add_test_questions,
                 msg::remove_contributor, msg::forgive_question, msg::repair_contributor,
                 msg::repair_question, msg::seal_step, msg::change_step, msg::change_unit,
                 msg::list_results, msg::get_lineage, msg::explain_contributor,
                 msg::get_step_quality, msg::ask_assignment, msg::release_assignment,
                 msg::extend_assignment, msg::submit_judgment, msg::get_feedback, msg::end_session,
                 msg::put_profile, msg::find_steps, msg::rebuild_step_index>;

/// Of whom nothing is ever known.
inline constexpr auto nobody = "nobody";

/// Starts one contributor with its moods. It stops when the field is calm.
void start_contributor(caf::actor_system& system, field& f, std::uint32_t number);

/// Starts one contributor who answers everything that it is offered, until all is over.
void start_closer(caf::actor_system& system, field& f, std::uint32_t number);

/// Starts the requester: creates the workflow, feeds it while it runs, changes and steers it, seals
/// it. In the
/// calm it takes back what stops the work, and seals.
void start_requester(caf::actor_system& system, field& f);

/// Starts somebody who looks for steps once, when nothing moves any more, and must find all that
/// are there for `contributor`.
void start_seeker(caf::actor_system& system, field& f, const msg::gateway_actor& gateway,
                  const core::contributor_id& contributor);

} // namespace holdfast::sim
