#pragma once

#include "core/errors.hpp"

#include <caf/error.hpp>

#include <string>

namespace holdfast::msg {

/// `why` as it travels between actors and processes; the detail goes along.
caf::error to_error(const core::failure& why);
caf::error to_error(core::errc code, std::string detail);

/// What went wrong, seen from the caller. Errors of CAF itself (timeouts, lost connections, dead
/// receivers) are `unavailable`: the request may or may not have been carried out, and repeating it
/// with the same ids tells.
core::failure failure_of(const caf::error& error);

} // namespace holdfast::msg
