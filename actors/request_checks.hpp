#pragma once

#include "core/queue.hpp"
#include "core/unit_tasks.hpp"
#include "core/webhook.hpp"
#include "documents/json.hpp"
#include "documents/task_words.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

/// Parts of the checks that the gateway makes of requests. Each answers `none`, or why the request
/// is refused.
namespace holdfast::actors {

/// As far as the database counts.
inline constexpr auto bigint_max = std::uint64_t{std::numeric_limits<std::int64_t>::max()};

inline core::failure invalid(std::string detail) {
  return {core::errc::invalid_argument, std::move(detail)};
}

inline core::failure first_of(std::initializer_list<core::failure> checks) {
  for (const auto& check : checks)
    if (check.code != core::errc::none)
      return check;
  return {};
}

template <class Id>
core::failure check_id(const Id& id, const char* field) {
  return id ? core::failure{} : invalid(std::string{field} + " must not be nil");
}

inline core::failure check_limit(std::uint32_t limit, std::uint32_t most) {
  if (limit >= 1 && limit <= most)
    return {};
  return invalid("limit must be between 1 and " + std::to_string(most));
}

inline core::failure check_contributor(const core::contributor_id& contributor) {
  return documents::check_text(contributor, "contributor", core::contributor_id_bytes_max);
}
/// Of a contributor who works, as the tasks of a queue do not.
inline core::failure check_worker_of_units(const core::contributor_id& contributor) {
  if (core::is_task_judge(contributor))
    return invalid("contributor must not begin with 'task:', which means the tasks of a queue");
  return check_contributor(contributor);
}

inline core::failure check_queue(const core::queue_name& queue) {
  return core::is_queue_name(queue) ? core::failure{}
                                    : invalid("queue must be 1 to 64 of a-z 0-9 _ . -");
}

inline core::failure check_webhook(const std::string& name) {
  return core::is_webhook_name(name)
             ? core::failure{}
             : invalid("name must be 1 to 64 of a-z 0-9 _ . -, beginning with a letter or digit");
}

} // namespace holdfast::actors
