#pragma once

#include "core/access.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/time.hpp"
#include "core/tracer.hpp"
#include "http/answer_writer.hpp"
#include "http/body_items.hpp"
#include "http/call.hpp"
#include "http/entity_tag.hpp"
#include "http/gateway_client.hpp"
#include "http/open_claims.hpp"
#include "http/open_waits.hpp"
#include "http/problem.hpp"
#include "http/routes.hpp"
#include "http/scopes.hpp"
#include "http/task_queues.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::http {

/// The token that a request shows.
struct shown_token {
  std::string_view text; ///< Empty: none. Lives as long as the call.
  std::string address;   ///< Of the other side, by which guesses are counted.
  bool is_link = false;  ///< The text is a sign-in link, not a token.
};

/// The identity behind a token, or the answer to a request that shows none that is good.
struct identity {
  std::shared_ptr<const core::principal> who; ///< Null: `refused` is the answer.
  response refused{};
  core::instant expires_at{}; ///< Of an API token; the epoch: never, or another kind of token.
};
using identified = std::function<void(identity)>;

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
  /// Gives `then` the identity behind a token, now or later, on any thread.
  std::function<void(const shown_token& shown, identified then)> identify;
  /// Makes the secret of an API token; fails when the system gives no random bytes.
  std::function<core::outcome<std::string>()> make_secret;
  /// SHA-256 in hexadecimal digits of lower case.
  std::function<std::string(std::string_view)> hash;
  /// The time of the cluster; none while it is not known.
  std::function<std::optional<core::instant>()> now;
  std::function<core::uuid()> make_id;
  std::size_t body_bytes_max = 16UL * 1024 * 1024; ///< Of one request.
  /// Requests that wait at the same time. Each has a connection of its own as well.
  std::size_t waits_max = 20'000;
  /// Origins from which pages may load images, audio and video, with blanks between.
  std::string media_origins{};
  /// The `source` of events in the envelope of CloudEvents: a URI reference.
  std::string events_source = "urn:holdfast:cluster";
  /// Takes the spans of requests; null: nothing is traced.
  core::tracer_ptr tracer{};
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

  /// Sends a request to the gateway as `from.who`, whose roles, names and scopes it must fit.
  /// `answered` gets the answer; any failure answers the call with its problem.
  template <class Request, class Then>
  void ask(const visit& from, Request message, Then answered) const;

  /// Whether `from.who` may send this request, for those and about the queue or workflow that it
  /// names; if not, the call has been answered. For what is looked up before a request can be sent.
  template <class Request>
  bool admits(const visit& from, const Request& message) const;

  /// Has `reached` run if the scopes of `from.who` reach the item of a request that `admits` has
  /// let pass; the call has been answered if not. `ask` does so by itself.
  template <class Request>
  void within_reach(const visit& from, const Request& message, std::function<void()> reached) const;

  /// The same in the name of `from.who`, whom the audit log names.
  template <class Request, class Then, class Failed>
  void send_for(const visit& from, Request message, Then answered, Failed failed) const {
    gateway_.ask_for<msg::answer_to<Request>>(*from.who, from.call->trace(), std::move(message),
                                              std::move(answered), std::move(failed));
  }

  /// Has `found` get the step of a unit, whatever the roles of `from.who`; any failure answers the
  /// call, and so does a unit that the scopes of `from.who` do not reach. For requests that leave
  /// the step out: ask `admits` before.
  void look_up_step(const visit& from, core::unit_id unit,
                    std::function<void(core::step_id)> found) const;

  /// Sends a request that `admits` has let pass, or one that follows from it. `failed` gets the
  /// failure, which is the caller's to tell. Not for requests that the audit log names.
  template <class Request, class Then, class Failed>
  void send(Request message, Then answered, Failed failed) const {
    static_assert(!msg::is_audited<Request>,
                  "the audit log is to name the caller: use `ask` or `send_for`");
    gateway_.ask<msg::answer_to<Request>>(std::move(message), std::move(answered),
                                          std::move(failed));
  }

  /// The same of the queue of a task.
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
  void find_step(const visit& from, const msg::get_lineage& page, unsigned pages_left,
                 std::function<void(core::step_id)> found) const;
  /// Has `reached` run if the scopes of `from.who` reach the workflow of a step; the answer to the
  /// call is that there is no such `kind` if not.
  void reach_step(const visit& from, core::step_id step, std::string_view kind,
                  std::function<void()> reached) const;
  /// The failure of a look-up as the answer of the call.
  std::function<void(const core::failure&)> answer_failure(const visit& from,
                                                           std::string_view kind) const;

  template <class Request, class Then>
  void ask_within_scope(const visit& from, Request message, Then answered) const;
  template <class Request, class Then>
  void ask_list(const visit& from, Request next, std::uint32_t limit, unsigned pages_left,
                msg::answer_to<Request> collected, Then answered) const;
  template <class Request, class Then>
  void ask_now(const visit& from, Request message, Then answered) const {
    send_for(from, std::move(message), std::move(answered),
             [from](const core::failure& why) { refuse(from, why); });
  }
  /// A read gets an entity tag; the client that has the answer already gets 304.
  static void answer(const visit& from, response made, const std::string& version);

  door_settings settings_;
  gateway_client gateway_;
  const std::shared_ptr<task_queues> queues_;
  const std::shared_ptr<unit_steps> steps_;
  const std::shared_ptr<step_workflows> workflows_;
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

