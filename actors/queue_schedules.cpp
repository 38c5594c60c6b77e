#include "core/queue_schedules.hpp"
#include "core/never_due.hpp"

#include "actors/queue_state.hpp"
#include "documents/schedule_document.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace holdfast::actors {

namespace {

/// The clock of a node follows the database's, and a timer does not: one that is far away is set
/// anew now and then.
constexpr core::duration timer_most = std::chrono::hours{1};

/// Definitions in one answer, which must fit a message.
constexpr std::size_t answer_bytes_most = std::size_t{4} * 1024 * 1024;

msg::schedule_view view_of(const core::queue& q, const core::schedule& s) {
  return {q.name,
          s.name,
          s.definition,
          s.plan && s.plan->paused,
          s.revision,
          s.created_at,
          s.handled_until,
          s.last_made,
          s.next.value_or(core::instant{}),
          core::problem_of(s)};
}

void warn(queue_ptr self, const char* event, const core::schedule& s) {
  const auto& st = self->state;
  st.context->log(log_level::warning, event,
                  {{"queue", st.queue.name}, {"schedule", s.name}, {"reason", s.problem}});
}

/// Asks the database which of these tasks there are: the schedule has made them while the clock
/// stood ahead, or somebody has made them in another queue. `if_unknown` runs when it does not say.
void look_up_tasks(queue_ptr self, const std::vector<core::task_id>& tasks,
                   std::function<void(core::looked_up_tasks)> then,
                   std::function<void(const core::failure&)> if_unknown) {
  read(self, self->state.links.loader,
       [tasks](persistence::store& db) { return db.find_tasks(tasks); })
      .then(
          [=](const std::vector<persistence::known_task>& found) {
            core::looked_up_tasks known;
            known.looked_for.insert(tasks.begin(), tasks.end());
            for (const auto& one : found)
              if (one.queue == self->state.queue.name)
                known.exist.insert(one.task);
              else
                known.elsewhere.emplace(one.task, one.queue);
            then(std::move(known));
          },
          if_unknown);
}

void put_when_known(queue_ptr self, const asked& from,
                    const std::shared_ptr<const core::put_schedule>& command,
                    const std::vector<core::task_id>& owed);

/// False: the old plan owes more tasks than one change makes. The rest follows when they are
/// durable, so that the tasks of a long outage do not gather in memory.
bool put_now(queue_ptr self, const asked& from, core::put_schedule command, core::instant at) {
  auto& st = self->state;
  const auto name = command.name;
  auto decided = core::decide(st.queue, command, at);
  if (decided.refusal != core::errc::none) {
    refuse(self, from.promise, {decided.refusal, std::move(decided.detail)});
    return true;
  }
  if (decided.answer.owes_more) {
    command.known = {};
    const auto rest = std::make_shared<const core::put_schedule>(std::move(command));
    carry_out(self, std::move(decided.changes), [=](const core::failure& why) {
      if (why.code != core::errc::none) // the queue ends with it, and its lines
        return from.promise.deliver(msg::to_error(why));
      put_when_known(self, from, rest, core::owed_tasks(self->state.queue, *rest, time(self)));
    });
    return false;
  }
  const auto& s = st.queue.schedules.at(name);
  if (decided.answer.changed && !s.problem.empty())
    warn(self, "schedule_stuck", s);
  carry_out(self, std::move(decided.changes), from.promise, view_of(st.queue, s));
  look_after(self);
  return true;
}

/// Puts the schedule when it is known which of the tasks there are that the old plan owes. The
/// caller's later requests are decided after it.
void put_when_known(queue_ptr self, const asked& from,
                    const std::shared_ptr<const core::put_schedule>& command,
                    const std::vector<core::task_id>& owed) {
  look_up_tasks(
      self, owed,
      [=](core::looked_up_tasks known) {
        auto& st = self->state;
        const auto at = time(self);
        const auto owed_now = core::owed_tasks(st.queue, *command, at);
        const bool all_known = std::all_of(owed_now.begin(), owed_now.end(), [&](const auto& id) {
          return known.looked_for.count(id) != 0;
        });
        // One more has become due. As that happens once a minute at most, and a look that takes
        // longer fails, it is not looked again and again.
        if (!all_known)
          return put_when_known(self, from, command, owed_now);
        auto complete = *command;
        complete.known = std::move(known);
        if (put_now(self, from, std::move(complete), at))
          st.lines.go_on(from.caller);
      },
      [=](const core::failure& why) {
        from.promise.deliver(msg::to_error(why));
        self->state.lines.go_on(from.caller);
        look_after(self); // some of the tasks may have been made, for workers that wait
      });
}

} // namespace

