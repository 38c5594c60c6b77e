#pragma once

#include "core/uuid.hpp"
#include "messages/interfaces.hpp"
#include "tests/sim/field.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::sim {

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
