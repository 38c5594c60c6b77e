#include "actors/gateway.hpp"

#include "actors/actor_guard.hpp"
#include "actors/audit_answers.hpp"
#include "actors/audit_subjects.hpp"
#include "actors/backpressure.hpp"
#include "actors/held_promise.hpp"
#include "actors/node_answers.hpp"
#include "actors/outside.hpp"
#include "actors/payloads.hpp"
#include "actors/queue_action_answers.hpp"
#include "actors/reads.hpp"
#include "actors/removal_answers.hpp"
#include "actors/request_author.hpp"
#include "actors/request_checks.hpp"
#include "actors/request_note.hpp"
#include "actors/routing_messages.hpp"
#include "actors/task_answers.hpp"
#include "actors/token_answers.hpp"
#include "actors/webhook_answers.hpp"
#include "actors/work_answers.hpp"
#include "actors/workflow_results.hpp"
#include "core/queue_meter.hpp"
#include "core/queue_schedules.hpp"
#include "core/repair.hpp"
#include "core/unit_tasks.hpp"
#include "core/webhook.hpp"
#include "core/workflow.hpp"
#include "documents/json.hpp"
#include "documents/new_workflow_document.hpp"
#include "documents/task_words.hpp"
#include "documents/workflow_check.hpp"
#include "messages/long_poll.hpp"
#include "messages/operations.hpp"
#include "messages/protocol.hpp"

#include <caf/send.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = node_gateway_actor::stateful_pointer<gateway_state>;
using actors::check; // of requests that the database answers

constexpr std::uint32_t contributors_page_max = 1000;
constexpr std::uint32_t tasks_max = 10000;  ///< In one request.
constexpr std::uint32_t claimed_max = 1000; ///< In one answer.
constexpr std::size_t types_max = 100;      ///< That one request names.
constexpr std::uint32_t events_page_max = 1000;
constexpr std::uint32_t dead_letters_replayed_max = 1000;
constexpr core::duration retry_after_max = std::chrono::hours{24};
core::failure check_verb(std::uint8_t verb) {
  if (verb >= 1 && verb <= 3)
    return {};
  return invalid("verb must be 1 (pause), 2 (resume) or 3 (cancel)");
}

// --- one check per request; those of requests that the database answers stand beside their answers
// ---

