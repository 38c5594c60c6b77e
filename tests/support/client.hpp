#pragma once

#include "messages/interfaces.hpp"
#include "tests/support/virtual_world.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace holdfast::test {

/// What a client is told to do next.
struct client_call {
  std::function<void(caf::event_based_actor*)> run;
};

template <class Request>
using awaited_answer = std::shared_ptr<answer<msg::answer_to<Request>>>;

/// A program that talks to nodes over one connection. Its end is what a node sees of a lost
/// connection.
class client {
public:
  explicit client(virtual_world& world);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { disconnect(); }

  /// Sends a request and returns where the answer will be. Nothing runs before the world does.
  template <class Request>
  awaited_answer<Request> send(const msg::gateway_actor& to, Request request);

  /// Leases of tasks that this client was told it has lost.
  const std::vector<msg::task_ref>& lost() const { return *lost_; }

  void disconnect();

private:
  caf::actor actor_;
  std::shared_ptr<std::vector<msg::task_ref>> lost_ =
      std::make_shared<std::vector<msg::task_ref>>();
};

} // namespace holdfast::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::test::client_call)
