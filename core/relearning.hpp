#pragma once

#include "core/contributor.hpp"

#include <functional>
#include <vector>

namespace holdfast::core {

/// What a model is to learn that learns the history of its step anew while units go on deciding:
/// `stored` may lack what they have just decided, and have what they have just undone. What the
/// model counts until now, `counted`, has heard all of that: its judgments are learned in any case,
/// those that are not stored last, and what is stored and `doubtful` only if it is among them.
std::vector<step_history::vote>
votes_to_relearn(std::vector<step_history::vote> stored,
                 const std::vector<step_history::vote>& counted,
                 const std::function<bool(const step_history::vote&)>& doubtful);

} // namespace holdfast::core
