#pragma once

#include "client/endpoint.hpp"
#include "config/load.hpp"
#include "core/outcome.hpp"

#include <string>

namespace holdfast::app {

/// The address at which a node on this machine is reached that listens on `listen_address`.
std::string address_to_reach(const std::string& listen_address);

/// Where the node of this configuration is reached: as it says itself in its data directory, else
/// as configured. Fails when its certificate cannot be read.
core::outcome<client::endpoint> own_endpoint(const config::loaded& loaded);

} // namespace holdfast::app
