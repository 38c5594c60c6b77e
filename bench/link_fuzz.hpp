#pragma once

#include "bench/results.hpp"

#include <cstdint>

namespace holdfast::bench {

/// Malformed frames against the link of a node, a process of its own: by strangers without a
/// certificate, then by a peer with a good one, so many each. Whether it lives, how its memory
/// grows, and what strangers cost it.
void fuzz_link(std::uint64_t frames, results& out);

} // namespace holdfast::bench
