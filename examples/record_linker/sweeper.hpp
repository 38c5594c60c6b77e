#pragma once

#include "client/task_handler.hpp"
#include "core/outcome.hpp"
#include "examples/record_linker/node_port.hpp"
#include "examples/record_linker/records.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
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
core::outcome<sweep_report> sweep(link_store& store, task_port& node, core::instant now,
                                  core::duration patience, std::size_t most = 1'000);

// --- as a task of its own, made by a schedule ---

/// Not the queue of the matches: thousands of those must not keep the sweeper waiting.
inline constexpr const char* sweep_queue = "linker.sweep";
inline constexpr const char* sweep_type = "links.sweep";
inline constexpr const char* error_sweep = "NODE_UNAVAILABLE";

/// What is untouched for so long, nobody sees to.
inline constexpr core::duration sweep_patience = std::chrono::hours{1};

/// Every quarter of an hour, as the JSON of a schedule of `sweep_queue`. One sweep at a time: while
/// the one before is not over, an occurrence makes none.
std::string sweep_schedule();

/// Does the tasks of type `sweep_type`: sweeps until nothing is left to be seen to.
class sweep_handler : public client::task_handler {
public:
  sweep_handler(std::shared_ptr<link_store> store, std::shared_ptr<task_port> tasks)
      : store_(std::move(store)), tasks_(std::move(tasks)) {}

  outcome run(const client::task_context& task) override;

private:
  const std::shared_ptr<link_store> store_;
  const std::shared_ptr<task_port> tasks_;
};

} // namespace linker