core::failure check(const msg::ask_assignment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.assignment, "assignment"),
                   check_worker_of_units(m.contributor)});
}
core::failure check(const msg::release_assignment& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.unit, "unit"), check_worker_of_units(m.contributor)});
}
core::failure check(const msg::extend_assignment& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.unit, "unit"), check_worker_of_units(m.contributor)});
}
core::failure check(const msg::submit_judgment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.judgment, "judgment"), check_worker_of_units(m.contributor)});
}
core::failure check_wait(core::duration wait) {
  return wait >= core::duration::zero() && wait <= msg::wait_max
             ? core::failure{}
             : invalid("wait must be between 0 and 60 seconds");
}
core::failure check(const msg::await_units& m) {
  return first_of({check_id(m.step, "step"), check_wait(m.wait)});
}
core::failure check(const msg::put_profile& m) { return check_worker_of_units(m.contributor); }
core::failure check(const msg::find_steps& m) {
  return first_of({check_worker_of_units(m.contributor), check_limit(m.limit, steps_page_max)});
}
core::failure check(const msg::rebuild_step_index&) { return {}; }
core::failure check(const msg::end_session& m) { return check_contributor(m.contributor); }
core::failure check(const msg::add_source_data& m) { return check_id(m.step, "step"); }
core::failure check(const msg::load_source_data& m) { return check_id(m.step, "step"); }
core::failure check(const msg::add_test_questions& m) { return check_id(m.step, "step"); }
core::failure check(const msg::remove_contributor& m) {
  return first_of({check_id(m.step, "step"), check_contributor(m.contributor)});
}
core::failure check(const msg::forgive_question& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit")});
}
core::failure check(const msg::repair_contributor& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.repair, "repair"), check_contributor(m.contributor),
       core::names_a_question(m.contributor)
           ? invalid("contributor must not begin with 'question:'; send repair_question")
           : core::failure{}});
}
core::failure check(const msg::repair_question& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.repair, "repair"), check_id(m.unit, "unit")});
}
core::failure check_reason(const std::string& reason) {
  return documents::check_text(reason, "reason", core::correction_reason_bytes_max);
}
core::failure check(const msg::reopen_unit& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.correction, "correction"),
                   m.judgments >= 1 && m.judgments <= core::reopen_judgments_max
                       ? core::failure{}
                       : invalid("judgments must be between 1 and "
                                 + std::to_string(core::reopen_judgments_max)),
                   check_reason(m.reason)});
}
core::failure check(const msg::override_result& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.correction, "correction"), check_reason(m.reason)});
}
core::failure check(const msg::taint_judgment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.judgment, "judgment"), check_id(m.correction, "correction"),
                   check_reason(m.reason)});
}
core::failure check(const msg::reinstate_judgment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.judgment, "judgment"), check_id(m.correction, "correction"),
                   check_reason(m.reason)});
}
core::failure check(const msg::correct_judgment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.judgment, "judgment"), check_worker_of_units(m.contributor),
                   m.number >= 1
                       ? core::failure{}
                       : invalid("number must be 1 for the first correction of the judgment")});
}
core::failure check(const msg::list_contributors& m) {
  return first_of({check_id(m.step, "step"), check_limit(m.limit, contributors_page_max)});
}
core::failure check(const msg::get_feedback& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.unit, "unit"), check_contributor(m.contributor)});
}
core::failure check(const msg::explain_unit& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   m.contributor.empty() ? core::failure{} : check_contributor(m.contributor)});
}
core::failure check(const msg::explain_contributor& m) {
  return first_of({check_id(m.step, "step"), check_contributor(m.contributor)});
}
core::failure check(const msg::get_step_quality& m) { return check_id(m.step, "step"); }
core::failure check(const msg::update_workflow& m) { return check_id(m.step, "step"); }
core::failure check(const msg::job_status_changed& m) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max(); // as the database has it
  return first_of(
      {check_id(m.workflow, "workflow"),
       m.revision >= 1 && m.revision <= most
           ? core::failure{}
           : invalid("revision must be between 1 and " + std::to_string(most)),
       m.status >= 1 && m.status <= 4
           ? core::failure{}
           : invalid("status must be 1 (launched), 2 (paused), 3 (finished) or 4 (canceled)")});
}
core::failure check(const msg::seal_step& m) { return check_id(m.step, "step"); }
core::failure check(const msg::change_step& m) {
  return first_of({check_id(m.step, "step"), check_verb(m.verb)});
}
core::failure check(const msg::change_unit& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"), check_verb(m.verb)});
}

core::failure check_worker(const core::worker_id& worker) {
  return documents::check_text(worker, "worker", core::contributor_id_bytes_max);
}
core::failure check_number(std::size_t tasks) {
  return tasks <= tasks_max
             ? core::failure{}
             : core::failure{core::errc::too_large,
                             "at most " + std::to_string(tasks_max) + " tasks in one request"};
}

