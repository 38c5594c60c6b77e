#pragma once

#include "core/removal.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace holdfast::core {

/// The removals that a node knows of. A look costs what one contributor's removals cost, however
/// many others have some. Those that are over are forgotten, but for those of steps: these undo a
/// removal that the step has decided by itself.
class known_removals {
public:
  /// As they are stored now.
  void learn(const std::vector<removal>& changed, instant now);

  /// The strongest removal that keeps the contributor from the step now; none: nothing does.
  std::optional<removal> of(const contributor_id& contributor, const step_id& step,
                            const workflow_id& workflow, instant now) const;
  /// Since when the contributor is back in the step; none: nobody said so.
  std::optional<instant> reinstated_at(const contributor_id& contributor,
                                       const step_id& step) const;

  /// Raised by each change.
  std::uint64_t generation() const { return generation_; }
  /// Whose removals have changed after that generation, each once or more; 0: all who have some.
  std::vector<contributor_id> changed_since(std::uint64_t generation) const;

  /// The earliest end of a removal that is still to come; `instant::max()`: none ends by itself.
  instant next_end(instant now) const;

  bool empty() const { return by_contributor_.empty(); }
  std::size_t contributors() const { return by_contributor_.size(); }

private:
  std::unordered_map<contributor_id, std::map<removal_place, removal>> by_contributor_;
  /// Of the latest changes; at most as many as contributors and a constant.
  std::deque<contributor_id> latest_;
  std::uint64_t generation_ = 0;
};

} // namespace holdfast::core
