#pragma once

#include "core/hosted_item.hpp"
#include "core/ids.hpp"
#include "messages/operations.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

/// Requests on their way, as routers see them: a destination, and a content that only the two ends
/// know. So a router has one handler for all operations.
namespace holdfast::actors {

/// Gateway, owner → shards → shard host → step or queue, which gets the content alone. Answered as
/// the content is.
struct routed {
  core::hosted_item item;
  caf::message content;
};

template <class Message>
routed route_to(core::hosted_item item, Message&& content) {
  return {std::move(item), caf::make_message(std::forward<Message>(content))};
}

/// Gateway, shards → peer nodes → forwarder: a request for the host of a shard that is elsewhere.
/// Answered as the request is.
struct forwarded {
  using on_answer = std::function<void(caf::message&&)>;
  using on_error = std::function<void(const caf::error&)>;
  /// Sends the request to the door of a host that understands messages up to this protocol. Knows
  /// the type of the answer.
  using sender = void (*)(caf::event_based_actor* self, const caf::actor& door,
                          const forwarded& request, std::uint32_t protocol, on_answer answered,
                          on_error failed);

  core::shard_id shard = 0;
  core::duration answer_time{}; ///< For the host, once it has the request.
  caf::message content;         ///< The request, behind its `msg::author` if `has_author`.
  sender send = nullptr;
  bool has_author = false;
};

namespace forwarding {

/// Nodes before this protocol know no authors: they get the request alone.
inline constexpr std::uint32_t authors_since = 2;

template <class Answer>
void send(caf::event_based_actor* self, const caf::actor& door, const forwarded& request,
          std::uint32_t protocol, forwarded::on_answer answered, forwarded::on_error failed) {
  const bool drops_author = request.has_author && protocol < authors_since;
  self->request(door, request.answer_time, drops_author ? request.content.drop(1) : request.content)
      .then([answered = std::move(answered)](
                Answer& answer) { answered(caf::make_message(std::move(answer))); },
            [failed = std::move(failed)](const caf::error& error) { failed(error); });
}

} // namespace forwarding

/// `answer_time`: see there.
template <class Request>
forwarded forward(Request&& request, std::uint32_t shards, core::duration answer_time) {
  using plain = std::decay_t<Request>;
  const auto shard = msg::shard_of_request<plain>(request, shards);
  return {shard, answer_time, caf::make_message(std::forward<Request>(request)),
          &forwarding::send<msg::answer_to<plain>>};
}

template <class Request>
forwarded forward(msg::author author, Request&& request, std::uint32_t shards,
                  core::duration answer_time) {
  using plain = std::decay_t<Request>;
  const auto shard = msg::shard_of_request<plain>(request, shards);
  return {shard, answer_time, caf::make_message(std::move(author), std::forward<Request>(request)),
          &forwarding::send<msg::answer_to<plain>>, true};
}

} // namespace holdfast::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::actors::routed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::actors::forwarded)
