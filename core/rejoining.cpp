#include "core/rejoining.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

namespace {

/// An answer on its way out and a request on its way in change threads a few times, which takes
/// that long however fast the disk is. Of those who come back together, one follows the other
/// sooner than that.
constexpr duration way_there_and_back = std::chrono::microseconds{100};

/// How often is looked who has come, and how often where that is said below.
constexpr duration look_every = way_there_and_back;
constexpr duration look_often = std::chrono::microseconds{10};

/// A thread that waits for messages is woken by the first, and then waits and is woken as they come
/// one by one. For so few that costs less than looking often; so many take longer anyway.
constexpr std::size_t few = 3;
constexpr std::size_t many = 64;

/// After so many waits in vain one commit in 2^8 tries again.
constexpr std::uint32_t in_vain_max = 8;

} // namespace

rejoining::rejoining(std::size_t enough, duration longest)
    : enough_(enough), longest_(longest), patience_(way_there_and_back) {}

duration rejoining::begin(std::size_t answered, std::size_t waiting, duration took) {
  wanted_ = 0;
  if (const auto came = std::exchange(came_, 0); came > 0) {
    learn(waiting <= came);
    // Who came too late was not waited for long enough.
    patience_ = waiting == 0 ? std::max(patience_ - patience_ / 8, look_often)
                             : std::min(2 * patience_, way_there_and_back);
  }
  const auto all = answered + waiting;
  // One alone has nobody to wait for, and a few who come back do not make up for many who wait.
  if (all < 2 || all > enough_ || 2 * answered < waiting)
    return {};
  if (left_out_ > 0) {
    --left_out_;
    return {};
  }
  limit_ = std::min(way_there_and_back + took / 2, longest_);
  if (limit_ <= duration::zero())
    return {};
  seen_ = waiting;
  before_ = waiting;
  last_came_ = {};
  wanted_ = all;
  return next_period({});
}

bool rejoining::looks_often() const {
  const auto awaited = wanted_ - std::min(wanted_, before_);
  return awaited > few && awaited < many;
}

duration rejoining::next_period(duration passed) const {
  return std::min(looks_often() ? look_often : look_every, limit_ - passed);
}

duration rejoining::go_on(std::size_t waiting, duration passed) {
  if (waiting > std::exchange(seen_, waiting))
    last_came_ = passed;
  const auto patience = looks_often() ? patience_ : way_there_and_back;
  const bool quiet = last_came_ > duration::zero() && passed - last_came_ >= patience;
  return holds(waiting) && !quiet && passed < limit_ ? next_period(passed) : duration::zero();
}

void rejoining::end(std::size_t waiting) {
  if (std::exchange(wanted_, 0) == 0)
    return;
  came_ = waiting - std::min(waiting, before_);
  if (came_ == 0)
    learn(false);
}

void rejoining::learn(bool worth_it) {
  if (worth_it) {
    in_vain_ /= 2; // strangers are now and then as good as those answered, once
    return;
  }
  in_vain_ = std::min(in_vain_ + 1, in_vain_max);
  left_out_ = (1u << in_vain_) - 1;
}

} // namespace holdfast::core
