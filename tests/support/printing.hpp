#pragma once

#include "core/change.hpp"
#include "core/errors.hpp"

#include <ostream>

/// How failures of Boost.Test show our enums: by name.
namespace holdfast::core {

inline std::ostream& operator<<(std::ostream& out, errc code) { return out << to_string(code); }
inline std::ostream& operator<<(std::ostream& out, unit_state state) {
  return out << to_string(state);
}
inline std::ostream& operator<<(std::ostream& out, step_status status) {
  return out << to_string(status);
}
inline std::ostream& operator<<(std::ostream& out, task_ending ending) {
  return out << to_string(ending);
}

} // namespace holdfast::core
