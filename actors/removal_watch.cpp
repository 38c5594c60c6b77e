#include "actors/removal_watch.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reads.hpp"

namespace holdfast::actors {

namespace {

using watch_ptr = caf::stateful_actor<removal_watch_state>*;

/// Whether a step may have something to do that it has not been told of.
bool is_news(watch_ptr self, core::instant at) {
  auto& st = self->state;
  const auto generation = st.context->removals.generation();
  const bool news = generation != st.told || st.next_end <= at;
  st.told = generation;
  st.next_end = st.context->removals.next_end(at);
  return news;
}

void look_at_removals(watch_ptr self) {
  auto& st = self->state;
  st.looks.ask(
      self, st.loader,
      [since = st.since](persistence::store& db) { return db.load_removals(since); },
      [=](const persistence::changed_removals& found) {
        auto& at = self->state;
        const auto time = now(self, at.context);
        at.since = found.next;
        at.context->removals.learn(found.removals, time);
        if (is_news(self, time))
          self->send(at.shards, removals_changed{});
        at.looks.end(self);
      });
}

} // namespace

caf::behavior removal_watch(caf::stateful_actor<removal_watch_state>* self, context_ptr context,
                            const caf::actor& loader, const caf::actor& shards) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.loader = loader;
  st.shards = shards;
  st.looks = {st.context, removal_watch_interval, "removals_unread"};
  look_at_removals(self);
  return {
      [=](upkeep_tick) {
        self->state.looks.rang();
        look_at_removals(self);
      },
  };
}

} // namespace holdfast::actors
