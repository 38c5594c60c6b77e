#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

/// Cron expressions: when, by the clocks of some place, something is to happen.
namespace holdfast::core {

/// What a cron expression says. Five fields, by spaces: minute (0-59), hour (0-23), day of the
/// month (1-31), month (1-12 or JAN-DEC), day of the week (0-7 or SUN-SAT; 0 and 7 are Sunday).
/// Each is `*` or a list of numbers and ranges, any of them with a step: `*/15`, `MON-FRI`,
/// `1,10-20/2`. Where both days are restricted, either will do, as POSIX has it for `crontab`.
/// `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly` and `@annually` stand for the
/// obvious.
struct cron {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;    ///< Of the month; bit 0 is unused.
  std::bitset<13> months;  ///< Bit 0 is unused.
  std::bitset<7> weekdays; ///< From Sunday.
  bool any_day = true;     ///< The day of the month is `*`.
  bool any_weekday = true; ///< The day of the week is `*`.
};

/// Refuses with `invalid_argument`; the detail names the field and what is wrong with it.
outcome<cron> parse_cron(std::string_view expression);

/// The clocks of some place.
class time_zone {
public:
  virtual ~time_zone() = default;

  /// Local time minus UTC, as it is at that instant.
  virtual duration offset_at(instant at) const = 0;
};

/// The first instant after `after` at which `c` is due by the clocks of `zone`; none when it is not
/// within eight years, which holds e.g. for the 30th of February.
///
/// When the clocks are changed, what happens in every hour goes on as time does: nothing is left
/// out and nothing is doubled. What happens at certain hours happens once a day: at the end of the
/// gap when its local time is skipped, and the first time when its local time comes twice. (So does
/// Debian's cron.)
std::optional<instant> next_after(const cron& c, const time_zone& zone, instant after);

/// The instants in (`after`, `until`] at which `c` is due: the latest `most` of them, in order.
std::vector<instant> due_between(const cron& c, const time_zone& zone, instant after, instant until,
                                 std::size_t most);

} // namespace holdfast::core
