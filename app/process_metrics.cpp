#include "app/process_metrics.hpp"

#include "metrics/scrape.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace holdfast::app {

namespace {

using metrics::metric;

double seconds_of(const timeval& time) {
  constexpr double millionths = 1e6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / millionths;
}

/// Memory of this process in RAM, in bytes; 0 when the system does not tell.
double resident_bytes() {
  std::ifstream in{"/proc/self/statm"};
  std::uint64_t all_pages = 0;
  std::uint64_t resident_pages = 0;
  in >> all_pages >> resident_pages;
  return in ? static_cast<double>(resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE))
            : 0;
}

double open_files() {
  std::error_code failed;
  const std::filesystem::directory_iterator all{"/proc/self/fd", failed};
  return failed ? 0 : static_cast<double>(std::distance(begin(all), end(all)));
}

} // namespace

metrics::registration report_process(metrics::registry& registry, std::filesystem::path data_dir) {
  const auto started =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  return registry.join([data_dir = std::move(data_dir), started](const metrics::scrape_ptr& into) {
    into->add(metric::start_time_seconds, started.count());
    into->add(metric::process_resident_bytes, resident_bytes());
    into->add(metric::process_open_files, open_files());
    if (rlimit most{}; ::getrlimit(RLIMIT_NOFILE, &most) == 0)
      into->add(metric::process_open_files_max, static_cast<double>(most.rlim_cur));
    if (rusage used{}; ::getrusage(RUSAGE_SELF, &used) == 0)
      into->add(metric::process_cpu_seconds_total,
                seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
    std::error_code failed;
    if (const auto space = std::filesystem::space(data_dir, failed); !failed) {
      into->add(metric::disk_free_bytes, static_cast<double>(space.available));
      into->add(metric::disk_size_bytes, static_cast<double>(space.capacity));
    }
  });
}

} // namespace holdfast::app
