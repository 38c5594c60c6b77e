#include "core/token_bucket.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace holdfast::core {

double token_bucket::level(const rate_limit& limit, instant now) const {
  // It begins with one and not full: what was granted before a restart is not known.
  if (!started_)
    return 1;
  const double gained = std::chrono::duration<double>(now - at_).count() * limit.per_second;
  // The clock was set back, by more than the little that nodes correct it by: it begins anew. Else
  // nothing would be granted for as long as the clock stood ahead.
  if (gained < -1)
    return 1;
  return std::min(limit.burst, level_ + gained);
}

bool token_bucket::open(const rate_limit& limit, instant now) const {
  return limit.per_second <= 0 || level(limit, now) >= 1;
}

void token_bucket::take(const rate_limit& limit, instant now) {
  if (limit.per_second <= 0)
    return;
  level_ = level(limit, now) - 1;
  at_ = now;
  started_ = true;
}

instant token_bucket::opens_at(const rate_limit& limit, instant now) const {
  if (open(limit, now))
    return now;
  const double missing = (1 - level(limit, now)) / limit.per_second;
  return now + duration{static_cast<std::int64_t>(std::ceil(missing * 1e6))};
}

bool token_bucket::as_new(const rate_limit& limit, const token_bucket& fresh, instant now) const {
  return limit.per_second <= 0 || level(limit, now) >= fresh.level(limit, now);
}

} // namespace holdfast::core
