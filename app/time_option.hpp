#pragma once

#include "core/time.hpp"

#include <string>

namespace holdfast::app {

/// Reads the time of an option into `at`; an empty text leaves it. False, after saying so, when the
/// text is no time.
bool read_time(const std::string& text, const char* name, core::instant& at);

} // namespace holdfast::app
