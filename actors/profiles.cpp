#include "actors/profiles.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "actors/pending_effects.hpp"
#include "actors/removal_answers.hpp"
#include "documents/member_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace holdfast::actors {

namespace {

struct keeper_state {
  static inline const char* name = "profile_keeper";

  context_ptr context;
  caf::actor writer;
  caf::actor reader;
  pending_effects pending;
};

using keeper_ptr = caf::stateful_actor<keeper_state>*;

core::contributor_profile profile_in(const msg::put_profile& m) {
  core::contributor_profile said{m.channels, m.skills, m.certifications, m.location, {}};
  if (!(m.trust < 0)) // what is no number is refused
    said.trust = m.trust;
  return core::in_order(std::move(said));
}

/// As it is known with the new word, the test questions included.
void answer(keeper_ptr self, const core::contributor_id& contributor, const held_promise& promise) {
  read_profile(self, self->state.context, self->state.reader, contributor)
      .then(
          [=](const persistence::stored_profile& known) {
            promise.deliver(to_view(contributor, known));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

void on_put(keeper_ptr self, const msg::put_profile& m) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  auto said = profile_in(m);
  if (const auto problems = core::problems_of(said); !problems.empty())
    return promise.deliver(msg::to_error(documents::refusal_of(problems)));
  const auto shard = core::shard_of(m.contributor, st.context->settings.shards);
  core::change change;
  change.writes.push_back(core::put_profile{m.contributor, std::move(said), now(self, st.context)});
  st.pending.write(self, st.context, st.writer, {shard, {}, 1}, promise.noted(std::move(change)),
                   [=, who = m.contributor](const core::failure& why) {
                     if (why.code == core::errc::none)
                       answer(self, who, promise);
                     else
                       promise.deliver(msg::to_error(why));
                   });
}

/// As it is stored now; at once for the steps of this node.
void answer_removal(keeper_ptr self, const core::removal& said, const held_promise& promise) {
  read(self, self->state.reader,
       [who = said.contributor](persistence::store& db) {
         return db.list_removals(who, core::removals_per_contributor_max);
       })
      .then(
          [=](const std::vector<core::removal>& all) {
            const auto at = now(self, self->state.context);
            const auto found = std::find_if(
                all.begin(), all.end(), [&](const auto& one) { return one.place == said.place; });
            const auto& known = found == all.end() ? said : *found;
            self->state.context->removals.add(known, at);
            promise.deliver(view_of(known, at));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

void keep_removal(keeper_ptr self, const held_promise& promise, const core::removal& row) {
  auto& st = self->state;
  const auto shard = core::shard_of(row.contributor, st.context->settings.shards);
  core::change change;
  change.writes.push_back(core::put_removal{row});
  st.pending.write(self, st.context, st.writer, {shard, {}, 1}, promise.noted(std::move(change)),
                   [=](const core::failure& why) {
                     if (why.code == core::errc::none)
                       answer_removal(self, row, promise);
                     else
                       promise.deliver(msg::to_error(why));
                   });
}

template <class Request>
void on_removal(keeper_ptr self, const Request& m) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  const auto row = removal_in(m, promise.asked_by(), now(self, st.context));
  if (const auto problems = core::problems_of(row, row.at); !problems.empty())
    return promise.deliver(msg::to_error(documents::refusal_of(problems)));
  read(self, st.reader,
       [row](persistence::store& db) -> core::outcome<bool> {
         auto why = check_exists(db, row.place);
         if (why.code != core::errc::none)
           return why;
         return true;
       })
      .then([=](bool) { keep_removal(self, promise, row); },
            [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

/// Has what it is told written, in order. Its writer takes nothing more from whom it has refused
/// once.
caf::behavior keeper(keeper_ptr self, context_ptr context, caf::actor writer, caf::actor reader) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.writer = std::move(writer);
  self->state.reader = std::move(reader);
  return {
      [=](const msg::put_profile& m) { on_put(self, m); },
      [=](const msg::put_removal& m) { on_removal(self, m); },
      [=](const msg::reinstate_contributor& m) { on_removal(self, m); },
      with_notes(self),
      [=](const write_done& done) {
        if (!self->state.pending.settle(done))
          self->quit(msg::to_error(done.failure));
      },
  };
}

/// That of the lane, which is started when it is asked for.
caf::actor keeper_of(caf::stateful_actor<profiles_state>* self, std::size_t lane) {
  auto& st = self->state;
  if (auto one = st.keepers.find(lane))
    return one;
  const auto started = self->spawn(keeper, st.context, st.writers[lane], st.reader);
  self->monitor(started);
  st.keepers.put(lane, started);
  return started;
}

template <class Request>
void hand_to_keeper(caf::stateful_actor<profiles_state>* self, Request& m) {
  const auto& st = self->state;
  const auto lane = core::shard_of(m.contributor, st.context->settings.shards) % st.writers.size();
  held_promise{self->make_response_promise()}.delegate_noted(keeper_of(self, lane), std::move(m));
}

} // namespace

msg::profile_view to_view(const core::contributor_id& contributor,
                          const persistence::stored_profile& known) {
  const auto& profile = known.profile;
  msg::profile_view view;
  view.contributor = contributor;
  view.channels = profile.channels;
  view.skills = profile.skills;
  view.certifications = profile.certifications;
  view.location = profile.location;
  view.trust = core::trust_in(profile, known.tests);
  view.trust_given = profile.trust.has_value();
  view.tests_right = known.tests.right;
  view.tests_answered = known.tests.answered;
  view.changed_at = known.changed_at.value_or(core::instant{});
  return view;
}

caf::behavior profiles(caf::stateful_actor<profiles_state>* self, context_ptr context,
                       std::vector<caf::actor> writers, caf::actor reader) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.writers = std::move(writers);
  st.reader = std::move(reader);
  self->set_down_handler(
      [=](const caf::down_msg& down) { self->state.keepers.ended(down.source); });
  return {
      [=](msg::put_profile& m) {
        const auto& at = self->state;
        const auto& settings = at.context->settings;
        if (settings.find_profile) {
          self->make_response_promise().deliver(
              msg::to_error(core::errc::wrong_state,
                            "profiles come from elsewhere in this cluster; change it there"));
          return;
        }
        hand_to_keeper(self, m);
      },
      [=](msg::put_removal& m) { hand_to_keeper(self, m); },
      [=](msg::reinstate_contributor& m) { hand_to_keeper(self, m); },
      with_notes(self),
  };
}

} // namespace holdfast::actors
