#pragma once

#include "core/hosted_item.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::core {

/// An item that every look has found overdue, since one that did not; or a unit found full.
struct overdue_item {
  std::uint32_t looks = 0; ///< Since it became overdue, or was read anew.
  std::uint32_t most = 0;  ///< At so many it is read anew.
};

/// Those that are not here were in time.
using overdue_record = std::map<hosted_item, overdue_item>;

/// What to do about items that hold leases which should have ended long ago.
struct sweep_verdict {
  std::vector<hosted_item> late;  ///< To look at the clock again: a timer was lost.
  std::vector<hosted_item> stuck; ///< Looking again has not helped: to be read anew.
  std::vector<hosted_item> fresh; ///< Those of `late` that the last look did not find.
};

/// Judges what one look at the database has found. An item that is found at `looks_max` looks in a
/// row does not know what the database knows, so its memory is not worth keeping. Where reading it
/// anew does not help, it is something else, as a damaged row: that is done again after twice as
/// many looks each time, to 64 times `looks_max`.
sweep_verdict judge_overdue(overdue_record& record, const std::vector<hosted_item>& found,
                            std::uint32_t looks_max);

/// Units that the last look at a step found full.
using full_record = std::map<unit_id, overdue_item>;

/// Which of the units that a look has found full, and held by nobody, are to be aggregated without
/// being told: those that `looks_max` looks in a row have found, at most `most` of them. The word
/// of the last judgment is under way for moments, so it must have been lost. As above, where that
/// does not help it is done again more and more seldom.
std::vector<unit_id> judge_full(full_record& record, const std::vector<unit_id>& found,
                                std::uint32_t looks_max, std::size_t most);

} // namespace holdfast::core
