#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What is known of contributors whatever the step, and the steps that are there for them.
namespace holdfast::msg {

/// Sets what is known of a contributor, in place of all that was known. Whoever manages
/// contributors sends it when something changes; steps that ask for it follow within a minute.
/// Answered by `profile_view`. `payload_invalid` lists every problem with its place.
struct put_profile {
  core::contributor_id contributor;
  std::vector<std::string> channels; ///< Each, like the terms of the other lists, 1 to 64 of
                                     ///< `a-z A-Z 0-9 _ . : -`; at most 64 of them.
  std::vector<std::string> skills;
  std::vector<std::string> certifications;
  std::string location; ///< E.g. `DE-BY`, which is within `DE`; empty: not known.
  double trust = -1;    ///< From 0 to 1; negative: as their test questions say.
};
HOLDFAST_WIRE(put_profile, x.contributor, x.channels, x.skills, x.certifications, x.location,
              x.trust)

/// Answered by `profile_view`, also of somebody of whom nothing is known.
struct get_profile {
  core::contributor_id contributor;
};
HOLDFAST_WIRE(get_profile, x.contributor)

struct profile_view {
  core::contributor_id contributor;
  std::vector<std::string> channels; ///< In order of bytes, each once, like the other lists.
  std::vector<std::string> skills;
  std::vector<std::string> certifications;
  std::string location;
  double trust = 0; ///< What counts: as was given, else as their test questions say.
  bool trust_given = false;
  std::uint64_t tests_right = 0; ///< Of all steps.
  std::uint64_t tests_answered = 0;
  core::instant changed_at; ///< 0: nothing was ever put.
};
HOLDFAST_WIRE(profile_view, x.contributor, x.channels, x.skills, x.certifications, x.location,
              x.trust, x.trust_given, x.tests_right, x.tests_answered, x.changed_at)

/// Asks for the open steps whose requirements a contributor meets, those of the highest priority
/// first, among equals the oldest. Answered by `step_offers`, from an index that follows
/// `JobStepUpdated`: what changed a moment ago may be missing. Whether a step has a unit for them
/// now, `ask_assignment` says.
struct find_steps {
  core::contributor_id contributor;
  std::uint32_t limit = 20; ///< 1 to 1,000.
  /// To go on behind a step: its priority, and itself; nil: from the first.
  std::int32_t after_priority = 0;
  core::step_id after;
};
HOLDFAST_WIRE(find_steps, x.contributor, x.limit, x.after_priority, x.after)

struct step_offer {
  core::step_id step;
  core::workflow_id workflow;
  std::string key;
  std::string title;
  std::string ui; ///< As in `assignment`.
  std::int32_t priority = 0;
};
HOLDFAST_WIRE(step_offer, x.step, x.workflow, x.key, x.title, x.ui, x.priority)

struct step_offers {
  std::vector<step_offer> steps;
  /// False when part of the steps could not be looked at: a node is not reached, or has just taken
  /// them over and is still reading. Ask again for the rest.
  bool complete = true;
};
HOLDFAST_WIRE(step_offers, x.steps, x.complete)

/// Has every node list the steps that it hosts anew, from the database: for an index that has lost
/// something, or has it wrong, and does not know of it. Searches are answered meanwhile, and say
/// that they are not complete. Answered by `step_index_rebuilt` when all is listed.
struct rebuild_step_index {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(rebuild_step_index, x.version)

struct step_index_rebuilt {
  std::uint32_t nodes = 0; ///< That have listed all that they host.
  std::uint64_t steps = 0; ///< That they have listed: open and paused ones.
  /// False when a node was not reached, could not read its steps, or is not done yet: it goes on by
  /// itself. Searches say when they are complete again.
  bool complete = true;
};
HOLDFAST_WIRE(step_index_rebuilt, x.nodes, x.steps, x.complete)

} // namespace holdfast::msg
