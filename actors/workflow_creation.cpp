#include "actors/workflow_creation.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "actors/reads.hpp"
#include "actors/step_views.hpp"
#include "core/job_status.hpp"
#include "core/step_listing.hpp"
#include "core/workflow_versions.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<workflow_creation_state>*;

void finish(self_ptr self, const held_promise& promise, msg::workflow_created created) {
  promise.deliver(std::move(created));
  self->quit();
}

void fail(self_ptr self, const held_promise& promise, const core::failure& why) {
  promise.deliver(msg::to_error(why));
  self->quit();
}

/// Asks the loader for what has the id that the request names.
auto read_workflow(self_ptr self, const new_workflow& request) {
  return read(self, self->state.loader,
              [workflow = request.request.workflow](persistence::store& db) {
                return db.load_workflow(workflow);
              });
}

void answer_existing(self_ptr self, const held_promise& promise, const new_workflow& request,
                     const persistence::stored_workflow& stored) {
  // An earlier version of Holdfast may have stored it as it was sent.
  if (stored.definitions.front() != request.text
      && stored.definitions.front() != request.request.definition)
    return fail(self, promise,
                {core::errc::already_exists, "the workflow id belongs to another definition"});
  finish(self, promise, {stored.id, steps_of(request.definition, stored.steps)});
}

/// Of a node that hosts one shard in a thousand, all of these miss it once in e^20 times.
constexpr int tries_max = 20'000;

bool is_here(self_ptr self, const core::step_id& step) {
  const auto& context = *self->state.context;
  return context.hosting.here(core::shard_of(step, context.settings.shards), self->clock().now());
}

void create(self_ptr self, const held_promise& promise, const new_workflow& request) {
  auto& st = self->state;
  const auto at = now(self, st.context);
  core::uuid_source ids{st.context->take_seed()};
  core::change change;
  const auto& wanted = request.request;
  change.writes.push_back(
      core::insert_workflow{wanted.workflow, request.definition.name, request.text, at});
  msg::workflow_created created{wanted.workflow, {}};
  for (std::uint32_t i = 0; i < request.definition.steps.size(); ++i) {
    const auto& step = request.definition.steps[i];
    core::step_row row;
    row.id = {ids.next(at)};
    // The shard of the first step commits the creation, so it must be one that is hosted here.
    for (int tries = 0; i == 0 && !is_here(self, row.id) && tries < tries_max; ++tries)
      row.id = {ids.next(at)};
    row.workflow = wanted.workflow;
    row.key = step.key;
    row.position = i;
    core::begin_under(row, core::job_at_first(request.definition.starts), 0);
    created.steps.push_back(to_view(row));
    change.writes.push_back(core::insert_step{row, at});
    change.events.push_back({core::event_type::job_step_updated,
                             row.id,
                             {},
                             {},
                             at,
                             core::step_details(row, core::listing_of(row, step, 1))});
  }
  const auto shard = core::shard_of(created.steps.front().step, st.context->settings.shards);
  const auto& writer = st.writers[shard % st.writers.size()];
  st.pending.write(
      self, st.context, writer, {shard, {}, 1}, promise.noted(std::move(change)),
      [=](const core::failure& why) {
        if (why.code == core::errc::none)
          return finish(self, promise, created);
        if (why.code != core::errc::refused_by_store && why.code != core::errc::already_exists)
          return fail(self, promise, why);
        read_workflow(self, request)
            .then(
                [=](const persistence::stored_workflow& stored) {
                  answer_existing(self, promise, request, stored);
                },
                [=](const core::failure& unknown) {
                  // Perhaps it is there, from the same request: repeating that tells.
                  fail(self, promise, unknown.code == core::errc::not_found ? why : unknown);
                });
      });
}

/// Units would wait for tasks that nobody makes: so the queues must be there before.
void create_if_queues_are_there(self_ptr self, const held_promise& promise,
                                const new_workflow& request) {
  const auto wanted = core::queues_named_in(request.definition);
  if (wanted.empty())
    return create(self, promise, request);
  read(self, self->state.loader, [](persistence::store& db) { return db.list_queues(); })
      .then(
          [=](const std::vector<core::put_queue>& queues) {
            const auto why = missing_queue(wanted, queues);
            if (why.code == core::errc::none)
              create(self, promise, request);
            else
              fail(self, promise, why);
          },
          [=](const core::failure& why) { fail(self, promise, why); });
}

} // namespace

core::failure missing_queue(std::map<core::queue_name, std::string> named,
                            const std::vector<core::put_queue>& there) {
  for (const auto& queue : there)
    named.erase(queue.name);
  if (named.empty())
    return {};
  const auto& [queue, place] = *named.begin();
  return {core::errc::invalid_argument, place + ": there is no queue " + queue + "; make it first"};
}

caf::behavior workflow_creation(caf::stateful_actor<workflow_creation_state>* self,
                                context_ptr context, std::vector<caf::actor> writers,
                                caf::actor loader) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.writers = std::move(writers);
  self->state.loader = std::move(loader);
  // A writer that has ended answers nobody any more.
  for (const auto& writer : self->state.writers)
    self->monitor(writer);
  self->set_down_handler([=](const caf::down_msg& down) { self->quit(down.reason); });
  return {
      [=](const new_workflow& request) {
        const note_in_hand note{request.note};
        const held_promise promise{self->make_response_promise()};
        read_workflow(self, request)
            .then(
                [=](const persistence::stored_workflow& stored) {
                  answer_existing(self, promise, request, stored);
                },
                [=](const core::failure& why) {
                  if (why.code == core::errc::not_found)
                    create_if_queues_are_there(self, promise, request);
                  else
                    fail(self, promise, why);
                });
      },
      // A refusal has been handled by the effect, which decides when this actor ends.
      [=](const write_done& done) { self->state.pending.settle(done); },
  };
}

} // namespace holdfast::actors
