#include "core/backoff.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// The place in the range of pauses from `least` on that `share` of it takes.
duration within_backoff(std::uint32_t attempt, duration least, duration most, double share) {
  const auto range = static_cast<double>((backoff(attempt, least, most) - least).count());
  return least + duration{static_cast<duration::rep>(range * share)};
}

} // namespace

duration backoff(std::uint32_t attempt, duration least, duration most) {
  const auto growth = std::int64_t{1} << std::min<std::uint32_t>(attempt, 62);
  // Compared before it is multiplied: a year a million times is more than can be counted.
  return least > most / growth ? most : least * growth;
}

duration full_jitter(std::uint32_t attempt, duration least, duration most, std::uint64_t random) {
  return within_backoff(attempt, least, most, share_of(random));
}

duration equal_jitter(std::uint32_t attempt, duration least, duration most, std::uint64_t random) {
  return within_backoff(attempt, least, most, (1 + share_of(random)) / 2);
}

double share_of(std::uint64_t random) {
  return static_cast<double>(random >> 11U) / static_cast<double>((1ULL << 53U) - 1);
}

} // namespace holdfast::core