void on_put_schedule(queue_ptr self, const asked& from, msg::put_schedule& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  const auto& settings = st.context->settings;
  auto plan = documents::parse_schedule(request.definition, settings.json, settings.find_zone);
  if (!plan)
    return promise.deliver(msg::to_error(plan.error()));
  // What it makes is in its definition, which every row and the memory has anyway: so its payloads
  // do not go to the object store, however large.
  for (const auto& [text, field] :
       {std::pair{&plan->task.spec.body, "task.body"}, std::pair{&plan->task.data, "task.data"}})
    if (auto why = check_document(*text, field, settings.json); why.code != core::errc::none)
      return promise.deliver(msg::to_error(why));
  core::put_schedule command{
      std::move(request.name), std::move(request.definition), std::move(*plan), {}};
  const auto at = time(self);
  const auto owed = core::owed_tasks(st.queue, command, at);
  if (owed.empty()) {
    put_now(self, from, std::move(command), at);
    return;
  }
  if (from.caller)
    st.lines.hold(from.caller);
  put_when_known(self, from, std::make_shared<const core::put_schedule>(std::move(command)), owed);
}

void on_remove_schedule(queue_ptr self, const asked& from, const msg::remove_schedule& request) {
  const auto& promise = from.promise;
  auto decided = core::decide(self->state.queue, core::remove_schedule{request.name}, time(self));
  carry_out(self, std::move(decided.changes), promise,
            msg::schedule_removed{request.queue, request.name});
}

void on_list_schedules(queue_ptr self, const asked& from, const msg::list_schedules& request) {
  const auto& q = self->state.queue;
  msg::schedule_list list;
  std::size_t bytes = 0;
  auto next = q.schedules.upper_bound(request.after);
  while (next != q.schedules.end() && list.schedules.size() < request.limit
         && bytes < answer_bytes_most) {
    bytes += next->second.definition.size();
    list.schedules.push_back(view_of(q, next->second));
    ++next;
  }
  list.more = next != q.schedules.end();
  // What it shows is in memory already, and must not be told before it is durable.
  carry_out(self, {}, from.promise, std::move(list));
}

void on_preview_schedule(queue_ptr self, const asked& from, const msg::preview_schedule& request) {
  const auto& q = self->state.queue;
  const auto found = q.schedules.find(request.name);
  if (found == q.schedules.end())
    return refuse(self, from.promise,
                  {core::errc::not_found, "queue " + q.name + " has no schedule " + request.name});
  const auto& s = found->second;
  if (!s.plan)
    return refuse(self, from.promise,
                  {core::errc::wrong_state,
                   "the definition of schedule " + s.name + " cannot be read here: " + s.problem});
  carry_out(self, {}, from.promise,
            msg::schedule_preview{q.name, s.name, s.plan->time_zone, s.plan->paused,
                                  core::coming_occurrences(s, time(self), request.count)});
}