core::failure check(const msg::put_queue& m) { return check_queue(m.queue); }
core::failure check(const msg::pause_queue& m) {
  return first_of({check_queue(m.queue),
                   m.type.empty()
                       ? core::failure{}
                       : documents::check_text(m.type, "type", core::task_word_bytes_max)});
}
core::failure check(const msg::remove_queue& m) { return check_queue(m.queue); }
core::failure check(const msg::get_queue_metrics& m) {
  const bool known = m.window >= core::queue_meter::slot && m.window <= core::queue_meter::longest;
  return first_of(
      {check_queue(m.queue),
       known ? core::failure{} : invalid("window must be between 10 seconds and 5 minutes")});
}
core::failure check(const msg::enqueue_tasks& m) {
  return first_of({check_queue(m.queue), check_number(m.tasks.size())});
}
core::failure check(const msg::enqueue_envelopes& m) {
  return first_of({check_queue(m.queue), check_number(m.envelopes.size())});
}
core::failure check(const msg::await_task& m) {
  return first_of(
      {check_queue(m.queue), check_id(m.task, "task"), check_id(m.id, "id"), check_wait(m.wait)});
}
core::failure check(const msg::explain_task& m) {
  return first_of({check_queue(m.queue), check_id(m.task, "task")});
}
core::failure check(const msg::change_task& m) {
  const bool known = m.verb >= 1 && m.verb <= 4;
  return first_of({check_queue(m.queue), check_id(m.task, "task"),
                   known ? core::failure{}
                         : invalid("verb must be 1 (pause), 2 (resume), 3 (cancel) or 4 (retry)")});
}
core::failure check(const msg::eject_task& m) {
  return first_of({check_queue(m.queue), check_id(m.task, "task"),
                   m.worker.empty() ? core::failure{} : check_worker(m.worker),
                   m.worker.empty() ? core::failure{} : check_id(m.claim, "claim")});
}
core::failure check(const msg::redrive_tasks& m) {
  return first_of({check_queue(m.queue), check_limit(m.limit, claimed_max)});
}
core::failure check(const msg::start_queue_action& m) {
  const auto row = row_of(m);
  return first_of({check_queue(m.queue), check_id(m.action, "action"),
                   m.kind >= 1 && m.kind <= 5
                       ? core::failure{}
                       : invalid("kind must be 1 (pause), 2 (resume), 3 (cancel), 4 (retry) or 5"
                                 " (redrive)"),
                   check_filter(m.filter), core::check_filter(row.kind, row.filter)});
}
core::failure check(const msg::stop_queue_action& m) {
  return first_of({check_queue(m.queue), check_id(m.action, "action")});
}
core::failure check_schedule(const std::string& name) {
  return documents::check_text(name, "name", core::task_word_bytes_max);
}
core::failure check(const msg::put_schedule& m) {
  return first_of({check_queue(m.queue), check_schedule(m.name)});
}
core::failure check(const msg::remove_schedule& m) {
  return first_of({check_queue(m.queue), check_schedule(m.name)});
}
core::failure check(const msg::preview_schedule& m) {
  return first_of(
      {check_queue(m.queue), check_schedule(m.name), check_limit(m.count, core::previewed_most)});
}
core::failure check(const msg::run_schedule& m) {
  return first_of({check_queue(m.queue), check_schedule(m.name), check_id(m.task, "task")});
}
core::failure check(const msg::list_schedules& m) {
  return first_of({check_queue(m.queue), check_limit(m.limit, core::schedules_most)});
}
core::failure check(const msg::claim_tasks& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.claim, "claim"),
                   m.most >= 1 && m.most <= claimed_max
                       ? core::failure{}
                       : invalid("most must be between 1 and " + std::to_string(claimed_max)),
                   m.types.size() <= types_max
                       ? core::failure{}
                       : invalid("at most " + std::to_string(types_max) + " types"),
                   check_wait(m.wait)});
}
core::failure check(const msg::extend_tasks& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_number(m.tasks.size())});
}
core::failure check(const msg::save_task& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.task.task, "task")});
}
core::failure check(const msg::save_task_in_order& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.task.task, "task"),
                   m.number > 0 && m.number <= bigint_max
                       ? core::failure{}
                       : invalid("number must be between 1 and 2^63 - 1")});
}
core::failure check(const msg::release_task& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.task.task, "task")});
}
core::failure check(const msg::complete_tasks& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_number(m.tasks.size())});
}
core::failure check(const msg::follow_task& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker),
                   check_id(m.done.task.task, "done.task"), check_id(m.claim, "claim")});
}
core::failure check(const msg::fail_task& m) {
  const bool known = m.kind >= 1 && m.kind <= 3;
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.task.task, "task"),
                   known ? core::failure{}
                         : invalid("kind must be 1 (transient), 2 (permanent) or 3 (rate limited)"),
                   documents::check_text(m.error_code, "error_code", core::task_word_bytes_max),
                   m.retry_after >= core::duration::zero() && m.retry_after <= retry_after_max
                       ? core::failure{}
                       : invalid("retry_after must be between 0 and 24 hours")});
}

core::failure check_types(const std::vector<std::string>& types) {
  if (types.size() > types_max)
    return invalid("at most " + std::to_string(types_max) + " types");
  for (const auto& name : types)
    if (!core::event_type_named(name))
      return invalid("types: there are no events of the type " + name.substr(0, 64));
  return {};
}
core::failure check(const msg::read_events& m) {
  return first_of(
      {m.from >= 1 && m.from <= 3 ? core::failure{}
                                  : invalid("from must be 1 (after), 2 (oldest) or 3 (newest)"),
       check_limit(m.limit, events_page_max), check_types(m.types), check_wait(m.wait)});
}

core::failure check(const msg::put_webhook& m) { return check_webhook(m.name); }
core::failure check(const msg::change_webhook& m) {
  return first_of(
      {check_webhook(m.name), m.verb >= 1 && m.verb <= 3
                                  ? core::failure{}
                                  : invalid("verb must be 1 (pause), 2 (resume) or 3 (remove)")});
}
core::failure check(const msg::replay_webhook& m) {
  return first_of({check_webhook(m.name), check_limit(m.limit, dead_letters_replayed_max),
                   m.what >= 1 && m.what <= 3
                       ? core::failure{}
                       : invalid("what must be 1 (deliver dead letters), 2 (forget them) or 3"
                                 " (deliver what is behind a position)")});
}

