#include "actors/consumer.hpp"
#include "actors/fan_in.hpp"
#include "actors/step_state.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace holdfast::actors {

namespace {

/// Units that are told at a time: their changes share a commit or two, and no more of them than
/// these are brought into memory for it.
constexpr std::size_t canceled_at_once = 250;

/// The open units of a canceled step, those that are to be told last first.
using units_left = std::shared_ptr<std::vector<core::unit_id>>;

void cancel_next(step_ptr self, const units_left& left);

/// The passage is over. Units that could not be told are left: they are tried again in a while.
void cancellation_over(step_ptr self, std::uint32_t failed) {
  auto& st = self->state;
  st.canceling_units = false;
  st.cancel_tries = failed == 0 ? 0 : st.cancel_tries + 1;
  if (failed > 0)
    again_later(self, st.cancel_tries, [=] { cancel_open_units(self); });
}

void cancel_some(step_ptr self, const units_left& left, std::vector<core::unit_id> units) {
  const auto failed = std::make_shared<std::uint32_t>(0);
  const auto all = std::make_shared<fan_in>([=](const core::failure&) {
    if (*failed > 0) // the database is away, or rows are damaged: the others are not to wait for it
      self->state.cancel_failed += *failed;
    cancel_next(self, left);
  });
  for (const auto& unit : units) {
    all->begin_part();
    with_unit(self, unit, [=](const caf::actor& actor, const core::failure&) {
      if (!actor) {
        ++*failed;
        return all->end_part();
      }
      self->request(actor, delivery_timeout, unit_command{step_canceled{}})
          .then([=](events_applied) { all->end_part(); },
                [=](const caf::error&) {
                  ++*failed;
                  all->end_part();
                });
    });
  }
  all->end_part();
}

void cancel_next(step_ptr self, const units_left& left) {
  auto& st = self->state;
  if (left->empty())
    return cancellation_over(self, std::exchange(st.cancel_failed, 0));
  if (writers_are_busy(*st.context))
    return again_later(self, 1, [=] { cancel_next(self, left); });
  const auto count = std::min(canceled_at_once, left->size());
  const auto first = left->end() - static_cast<std::ptrdiff_t>(count);
  std::vector<core::unit_id> units{first, left->end()};
  left->erase(first, left->end());
  cancel_some(self, left, std::move(units));
}

} // namespace

void cancel_open_units(step_ptr self) {
  auto& st = self->state;
  if (!st.loaded || st.canceling_units || st.step.row.status != core::step_status::canceled)
    return;
  auto open = st.ready.all_open();
  if (open.empty())
    return;
  st.canceling_units = true;
  st.cancel_failed = 0;
  std::reverse(open.begin(), open.end());
  const auto left = std::make_shared<std::vector<core::unit_id>>(std::move(open));
  // Not before it is durable that the step is canceled: a canceled unit never comes back.
  st.pending.after_all([=](const core::failure& lost) {
    if (lost.code == core::errc::none)
      cancel_next(self, left);
  });
}

void heed_cancellation(step_ptr self, const caf::actor& unit) {
  if (self->state.step.row.status == core::step_status::canceled)
    caf::anon_send(unit, unit_command{step_canceled{}});
}

} // namespace holdfast::actors
