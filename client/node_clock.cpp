#include "client/node_clock.hpp"

#include <algorithm>

namespace holdfast::client {

namespace {

/// Clocks of machines run apart by less than one second in two thousand (500 ppm is as much as NTP
/// corrects).
constexpr std::int64_t drift_share = 2'000;

/// In this interval the known time of the cluster grows vague by 15 ms.
constexpr core::duration asked_every = std::chrono::seconds{30};

/// A range that is wider than this comes from a connection that was slow, or not there yet.
constexpr core::duration good_enough = std::chrono::milliseconds{200};
constexpr core::duration asked_soon = std::chrono::seconds{1};

core::duration since_zero(node_clock::time_point at) {
  return std::chrono::duration_cast<core::duration>(at.time_since_epoch());
}

} // namespace

node_clock::range node_clock::widened(time_point now) const {
  const auto drift =
      std::max(core::duration::zero(), since_zero(now) - since_zero(noted_at_)) / drift_share;
  return {known_->least - drift, known_->most + drift};
}

void node_clock::note(time_point asked, time_point answered, core::instant said) {
  const auto there = said.time_since_epoch();
  const range heard{there - since_zero(answered), there - since_zero(asked)};
  const std::lock_guard lock{mutex_};
  if (known_) {
    const auto before = widened(answered);
    const range both{std::max(before.least, heard.least), std::min(before.most, heard.most)};
    // Ranges that do not meet: the clock there was set, or is another server's. The newer one
    // holds.
    known_ = both.least <= both.most ? both : heard;
  } else {
    known_ = heard;
  }
  noted_at_ = answered;
}

bool node_clock::wants_to_ask(time_point now) const {
  const std::lock_guard lock{mutex_};
  if (!known_)
    return true;
  const auto age = since_zero(now) - since_zero(noted_at_);
  return age >= asked_every || (age >= asked_soon && known_->most - known_->least > good_enough);
}

std::optional<node_clock::time_point> node_clock::not_after(core::instant at) const {
  const std::lock_guard lock{mutex_};
  if (!known_)
    return std::nullopt;
  return time_point{
      std::chrono::duration_cast<time_point::duration>(at.time_since_epoch() - known_->most)};
}

std::optional<core::instant> node_clock::at(time_point now) const {
  const std::lock_guard lock{mutex_};
  if (!known_)
    return std::nullopt;
  return core::instant{since_zero(now) + known_->least + (known_->most - known_->least) / 2};
}

} // namespace holdfast::client
