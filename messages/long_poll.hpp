#pragma once

#include "core/time.hpp"

namespace holdfast::msg {

/// How long a request may wait at a node for what it asks for: a task, or the next event.
inline constexpr core::duration wait_max = std::chrono::seconds{60};

} // namespace holdfast::msg