/// The members by which a request is judged at once.
template <class Request>
scoped_names names_in_scope([[maybe_unused]] const Request& message) {
  scoped_names named;
  if constexpr (reach_of<Request> == reach::by_queue)
    named.queue = &message.queue;
  if constexpr (reach_of<Request> == reach::by_workflow)
    named.workflow = &message.workflow;
  return named;
}

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
  if (auto why = core::objection_to(*from.who, name, named); !why.empty()) {
    from.call->answer(problem_of(refusal::not_allowed, std::move(why)));
    return false;
  }
  if (auto refused = objection_by_scope(*from.who, reach_of<Request>, name,
                                        dispatch::names_in_scope(message))) {
    from.call->answer(std::move(*refused));
    return false;
  }
  return true;
}

template <class Request, class Then>
void door::ask(const visit& from, Request message, Then answered) const {
  if (!admits(from, message))
    return;
  if (from.who->scope.limits())
    ask_within_scope(from, std::move(message), std::move(answered));
  else
    ask_now(from, std::move(message), std::move(answered));
}

template <class Request>
void door::within_reach(const visit& from, [[maybe_unused]] const Request& message,
                        std::function<void()> reached) const {
  constexpr auto how = reach_of<Request>;
  if (!from.who->scope.limits())
    return reached();
  if constexpr (how == reach::by_task) {
    look_up_queue(from, message.task,
                  [reached = std::move(reached)](const core::queue_name&) { reached(); });
  } else if constexpr (how == reach::by_step) {
    if (!message.step) // judged once it has been looked up
      return reached();
    reach_step(from, message.step, "step", std::move(reached));
  } else if constexpr (how == reach::by_unit) {
    look_up_step(from, message.unit, [reached = std::move(reached)](core::step_id) { reached(); });
  } else {
    reached();
  }
}

template <class Request, class Then>
void door::ask_within_scope(const visit& from, Request message, Then answered) const {
  constexpr auto how = reach_of<Request>;
  if constexpr (how == reach::by_task || how == reach::by_step || how == reach::by_unit) {
    const auto asked = std::make_shared<Request>(std::move(message));
    within_reach(from, *asked, [this, from, asked, answered = std::move(answered)]() mutable {
      ask_now(from, std::move(*asked), std::move(answered));
    });
  } else if constexpr (scoped_list<Request>::is_paged) {
    const auto limit = std::exchange(message.limit, scoped_page);
    ask_list(from, std::move(message), limit, scoped_pages_max, {}, std::move(answered));
  } else if constexpr (how == reach::filtered) {
    ask_now(from, std::move(message), [who = from.who, answered](auto& found) mutable {
      keep_in_scope(who->scope, found);
      answered(found);
    });
  } else {
    ask_now(from, std::move(message), std::move(answered));
  }
}

template <class Request, class Then>
void door::ask_list(const visit& from, Request next, std::uint32_t limit, unsigned pages_left,
                    msg::answer_to<Request> collected, Then answered) const {
  using list = scoped_list<Request>;
  auto asked = next;
  ask_now(from, std::move(asked),
          [this, from, next = std::move(next), limit, pages_left, collected = std::move(collected),
           answered = std::move(answered)](msg::answer_to<Request>& page) mutable {
            const bool is_last = list::items(page).size() < next.limit;
            if (!is_last)
              list::go_on_behind(next, list::items(page).back());
            keep_in_scope(from.who->scope, page);
            auto& items = list::items(collected);
            for (auto& one : list::items(page))
              items.push_back(std::move(one));
            if (items.size() < limit && !is_last) {
              if (pages_left > 1)
                return ask_list(from, std::move(next), limit, pages_left - 1, std::move(collected),
                                std::move(answered));
              if (items.empty())
                return from.call->answer(problem_of(core::failure{
                    core::errc::limit_reached,
                    "too many items that the token does not reach come before the next that it "
                    "does: ask for the workflow by its id"}));
            }
            const bool more = items.size() > limit || !is_last;
            if (items.size() > limit)
              items.resize(limit);
            // The rest of the page is about all pages alike.
            list::items(page) = std::move(items);
            list::set_more(page, more);
            answered(page);
          });
}

} // namespace holdfast::http