void on_run_schedule(queue_ptr self, const asked& from, const msg::run_schedule& request) {
  const auto& promise = from.promise;
  find_elsewhere(self, {request.task}, promise,
                 [=, promise = promise](const std::vector<persistence::known_task>& known) {
                   auto& st = self->state;
                   // Others have been decided while this one was looked up.
                   if (const auto why = room_to_write(*st.context); why.code != core::errc::none)
                     return promise.deliver(msg::to_error(why));
                   if (!known.empty() && known.front().queue != st.queue.name)
                     return fail(promise, core::errc::already_exists,
                                 "the queue " + known.front().queue + " has a task of this id");
                   msg::schedule_ran answer{st.queue.name, request.name, request.task, true};
                   if (st.queue.tasks.count(request.task) == 0
                       && (!known.empty() || st.recently_finished.count(request.task) != 0))
                     return carry_out(self, {}, promise, std::move(answer));
                   auto decided = core::decide(
                       st.queue, core::run_schedule{request.name, request.task}, time(self));
                   if (decided.refusal != core::errc::none)
                     return refuse(self, promise, {decided.refusal, std::move(decided.detail)});
                   answer.task = decided.answer.task;
                   answer.repeated = decided.answer.repeated;
                   carry_out(self, std::move(decided.changes), promise, std::move(answer));
                   look_after(self);
                 });
}

void enter_schedules(queue_ptr self, std::vector<core::put_schedule_row>& stored) {
  auto& st = self->state;
  for (auto& row : stored) {
    core::schedule s;
    // A definition in the database has been validated by the node that wrote it, whose time zones
    // may have been others: what cannot be read here must not keep the queue from its work.
    const auto& text = row.definition;
    auto plan =
        documents::parse_schedule(text, {text.size() + 1, 1000}, st.context->settings.find_zone);
    if (plan)
      s.plan = std::move(*plan);
    else
      s.problem = plan.error().detail;
    s.name = std::move(row.name);
    s.definition = std::move(row.definition);
    s.created_at = row.created_at;
    s.handled_until = row.handled_until;
    s.last_made = row.last_made;
    s.revision = row.revision;
    if (!s.plan)
      warn(self, "schedule_unreadable", s);
    core::enter(st.queue, std::move(s));
  }
}

namespace {

void run(queue_ptr self, const core::run_schedules& command);

/// Runs the schedules when it is known which of these tasks there are; `if_unknown` when the
/// database does not say.
void run_when_known(queue_ptr self, const std::vector<core::task_id>& tasks,
                    std::function<void()> if_unknown) {
  self->state.running_schedules = true;
  look_up_tasks(
      self, tasks,
      [=](core::looked_up_tasks known) {
        self->state.running_schedules = false;
        run(self, {std::move(known)});
        look_after(self);
      },
      [=](const core::failure&) {
        self->state.running_schedules = false;
        if_unknown();
      });
}

void run(queue_ptr self, const core::run_schedules& command) {
  auto& st = self->state;
  if (st.running_schedules || writers_are_busy(*st.context))
    return;
  auto decided = core::decide(st.queue, command, time(self));
  for (const auto& name : decided.answer.stuck)
    warn(self, "schedule_stuck", st.queue.schedules.at(name));
  const auto& unsure = decided.answer.unsure;
  if (decided.changes.empty() && !unsure.empty())
    return run_when_known(self, unsure, [] {}); // the next look of the rescuer tries again
  if (decided.changes.empty())
    return;
  st.running_schedules = true;
  st.pending.part(self, st.links.writer, st.identity); // whoever asks now must not suffer by these
  carry_out(self, std::move(decided.changes), [=](const core::failure& why) {
    self->state.running_schedules = false;
    if (why.code == core::errc::none)
      look_after(self);
  });
}

} // namespace

void run_schedules(queue_ptr self) {
  const auto& st = self->state;
  if (st.running_schedules || writers_are_busy(*st.context))
    return;
  const auto due = core::due_tasks(st.queue, time(self));
  if (due.empty())
    return run(self, {});
  // An occurrence is not missed because the database is away: what is made then waits for it. If an
  // id was in use, the queue starts again and looks it up.
  run_when_known(self, due, [=] {
    run(self, {});
    look_after(self);
  });
}

core::instant next_schedule(queue_ptr self) {
  const auto& st = self->state;
  if (st.running_schedules)
    return core::instant::max(); // the commit goes on with what is due then
  const auto next = core::next_schedule(st.queue);
  return next == core::instant::max() ? next : std::min(next, time(self) + timer_most);
}

} // namespace holdfast::actors
