#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::app {

/// Runs `bite` unless it is destroyed within `patience`. Guards what may hang for ever: CAF's actor
/// system waits without bound for a peer that has stopped reading.
class watchdog {
public:
  watchdog(std::chrono::milliseconds patience, std::function<void()> bite);
  ~watchdog();

  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

private:
  std::mutex mutex_;
  std::condition_variable called_off_;
  bool over_ = false;
  std::thread thread_;
};

} // namespace holdfast::app
