#include "examples/record_linker/metrics.hpp"

#include <chrono>
#include <cstdio>

namespace linker {

namespace {

std::uint64_t tasks_ended(const msg::queue_statistics& counts) {
  return counts.completed + counts.failed + counts.canceled + counts.dead;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

metrics metrics_of(const msg::queue_statistics& before, const msg::queue_statistics& now,
                   core::duration passed) {
  metrics m;
  m.depth = now.live;
  m.executing = now.leased;
  const std::chrono::duration<double> seconds = passed;
  // Fewer than before have ended when dead letters were redriven: then none is counted.
  if (tasks_ended(now) > tasks_ended(before) && seconds.count() > 0)
    m.jobs_per_second =
        static_cast<double>(tasks_ended(now) - tasks_ended(before)) / seconds.count();
  m.error_percent = percent(now.failed + now.dead, tasks_ended(now));
  m.dead_percent = percent(now.dead, tasks_ended(now));
  return m;
}

std::string to_string(const metrics& m) {
  char text[128];
  std::snprintf(text, sizeof text,
                "depth %5llu (%2llu executing), %6.1f jobs/s, errors %4.1f %%, dead %4.1f %%",
                static_cast<unsigned long long>(m.depth),
                static_cast<unsigned long long>(m.executing), m.jobs_per_second, m.error_percent,
                m.dead_percent);
  return text;
}

} // namespace linker
