#pragma once

#include "actors/context.hpp"
#include "messages/errors.hpp"

#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/local_actor.hpp>
#include <caf/message.hpp>
#include <caf/message_view.hpp>
#include <caf/node_id.hpp>
#include <caf/scheduled_actor.hpp>

#include <exception>
#include <string>
#include <utility>

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

/// Logs something strange that an actor was sent: for each process that sends it, once a second.
inline void log_strange(const node_context& node, caf::scheduled_actor* receiver,
                        const std::string& event, log_fields fields) {
  const auto& sender = receiver->current_sender();
  const auto process = sender ? caf::to_string(sender->node()) : std::string{"unknown"};
  const auto left_out = node.strange_messages.admit(event + ' ' + process, receiver->clock().now());
  if (!left_out)
    return;
  fields.insert(fields.begin(), {"actor", receiver->name()});
  fields.emplace_back("process", process);
  if (*left_out > 0)
    fields.emplace_back("not_logged_before", std::to_string(*left_out));
  node.log(log_level::warning, event, fields);
}

/// What every actor of a node does about the unforeseen: an exception is logged with its text and
/// ends the actor with an error that says so; a message that it does not know is logged and
/// answered with an error, and harms nobody. Nor does an error that answers no request of the
/// actor, by which CAF would end it: without certificates any process that may connect can send
/// one. The answer to a request whose asker has no handler for errors still ends the asker.
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
        log_strange(*node, receiver, "message_not_understood",
                    {{"message", beginning_of(view.content())}});
        return msg::to_error(core::errc::invalid_argument,
                             "this actor does not understand the message");
      });
  self->set_error_handler([node](caf::scheduled_actor* receiver, caf::error& failure) {
    if (receiver->current_mailbox_element() == nullptr
        || receiver->current_message_id().is_response())
      return receiver->quit(std::move(failure));
    // Without the error's context: a stranger may have put errors inside errors there.
    log_strange(*node, receiver, "error_not_asked_for",
                {{"category", caf::to_string(failure.category())},
                 {"code", std::to_string(failure.code())}});
  });
}

} // namespace holdfast::actors
