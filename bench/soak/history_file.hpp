#pragma once

#include "bench/soak/history.hpp"

#include <string>

namespace holdfast::soak {

/// What clients handed in and were told, a JSON object in each line, in the order in which they
/// noted it, kind by kind: for whoever looks for what a violation names. Without the times of
/// requests, which the report has.
std::string history_lines(const client_history& clients);

} // namespace holdfast::soak
