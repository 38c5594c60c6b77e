#include "core/fields/scales.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>

namespace holdfast::core::fields {

namespace {

/// Rounds end when no logarithm of a strength moves by more than this, or after so many.
constexpr double movement_min = 1e-12;
constexpr std::uint32_t rounds_max = 2000;

/// Of the estimate with reliabilities, whose likelihood rises slowly near its peak.
constexpr double noisy_movement_min = 1e-11;
constexpr std::size_t noisy_rounds_max = 500;
/// A step of a million comparisons has 60 rounds, which is a matter of seconds.
constexpr std::size_t noisy_rounds_min = 60;
constexpr std::size_t noisy_work_max = 60'000'000; ///< Rounds times comparisons.
constexpr std::uint32_t sweeps_per_round = 3;

/// Beta(4, 2), as for trust: the reliability of a contributor of whom nothing is known is 2/3.
constexpr double right_before = 4;
constexpr double judged_before = 6;

/// What one item is compared with.
struct opponent {
  std::uint32_t item = 0;
  std::uint32_t slot = 0; ///< Of the wins over it; those of the opponent are in `slot ^ 1`.
};

/// Comparisons, summed by pair of items.
struct tournament {
  std::vector<std::size_t> begins; ///< By item: its first opponent; one more at the end.
  std::vector<opponent> opponents;
  std::vector<double> wins;               ///< By slot; the two of a pair are neighbours.
  std::vector<std::uint32_t> slots;       ///< By comparison that counts: where its winner's win is.
  std::vector<const comparison*> counted; ///< Beside it.
  double unit = 1;                        ///< The mean weight: what counts as one comparison.
};

tournament tournament_of(std::uint32_t items, const std::vector<comparison>& comparisons) {
  tournament t;
  double all = 0;
  for (const auto& one : comparisons)
    if (one.winner != one.loser && one.weight > 0 && one.winner < items && one.loser < items) {
      t.counted.push_back(&one);
      all += one.weight;
    }
  t.unit = t.counted.empty() ? 1 : all / static_cast<double>(t.counted.size());

  const auto key_of = [](const comparison& one) {
    const std::uint64_t low = std::min(one.winner, one.loser);
    return (low << 32U) | std::max(one.winner, one.loser);
  };
  std::vector<std::uint64_t> keys;
  keys.reserve(t.counted.size());
  for (const auto* one : t.counted)
    keys.push_back(key_of(*one));
  auto pairs = keys;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  t.begins.assign(std::size_t{items} + 1, 0);
  for (const auto pair : pairs) {
    ++t.begins[(pair >> 32U) + 1];
    ++t.begins[(pair & 0xffffffffU) + 1];
  }
  std::partial_sum(t.begins.begin(), t.begins.end(), t.begins.begin());
  t.opponents.resize(2 * pairs.size());
  auto next = t.begins;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto low = static_cast<std::uint32_t>(pairs[i] >> 32U);
    const auto high = static_cast<std::uint32_t>(pairs[i] & 0xffffffffU);
    t.opponents[next[low]++] = {high, static_cast<std::uint32_t>(2 * i)};
    t.opponents[next[high]++] = {low, static_cast<std::uint32_t>(2 * i + 1)};
  }
  t.slots.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto pair = std::lower_bound(pairs.begin(), pairs.end(), keys[i]) - pairs.begin();
    t.slots.push_back(static_cast<std::uint32_t>(2 * pair)
                      + (t.counted[i]->winner < t.counted[i]->loser ? 0 : 1));
  }
  t.wins.assign(2 * pairs.size(), 0);
  return t;
}

/// A step towards the common factor of all strengths that the comparisons with the item of strength
/// 1 ask for. No other comparison does, so that rounds over single items hardly move it. Newton's
/// step on the logarithm, not longer than 1.
double shift(std::vector<double>& strengths) {
  double slope = 0;
  double bend = 0;
  for (const auto one : strengths) {
    const auto wins = one / (one + 1);
    slope += 1 - 2 * wins;
    bend += 2 * wins * (1 - wins);
  }
  const auto step = bend > 0 ? std::clamp(slope / bend, -1.0, 1.0) : 0.0;
  const auto factor = std::exp(step);
  for (auto& one : strengths)
    one *= factor;
  return std::abs(step);
}

/// One round over all items; how far the strength moved that moved most, as a logarithm.
double sweep(const tournament& t, std::vector<double>& strengths) {
  double most = 0;
  for (std::size_t i = 0; i < strengths.size(); ++i) {
    const auto mine = strengths[i];
    auto for_me = scale_prior / (mine + 1);
    auto against_me = for_me;
    for (auto at = t.begins[i]; at < t.begins[i + 1]; ++at) {
      const auto& other = t.opponents[at];
      const auto theirs = strengths[other.item];
      const auto both = 1 / (mine + theirs);
      for_me += t.wins[other.slot] * theirs * both;
      against_me += t.wins[other.slot ^ 1U] * both;
    }
    strengths[i] = for_me / against_me;
    most = std::max(most, std::abs(std::log(strengths[i] / mine)));
  }
  return std::max(most, shift(strengths));
}

