#include "actors/step_search.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "core/supervision.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<step_search_state>*;

/// Steps that are read at once.
constexpr std::uint32_t page = 200;

bool is_over(const core::step_listing& listing) {
  return listing.status == core::step_status::completed
         || listing.status == core::step_status::canceled;
}

void put(step_search_state& st, core::step_listing listing) {
  const auto shard = core::shard_of(listing.step, st.context->settings.shards);
  if (st.hosted.count(shard) == 0) // it has left meanwhile
    return;
  // What a page brings may be older than this: so steps that are over are kept while one is read.
  if (is_over(listing) && !st.looking)
    st.index.erase(listing.step);
  else
    st.index.put(std::move(listing));
}

void read(self_ptr self, core::step_id after);

void read_if_new(self_ptr self) {
  auto& st = self->state;
  if (st.looking || st.unread.empty())
    return;
  st.looking = true;
  st.reading = st.unread;
  read(self, {});
}

void end_of_reading(self_ptr self) {
  auto& st = self->state;
  for (const auto shard : st.reading)
    st.unread.erase(shard);
  st.reading.clear();
  st.looking = false;
  for (const auto& step : st.index.steps())
    if (is_over(*st.index.find(step)))
      st.index.erase(step);
  read_if_new(self);
}

void read(self_ptr self, core::step_id after) {
  self->request(self->state.reader, internal_timeout, load_listings{after, page})
      .then(
          [=](listings_loaded& loaded) {
            auto& st = self->state;
            st.failing = false;
            for (auto& listing : loaded.listings)
              put(st, std::move(listing));
            if (loaded.more)
              read(self, loaded.last);
            else
              end_of_reading(self);
          },
          [=](const caf::error& error) {
            auto& st = self->state;
            if (!std::exchange(st.failing, true)) // once, and not at every try
              st.context->log(log_level::warning, "steps_not_read",
                              {{"reason", msg::failure_of(error).detail}});
            st.reading.clear();
            st.looking = false;
            self->delayed_send(self, st.context->settings.writer_retry_max, read_tick{});
          });
}

void on_left(self_ptr self, const leave_shards& left) {
  auto& st = self->state;
  for (const auto shard : left.shards) {
    st.hosted.erase(shard);
    st.unread.erase(shard);
    st.reading.erase(shard); // should it come back, what is read from now on is not all
  }
  for (const auto& step : st.index.steps())
    if (st.hosted.count(core::shard_of(step, st.context->settings.shards)) == 0)
      st.index.erase(step);
}

void on_find(self_ptr self, const msg::find_steps& m) {
  const held_promise promise{self->make_response_promise()};
  self->request(self->state.reader, internal_timeout, load_profile{m.contributor})
      .then(
          [=](const profile_loaded& known) {
            const auto& st = self->state;
            const auto& profile = known.stored.profile;
            std::optional<core::step_rank> after;
            if (m.after)
              after = core::step_rank{m.after_priority, m.after};
            msg::step_offers offers;
            for (auto& found : st.index.find(profile, core::trust_in(profile, known.stored.tests),
                                             after, m.limit))
              offers.steps.push_back({found.step, found.workflow, std::move(found.key),
                                      std::move(found.title), std::move(found.ui), found.priority});
            offers.complete = st.unread.empty();
            promise.deliver(std::move(offers));
          },
          [=](caf::error& error) { promise.deliver(std::move(error)); });
}

} // namespace

caf::behavior step_search(caf::stateful_actor<step_search_state>* self, context_ptr context,
                          caf::actor reader, const caf::actor& shards,
                          const caf::actor& membership) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.reader = std::move(reader);
  // In this order: what changes while it is read is told.
  const auto me = caf::actor_cast<caf::actor>(self);
  self->request(shards, caf::infinite, follow_steps{me}).then([=](settled) {
    self->send(membership, follow_hosting{me});
  });
  return {
      [=](const shards_gained& gained) {
        auto& st = self->state;
        st.hosted.insert(gained.shards.begin(), gained.shards.end());
        st.unread.insert(gained.shards.begin(), gained.shards.end());
        read_if_new(self);
      },
      [=](const leave_shards& left) {
        on_left(self, left);
        return settled{};
      },
      [=](read_tick) { read_if_new(self); },
      [=](list_step& m) { put(self->state, std::move(m.listing)); },
      [=](const msg::find_steps& m) { on_find(self, m); },
  };
}

} // namespace holdfast::actors
