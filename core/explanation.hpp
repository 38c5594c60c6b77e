#pragma once

#include "core/contributor_board.hpp"
#include "core/unit.hpp"

#include <optional>
#include <string>
#include <vector>

/// Why a unit is where it is, and does not move. Nothing here decides: every answer is what the
/// functions say that do.
namespace holdfast::core {

struct reason {
  std::string code; ///< For programs; docs/API.md lists them.
  std::string text; ///< For people.
};

/// A contributor who might get the unit.
struct candidate {
  contributor_id contributor;
  /// What their step would say if they asked for work now.
  contributor_board::next_work next;
};

/// All that keeps the unit from moving on now, most lasting first; never empty. With `who`, also
/// what keeps it from them. `ways` are those of its step.
std::vector<reason> explain(const step_row& step, const unit_record& unit,
                            const lease_policy& policy, const std::vector<way>& ways,
                            const std::optional<candidate>& who, instant now);

} // namespace holdfast::core
