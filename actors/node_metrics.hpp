#pragma once

#include "actors/context.hpp"

namespace holdfast::actors {

/// Adds what the node counts for all of its actors to each scrape, for as long as the registration
/// lives.
metrics::registration report_node(const context_ptr& context);

} // namespace holdfast::actors
