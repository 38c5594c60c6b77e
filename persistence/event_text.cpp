#include "persistence/event_text.hpp"

#include "core/mended_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::persistence {

namespace {

using nlohmann::json;

core::uuid id_member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end()
             ? core::uuid{}
             : core::parse_uuid(found->get_ref<const std::string&>()).value_or(core::uuid{});
}

/// A list of events, and apart from it the details of each as they are spelled: the library would
/// read a number of twenty digits as a double, and none that is beyond one.
struct split_events {
  std::string list;                      ///< With `null` for the details.
  std::vector<std::string_view> details; ///< Empty where there are none.
};

split_events split(std::string_view text) {
  constexpr std::string_view name = "\"details\"";
  constexpr int in_event = 2; // inside the list and one of its objects
  split_events found;
  std::size_t kept = 0;                       // of the text, in `list` already
  std::size_t begin = std::string_view::npos; // of the details, once they have begun
  int depth = 0;
  bool name_next = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const auto from = at;
      while (++at < text.size() && text[at] != '"')
        at += text[at] == '\\' ? 1 : 0;
      if (depth == in_event && name_next && text.substr(from, at + 1 - from) == name)
        begin = std::min(text.find(':', at), text.size() - 1) + 1;
      name_next = false;
    } else if (c == '{' || c == '[') {
      if (++depth == in_event)
        found.details.emplace_back();
      name_next = depth == in_event;
    } else if (c == '}' || c == ']' || c == ',') {
      if (depth == in_event && begin != std::string_view::npos) {
        found.details.back() = text.substr(begin, at - begin);
        found.list.append(text.substr(kept, begin - kept)).append("null");
        kept = at;
        begin = std::string_view::npos;
      }
      depth -= c == ',' ? 0 : 1;
      name_next = c == ',' && depth == in_event;
    }
  }
  found.list.append(text.substr(kept));
  return found;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = core::utf8_length(text, at);
    if (bytes == 0)
      return false;
    at += bytes;
  }
  return true;
}

core::outcome<core::event> read_event(const json& object, std::string_view details) {
  const auto& name = object.at("type").get_ref<const std::string&>();
  const auto type = core::event_type_named(name);
  if (!type)
    return core::failure{core::errc::wrong_state,
                         "this program does not know events of type " + name};
  core::event event{*type,
                    {id_member(object, "step_id")},
                    {id_member(object, "unit_id")},
                    {id_member(object, "judgment_id")},
                    core::from_micros(object.at("at").get<std::int64_t>()),
                    std::string{details},
                    object.value("queue", std::string{}),
                    {id_member(object, "task_id")}};
  return event;
}

} // namespace

std::string events_to_text(const shard_batch& part) {
  std::string text = "[";
  for (const auto& change : part.changes)
    for (const auto& event : change.events) {
      if (text.size() > 1)
        text += ',';
      text += core::to_json(event);
    }
  return text += ']';
}

core::outcome<std::vector<core::sequenced_event>> events_from_text(const outbox_place& row,
                                                                   std::string_view text) {
  if (!is_utf8(text))
    return unreadable_events(row, "the stored text is not UTF-8");
  const auto parts = split(text);
  const auto list = json::parse(parts.list, nullptr, false);
  if (!list.is_array() || list.size() != row.count)
    return unreadable_events(row, "the stored text is not a JSON list of "
                                      + std::to_string(row.count) + " events");
  std::vector<core::sequenced_event> events;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const core::message_id place{row.shard, row.first_seq + i};
    try {
      auto event =
          read_event(list[i], i < parts.details.size() ? parts.details[i] : std::string_view{});
      if (!event)
        return event.error();
      events.push_back({place, std::move(*event)});
    } catch (const json::exception& e) {
      events.push_back(
          {place, core::unreadable_event(place, row.committed_at,
                                         std::string{"the stored text is no event: "} + e.what())});
    }
  }
  return events;
}

std::vector<core::sequenced_event> unreadable_events(const outbox_place& row,
                                                     std::string_view problem) {
  std::vector<core::sequenced_event> events;
  for (std::uint32_t i = 0; i < row.count; ++i) {
    const core::message_id place{row.shard, row.first_seq + i};
    events.push_back({place, core::unreadable_event(place, row.committed_at, problem)});
  }
  return events;
}

} // namespace holdfast::persistence
