#include "core/quality/tie_break.hpp"

#include "core/quality/estimates.hpp"

#include <algorithm>
#include <limits>

namespace holdfast::core::quality {

namespace {

/// Source: the finalizer of SplitMix64 (S. Vigna), which spreads each bit over all.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

std::uint64_t lot_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return mixed(hash);
}

std::uint32_t settled_label(const double* shares, std::uint32_t labels, const vote_range& votes,
                            std::uint64_t lot_of_unit, const std::vector<std::uint64_t>& lots) {
  const auto likeliest = consensus_of(shares, labels);
  if (likeliest.tied == 1)
    return likeliest.label;
  struct claim {
    std::uint32_t label = 0;
    std::size_t votes = 0;
    std::uint64_t lot = std::numeric_limits<std::uint64_t>::max();
  };
  claim best{likeliest.label};
  for (auto label = likeliest.label; label < labels; ++label) {
    if (shares[label] < likeliest.confidence - tie_width)
      continue;
    claim made{label};
    for (const auto& one : votes)
      if (one.label == label) {
        ++made.votes;
        made.lot = std::min(made.lot, mixed(lot_of_unit ^ lots[one.contributor]));
      }
    if (made.votes > best.votes || (made.votes == best.votes && made.lot < best.lot))
      best = made;
  }
  return best.label;
}

} // namespace holdfast::core::quality
