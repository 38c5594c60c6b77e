#include "actors/step_search.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "actors/profiles.hpp"
#include "actors/reads.hpp"
#include "actors/stored_items.hpp"

#include <utility>
#include <vector>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<step_search_state>*;

/// Steps that are read at once.
constexpr std::uint32_t page = 200;

/// Who wait for the end of a rebuilding. Nobody needs more.
constexpr std::size_t rebuilding_most = 100;

bool is_over(const core::step_listing& listing) {
  return listing.status == core::step_status::completed
         || listing.status == core::step_status::canceled;
}

/// Tells who wait for a rebuilding that it takes longer. It goes on all the same.
void disappoint(self_ptr self, const std::string& why) {
  for (const auto& promise : std::exchange(self->state.rebuilding, {}))
    promise.deliver(msg::to_error(core::errc::unavailable,
                                  "the steps are listed anew as soon as that is possible: " + why));
}

/// Tells who wait for a rebuilding that all is listed, if it is.
void tell_of_end(self_ptr self) {
  auto& st = self->state;
  if (!st.unread.empty())
    return;
  for (const auto& promise : std::exchange(st.rebuilding, {}))
    promise.deliver(msg::step_index_rebuilt{1, st.listed.size(), true});
}

/// Nothing that is in the directory is to be relied on.
void give_up_all(step_search_state& st) {
  st.lost = true;
  st.unread = st.hosted;
  st.reading.clear();
}

/// All is listed anew, in a while.
void begin_anew(self_ptr self, const core::failure& why) {
  auto& st = self->state;
  give_up_all(st);
  if (!std::exchange(st.told, true)) // once, and not at every try
    st.context->log(log_level::warning, "step_directory_failed", {{"reason", why.detail}});
  disappoint(self, why.detail);
  st.looks.rest(self);
}

void check(self_ptr self, const core::failure& why) {
  if (why.code != core::errc::none)
    begin_anew(self, why);
}

void put(self_ptr self, core::step_listing listing) {
  auto& st = self->state;
  const auto shard = core::shard_of(listing.step, st.context->settings.shards);
  if (st.hosted.count(shard) == 0) // it has left meanwhile
    return;
  if (st.lost) // it is read when the directory has been cleared
    return;
  const bool over = is_over(listing);
  // What a page brings may be older than this: so steps that are over are kept while one is read.
  if (over && !st.looks.looking()) {
    st.listed.erase(listing.step);
    return check(self, st.directory->erase(listing.step));
  }
  auto& known = st.listed[listing.step];
  if (listing.revision >= known.revision)
    known = {listing.revision, over};
  check(self, st.directory->put(std::move(listing)));
}

/// Takes those out of the directory for which `is_out` says so.
template <class Rule>
void take_out(self_ptr self, Rule is_out) {
  auto& st = self->state;
  for (auto at = st.listed.begin(); at != st.listed.end() && !st.lost;) {
    if (!is_out(at->first, at->second)) {
      ++at;
      continue;
    }
    check(self, st.directory->erase(at->first));
    at = st.listed.erase(at);
  }
}

void read_from(self_ptr self, core::step_id after);

void read_if_new(self_ptr self) {
  auto& st = self->state;
  if (st.looks.looking() || st.unread.empty())
    return;
  if (st.lost) {
    if (const auto why = st.directory->clear(); why.code != core::errc::none)
      return begin_anew(self, why);
    st.listed.clear();
    st.lost = false;
  }
  st.looks.begin();
  st.reading = st.unread;
  read_from(self, {});
}

void end_of_reading(self_ptr self) {
  auto& st = self->state;
  st.looks.stop();
  if (st.lost) // by a failure, which is looked after later; else by somebody's wish
    return st.told ? st.looks.rest(self) : read_if_new(self);
  for (const auto shard : st.reading)
    st.unread.erase(shard);
  st.reading.clear();
  take_out(self, [](const core::step_id&, const auto& step) { return step.over; });
  st.told = st.lost;
  tell_of_end(self);
  read_if_new(self);
}

void read_from(self_ptr self, core::step_id after) {
  read(self, self->state.reader,
       [after](persistence::store& db) { return load_listings(db, after, page); })
      .then(
          [=](listings_loaded& loaded) {
            for (auto& listing : loaded.listings)
              put(self, std::move(listing));
            if (loaded.more && !self->state.lost)
              read_from(self, loaded.last);
            else
              end_of_reading(self);
          },
          [=](const core::failure& why) {
            auto& st = self->state;
            st.reading.clear();
            st.looks.fail(self, why);
            disappoint(self, why.detail);
          });
}

void on_left(self_ptr self, const leave_shards& left) {
  auto& st = self->state;
  for (const auto shard : left.shards) {
    st.hosted.erase(shard);
    st.unread.erase(shard);
    st.reading.erase(shard); // should it come back, what is read from now on is not all
  }
  take_out(self, [&](const core::step_id& step, const auto&) {
    return st.hosted.count(core::shard_of(step, st.context->settings.shards)) == 0;
  });
  tell_of_end(self);
}

void on_rebuild(self_ptr self) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  if (st.rebuilding.size() >= rebuilding_most)
    return promise.deliver(
        msg::to_error(core::errc::overloaded, "so many wait for the end of this already"));
  st.rebuilding.push_back(promise);
  if (st.rebuilding.size() > 1)
    return;
  st.context->log(log_level::info, "step_index_rebuilding",
                  {{"steps", std::to_string(st.listed.size())}});
  give_up_all(st);
  tell_of_end(self); // where nothing is hosted
  read_if_new(self);
}

void on_find(self_ptr self, const msg::find_steps& m) {
  const held_promise promise{self->make_response_promise()};
  read_profile(self, self->state.context, self->state.reader, m.contributor)
      .then(
          [=](const persistence::stored_profile& known) {
            auto& st = self->state;
            const auto& profile = known.profile;
            std::optional<core::step_rank> after;
            if (m.after)
              after = core::step_rank{m.after_priority, m.after};
            msg::step_offers offers;
            core::outcome<std::vector<core::step_listing>> listed{
                std::vector<core::step_listing>{}};
            if (!st.lost) // what is lost is filled anew first
              listed =
                  st.directory->find(profile, core::trust_in(profile, known.tests), after, m.limit);
            if (!listed) {
              begin_anew(self, listed.error());
              listed = std::vector<core::step_listing>{};
            }
            for (auto& found : *listed)
              offers.steps.push_back({found.step, found.workflow, std::move(found.key),
                                      std::move(found.title), std::move(found.ui), found.priority});
            offers.complete = st.unread.empty();
            promise.deliver(std::move(offers));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace

caf::behavior step_search(caf::stateful_actor<step_search_state>* self, context_ptr context,
                          caf::actor reader, const caf::actor& shards,
                          const caf::actor& membership) {
  guard(self, context);
  const auto& open = context->settings.open_step_directory;
  self->state.directory = open ? open() : core::open_memory_step_directory();
  self->state.looks = {context, context->settings.writer_retry_max, "steps_not_read"};
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
      [=](upkeep_tick) {
        self->state.looks.rang();
        read_if_new(self);
      },
      [=](list_step& m) { put(self, std::move(m.listing)); },
      [=](const msg::find_steps& m) { on_find(self, m); },
      [=](const msg::rebuild_step_index&) { on_rebuild(self); },
  };
}

} // namespace holdfast::actors
