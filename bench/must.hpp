#pragma once

#include "core/outcome.hpp"

#include <stdexcept>

namespace holdfast::bench {

/// Throws, with the reason, when what a measurement stands on did not work.
inline void must(const core::outcome<bool>& done) {
  if (!done)
    throw std::runtime_error{done.error().detail};
}

} // namespace holdfast::bench
