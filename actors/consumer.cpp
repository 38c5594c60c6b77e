#include "actors/consumer.hpp"

#include "actors/actor_guard.hpp"
#include "actors/fan_in.hpp"
#include "actors/held_promise.hpp"
#include "actors/reads.hpp"
#include "actors/stored_items.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<consumer_state>*;

/// Events of a shard that may be set aside at once.
constexpr std::size_t aside_max = 1000;

using events = std::vector<core::sequenced_event>;
using events_ptr = std::shared_ptr<events>;
using outcome_user = std::function<void(const core::failure&)>;

/// Whether the step cannot read what it needs, however often it tries.
bool is_damage(const core::failure& why) { return why.code == core::errc::damaged; }

bool tells_of_the_step(const core::sequenced_event& e) {
  return e.event.type == core::event_type::job_step_updated;
}

void send_to_step(self_ptr self, const core::step_id& step, events what, outcome_user done) {
  auto& st = self->state;
  self->request(st.shards, delivery_timeout, apply_events{st.spec.name, step, std::move(what)})
      .then([=](events_applied) { done({}); },
            [=](const caf::error& error) {
              const auto why = msg::failure_of(error);
              // The step may be gone for good; then nobody needs its events.
              done(why.code == core::errc::not_found ? core::failure{} : why);
            });
}

/// Says once that an event is set aside, and not at every try.
void note_damage(self_ptr self, const core::sequenced_event& e, const core::failure& why) {
  const auto& aside = self->state.aside[e.id.shard];
  if (const auto of_step = aside.find(e.event.step); of_step != aside.end())
    for (const auto& known : of_step->second)
      if (known.id.seq == e.id.seq)
        return;
  self->state.context->log(log_level::error, "event_set_aside",
                           {{"consumer", self->state.spec.name},
                            {"shard", std::to_string(e.id.shard)},
                            {"seq", std::to_string(e.id.seq)},
                            {"type", std::string{to_string(e.event.type)}},
                            {"step", to_string(e.event.step)},
                            {"unit", to_string(e.event.unit)},
                            {"reason", why.detail}});
}

/// Applies those of `all` from `begin` to `end`, all of one step; adds to `damaged` those that only
/// somebody who mends something can have applied.
void apply_parted(self_ptr self, const events_ptr& all, std::size_t begin, std::size_t end,
                  const events_ptr& damaged, const outcome_user& done) {
  if (begin == end)
    return done({});
  const auto at = [&](std::size_t place) {
    return all->begin() + static_cast<events::difference_type>(place);
  };
  send_to_step(self, at(begin)->event.step, events(at(begin), at(end)),
               [=](const core::failure& why) {
                 if (!is_damage(why))
                   return done(why);
                 if (end - begin == 1) {
                   note_damage(self, (*all)[begin], why);
                   damaged->push_back((*all)[begin]);
                   return done({});
                 }
                 const auto middle = begin + (end - begin) / 2;
                 apply_parted(self, all, begin, middle, damaged, [=](const core::failure& first) {
                   if (first.code != core::errc::none)
                     return done(first);
                   apply_parted(self, all, middle, end, damaged, done);
                 });
               });
}

/// What one attempt leaves of a step.
using rest_user = std::function<void(const core::failure&, const events& aside)>;

/// Applies all but what is damaged. `aside`: what is known to be, of the same step.
void sort_out(self_ptr self, events fresh, events aside, const rest_user& done) {
  const auto told = std::stable_partition(fresh.begin(), fresh.end(),
                                          [](const auto& e) { return !tells_of_the_step(e); });
  const events words(told, fresh.end());
  fresh.erase(told, fresh.end());
  const auto all = std::make_shared<events>(std::move(fresh));
  const auto damaged = std::make_shared<events>(std::move(aside));
  apply_parted(self, all, 0, all->size(), damaged, [=](const core::failure& why) {
    if (why.code != core::errc::none || words.empty())
      return done(why, *damaged);
    auto rest = *damaged;
    rest.erase(std::remove_if(rest.begin(), rest.end(), tells_of_the_step), rest.end());
    auto together = rest;
    together.insert(together.end(), words.begin(), words.end());
    std::sort(together.begin(), together.end(),
              [](const auto& a, const auto& b) { return a.id.seq < b.id.seq; });
    send_to_step(self, words.front().event.step, std::move(together),
                 [=](const core::failure& lost) mutable {
                   if (!is_damage(lost))
                     return done(lost, {});
                   rest.push_back(words.back()); // what was said before is past then
                   done({}, rest);
                 });
  });
}

/// One delivery, or one try of what is set aside.
struct attempt {
  core::shard_id shard = 0;
  std::uint64_t number = 0;
  events_aside aside; ///< When it is over.
};

