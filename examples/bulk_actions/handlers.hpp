#pragma once

#include "examples/bulk_actions/bulk_run.hpp"

#include <map>
#include <memory>
#include <string>

namespace bulk {

/// A handler for the task type of each action.
std::map<std::string, std::shared_ptr<client::task_handler>> handlers(const tools& with);

} // namespace bulk
