#include "actors/step_state.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace holdfast::actors {

namespace {

/// Reads what everybody has handed in. What is handed in before the answer, and stored after the
/// read, is missed: a bound that comes while people work may let somebody go beyond it by that.
void count_all(step_ptr self) {
  auto& st = self->state;
  const core::history_scope scope{definition_of(st).test_questions.has_value(), false, true};
  read(self, st.links.loader,
       [step = st.identity.step(), scope](persistence::store& db) {
         auto history = db.load_step_history(step, scope);
         // One row of it may be damaged, or the database away.
         return history ? history : db.load_readable_step_history(step, scope);
       })
      .then(
          [=](const core::step_history& history) {
            auto& at = self->state;
            at.tally.emplace(history);
            for (auto& [promise, ask] : std::exchange(at.uncounted_asks, {}))
              promise.delegate(caf::actor_cast<caf::actor>(self), std::move(ask));
          },
          [=](const core::failure& why) {
            for (const auto& late : std::exchange(self->state.uncounted_asks, {}))
              late.promise.deliver(msg::to_error(why));
          });
}

} // namespace

std::optional<std::string> cap_reached(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  const auto most = core::most_of(definition_of(st).units_per_contributor, st.step.row.total_units);
  if (!most || !st.tally)
    return std::nullopt;
  const auto leases = st.held.find(contributor);
  const auto held = leases == st.held.end() ? 0 : leases->second.size();
  const auto done = st.tally->of(contributor);
  if (done + held < *most)
    return std::nullopt;
  return core::text_of_cap(done, held, *most);
}

bool refused_as_capped(step_ptr self, const held_promise& promise, owned_ask& ask) {
  auto& st = self->state;
  if (!definition_of(st).units_per_contributor.is_set())
    return false;
  if (!st.tally) {
    if (st.uncounted_asks.size() >= st.context->settings.batching.high_water) {
      promise.deliver(
          msg::to_error(core::errc::overloaded, "too many requests wait for the database"));
      return true;
    }
    st.uncounted_asks.push_back({promise, std::move(ask)});
    if (st.uncounted_asks.size() == 1)
      count_all(self);
    return true;
  }
  auto why = cap_reached(self, ask.request.contributor);
  if (!why)
    return false;
  refuse(self, promise, {core::errc::not_qualified, std::move(*why)});
  return true;
}

void note_for_cap(step_ptr self, const unit_report& report) {
  auto& st = self->state;
  if (!st.tally)
    return;
  for (const auto& end : report.ended)
    if (end.answered)
      st.tally->handed_in(end.contributor);
}

} // namespace holdfast::actors
