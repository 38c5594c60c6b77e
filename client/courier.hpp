#pragma once

#include "client/node_clock.hpp"
#include "client/shard_routes.hpp"
#include "core/errors.hpp"
#include "core/time.hpp"
#include "messages/interfaces.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace holdfast::client {

/// How long a request is tried, and how it is repeated.
struct retry_policy {
  core::duration deadline = std::chrono::seconds{30};   ///< From its arrival to its failure.
  core::duration try_timeout = std::chrono::seconds{5}; ///< For one answer of the node.
  core::duration backoff_min = std::chrono::milliseconds{20};
  core::duration backoff_max = std::chrono::seconds{1};
  /// Requests that have no answer yet, at most; further ones are `overloaded` at once. Each is kept
  /// in memory until its deadline, with up to 16 MiB.
  std::uint32_t open_calls_max = 10'000;
};

/// INTERNAL: a gateway was reached, by the dialer or because it runs in this process.
struct gateway_found {
  msg::gateway_actor gateway;
  way_number way = 0;
};

/// INTERNAL: the dialer has not reached one; it goes on trying.
struct gateway_unreachable {
  std::string why;
};

/// INTERNAL: one call has waited long enough before its next try.
struct call_again {
  std::uint64_t call = 0;
};

/// INTERNAL: calls that wait for a connection may be past their deadline.
struct check_deadlines {};

/// INTERNAL: a host may have stopped with calls in flight to it.
struct check_hosts {};

/// Looks like a gateway that never goes away.
using courier_actor =
    msg::gateway_actor::extend<caf::reacts_to<gateway_found>, caf::reacts_to<gateway_unreachable>,
                               caf::reacts_to<msg::tasks_lost>, caf::reacts_to<call_again>,
                               caf::reacts_to<check_deadlines>, caf::reacts_to<check_hosts>>;

struct courier_deps {
  retry_policy retry;
  std::uint64_t seed = 1; ///< Of the jitter.
  /// Called when the gateway at the end of this way is gone: find it, or another one. Must not
  /// block.
  std::function<void(way_number)> on_lost;
  /// Called when leases that were claimed through this connection are over. Must not block. May be
  /// empty.
  std::function<void(const msg::tasks_lost&)> on_tasks_lost;
  /// There are several ways: requests go to the hosts of their shards where those are reached.
  bool follows_placement = false;
  /// Called now and then while requests go to hosts that are not reached: open the other ways as
  /// well. Must not block. May be empty.
  std::function<void()> on_detours{};
  /// Told what time it is at the nodes, each time that one says so. Null: nobody is asked.
  std::shared_ptr<node_clock> clock{};
};

struct courier_state {
  using time_point = std::chrono::steady_clock::time_point;

  enum class phase { parked, in_flight, backing_off };

  struct call {
    std::function<void(const msg::gateway_actor&, std::uint32_t attempt, core::duration timeout)>
        send;
    std::function<void(const core::failure&)> give_up;
    /// Of so many shards the one whose host decides; empty if that is no single one.
    std::function<core::shard_id(std::uint32_t shards)> shard_of;
    time_point deadline;
    std::uint32_t attempt = 0;
    phase now = phase::parked;
    way_number way = 0;                  ///< Of the last try.
    std::optional<core::shard_id> shard; ///< In flight, and counted among the requests for it.
    bool by_home = false;                ///< The way to its host has just failed.
    core::incarnation_id host{};         ///< In flight, and to it as the host of the shard.
    time_point sent_at{};                ///< The last try.
  };

  static inline const char* name = "courier";

  courier_deps deps;
  std::map<way_number, msg::gateway_actor> gateways; ///< Of the ways that are open.
  shard_routes routes;
  std::map<std::uint64_t, call> calls; ///< Ordered: what waited for a connection goes out in order.
  std::uint64_t last_call = 0;
  std::mt19937_64 random;
  std::string last_problem = "no connection yet";
  bool checking_deadlines = false;
  bool checking_hosts = false;
  bool asking_the_time = false;
};

/// Passes every request on to a gateway and the answer back. What fails with `unavailable`,
/// `overloaded` or `fenced`, gets no answer in time, or was under way when the connection broke is
/// sent again with the same ids until the deadline; all other failures are the caller's.
///
/// With several ways a request goes to the host of its shard where that is known and reached. Else
/// it goes home, as do those for no single shard, and what has just failed on its way to a host.
/// What is under way to a host is sent again as soon as the shard is known to have another.
///
/// Lifecycle: spawned by `connection`, which also ends it; open calls then fail with `unavailable`.
/// Failure: it holds no state worth saving; a crash fails the open calls' senders by their timeout.
/// Backpressure: above `retry_policy::open_calls_max` open calls it refuses, and repeats nothing of
/// that: its caller is the one who must slow down.
courier_actor::behavior_type courier(courier_actor::stateful_pointer<courier_state> self,
                                     courier_deps deps);

} // namespace holdfast::client

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::gateway_found)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::gateway_unreachable)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::call_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::check_deadlines)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::check_hosts)
