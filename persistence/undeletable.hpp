#pragma once

#include "core/ids.hpp"
#include "core/outcome.hpp"

#include <string>
#include <vector>

namespace holdfast::persistence {

/// The answer of a deletion of what is old when all that can go has gone. `left` names the others
/// and has one at least; `why` is the reason of the first.
inline core::failure cannot_be_deleted(const std::string& things,
                                       const std::vector<std::string>& left,
                                       const std::string& why) {
  return {core::errc::damaged, std::to_string(left.size()) + ' ' + things
                                   + " cannot be deleted, and stay; " + left.front() + ": " + why};
}

/// As the log and `holdfast verify` name it.
inline std::string name_of_events(core::shard_id shard, core::event_seq first_seq) {
  return "those from number " + std::to_string(first_seq) + " on of shard " + std::to_string(shard);
}

} // namespace holdfast::persistence
