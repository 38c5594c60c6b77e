#include "http/told_event.hpp"

#include "core/change.hpp"
#include "documents/json_slices.hpp"

#include <string_view>

namespace holdfast::http {

namespace {

template <class Id>
void read_event_id(std::string_view json, Id& into) {
  if (const auto id = core::parse_uuid(documents::unquoted(json)))
    into.value = *id;
}

} // namespace

told_event told(core::shard_id shard, const msg::published_event& event) {
  told_event made;
  made.shard = shard;
  made.seq = event.seq;
  for (const auto& member : documents::members_of(event.event)) {
    if (member.name == "type")
      made.type = documents::unquoted(member.value);
    else if (member.name == "step_id")
      read_event_id(member.value, made.step);
    else if (member.name == "unit_id")
      read_event_id(member.value, made.unit);
    else if (member.name == "queue")
      made.queue = documents::unquoted(member.value);
  }
  made.text.reserve(event.event.size() + 48);
  made.text += R"({"shard":)" + std::to_string(shard) + R"(,"seq":)" + std::to_string(event.seq)
               + R"(,"event":)";
  made.event_begin = made.text.size();
  made.text += event.event;
  made.text += '}';
  return made;
}

bool is_unreadable(const told_event& event) {
  return event.type == core::to_string(core::event_type::event_unreadable);
}

bool event_filter::wants(const told_event& event) const {
  return is_unreadable(event)
         || ((types.empty() || types.count(event.type) != 0) && (!step || event.step == step)
             && (!unit || event.unit == unit) && (queue.empty() || event.queue == queue));
}

} // namespace holdfast::http
