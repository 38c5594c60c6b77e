#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Events in the envelope of CloudEvents 1.0, in the JSON format of that specification.
namespace holdfast::documents {

/// One event, and its media type.
inline constexpr std::string_view cloud_event_type = "application/cloudevents+json";
/// A list of them, and its media type.
inline constexpr std::string_view cloud_events_type = "application/cloudevents-batch+json";

/// `event`, as published, in its envelope:
///
///     {"specversion": "1.0", "id": "3-17", "source": "urn:holdfast:cluster",
///      "type": "holdfast.TaskDead", "subject": "queues/mail/tasks/018f2c5e-…",
///      "time": "2026-11-28T09:30:00.000000Z", "datacontenttype": "application/json",
///      "dataschema": "urn:holdfast:events:v1:TaskDead", "data": {…}}
///
/// `source` and `id` together name the event for ever. `subject` is the task, unit or step, and is
/// left out where the event names none. `traceparent` is there when the event has one.
std::string cloud_event(std::string_view source, const core::message_id& place,
                        std::string_view event);

/// Such envelopes as one list.
std::string cloud_events(const std::vector<std::string>& envelopes);

/// Why `source` cannot be the source of events: it must be a URI reference.
core::failure check_event_source(std::string_view source);

} // namespace holdfast::documents
