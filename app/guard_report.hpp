#pragma once

#include "messages/guard_messages.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

/// What a node's guards have done, as lines of `holdfast status`: their names and values. Those of
/// guards that had nothing to do are left out.
std::vector<std::pair<std::string, std::string>> guard_lines(const msg::guard_status& guards);

/// The same with all numbers, for `--json`.
nlohmann::ordered_json guards_to_json(const msg::guard_status& guards);

} // namespace holdfast::app
