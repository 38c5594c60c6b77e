#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// The stored form of a bulk action: one change, made to every task of a queue that a filter
/// matches. core/queue_action.hpp decides what it does.
namespace holdfast::core {

/// The numbers are stored. 1 to 4 are those of `task_verb`.
enum class queue_action_kind : std::uint8_t {
  pause = 1,
  resume = 2,
  cancel = 3,
  retry = 4,
  redrive = 5, ///< Makes failed tasks and dead letters live again. The others change live tasks.
};

std::string_view to_string(queue_action_kind kind);

/// The numbers are stored.
enum class queue_action_status : std::uint8_t {
  running = 1,
  done = 2,    ///< It has been through all tasks that it is about.
  stopped = 3, ///< Somebody stopped it. The tasks that it had changed stay changed.
  failed = 4,  ///< Its tasks cannot be read; `queue_action_row::problem` tells why.
};

std::string_view to_string(queue_action_status status);

/// The one state of the tasks that an action is about. The numbers are stored.
enum class queue_action_scope : std::uint8_t {
  all = 0,     ///< Every live task; of a redrive, every failed task and dead letter.
  waiting = 1, ///< Live tasks that no worker holds.
  leased = 2,
  failed = 3, ///< Of a redrive alone, as the next one.
  dead = 4,
};

/// Which tasks of its queue an action is about. A member that is left empty holds for all.
struct queue_action_filter {
  std::string type;
  std::string key;
  std::string error_code; ///< With which the task ended. Of a redrive alone.
  queue_action_scope scope = queue_action_scope::all;
  instant created_from;   ///< The epoch: from the first task on.
  instant created_before; ///< The epoch: to the last.
};

bool operator==(const queue_action_filter& a, const queue_action_filter& b);

/// The tasks that an action has looked at and that its filter matched.
struct queue_action_counts {
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;            ///< They were so already: paused, due, live.
  std::map<errc, std::uint64_t> refusals; ///< The others, by why they were refused.

  std::uint64_t refused() const;
  std::uint64_t matched() const { return changed + unchanged + refused(); }
};

/// Refusals as they are stored: `already_exists 3,damaged 1`, by the numbers of the codes.
std::string to_text(const std::map<errc, std::uint64_t>& refusals);
/// None: `text` is not of that form, or names a code that this program does not know.
std::optional<std::map<errc, std::uint64_t>> refusals_of(std::string_view text);

struct queue_action_row {
  queue_name queue;
  queue_action_id id; ///< Chosen by the caller; unique in its queue.
  queue_action_kind kind = queue_action_kind::pause;
  queue_action_filter filter;
  queue_action_status status = queue_action_status::running;
  task_id bookmark; ///< Tasks up to this id are dealt with; nil: none is.
  queue_action_counts counts;
  std::string asked_by; ///< The label of the principal; empty: the node itself, or nobody known.
  /// Tasks that were made, or have ended, later than this are not touched.
  instant asked_at;
  instant changed_at;
  std::string problem; ///< Why it failed; empty unless it did.
};

} // namespace holdfast::core
