#include "actors/task_status.hpp"

#include "core/task_events.hpp"

#include <algorithm>

namespace holdfast::actors {

std::string status_after(core::task_ending ending) {
  return std::string{core::status_word(ending)};
}

std::string status_of(const core::task& live) { return status_of_live(live.held() != nullptr); }

std::string status_of(const persistence::task_history& history) {
  return history.live ? status_of(*history.live) : status_after(history.finished->ending);
}

bool is_task_status(const std::string& text) {
  return text == status_of_live(false) || text == status_of_live(true)
         || std::any_of(every_ending.begin(), every_ending.end(),
                        [&](core::task_ending ending) { return status_after(ending) == text; });
}

} // namespace holdfast::actors
