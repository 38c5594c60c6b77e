#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

namespace holdfast::actors {

/// Sends `self` a `read_metrics` at each scrape, for as long as the registration lives: keep it in
/// the state of the actor. An actor that has ended adds nothing.
template <class Self>
metrics::registration report_metrics(Self self, const context_ptr& context) {
  return context->registry->join([at = self->address()](const metrics::scrape_ptr& into) {
    // In front of what waits in its mailbox: a scrape of a busy node must not take long.
    if (const auto to = caf::actor_cast<caf::actor>(at))
      caf::anon_send<caf::message_priority::high>(to, read_metrics{into});
  });
}

} // namespace holdfast::actors
