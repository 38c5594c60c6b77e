#include "app/demo/observer.hpp"

#include <algorithm>

namespace holdfast::app::demo {

namespace {
/// The demo has one step for each data set, made before all others: they fit into one answer.
constexpr std::uint32_t steps_max = 1000;
} // namespace

std::uint64_t units_done_in(const std::vector<core::step_id>& steps, const msg::step_list& list) {
  std::uint64_t done = 0;
  for (const auto& step : list.steps)
    if (std::find(steps.begin(), steps.end(), step.step) != steps.end())
      done += step.completed_units;
  return done;
}

caf::behavior observer(caf::event_based_actor* self, const observer_deps& deps) {
  self->send(self, observe{});
  return {[self, deps](const observe&) {
    self->request(deps.gateway, deps.request_timeout, msg::list_steps{{}, steps_max})
        .then(
            [self, deps](const msg::step_list& list) {
              deps.seen->units_done = units_done_in(deps.steps, list);
              self->delayed_send(self, deps.interval, observe{});
            },
            [self, deps](const caf::error&) {
              // The bar is not worth a report; contributors tell if the node stays away.
              self->delayed_send(self, deps.interval, observe{});
            });
  }};
}

} // namespace holdfast::app::demo
