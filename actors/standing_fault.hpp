#pragma once

#include <string>
#include <utility>

namespace holdfast::actors {

/// A fault that is met again at every try, and is told once: when it begins, and when its reason
/// becomes another.
class standing_fault {
public:
  /// Met again. True when it is to be told.
  bool met(const std::string& reason) {
    if (present_ && reason == reason_)
      return false;
    present_ = true;
    reason_ = reason;
    return true;
  }
  /// A try succeeded. True when there was a fault before.
  bool over() {
    reason_.clear();
    return std::exchange(present_, false);
  }
  bool present() const { return present_; }

private:
  bool present_ = false;
  std::string reason_;
};

} // namespace holdfast::actors
