#include "tests/sim/schedule_audit.hpp"

#include "core/occurrence.hpp"
#include "documents/schedule_document.hpp"

#include <algorithm>

namespace holdfast::sim {

namespace {

/// More than any run has.
constexpr std::size_t occurrences_most = 100'000;

msg::task_request request_of(const core::schedule& s, const core::task_id& id,
                             core::instant occurrence) {
  const auto& task = s.plan->task;
  msg::task_request made;
  made.task = id;
  made.type = task.spec.type;
  made.body = task.spec.body;
  made.data = task.data;
  made.key = task.spec.key;
  made.priority = task.spec.priority;
  made.run_at = occurrence;
  return made;
}

bool makes(const core::change& change, const core::task_id& id) {
  return std::any_of(change.writes.begin(), change.writes.end(), [&](const auto& write) {
    const auto* made = std::get_if<core::insert_task>(&write);
    return made != nullptr && made->spec.id == id;
  });
}

} // namespace

void schedule_auditor::acknowledged(const msg::put_schedule& asked,
                                    const msg::schedule_view& answer) {
  const auto row = t_.schedules.find({asked.queue, asked.name});
  if (row == t_.schedules.end() || row->second.definition != asked.definition
      || answer.definition != asked.definition)
    blame_("I-12", "an acknowledged schedule is not in the database: " + asked.name);
}

void schedule_auditor::committed(const core::change& change) {
  passing_.clear();
  for (const auto& write : change.writes)
    if (const auto* row = std::get_if<core::put_schedule_row>(&write))
      follow(*row, change);
}

void schedule_auditor::follow(const core::put_schedule_row& w, const core::change& change) {
  const auto sent = sent_.find({w.queue, w.name});
  const auto plan = documents::parse_schedule(w.definition, {}, core::find_utc);
  if (sent == sent_.end() || sent->second != w.definition || !plan)
    return blame_("I-12", "a schedule that nobody has asked for: " + w.name);
  const auto found = schedules_.find({w.queue, w.name});
  if (found != schedules_.end())
    check_passed(found->second, w, change);
  else if (w.handled_until != w.created_at)
    blame_("I-13", "a new schedule does not begin when it is made: " + w.name);
  auto& known = schedules_[{w.queue, w.name}];
  known.name = w.name;
  known.definition = w.definition;
  known.plan = *plan;
  known.created_at = w.created_at;
  known.handled_until = w.handled_until;
  known.last_made = w.last_made;
  known.revision = w.revision;
}

void schedule_auditor::check_passed(const core::schedule& before, const core::put_schedule_row& w,
                                    const core::change& change) {
  const auto& plan = *before.plan;
  if (w.handled_until < before.handled_until || w.created_at != before.created_at)
    return blame_("I-13", "a schedule has gone back: " + w.name);
  const auto passed = core::due_between(
      plan.times, *plan.zone, before.handled_until,
      std::min(w.handled_until, plan.until.value_or(core::instant::max())), occurrences_most);
  for (const auto occurrence : passed) {
    const auto id = core::occurrence_id({w.queue, before.name, before.created_at}, occurrence);
    passing_[id] = {w.queue, request_of(before, id, occurrence)};
    const bool made = makes(change, id);
    ++(made ? made_ : missed_);
    const bool on_time = occurrence + plan.grace >= w.at;
    const bool wanted = on_time || plan.backfill == core::backfill::all
                        || (plan.backfill == core::backfill::latest && occurrence == passed.back());
    if (wanted != made)
      blame_("I-13", "an occurrence of " + w.name
                         + (made ? " has made a task though it was missed" : " has made no task"));
  }
}

const msg::task_request* schedule_auditor::asked_for(const core::task_id& id,
                                                     const core::queue_name& queue) const {
  const auto found = passing_.find(id);
  return found != passing_.end() && found->second.first == queue ? &found->second.second : nullptr;
}

void schedule_auditor::check_rows() {
  const auto same = [](const auto& row, const auto& known) {
    return row.first == known.first && row.second.definition == known.second.definition
           && row.second.handled_until == known.second.handled_until
           && row.second.last_made == known.second.last_made;
  };
  if (!std::equal(t_.schedules.begin(), t_.schedules.end(), schedules_.begin(), schedules_.end(),
                  same))
    blame_("I-12", "the schedules are not as they were committed");
}

std::string schedule_auditor::unfinished() const {
  for (const auto& [whose, schedule] : schedules_)
    if (next_occurrence(schedule))
      return "I-13: an occurrence has made no task yet, of " + whose.second;
  return {};
}

} // namespace holdfast::sim
