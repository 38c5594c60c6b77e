#pragma once

#include "core/ids.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::core {

/// For whom a task works: what a task that judges a unit has as its `owner_id`.
struct task_purpose {
  step_id step;
  unit_id unit;
};

std::string owner_of(const task_purpose& purpose);
/// Empty when `owner_id` names no unit.
std::optional<task_purpose> purpose_in(std::string_view owner_id);

} // namespace holdfast::core
