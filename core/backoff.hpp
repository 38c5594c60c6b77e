#pragma once

#include "core/time.hpp"

#include <cstdint>

namespace holdfast::core {

// Exponential backoff: pauses between attempts at the same work, by the number of attempts that
// have failed in a row. The source of the algorithms, of "full" and "equal" jitter too, is M.
// Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015; they begin at `least`
// here instead of zero. Jitter is for many that fail together, such as the clients of one node:
// without it they return together.

/// The pause without jitter: `least` doubled `attempt` times, at most `most`. The attempts count
/// from 1, so the first pause is twice `least`; 0 gives `least`.
duration backoff(std::uint32_t attempt, duration least, duration most);

/// The pause with full jitter: anywhere from `least` to `backoff(attempt, least, most)`. The range
/// begins at `least` for each attempt, the first too. `random`: 64 random bits.
duration full_jitter(std::uint32_t attempt, duration least, duration most, std::uint64_t random);

/// The pause with equal jitter: anywhere in the upper half of that range. For a loop whose pauses
/// must grow: under full jitter a late pause can be as short as the first. `random`: 64 random
/// bits.
duration equal_jitter(std::uint32_t attempt, duration least, duration most, std::uint64_t random);

/// Random bits as a number in [0, 1], both ends included: by the upper 53, as many as a double
/// holds.
double share_of(std::uint64_t random);

} // namespace holdfast::core
