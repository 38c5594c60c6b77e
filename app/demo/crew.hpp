#pragma once

#include "app/demo/audit.hpp"
#include "app/demo/dataset.hpp"
#include "app/demo/pace.hpp"
#include "app/demo/peer.hpp"
#include "app/demo/planned_answer.hpp"
#include "app/demo/tally.hpp"
#include "core/lease.hpp"
#include "core/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

/// The recorded job on a node, and the recorded contributors who do it.
namespace holdfast::app::demo {

/// Makes the workflow of a set on the node, gives it all units and seals it. `index` is that of the
/// set. The detail of a failure is a sentence for the report.
core::outcome<loaded_set> load_set(demo_peer& peer, const dataset& set, std::size_t index,
                                   const core::lease_policy& lease);

/// How the contributors of a set work.
struct crew_terms {
  std::size_t set = 0;                                                ///< Index of the data set.
  std::vector<std::unordered_map<std::string, planned_answer>> plans; ///< In order of the set.
  core::lease_policy lease;                                           ///< Of the step.
  std::uint64_t seed = 1;
  std::shared_ptr<tally> log;
  std::shared_ptr<work_pace> pace;
};

/// Sends the contributors of a set to work.
void start_contributors(demo_peer& peer, const loaded_set& of, crew_terms terms);

std::vector<core::step_id> steps_of(const std::vector<loaded_set>& sets);

/// Of a refusal by the node.
std::string in_words(const core::failure& why);

} // namespace holdfast::app::demo
