#pragma once

#include "core/uuid.hpp"

#include <cstdint>

namespace holdfast::client {

/// From the system's source of randomness: for jitter and ids.
std::uint64_t random_seed();

/// Makes the ids that requests need, unlike those of any other source: random, and in order of this
/// machine's clock (version 7). Not thread-safe.
class id_source {
public:
  id_source();

  core::uuid next();

private:
  core::uuid_source ids_;
};

} // namespace holdfast::client
