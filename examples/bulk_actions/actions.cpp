#include "examples/bulk_actions/actions.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace bulk {

namespace {

using nlohmann::json;

/// In the order of `core::unit_verb`, which begins at 1.
constexpr std::array<const char*, 3> orders{"pause", "resume", "cancel"};

/// The states of units that an order can change.
constexpr std::array<const char*, 2> open_states{"Judgable", "Paused"};

/// Each of them gets as many mails as there are recipients.
constexpr std::size_t cc_max = 10;

// --- to JSON ---

json to_json(const target& who) {
  if (const auto* list = std::get_if<by_ids>(&who))
    return {{"ids", list->ids}};
  const auto& query = std::get<by_query>(who);
  json members = json::object();
  if (!query.program.empty())
    members["program"] = query.program;
  if (query.status)
    members["status"] = to_string(*query.status);
  return {{"query", members}};
}

json to_json(const unit_target& who) {
  if (const auto* query = std::get_if<units_in_state>(&who))
    return {{"state", query->state}};
  auto ids = json::array();
  for (const auto& id : std::get<units_by_ids>(who).ids)
    ids.push_back(core::to_string(id));
  return {{"ids", ids}};
}

// --- from JSON; whatever is missing or of another kind throws ---

program_status status_in(const json& text) {
  const auto status = status_named(text.get<std::string>());
  if (!status)
    throw std::runtime_error{"there is no status " + text.dump()};
  return *status;
}

target target_in(const json& spec) {
  const auto& who = spec.at("who");
  if (who.contains("ids"))
    return by_ids{who.at("ids").get<std::vector<person_id>>()};
  const auto& members = who.at("query");
  by_query query;
  query.program = members.value("program", "");
  if (members.contains("status"))
    query.status = status_in(members.at("status"));
  return query;
}

void read(const json& spec, export_search& what) { what.who = target_in(spec); }
void read(const json& spec, watch& what) { what.who = target_in(spec); }
void read(const json& spec, unwatch& what) { what.who = target_in(spec); }

void read(const json& spec, change_program_status& what) {
  what.who = target_in(spec);
  what.to = status_in(spec.at("to"));
  what.reason = spec.value("reason", ""); // since 1.1
}

void read(const json& spec, send_mail& what) {
  what.who = target_in(spec);
  what.subject = spec.at("subject").get<std::string>();
  what.text = spec.at("text").get<std::string>();
  what.cc = spec.value("cc", std::vector<std::string>{}); // since 1.1
}

template <class Id>
Id id_of(const json& text) {
  const auto id = core::parse_uuid(text.get<std::string>());
  if (!id)
    throw std::runtime_error{text.dump() + " is no id"};
  return Id{*id};
}

unit_target unit_target_in(const json& who) {
  if (who.contains("state"))
    return units_in_state{who.at("state").get<std::string>()};
  units_by_ids list;
  for (const auto& id : who.at("ids"))
    list.ids.push_back(id_of<core::unit_id>(id));
  return list;
}

void read(const json& spec, change_unit_status& what) {
  what.step = id_of<core::step_id>(spec.at("step"));
  what.who = unit_target_in(spec.at("who"));
  const auto order = std::find(orders.begin(), orders.end(), spec.at("order").get<std::string>());
  if (order == orders.end())
    throw std::runtime_error{"there is no order " + spec.at("order").dump()};
  what.order = static_cast<core::unit_verb>(order - orders.begin() + 1);
}

void read(const json& spec, enrol& what) {
  what.program = spec.at("program").get<std::string>();
  for (const auto& entry : spec.at("people"))
    what.people.push_back({entry.at("name").get<std::string>(),
                           entry.at("email").get<std::string>(),
                           entry.at("campus").get<std::string>()});
}

/// `1.7` as 1 and 7; none for anything else.
struct version_number {
  int major = 0;
  int minor = 0;
};
std::optional<version_number> number_of(const std::string& version) {
  version_number read;
  const auto* end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, read.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.')
    return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, read.minor);
  if (minor.ec != std::errc{} || minor.ptr != end)
    return std::nullopt;
  return read;
}

// --- objections ---

bool has_controls(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// What neither JSON nor the database has a place for.
bool is_plain_text(const std::string& text) {
  try {
    json(text).dump();
  } catch (const json::exception&) {
    return false; // it is no UTF-8
  }
  return text.find('\0') == std::string::npos;
}

std::string objection_to_text(const std::string& name, const std::string& text, std::size_t most) {
  if (text.size() > most)
    return name + " has more than " + std::to_string(most) + " bytes";
  return is_plain_text(text) ? "" : name + " is no UTF-8, or has a NUL in it";
}

/// A text of one line. A line break would begin another header, or another argument.
std::string objection_to_line(const std::string& name, const std::string& text, std::size_t most) {
  const auto any = objection_to_text(name, text, most);
  return any.empty() && has_controls(text) ? name + " has control characters" : any;
}

std::string objection_to_target(const target& who) {
  const auto* list = std::get_if<by_ids>(&who);
  if (list == nullptr)
    return objection_to_line("the program", std::get<by_query>(who).program, line_bytes_max);
  const auto& ids = list->ids;
  if (ids.empty())
    return "the list of ids is empty";
  if (ids.size() > ids_max)
    return "the list has more than " + std::to_string(ids_max) + " ids; use a query";
  if (std::any_of(ids.begin(), ids.end(), [](auto id) { return id < 1; }))
    return "ids begin at 1";
  return "";
}

std::string objection_to(const newcomer& who, std::size_t place) {
  const auto at = "person " + std::to_string(place + 1) + ": ";
  if (who.name.empty())
    return at + "the name is empty";
  if (const auto line = objection_to_line("the name", who.name, line_bytes_max); !line.empty())
    return at + line;
  if (!is_address(who.email))
    return at + "this is no mail address";
  if (who.campus.empty())
    return at + "the campus is empty";
  const auto line = objection_to_line("the campus", who.campus, line_bytes_max);
  return line.empty() ? line : at + line;
}

} // namespace

