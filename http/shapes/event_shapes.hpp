#pragma once

#include "core/change.hpp"
#include "core/webhook.hpp"
#include "http/fields.hpp"
#include "messages/event_messages.hpp"
#include "messages/webhook_messages.hpp"

#include <cstdint>

/// JSON of events and webhooks.
namespace holdfast::http {

inline const word_list& event_start_words() {
  static const word_list words{
      {"after", static_cast<std::uint64_t>(core::event_start::after)},
      {"oldest", static_cast<std::uint64_t>(core::event_start::oldest)},
      {"newest", static_cast<std::uint64_t>(core::event_start::newest)},
  };
  return words;
}

inline const word_list& replay_words() {
  static const word_list words{
      {"dead_letters", static_cast<std::uint64_t>(core::replay_verb::deliver)},
      {"forget", static_cast<std::uint64_t>(core::replay_verb::forget)},
      {"all", static_cast<std::uint64_t>(core::replay_verb::move)},
  };
  return words;
}

// --- events ---

template <class Fields>
void describe(Fields& f, msg::read_events& x) {
  f.required("shard", x.shard,
             "The number of the shard, from 0 to `shards_total` - 1 of the node.");
  f.optional(
      "from", word{x.from, event_start_words()},
      "The place where reading begins: behind the position `after`, at the oldest event that "
      "is kept, or at the next event. `after` by default.");
  f.optional("after", x.after,
             "The `position` of the page before; 0 for the first event of the shard.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most events of one page, 1000 by default.");
  f.query("wait", bounded{x.wait, 0, 60},
          "Seconds to wait for a first event, 0 by default; 20 is a good value.");
  f.optional("step_id", x.step, "Only events of this step.");
  f.optional("types", x.types,
             "Only events of these types, such as `UnitFinalized`; all when it is left out.");
}

template <class Fields>
void describe(Fields& f, msg::published_event& x) {
  f.required("seq", x.seq, "The number of the event in its shard. Numbers have no gaps.");
  f.required("event", document{x.event}, "The event.");
}

template <class Fields>
void describe(Fields& f, msg::event_page& x) {
  f.required("shard", x.shard, "The number of the shard.");
  f.required("position", x.position,
             "Send it as `after` for the next page: every wanted event up to here has been given.");
  f.required("newest", x.newest, "The number of the newest event of the shard.");
  f.required("events", x.events, "The events in their order, about 1 MiB at most.");
}

// --- webhooks ---

template <class Fields>
void describe(Fields& f, msg::put_webhook& x) {
  f.required("name", x.name, "The name of the webhook: 1 to 64 of `a-z 0-9 _ . -`.");
  f.whole(document{x.definition},
          "The definition: a `url` and the name of its `secret`, or a `queue`; then `types`, "
          "`workflow` or `queues`, `envelope`, `start`, `retry`, `timeout_seconds`, "
          "`failing_after`, `dead_letters_max` and `batch`, all of them optional.");
}

/// The verb is in the path of the route.
template <class Fields>
void describe(Fields& f, msg::change_webhook& x) {
  f.required("name", x.name, "The name of the webhook.");
  f.hidden(x.verb);
}

template <class Fields>
void describe(Fields& f, msg::webhook_saved& x) {
  f.required("name", x.name, "The name of the webhook.");
  f.required("revision", x.revision,
             "The number of the change, which grows with every change; 0 when the webhook is "
             "removed.");
}

template <class Fields>
void describe(Fields& f, msg::list_webhooks& x) {
  f.optional("prefix", x.prefix, "Only webhooks whose names begin so.");
}

template <class Fields>
void describe(Fields& f, msg::webhook_place& x) {
  f.required("shard", x.shard, "The number of the shard.");
  f.required("position", x.position,
             "The number of the last event that is delivered, a dead letter, or not wanted.");
  f.required("newest", x.newest, "The number of the newest event of the shard.");
  f.required("dead_letters", x.dead_letters, "The number of events that could not be delivered.");
  f.optional("stopped", x.stopped, "The reason for which delivery has stopped on this shard.");
  f.optional("waits", x.waits, "The reason for which the queue takes no event now.");
}

template <class Fields>
void describe(Fields& f, msg::webhook_view& x) {
  f.required("name", x.name, "The name of the webhook.");
  f.required("definition", document{x.definition}, "The definition, as it was given.");
  f.required("state", x.state,
             "`active`, `paused`, `failing` when delivery has stopped on some shard, or `damaged` "
             "when the stored definition cannot be read.");
  f.required("revision", x.revision, "The number of the last change.");
  f.required("created_at", x.created_at, "The time at which the webhook was made.");
  f.required("places", x.places, "The state of delivery on each shard.");
}

template <class Fields>
void describe(Fields& f, msg::webhook_list& x) {
  f.required("webhooks", x.webhooks, "The webhooks by name.");
}

// --- events that could not be delivered ---

template <class Fields>
void describe(Fields& f, msg::list_dead_letters& x) {
  f.required("name", x.name, "The name of the webhook.");
  f.required("shard", x.shard, "The number of the shard.");
  f.optional("after", x.after,
             "The `seq` of the last event of the page before; 0 for the first page.");
  f.optional("limit", bounded{x.limit, 1, 100}, "The most events of one page, 100 by default.");
}

template <class Fields>
void describe(Fields& f, msg::dead_letter& x) {
  f.required("seq", x.seq, "The number of the event in its shard.");
  f.required("event", document{x.event}, "The event.");
  f.required("status", x.status, "The HTTP status of the receiver; 0 when there was no answer.");
  f.required("reason", x.reason, "The reason for which delivery was given up, for people.");
  f.required("died_at", x.died_at, "The time at which delivery was given up.");
  f.required("replayed", x.replayed, "Whether the event waits to be delivered once more.");
}

template <class Fields>
void describe(Fields& f, msg::dead_letter_page& x) {
  f.required("dead_letters", x.letters, "The events in their order.");
}

template <class Fields>
void describe(Fields& f, msg::replay_webhook& x) {
  f.required("name", x.name, "The name of the webhook.");
  f.required("shard", x.shard, "The number of the shard.");
  f.required(
      "what", word{x.what, replay_words()},
      "`dead_letters` delivers dead letters once more, `forget` removes them, `all` delivers "
      "every event behind `after` and goes on where delivery has stopped.");
  f.optional("after", x.after, "Only events behind this number; 0 by default.");
  f.optional("limit", bounded{x.limit, 1, 1000},
             "The most dead letters of one request, 1000 by default.");
}

template <class Fields>
void describe(Fields& f, msg::webhook_replayed& x) {
  f.required("dead_letters", x.dead_letters, "The number of dead letters that were found.");
  f.required("last", x.last, "The number of the last of them: send it as `after` to go on.");
}

} // namespace holdfast::http
