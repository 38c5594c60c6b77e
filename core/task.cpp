#include "core/task.hpp"

#include "core/invariant.hpp"

namespace holdfast::core {

std::string_view to_string(task_ending ending) {
  switch (ending) {
  case task_ending::completed:
    return "Completed";
  case task_ending::failed:
    return "Failed";
  case task_ending::canceled:
    return "Canceled";
  case task_ending::dead:
    return "Dead";
  }
  break_invariant("task_ending", "every value has a name", __FILE__, __LINE__);
}

std::optional<task_ending> task_ending_named(std::string_view name) {
  for (const auto ending :
       {task_ending::completed, task_ending::failed, task_ending::canceled, task_ending::dead})
    if (name == to_string(ending))
      return ending;
  return std::nullopt;
}

std::string_view to_string(attempt_ending ending) {
  switch (ending) {
  case attempt_ending::released:
    return "Released";
  case attempt_ending::failed:
    return "Failed";
  case attempt_ending::rate_limited:
    return "RateLimited";
  case attempt_ending::expired:
    return "Expired";
  case attempt_ending::lost:
    return "Lost";
  case attempt_ending::ejected:
    return "Ejected";
  case attempt_ending::canceled:
    return "Canceled";
  }
  break_invariant("attempt_ending", "every value has a name", __FILE__, __LINE__);
}

} // namespace holdfast::core
