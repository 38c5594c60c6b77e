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
constexpr std::size_t forget_at_least = 1024;

} // namespace

rate_limit assignment_rate::limit_of_step() const {
  const double rate = policy_.per_second * share_;
  return {rate, std::max(1.0, rate)};
}

rate_limit assignment_rate::limit_of_contributor() const {
  const double rate = policy_.per_contributor_per_minute / 60;
  return {rate, std::max(1.0, rate * contributor_burst_seconds)};
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

void assignment_rate::forget_idle(const rate_limit& limit, instant now) {
  if (contributors_.size() < forget_at_)
    return;
  for (auto one = contributors_.begin(); one != contributors_.end();)
    one =
        one->second.as_new(limit, token_bucket{}, now) ? contributors_.erase(one) : std::next(one);
  forget_at_ = std::max(forget_at_least, 2 * contributors_.size());
}

assignment_rate::verdict assignment_rate::admit(const contributor_id& contributor, instant now,
                                                bool overloaded) {
  adapt(now, overloaded);
  const auto of_step = limit_of_step();
  const auto of_each = limit_of_contributor();
  if (of_each.per_second <= 0)
    contributors_.clear();
  forget_idle(of_each, now);
  // Known already, or as one of whom nothing is known.
  const auto known = contributors_.find(contributor);
  auto own = known == contributors_.end() ? token_bucket{} : known->second;
  if (!own.open(of_each, now))
    return {bound::contributor, own.opens_at(of_each, now) - now};
  if (!all_.open(of_step, now))
    return {bound::step, all_.opens_at(of_step, now) - now};
  all_.take(of_step, now);
  if (of_each.per_second > 0) {
    own.take(of_each, now);
    contributors_.insert_or_assign(contributor, own);
  }
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