/// Whether a request may come in now.
core::failure admit(self_ptr self, bool needs_room) {
  const auto& st = self->state;
  if (st.draining)
    return {core::errc::unavailable,
            "the node is shutting down; use another one or wait for its return"};
  return needs_room ? room_to_write(*st.context) : core::failure{};
}

template <class Message, class = void>
constexpr bool names_contributor = false;
template <class Message>
constexpr bool
    names_contributor<Message, std::void_t<decltype(std::declval<Message>().contributor)>> = true;
template <class Message, class = void>
constexpr bool names_worker = false;
template <class Message>
constexpr bool names_worker<Message, std::void_t<decltype(std::declval<Message>().worker)>> = true;

/// The label of the principal behind the request in hand. Empty: the node itself has sent it, or a
/// node that names no authors.
std::string author_of(self_ptr self) {
  const auto& st = self->state;
  return st.author.empty() && st.links.door ? label_of_sender(self) : st.author;
}

/// For requests that this node decides.
template <class Message>
request_note note_of(self_ptr self, const Message& m) {
  request_note note;
  const auto& st = self->state;
  if (const auto& tracer = st.context->settings.tracer; tracer && st.trace)
    note.decision =
        std::make_shared<decision_span>(tracer, *st.trace, bare_name<Message>(self->system()));
  if constexpr (msg::is_audited<Message>) {
    if (auto who = author_of(self); !who.empty()) {
      auto subject = subject_of(m);
      note.audit = std::make_shared<const core::insert_audit>(core::insert_audit{
          now(self, st.context), std::move(who), bare_name<Message>(self->system()),
          std::move(subject.item), std::string{subject.outcome}});
    }
  }
  return note;
}

/// Whether the sender's certificate lets it speak for whom `m` names, and whether it is known who
/// the audit log is to name. Roles alone are a matter of the link, which has judged every message
/// that comes from outside.
template <class Message>
core::failure check_sender(self_ptr self, const Message& m) {
  if constexpr (names_contributor<Message> || names_worker<Message> || msg::is_audited<Message>) {
    const auto& st = self->state;
    const auto& who_is = what_is_outside().who_is;
    const auto& sender = self->current_sender();
    if (!who_is || !st.links.door || !sender || sender->node() == self->node())
      return {};
    const auto who = who_is(sender->node());
    if (!who)
      return {core::errc::unavailable, "the connection over which this came is closed"};
    core::named_in_request named;
    if constexpr (names_contributor<Message>)
      named.contributor = &m.contributor;
    if constexpr (names_worker<Message>)
      named.worker = &m.worker;
    if (auto why = core::objection_to(*who, bare_name<Message>(self->system()), named);
        !why.empty())
      return invalid(std::move(why));
  }
  return {};
}

/// Where a request goes that the host of its shard decides.
enum class way { here, elsewhere, nowhere };

template <class Message>
way way_of(self_ptr self, const Message& m) {
  const auto& st = self->state;
  const auto& context = *st.context;
  if (context.hosting.here(msg::shard_of_request(m, context.settings.shards), self->clock().now()))
    return way::here;
  return st.links.peer_nodes ? way::elsewhere : way::nowhere;
}

core::failure not_here() {
  return {core::errc::unavailable, "this node does not host the shard any more"};
}

/// Why `m` may not come in now; `none` when it may.
template <class Message>
core::failure objection(self_ptr self, const Message& m, bool needs_room) {
  auto why = admit(self, needs_room);
  if (why.code == core::errc::none)
    why = check_sender(self, m);
  return why.code == core::errc::none ? check(m) : why;
}

/// Checks `m` and hands it to `target`, who answers in the gateway's place.
template <class Message>
caf::result<msg::answer_to<Message>> hand_on(self_ptr self, const caf::actor& target, Message& m) {
  if (const auto why = objection(self, m, msg::needs_room<Message>); why.code != core::errc::none)
    return msg::to_error(why);
  auto promise = self->template make_response_promise<msg::answer_to<Message>>();
  promise.delegate(target, std::move(m));
  return promise;
}

/// An answer of the database whose texts may be in the object store has `payloads_of`.
template <class Answer, class = void>
constexpr bool has_payloads = false;
template <class Answer>
constexpr bool has_payloads<Answer, std::void_t<decltype(payloads_of(std::declval<Answer&>()))>> =
    true;

