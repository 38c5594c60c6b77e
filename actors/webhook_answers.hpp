#pragma once

#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "core/outcome.hpp"
#include "documents/webhook_document.hpp"
#include "messages/webhook_messages.hpp"
#include "persistence/store.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Requests about webhooks that the database answers: the check of each, and its answer, which a
/// reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t dead_letters_page_max = 100; ///< With events, which may be large.

/// Active unless somebody has paused it, or it has stopped somewhere under its present revision, or
/// what is stored of it cannot be read.
inline msg::webhook_view view_of(const persistence::stored_webhook& webhook,
                                 const std::vector<persistence::webhook_place>& places) {
  msg::webhook_view view{webhook.name,     webhook.definition, webhook.paused ? "paused" : "active",
                         webhook.revision, webhook.created_at, {}};
  if (!documents::parse_webhook(webhook.definition, {webhook.definition.size() + 1, 1000}))
    view.state = "damaged";
  for (const auto& place : places) {
    const bool stopped = place.stopped_revision == webhook.revision;
    const bool waits = place.stopped_revision == 0 && !webhook.paused;
    if (stopped && !webhook.paused && view.state != "damaged")
      view.state = "failing";
    view.places.push_back({place.shard, place.seq, place.newest, place.dead_letters,
                           stopped ? place.reason : std::string{},
                           waits ? place.reason : std::string{}});
  }
  return view;
}

inline core::failure check(const msg::list_webhooks&) { return {}; }
inline core::outcome<msg::webhook_list> answer(const node_settings&, persistence::store& db,
                                               const msg::list_webhooks& m) {
  const auto webhooks = db.list_webhooks();
  if (!webhooks)
    return webhooks.error();
  msg::webhook_list list;
  for (const auto& webhook : *webhooks) {
    if (webhook.name.compare(0, m.prefix.size(), m.prefix) != 0)
      continue;
    const auto places = db.webhook_places(webhook.id);
    if (!places)
      return places.error();
    list.webhooks.push_back(view_of(webhook, *places));
  }
  return list;
}

inline core::failure check(const msg::list_dead_letters& m) {
  return first_of({check_webhook(m.name), check_limit(m.limit, dead_letters_page_max)});
}
inline core::outcome<msg::dead_letter_page> answer(const node_settings&, persistence::store& db,
                                                   const msg::list_dead_letters& m) {
  const auto webhooks = db.list_webhooks();
  if (!webhooks)
    return webhooks.error();
  const auto found = std::find_if(webhooks->begin(), webhooks->end(),
                                  [&](const auto& one) { return one.name == m.name; });
  if (found == webhooks->end())
    return core::failure{core::errc::not_found, "there is no webhook " + m.name};
  auto letters = db.list_dead_letters({found->id, m.shard, m.after, m.limit, false});
  if (!letters)
    return letters.error();
  msg::dead_letter_page page;
  for (auto& [made, replayed] : *letters)
    page.letters.push_back({made.event.seq, std::move(made.json), made.status,
                            std::move(made.reason), made.at, replayed});
  return page;
}

} // namespace holdfast::actors
