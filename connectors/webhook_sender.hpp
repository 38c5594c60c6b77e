#pragma once

#include "core/webhook.hpp"

#include <functional>
#include <string>

/// The port to receivers of webhooks.
namespace holdfast::connectors {

/// One attempt to bring something to a receiver.
struct webhook_post {
  std::string url;
  std::string secret; ///< The name of what it is signed with.
  std::string id;     ///< Of the message; the same when it is tried again.
  std::string body;   ///< JSON.
  core::duration timeout{};
  std::string traceparent{}; ///< The header of that name; empty: there is none.
};

/// Carries webhooks to their receivers, many at once.
class webhook_sender {
public:
  virtual ~webhook_sender() = default;

  /// Never blocks. `done` is called once, from any thread, within the timeout of the post and a
  /// little more; or never, when the sender ends before.
  virtual void send(webhook_post what, std::function<void(core::post_answer)> done) = 0;
};

} // namespace holdfast::connectors
