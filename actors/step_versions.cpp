#include "actors/reader.hpp"
#include "actors/step_state.hpp"
#include "actors/workflow_creation.hpp"
#include "documents/member_reader.hpp"
#include "documents/workflow_difference.hpp"
#include "documents/workflow_document.hpp"

#include <caf/make_counted.hpp>

#include <algorithm>

namespace holdfast::actors {

namespace {

/// What becomes of the units here differs by version; a step is not in all of them.
step_context_ptr make_context(step_ptr self, std::uint32_t version) {
  auto& st = self->state;
  const auto here = st.step.row.position;
  const auto* mine = st.workflow.find(version, here);
  if (mine == nullptr)
    return nullptr;
  return caf::make_counted<step_context>(st.context, st.identity, *mine,
                                         st.workflow.ways(version, here), st.links.writer,
                                         caf::actor_cast<caf::actor>(self));
}

/// The workflow has versions that there were no contexts for.
void note_new_versions(step_ptr self) {
  auto& st = self->state;
  while (st.contexts.size() < st.workflow.latest())
    st.contexts.push_back(make_context(self, static_cast<std::uint32_t>(st.contexts.size()) + 1));
  if (const auto& tests = definition_of(st).test_questions; tests && st.board)
    st.board->test_every(tests->placement.every);
}

/// One request to change the workflow, on its way.
struct update {
  update(msg::update_workflow asked, held_promise answers)
      : request(std::move(asked)), promise(std::move(answers)) {}

  msg::update_workflow request;
  held_promise promise;
  core::workflow_definition definition;
  msg::workflow_updated answer;
  std::vector<core::step_row> steps; ///< Of the versions so far, by position.
};
using update_ptr = std::shared_ptr<update>;

void refuse(const update_ptr& u, core::errc code, std::string detail) {
  u->promise.deliver(msg::to_error(code, std::move(detail)));
}

/// The change that makes the new version durable. Its events have every step look at the versions,
/// and tell those that are behind it now whether it is complete.
core::change changes_of(step_ptr self, const update_ptr& u) {
  auto& st = self->state;
  const auto at = now(self, st.context);
  core::change changes;
  changes.writes.push_back(core::insert_workflow_version{u->answer.workflow, u->answer.version,
                                                         u->request.definition, at});
  for (auto position = static_cast<std::uint32_t>(st.siblings.size());
       position < st.workflow.keys().size(); ++position) {
    core::step_row row;
    row.id = {st.ids.next(at)};
    row.workflow = u->answer.workflow;
    row.key = st.workflow.keys()[position];
    row.position = position;
    st.siblings.push_back(row.id);
    changes.writes.push_back(core::insert_step{row, at});
    u->steps.push_back(std::move(row));
  }
  for (const auto& step : st.siblings)
    changes.events.push_back({core::event_type::job_step_updated, step, {}, {}, at, {}});
  return changes;
}

void decide(step_ptr self, const update_ptr& u) {
  auto& st = self->state;
  // Another one may have come in between, or be on its way to the database.
  if (st.workflow.latest() + 1 != u->answer.version)
    return refuse(u, core::errc::unavailable, "the workflow is being changed; ask again");
  if (st.step.row.status == core::step_status::canceled)
    return refuse(u, core::errc::wrong_state,
                  "the first step is canceled: nothing begins in this workflow any more");
  if (const auto problems = core::problems_of_change(st.workflow, u->definition); !problems.empty())
    return u->promise.deliver(msg::to_error(documents::refusal_of(problems)));
  if (u->request.dry_run) {
    u->answer.steps = steps_of(u->definition, u->steps);
    return u->promise.deliver(std::move(u->answer));
  }
  st.workflow.add(u->definition);
  note_new_versions(self);
  auto changes = changes_of(self, u);
  u->answer.steps = steps_of(u->definition, u->steps);
  write(self, std::move(changes), [=](const core::failure& why) {
    if (why.code == core::errc::none)
      u->promise.deliver(std::move(u->answer));
    else
      u->promise.deliver(msg::to_error(why));
  });
}

/// Units would wait for tasks that nobody makes: so the queues must be there before.
void decide_if_queues_are_there(step_ptr self, const update_ptr& u) {
  auto named = core::queues_named_in(u->definition);
  if (named.empty())
    return decide(self, u);
  self->request(self->state.links.loader, internal_timeout, msg::list_queues{})
      .then(
          [=](const msg::queue_list& there) {
            const auto why = missing_queue(named, there);
            if (why.code == core::errc::none)
              decide(self, u);
            else
              u->promise.deliver(msg::to_error(why));
          },
          [=](caf::error& error) { u->promise.deliver(std::move(error)); });
}

/// The workflow is known as it is stored.
void compare(step_ptr self, const update_ptr& u, persistence::stored_workflow stored) {
  const auto latest = static_cast<std::uint32_t>(stored.definitions.size());
  const auto& request = u->request;
  u->steps = std::move(stored.steps);
  u->answer.workflow = stored.id;
  u->answer.dry_run = request.dry_run;
  const bool same = stored.definitions.back() == request.definition;
  const bool done = same && latest > 1 && request.version == latest - 1;
  if (!done && request.version != latest)
    return refuse(u, core::errc::wrong_state,
                  "the workflow is at version " + std::to_string(latest) + ", not "
                      + std::to_string(request.version)
                      + "; read it, and change what is there now");
  u->answer.version = done || same ? latest : latest + 1;
  const auto& before = stored.definitions[done ? latest - 2 : latest - 1];
  for (auto& each : documents::differences_between(before, request.definition))
    u->answer.differences.push_back(
        {std::move(each.place), std::move(each.before), std::move(each.after)});
  if (done || same) {
    u->answer.steps = steps_of(u->definition, u->steps);
    return u->promise.deliver(std::move(u->answer));
  }
  decide_if_queues_are_there(self, u);
}

} // namespace

void take_versions(step_ptr self, const versions_loaded& stored) {
  auto& st = self->state;
  st.workflow = stored.versions;
  st.siblings.clear();
  for (const auto& step : stored.steps)
    st.siblings.push_back(step.id);
  note_new_versions(self);
}

void with_versions(step_ptr self, std::function<void(const core::failure&)> go_on) {
  self->request(self->state.links.loader, internal_timeout,
                load_versions{self->state.step.row.workflow})
      .then(
          [=](const versions_loaded& stored) {
            // The first step knows of one that it makes before it is stored.
            if (stored.versions.latest() > self->state.workflow.latest())
              take_versions(self, stored);
            go_on({});
          },
          [=](const caf::error& error) { go_on(msg::failure_of(error)); });
}

void on_update_workflow(step_ptr self, const msg::update_workflow& request) {
  auto& st = self->state;
  const auto u = std::make_shared<update>(request, held_promise{self->make_response_promise()});
  if (st.step.row.position != 0)
    return refuse(u, core::errc::wrong_state,
                  "the first step of a workflow decides about its versions; that is "
                      + to_string(st.siblings.front()));
  auto definition = documents::parse_workflow(request.definition, st.context->settings.json);
  if (!definition)
    return u->promise.deliver(msg::to_error(definition.error()));
  u->definition = std::move(*definition);
  self->request(st.links.loader, internal_timeout, load_workflow{st.step.row.workflow})
      .then([=](workflow_loaded& loaded) { compare(self, u, std::move(loaded.workflow)); },
            [=](caf::error& error) { u->promise.deliver(std::move(error)); });
}

} // namespace holdfast::actors
