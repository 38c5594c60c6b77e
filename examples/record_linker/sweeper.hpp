#pragma once

#include "core/outcome.hpp"
#include "examples/record_linker/node_port.hpp"
#include "examples/record_linker/records.hpp"

#include <cstddef>
#include <variant>

/// Sees to it that no link stays queued with nobody to do it, whatever the producer forgot: it may
/// die between its own commit and the request to the node. With the outbox it cannot, so there this
/// is a backstop.
namespace linker {

/// A task sees to it, or an operator has it as a dead letter.
struct leave {};
/// No task was ever made.
struct enqueue_again {};
/// Its task is over and nobody else will come.
struct give_up {
  std::string message; ///< For the user.
};
using care = std::variant<leave, enqueue_again, give_up>;

/// What a link needs that is queued and was long untouched, by what the node says about its task.
care care_for(const core::outcome<msg::task_view>& task);

/// What a sweep did.
struct sweep_report {
  std::size_t looked_at = 0;
  std::size_t enqueued = 0;
  std::size_t given_up = 0;
};

/// Looks after up to `most` links that are queued and untouched for `patience`. Those it has seen
/// to count as touched, so that the next sweep comes to the others.
core::outcome<sweep_report> sweep(link_store& store, node_port& node, core::instant now,
                                  core::duration patience, std::size_t most = 1'000);

} // namespace linker
