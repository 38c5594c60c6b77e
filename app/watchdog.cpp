#include "app/watchdog.hpp"

#include <utility>

namespace holdfast::app {

watchdog::watchdog(std::chrono::milliseconds patience, std::function<void()> bite)
    : thread_([this, patience, bite = std::move(bite)] {
        std::unique_lock lock{mutex_};
        if (!called_off_.wait_for(lock, patience, [this] { return over_; }))
          bite();
      }) {}

watchdog::~watchdog() {
  {
    const std::lock_guard lock{mutex_};
    over_ = true;
  }
  called_off_.notify_one();
  thread_.join();
}

} // namespace holdfast::app
