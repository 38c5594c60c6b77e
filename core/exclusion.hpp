#pragma once

#include "core/ids.hpp"
#include "core/routing.hpp"

#include <vector>

/// The judges who are kept from a unit because of their part in what it is made from.
namespace holdfast::core {

/// A unit of the chain that goes on, as exclusions look at it.
struct judged_part {
  bool in_next_step = false; ///< It is of the step where the chain goes.
  bool of_review = false;    ///< Its step reviews.
  std::vector<contributor_id> judges;
};

/// Those of the chain that `who` is about, by name, each once. `chain` begins with the unit that
/// goes on. Tasks of a queue are among them only where everybody is: their slot would go to people.
std::vector<contributor_id> excluded(exclusion who, const std::vector<judged_part>& chain);

} // namespace holdfast::core
