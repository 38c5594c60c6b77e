#pragma once

#include "core/unit.hpp"

#include <optional>
#include <vector>

/// Taking back what one contributor did to a unit: an id that callers choose may be in use where
/// only the database sees it, and then nothing of the decision is stored.
namespace holdfast::core {

/// The part of a unit that is about one contributor.
struct contributor_part {
  std::optional<core::lease> lease;
  std::optional<judgment_mark> judgment;
  std::optional<instant> barred_until;
  std::vector<lapsed_lease> lapsed;
};

contributor_part part_of(const unit& u, const contributor_id& contributor);

/// The unit knows of the contributor what it knew before. What it decided meanwhile stays: it may
/// be about other contributors only, and as each lease and each judgment takes one slot, none of
/// them has got a slot that is not there. The token stays used.
void put_back(unit& u, const contributor_id& contributor, const contributor_part& before);

} // namespace holdfast::core
