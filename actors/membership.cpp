#include "actors/membership.hpp"

#include "actors/actor_guard.hpp"

#include <algorithm>
#include <numeric>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<membership_state>*;

persistence::store& open(self_ptr self) {
  auto& st = self->state;
  if (!st.store)
    st.store = st.context->settings.open_store();
  return *st.store;
}

/// Sets the clock by the database. False when it cannot be reached.
core::failure follow_clock(self_ptr self) {
  const auto asked = self->clock().now();
  const auto answer = open(self).now();
  if (!answer)
    return answer.error();
  self->state.context->clock.follow(*answer, asked, self->clock().now());
  return {};
}

/// Takes over what it can; `none` when the node hosts every shard.
core::failure join(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  if (auto why = follow_clock(self); why.code != core::errc::none)
    return why;
  if (const auto fixed = open(self).ensure_shards(settings.shards); !fixed)
    return fixed.error();
  const auto& limits = settings.json;
  if (const auto told = open(self).publish_limits({static_cast<std::uint32_t>(limits.bytes_max),
                                                   static_cast<std::uint32_t>(limits.depth_max)});
      !told)
    return told.error();
  if (const auto known =
          open(self).register_node(settings.name, settings.incarnation, settings.address);
      !known)
    return known.error();
  std::vector<core::shard_id> wanted(settings.shards);
  std::iota(wanted.begin(), wanted.end(), 0);
  wanted.erase(std::remove_if(wanted.begin(), wanted.end(),
                              [&](core::shard_id s) {
                                return std::find(st.hosted.begin(), st.hosted.end(), s)
                                       != st.hosted.end();
                              }),
               wanted.end());
  const auto fences =
      open(self).take_over(settings.name, settings.incarnation, wanted, settings.lease_time, false);
  if (!fences)
    return fences.error();
  const auto lanes = st.writers.size();
  std::vector<adopt_shards> adopted(lanes);
  for (const auto& fence : *fences) {
    st.hosted.push_back(fence.shard);
    adopted[fence.shard % lanes].fences.push_back(fence);
  }
  for (std::size_t lane = 0; lane < lanes; ++lane)
    self->send(st.writers[lane], std::move(adopted[lane]));
  st.context->gauges.shards_hosted = static_cast<std::uint32_t>(st.hosted.size());
  if (st.hosted.size() < settings.shards)
    return {core::errc::unavailable,
            "another node hosts " + std::to_string(settings.shards - st.hosted.size()) + " of the "
                + std::to_string(settings.shards) + " shards; waiting for its lease to run out"};
  return {};
}

void try_to_join(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  const auto why = join(self);
  if (why.code == core::errc::none) {
    st.ready = true;
    if (st.context->started_at == core::instant{})
      st.context->started_at = now(self, st.context);
    st.context->log(log_level::info, "shards_hosted",
                    {{"count", std::to_string(st.hosted.size())}});
    for (auto& promise : st.waiting)
      promise.deliver(shards_hosted{st.hosted});
    st.waiting.clear();
    self->delayed_send(self, settings.heartbeat_interval, renew_tick{});
    return;
  }
  st.context->log(log_level::warning, "join_failed", {{"reason", why.detail}});
  if (why.code == core::errc::invalid_argument) {
    self->quit(msg::to_error(why)); // a wrong configuration does not get better by waiting
    return;
  }
  const auto wait =
      core::backoff(++st.attempts, settings.writer_retry_min, settings.writer_retry_max, 1.0);
  self->delayed_send(self, wait, retry_tick{});
}

void renew(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  const auto asked = self->clock().now();
  const auto renewed = open(self).renew(settings.incarnation, settings.lease_time);
  if (renewed) {
    st.context->clock.follow(renewed->now, asked, self->clock().now());
    if (renewed->hosted < st.hosted.size()) {
      self->quit(msg::to_error(core::errc::fenced, "another host has taken shards over"));
      return;
    }
  } else {
    // Not a reason to stop: the epochs fence every write, and nobody else may have noticed.
    st.context->log(log_level::warning, "renewal_failed", {{"reason", renewed.error().detail}});
  }
  self->delayed_send(self, settings.heartbeat_interval, renew_tick{});
}

} // namespace

caf::behavior membership(caf::stateful_actor<membership_state>* self, context_ptr context,
                         std::vector<caf::actor> writers) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.writers = std::move(writers);
  self->send(self, retry_tick{});
  return {
      [=](const retry_tick&) { try_to_join(self); },
      [=](renew_tick) { renew(self); },
      [=](await_shards) -> caf::result<shards_hosted> {
        if (self->state.ready)
          return shards_hosted{self->state.hosted};
        auto promise = self->make_response_promise<shards_hosted>();
        self->state.waiting.push_back(promise);
        return promise;
      },
      [=](resign) -> caf::result<settled> {
        const auto resigned = open(self).resign(self->state.context->settings.incarnation);
        if (!resigned)
          return msg::to_error(resigned.error());
        return settled{};
      },
  };
}

} // namespace holdfast::actors
