#include "actors/gateway.hpp"

#include "actors/actor_guard.hpp"
#include "actors/backpressure.hpp"
#include "actors/held_promise.hpp"
#include "actors/outside.hpp"
#include "actors/reader.hpp"
#include "core/queue_meter.hpp"
#include "core/queue_schedules.hpp"
#include "core/repair.hpp"
#include "core/unit_tasks.hpp"
#include "core/webhook.hpp"
#include "core/workflow.hpp"
#include "documents/json.hpp"
#include "documents/new_workflow_document.hpp"
#include "documents/task_words.hpp"
#include "messages/long_poll.hpp"
#include "messages/protocol.hpp"
#include "messages/request_shard.hpp"

#include <caf/send.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = node_gateway_actor::stateful_pointer<gateway_state>;

constexpr std::uint32_t steps_page_max = 1000;
constexpr std::uint32_t results_page_max = 10000;
constexpr std::uint32_t contributors_page_max = 1000;
constexpr std::uint32_t lineage_page_max = 100; ///< With all that was said of each.
constexpr std::uint32_t tasks_max = 10000;      ///< In one request.
constexpr std::uint32_t claimed_max = 1000;     ///< In one answer.
constexpr std::uint32_t tasks_page_max = 1000;
constexpr std::size_t types_max = 100; ///< That one request names.
constexpr std::uint32_t events_page_max = 1000;
constexpr std::uint32_t dead_letters_page_max = 100; ///< With their events, which may be large.
constexpr std::uint32_t dead_letters_replayed_max = 1000;
constexpr core::duration retry_after_max = std::chrono::hours{24};
/// As far as the database counts.
constexpr auto save_number_max = std::uint64_t{std::numeric_limits<std::int64_t>::max()};

core::failure invalid(std::string detail) {
  return {core::errc::invalid_argument, std::move(detail)};
}

template <class Id>
core::failure check_id(const Id& id, const char* field) {
  return id ? core::failure{} : invalid(std::string{field} + " must not be nil");
}

core::failure first_of(std::initializer_list<core::failure> checks) {
  for (const auto& check : checks)
    if (check.code != core::errc::none)
      return check;
  return {};
}

core::failure check_limit(std::uint32_t limit, std::uint32_t most) {
  if (limit >= 1 && limit <= most)
    return {};
  return invalid("limit must be between 1 and " + std::to_string(most));
}

core::failure check_verb(std::uint8_t verb) {
  if (verb >= 1 && verb <= 3)
    return {};
  return invalid("verb must be 1 (pause), 2 (resume) or 3 (cancel)");
}

core::failure check_contributor(const core::contributor_id& contributor) {
  return documents::check_text(contributor, "contributor", core::contributor_id_bytes_max);
}
/// Of somebody who works themselves.
core::failure check_worker_of_units(const core::contributor_id& contributor) {
  if (core::is_task_judge(contributor))
    return invalid("contributor must not begin with 'task:', which means the tasks of a queue");
  return check_contributor(contributor);
}

// --- one check per request ---

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
core::failure check(const msg::put_profile& m) { return check_worker_of_units(m.contributor); }
core::failure check(const msg::get_profile& m) { return check_worker_of_units(m.contributor); }
core::failure check(const msg::find_steps& m) {
  return first_of({check_worker_of_units(m.contributor), check_limit(m.limit, steps_page_max)});
}
core::failure check(const msg::rebuild_step_index&) { return {}; }
core::failure check(const msg::end_session& m) { return check_contributor(m.contributor); }
core::failure check(const msg::add_source_data& m) { return check_id(m.step, "step"); }
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
core::failure check(const msg::get_workflow& m) { return check_id(m.workflow, "workflow"); }
core::failure check(const msg::seal_step& m) { return check_id(m.step, "step"); }
core::failure check(const msg::change_step& m) {
  return first_of({check_id(m.step, "step"), check_verb(m.verb)});
}
core::failure check(const msg::change_unit& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"), check_verb(m.verb)});
}
core::failure check(const msg::list_steps& m) { return check_limit(m.limit, steps_page_max); }
core::failure check(const msg::get_unit& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit")});
}
core::failure check(const msg::get_lineage& m) {
  return first_of({check_id(m.unit, "unit"), check_limit(m.limit, lineage_page_max)});
}
core::failure check(const msg::list_results& m) {
  return first_of({check_id(m.step, "step"), check_limit(m.limit, results_page_max)});
}
core::failure check(const msg::get_step_statistics& m) { return check_id(m.step, "step"); }

