#include "core/change.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/mended_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace holdfast::core {

namespace {

struct named_event {
  event_type type;
  std::string_view name;
};

/// A reason that is published is no place for more of what a server says.
constexpr std::size_t problem_bytes_max = 1000;

constexpr std::array<named_event, 16> event_names{{
    {event_type::unit_ready_for_assignment, "UnitReadyForAssignment"},
    {event_type::judgment_received, "JudgmentReceived"},
    {event_type::unit_finalized, "UnitFinalized"},
    {event_type::job_step_updated, "JobStepUpdated"},
    {event_type::unit_canceled, "UnitCanceled"},
    {event_type::test_judgment, "TestJudgmentEvent"},
    {event_type::contributor_flagged, "ContributorFlagged"},
    {event_type::unit_task_ended, "UnitTaskEnded"},
    {event_type::unit_reopened, "UnitReopened"},
    {event_type::judgment_reinstated, "JudgmentReinstated"},
    {event_type::unit_withdrawn, "UnitWithdrawn"},
    {event_type::event_unreadable, "EventUnreadable"},
    {event_type::task_completed, "TaskCompleted"},
    {event_type::task_failed, "TaskFailed"},
    {event_type::task_dead, "TaskDead"},
    {event_type::task_canceled, "TaskCanceled"},
}};

} // namespace

std::string_view to_string(unit_state state) {
  switch (state) {
  case unit_state::judgable:
    return "Judgable";
  case unit_state::paused:
    return "Paused";
  case unit_state::finalized:
    return "Finalized";
  case unit_state::gathered:
    return "Gathered";
  case unit_state::canceled:
    return "Canceled";
  }
  break_invariant("unit_state", "every value has a name", __FILE__, __LINE__);
}

std::string_view to_string(step_status status) {
  switch (status) {
  case step_status::open:
    return "Open";
  case step_status::paused:
    return "Paused";
  case step_status::completed:
    return "Completed";
  case step_status::canceled:
    return "Canceled";
  }
  break_invariant("step_status", "every value has a name", __FILE__, __LINE__);
}

std::string_view to_string(job_status status) {
  switch (status) {
  case job_status::launched:
    return "launched";
  case job_status::paused:
    return "paused";
  case job_status::finished:
    return "finished";
  case job_status::canceled:
    return "canceled";
  }
  break_invariant("job_status", "every value has a name", __FILE__, __LINE__);
}

std::optional<job_status> job_status_named(std::string_view name) {
  for (const auto status :
       {job_status::launched, job_status::paused, job_status::finished, job_status::canceled})
    if (name == to_string(status))
      return status;
  return std::nullopt;
}

std::string_view to_string(event_type type) {
  for (const auto& row : event_names)
    if (row.type == type)
      return row.name;
  break_invariant("event_type", "every value has a name", __FILE__, __LINE__);
}

std::optional<event_type> event_type_named(std::string_view name) {
  for (const auto& row : event_names)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::string to_json(const event& what) {
  json_object out;
  out.text("type", to_string(what.type));
  if (what.task)
    out.text("queue", what.queue).text("task_id", to_string(what.task));
  else if (what.type != event_type::event_unreadable)
    out.text("step_id", to_string(what.step));
  if (what.unit)
    out.text("unit_id", to_string(what.unit));
  if (what.judgment)
    out.text("judgment_id", to_string(what.judgment));
  out.number("at", to_micros(what.at));
  if (!what.details.empty())
    out.raw("details", what.details);
  return out.str();
}

event unreadable_event(const message_id& place, instant at, std::string_view problem) {
  json_object details;
  details.number("shard", static_cast<std::int64_t>(place.shard))
      .number("seq", static_cast<std::int64_t>(place.seq))
      .text("problem", mended_text(problem, problem_bytes_max));
  return {event_type::event_unreadable, {}, {}, {}, at, details.str()};
}

void append(change& to, change more) {
  std::move(more.writes.begin(), more.writes.end(), std::back_inserter(to.writes));
  std::move(more.events.begin(), more.events.end(), std::back_inserter(to.events));
  if (!to.trace)
    to.trace = std::move(more.trace);
}

} // namespace holdfast::core