std::string encode(const export_search& what) { return json{{"who", to_json(what.who)}}.dump(); }
std::string encode(const watch& what) { return json{{"who", to_json(what.who)}}.dump(); }
std::string encode(const unwatch& what) { return json{{"who", to_json(what.who)}}.dump(); }

std::string encode(const change_program_status& what) {
  return json{{"who", to_json(what.who)}, {"to", to_string(what.to)}, {"reason", what.reason}}
      .dump();
}

std::string encode(const send_mail& what) {
  return json{
      {"who", to_json(what.who)}, {"subject", what.subject}, {"text", what.text}, {"cc", what.cc}}
      .dump();
}

std::string encode(const change_unit_status& what) {
  return json{{"step", core::to_string(what.step)},
              {"who", to_json(what.who)},
              {"order", orders[static_cast<std::size_t>(what.order) - 1]}}
      .dump();
}

std::string encode(const enrol& what) {
  auto people = json::array();
  for (const auto& who : what.people)
    people.push_back({{"name", who.name}, {"email", who.email}, {"campus", who.campus}});
  return json{{"program", what.program}, {"people", people}}.dump();
}

std::string objection(const export_search& what) { return objection_to_target(what.who); }
std::string objection(const watch& what) { return objection_to_target(what.who); }
std::string objection(const unwatch& what) { return objection_to_target(what.who); }

std::string objection(const change_program_status& what) {
  auto line = objection_to_line("the reason", what.reason, line_bytes_max);
  return line.empty() ? objection_to_target(what.who) : line;
}

std::string objection(const send_mail& what) {
  if (what.subject.empty())
    return "the subject is empty";
  if (auto line = objection_to_line("the subject", what.subject, line_bytes_max); !line.empty())
    return line;
  if (what.text.empty())
    return "the text is empty";
  if (what.cc.size() > cc_max)
    return "more than " + std::to_string(cc_max) + " addresses are to get copies";
  for (const auto& address : what.cc) {
    if (auto line = objection_to_line("an address", address, line_bytes_max); !line.empty())
      return line;
    if (!is_address(address))
      return address + " is no mail address";
  }
  auto text = objection_to_text("the text", what.text, text_bytes_max);
  return text.empty() ? objection_to_target(what.who) : text;
}

std::string objection(const change_unit_status& what) {
  if (!what.step)
    return "the step is nil";
  if (const auto* query = std::get_if<units_in_state>(&what.who))
    return std::find(open_states.begin(), open_states.end(), query->state) != open_states.end()
               ? ""
               : "units that are " + query->state + " cannot be changed: say Judgable or Paused";
  const auto& ids = std::get<units_by_ids>(what.who).ids;
  if (ids.empty())
    return "the list of ids is empty";
  if (ids.size() > ids_max)
    return "the list has more than " + std::to_string(ids_max) + " ids; use a query";
  return "";
}

std::string objection(const enrol& what) {
  if (what.program.empty())
    return "the program is empty";
  if (auto line = objection_to_line("the program", what.program, line_bytes_max); !line.empty())
    return line;
  if (what.people.empty())
    return "nobody is named";
  if (what.people.size() > newcomers_max)
    return "more than " + std::to_string(newcomers_max) + " people are named; ask in parts";
  for (std::size_t i = 0; i < what.people.size(); ++i)
    if (auto why = objection_to(what.people[i], i); !why.empty())
      return why;
  return "";
}

std::string objection_to_spec(const std::string& spec) {
  if (spec.size() <= spec_bytes_max)
    return "";
  return "the request has " + std::to_string(spec.size()) + " bytes, and at most "
         + std::to_string(spec_bytes_max) + " are taken; ask in parts, or use a query";
}

template <class Action>
std::variant<Action, unreadable> decode(const std::string& version, const std::string& body) {
  const auto written = number_of(version);
  const auto known = number_of(Action::version);
  if (!written || written->major != known->major)
    return unreadable{"version " + version + " is unknown", false};
  if (written->minor > known->minor)
    return unreadable{"version " + version + " is newer than " + Action::version, true};
  try {
    Action what;
    read(json::parse(body), what);
    return what;
  } catch (const std::exception& wrong) {
    return unreadable{wrong.what(), false};
  }
}

template std::variant<export_search, unreadable> decode(const std::string&, const std::string&);
template std::variant<change_program_status, unreadable> decode(const std::string&,
                                                                const std::string&);
template std::variant<watch, unreadable> decode(const std::string&, const std::string&);
template std::variant<unwatch, unreadable> decode(const std::string&, const std::string&);
template std::variant<send_mail, unreadable> decode(const std::string&, const std::string&);
template std::variant<change_unit_status, unreadable> decode(const std::string&,
                                                             const std::string&);
template std::variant<enrol, unreadable> decode(const std::string&, const std::string&);

} // namespace bulk
