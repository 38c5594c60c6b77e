#pragma once

#include "client/connection.hpp"
#include "client/event_follower.hpp"
#include "core/outcome.hpp"

#include <map>
#include <vector>

namespace holdfast::client {

/// The events of a cluster, for a program: all of them in order per shard, whichever nodes come and
/// go. See docs/PEERS.md.
///
/// At least once: what was handed out is not handed out again, but a program that dies does not
/// know how far it has come unless it has stored the positions with its work. Begun with these, the
/// next one misses nothing.
///
/// Belongs to one thread. Destroy it before the connection. Inside actors send `next_events` to
/// `follower()` instead of calling `next`.
class event_subscription {
public:
  event_subscription(const connection& node, subscription_settings what);
  ~event_subscription();

  event_subscription(const event_subscription&) = delete;
  event_subscription& operator=(const event_subscription&) = delete;

  /// What comes next, one page of each shard that has one; nothing when none came within `wait`.
  /// While no node can be reached nothing comes. An error is the end of the subscription:
  /// `events_gone` when events behind a position are not kept any more.
  core::outcome<std::vector<msg::event_page>> next(core::duration wait);

  /// How far what was handed out reaches, for each shard that is known. To be stored when it is
  /// dealt with.
  const std::map<core::shard_id, core::event_seq>& positions() const { return positions_; }

  const event_follower_actor& follower() const { return follower_; }

private:
  caf::actor_system& system_;
  event_follower_actor follower_;
  std::map<core::shard_id, core::event_seq> positions_;
};

} // namespace holdfast::client
