#include "app/demo/pace.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::app::demo {

namespace {

core::duration interval_of(double per_second) {
  HOLDFAST_INVARIANT(per_second > 0, "the command line refuses other paces");
  return core::duration{std::llround(1e6 / per_second)};
}

} // namespace

work_pace::work_pace(std::uint64_t at_once, double per_second)
    : interval_(interval_of(per_second)), left_at_once_(at_once) {}

bool work_pace::is_slow() const {
  const std::lock_guard lock{mutex_};
  return left_at_once_ == 0;
}

core::duration work_pace::thinking(core::duration planned, core::instant now) {
  const std::lock_guard lock{mutex_};
  if (left_at_once_ > 0) {
    --left_at_once_;
    return planned;
  }
  // Places that passed while nobody could take one, as while the node was down, are not made up
  // for.
  last_ = std::max(last_, now) + interval_;
  return last_ - now;
}

} // namespace holdfast::app::demo
