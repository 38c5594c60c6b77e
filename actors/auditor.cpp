#include "actors/auditor.hpp"

#include "actors/actor_guard.hpp"

#include <string>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<auditor_state>*;

void audit(self_ptr self) {
  const auto& context = self->state.context;
  const auto broken = context->settings.audit();
  if (!broken) {
    context->audits.note_failure();
    context->log(log_level::warning, "audit_failed", {{"reason", broken.error().detail}});
    return;
  }
  context->audits.note(*broken, now(self, context));
  for (const auto& one : *broken)
    context->log(log_level::error, "invariant_violated",
                 {{"id", one.id},
                  {"check", one.check},
                  {"rows", std::to_string(one.rows)},
                  {"detail", one.sample}});
}

} // namespace

caf::behavior auditor(caf::stateful_actor<auditor_state>* self, context_ptr context) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.audits = {st.context, st.context->settings.audit_interval};
  st.audits.rest(self);
  return {
      [=](upkeep_tick) {
        auto& at = self->state;
        at.audits.rang();
        if (at.context->hosting.here(0, self->clock().now()))
          audit(self);
        at.audits.rest(self);
      },
  };
}

} // namespace holdfast::actors
