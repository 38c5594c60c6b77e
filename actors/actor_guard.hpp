#pragma once

#include "actors/context.hpp"
#include "messages/errors.hpp"

#include <caf/error.hpp>
#include <caf/local_actor.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>

#include <exception>
#include <string>

namespace holdfast::actors {

/// What a log line shows of a message: enough to know it by, however large a stranger made it.
inline std::string beginning_of(const caf::type_erased_tuple& content) {
  constexpr std::size_t bytes_max = 200;
  auto text = caf::deep_to_string(content);
  if (text.size() <= bytes_max)
    return text;
  auto end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end; // never in the middle of a character
  return text.substr(0, end) + "...";
}

/// What every actor of a node does about the unforeseen: an exception is logged with its text and
/// ends the actor with an error that says so; a message that it does not know is logged and
/// answered with an error, and harms nobody.
template <class Self>
void guard(Self* self, const context_ptr& context) {
  // The actor's state holds the context. A plain pointer keeps the handlers off the heap, of which
  // every live unit would pay its share.
  const auto* node = context.get();
  self->set_exception_handler([self, node](std::exception_ptr& raised) -> caf::error {
    std::string what = "not a std::exception";
    try {
      std::rethrow_exception(raised);
    } catch (const std::exception& e) {
      what = e.what();
    } catch (...) {
    }
    node->log(log_level::error, "actor_crashed", {{"actor", self->name()}, {"what", what}});
    return msg::to_error(core::errc::unavailable,
                         "the " + std::string{self->name()} + " actor crashed");
  });
  self->set_default_handler(
      [node](caf::scheduled_actor* receiver, caf::message_view& view) -> caf::result<caf::message> {
        node->log(log_level::warning, "message_not_understood",
                  {{"actor", receiver->name()}, {"message", beginning_of(view.content())}});
        return msg::to_error(core::errc::invalid_argument,
                             "this actor does not understand the message");
      });
}

} // namespace holdfast::actors
