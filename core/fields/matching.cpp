#include "core/fields/matching.hpp"

#include <limits>

namespace holdfast::core::fields {

namespace {

constexpr std::uint32_t unmatched = std::numeric_limits<std::uint32_t>::max();

/// The matching while it grows.
struct matching {
  const std::vector<std::vector<std::uint32_t>>& partners;
  std::vector<std::uint32_t> other_of; ///< By thing.
  std::vector<std::uint32_t> thing_of; ///< By other.
  std::vector<std::uint32_t> depth;    ///< By thing, in steps from the things without a match.
  std::vector<std::size_t> tried;      ///< By thing: how many of its partners led nowhere.
};

/// Numbers things by how many steps an alternating path needs to reach them; whether one ends at an
/// other without a match.
bool layer(matching& m) {
  std::vector<std::uint32_t> queue;
  for (std::uint32_t thing = 0; thing < m.partners.size(); ++thing) {
    m.depth[thing] = m.other_of[thing] == unmatched ? 0 : unmatched;
    if (m.depth[thing] == 0)
      queue.push_back(thing);
  }
  bool found = false;
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const auto other : m.partners[queue[next]]) {
      const auto thing = m.thing_of[other];
      if (thing == unmatched) {
        found = true;
      } else if (m.depth[thing] == unmatched) {
        m.depth[thing] = m.depth[queue[next]] + 1;
        queue.push_back(thing);
      }
    }
  return found;
}

/// Turns one shortest alternating path from `start` over, if there is one. Without recursion: a
/// path may be as long as the list.
bool turn_over_a_path(matching& m, std::uint32_t start) {
  std::vector<std::uint32_t> path{start};
  while (!path.empty()) {
    const auto thing = path.back();
    if (m.tried[thing] == m.partners[thing].size()) {
      path.pop_back();
      if (!path.empty())
        ++m.tried[path.back()];
      continue;
    }
    const auto other = m.partners[thing][m.tried[thing]];
    const auto holder = m.thing_of[other];
    if (holder == unmatched) {
      for (const auto step : path) {
        const auto taken = m.partners[step][m.tried[step]++];
        m.other_of[step] = taken;
        m.thing_of[taken] = step;
      }
      return true;
    }
    if (m.depth[holder] == m.depth[thing] + 1)
      path.push_back(holder);
    else
      ++m.tried[thing];
  }
  return false;
}

} // namespace

std::size_t greatest_matching(const std::vector<std::vector<std::uint32_t>>& partners,
                              std::size_t others) {
  matching m{partners,
             std::vector<std::uint32_t>(partners.size(), unmatched),
             std::vector<std::uint32_t>(others, unmatched),
             std::vector<std::uint32_t>(partners.size()),
             {}};
  std::size_t matches = 0;
  while (layer(m)) {
    m.tried.assign(partners.size(), 0);
    std::size_t more = 0;
    for (std::uint32_t thing = 0; thing < partners.size(); ++thing)
      if (m.other_of[thing] == unmatched && turn_over_a_path(m, thing))
        ++more;
    if (more == 0)
      break;
    matches += more;
  }
  return matches;
}

double f1_of(std::size_t matches, std::size_t first, std::size_t second) {
  if (first + second == 0)
    return 1;
  return 2 * static_cast<double>(matches) / static_cast<double>(first + second);
}

} // namespace holdfast::core::fields
