#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::persistence {

/// The rows mended for one check.
struct mended {
  std::string name;       ///< Of the check, e.g. `assignment_ids_unique`.
  std::uint64_t rows = 0; ///< That were changed.
};

/// Mends what earlier versions of Holdfast have left behind in a database and `verify` finds: runs
/// persistence/mends/*.sql, each in a transaction of its own. May run while nodes work. Where
/// nothing is to be mended it changes nothing. Fails as `verify` does.
core::outcome<std::vector<mended>> mend(const std::string& conninfo);

} // namespace holdfast::persistence
