#pragma once

#include "core/change.hpp"
#include "core/queue.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::core {

/// A task that a producer's own transaction has staged in the database, as its queue finds it.
struct staged_task {
  staging_id id = 0;
  new_task task;
  failure problem;     ///< Why it can never be made, whatever the queue is like; none if it can.
  queue_name known_in; ///< The queue that has, or had, a task of this id; empty: none.
};

/// How many more live tasks the queue takes.
std::size_t room_of(const queue& q);

/// What became of the staged tasks of one `take_in`.
struct intake_outcome {
  std::size_t taken = 0;
  std::size_t refused = 0; ///< For good: they are set aside for people to look at.
  std::size_t left = 0;    ///< The queue was full. They stay staged.
};

/// Makes tasks of what is staged and takes it off the stage, all in one change: so a staged task
/// becomes a task exactly once. Each is decided as `enqueue` decides it: a repetition makes
/// nothing, and one that is refused harms no other. One whose unique key another task has got since
/// it was staged is refused, too: its producer was told an id that nobody has.
struct take_in {
  std::vector<staged_task> staged;
};
decision<intake_outcome> decide(queue& q, take_in command, instant now);

} // namespace holdfast::core
