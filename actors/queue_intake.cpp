#include "actors/queue_state.hpp"
#include "core/intake.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

/// Staged tasks of one transaction at most, by number and by the bytes of their documents: other
/// requests to the queue wait while it decides about them.
constexpr std::size_t page_rows = 500;
constexpr std::size_t page_bytes = std::size_t{4} * 1024 * 1024;

void take_page(queue_ptr self, persistence::staged_page& page) {
  auto& st = self->state;
  // The functions that stage check the same; the nodes' limits may have changed since.
  for (auto& staged : page.tasks) {
    staged.problem = check(staged.task, st.context->settings.json);
    // What ended while this was being read was not among the finished yet.
    if (staged.known_in.empty() && st.recently_finished.count(staged.task.spec.id) != 0)
      staged.known_in = st.queue.name;
  }
  auto decided = core::decide(st.queue, core::take_in{std::move(page.tasks)}, time(self));
  const bool again = page.more && decided.answer.left == 0;
  carry_out(self, std::move(decided.changes), [=](const core::failure& why) {
    self->state.taking_in = false;
    if (again && why.code == core::errc::none)
      on_take_in(self);
  });
  look_after(self);
}

} // namespace

void on_take_in(queue_ptr self) {
  auto& st = self->state;
  // Whoever does not get through now is told again by the next look of the intake.
  const bool writes_wait = st.undurable >= st.context->settings.batching.high_water;
  if (!st.loaded || st.taking_in || writes_wait)
    return;
  const auto rows = std::min(page_rows, core::room_of(st.queue));
  if (rows == 0)
    return;
  st.taking_in = true;
  self->request(st.links.loader, internal_timeout,
                load_staged{st.queue.name, static_cast<std::uint32_t>(rows), page_bytes})
      .then([=](staged_loaded& loaded) { take_page(self, loaded.page); },
            [=](const caf::error&) { self->state.taking_in = false; });
}

} // namespace holdfast::actors
