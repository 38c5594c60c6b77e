#pragma once

#include "core/task.hpp"
#include "core/task_form.hpp"
#include "core/time.hpp"
#include "core/webhook.hpp"

#include <chrono>
#include <cstdint>
#include <string>

/// Tasks that a queue posts to a receiver over HTTP: what becomes of a task after each answer.
namespace holdfast::core {

/// The worker that the receiver of a queue is: it holds the leases of all tasks that are posted.
worker_id pusher_of(const queue_name& queue);

/// The id of the post: that of the task with the number of the attempt. It is the same when an
/// attempt is posted again, after a lease that ran out or a pause that the receiver asked for.
std::string push_id(const task_id& task, std::uint32_t attempt);

/// The step that follows for a task that was posted.
struct push_verdict {
  enum class way : std::uint8_t {
    complete, ///< With `result`.
    accepted, ///< It stays leased: the receiver ends it later, or its lease runs out.
    fail,     ///< As `kind`, with `error` and `retry_after`.
    put_off,  ///< Nobody has had it: it goes back as it was, because of `error`.
  };
  way how = way::complete;
  std::string result{}; ///< JSON; empty for none.
  failure_kind kind = failure_kind::transient;
  task_error error{};
  duration retry_after = duration::zero();
};

/// Decides by what the receiver said.
///
///            ┌── 2xx ──────────────────────► complete; the body is the result
///            ├── 202 ──────────────────────► accepted
///            ├── 429, 503 and Retry-After ─► fail: rate limited
///   answer ──┼── 408, 425, 429, 5xx, none ─► fail: transient
///            ├── any other 4xx ────────────► fail: permanent
///            └── 3xx, address not allowed ─► put off: the definition is wrong, and not the task
///
/// A body whose content type is a kind of `text/` becomes a JSON string. Any other body must be
/// JSON that `check_result` takes, or the task fails for good: its work is done, and would be done
/// again to come to the same answer.
push_verdict judge_push(const post_answer& answer, const text_check& check_result);

inline constexpr duration push_pause_most = std::chrono::minutes{1};

/// How long a queue posts nothing after so many posts in a row that could not be made at all; at
/// most `push_pause_most`.
duration push_pause(std::uint32_t blocked_in_a_row);

} // namespace holdfast::core
