#include "core/task_events.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/trace.hpp"

#include <array>
#include <string>

namespace holdfast::core {

namespace {

struct told_ending {
  task_ending ending;
  event_type type;
  std::string_view status;
};

constexpr std::array<told_ending, 4> told_endings{{
    {task_ending::completed, event_type::task_completed, "COMPLETED"},
    {task_ending::failed, event_type::task_failed, "FAILURE"},
    {task_ending::canceled, event_type::task_canceled, "CANCELED"},
    {task_ending::dead, event_type::task_dead, "ERROR"},
}};

const told_ending& row_of_ending(task_ending ending) {
  for (const auto& row : told_endings)
    if (row.ending == ending)
      return row;
  break_invariant("task_ending", "every ending has an event", __FILE__, __LINE__);
}

} // namespace

event_type event_type_of(task_ending ending) { return row_of_ending(ending).type; }

std::optional<task_ending> ending_told_by(event_type type) {
  for (const auto& row : told_endings)
    if (row.type == type)
      return row.ending;
  return std::nullopt;
}

std::optional<task_ending> ending_told_by(std::string_view event_name) {
  const auto type = event_type_named(event_name);
  return type ? ending_told_by(*type) : std::nullopt;
}

std::string_view status_word(task_ending ending) { return row_of_ending(ending).status; }

event task_ended(const queue_name& queue, const task& t, task_ending ending,
                 const task_error& error, instant now) {
  json_object details;
  details.text("task_type", t.spec.type).text("version", t.spec.version);
  if (!t.spec.key.empty())
    details.text("key", t.spec.key);
  details.text("state", t.progress.state)
      .text("status", status_word(ending))
      .number("failed_attempts", static_cast<std::int64_t>(t.progress.attempts))
      .number("lost_attempts", static_cast<std::int64_t>(t.progress.crashes));
  if (!error.code.empty())
    details.text("error_code", error.code);
  if (const auto trace = traceparent_of_task(t.spec.trace_id, t.spec.span_id); !trace.empty())
    details.text("traceparent", trace);
  return {event_type_of(ending), {}, {}, {}, now, details.str(), queue, t.spec.id};
}

} // namespace holdfast::core
