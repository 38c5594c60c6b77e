#pragma once

#include "core/task.hpp"
#include "persistence/store.hpp"

#include <array>
#include <string>

/// The status of a task that a requester knows: QUEUED and EXECUTING while it lives; FAILURE when
/// the work itself failed, ERROR when it could not be done.
namespace holdfast::actors {

inline constexpr std::array every_ending{core::task_ending::completed, core::task_ending::failed,
                                         core::task_ending::canceled, core::task_ending::dead};

inline std::string status_of_live(bool leased) { return leased ? "EXECUTING" : "QUEUED"; }

std::string status_after(core::task_ending ending);

std::string status_of(const core::task& live);
std::string status_of(const persistence::task_history& history);

/// Whether this is one of them.
bool is_task_status(const std::string& text);

} // namespace holdfast::actors
