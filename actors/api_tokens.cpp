#include "actors/api_tokens.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "actors/pending_effects.hpp"
#include "actors/reads.hpp"
#include "actors/token_answers.hpp"
#include "documents/member_reader.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::actors {

namespace {

constexpr std::size_t token_requests_most = 1000; ///< That wait in one lane.

struct token_keeper_state {
  static inline const char* name = "api_token_keeper";

  context_ptr context;
  caf::actor writer;
  caf::actor reader;
  pending_effects pending;
  /// One at a time: each sees what the one before it did.
  std::deque<std::function<void()>> requests;
};

using token_keeper_ptr = caf::stateful_actor<token_keeper_state>*;
using known_token = std::optional<core::api_token>;

void next_token_request(token_keeper_ptr self) {
  auto& requests = self->state.requests;
  requests.pop_front();
  if (!requests.empty())
    requests.front()();
}

/// Decides with what is in the database, has the decision written, and answers by `tell`.
void decide_token(token_keeper_ptr self, core::api_token_id id, const held_promise& promise,
                  const std::function<core::token_decision(const known_token&)>& how,
                  const std::function<void(const core::api_token&)>& tell) {
  auto& requests = self->state.requests;
  if (requests.size() >= token_requests_most)
    return promise.deliver(
        msg::to_error(core::errc::overloaded, "too many changes of tokens are waiting already"));
  requests.push_back([=] {
    const auto refuse = [=](const core::failure& why) {
      promise.deliver(msg::to_error(why));
      next_token_request(self);
    };
    read(self, self->state.reader, [id](persistence::store& db) { return db.load_api_token(id); })
        .then(
            [=](const known_token& known) {
              auto& st = self->state;
              const auto decided = how(known);
              if (decided.refusal != core::errc::none)
                return refuse({decided.refusal, decided.detail});
              if (!decided.writes) {
                tell(decided.token);
                return next_token_request(self);
              }
              core::change change;
              change.writes.push_back(core::put_api_token{decided.token});
              const auto shard = core::shard_of(id, st.context->settings.shards);
              st.pending.write(self, st.context, st.writer, {shard, {}, 1},
                               promise.noted(std::move(change)),
                               [=, token = decided.token](const core::failure& why) {
                                 if (why.code != core::errc::none)
                                   return promise.deliver(msg::to_error(why));
                                 tell(token);
                                 next_token_request(self);
                               });
            },
            refuse);
  });
  if (requests.size() == 1)
    requests.front()();
}

/// Answers with the token.
std::function<void(const core::api_token&)> showing(token_keeper_ptr self,
                                                    const held_promise& promise) {
  return [=](const core::api_token& token) {
    promise.deliver(view_of(token, now(self, self->state.context)));
  };
}

void on_create(token_keeper_ptr self, const msg::create_token& m) {
  const held_promise promise{self->make_response_promise()};
  const auto wanted = token_in(m, now(self, self->state.context));
  if (const auto problems = core::problems_of(wanted); !problems.empty())
    return promise.deliver(msg::to_error(documents::refusal_of(problems)));
  decide_token(
      self, m.token, promise,
      [wanted](const known_token& known) { return core::decide_create(known, wanted); },
      showing(self, promise));
}

void on_revoke(token_keeper_ptr self, const msg::revoke_token& m) {
  const held_promise promise{self->make_response_promise()};
  decide_token(
      self, m.token, promise,
      [=, id = m.token](const known_token& known) {
        return core::decide_revoke(known, id, now(self, self->state.context));
      },
      showing(self, promise));
}

void on_use(token_keeper_ptr self, const msg::note_token_use& m) {
  const held_promise promise{self->make_response_promise()};
  decide_token(
      self, m.token, promise,
      [=](const known_token& known) {
        return core::decide_use(known, now(self, self->state.context));
      },
      [promise, id = m.token](const core::api_token&) {
        promise.deliver(msg::token_use_noted{id});
      });
}

/// Carries out the requests of one lane. Ends after a refused write, since its writer takes nothing
/// more from it then.
caf::behavior token_keeper(token_keeper_ptr self, context_ptr context, caf::actor writer,
                           caf::actor reader) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.writer = std::move(writer);
  self->state.reader = std::move(reader);
  return {
      [=](const msg::create_token& m) { on_create(self, m); },
      [=](const msg::revoke_token& m) { on_revoke(self, m); },
      [=](const msg::note_token_use& m) { on_use(self, m); },
      with_notes(self),
      [=](const write_done& done) {
        if (!self->state.pending.settle(done))
          self->quit(msg::to_error(done.failure));
      },
  };
}

/// Hands a request to the keeper of its lane, which is started when it is asked for.
template <class Message>
void to_keeper(caf::stateful_actor<api_tokens_state>* self, Message& m) {
  auto& st = self->state;
  const auto lane = core::shard_of(m.token, st.context->settings.shards) % st.writers.size();
  auto one = st.keepers.find(lane);
  if (!one) {
    one = self->spawn(token_keeper, st.context, st.writers[lane], st.reader);
    self->monitor(one);
    st.keepers.put(lane, one);
  }
  held_promise{self->make_response_promise()}.delegate_noted(one, std::move(m));
}

} // namespace

caf::behavior api_tokens(caf::stateful_actor<api_tokens_state>* self, context_ptr context,
                         std::vector<caf::actor> writers, caf::actor reader) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.writers = std::move(writers);
  st.reader = std::move(reader);
  self->set_down_handler(
      [=](const caf::down_msg& down) { self->state.keepers.ended(down.source); });
  return {
      [=](msg::create_token& m) { to_keeper(self, m); },
      [=](msg::revoke_token& m) { to_keeper(self, m); },
      [=](msg::note_token_use& m) { to_keeper(self, m); },
      with_notes(self),
  };
}

} // namespace holdfast::actors
