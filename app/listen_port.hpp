#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>

namespace holdfast::app {

/// Checks that `port` of `address` (an IP address) can be listened on, and turns 0 into a free one.
/// `already_exists` when somebody else listens there. Asked before anything expensive starts; CAF
/// says no more than "cannot open port" later, and it says so last.
core::outcome<std::uint16_t> listenable_port(const std::string& address, std::uint16_t port);

} // namespace holdfast::app
