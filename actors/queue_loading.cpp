// The part of the queue actor that brings it into memory.

#include "actors/queue_state.hpp"
#include "documents/queue_document.hpp"

#include <iterator>
#include <utility>

namespace holdfast::actors {

namespace {

/// Runs each stashed request once more: the queue answers as it is now.
void resume_stashed(queue_ptr self) {
  for (auto& resume : std::exchange(self->state.stashed, {}))
    resume();
}

void begin(queue_ptr self) {
  auto& st = self->state;
  st.loaded = true;
  st.damage = {};
  st.load_attempts = 0;
  if (st.load_fault.over())
    st.context->log(log_level::info, "queue_loaded", {{"queue", st.queue.name}});
  st.loaded_at = time(self);
  st.meter = core::queue_meter{st.loaded_at};
  take_ties_over(self);
  resume_stashed(self);
  on_processes(self);
  push_by(self, st.queue.policy);
}

/// Nobody is to wait for what somebody has to mend first.
void refuse_all(queue_ptr self, core::failure why) {
  auto& st = self->state;
  if (st.load_fault.met(why.detail))
    st.context->log(log_level::error, "queue_damaged",
                    {{"queue", st.queue.name}, {"reason", why.detail}});
  st.damage = std::move(why);
  resume_stashed(self);
}

void on_damaged_policy(queue_ptr self, core::put_queue& row, const core::failure& why) {
  auto& q = self->state.queue;
  // A valid policy that replaces the damaged one goes on from these columns.
  q.definition = std::move(row.definition);
  q.paused = row.paused;
  q.paused_types = {row.paused_types.begin(), row.paused_types.end()};
  q.revision = row.revision;
  refuse_all(self, {core::errc::damaged,
                    "stored policy of queue " + q.name + " cannot be parsed: " + why.detail});
}

void note_unreadable(queue_ptr self,
                     const std::vector<persistence::stored_queue::unreadable_task>& tasks) {
  auto& st = self->state;
  for (const auto& task : tasks) {
    st.unreadable.insert(task.id);
    // It is there: nobody else may have its key.
    if (!task.unique_key.empty())
      st.queue.unique.emplace(task.unique_key, task.id);
  }
  if (!tasks.empty())
    st.context->log(log_level::error, "tasks_unreadable",
                    {{"queue", st.queue.name},
                     {"number", std::to_string(tasks.size())},
                     {"first", core::to_string(tasks.front().id)},
                     {"reason", tasks.front().why}});
}

void on_loaded(queue_ptr self, queue_loaded& loaded) {
  auto& q = self->state.queue;
  auto& stored = loaded.queue;
  // The node that wrote it has validated it: it may be one of a newer version, or somebody has
  // changed the row since.
  const auto& text = stored.row.definition;
  auto policy = documents::parse_queue_policy(text, {text.size() + 1, 1000});
  if (!policy)
    return on_damaged_policy(self, stored.row, policy.error());
  q.policy = std::move(*policy);
  q.definition = stored.row.definition;
  q.paused = stored.row.paused;
  q.paused_types = {stored.row.paused_types.begin(), stored.row.paused_types.end()};
  q.revision = stored.row.revision;
  q.tokens_above = self->state.context->tokens_above;
  for (auto& task : stored.tasks)
    core::enter(q, std::move(task));
  self->state.unreadable.clear();
  note_unreadable(self, stored.unreadable);
  for (const auto& task : stored.rate_limited)
    core::hold_off_again(q, task);
  enter_schedules(self, stored.schedules);
  self->state.actions = {std::make_move_iterator(loaded.actions.begin()),
                         std::make_move_iterator(loaded.actions.end())};
  begin(self);
  go_on_with_actions(self);
}

void on_load_failed(queue_ptr self, const core::failure& why) {
  auto& st = self->state;
  if (why.code == core::errc::not_found) {
    st.queue.revision = 0;
    st.queue.tokens_above = st.context->tokens_above; // the database may have forgotten the queue
    return begin(self);
  }
  if (!core::describe(why.code).retryable)
    return refuse_all(
        self, {core::errc::damaged, "queue " + st.queue.name + " cannot be loaded: " + why.detail});
  const auto wait = retry_pause(st.context, ++st.load_attempts);
  if (st.load_fault.met(why.detail))
    st.context->log(log_level::warning, "queue_load_failed",
                    {{"queue", st.queue.name}, {"reason", why.detail}});
  self->delayed_send(self, wait, retry_tick{st.load_attempts});
}

} // namespace

msg::queue_view view_of(const core::queue& q) {
  return {
      q.name, q.definition, q.paused, {q.paused_types.begin(), q.paused_types.end()}, q.revision};
}

void load(queue_ptr self) {
  auto& st = self->state;
  const auto number = ++st.loads;
  const auto is_latest = [=] { return number == self->state.loads; };
  read(self, st.links.loader,
       [queue = st.queue.name](persistence::store& db) { return load_queue(db, queue); })
      .then(
          [=](queue_loaded& loaded) {
            if (is_latest())
              on_loaded(self, loaded);
          },
          [=](const core::failure& why) {
            if (is_latest())
              on_load_failed(self, why);
          });
}

void put_over_damage(queue_ptr self, const asked& from, msg::put_queue& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  auto policy = documents::parse_queue_policy(request.policy, st.context->settings.json);
  if (!policy)
    return promise.deliver(msg::to_error(policy.error()));
  if (st.queue.revision == 0) // its row cannot be read at all
    return promise.deliver(msg::to_error(st.damage));
  auto decided = core::decide(
      st.queue, core::set_policy{std::move(*policy), std::move(request.policy)}, time(self));
  // Until it is loaded, others wait: also whoever puts another one.
  st.damage = {};
  ++st.loads;
  carry_out(self, promise.noted(std::move(decided.changes)), [=](const core::failure& why) {
    if (why.code != core::errc::none)
      return promise.deliver(msg::to_error(why)); // and the queue ends
    promise.deliver(view_of(self->state.queue));
    load(self);
  });
}

} // namespace holdfast::actors
