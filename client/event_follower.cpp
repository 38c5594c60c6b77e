#include "client/event_follower.hpp"

#include "core/backoff.hpp"
#include "messages/errors.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace holdfast::client {

namespace {

using self_ptr = event_follower_actor::stateful_pointer<event_follower_state>;

/// What fails has been repeated by the courier for the whole of its deadline.
constexpr core::duration pause_min = std::chrono::milliseconds{100};
constexpr core::duration pause_max = std::chrono::seconds{10};

core::duration pause_after(std::uint32_t failures) {
  return core::backoff(failures, pause_min, pause_max);
}

void read(self_ptr self, core::shard_id shard);

/// Hands out what there is; every shard whose page goes reads on.
void deliver(self_ptr self) {
  auto& st = self->state;
  event_delivery delivery;
  std::vector<core::shard_id> taken;
  for (auto& [shard, at] : st.shards)
    if (at.page) {
      delivery.pages.push_back(std::move(*at.page));
      at.page.reset();
      taken.push_back(shard);
    }
  std::exchange(st.waiting, std::nullopt)->deliver(std::move(delivery));
  for (const auto shard : taken)
    read(self, shard);
}

bool has_pages(const event_follower_state& st) {
  for (const auto& [shard, at] : st.shards)
    if (at.page)
      return true;
  return false;
}

void end(self_ptr self, core::failure why) {
  auto& st = self->state;
  st.over = std::move(why);
  if (st.waiting)
    std::exchange(st.waiting, std::nullopt)->deliver(msg::to_error(st.over));
}

void on_page(self_ptr self, msg::event_page& page) {
  auto& st = self->state;
  auto& at = st.shards.at(page.shard);
  const bool news = !at.known || page.position != at.next.after;
  at.known = true;
  at.failures = 0;
  at.next.from = 1;
  at.next.after = page.position;
  at.next.wait = st.deps.read_wait;
  if (!news)
    return read(self, page.shard);
  at.page = std::move(page);
  if (st.waiting)
    deliver(self);
}

void read(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  if (st.over.code != core::errc::none)
    return;
  self->request(st.deps.gateway, st.deps.request_timeout, st.shards.at(shard).next)
      .then([=](msg::event_page& page) { on_page(self, page); },
            [=](const caf::error& error) {
              auto why = msg::failure_of(error);
              if (!core::is_transient(why.code))
                return end(self, std::move(why));
              const auto failures = ++self->state.shards.at(shard).failures;
              self->delayed_send(self, pause_after(failures), read_again{shard});
            });
}

/// Begins with each of `shards`; the first read of a shard does not wait, so that all positions are
/// known soon.
void follow(self_ptr self, const std::vector<core::shard_id>& shards) {
  auto& st = self->state;
  const auto& what = st.deps.what;
  for (const auto shard : shards) {
    auto& next = st.shards[shard].next;
    next.shard = shard;
    next.limit = what.page_events;
    next.step = what.step;
    next.types = what.types;
    next.from = what.only_new ? 3 : 2;
    if (const auto known = what.positions.find(shard); known != what.positions.end()) {
      next.from = 1;
      next.after = known->second;
    }
  }
  for (const auto& [shard, at] : what.positions)
    if (st.shards.count(shard) == 0)
      return end(self, {core::errc::invalid_argument,
                        "there is a position of shard " + std::to_string(shard)
                            + ", which is not followed or does not exist"});
  for (const auto& [shard, at] : st.shards)
    read(self, shard);
}

void count_shards(self_ptr self) {
  const auto& deps = self->state.deps;
  self->request(deps.gateway, deps.request_timeout, msg::get_node_status{})
      .then(
          [=](const msg::node_status& status) {
            std::vector<core::shard_id> all;
            for (core::shard_id shard = 0; shard < status.shards_total; ++shard)
              all.push_back(shard);
            follow(self, all);
          },
          [=](const caf::error& error) {
            auto why = msg::failure_of(error);
            if (!core::is_transient(why.code))
              return end(self, std::move(why));
            self->delayed_send(self, pause_after(++self->state.count_failures), count_again{});
          });
}

caf::result<event_delivery> on_next(self_ptr self, const next_events& question) {
  auto& st = self->state;
  if (st.over.code != core::errc::none)
    return msg::to_error(st.over);
  if (st.waiting) // one asks at a time; the newer question counts
    st.waiting->deliver(event_delivery{});
  auto promise = self->make_response_promise<event_delivery>();
  st.waiting = promise;
  const auto number = ++st.questions;
  if (has_pages(st))
    deliver(self);
  else
    self->delayed_send(self, question.wait, delivery_due{number});
  return promise;
}

} // namespace

event_follower_actor::behavior_type event_follower(self_ptr self, event_follower_deps deps) {
  auto& st = self->state;
  st.deps = std::move(deps);
  self->monitor(st.deps.gateway);
  self->set_down_handler([self](const caf::down_msg& down) {
    end(self, {core::errc::unavailable, "the connection was closed by its owner"});
    self->quit(down.reason);
  });
  if (st.deps.what.shards.empty())
    count_shards(self);
  else
    follow(self, st.deps.what.shards);
  return {
      [self](const next_events& question) { return on_next(self, question); },
      [self](const read_again& again) { read(self, again.shard); },
      [self](const count_again&) { count_shards(self); },
      [self](const delivery_due& due) {
        if (self->state.waiting && self->state.questions == due.question)
          deliver(self);
      },
  };
}

} // namespace holdfast::client
