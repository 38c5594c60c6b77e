#include "persistence/event_text.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::persistence {

namespace {

// Ordered, so that the details come back with their members in the order they were written in.
using json = nlohmann::ordered_json;

core::uuid id_member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end()
             ? core::uuid{}
             : core::parse_uuid(found->get_ref<const std::string&>()).value_or(core::uuid{});
}

core::outcome<core::event> read_event(const json& object) {
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
                    {}};
  if (const auto details = object.find("details"); details != object.end())
    event.details = details->dump();
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
    for (const auto& object : json::parse(text)) {
      auto event = read_event(object);
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
