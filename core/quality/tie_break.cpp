#include "core/quality/tie_break.hpp"

#include "core/quality/estimates.hpp"

#include <algorithm>
#include <tuple>

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

std::uint64_t lot_on(std::uint64_t unit, std::uint64_t contributor) {
  return mixed(unit ^ contributor);
}

void tie_claim::add_vote(std::uint64_t lot_of_voter) {
  ++votes;
  lot = std::min(lot, lot_of_voter);
}

bool tie_claim::goes_before(const tie_claim& other) const {
  return std::tie(other.votes, lot, lot_of_label) < std::tie(votes, other.lot, other.lot_of_label);
}

lots lots_of(const answers& given, const std::vector<std::string>& units,
             const std::vector<std::string>& contributors) {
  lots drawn;
  for (const auto& unit : units)
    drawn.of_units.push_back(lot_of(unit));
  for (const auto& contributor : contributors)
    drawn.of_contributors.push_back(lot_of(contributor));
  drawn.of_labels.assign(given.labels, 0);
  // A sum, which is the same in any order, and another one as soon as one vote is.
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    for (const auto& one : given.of(unit))
      drawn.of_labels[one.label] +=
          mixed(mixed(drawn.of_units[unit]) ^ drawn.of_contributors[one.contributor]);
  return drawn;
}

std::uint32_t settled_label(const double* shares, const answers& given, std::size_t unit,
                            const lots& drawn) {
  const auto likeliest = consensus_of(shares, given.labels);
  if (likeliest.tied == 1)
    return likeliest.label;
  const auto least = *std::max_element(shares, shares + given.labels) - tie_width;
  const auto claim_of = [&](std::uint32_t label) {
    tie_claim made;
    made.lot_of_label = mixed(drawn.of_units[unit] ^ drawn.of_labels[label]);
    for (const auto& one : given.of(unit))
      if (one.label == label)
        made.add_vote(lot_on(drawn.of_units[unit], drawn.of_contributors[one.contributor]));
    return made;
  };
  auto best = likeliest.label;
  auto best_claim = claim_of(best);
  for (auto label = best + 1; label < given.labels; ++label)
    if (shares[label] >= least)
      if (const auto made = claim_of(label); made.goes_before(best_claim)) {
        best = label;
        best_claim = made;
      }
  return best;
}

} // namespace holdfast::core::quality
