#pragma once

#include "client/endpoint.hpp"
#include "config/load.hpp"
#include "core/outcome.hpp"

namespace holdfast::app {

/// Where the node of this configuration is reached: as it says itself in its data directory, else
/// as configured. Fails when its certificate cannot be read.
core::outcome<client::endpoint> own_endpoint(const config::loaded& loaded);

} // namespace holdfast::app
