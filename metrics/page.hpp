#pragma once

#include "metrics/registry.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::metrics {

/// The page of metrics for many readers: readers at the same time, and within a second, share one
/// reading of the metrics. Safe to use from several threads.
class page {
public:
  using clock = std::function<std::chrono::steady_clock::time_point()>;

  explicit page(std::shared_ptr<registry> of, clock now = std::chrono::steady_clock::now);

  /// How long a page is given out again.
  static constexpr std::chrono::seconds fresh_for{1};
  /// After this time a reading does not keep the next one from beginning: one of its sources hangs.
  static constexpr std::chrono::seconds patience{5};

  /// `reader` gets the page, at once or on the thread of an actor. It must neither block nor throw.
  void give(std::function<void(const std::string& text)> reader);

private:
  struct state;

  const std::shared_ptr<registry> registry_;
  const clock now_;
  const std::shared_ptr<state> state_;
};

} // namespace holdfast::metrics
