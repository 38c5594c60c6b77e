#include "core/never_due.hpp"

#include <array>
#include <cstddef>

namespace holdfast::core {

bool names_a_date(const cron& c) {
  // Every month has every day of the week, and either day will do where both are restricted.
  if (c.any_day || !c.any_weekday)
    return true;
  constexpr std::array<std::size_t, 13> days_most{0,  31, 29, 31, 30, 31, 30,
                                                  31, 31, 30, 31, 30, 31};
  for (std::size_t month = 1; month < days_most.size(); ++month)
    for (std::size_t day = 1; day <= days_most[month]; ++day)
      if (c.months.test(month) && c.days.test(day))
        return true;
  return false;
}

std::string problem_of(const schedule& s) {
  if (!s.problem.empty() || !s.plan || s.plan->paused || s.next || s.last_made != instant{})
    return s.problem;
  return "never due: no occurrence is left between from, or when the schedule was put, and until";
}

} // namespace holdfast::core
