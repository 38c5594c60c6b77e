#pragma once

#include "core/access.hpp"
#include "core/errors.hpp"
#include "core/time.hpp"
#include "messages/errors.hpp"
#include "messages/interfaces.hpp"
#include "messages/traced_author.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace holdfast::http {

/// A function that an actor of the door runs in its own thread.
struct errand {
  std::function<void(caf::event_based_actor* self)> run;
};

/// Sends requests to the gateway from threads that are no actors. One actor asks for all: an
/// answer that waits costs an entry of its table, and no thread. Copies share the actor.
class gateway_client {
public:
  explicit gateway_client(caf::actor_system& system);

  /// Requests from now on go to this gateway: a supervised one may have been started again.
  void reach(const msg::gateway_actor& gateway);

  /// `answered` gets an `Answer&`, `failed` a `const core::failure&`; one of them runs once, in a
  /// thread of actors, and must not block.
  template <class Answer, class Request, class Answered, class Failed>
  void ask(Request message, Answered answered, Failed failed) const {
    request<Answer>(caf::make_message(std::move(message)), std::move(answered), std::move(failed));
  }

  /// The same for a principal, whom the audit log names where the request is audited, and under a
  /// span, if there is one.
  template <class Answer, class Request, class Answered, class Failed>
  void ask_for(const core::principal& who, const core::trace_ptr& trace, Request message,
               Answered answered, Failed failed) const {
    if constexpr (!msg::only_reads<Request>)
      if (trace)
        return request<Answer>(
            caf::make_message(
                msg::traced_author{trace, msg::is_audited<Request> ? core::label_of(who) : ""},
                std::move(message)),
            std::move(answered), std::move(failed));
    if constexpr (msg::is_audited<Request>)
      request<Answer>(caf::make_message(msg::author{core::label_of(who)}, std::move(message)),
                      std::move(answered), std::move(failed));
    else
      ask<Answer>(std::move(message), std::move(answered), std::move(failed));
  }

  /// Runs `what` in the thread of the actor, after `pause`. Functions that are given to `ask` and
  /// to this run one after the other.
  void run(std::function<void()> what, core::duration pause = core::duration::zero()) const;

  /// Ends the actor, and returns when none of its functions runs any more. Requests that wait are
  /// forgotten. To be called on one copy, when nobody asks any more.
  void stop();

private:
  struct reached;

  template <class Answer, class Answered, class Failed>
  void request(caf::message message, Answered answered, Failed failed) const {
    auto gateway = gateway_of();
    if (!gateway)
      return failed(core::failure{core::errc::unavailable, "the node is not ready yet"});
    // Untyped: the gateway has one handler for each row of the table, and comparing all of them
    // for each request costs the compiler more than all else here.
    send({[gateway = std::move(gateway), message = std::move(message),
           answered = std::move(answered),
           failed = std::move(failed)](caf::event_based_actor* self) mutable {
      self->request(gateway, caf::infinite, std::move(message))
          .then([answered = std::move(answered)](Answer& answer) mutable { answered(answer); },
                [failed = std::move(failed)](const caf::error& why) mutable {
                  failed(msg::failure_of(why));
                });
    }});
  }

  caf::actor gateway_of() const;
  void send(errand what) const;

  caf::actor asker_;
  std::shared_ptr<reached> reached_;
};

} // namespace holdfast::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::http::errand)
