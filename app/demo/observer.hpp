#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/interfaces.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace holdfast::app::demo {

/// INTERNAL: look again.
struct observe {};

/// What the observer saw last.
struct observed {
  std::atomic<std::uint64_t> units_done{0};
};

struct observer_deps {
  msg::gateway_actor gateway; ///< Of a `client::connection`.
  core::duration request_timeout{};
  core::duration interval{};
  std::vector<core::step_id> steps; ///< Those of the recorded job.
  std::shared_ptr<observed> seen;
};

/// How many units of these steps are done.
std::uint64_t units_done_in(const std::vector<core::step_id>& steps, const msg::step_list& list);

/// Asks the node now and then how many units are done, so that the progress bar never waits for a
/// node that is down. Ends when it is told to exit.
caf::behavior observer(caf::event_based_actor* self, const observer_deps& deps);

} // namespace holdfast::app::demo

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::app::demo::observe)
