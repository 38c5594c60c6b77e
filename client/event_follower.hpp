#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/interfaces.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/response_promise.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::client {

/// Which events a subscriber wants, and where it begins.
struct subscription_settings {
  std::vector<core::shard_id> shards; ///< Empty: all.
  /// Where each shard goes on: `event_page::position` of the last page that is dealt with.
  std::map<core::shard_id, core::event_seq> positions;
  /// Shards without a position begin with the next event that is committed, not with the oldest
  /// that is kept.
  bool only_new = false;
  core::step_id step;               ///< Nil: of all steps.
  std::vector<std::string> types;   ///< Empty: all; e.g. `UnitFinalized`.
  std::uint32_t page_events = 1000; ///< Events of one page at most, 1 to 1,000.
};

/// Asks a follower for what is there next. Answered by `event_delivery`; by an error when the
/// subscription is over.
struct next_events {
  core::duration wait{0}; ///< How long to wait for it.
};

/// One page of each shard that has one. A page without events has moved its position past events
/// that are not wanted, or says where its shard begins. No pages: nothing came in time.
struct event_delivery {
  std::vector<msg::event_page> pages;
};

/// INTERNAL: the pause after a read that failed is over.
struct read_again {
  core::shard_id shard = 0;
};

/// INTERNAL: the pause after the question how many shards there are is over.
struct count_again {};

/// INTERNAL: whoever asked has waited long enough.
struct delivery_due {
  std::uint64_t question = 0;
};

using event_follower_actor =
    caf::typed_actor<caf::replies_to<next_events>::with<event_delivery>, caf::reacts_to<read_again>,
                     caf::reacts_to<count_again>, caf::reacts_to<delivery_due>>;

struct event_follower_deps {
  msg::gateway_actor gateway;     ///< A courier: it repeats what gets no answer.
  core::duration request_timeout; ///< Longer than any request through it takes.
  core::duration read_wait;       ///< How long a read waits at the node for events.
  subscription_settings what;
};

struct event_follower_state {
  static inline const char* name = "event_follower";

  struct followed {
    msg::read_events next; ///< What to ask for when the page is taken.
    bool known = false;    ///< Its position is.
    std::uint32_t failures = 0;
    std::optional<msg::event_page> page; ///< Not taken yet.
  };

  event_follower_deps deps;
  std::map<core::shard_id, followed> shards;
  std::uint32_t count_failures = 0;
  std::optional<caf::typed_response_promise<event_delivery>> waiting;
  std::uint64_t questions = 0;
  core::failure over; ///< Why; no code while it goes on.
};

/// Follows the events of shards for one subscriber: reads on where it is, shard by shard, in order,
/// and hands a page out when it is asked for the next.
///
///   reading ──page──► held ──taken──► reading …
///      └── failed ──► pausing ──┘
///
/// Lifecycle: spawned by `event_subscription`, or by whoever likes; ends with the gateway or when
/// it is told to exit.
/// Failure: what may pass is tried for ever; what may not (`events_gone`, a request that the node
/// refuses) is the answer to every question from then on.
/// Backpressure: at most one page of each shard is held; until it is taken nothing more is read of
/// that shard, and the node knows nothing of it.
event_follower_actor::behavior_type
event_follower(event_follower_actor::stateful_pointer<event_follower_state> self,
               event_follower_deps deps);

} // namespace holdfast::client

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::next_events)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::event_delivery)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::read_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::count_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::delivery_due)
