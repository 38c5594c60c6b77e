#pragma once

#include "core/webhook.hpp"

#include <cstddef>
#include <functional>
#include <string>

/// The port to receivers over HTTP: of webhooks, and of tasks that are pushed.
namespace holdfast::connectors {

/// One attempt to bring something to a receiver.
struct webhook_post {
  std::string url;
  std::string secret; ///< The name of what it is signed with.
  std::string id;     ///< Of the message; the same when it is tried again.
  std::string body;   ///< JSON, of `content_type`.
  core::duration timeout{};
  std::string content_type = "application/json";
  /// How many bytes of the body of the answer are wanted. None: what comes is read past, and its
  /// status alone counts.
  std::size_t answer_bytes = 0;
  std::string traceparent{}; ///< The header of W3C Trace Context; empty: none.
};

/// Carries posts to their receivers, many at once.
class webhook_sender {
public:
  virtual ~webhook_sender() = default;

  /// Never blocks. `done` is called once, from any thread, within the timeout of the post and a
  /// little more; or never, when the sender ends before.
  virtual void send(webhook_post what, std::function<void(core::post_answer)> done) = 0;
};

} // namespace holdfast::connectors