/// Answers as soon as the documents that the answer refers to stand in their place. One that is
/// missing or damaged shows as its reference: what else is known is told all the same.
template <class Answer>
void deliver_whole(self_ptr self, const held_promise& promise, Answer& found) {
  if constexpr (has_payloads<Answer>) {
    const auto whole = std::make_shared<Answer>(std::move(found));
    get_payloads(self, self->state.links.objects, payloads_of(*whole), internal_timeout,
                 [=](const std::vector<core::failure>& outcomes) {
                   for (const auto& why : outcomes)
                     if (why.code != core::errc::none && !is_lost(why))
                       return promise.deliver(msg::to_error(why));
                   promise.deliver(std::move(*whole));
                 });
  } else {
    promise.deliver(std::move(found));
  }
}

/// Checks `m` and has a reader answer it. A list may take its time: nobody but the client knows how
/// long it waits.
template <class Message>
caf::result<msg::answer_to<Message>> from_database(self_ptr self, Message& m) {
  if (const auto why = objection(self, m, msg::needs_room<Message>); why.code != core::errc::none)
    return msg::to_error(why);
  auto promise = self->template make_response_promise<msg::answer_to<Message>>();
  const held_promise held{promise};
  const auto& st = self->state;
  read(
      self, st.links.reader,
      [context = st.context, m = std::move(m)](persistence::store& db) {
        return answer(context->settings, db, m);
      },
      caf::infinite)
      .then([=](msg::answer_to<Message>& found) { deliver_whole(self, held, found); },
            [=](const core::failure& why) { held.deliver(msg::to_error(why)); });
  return promise;
}

template <class Message>
routed to_its_item(Message& m, request_note note = {}) {
  auto item = msg::place_of<Message>::item(m);
  if (note)
    return route_to(std::move(item),
                    noted_request{std::move(note), caf::make_message(std::move(m))});
  return route_to(std::move(item), std::move(m));
}

template <class Message, class Promise>
void hand_with_note(const caf::actor& to, Message& m, Promise promise, request_note note) {
  if (note)
    promise.delegate(to, noted_request{std::move(note), caf::make_message(std::move(m))});
  else
    promise.delegate(to, std::move(m));
}

/// Hands a request that is decided in this node to the actor that takes it.
template <class Message, class Promise>
void decide_here(const gateway_links& to, Message& m, Promise promise, request_note note) {
  if constexpr (msg::is_one_of<Message, msg::ask_assignment, msg::submit_judgment,
                               msg::release_assignment, msg::extend_assignment,
                               msg::explain_contributor>)
    promise.delegate(to.owners, std::move(m));
  else if constexpr (msg::is_one_of<Message, msg::put_profile, msg::put_removal,
                                    msg::reinstate_contributor>)
    hand_with_note(to.profiles, m, promise, std::move(note));
  else if constexpr (msg::is_one_of<Message, msg::create_token, msg::revoke_token,
                                    msg::note_token_use>)
    hand_with_note(to.api_tokens, m, promise, std::move(note));
  else if constexpr (std::is_same_v<Message, msg::read_events>)
    promise.delegate(to.feed, std::move(m));
  else if constexpr (msg::is_one_of<Message, msg::put_webhook, msg::change_webhook,
                                    msg::replay_webhook>)
    hand_with_note(to.webhooks, m, promise, std::move(note));
  else
    promise.delegate(to.shards, to_its_item(m, std::move(note)));
}
/// With a contributor it is about their limits, too, which only their session knows.
template <class Promise>
void decide_here(const gateway_links& to, msg::explain_unit& m, Promise promise,
                 const request_note&) {
  if (m.contributor.empty())
    promise.delegate(to.shards, to_its_item(m));
  else
    promise.delegate(to.owners, std::move(m));
}
/// A door says of a claim that it came from afar.
template <class Promise>
void decide_here(const gateway_links& to, msg::claim_tasks& m, Promise promise, request_note note) {
  if (to.door) {
    promise.delegate(to.shards, to_its_item(m, std::move(note)));
  } else {
    hosted_item queue{m.queue};
    promise.delegate(to.shards, route_to(std::move(queue), distant_claim{std::move(m)}));
  }
}

/// How long the host of another node may take to answer.
template <class Request>
core::duration answer_time(const Request&) {
  return internal_timeout;
}
core::duration answer_time(const msg::claim_tasks& claim) { return internal_timeout + claim.wait; }
core::duration answer_time(const msg::await_task& m) { return internal_timeout + m.wait; }
core::duration answer_time(const msg::await_units& m) { return internal_timeout + m.wait; }
core::duration answer_time(const msg::read_events& read) { return internal_timeout + read.wait; }

