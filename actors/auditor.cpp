#include "actors/auditor.hpp"

#include "actors/actor_guard.hpp"
#include "messages/errors.hpp"

#include <string>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<auditor_state>*;

void audit(self_ptr self) {
  auto& st = self->state;
  const auto& context = st.context;
  st.begun_at = now(self, context);
  auto broken = context->settings.audit();
  if (!broken) {
    context->audits.note_failure();
    context->log(log_level::warning, "audit_failed", {{"reason", broken.error().detail}});
    st.last = broken.error();
    return;
  }
  const auto ended_at = now(self, context);
  context->audits.note(*broken, ended_at);
  for (const auto& one : *broken)
    context->log(log_level::error, "invariant_violated",
                 {{"id", one.id},
                  {"check", one.check},
                  {"rows", std::to_string(one.rows)},
                  {"detail", one.sample}});
  st.last = audited{ended_at, std::move(*broken)};
}

caf::result<audited> on_audit_now(self_ptr self, const audit_now& asked) {
  auto& st = self->state;
  // An audit that was under way when the question came may have looked before.
  if (st.begun_at < asked.asked_at)
    audit(self);
  if (!st.last)
    return msg::to_error(st.last.error());
  return *st.last;
}

} // namespace

caf::behavior auditor(caf::stateful_actor<auditor_state>* self, context_ptr context) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  const auto interval = st.context->settings.audit_interval;
  st.audits = {st.context, interval};
  st.context->audits.set_auditor(self->address());
  if (interval > core::duration::zero())
    st.audits.rest(self);
  return {
      [=](const audit_now& asked) { return on_audit_now(self, asked); },
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
