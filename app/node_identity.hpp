#pragma once

#include "config/load.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"

#include <filesystem>
#include <string>

namespace holdfast::app {

/// The process that ran on this data directory last, killed or not; nil when none is known. Whoever
/// holds the lock of the directory knows that it is gone.
core::incarnation_id earlier_life_of(const std::filesystem::path& directory);

/// Notes who runs on the directory now, for `earlier_life_of`.
core::outcome<bool> note_life(const std::filesystem::path& directory,
                              core::incarnation_id incarnation);

/// `node.name`, or where nobody has given one and nodes share a database, the default with letters
/// that are made once for each data directory: containers and images have host names in common.
core::outcome<std::string> node_name_of(const config::loaded& loaded);

} // namespace holdfast::app
