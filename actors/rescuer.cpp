#include "actors/rescuer.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reads.hpp"

#include <algorithm>
#include <map>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<rescuer_state>*;

/// Looks at which an item may be overdue before it is read anew.
constexpr std::uint32_t looks_max = 3;

/// Queues, and steps, that one look for what is overdue may find; the next one finds the others.
constexpr std::uint32_t overdue_page = 1000;

/// Live tasks that one look for forgotten ones reads: a few milliseconds of the database.
constexpr std::uint32_t due_page = 5000;

/// Each node looks after what it hosts.
void leave_to_others(self_ptr self, std::vector<hosted_item>& items) {
  const auto& context = *self->state.context;
  const auto local = self->clock().now();
  items.erase(std::remove_if(items.begin(), items.end(),
                             [&](const hosted_item& item) {
                               const auto shard = shard_of(item, context.settings.shards);
                               return !context.hosting.here(shard, local);
                             }),
              items.end());
}

void on_found(self_ptr self, std::vector<hosted_item>& overdue) {
  auto& st = self->state;
  leave_to_others(self, overdue);
  auto verdict = core::judge_overdue(st.record, overdue, looks_max);
  for (const auto& item : verdict.fresh)
    st.context->log(log_level::warning, "item_overdue", {{"item", to_string(item)}});
  for (const auto& item : verdict.stuck)
    st.context->log(log_level::error, "item_stuck", {{"item", to_string(item)}});
  self->send(st.shards, look_around{std::move(verdict)});
}

/// Queues know what they do not have: a task that waits for a worker is nothing unusual.
void on_due(self_ptr self, persistence::due_page& page) {
  auto& st = self->state;
  st.due_after = page.last;
  std::map<core::queue_name, std::vector<core::task_id>> of_queue;
  for (auto& [task, queue] : page.due)
    of_queue[queue].push_back(task);
  for (auto& [queue, tasks] : of_queue)
    self->send(st.shards, look_for_tasks{queue, std::move(tasks)});
  st.looks.end(self);
}

void look(self_ptr self) {
  auto& st = self->state;
  // A lease that ended just now is on its way out.
  const auto before = now(self, st.context) - st.context->settings.sweep_interval;
  read(self, st.loader,
       [before](persistence::store& db) { return db.find_overdue(before, overdue_page); })
      .then(
          [=](std::vector<hosted_item>& overdue) {
            on_found(self, overdue);
            auto& at = self->state;
            at.looks.ask(
                self, at.loader,
                [after = at.due_after, before](persistence::store& db) {
                  return db.find_due(after, before, due_page);
                },
                [=](persistence::due_page& page) { on_due(self, page); });
          },
          [=](const core::failure& why) {
            // Timers may be lost whether the database answers or not.
            self->send(self->state.shards, look_around{});
            self->state.looks.fail(self, why);
          });
}

} // namespace

caf::behavior rescuer(caf::stateful_actor<rescuer_state>* self, context_ptr context,
                      const caf::actor& loader, const caf::actor& shards) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.loader = loader;
  st.shards = shards;
  st.looks = {st.context, st.context->settings.sweep_interval, "sweep_failed"};
  st.looks.rest(self);
  return {
      [=](upkeep_tick) {
        self->state.looks.rang();
        look(self);
      },
  };
}

} // namespace holdfast::actors
