#pragma once

#include "client/courier.hpp"
#include "client/endpoint.hpp"
#include "core/outcome.hpp"
#include "messages/errors.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::client {

/// A connection to a node of a cluster that comes back by itself. The first dial begins at once, on
/// a thread of its own; requests made before it succeeds wait for it.
///
///   dialing ──reached──► connected ──DOWN──► dialing (with backoff and jitter)
///
/// With several endpoints it stays with the one that answers and goes on to the next when that one
/// is lost or not reached: any node takes any request. When many requests are passed on by that
/// node, it opens the ways to the others as well, one for each endpoint, and a request goes to the
/// host of its shard by itself.
///
/// Inside a node it needs no socket: nobody dials, and who starts the gateway says so with `reach`.
///
/// Safe to use from several threads. Must be destroyed before the actor system; open requests then
/// fail with `unavailable`. Open one per process and node: two connections would share CAF's
/// socket anyway.
class connection {
public:
  /// `system` was made from a `peer_system`. `seed` feeds the jitter; also where in `nodes`, which
  /// must not be empty, the first dial begins, so that clients spread over the nodes.
  connection(caf::actor_system& system, std::vector<endpoint> nodes, retry_policy retry,
             std::uint64_t seed);
  /// The same of one node.
  connection(caf::actor_system& system, endpoint where, retry_policy retry, std::uint64_t seed);
  /// To the node that runs in `system` itself. Requests wait for the first `reach`.
  connection(caf::actor_system& system, retry_policy retry, std::uint64_t seed);
  ~connection();

  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// For actors: a handle that stays valid when the node restarts. Requests sent to it are repeated
  /// until `retry_policy::deadline`; give them `request_timeout()`.
  const msg::gateway_actor& gateway() const { return gateway_; }

  /// This is the gateway from now on. For a connection inside a node, whenever supervision has
  /// started one; from any thread.
  void reach(const msg::gateway_actor& gateway);

  /// The end, as on destruction: open requests fail, and workers hold nothing any more. For a node
  /// that is gone and does not come back in this process.
  void close();

  /// Longer than any request through `gateway()` takes to succeed or fail.
  core::duration request_timeout() const;

  const retry_policy& retry() const { return retry_; }
  caf::actor_system& system() const { return system_; }

  /// The clock by which leases end, as far as it is known here; see `now`.
  const std::shared_ptr<node_clock>& clock() const { return clock_; }

  /// The time at the nodes. Leases, due times and all other times of the nodes are to be compared
  /// with this time, and not with the wall clock of this machine, which is answered only while no
  /// node has been reached. From any thread.
  core::instant now() const;

  /// Keeps a callback alive; see `on_tasks_lost`.
  using subscription = std::shared_ptr<void>;

  /// Calls `callback` whenever leases that were claimed through this connection are over, until the
  /// subscription is dropped; one last call may then still be under way. It runs on a thread of the
  /// actor system and must not block. From any thread.
  subscription on_tasks_lost(std::function<void(const msg::tasks_lost&)> callback);

  /// For plain threads: sends `request` and blocks for its answer. Never call it inside an actor.
  template <class Answer, class Request>
  core::outcome<Answer> ask(const Request& request) const {
    caf::scoped_actor self{system_};
    std::optional<core::outcome<Answer>> result;
    self->request(gateway_, request_timeout(), request)
        .receive([&](Answer& answer) { result.emplace(std::move(answer)); },
                 [&](caf::error& error) { result.emplace(msg::failure_of(error)); });
    return std::move(*result);
  }

private:
  class dialer;
  class lost_listeners;

  connection(caf::actor_system& system, retry_policy retry, std::uint64_t seed,
             std::shared_ptr<dialer> dials);

  caf::actor_system& system_;
  retry_policy retry_;
  std::shared_ptr<dialer> dialer_; ///< Null inside a node.
  std::shared_ptr<lost_listeners> listeners_;
  std::shared_ptr<node_clock> clock_ = std::make_shared<node_clock>();
  courier_actor courier_;
  msg::gateway_actor gateway_;
};

} // namespace holdfast::client
