#pragma once

#include "examples/bulk_actions/simulation.hpp"
#include "examples/bulk_actions/tables.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// The college of the story, and what can be seen in its tables.
namespace bulk {

// Who works there.
inline constexpr staff_id registrar = 1; ///< May do everything, and have it run as others.
inline constexpr staff_id coach = 2;     ///< Of the north campus.
inline constexpr staff_id dean = 3;      ///< May change statuses.
inline constexpr staff_id intern = 4;    ///< May do nothing.

// Half of the people are in each.
inline constexpr const char* biology = "biology";
inline constexpr const char* history = "history";

inline constexpr const char* north = "north";

std::vector<staff_member> everybody_on_the_staff();

/// Half in each program; every third at the campus in the north. Their names have all that CSV has
/// to quote. One in forty has a mailbox that is gone, one is met at
/// the second try only.
std::vector<person> people_numbered(std::size_t from, std::size_t until);

// --- what is in the tables ---

std::vector<person> people_of(connection_pool& pool, const std::string& program);
std::int64_t number(connection_pool& pool, const std::string& query);

} // namespace bulk
