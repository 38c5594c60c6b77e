#include "app/demo/observer.hpp"

namespace holdfast::app::demo {

namespace {
/// The demo has one step for each data set: all of them fit into one answer.
constexpr std::uint32_t steps_max = 1000;
} // namespace

caf::behavior observer(caf::event_based_actor* self, const observer_deps& deps) {
  self->send(self, observe{});
  return {[self, deps](const observe&) {
    self->request(deps.gateway, deps.request_timeout, msg::list_steps{{}, steps_max})
        .then(
            [self, deps](const msg::step_list& list) {
              std::uint64_t done = 0;
              for (const auto& step : list.steps)
                done += step.completed_units;
              deps.seen->units_done = done;
              self->delayed_send(self, deps.interval, observe{});
            },
            [self, deps](const caf::error&) {
              // The bar is not worth a report; contributors tell if the node stays away.
              self->delayed_send(self, deps.interval, observe{});
            });
  }};
}

} // namespace holdfast::app::demo
