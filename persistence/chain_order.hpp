#pragma once

#include "core/ids.hpp"

#include <set>
#include <utility>
#include <vector>

/// In which order both stores tell what a unit comes from.
namespace holdfast::persistence {

/// All units of the chain that ends with `last`, that one first: step by step backwards, in order
/// of id where there are several, each once and as near to the last as it comes. `sources_of` gives
/// what a unit comes from directly.
template <class SourcesOf>
std::vector<core::unit_id> chain_order(const core::unit_id& last, SourcesOf sources_of) {
  std::vector<core::unit_id> order;
  std::set<core::unit_id> known{last};
  for (std::set<core::unit_id> nearest{last}; !nearest.empty();) {
    std::set<core::unit_id> further;
    for (const auto& unit : nearest) {
      order.push_back(unit);
      for (const auto& source : sources_of(unit))
        if (known.insert(source).second)
          further.insert(source);
    }
    nearest = std::move(further);
  }
  return order;
}

} // namespace holdfast::persistence
