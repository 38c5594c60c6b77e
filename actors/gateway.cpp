#include "actors/gateway.hpp"

#include "actors/actor_guard.hpp"
#include "core/workflow.hpp"
#include "documents/json.hpp"
#include "documents/workflow_document.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = node_gateway_actor::stateful_pointer<gateway_state>;

constexpr std::uint32_t steps_page_max = 1000;
constexpr std::uint32_t results_page_max = 10000;

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

// --- one check per request ---

core::failure check(const msg::ask_assignment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.assignment, "assignment"),
                   check_contributor(m.contributor)});
}
core::failure check(const msg::release_assignment& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.unit, "unit"), check_contributor(m.contributor)});
}
core::failure check(const msg::extend_assignment& m) {
  return first_of(
      {check_id(m.step, "step"), check_id(m.unit, "unit"), check_contributor(m.contributor)});
}
core::failure check(const msg::submit_judgment& m) {
  return first_of({check_id(m.step, "step"), check_id(m.unit, "unit"),
                   check_id(m.judgment, "judgment"), check_contributor(m.contributor)});
}
core::failure check(const msg::end_session& m) { return check_contributor(m.contributor); }
core::failure check(const msg::add_source_data& m) { return check_id(m.step, "step"); }
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
core::failure check(const msg::list_results& m) {
  return first_of({check_id(m.step, "step"), check_limit(m.limit, results_page_max)});
}
core::failure check(const msg::get_step_statistics& m) { return check_id(m.step, "step"); }

/// Whether a request may come in now.
core::failure admit(self_ptr self, bool writes) {
  auto& st = self->state;
  if (st.draining)
    return {core::errc::unavailable,
            "the node is shutting down; use another one or wait for its return"};
  const auto& settings = st.context->settings;
  if (writes && st.context->gauges.writer.queued >= settings.batching.high_water) {
    ++st.context->gauges.overloaded;
    return {core::errc::overloaded,
            std::to_string(settings.batching.high_water) + " writes are waiting already"};
  }
  return {};
}

/// Checks `m` and hands it to `target`, who answers in the gateway's place.
template <class Answer, class Message>
caf::result<Answer> hand_on(self_ptr self, const caf::actor& target, Message& m, bool writes) {
  auto why = admit(self, writes);
  if (why.code == core::errc::none)
    why = check(m);
  auto promise = self->template make_response_promise<Answer>();
  if (why.code != core::errc::none)
    promise.deliver(msg::to_error(why));
  else
    promise.delegate(target, std::move(m));
  return promise;
}

caf::result<msg::workflow_created> on_create(self_ptr self, msg::create_workflow& m) {
  auto& st = self->state;
  if (auto why = first_of({admit(self, true), check_id(m.workflow, "workflow")});
      why.code != core::errc::none)
    return msg::to_error(why);
  auto definition = documents::parse_workflow(m.definition, st.context->settings.json);
  if (!definition)
    return msg::to_error(definition.error());
  auto promise = self->make_response_promise<msg::workflow_created>();
  promise.delegate(st.links.shards, new_workflow{std::move(m), std::move(*definition)});
  return promise;
}

caf::result<msg::source_data_added> on_add(self_ptr self, msg::add_source_data& m) {
  const auto rows_max = self->state.context->settings.rows_max;
  if (m.rows.size() > rows_max)
    return msg::to_error(core::errc::too_large,
                         "at most " + std::to_string(rows_max) + " rows in one request");
  return hand_on<msg::source_data_added>(self, self->state.links.shards, m, true);
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

} // namespace

node_gateway_actor::behavior_type gateway(node_gateway_actor::stateful_pointer<gateway_state> self,
                                          context_ptr context, gateway_links links) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.links = std::move(links);
  self->request(self->state.links.membership, delivery_timeout, await_shards{})
      .then(
          [=](const shards_hosted&) {
            if (const auto& publish = self->state.context->settings.on_gateway)
              publish(msg::gateway_actor{caf::actor_cast<node_gateway_actor>(self)});
          },
          [=](caf::error& error) { self->quit(std::move(error)); });
  const auto& to = self->state.links;
  return {
      [=](msg::create_workflow& m) { return on_create(self, m); },
      [=](msg::add_source_data& m) { return on_add(self, m); },
      [=](msg::seal_step& m) { return hand_on<msg::step_view>(self, to.shards, m, true); },
      [=](msg::change_step& m) { return hand_on<msg::step_view>(self, to.shards, m, true); },
      [=](msg::change_unit& m) { return hand_on<msg::unit_changed>(self, to.shards, m, true); },
      [=](msg::list_steps& m) { return hand_on<msg::step_list>(self, to.reader, m, false); },
      [=](msg::get_unit& m) { return hand_on<msg::unit_view>(self, to.reader, m, false); },
      [=](msg::list_results& m) { return hand_on<msg::result_page>(self, to.reader, m, false); },
      [=](msg::get_step_statistics& m) {
        return hand_on<msg::step_statistics>(self, to.reader, m, false);
      },
      [=](msg::ask_assignment& m) { return hand_on<msg::assignment>(self, to.owners, m, true); },
      [=](msg::release_assignment& m) {
        return hand_on<msg::assignment_released>(self, to.owners, m, true);
      },
      [=](msg::extend_assignment& m) {
        return hand_on<msg::assignment_extended>(self, to.owners, m, true);
      },
      [=](msg::submit_judgment& m) {
        return hand_on<msg::judgment_accepted>(self, to.owners, m, true);
      },
      [=](msg::end_session& m) { return hand_on<msg::session_ended>(self, to.owners, m, true); },
      [=](const msg::get_node_status&) { return status(self); },
      [=](const drain&) { self->state.draining = true; },
  };
}

} // namespace holdfast::actors
