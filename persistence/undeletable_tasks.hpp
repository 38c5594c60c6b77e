#pragma once

#include "core/ids.hpp"
#include "core/outcome.hpp"

#include <string>
#include <vector>

namespace holdfast::persistence {

/// What `store::prune_tasks` answers when all others have gone. `left` has one at least; `why` is
/// the reason of the first.
inline core::failure cannot_be_deleted(const std::vector<core::task_id>& left,
                                       const std::string& why) {
  return {core::errc::damaged, std::to_string(left.size())
                                   + " finished tasks cannot be deleted, and stay; "
                                   + to_string(left.front()) + ": " + why};
}

} // namespace holdfast::persistence