/// With its author, if there is one to be told.
template <class Message>
forwarded to_other_node(self_ptr self, Message& m, core::duration time) {
  const auto shards = self->state.context->settings.shards;
  if constexpr (msg::is_audited<Message>)
    if (auto who = author_of(self); !who.empty())
      return forward(msg::author{std::move(who)}, std::move(m), shards, time);
  return forward(std::move(m), shards, time);
}

/// Checks `m` and hands it to the host of its shard, in this node or another. The load of another
/// node is its own affair.
template <class Message>
caf::result<msg::answer_to<Message>> to_host(self_ptr self, Message& m) {
  const auto& st = self->state;
  const auto shards = st.context->settings.shards;
  if constexpr (std::is_same_v<msg::place_of<Message>, msg::host_of_named_shard>)
    if (m.shard >= shards)
      return msg::to_error(invalid("shard must be below " + std::to_string(shards)));
  const auto where = way_of(self, m);
  if (where == way::nowhere)
    return msg::to_error(not_here());
  const bool waits_for_room = msg::needs_room<Message> && where == way::here;
  if (const auto why = objection(self, m, waits_for_room); why.code != core::errc::none)
    return msg::to_error(why);
  if (where == way::here) {
    auto note = note_of(self, m); // before the promise, which takes the sender along
    auto promise = self->template make_response_promise<msg::answer_to<Message>>();
    decide_here(st.links, m, promise, std::move(note));
    return promise;
  }
  auto elsewhere = to_other_node(self, m, answer_time(m)); // as above
  auto promise = self->template make_response_promise<msg::answer_to<Message>>();
  promise.delegate(st.links.peer_nodes, std::move(elsewhere));
  return promise;
}

/// Asks every node, where there are others: each one answers for the items that it hosts.
template <class Message>
caf::result<msg::answer_to<Message>> to_every_node(self_ptr self, Message& m) {
  const auto& to = self->state.links;
  const auto& here = std::is_same_v<Message, msg::end_session> ? to.owners : to.shards;
  const bool alone = !to.peer_nodes || self->state.context->hosting.alone();
  return hand_on(self, alone ? here : to.peer_nodes, m);
}

// --- one handler per operation: those that need more than their row says, and all others ---

caf::result<msg::workflow_created> handle(self_ptr self, msg::create_workflow& m) {
  auto& st = self->state;
  const auto where = way_of(self, m);
  if (where == way::nowhere)
    return msg::to_error(not_here());
  if (auto why = first_of({admit(self, where == way::here), check_sender(self, m),
                           check_id(m.workflow, "workflow")});
      why.code != core::errc::none)
    return msg::to_error(why);
  if (where == way::elsewhere) {
    auto request = to_other_node(self, m, internal_timeout);
    auto promise = self->make_response_promise<msg::workflow_created>();
    promise.delegate(st.links.peer_nodes, std::move(request));
    return promise;
  }
  auto document = documents::parse_new_workflow(m.definition, st.context->settings.json);
  if (!document)
    return msg::to_error(document.error());
  auto note = note_of(self, m);
  auto promise = self->make_response_promise<msg::workflow_created>();
  promise.delegate(st.links.shards, new_workflow{std::move(m), std::move(document->definition),
                                                 std::move(document->text), std::move(note)});
  return promise;
}

/// A lifecycle system knows of workflows and not of steps: the first one of this is looked up.
caf::result<msg::job_status_noted> handle(self_ptr self, msg::job_status_changed& m) {
  auto& st = self->state;
  if (m.step)
    return to_host(self, m);
  if (auto why = first_of({admit(self, false), check(m)}); why.code != core::errc::none)
    return msg::to_error(why);
  auto promise = self->make_response_promise<msg::job_status_noted>();
  const held_promise held{promise};
  read(self, st.links.reader,
       [context = st.context, workflow = m.workflow](persistence::store& db) {
         return answer(context->settings, db, msg::get_workflow{workflow, 0});
       })
      .then(
          [=, asked = m, who = st.author](const msg::workflow_view& found) mutable {
            const auto me = caf::actor_cast<caf::actor>(self);
            asked.step = found.steps.front().step;
            if (who.empty())
              held.delegate(me, asked);
            else
              held.take().delegate(me, msg::author{std::move(who)}, asked);
          },
          [=](const core::failure& why) { held.deliver(msg::to_error(why)); });
  return promise;
}