core::failure check_queue(const core::queue_name& queue) {
  return core::is_queue_name(queue) ? core::failure{}
                                    : invalid("queue must be 1 to 64 of a-z 0-9 _ . -");
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
core::failure check(const msg::list_queues&) { return {}; }
core::failure check(const msg::get_queue_statistics& m) { return check_queue(m.queue); }
core::failure check(const msg::get_queue_intake& m) { return check_queue(m.queue); }
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
core::failure check(const msg::get_task& m) { return check_id(m.task, "task"); }
core::failure check(const msg::list_tasks& m) {
  return first_of(
      {m.queue.empty() ? core::failure{} : check_queue(m.queue),
       documents::check_word(m.type, "type"), documents::check_word(m.owner_id, "owner_id"),
       m.status.empty() || is_task_status(m.status)
           ? core::failure{}
           : invalid("status must be QUEUED, EXECUTING, COMPLETED, CANCELED, FAILURE or ERROR"),
       m.created_from >= core::instant{} && m.created_before >= core::instant{}
           ? core::failure{}
           : invalid("created_from and created_before must not be before 1970"),
       check_limit(m.limit, tasks_page_max)});
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
core::failure check_schedule(const std::string& name) {
  return documents::check_text(name, "name", core::task_word_bytes_max);
}
core::failure check(const msg::put_schedule& m) {
  return first_of({check_queue(m.queue), check_schedule(m.name)});
}
core::failure check(const msg::remove_schedule& m) {
  return first_of({check_queue(m.queue), check_schedule(m.name)});
}
core::failure check(const msg::list_schedules& m) {
  return first_of({check_queue(m.queue), check_limit(m.limit, core::schedules_most)});
}
core::failure check(const msg::claim_tasks& m) {
  const bool patient = m.wait >= core::duration::zero() && m.wait <= msg::wait_max;
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.claim, "claim"),
                   m.most >= 1 && m.most <= claimed_max
                       ? core::failure{}
                       : invalid("most must be between 1 and " + std::to_string(claimed_max)),
                   m.types.size() <= types_max
                       ? core::failure{}
                       : invalid("at most " + std::to_string(types_max) + " types"),
                   patient ? core::failure{} : invalid("wait must be between 0 and 60 seconds")});
}
core::failure check(const msg::extend_tasks& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_number(m.tasks.size())});
}
core::failure check(const msg::save_task& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.task.task, "task")});
}
core::failure check(const msg::save_task_in_order& m) {
  return first_of({check_queue(m.queue), check_worker(m.worker), check_id(m.task.task, "task"),
                   m.number > 0 && m.number <= save_number_max
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
  const bool patient = m.wait >= core::duration::zero() && m.wait <= msg::wait_max;
  return first_of({m.from >= 1 && m.from <= 3
                       ? core::failure{}
                       : invalid("from must be 1 (after), 2 (oldest) or 3 (newest)"),
                   check_limit(m.limit, events_page_max), check_types(m.types),
                   patient ? core::failure{} : invalid("wait must be between 0 and 60 seconds")});
}

core::failure check_webhook(const std::string& name) {
  return core::is_webhook_name(name)
             ? core::failure{}
             : invalid("name must be 1 to 64 of a-z 0-9 _ . -, beginning with a letter or digit");
}
core::failure check(const msg::put_webhook& m) { return check_webhook(m.name); }
core::failure check(const msg::change_webhook& m) {
  return first_of(
      {check_webhook(m.name), m.verb >= 1 && m.verb <= 3
                                  ? core::failure{}
                                  : invalid("verb must be 1 (pause), 2 (resume) or 3 (remove)")});
}
core::failure check(const msg::list_webhooks&) { return {}; }
core::failure check(const msg::list_dead_letters& m) {
  return first_of({check_webhook(m.name), check_limit(m.limit, dead_letters_page_max)});
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

/// Whether the sender's certificate lets it speak for whom `m` names. Roles alone are a matter of
/// the link, which has judged every message that comes from outside.
template <class Message>
core::failure check_sender(self_ptr self, const Message& m) {
  if constexpr (names_contributor<Message> || names_worker<Message>) {
    const auto& st = self->state;
    const auto& who_is = what_is_outside().who_is;
    const auto& sender = self->current_sender();
    if (!who_is || !st.links.door || !sender || sender->node() == self->node())
      return {};
    const auto who = who_is(sender->node());
    if (!who)
      return {core::errc::unavailable, "the connection over which this came is closed"};
    static const auto name = [&] {
      const auto whole =
          self->system().types().portable_name(caf::type_nr<Message>::value, &typeid(Message));
      return whole.substr(whole.find('.') + 1);
    }();
    core::named_in_request named;
    if constexpr (names_contributor<Message>)
      named.contributor = &m.contributor;
    if constexpr (names_worker<Message>)
      named.worker = &m.worker;
    if (auto why = core::objection_to(*who, name, named); !why.empty())
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
  return st.links.neighbours ? way::elsewhere : way::nowhere;
}

core::failure not_here() {
  return {core::errc::unavailable, "this node does not host the shard any more"};
}

/// Checks `m` and hands it to `target`, who answers in the gateway's place.
template <class Answer, class Message>
caf::result<Answer> hand_on(self_ptr self, const caf::actor& target, Message& m,
                            bool needs_room = msg::needs_room<Message>) {
  auto why = admit(self, needs_room);
  if (why.code == core::errc::none)
    why = check_sender(self, m);
  if (why.code == core::errc::none)
    why = check(m);
  auto promise = self->template make_response_promise<Answer>();
  if (why.code != core::errc::none)
    promise.deliver(msg::to_error(why));
  else
    promise.delegate(target, std::move(m));
  return promise;
}

/// The same, where `target` is the one in this node and another node may have to decide. Its load
/// is then its own affair.
template <class Answer, class Message>
caf::result<Answer> to_host(self_ptr self, const caf::actor& target, Message& m) {
  switch (way_of(self, m)) {
  case way::here:
    return hand_on<Answer>(self, target, m);
  case way::elsewhere:
    return hand_on<Answer>(self, self->state.links.neighbours, m, false);
  case way::nowhere:
    break;
  }
  return msg::to_error(not_here());
}

/// The same of a request that names its shard.
template <class Answer, class Message>
caf::result<Answer> to_named_host(self_ptr self, const caf::actor& target, Message& m) {
  const auto shards = self->state.context->settings.shards;
  if (m.shard >= shards)
    return msg::to_error(invalid("shard must be below " + std::to_string(shards)));
  return to_host<Answer>(self, target, m);
}

caf::result<msg::workflow_created> on_create(self_ptr self, msg::create_workflow& m) {
  auto& st = self->state;
  const auto where = way_of(self, m);
  if (where == way::nowhere)
    return msg::to_error(not_here());
  if (auto why = first_of({admit(self, where == way::here), check_id(m.workflow, "workflow")});
      why.code != core::errc::none)
    return msg::to_error(why);
  if (where == way::elsewhere) {
    auto promise = self->make_response_promise<msg::workflow_created>();
    promise.delegate(st.links.neighbours, std::move(m));
    return promise;
  }
  auto document = documents::parse_new_workflow(m.definition, st.context->settings.json);
  if (!document)
    return msg::to_error(document.error());
  auto promise = self->make_response_promise<msg::workflow_created>();
  promise.delegate(st.links.shards, new_workflow{std::move(m), std::move(document->definition),
                                                 std::move(document->text)});
  return promise;
}

/// A lifecycle system knows of workflows and not of steps: the first one of this is looked up.
caf::result<msg::job_status_noted> on_job(self_ptr self, msg::job_status_changed& m) {
  auto& st = self->state;
  if (m.step)
    return to_host<msg::job_status_noted>(self, st.links.shards, m);
  if (auto why = first_of({admit(self, false), check(m)}); why.code != core::errc::none)
    return msg::to_error(why);
  auto promise = self->make_response_promise<msg::job_status_noted>();
  const held_promise held{promise};
  self->request(st.links.reader, internal_timeout, msg::get_workflow{m.workflow, 0})
      .then(
          [=, asked = m](const msg::workflow_view& found) mutable {
            asked.step = found.steps.front().step;
            held.delegate(caf::actor_cast<caf::actor>(self), asked);
          },
          [=](caf::error& error) { held.deliver(std::move(error)); });
  return promise;
}

template <class Request>
caf::result<msg::source_data_added> on_add(self_ptr self, Request& m) {
  const auto rows_max = self->state.context->settings.rows_max;
  if (m.rows.size() > rows_max)
    return msg::to_error(core::errc::too_large,
                         "at most " + std::to_string(rows_max) + " rows in one request");
  return to_host<msg::source_data_added>(self, self->state.links.shards, m);
}

/// A door says of a claim that it came from afar.
caf::result<msg::leased_tasks> on_claim(self_ptr self, msg::claim_tasks& m) {
  const auto& to = self->state.links;
  if (to.door || way_of(self, m) != way::here)
    return to_host<msg::leased_tasks>(self, to.shards, m);
  if (auto why = first_of({admit(self, true), check(m)}); why.code != core::errc::none)
    return msg::to_error(why);
  auto promise = self->make_response_promise<msg::leased_tasks>();
  promise.delegate(to.shards, distant_claim{std::move(m)});
  return promise;
}

msg::node_status status(self_ptr self) {
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

msg::guard_status guards(const node_context& context) {
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

caf::result<msg::placement> on_placement(self_ptr self, msg::get_placement& m) {
  const auto& neighbours = self->state.links.neighbours;
  if (!neighbours)
    return msg::to_error(invalid("who hosts what is asked at the gateway"));
  auto promise = self->make_response_promise<msg::placement>();
  promise.delegate(neighbours, m);
  return promise;
}

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

/// What consumers and steps of another node say to a step of ours.
template <class Message>
caf::result<events_applied> between_steps(self_ptr self, Message& m) {
  if (way_of(self, m) != way::here)
    return msg::to_error(not_here());
  auto promise = self->template make_response_promise<events_applied>();
  promise.delegate(self->state.links.shards, std::move(m));
  return promise;
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
  const auto& to = self->state.links;
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](msg::claim_tasks& m) { return on_claim(self, m); },
      [=](msg::complete_tasks& m) { return to_host<msg::task_outcomes>(self, to.shards, m); },
      [=](msg::enqueue_tasks& m) { return to_host<msg::task_outcomes>(self, to.shards, m); },
      [=](msg::extend_tasks& m) { return to_host<msg::task_outcomes>(self, to.shards, m); },
      [=](msg::ask_assignment& m) { return to_host<msg::assignment>(self, to.owners, m); },
      [=](msg::submit_judgment& m) { return to_host<msg::judgment_accepted>(self, to.owners, m); },
      [=](msg::release_assignment& m) {
        return to_host<msg::assignment_released>(self, to.owners, m);
      },
      [=](msg::extend_assignment& m) {
        return to_host<msg::assignment_extended>(self, to.owners, m);
      },
      [=](apply_events& m) { return between_steps(self, m); },
      [=](msg::create_workflow& m) { return on_create(self, m); },
      [=](msg::add_source_data& m) { return on_add(self, m); },
      [=](msg::add_test_questions& m) { return on_add(self, m); },
      [=](msg::update_workflow& m) { return to_host<msg::workflow_updated>(self, to.shards, m); },
      [=](msg::job_status_changed& m) { return on_job(self, m); },
      [=](msg::seal_step& m) { return to_host<msg::step_view>(self, to.shards, m); },
      [=](msg::remove_contributor& m) {
        return to_host<msg::contributor_removed>(self, to.shards, m);
      },
      [=](msg::forgive_question& m) { return to_host<msg::question_forgiven>(self, to.shards, m); },
      [=](msg::repair_contributor& m) { return to_host<msg::repair_progress>(self, to.shards, m); },
      [=](msg::repair_question& m) { return to_host<msg::repair_progress>(self, to.shards, m); },
      [=](msg::list_contributors& m) { return to_host<msg::contributor_page>(self, to.shards, m); },
      [=](msg::get_feedback& m) { return to_host<msg::judgment_feedback>(self, to.shards, m); },
      [=](msg::explain_unit& m) {
        const auto& knows = m.contributor.empty() ? to.shards : to.owners;
        return to_host<msg::unit_explanation>(self, knows, m);
      },
      [=](msg::explain_contributor& m) {
        return to_host<msg::contributor_explanation>(self, to.owners, m);
      },
      [=](msg::get_step_quality& m) { return to_host<msg::step_quality>(self, to.shards, m); },
      [=](msg::change_step& m) { return to_host<msg::step_view>(self, to.shards, m); },
      [=](msg::change_unit& m) { return to_host<msg::unit_changed>(self, to.shards, m); },
      [=](msg::list_steps& m) { return hand_on<msg::step_list>(self, to.reader, m); },
      [=](msg::get_workflow& m) { return hand_on<msg::workflow_view>(self, to.reader, m); },
      [=](msg::get_unit& m) { return hand_on<msg::unit_view>(self, to.reader, m); },
      [=](msg::get_lineage& m) { return hand_on<msg::unit_lineage>(self, to.reader, m); },
      [=](msg::list_results& m) { return hand_on<msg::result_page>(self, to.reader, m); },
      [=](msg::get_step_statistics& m) {
        return hand_on<msg::step_statistics>(self, to.reader, m);
      },
      [=](msg::end_session& m) {
        // Sessions are where the steps are that the contributor has worked on.
        const bool anywhere = to.neighbours && !self->state.context->hosting.alone();
        return hand_on<msg::session_ended>(self, anywhere ? to.neighbours : to.owners, m);
      },
      [=](msg::put_profile& m) { return to_host<msg::profile_view>(self, to.profiles, m); },
      [=](msg::get_profile& m) { return hand_on<msg::profile_view>(self, to.reader, m); },
      [=](msg::find_steps& m) {
        // Each node has the steps that it hosts.
        const bool anywhere = to.neighbours && !self->state.context->hosting.alone();
        return hand_on<msg::step_offers>(self, anywhere ? to.neighbours : to.shards, m);
      },
      [=](msg::rebuild_step_index& m) {
        const bool anywhere = to.neighbours && !self->state.context->hosting.alone();
        return hand_on<msg::step_index_rebuilt>(self, anywhere ? to.neighbours : to.shards, m);
      },
      [=](msg::put_queue& m) { return to_host<msg::queue_view>(self, to.shards, m); },
      [=](msg::pause_queue& m) { return to_host<msg::queue_view>(self, to.shards, m); },
      [=](msg::list_queues& m) { return hand_on<msg::queue_list>(self, to.reader, m); },
      [=](msg::get_queue_statistics& m) {
        return hand_on<msg::queue_statistics>(self, to.reader, m);
      },
      [=](msg::get_queue_intake& m) { return hand_on<msg::queue_intake>(self, to.reader, m); },
      [=](msg::get_queue_metrics& m) { return to_host<msg::queue_metrics>(self, to.shards, m); },
      [=](msg::enqueue_envelopes& m) { return to_host<msg::task_outcomes>(self, to.shards, m); },
      [=](msg::get_task& m) { return hand_on<msg::task_view>(self, to.reader, m); },
      [=](msg::list_tasks& m) { return hand_on<msg::task_page>(self, to.reader, m); },
      [=](msg::explain_task& m) { return to_host<msg::task_explanation>(self, to.shards, m); },
      [=](msg::change_task& m) { return to_host<msg::task_changed>(self, to.shards, m); },
      [=](msg::eject_task& m) { return to_host<msg::leased_tasks>(self, to.shards, m); },
      [=](msg::redrive_tasks& m) { return to_host<msg::tasks_redriven>(self, to.shards, m); },
      [=](msg::put_schedule& m) { return to_host<msg::schedule_view>(self, to.shards, m); },
      [=](msg::remove_schedule& m) { return to_host<msg::schedule_removed>(self, to.shards, m); },
      [=](msg::list_schedules& m) { return to_host<msg::schedule_list>(self, to.shards, m); },
      [=](msg::save_task& m) { return to_host<msg::task_outcome>(self, to.shards, m); },
      [=](msg::save_task_in_order& m) { return to_host<msg::task_outcome>(self, to.shards, m); },
      [=](msg::release_task& m) { return to_host<msg::task_outcome>(self, to.shards, m); },
      [=](msg::follow_task& m) { return to_host<msg::leased_tasks>(self, to.shards, m); },
      [=](msg::fail_task& m) { return to_host<msg::task_outcome>(self, to.shards, m); },
      [=](msg::read_events& m) { return to_named_host<msg::event_page>(self, to.feed, m); },
      [=](msg::put_webhook& m) { return to_host<msg::webhook_saved>(self, to.webhooks, m); },
      [=](msg::change_webhook& m) { return to_host<msg::webhook_saved>(self, to.webhooks, m); },
      [=](msg::list_webhooks& m) { return hand_on<msg::webhook_list>(self, to.reader, m); },
      [=](msg::list_dead_letters& m) { return hand_on<msg::dead_letter_page>(self, to.reader, m); },
      [=](msg::replay_webhook& m) {
        return to_named_host<msg::webhook_replayed>(self, to.webhooks, m);
      },
      [=](const msg::get_node_status&) { return status(self); },
      [=](const msg::get_link_status&) {
        const auto& ask = self->state.context->settings.link_status;
        return ask ? ask() : msg::link_status{};
      },
      [=](const msg::get_audit_status&) { return self->state.context->audits.status(); },
      [=](const msg::get_guard_status&) { return guards(*self->state.context); },
      [=](msg::get_placement& m) { return on_placement(self, m); },
      [=](const msg::get_protocols&) { return on_get_protocols(self); },
      [=](const msg::meet_node& m) { return on_meet(self, m); },
      [=](const msg::look_at_cluster&) {
        caf::anon_send(self->state.links.membership, look_now{});
      },
      [=](add_children& m) { return between_steps(self, m); },
      [=](upstream_progress& m) { return between_steps(self, m); },
      [=](const drain&) {
        self->state.draining = true;
        if (to.door && to.neighbours) // clients go elsewhere, and do not die of it
          caf::anon_send(to.neighbours, drain{});
      },
  };
}

} // namespace holdfast::actors
