#pragma once

#include "core/schedule.hpp"

#include <string>

/// Schedules that make nothing, ever.
namespace holdfast::core {

/// Whether some date has a day and a month that `c` names: the 30th of February is never.
bool names_a_date(const cron& c);

/// Why the schedule does not do what it should; empty when it does. Also that it has never made a
/// task and never will, because no occurrence is left before its `until`.
std::string problem_of(const schedule& s);

} // namespace holdfast::core
