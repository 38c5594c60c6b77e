#include "persistence/event_text.hpp"

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
                    std::string{details}};
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

core::outcome<std::vector<stored_event>>
events_from_text(core::shard_id shard, core::event_seq first_seq, std::string_view text) {
  std::vector<stored_event> events;
  try {
    auto seq = first_seq;
    const auto parts = split(text);
    const auto list = json::parse(parts.list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto event =
          read_event(list[i], i < parts.details.size() ? parts.details[i] : std::string_view{});
      if (!event)
        return event.error();
      events.push_back({{shard, seq++}, std::move(*event)});
    }
  } catch (const json::exception& e) {
    return core::failure{core::errc::wrong_state,
                         "outbox row " + std::to_string(shard) + '-' + std::to_string(first_seq)
                             + " is not what Holdfast writes: " + e.what()};
  }
  return events;
}

} // namespace holdfast::persistence
