#include "core/step_listing.hpp"

#include "core/json_text.hpp"

namespace holdfast::core {

namespace {

/// As much of a valid UTF-8 text as a listing has room for.
std::string cut(const std::string& title) {
  if (title.size() <= listed_title_bytes_max)
    return title;
  auto end = listed_title_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xc0) == 0x80)
    --end;
  return title.substr(0, end) + "…";
}

std::string to_json(const requirements& asked) {
  json_object members;
  const auto list = [&](const char* name, const std::vector<std::string>& terms) {
    if (!terms.empty())
      members.texts(name, terms);
  };
  list("channels", asked.channels);
  list("skills", asked.skills);
  list("certifications", asked.certifications);
  list("locations", asked.locations);
  if (asked.trust > 0)
    members.number("trust", asked.trust);
  return members.str();
}

void add_definition(const step_listing& listing, json_object& details) {
  details.number("version", static_cast<std::int64_t>(listing.version))
      .text("key", listing.key)
      .text("title", listing.title)
      .text("ui", listing.ui)
      .number("priority", static_cast<std::int64_t>(listing.priority))
      .raw("requirements", to_json(listing.asks))
      .boolean("for_people", listing.for_people);
}

} // namespace

step_listing listing_of(const step_row& row, const step_definition& definition,
                        std::uint32_t version) {
  step_listing listing;
  listing.step = row.id;
  listing.workflow = row.workflow;
  listing.key = definition.key;
  listing.title = cut(definition.title);
  listing.ui = definition.ui;
  listing.priority = definition.priority;
  listing.asks = definition.asks;
  listing.for_people =
      !definition.tasks || definition.tasks->judgments < definition.judgments_per_unit;
  listing.version = version;
  listing.status = row.status;
  listing.revision = row.revision;
  return listing;
}

std::string step_details(const step_row& row, const step_listing& listing) {
  json_object details;
  details.text("status", to_string(row.status))
      .boolean("sealed", row.sealed)
      .number("total_units", static_cast<std::int64_t>(row.total_units))
      .number("completed_units", static_cast<std::int64_t>(row.completed_units))
      .number("revision", static_cast<std::int64_t>(row.revision));
  add_definition(listing, details);
  return details.str();
}

std::string version_details(const step_listing& listing) {
  json_object details;
  add_definition(listing, details);
  return details.str();
}

} // namespace holdfast::core
