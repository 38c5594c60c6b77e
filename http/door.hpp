#pragma once

#include "core/access.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/answer_writer.hpp"
#include "http/body_items.hpp"
#include "http/call.hpp"
#include "http/entity_tag.hpp"
#include "http/gateway_client.hpp"
#include "http/open_claims.hpp"
#include "http/open_waits.hpp"
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

/// A problem that was answered, for the log.
struct told_problem {
  std::string trace_id;
  unsigned status = 500;
  std::string code;
  std::string method;
  std::string path; ///< Without the query.
};

/// The things that the door needs of the process around it.
struct door_settings {
  /// The principal whose token this is; null for a token that is not good (any more).
  std::function<std::shared_ptr<const core::principal>(std::string_view token)> who_has;
  /// The time of the cluster; none while it is not known.
  std::function<std::optional<core::instant>()> now;
  std::function<core::uuid()> make_id;
  std::size_t body_bytes_max = 16UL * 1024 * 1024; ///< Of one request.
  /// Requests that wait at the same time. Each has a connection of its own as well.
  std::size_t waits_max = 20'000;
  /// Hears of every problem, on any thread; may be null.
  std::function<void(const told_problem&)> on_problem;
};

class event_hub;
class step_lines;

/// One request after its route was found and its caller is known.
struct visit {
  call_ptr call;
  std::shared_ptr<const core::principal> who;
  request_parts parts;
  unsigned success = 200; ///< The status of a good answer, by the route.
  /// Of a body with one item on each line: `parts.body` is the JSON that stands for it.
  std::shared_ptr<const body_items> items{};
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
  /// failure, which is the caller's to tell.
  template <class Request, class Then, class Failed>
  void send(Request message, Then answered, Failed failed) const {
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

  /// Runs `what` where the functions given to `send` run, after `pause`: one after the other.
  void run(std::function<void()> what, core::duration pause = core::duration::zero()) const {
    gateway_.run(std::move(what), pause);
  }

  open_waits& waits() const { return *waits_; }
  /// Both are for functions given to `run` and `send` alone.
  const std::shared_ptr<event_hub>& events() const { return events_; }
  const std::shared_ptr<step_lines>& lines() const { return lines_; }

  /// Answers all requests that wait: the node ends.
  void drain() const { waits_->drain(); }

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
    answer(from, std::move(made), version_in_tag(message));
  }
  /// Answers with the problem of a failure, and the places in the request that it names.
  static void refuse(const visit& from, const core::failure& why) {
    from.call->answer(from.parts.places ? problem_of(why, *from.parts.places) : problem_of(why));
  }

  const door_settings& settings() const { return settings_; }

private:
  /// A read gets an entity tag; the client that has the answer already gets 304.
  static void answer(const visit& from, response made, const std::string& version);

  void look_up_step_in(const visit& from, const msg::get_lineage& page, unsigned pages_left,
                       std::function<void(core::step_id)> found) const;

  door_settings settings_;
  gateway_client gateway_;
  const std::shared_ptr<task_queues> queues_;
  const std::shared_ptr<open_claims> claims_ = std::make_shared<open_claims>();
  const std::shared_ptr<open_waits> waits_;
  const std::shared_ptr<event_hub> events_;
  const std::shared_ptr<step_lines> lines_;
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
  gateway_.ask<msg::answer_to<Request>>(std::move(message), std::move(answered),
                                        [from](const core::failure& why) { refuse(from, why); });
}

} // namespace holdfast::http
