#pragma once

#include "actors/held_promise.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::actors {

/// So many copies of one waiting request are answered together: more than any client has out that
/// repeats what it has no answer to. Whoever sends more of them would fill the memory.
inline constexpr std::size_t repetitions_most = 16;

/// One more copy of a request that waits. Above the bound the oldest is refused: its sender is the
/// likeliest to have given up.
inline void add_repetition(std::vector<held_promise>& waiting, held_promise promise) {
  if (waiting.size() >= repetitions_most) {
    waiting.front().deliver(msg::to_error(core::errc::overloaded,
                                          "this request waits here "
                                              + std::to_string(waiting.size()) + " times already"));
    waiting.erase(waiting.begin());
  }
  waiting.push_back(std::move(promise));
}

} // namespace holdfast::actors
