#pragma once

#include "core/contributor_board.hpp"
#include "core/eligibility.hpp"
#include "core/gathering.hpp"
#include "core/known_profiles.hpp"
#include "core/ready_set.hpp"
#include "core/reason.hpp"
#include "core/unit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Why a unit is where it is, and does not move; why somebody gets no work. Nothing here decides:
/// every answer is what the functions say that do. core/task_explanation.hpp does the same for
/// tasks.
namespace holdfast::core {

/// A contributor who might get the unit.
struct candidate {
  contributor_id contributor;
  /// What their step would say if they asked for work now.
  contributor_board::next_work next;
  std::vector<std::string> lacks{}; ///< Of what the step asks, as `lacking` says.
  std::optional<removal> barred{};  ///< That keeps them from the step.
};

/// Whom a step lets work, and how many of those whom it has looked up lately they are.
struct workforce {
  requirements asks;
  known_profiles::count looked_up{};
};

/// All that keeps the unit from moving on now, most lasting first; never empty. With `who`, also
/// what keeps it from them. `ways` and `workers` are those of its step.
std::vector<reason> explain(const step_row& step, const unit_record& unit,
                            const lease_policy& policy, const std::vector<way>& ways,
                            const workforce& workers, const std::optional<candidate>& who,
                            instant now);

/// What a contributor would get who asked the step for work now, or all that keeps them from it,
/// most lasting first; never empty. `lacks` is what they lack of what the step asks, `barred` the
/// removal that keeps them from it. How many leases they may hold at once is not looked at: see
/// `leases_full`.
std::vector<reason> explain(const step_row& step, const contributor_board& board,
                            const ready_set& ready, const contributor_id& contributor,
                            const std::vector<std::string>& lacks, instant now,
                            const std::optional<removal>& barred = {});

/// What keeps a unit that waits for a batch from becoming part of one, and those with it.
reason batch_put_off(const gathering::rest& rest);

/// What keeps a unit whose input is not in the object store any more; `why` is what that says.
reason input_lost(const std::string& why);

/// What also keeps a contributor from work who has `most` leases, or asks under way.
reason leases_full(const contributor_id& contributor, std::uint32_t most);

} // namespace holdfast::core
