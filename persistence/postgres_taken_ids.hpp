#pragma once

#include "persistence/connection.hpp"
#include "persistence/taken_ids.hpp"

namespace holdfast::persistence {

/// Whether this refusal of a batch may mean that an id is in use.
bool may_be_taken(const query_failure& failure);

/// Asks which of the ids are in use; and reads the answer.
call find_taken_call(const chosen_ids& ids);
ids_in_use taken_of(const query_result& answer);

} // namespace holdfast::persistence
