#pragma once

#include "core/change.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/door.hpp"
#include "http/fields.hpp"
#include "http/routes.hpp"
#include "http/shapes/event_shapes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The events of all shards, as one list or as a stream.
namespace holdfast::http {

/// One event of the list.
struct listed_event {
  static constexpr std::string_view name = "listed_event";

  core::shard_id shard = 0;
  core::event_seq seq = 0;
  std::string event;
};

template <class Fields>
void describe(Fields& f, listed_event& x) {
  f.required("shard", x.shard, "The number of the shard that the event comes from.");
  f.required("seq", x.seq,
             "The number of the event in its shard: an event that comes again has the same.");
  f.required("event", document{x.event}, "The event, in its envelope if one is asked for.");
}

struct event_list {
  static constexpr std::string_view name = "event_list";

  std::vector<listed_event> events;
  std::string cursor;
};

template <class Fields>
void describe(Fields& f, event_list& x) {
  f.required("events", x.events, "The events, those of one shard in their order; may be empty.");
  f.required("cursor", x.cursor,
             "Send it as `cursor`, with the same filters, to go on behind these events. It is good "
             "for as long as events are kept, at every node of the cluster.");
}

inline const word_list& envelope_words() {
  static const word_list words{
      {"plain", static_cast<std::uint64_t>(core::event_envelope::plain)},
      {"cloudevents", static_cast<std::uint64_t>(core::event_envelope::cloudevents)},
  };
  return words;
}

inline const word_list& events_begin_words() {
  static const word_list words{
      {"newest", static_cast<std::uint64_t>(core::event_start::newest)},
      {"oldest", static_cast<std::uint64_t>(core::event_start::oldest)},
  };
  return words;
}

struct events_wanted {
  static constexpr route_row row{topic::events, verb::get, "/v1/events", 200,
                                 "Read the events of all shards, or follow them as a stream"};
  static constexpr std::string_view name = "read_all_events";
  using answer = event_list;
  static void run(const door& through, const visit& from, events_wanted asked);

  std::string cursor;
  core::event_start start = core::event_start::newest;
  std::uint32_t limit = 1000;
  core::duration wait{0};
  std::vector<std::string> types;
  core::workflow_id workflow;
  core::step_id step;
  core::unit_id unit;
  core::queue_name queue;
  core::event_envelope envelope = core::event_envelope::plain;
};

template <class Fields>
void describe(Fields& f, events_wanted& x) {
  f.optional(
      "cursor", x.cursor,
      "The place to go on from: the `cursor` of the list before. With the header `Accept: "
      "text/event-stream` the answer is a stream of server-sent events without an end, whose "
      "ids are cursors; the header `Last-Event-ID` takes the place of `cursor` then.");
  f.optional("from", word{x.start, events_begin_words()},
             "Where to begin without a cursor: with the next event, or with the oldest that is "
             "kept. `newest` by default.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most events of a list, 1000 by default.");
  f.query("wait", bounded{x.wait, 0, 60},
          "Seconds to wait for a first event of a list, 0 by default; 20 is a good value.");
  f.optional("types", x.types,
             "Only events of these types, such as `UnitFinalized`; all when it is left out.");
  f.optional("workflow_id", x.workflow, "Only events of the steps of this workflow.");
  f.optional("step_id", x.step, "Only events of this step.");
  f.optional("unit_id", x.unit, "Only events about this unit.");
  f.optional("queue", x.queue,
             "Only events of tasks of this queue, whose policy says which ends of tasks are "
             "events.");
  f.optional("envelope", word{x.envelope, envelope_words()},
             "`cloudevents`: each `event` of a list, and each `data` of a stream, is an event in "
             "the envelope of CloudEvents 1.0, which has the event as its `data`. `plain` by "
             "default.");
}

} // namespace holdfast::http
