#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <optional>
#include <string>

/// The ids of the tasks that schedules make. They tell what for: a worker whose node was away for
/// an hour learns from its task which hour to report about.
namespace holdfast::core {

/// What tells a schedule apart from all others, also from one of the same name that was removed.
struct schedule_identity {
  queue_name queue;
  std::string name;
  instant created_at;
};

/// The id of the task of an occurrence: always the same, and never that of another one. A version 8
/// UUID (RFC 9562): 48 bits of milliseconds of the occurrence, as in version 7, so that ids that
/// are made together lie together; then 64 bits of a hash of the schedule's identity.
task_id occurrence_id(const schedule_identity& schedule, instant occurrence);

/// The occurrence that the id of a task tells; none for ids of other versions. Of a task whose id
/// somebody else has made as version 8 it means nothing: see `makes`.
std::optional<instant> occurrence_of(const task_id& task);

/// Whether this schedule makes the task of this id.
bool makes(const schedule_identity& schedule, const task_id& task);

} // namespace holdfast::core
