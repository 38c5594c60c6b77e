#include "core/assignment_rate.hpp"

#include "core/json_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace holdfast::core {

namespace {

constexpr double share_least = 1.0 / 16;
constexpr duration adapt_every = std::chrono::seconds{1};
/// Of a contributor: so many seconds' worth may come at once.
constexpr double contributor_burst_seconds = 10;

double seconds(duration length) { return std::chrono::duration<double>(length).count(); }

double tokens_at(double tokens, double size, double per_second, instant then, instant now) {
  return now > then ? std::min(size, tokens + per_second * seconds(now - then)) : tokens;
}

} // namespace

duration token_bucket::wait(double size, double per_second, instant now) {
  tokens_ = std::min(size, tokens_at(tokens_, size, per_second, at_, now));
  at_ = now;
  if (tokens_ >= 1)
    return duration::zero();
  const auto micros = std::ceil((1 - tokens_) / per_second * 1e6);
  return std::chrono::duration_cast<duration>(
      std::chrono::microseconds{static_cast<std::int64_t>(micros)});
}

bool token_bucket::is_full(double size, double per_second, instant now) const {
  return tokens_at(tokens_, size, per_second, at_, now) >= size;
}

double assignment_rate::contributor_burst() const {
  return std::max(1.0, contributor_rate() * contributor_burst_seconds);
}

void assignment_rate::adapt(instant now, bool overloaded) {
  overloaded_since_ = overloaded_since_ || overloaded;
  // At once by the first overload, then once a second; also when the clock was set back.
  const bool due = now - adapted_at_ >= adapt_every || now < adapted_at_;
  if (!due && !(overloaded && share_ == 1))
    return;
  const auto steps = std::max<std::int64_t>(1, (now - adapted_at_) / adapt_every);
  if (overloaded_since_)
    share_ = std::max(share_least, share_ / 2);
  else
    share_ =
        std::min(1.0, share_ * std::exp2(static_cast<double>(std::min<std::int64_t>(steps, 8))));
  overloaded_since_ = false;
  adapted_at_ = now;
}

void assignment_rate::forget_idle(instant now) {
  if (contributors_.size() < forget_at_)
    return;
  for (auto one = contributors_.begin(); one != contributors_.end();)
    one = one->second.is_full(contributor_burst(), contributor_rate(), now)
              ? contributors_.erase(one)
              : std::next(one);
  forget_at_ = std::max<std::size_t>(1024, 2 * contributors_.size());
}

assignment_rate::verdict assignment_rate::admit(const contributor_id& contributor, instant now,
                                                bool overloaded) {
  adapt(now, overloaded);
  const bool bounds_step = policy_.per_second > 0;
  const bool bounds_each = policy_.per_contributor_per_minute > 0;
  token_bucket* own = nullptr;
  if (bounds_each) {
    forget_idle(now);
    own = &contributors_.try_emplace(contributor, contributor_burst(), now).first->second;
    if (const auto wait = own->wait(contributor_burst(), contributor_rate(), now);
        wait > duration::zero())
      return {bound::contributor, wait};
  } else {
    contributors_.clear();
  }
  if (bounds_step) {
    const auto rate = policy_.per_second * share_;
    if (const auto wait = all_.wait(std::max(1.0, rate), rate, now); wait > duration::zero())
      return {bound::step, wait};
    all_.take();
  }
  if (own != nullptr)
    own->take();
  return {};
}

failure refusal_of(const assignment_rate_policy& policy, assignment_rate::bound reached,
                   double share, duration wait) {
  std::string detail;
  if (reached == assignment_rate::bound::contributor)
    detail = "a contributor may ask this step for " + json_number(policy.per_contributor_per_minute)
             + " assignments a minute";
  else
    detail = "many people ask this step for work: it gives "
             + json_number(policy.per_second * share) + " assignments a second"
             + (share < 1 ? ", fewer than usual because the node is overloaded" : "");
  const auto pause = std::chrono::ceil<std::chrono::seconds>(wait).count();
  detail += "; ask again in " + std::to_string(pause) + (pause == 1 ? " second" : " seconds");
  return {errc::rate_limited, std::move(detail), wait};
}

} // namespace holdfast::core
