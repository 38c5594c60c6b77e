#include "core/schedule.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

class utc_clocks : public time_zone {
public:
  duration offset_at(instant) const override { return duration::zero(); }
};

/// More occurrences than can be on time: the minutes of the longest grace, an hour of which may
/// come twice.
constexpr std::size_t on_time_most = 25 * 60 + 1;
static_assert(grace_most <= std::chrono::hours{24});

/// The earliest instant of which occurrences count, and the latest.
instant begin_of(const schedule& s) {
  const auto& from = s.plan->from;
  return from ? std::max(s.handled_until, *from - duration{1}) : s.handled_until;
}
instant end_of(const schedule& s, instant now) {
  const auto& until = s.plan->until;
  return until ? std::min(now, *until) : now;
}

std::vector<instant> occurrences(const schedule& s, instant after, instant until,
                                 std::size_t most) {
  if (after >= until)
    return {};
  return due_between(s.plan->times, *s.plan->zone, after, until, most);
}

/// Of the missed occurrences those that still make a task.
std::size_t missed_most(const schedule_plan& plan, bool some_on_time) {
  switch (plan.backfill) {
  case backfill::none:
    return 0;
  case backfill::latest:
    return some_on_time ? 0 : 1;
  case backfill::all:
    return plan.backfill_max;
  }
  return 0;
}

} // namespace

std::shared_ptr<const time_zone> find_utc(const std::string& name) {
  static const auto clocks = std::make_shared<const utc_clocks>();
  return name == "UTC" ? clocks : nullptr;
}

std::optional<instant> next_occurrence(const schedule& s) {
  if (!s.plan || s.plan->paused)
    return std::nullopt;
  const auto next = next_after(s.plan->times, *s.plan->zone, begin_of(s));
  return next && s.plan->until && *next > *s.plan->until ? std::nullopt : next;
}

std::vector<instant> coming_occurrences(const schedule& s, instant now, std::size_t most) {
  std::vector<instant> coming;
  if (!s.plan)
    return coming;
  auto next = next_after(s.plan->times, *s.plan->zone, std::max(begin_of(s), now));
  while (next && coming.size() < most && !(s.plan->until && *next > *s.plan->until)) {
    coming.push_back(*next);
    next = next_after(s.plan->times, *s.plan->zone, *next);
  }
  return coming;
}

std::vector<instant> due_occurrences(const schedule& s, instant now) {
  if (!s.plan || s.plan->paused)
    return {};
  const auto begin = begin_of(s);
  const auto end = end_of(s, now);
  // An occurrence is on time up to and with the end of the grace.
  const auto missed_until = std::min(end, now - s.plan->grace - duration{1});
  const auto on_time = occurrences(s, std::max(begin, missed_until), end, on_time_most);
  auto due = occurrences(s, begin, missed_until, missed_most(*s.plan, !on_time.empty()));
  due.insert(due.end(), on_time.begin(), on_time.end());
  return due;
}

bool same_times(const schedule_plan& a, const schedule_plan& b) {
  return a.cron == b.cron && a.time_zone == b.time_zone && a.from == b.from && a.until == b.until
         && a.paused == b.paused;
}

} // namespace holdfast::core
