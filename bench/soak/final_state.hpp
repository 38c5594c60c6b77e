#pragma once

#include "core/ids.hpp"

#include <map>
#include <string>
#include <vector>

namespace holdfast::soak {

/// A task as the database has it.
struct stored_task {
  bool live = false;
  bool completed = false;
  std::string result; ///< Of a completed one.
  bool dead = false;  ///< A dead letter.
};

struct stored_judgment {
  core::unit_id unit;
  core::contributor_id contributor;
};

/// A unit that was made of source data.
struct stored_row {
  core::step_id step;
  std::string key;
};

/// The rows of the database when all is quiet.
struct final_state {
  std::map<core::task_id, stored_task> tasks;
  std::map<core::judgment_id, stored_judgment> judgments;
  std::vector<stored_row> rows;
};

} // namespace holdfast::soak
