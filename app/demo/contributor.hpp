#pragma once

#include "app/demo/pace.hpp"
#include "app/demo/planned_answer.hpp"
#include "app/demo/tally.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"
#include "messages/interfaces.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>

namespace holdfast::app::demo {

struct contributor_deps {
  core::contributor_id name;
  core::step_id step;
  std::size_t set = 0;                                     ///< Index of the data set.
  std::unordered_map<std::string, planned_answer> answers; ///< By task.
  core::lease_policy lease;                                ///< Of the step.
  std::uint64_t seed = 1;
  msg::gateway_actor gateway; ///< Of a `client::connection`: retries by itself.
  core::duration request_timeout{};
  std::shared_ptr<tally> log;
  std::shared_ptr<work_pace> pace; ///< Null: as planned to the end.
};

/// INTERNAL: ask for an assignment.
struct look_for_work {};

/// INTERNAL: the contributor has thought for another while about the unit at hand.
struct go_on_thinking {
  core::assignment_id assignment;
};

/// INTERNAL: hand in an answer whose lease has run out by now.
struct submit_too_late {
  msg::submit_judgment judgment;
};

struct contributor_state {
  /// The unit at hand.
  struct work {
    msg::assignment given;
    std::string task;
    planned_answer answer;
    core::duration left{}; ///< Still to think.
    core::judgment_id judgment;
  };

  static inline const char* name = "contributor";

  contributor_deps deps;
  std::optional<core::uuid_source> ids;
  std::mt19937_64 random;
  std::optional<work> at_hand;
  bool looking = false;          ///< For a unit, or thinking about one.
  std::size_t open_requests = 0; ///< Under way beside that: answers, refusals to work.
  std::uint32_t idle_rounds = 0; ///< In a row without a unit.
};

/// One recorded contributor: asks for an assignment, thinks as long as it was recorded, hands in
/// what it answered; declines units that it never answered.
///
///   look_for_work ──ask──► no unit: look again, later and later
///         ▲                unit it never answered: decline, look again at once
///         │                unit it answered: think, extending the lease
///         │                                    │
///         └──────────── look again, and submit ┘
///
/// Lifecycle: ends the session and quits when every answer is accepted.
/// Failure: what may not happen is told to the tally; the contributor goes on with other work.
/// Backpressure: one question and a few answers under way.
caf::behavior contributor(caf::stateful_actor<contributor_state>* self, contributor_deps deps);

} // namespace holdfast::app::demo

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::app::demo::look_for_work)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::app::demo::go_on_thinking)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::app::demo::submit_too_late)
