#pragma once

#include "actors/outside.hpp"
#include "core/access.hpp"

#include <caf/actor_system.hpp>
#include <caf/type_nr.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <string>
#include <typeinfo>

/// The sender of a request, as the gateway and the audit log know it.
namespace holdfast::actors {

/// The name of a message as the tables have it: `claim_tasks`.
template <class Message>
const std::string& bare_name(caf::actor_system& system) {
  static const auto name = [&] {
    const auto whole = system.types().portable_name(caf::type_nr<Message>::value, &typeid(Message));
    return whole.substr(whole.find('.') + 1);
  }();
  return name;
}

/// Whether an actor of this process has sent the message in hand.
template <class Self>
bool is_of_this_process(Self* self) {
  const auto& sender = self->current_sender();
  return !sender || sender->node() == self->node();
}

/// The label of the principal behind the message in hand. Empty: the process itself has sent it.
template <class Self>
std::string label_of_sender(Self* self) {
  if (is_of_this_process(self))
    return {};
  const auto& who_is = what_is_outside().who_is;
  if (!who_is)
    return "loopback";
  const auto who = who_is(self->current_sender()->node());
  return who ? core::label_of(*who) : "closed connection";
}

} // namespace holdfast::actors
