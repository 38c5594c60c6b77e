#include "core/rejoining.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

namespace {

/// An answer on its way out and a request on its way in change threads a few times, which takes
/// that long however fast the disk is.
constexpr duration way_there_and_back = std::chrono::microseconds{100};

/// After so many waits in vain one commit in 2^8 tries again.
constexpr std::uint32_t in_vain_max = 8;

} // namespace

duration rejoining::begin(std::size_t answered, std::size_t waiting, duration took) {
  wanted_ = 0;
  if (std::exchange(enough_came_, false))
    learn(2 * waiting <= answered);
  const auto all = answered + waiting;
  // One alone has nobody to wait for, and a few who come back do not make up for many who wait.
  if (all < 2 || all > enough_ || 2 * answered < waiting)
    return {};
  if (left_out_ > 0) {
    --left_out_;
    return {};
  }
  const auto pause = std::min(way_there_and_back + took / 2, longest_);
  if (pause <= duration::zero())
    return {};
  before_ = waiting;
  wanted_ = all;
  return pause;
}

void rejoining::end(std::size_t waiting) {
  if (wanted_ == 0)
    return;
  const auto answered = wanted_ - before_;
  const auto came = waiting - std::min(waiting, before_);
  wanted_ = 0;
  enough_came_ = 2 * came >= answered; // whether it was they shows after the commit
  if (!enough_came_)
    learn(false);
}

void rejoining::learn(bool worth_it) {
  if (worth_it) {
    in_vain_ = 0;
    return;
  }
  in_vain_ = std::min(in_vain_ + 1, in_vain_max);
  left_out_ = (1u << in_vain_) - 1;
}

} // namespace holdfast::core
