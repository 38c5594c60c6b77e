#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::actors {

enum class log_level { debug, info, warning, error };

/// One structured line: what happened, and the particulars as key and value.
using log_fields = std::vector<std::pair<std::string, std::string>>;

/// Where actors log to; app/ connects it to its log library. Must be safe to call from any thread
/// and must not block for long.
using logger = std::function<void(log_level, const std::string& event, const log_fields&)>;

} // namespace holdfast::actors