void divide_by_sum(std::vector<double>& strengths) {
  const auto sum = std::accumulate(strengths.begin(), strengths.end(), 0.0);
  for (auto& one : strengths)
    one /= sum;
}

/// By slot, from what part of each comparison is a win of its winner (the rest is one of its
/// loser).
template <class Part>
void sum_wins(tournament& t, const Part& part) {
  std::fill(t.wins.begin(), t.wins.end(), 0.0);
  for (std::size_t i = 0; i < t.counted.size(); ++i) {
    const auto weight = t.counted[i]->weight / t.unit;
    const double won = part(i);
    t.wins[t.slots[i]] += weight * won;
    t.wins[t.slots[i] ^ 1U] += weight * (1 - won);
  }
}

std::uint32_t settle(const tournament& t, std::vector<double>& strengths) {
  std::uint32_t rounds = 0;
  while (rounds < rounds_max) {
    ++rounds;
    if (sweep(t, strengths) < movement_min)
      break;
  }
  return rounds;
}

} // namespace

found_scale bradley_terry(std::uint32_t items, const std::vector<comparison>& comparisons) {
  found_scale found;
  auto t = tournament_of(items, comparisons);
  sum_wins(t, [](std::size_t) { return 1.0; });
  found.strengths.assign(items, 1);
  found.iterations = settle(t, found.strengths);
  divide_by_sum(found.strengths);
  return found;
}

found_scale noisy_bradley_terry(std::uint32_t items, std::uint32_t contributors,
                                const std::vector<comparison>& comparisons) {
  found_scale found;
  auto t = tournament_of(items, comparisons);
  sum_wins(t, [](std::size_t) { return 1.0; });
  auto& strengths = found.strengths;
  strengths.assign(items, 1);
  settle(t, strengths); // where the search begins: everybody as reliable
  auto& reliable = found.contributors;
  reliable.assign(contributors, right_before / judged_before);
  std::vector<double> seen_right(t.counted.size());
  std::vector<double> right(contributors);
  std::vector<double> judged(contributors);
  const auto rounds = std::clamp(noisy_work_max / std::max<std::size_t>(t.counted.size(), 1),
                                 noisy_rounds_min, noisy_rounds_max);
  for (std::size_t round = 0; round < rounds; ++round) {
    ++found.iterations;
    std::fill(right.begin(), right.end(), right_before);
    std::fill(judged.begin(), judged.end(), judged_before);
    for (std::size_t i = 0; i < t.counted.size(); ++i) {
      const auto& one = *t.counted[i];
      const auto wins = strengths[one.winner] / (strengths[one.winner] + strengths[one.loser]);
      const auto as_it_is = reliable[one.contributor] * wins;
      seen_right[i] = as_it_is / (as_it_is + (1 - reliable[one.contributor]) * (1 - wins));
      const auto weight = one.weight / t.unit;
      right[one.contributor] += weight * seen_right[i];
      judged[one.contributor] += weight;
    }
    double moved = 0;
    for (std::uint32_t who = 0; who < contributors; ++who) {
      const auto now = right[who] / judged[who];
      moved = std::max(moved, std::abs(now - reliable[who]));
      reliable[who] = now;
    }
    sum_wins(t, [&](std::size_t i) { return seen_right[i]; });
    for (std::uint32_t i = 0; i < sweeps_per_round; ++i) {
      const auto by = sweep(t, strengths);
      if (i == 0)
        moved = std::max(moved, by);
    }
    if (moved < noisy_movement_min)
      break;
  }
  divide_by_sum(strengths);
  return found;
}

std::vector<item_score> scale_of(const std::vector<std::string>& names,
                                 const std::vector<double>& strengths) {
  // What differs by rounding alone is equal, or the order would depend on that of the judgments.
  constexpr double grains = 1e9;
  constexpr double least = 1e-300; // points may be 0
  struct standing {
    long long strength;
    std::size_t item;
  };
  std::vector<standing> order;
  for (std::size_t i = 0; i < strengths.size(); ++i)
    order.push_back({std::llround(std::log(std::max(strengths[i], least)) * grains), i});
  std::sort(order.begin(), order.end(), [&](const standing& a, const standing& b) {
    return std::tie(b.strength, names[a.item]) < std::tie(a.strength, names[b.item]);
  });
  std::vector<item_score> scale;
  for (const auto& one : order)
    scale.push_back({names[one.item], strengths[one.item]});
  return scale;
}

} // namespace holdfast::core::fields
