#pragma once

#include "app/node_workers.hpp"
#include "core/eligibility.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/step_directory.hpp"

#include <functional>
#include <vector>

namespace holdfast::app {

/// Looks up what is known of a contributor; all empty of whom nothing is known. May block.
using profile_finder =
    std::function<core::outcome<core::contributor_profile>(const core::contributor_id&)>;

/// What a program adds to the node that it is.
struct node_additions {
  std::vector<queue_handlers> handlers;
  profile_finder find_profile;                     ///< Empty: profiles are those of `put_profile`.
  core::step_directory_opener open_step_directory; ///< Empty: steps are listed in memory.
};

} // namespace holdfast::app
