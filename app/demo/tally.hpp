#pragma once

#include "app/demo/kill_schedule.hpp"
#include "core/ids.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::app::demo {

/// A judgment that the node has said it has.
struct acknowledged_judgment {
  core::judgment_id id;
  std::size_t set = 0; ///< Index of the data set.
};

/// What the contributors did and met, all together. Written by their actors, read by the main
/// thread.
class tally {
public:
  explicit tally(kill_schedule& kills) : kills_(kills) {}

  std::atomic<std::uint64_t> offers{0}; ///< Assignments received.
  std::atomic<std::uint64_t> declined{0};
  std::atomic<std::int64_t> holding{0};      ///< Leases that contributors work under now.
  std::atomic<std::uint64_t> lost_leases{0}; ///< Ran out although work was under way: downtime.
  std::atomic<std::uint64_t> working{0};     ///< Contributors that have not gone home.
  // On purpose:
  std::atomic<std::uint64_t> let_expire{0};
  std::atomic<std::uint64_t> late_submissions{0};
  std::atomic<std::uint64_t> double_submissions{0};
  std::atomic<std::uint64_t> invalid_payloads{0};
  std::atomic<std::uint64_t> stale_tokens{0};

  void granted(core::instant granted_at);
  void acknowledged(core::judgment_id id, std::size_t set);
  /// Something that may not happen. Kept in words, the first ones.
  void wrong(const std::string& what);

  std::uint64_t acknowledged_count() const { return acknowledged_count_; }
  std::vector<acknowledged_judgment> acknowledged_judgments() const;
  std::uint64_t wrong_count() const;
  std::vector<std::string> wrongs() const;

private:
  kill_schedule& kills_;
  std::atomic<std::uint64_t> acknowledged_count_{0};
  mutable std::mutex mutex_;
  std::vector<acknowledged_judgment> acknowledged_;
  std::uint64_t wrong_count_ = 0;
  std::vector<std::string> wrongs_;
};

} // namespace holdfast::app::demo
