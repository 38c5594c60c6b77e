#pragma once

#include "bench/soak/history.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

/// The process of a node at one time.
struct process_reading {
  std::string incarnation;
  double memory_mib = 0; ///< Resident.
  double files = 0;      ///< Descriptors.
  double threads = 0;
  /// Of units and contributors, as the node says; empty when it was not asked or did not answer.
  std::optional<double> actors;
};

/// All nodes at one time; one that does not run has no reading.
struct node_sample {
  clock::time_point at;
  std::vector<std::optional<process_reading>> nodes;
};

} // namespace holdfast::soak
