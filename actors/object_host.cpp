#include "actors/object_host.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"

#include <caf/response_promise.hpp>

#include <memory>
#include <numeric>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<object_host_state>*;

struct keeper_state {
  static inline const char* name = "object_keeper";
  context_ptr context;
};

const core::failure no_store{core::errc::unavailable,
                             "this node has no object store; set objects.directory"};

/// A KEEPER: calls the object store, one text after the other.
caf::behavior keeper(caf::stateful_actor<keeper_state>* self, context_ptr context) {
  guard(self, context);
  self->state.context = std::move(context);
  return {
      [=](const put_objects& m) {
        objects_put put;
        for (auto i = m.first; i < m.first + m.count; ++i)
          put.items.push_back(self->state.context->settings.objects->put((*m.texts)[i]));
        return put;
      },
      [=](const get_objects& m) {
        objects_got got;
        for (const auto& ref : m.refs)
          got.items.push_back(self->state.context->settings.objects->get(ref));
        return got;
      },
  };
}

/// A request that is done when all its calls are.
template <class Answer>
struct gathering {
  held_promise promise;
  Answer answer;
  std::size_t left = 0;
};

template <class Answer>
using gathering_ptr = std::shared_ptr<gathering<Answer>>;

void make_calls(self_ptr self) {
  auto& st = self->state;
  while (!st.idle.empty() && !st.waiting.empty()) {
    const auto next = std::move(st.waiting.front());
    st.waiting.pop_front();
    const auto keeper = std::move(st.idle.back());
    st.idle.pop_back();
    next.make(keeper);
  }
}

void call_over(self_ptr self, const caf::actor& keeper, std::uint64_t bytes) {
  auto& st = self->state;
  st.idle.push_back(keeper);
  --st.under_way;
  st.bytes_under_way -= bytes;
  make_calls(self);
  if (st.under_way == 0)
    for (auto& promise : std::exchange(st.settling, {}))
      promise.deliver(settled{});
}

/// Queues one call, whose outcome is the one at `place` of the answer.
template <class Answer, class Question>
void add_call(self_ptr self, const gathering_ptr<Answer>& all, std::size_t place,
              std::uint64_t bytes, Question question) {
  auto& st = self->state;
  ++st.under_way;
  st.bytes_under_way += bytes;
  st.waiting.push_back({bytes, [=](const caf::actor& keeper) {
                          const auto over = [=] {
                            if (--all->left == 0)
                              all->promise.deliver(std::move(all->answer));
                            call_over(self, keeper, bytes);
                          };
                          self->request(keeper, delivery_timeout, question)
                              .then(
                                  [=](Answer& one) {
                                    all->answer.items[place] = std::move(one.items.front());
                                    over();
                                  },
                                  [=](const caf::error& error) {
                                    all->answer.items[place] = msg::failure_of(error);
                                    over();
                                  });
                        }});
}

/// Why the request cannot be taken; `none` when it can.
core::failure admit(self_ptr self, std::size_t calls, std::uint64_t bytes, when_busy busy) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  if (!settings.objects)
    return no_store;
  if (busy == when_busy::wait)
    return {};
  const bool too_many = st.under_way + calls > settings.batching.high_water;
  const bool too_large = st.bytes_under_way + bytes > settings.object_bytes_most;
  if ((!too_many && !too_large) || st.under_way == 0)
    return {};
  ++st.context->gauges.overloaded;
  if (too_large)
    return {core::errc::overloaded, std::to_string(st.bytes_under_way)
                                        + " bytes are on their way to the object store"
                                          " (objects.under_way_mb)"};
  return {core::errc::overloaded,
          std::to_string(st.under_way) + " calls of the object store are under way already"};
}

template <class Answer>
gathering_ptr<Answer> begin(const held_promise& promise, std::size_t calls) {
  auto all = std::make_shared<gathering<Answer>>(gathering<Answer>{promise, {}, calls});
  const core::failure nothing_yet{core::errc::unavailable, "the object store did not answer"};
  all->answer.items.assign(calls, nothing_yet);
  if (calls == 0)
    promise.deliver(Answer{});
  return all;
}

void on_put(self_ptr self, const put_objects& m) {
  const held_promise promise{self->make_response_promise()};
  const auto bytes =
      std::accumulate(m.texts->begin(), m.texts->end(), std::uint64_t{0},
                      [](std::uint64_t sum, const std::string& text) { return sum + text.size(); });
  if (const auto why = admit(self, m.texts->size(), bytes, m.busy); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  const auto all = begin<objects_put>(promise, m.texts->size());
  for (std::size_t i = 0; i < m.texts->size(); ++i)
    add_call(self, all, i, (*m.texts)[i].size(), put_objects{m.texts, i, 1});
  make_calls(self);
}

void on_get(self_ptr self, const get_objects& m) {
  const held_promise promise{self->make_response_promise()};
  // While they wait they are references only, and what is answered first was asked first: so their
  // texts are few at any time, and their bytes need no bound here.
  if (const auto why = admit(self, m.refs.size(), 0, m.busy); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  const auto all = begin<objects_got>(promise, m.refs.size());
  for (std::size_t i = 0; i < m.refs.size(); ++i)
    add_call(self, all, i, 0, get_objects{{m.refs[i]}});
  make_calls(self);
}

} // namespace

caf::behavior object_host(self_ptr self, context_ptr context) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  for (std::uint32_t lane = 0; lane < st.context->settings.object_lanes; ++lane)
    st.idle.push_back(st.context->settings.blocking_store
                          ? self->spawn<caf::detached + caf::linked>(keeper, st.context)
                          : self->spawn<caf::linked>(keeper, st.context));
  return {
      [=](const put_objects& m) { on_put(self, m); },
      [=](const get_objects& m) { on_get(self, m); },
      [=](settle) {
        auto promise = self->make_response_promise();
        if (self->state.under_way == 0)
          promise.deliver(settled{});
        else
          self->state.settling.push_back(std::move(promise));
      },
  };
}

} // namespace holdfast::actors