void end_attempt(self_ptr self, const attempt& over, const held_promise& promise,
                 const core::failure& why) {
  auto& st = self->state;
  if (why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  std::size_t count = 0;
  delivered answer;
  for (const auto& [step, rest] : over.aside) {
    count += rest.size();
    for (const auto& e : rest)
      if (answer.oldest_aside == 0 || e.id.seq < answer.oldest_aside)
        answer.oldest_aside = e.id.seq;
  }
  if (count > aside_max)
    return promise.deliver(msg::to_error(core::errc::overloaded,
                                         "too many events are set aside; see event_set_aside"));
  if (st.latest_attempt[over.shard] == over.number)
    st.aside[over.shard] = over.aside;
  promise.deliver(answer);
}

/// Has each step apply its part of `fresh`; what is known to be damaged is left alone where nothing
/// asks for it.
void apply(self_ptr self, core::shard_id shard, events_aside fresh, events_aside aside,
           const held_promise& promise) {
  auto& st = self->state;
  const auto trial = std::make_shared<attempt>(attempt{shard, ++st.attempts, std::move(aside)});
  st.latest_attempt[shard] = trial->number;
  const auto whole = std::make_shared<fan_in>(
      [=](const core::failure& why) { end_attempt(self, *trial, promise, why); });
  for (auto& [of_step, part] : fresh) {
    const auto step = of_step;
    whole->begin_part();
    const rest_user part_over = [=](const core::failure& why, const events& rest) {
      if (rest.empty())
        trial->aside.erase(step);
      else
        trial->aside[step] = rest;
      whole->end_part(why);
    };
    const auto known = trial->aside.find(step);
    if (known != trial->aside.end()) {
      sort_out(self, std::move(part), known->second, part_over);
      continue;
    }
    const auto kept = std::make_shared<events>(std::move(part));
    send_to_step(self, step, *kept, [=](const core::failure& why) {
      if (is_damage(why))
        sort_out(self, std::move(*kept), {}, part_over);
      else
        part_over(why, {});
    });
  }
  whole->end_part();
}

/// Splits one delivery by step.
void apply_delivery(self_ptr self, deliver& delivery, const held_promise& promise) {
  auto& st = self->state;
  const auto& done = st.applied[delivery.shard];
  events_aside fresh;
  for (auto& e : delivery.events)
    if (e.id.seq > done.cursor && done.above.count(e.id.seq) == 0)
      fresh[e.event.step].push_back(std::move(e));
  apply(self, delivery.shard, std::move(fresh), st.aside[delivery.shard], promise);
}

/// Tries anew what is set aside.
void try_aside(self_ptr self, core::shard_id shard, const held_promise& promise) {
  apply(self, shard, self->state.aside[shard], {}, promise);
}

} // namespace

std::vector<consumer_spec> node_consumers() {
  using core::event_type;
  // A result that is taken back may leave a unit with all the judgments that it needs.
  return {
      {aggregation_consumer,
       {event_type::judgment_received, event_type::unit_reopened, event_type::judgment_reinstated}},
      {completion_consumer,
       {event_type::unit_finalized, event_type::unit_canceled, event_type::unit_reopened}},
      {routing_consumer,
       {event_type::unit_finalized, event_type::unit_reopened, event_type::unit_withdrawn,
        event_type::job_step_updated}},
      {task_results_consumer, {event_type::unit_task_ended}}};
}

caf::behavior consumer(caf::stateful_actor<consumer_state>* self, context_ptr context,
                       consumer_spec spec, caf::actor loader, caf::actor shards, caf::actor relay) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.spec = std::move(spec);
  st.loader = std::move(loader);
  st.shards = std::move(shards);
  self->send(relay, subscribe{st.spec.name, st.spec.types, caf::actor_cast<caf::actor>(self)});
  return {
      [=](deliver& delivery) {
        const held_promise promise{self->make_response_promise()};
        if (delivery.anew) {
          self->state.aside.erase(delivery.shard);
          self->state.latest_attempt[delivery.shard] = ++self->state.attempts;
        }
        if (delivery.events.empty())
          return try_aside(self, delivery.shard, promise);
        if (!delivery.again) {
          self->state.applied.erase(delivery.shard);
          apply_delivery(self, delivery, promise);
          return;
        }
        read(self, self->state.loader,
             [name = self->state.spec.name, shard = delivery.shard](persistence::store& db) {
               return load_position(db, name, shard);
             })
            .then(
                [=, delivery = std::move(delivery)](const consumer_position& position) mutable {
                  self->state.applied[delivery.shard] = {
                      position.cursor, {position.applied.begin(), position.applied.end()}};
                  apply_delivery(self, delivery, promise);
                },
                [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
      },
  };
}

} // namespace holdfast::actors
