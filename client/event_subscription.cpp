#include "client/event_subscription.hpp"

#include "client/long_poll.hpp"
#include "messages/errors.hpp"

#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace holdfast::client {

namespace {

/// The follower is in this process: it answers in time or has ended.
constexpr core::duration answer_margin = std::chrono::seconds{10};

} // namespace

event_subscription::event_subscription(const connection& node, subscription_settings what)
    : system_(node.system()),
      follower_(
          system_.spawn(event_follower, event_follower_deps{node.gateway(), node.request_timeout(),
                                                            wait_at_node(node.retry()), what})),
      positions_(std::move(what.positions)) {}

event_subscription::~event_subscription() {
  caf::anon_send_exit(follower_, caf::exit_reason::user_shutdown);
}

core::outcome<std::vector<msg::event_page>> event_subscription::next(core::duration wait) {
  caf::scoped_actor self{system_};
  std::optional<core::outcome<std::vector<msg::event_page>>> result;
  self->request(follower_, wait + answer_margin, next_events{wait})
      .receive([&](event_delivery& delivery) { result.emplace(std::move(delivery.pages)); },
               [&](const caf::error& error) { result.emplace(msg::failure_of(error)); });
  if (*result)
    for (const auto& page : **result)
      positions_[page.shard] = page.position;
  return std::move(*result);
}

} // namespace holdfast::client
