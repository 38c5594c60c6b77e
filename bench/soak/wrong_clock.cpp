/// A library to be loaded before a program: its wall clock is then off by what a file says, from
/// one reading to the next, as when somebody sets the clock of a machine. All other clocks stay
/// right.
///
/// It asks the kernel and not the C library, and allocates nothing: allocators and sanitizers read
/// the time before they are ready to be called.

#include "bench/soak/wrong_clock.hpp"

#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using holdfast::soak::wrong_clock;

std::atomic<wrong_clock*> installed{nullptr};

__attribute__((constructor)) void install() {
  const char* path = std::getenv(holdfast::soak::wrong_clock_variable);
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return;
  void* page = ::mmap(nullptr, sizeof(wrong_clock), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (page != MAP_FAILED)
    installed = static_cast<wrong_clock*>(page);
}

std::time_t seconds_ahead() {
  auto* clock = installed.load(std::memory_order_relaxed);
  return clock == nullptr ? 0 : clock->seconds_ahead.load(std::memory_order_relaxed);
}

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

timespec wall_time() {
  timespec now{};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  if (const auto ahead = seconds_ahead(); ahead != 0) {
    now.tv_sec += ahead;
    installed.load(std::memory_order_relaxed)->misled.fetch_add(1, std::memory_order_relaxed);
  }
  return now;
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (!is_wall_clock(clock))
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  *now = wall_time();
  return 0;
}

int gettimeofday(timeval* now, void* /* zone */) noexcept {
  const auto read = wall_time();
  *now = {read.tv_sec, read.tv_nsec / 1000};
  return 0;
}

std::time_t time(std::time_t* now) noexcept {
  const auto read = wall_time().tv_sec;
  if (now != nullptr)
    *now = read;
  return read;
}

int timespec_get(timespec* now, int base) noexcept {
  if (base != TIME_UTC)
    return 0;
  *now = wall_time();
  return base;
}

/// The kernel waits by the true clock. Conditions of other clocks are waited for by
/// `pthread_cond_clockwait`, so that this one is only called with times of the wall clock.
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  timespec true_time = *until;
  true_time.tv_sec -= seconds_ahead();
  return ::pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &true_time);
}

} // extern "C"
