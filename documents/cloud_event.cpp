#include "documents/cloud_event.hpp"

#include "core/json_text.hpp"
#include "core/time_text.hpp"
#include "documents/json_slices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace holdfast::documents {

namespace {

constexpr std::size_t source_bytes_max = 1024;

/// The members of the envelope besides the event itself; texts without their quotes.
struct told_members {
  std::string type;
  std::string step;
  std::string unit;
  std::string queue;
  std::string task;
  std::string time;
  std::string traceparent;
};

std::string time_in(std::string_view micros) {
  std::int64_t at = 0;
  const auto* end = micros.data() + micros.size();
  const auto read = std::from_chars(micros.data(), end, at);
  return read.ec == std::errc{} && read.ptr == end ? core::to_rfc3339(core::from_micros(at))
                                                   : std::string{};
}

told_members members_in(std::string_view event) {
  told_members told;
  for (const auto& member : members_of(event))
    if (member.name == "type")
      told.type = unquoted(member.value);
    else if (member.name == "step_id")
      told.step = unquoted(member.value);
    else if (member.name == "unit_id")
      told.unit = unquoted(member.value);
    else if (member.name == "queue")
      told.queue = unquoted(member.value);
    else if (member.name == "task_id")
      told.task = unquoted(member.value);
    else if (member.name == "at")
      told.time = time_in(member.value);
    else if (member.name == "details")
      if (const auto trace = member_text(member.value, "traceparent"))
        told.traceparent = unquoted(*trace);
  return told;
}

std::string subject_of(const told_members& told) {
  if (!told.task.empty())
    return "queues/" + told.queue + "/tasks/" + told.task;
  if (told.step.empty())
    return {};
  return "steps/" + told.step + (told.unit.empty() ? "" : "/units/" + told.unit);
}

/// A character that RFC 3986 allows in a reference; the hash of a fragment is left out, because it
/// names a part of something.
bool may_be_in_reference(char c) {
  constexpr std::string_view others = "-._~:/?[]@!$&'()*+,;=%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
         || others.find(c) != std::string_view::npos;
}

} // namespace

std::string cloud_event(std::string_view source, const core::message_id& place,
                        std::string_view event) {
  const auto told = members_in(event);
  core::json_object envelope;
  envelope.text("specversion", "1.0")
      .text("id", std::to_string(place.shard) + '-' + std::to_string(place.seq))
      .text("source", source)
      .text("type", "holdfast." + told.type);
  if (const auto subject = subject_of(told); !subject.empty())
    envelope.text("subject", subject);
  if (!told.time.empty())
    envelope.text("time", told.time);
  envelope.text("datacontenttype", "application/json")
      .text("dataschema", "urn:holdfast:events:v1:" + told.type);
  if (!told.traceparent.empty())
    envelope.text("traceparent", told.traceparent);
  return envelope.raw("data", event).str();
}

std::string cloud_events(const std::vector<std::string>& envelopes) {
  std::string list = "[";
  for (const auto& one : envelopes) {
    if (list.size() > 1)
      list += ',';
    list += one;
  }
  return list += ']';
}

core::failure check_event_source(std::string_view source) {
  const auto refuse = [](const std::string& why) {
    return core::failure{core::errc::invalid_argument, why};
  };
  if (source.empty() || source.size() > source_bytes_max)
    return refuse("must have 1 to " + std::to_string(source_bytes_max) + " bytes");
  const auto wrong = std::find_if_not(source.begin(), source.end(), may_be_in_reference);
  if (wrong != source.end())
    return refuse("must be a URI reference such as https://example.org/holdfast; the character at"
                  " byte "
                  + std::to_string(wrong - source.begin()) + " must be written as %XX");
  return {};
}

} // namespace holdfast::documents