template <class Request>
caf::result<msg::answer_to<Request>> add_rows(self_ptr self, Request& m) {
  const auto rows_max = self->state.context->settings.rows_max;
  if (m.rows.size() > rows_max)
    return msg::to_error(core::errc::too_large,
                         "at most " + std::to_string(rows_max) + " rows in one request");
  return to_host(self, m);
}
caf::result<msg::source_data_added> handle(self_ptr self, msg::add_source_data& m) {
  return add_rows(self, m);
}
caf::result<msg::source_data_loaded> handle(self_ptr self, msg::load_source_data& m) {
  return add_rows(self, m);
}
caf::result<msg::source_data_added> handle(self_ptr self, msg::add_test_questions& m) {
  return add_rows(self, m);
}

caf::result<msg::node_status> handle(self_ptr self, msg::get_node_status&) {
  const auto& st = self->state;
  const auto& context = *st.context;
  const auto& gauges = context.gauges;
  msg::node_status s;
  s.name = context.settings.name;
  s.incarnation = context.settings.incarnation;
  s.version = context.settings.version;
  s.started_at = context.started_at;
  s.now = now(self, st.context);
  s.shards_hosted = gauges.shards_hosted;
  s.shards_total = context.settings.shards;
  s.commits = gauges.writer.commits;
  s.changes = gauges.writer.changes;
  s.queued = gauges.writer.queued;
  s.refused = gauges.writer.refused;
  s.overloaded = gauges.overloaded;
  s.live_units = gauges.live_units;
  s.sessions = gauges.sessions;
  s.draining = st.draining;
  return s;
}

caf::result<msg::guard_status> handle(self_ptr self, msg::get_guard_status&) {
  const auto& context = *self->state.context;
  const auto fence = context.fence.read();
  const auto& writer = context.gauges.writer;
  msg::guard_status s;
  s.fenced = fence.since != core::instant{};
  s.fenced_since = fence.since;
  s.why = fence.why;
  s.fences = fence.times;
  s.in_doubt = writer.in_doubt;
  s.found_committed = writer.found_committed;
  s.found_not_committed = writer.found_not_committed;
  s.never_found = writer.never_found;
  s.stale_writes = writer.stale;
  if (const auto& slowed = context.settings.peers_slowed)
    s.peers_slowed = slowed();
  return s;
}

caf::result<msg::link_status> handle(self_ptr self, msg::get_link_status&) {
  const auto& ask = self->state.context->settings.link_status;
  return ask ? ask() : msg::link_status{};
}

caf::result<msg::audit_status> handle(self_ptr self, msg::get_audit_status&) {
  return self->state.context->audits.status();
}

caf::result<msg::cluster_verified> handle(self_ptr self, msg::verify_cluster&) {
  const auto& context = self->state.context;
  const auto auditor = context->audits.auditor();
  if (!auditor)
    return msg::to_error({core::errc::unavailable, "this node cannot check the database now"});
  auto promise = self->make_response_promise<msg::cluster_verified>();
  self->request(auditor, caf::infinite, audit_now{now(self, context)})
      .then(
          [=](audited& done) mutable {
            msg::cluster_verified verified{done.at, {}};
            for (auto& one : done.broken)
              verified.broken.push_back(
                  {std::move(one.id), std::move(one.check), one.rows, std::move(one.sample)});
            promise.deliver(std::move(verified));
          },
          [=](const caf::error& why) mutable {
            promise.deliver(msg::to_error(msg::failure_of(why)));
          });
  return promise;
}

caf::result<msg::workflow_checked> handle(self_ptr self, msg::check_workflow& m) {
  const auto found = documents::check_workflow(m.definition, self->state.context->settings.json);
  if (!found)
    return msg::to_error(found.error());
  msg::workflow_checked answer{found->problems.empty(), {}, {}};
  for (const auto& one : found->problems)
    answer.problems.push_back({{}, one.place, one.what});
  for (const auto& one : found->warnings)
    answer.warnings.push_back({std::string{core::code_of(one.about)}, one.place, one.what});
  return answer;
}

caf::result<msg::placement> handle(self_ptr self, msg::get_placement& m) {
  const auto& peer_nodes = self->state.links.peer_nodes;
  if (!peer_nodes)
    return msg::to_error(invalid("who hosts what is asked at the gateway"));
  auto promise = self->make_response_promise<msg::placement>();
  promise.delegate(peer_nodes, m);
  return promise;
}

