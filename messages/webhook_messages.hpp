#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What is asked about webhooks: receivers over HTTP, and queues, to which Holdfast brings its
/// events.
namespace holdfast::msg {

/// Makes a webhook, or changes what it is; the same again changes nothing. Answered by
/// `webhook_saved`. `payload_invalid` lists every problem of the definition with its place,
/// `limit_reached` when there are too many.
struct put_webhook {
  std::string name;       ///< 1 to 64 of `a-z 0-9 _ . -`.
  std::string definition; ///< JSON, as in docs/API.md.
};
HOLDFAST_WIRE(put_webhook, x.name, x.definition)

/// Answered by `webhook_saved`; `not_found` if there is none.
struct change_webhook {
  std::string name;
  std::uint8_t verb = 1; ///< 1 pause, 2 resume (also where it has stopped), 3 remove.
};
HOLDFAST_WIRE(change_webhook, x.name, x.verb)

/// The change is durable. Each host of a shard follows it within a look.
struct webhook_saved {
  std::string name;
  std::uint64_t revision = 0; ///< 0: removed.
};
HOLDFAST_WIRE(webhook_saved, x.name, x.revision)

/// Answered by `webhook_list`: those whose names begin with `prefix`, by name.
struct list_webhooks {
  std::string prefix;
};
HOLDFAST_WIRE(list_webhooks, x.prefix)

/// How far delivery is on one shard.
struct webhook_place {
  core::shard_id shard = 0;
  core::event_seq position = 0; ///< Up to here all is delivered, a dead letter, or not wanted.
  core::event_seq newest = 0;   ///< Of the shard.
  std::uint64_t dead_letters = 0;
  std::string stopped; ///< Why it has stopped here; empty while it goes on.
  std::string waits;   ///< Why the queue takes nothing now, as last seen; empty while it does.
};
HOLDFAST_WIRE(webhook_place, x.shard, x.position, x.newest, x.dead_letters, x.stopped, x.waits)

struct webhook_view {
  std::string name;
  std::string definition; ///< As it was given.
  /// `active`, `paused`, `failing` when it has stopped on some shard, or `damaged` when what is
  /// stored of it cannot be read by this node.
  std::string state;
  std::uint64_t revision = 0;
  core::instant created_at;
  std::vector<webhook_place> places; ///< By shard.
};
HOLDFAST_WIRE(webhook_view, x.name, x.definition, x.state, x.revision, x.created_at, x.places)

struct webhook_list {
  std::vector<webhook_view> webhooks;
};
HOLDFAST_WIRE(webhook_list, x.webhooks)

/// Answered by `dead_letter_page`: in order of their events, beginning after `after`.
struct list_dead_letters {
  std::string name;
  core::shard_id shard = 0;
  core::event_seq after = 0;
  std::uint32_t limit = 100; ///< 1 to 100.
};
HOLDFAST_WIRE(list_dead_letters, x.name, x.shard, x.after, x.limit)

/// An event that could not be delivered.
struct dead_letter {
  core::event_seq seq = 0;
  std::string event;        ///< JSON, as in documents/schemas.
  std::uint32_t status = 0; ///< Of HTTP; 0: there was no answer.
  std::string reason;
  core::instant died_at;
  bool replayed = false; ///< It waits to be delivered once more.
};
HOLDFAST_WIRE(dead_letter, x.seq, x.event, x.status, x.reason, x.died_at, x.replayed)

struct dead_letter_page {
  std::vector<dead_letter> letters;
};
HOLDFAST_WIRE(dead_letter_page, x.letters)

/// What is to be done about events that were not delivered. Answered by `webhook_replayed`.
struct replay_webhook {
  std::string name;
  core::shard_id shard = 0;
  /// 1: deliver dead letters once more; 2: forget them; 3: deliver all events behind `after`,
  /// which also goes on where delivery has stopped.
  std::uint8_t what = 1;
  core::event_seq after = 0;  ///< Only dead letters of events behind this one.
  std::uint32_t limit = 1000; ///< Dead letters at most, 1 to 1,000.
};
HOLDFAST_WIRE(replay_webhook, x.name, x.shard, x.what, x.after, x.limit)

struct webhook_replayed {
  std::uint32_t dead_letters = 0; ///< That were found.
  core::event_seq last = 0;       ///< The event of the last of them: go on behind it.
};
HOLDFAST_WIRE(webhook_replayed, x.dead_letters, x.last)

} // namespace holdfast::msg
