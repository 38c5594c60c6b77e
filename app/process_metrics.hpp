#pragma once

#include "metrics/registry.hpp"

#include <filesystem>
#include <memory>

namespace holdfast::app {

/// Adds memory, CPU time and files of this process, and the space of the file system of `data_dir`,
/// to each scrape, for as long as the registration lives.
metrics::registration report_process(metrics::registry& registry, std::filesystem::path data_dir);

} // namespace holdfast::app
