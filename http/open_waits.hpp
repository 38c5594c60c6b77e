#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::http {

/// The requests of a door that wait for something. Each has a place here for as long as it waits.
/// The places are bounded, and all waits end at once when the node drains. For any thread.
class open_waits : public std::enable_shared_from_this<open_waits> {
public:
  explicit open_waits(std::size_t most) : most_(most) {}

  /// The place of one wait, until it is destroyed.
  class place {
  public:
    place(std::shared_ptr<open_waits> all, std::uint64_t number)
        : all_(std::move(all)), number_(number) {}
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place();

  private:
    const std::shared_ptr<open_waits> all_;
    const std::uint64_t number_;
  };
  using place_ptr = std::shared_ptr<const place>;

  /// A place for a wait. `on_drain` runs at most once, on any thread, when the node drains while
  /// the place is there. `overloaded` when all places are taken, `unavailable` when the node
  /// drains.
  core::outcome<place_ptr> begin(std::function<void()> on_drain);

  /// Ends all waits; from now on no other begins.
  void drain();

  std::size_t count() const;

private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  bool draining_ = false;
  std::uint64_t numbers_ = 0;
  std::unordered_map<std::uint64_t, std::function<void()>> waits_;
};

/// The answer to a request whose wait ends because its node drains.
core::failure node_drains();

} // namespace holdfast::http
