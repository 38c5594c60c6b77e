// The part of the step actor that lets requests wait until the step may have a unit for somebody.

#include "actors/step_state.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::actors {

namespace {

/// Each node waits once for all of its clients, so that more of them are no nodes.
constexpr std::size_t waits_most = 10'000;

void set_timer(step_ptr self) {
  auto& st = self->state;
  if (st.awaiting_units.empty() || st.awaiting_units.begin()->first >= st.vacancy_tick_at)
    return;
  st.vacancy_tick_at = st.awaiting_units.begin()->first;
  const auto pause = std::max(st.vacancy_tick_at - now(self, st.context), core::duration::zero());
  self->delayed_send(self, pause, vacancy_tick{st.vacancy_tick_at});
}

} // namespace

void on_await_units(step_ptr self, const msg::await_units& request) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  if (request.seen != st.vacancies || request.wait <= core::duration::zero())
    return promise.deliver(msg::units_awaited{st.vacancies});
  if (st.awaiting_units.size() >= waits_most)
    return promise.deliver(msg::to_error(core::errc::overloaded,
                                         std::to_string(waits_most)
                                             + " requests wait for units of this step already"));
  st.awaiting_units.emplace(now(self, st.context) + request.wait, promise);
  set_timer(self);
}

void note_vacancy(step_ptr self) {
  auto& st = self->state;
  ++st.vacancies;
  if (st.awaiting_units.empty())
    return;
  for (const auto& [end, promise] : std::exchange(st.awaiting_units, {}))
    promise.deliver(msg::units_awaited{st.vacancies});
}

void on_vacancy_tick(step_ptr self, const vacancy_tick& tick) {
  auto& st = self->state;
  if (tick.at != st.vacancy_tick_at)
    return;
  st.vacancy_tick_at = core::instant::max();
  auto& waits = st.awaiting_units;
  const auto at = now(self, st.context);
  while (!waits.empty() && waits.begin()->first <= at) {
    waits.begin()->second.deliver(msg::units_awaited{st.vacancies});
    waits.erase(waits.begin());
  }
  set_timer(self);
}

} // namespace holdfast::actors
