#pragma once

#include "bench/results.hpp"

#include <cstdint>

namespace holdfast::bench {

/// Strangers without a certificate, then a peer with a good one, send streams of frames to the link
/// of a node, a process of its own, until it has found something malformed in so many of each: it
/// cuts at the first. Whether the node lives, how its memory grows, and what strangers cost it.
void fuzz_link(std::uint64_t malformed, results& out);

} // namespace holdfast::bench