template <class Request>
caf::result<msg::answer_to<Request>> handle(self_ptr self, Request& m) {
  using place = msg::place_of<Request>;
  static_assert(!std::is_same_v<place, msg::node_itself>, "has no handler above");
  if constexpr (std::is_same_v<place, msg::database>)
    return from_database(self, m);
  else if constexpr (std::is_same_v<place, msg::every_node>)
    return to_every_node(self, m);
  else
    return to_host(self, m);
}

// --- with an author ---

/// Those who come from outside do not say who they are: the gateway knows.
template <class Request>
caf::result<msg::answer_to<Request>> handle_for(self_ptr self, const msg::author& author,
                                                Request& m) {
  auto& st = self->state;
  if (st.links.door && !is_of_this_process(self))
    return msg::to_error(invalid("nodes alone name the author of a request"));
  st.author = author.who;
  auto result = handle(self, m);
  st.author.clear();
  return result;
}

/// Those of the HTTP API of this node, which traces them.
template <class Request>
caf::result<msg::answer_to<Request>> handle_traced(self_ptr self, const msg::traced_author& from,
                                                   Request& m) {
  auto& st = self->state;
  st.author = from.who;
  st.trace = from.trace;
  auto result = handle(self, m);
  st.author.clear();
  st.trace.reset();
  return result;
}

// --- between nodes ---

msg::protocols on_get_protocols(self_ptr self) {
  return {msg::own_protocols.oldest, msg::own_protocols.newest,
          self->state.context->settings.version};
}

caf::result<msg::node_met> on_meet(self_ptr self, const msg::meet_node& m) {
  const auto& st = self->state;
  if (!st.links.door)
    return msg::to_error(invalid("nodes meet at the gateway"));
  if (m.incarnation != st.context->settings.incarnation)
    caf::anon_send(st.links.membership, look_now{}); // it may be new here
  return msg::node_met{st.context->settings.incarnation, st.links.door};
}

/// A consumer or step of another node says it to a step of ours.
template <class Message>
caf::result<events_applied> between_steps(self_ptr self, Message& m) {
  if (way_of(self, m) != way::here)
    return msg::to_error(not_here());
  auto promise = self->template make_response_promise<events_applied>();
  promise.delegate(self->state.links.shards, std::move(m));
  return promise;
}

template <class... Rows, class... NodeRows, class... Audited, class... Writing>
node_gateway_actor::behavior_type
handlers(self_ptr self, caf::detail::type_list<Rows...>, caf::detail::type_list<NodeRows...>,
         caf::detail::type_list<Audited...>, caf::detail::type_list<Writing...>) {
  return {
      [=](typename Rows::request& m) { return handle(self, m); }...,
      [=](typename NodeRows::request& m) { return between_steps(self, m); }...,
      [=](const msg::author& author, typename Audited::request& m) {
        return handle_for(self, author, m);
      }...,
      [=](const msg::traced_author& from, typename Writing::request& m) {
        return handle_traced(self, from, m);
      }...,
      [=](const msg::get_protocols&) { return on_get_protocols(self); },
      [=](const msg::meet_node& m) { return on_meet(self, m); },
      [=](const msg::look_at_cluster&) {
        caf::anon_send(self->state.links.membership, look_now{});
      },
      [=](const drain&) {
        const auto& to = self->state.links;
        self->state.draining = true;
        if (to.door && to.peer_nodes) // clients go elsewhere, and do not die of it
          caf::anon_send(to.peer_nodes, drain{});
      },
  };
}

void publish_when_ready(self_ptr self) {
  self->request(self->state.links.shards, delivery_timeout, await_shards{})
      .then(
          [=](const shards_hosted&) {
            if (const auto& publish = self->state.context->settings.on_gateway)
              publish(msg::member_gateway_actor{caf::actor_cast<node_gateway_actor>(self)});
          },
          [=](caf::error& error) { self->quit(std::move(error)); });
}

} // namespace

node_gateway_actor::behavior_type gateway(node_gateway_actor::stateful_pointer<gateway_state> self,
                                          context_ptr context, gateway_links links) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.links = std::move(links);
  if (const auto& publish = what_is_outside().publish)
    self->state.published =
        publish(self->id(), self->state.links.door ? reach::peers : reach::nodes);
  if (self->state.links.door)
    publish_when_ready(self);
  else
    self->state.name = "door";
  return handlers(self, msg::operations{}, msg::node_operations{}, msg::audited_operations{},
                  msg::writing_operations{});
}

} // namespace holdfast::actors
