#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <functional>
#include <utility>

namespace holdfast::actors {

/// Work in parts that end in any order: tells the outcome of the whole when all are over, which is
/// the first failure, if any. That something is damaged is told only when nothing else has failed:
/// it alone does not pass by itself. Whoever hands out the parts is one of them, from the
/// beginning.
class fan_in {
public:
  explicit fan_in(std::function<void(const core::failure&)> done) : done_(std::move(done)) {}

  void begin_part() { ++open_; }
  void end_part(const core::failure& why = {}) {
    const bool other = why.code != core::errc::none && why.code != core::errc::damaged;
    if (failed_.code == core::errc::none || (failed_.code == core::errc::damaged && other))
      failed_ = why;
    if (--open_ == 0)
      done_(failed_);
  }
  /// One of the parts that are over has failed.
  bool failed() const { return failed_.code != core::errc::none; }

private:
  std::size_t open_ = 1;
  std::function<void(const core::failure&)> done_;
  core::failure failed_{};
};

} // namespace holdfast::actors
