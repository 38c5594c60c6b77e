#pragma once

#include "core/access.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/answer_writer.hpp"
#include "http/call.hpp"
#include "http/gateway_client.hpp"
#include "http/open_claims.hpp"
#include "http/problem.hpp"
#include "http/routes.hpp"
#include "http/task_queues.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::http {

/// The things that the door needs of the process around it.
struct door_settings {
  /// The principal whose token this is; null for a token that is not good (any more).
  std::function<std::shared_ptr<const core::principal>(std::string_view token)> who_has;
  /// The time of the cluster; none while it is not known.
  std::function<std::optional<core::instant>()> now;
  std::function<core::uuid()> make_id;
  std::size_t body_bytes_max = 16UL * 1024 * 1024; ///< Of one request.
};

/// One request after its route was found and its caller is known.
struct visit {
  call_ptr call;
  std::shared_ptr<const core::principal> who;
  request_parts parts;
  unsigned success = 200; ///< The status of a good answer, by the route.
};

/// The things that routes do with a request: check the caller, ask the gateway, write the answer.
class door {
public:
  door(door_settings settings, gateway_client gateway);

  /// Sends a request to the gateway as `from.who`, whose roles and names it must fit. `answered`
  /// gets the answer; any failure answers the call with its problem.
  template <class Request, class Then>
  void ask(const visit& from, Request message, Then answered) const;

  /// Whether `from.who` may send this request, for those whom it names; if not, the call has been
  /// answered. For what is looked up before a request can be sent.
  template <class Request>
  bool admits(const visit& from, const Request& message) const;

  /// Has `found` get the step of a unit, whatever the roles of `from.who`; any failure answers the
  /// call. For requests that leave the step out: ask `admits` before.
  void look_up_step(const visit& from, core::unit_id unit,
                    std::function<void(core::step_id)> found) const;

  /// Sends a request that `admits` has let pass, or one that follows from it. `failed` gets the
  /// failure, which is the caller's to tell. Not for requests that the audit log names.
  template <class Request, class Then, class Failed>
  void send(Request message, Then answered, Failed failed) const {
    static_assert(!msg::is_audited<Request>, "the audit log is to name the caller: use `ask`");
    gateway_.ask<msg::answer_to<Request>>(std::move(message), std::move(answered),
                                          std::move(failed));
  }

  /// Has `found` get the queue of a task, whatever the roles of `from.who`; any failure answers the
  /// call. For requests that leave the queue out: ask `admits` before.
  void look_up_queue(const visit& from, core::task_id task,
                     std::function<void(const core::queue_name&)> found) const;
  /// Spares the database the question of `look_up_queue`.
  void remember_queue(core::task_id task, const core::queue_name& queue) const {
    queues_->remember(task, queue);
  }

  /// The turn of a call that claims tasks.
  std::shared_ptr<const open_claims::turn> begin_claim(core::assignment_id claim) const {
    return std::make_shared<const open_claims::turn>(claims_, claim);
  }

  /// Answers with a message, under the status of the route.
  template <class Answer>
  void answer(const visit& from, Answer& message) const {
    answer(from, message, from.success);
  }
  template <class Answer>
  void answer(const visit& from, Answer& message, unsigned status) const {
    response made;
    made.status = status;
    made.body = to_json(message, settings_.now().value_or(from.parts.now));
    from.call->answer(std::move(made));
  }

  const door_settings& settings() const { return settings_; }

private:
  void look_up_step_in(const visit& from, const msg::get_lineage& page, unsigned pages_left,
                       std::function<void(core::step_id)> found) const;

  door_settings settings_;
  gateway_client gateway_;
  const std::shared_ptr<task_queues> queues_;
  const std::shared_ptr<open_claims> claims_ = std::make_shared<open_claims>();
};

namespace dispatch {

template <class Message, class = void>
constexpr bool names_contributor = false;
template <class Message>
constexpr bool
    names_contributor<Message, std::void_t<decltype(std::declval<Message>().contributor)>> = true;
template <class Message, class = void>
constexpr bool names_worker = false;
template <class Message>
constexpr bool names_worker<Message, std::void_t<decltype(std::declval<Message>().worker)>> = true;

} // namespace dispatch

template <class Request>
bool door::admits(const visit& from, const Request& message) const {
  core::named_in_request named;
  if constexpr (dispatch::names_contributor<Request>)
    named.contributor = &message.contributor;
  if constexpr (dispatch::names_worker<Request>)
    named.worker = &message.worker;
  // Without the version in front: the access table has the bare name.
  constexpr std::string_view prefix = "hf1.";
  const auto name =
      std::string_view{wire_name(static_cast<const Request*>(nullptr))}.substr(prefix.size());
  auto why = core::objection_to(*from.who, name, named);
  if (why.empty())
    return true;
  from.call->answer(problem_of(refusal::not_allowed, std::move(why)));
  return false;
}

template <class Request, class Then>
void door::ask(const visit& from, Request message, Then answered) const {
  if (!admits(from, message))
    return;
  gateway_.ask_for<msg::answer_to<Request>>(
      *from.who, std::move(message), std::move(answered),
      [call = from.call](const core::failure& why) { call->answer(problem_of(why)); });
}

} // namespace holdfast::http
