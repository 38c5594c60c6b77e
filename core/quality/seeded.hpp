#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace holdfast::core::quality {

/// Mixes `value` into `seed`: a number that looks random and is always the same. Source: S. Vigna's
/// SplitMix64, after G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
/// 2014.
inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  auto z = seed + (value + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Random choices that a seed repeats on every machine, as the standard's distributions do not.
class seeded_source {
public:
  explicit seeded_source(std::uint64_t seed) : seed_(seed) {}

  /// From 0 to `limit` - 1.
  std::uint64_t below(std::uint64_t limit) { return mixed(seed_, drawn_++) % limit; }

  template <class Iterator>
  void shuffle(Iterator first, Iterator last) {
    for (auto left = static_cast<std::uint64_t>(last - first); left > 1; --left)
      std::swap(first[static_cast<std::ptrdiff_t>(left - 1)],
                first[static_cast<std::ptrdiff_t>(below(left))]);
  }

private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

} // namespace holdfast::core::quality
