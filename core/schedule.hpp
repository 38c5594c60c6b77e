#pragma once

#include "core/cron.hpp"
#include "core/task.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A schedule: makes a task of its queue at each time that its cron expression says. Such a time is
/// an occurrence.
///
/// A schedule remembers up to when its occurrences are dealt with, and that is written in the same
/// change as the tasks: so each occurrence makes one task, whatever crashes (docs/adr/0009).
namespace holdfast::core {

/// Finds the clocks of a place by its name, e.g. `Europe/Berlin`; null for a name that it does not
/// know.
using zone_finder = std::function<std::shared_ptr<const time_zone>(const std::string& name)>;

/// Knows `UTC` and nothing else.
std::shared_ptr<const time_zone> find_utc(const std::string& name);

/// What becomes of occurrences that are missed: noticed more than `grace` late, e.g. because no
/// node was up.
enum class backfill : std::uint8_t {
  none = 1,   ///< They make nothing.
  latest = 2, ///< The latest makes its task, unless a later one is on time.
  all = 3,    ///< The latest `backfill_max` of them make their tasks.
};

/// What a schedule does, as it was defined. The field names are those of the JSON form.
struct schedule_plan {
  std::string cron;
  std::string time_zone = "UTC";
  new_task task; ///< What each occurrence makes, but for its id and time.
  core::backfill backfill = core::backfill::latest;
  std::uint32_t backfill_max = 100;
  duration grace = std::chrono::seconds{60};
  bool paused = false;
  std::optional<instant> from;  ///< No occurrence before.
  std::optional<instant> until; ///< No occurrence after.

  core::cron times;                            ///< Of `cron`.
  std::shared_ptr<const core::time_zone> zone; ///< Of `time_zone`.
};

inline constexpr std::uint32_t backfill_max_most = 1000;
inline constexpr duration grace_most = std::chrono::hours{24};

struct schedule {
  std::string name;
  std::string definition;            ///< The plan as stored.
  std::optional<schedule_plan> plan; ///< None: it cannot be read here, and does nothing.
  instant created_at;
  instant handled_until; ///< Occurrences up to this instant are dealt with; later ones are not.
  instant last_made;     ///< The last occurrence that made a task; the epoch for none.
  std::uint64_t revision = 0;

  // What follows is not stored.
  std::optional<instant> next; ///< The first occurrence that is not dealt with; none while paused.
  instant retry_at;            ///< Not tried again before: the queue has refused its task.
  std::string problem;         ///< Why it does not do what it should; empty when it does.
};

/// The first occurrence after `handled_until`; none when there is none, or while it is paused.
std::optional<instant> next_occurrence(const schedule& s);

/// Occurrences that one look ahead shows at most.
inline constexpr std::uint32_t previewed_most = 100;

/// The occurrences after `now` that are not dealt with, in order and at most `most`: as if it were
/// not paused. Empty when there are none, or while its definition cannot be read.
std::vector<instant> coming_occurrences(const schedule& s, instant now, std::size_t most);

/// The occurrences that are to make tasks now, in order.
std::vector<instant> due_occurrences(const schedule& s, instant now);

/// Whether both have the same occurrences.
bool same_times(const schedule_plan& a, const schedule_plan& b);

} // namespace holdfast::core
