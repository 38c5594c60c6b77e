#pragma once

#include "persistence/store.hpp"

#include <string>
#include <utility>

namespace holdfast::persistence {

/// A dead letter of which the database gives back its place alone. `event_unreadable` stands for
/// its event.
inline dead_letter unreadable_letter(dead_letter place, const std::string& problem) {
  auto& made = place.made;
  made.json = core::to_json(core::unreadable_event(made.event, made.at, problem));
  made.reason = "its row cannot be read: " + problem;
  return place;
}

} // namespace holdfast::persistence
