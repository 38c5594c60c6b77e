#pragma once

#include "core/contributor.hpp"
#include "core/outcome.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::persistence {

/// Why a read does not go on without these judgments: there are too many. None if it does.
inline std::optional<core::failure>
too_many_unreadable(const std::vector<core::step_history::unreadable>& rows) {
  if (rows.size() <= unreadable_judgments_max)
    return std::nullopt;
  return core::failure{core::errc::damaged,
                       "more than " + std::to_string(unreadable_judgments_max)
                           + " judgments cannot be read, so the table is to be restored from a"
                             " copy; the first: "
                           + text_of(rows.front())};
}

} // namespace holdfast::persistence
