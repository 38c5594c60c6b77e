#include "actors/step_state.hpp"
#include "actors/step_views.hpp"
#include "actors/workflow_creation.hpp"
#include "core/workflow_update.hpp"
#include "documents/member_reader.hpp"
#include "documents/new_workflow_document.hpp"
#include "documents/workflow_difference.hpp"

#include <caf/make_counted.hpp>

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
                                         caf::actor_cast<caf::actor>(self), st.links.objects);
}

void note_steps(step_state& st, const std::vector<core::step_row>& steps) {
  st.siblings.clear();
  for (const auto& step : steps)
    st.siblings.push_back(step.id);
}

/// The workflow may have versions that there were no contexts for.
void note_new_versions(step_ptr self) {
  auto& st = self->state;
  const auto known = st.contexts.size();
  while (st.contexts.size() < st.workflow.latest())
    st.contexts.push_back(make_context(self, static_cast<std::uint32_t>(st.contexts.size()) + 1));
  const auto here = st.step.row.position;
  st.step.listing = core::listing_of(st.step.row, definition_of(st), st.workflow.newest(here));
  if (const auto& tests = definition_of(st).test_questions; tests && st.board)
    st.board->test_every(tests->placement.every);
  if (st.board && st.contexts.size() > known)
    send_questions_away(self);
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

void answer_as_stored(const update_ptr& u) {
  u->answer.steps = steps_of(u->definition, u->steps);
  u->promise.deliver(std::move(u->answer));
}

void decide(step_ptr self, const update_ptr& u) {
  auto& st = self->state;
  // Another one may have come in between, or be on its way to the database.
  if (st.workflow.latest() + 1 != u->answer.version)
    return refuse(self, u->promise,
                  {core::errc::unavailable, "the workflow is being changed; ask again"});
  if (auto why = core::obstacle_to_update(st.step.row); why.code != core::errc::none)
    return refuse(self, u->promise, std::move(why));
  if (const auto problems = core::problems_of_change(st.workflow, u->definition); !problems.empty())
    return refuse(self, u->promise, documents::refusal_of(problems));
  if (u->request.dry_run)
    return answer_as_stored(u);
  u->steps.front() = st.step.row; // the job may have changed since it was read
  auto changes = core::add_version(st.workflow, u->steps, u->definition, u->request.definition,
                                   st.ids, now(self, st.context));
  note_steps(st, u->steps);
  note_new_versions(self);
  write(self, u->promise.noted(std::move(changes)), [u](const core::failure& why) {
    if (why.code == core::errc::none)
      answer_as_stored(u);
    else
      u->promise.deliver(msg::to_error(why));
  });
}

/// Units would wait for tasks that nobody makes: so the queues must be there before.
void decide_if_queues_are_there(step_ptr self, const update_ptr& u) {
  auto named = core::queues_named_in(u->definition);
  if (named.empty())
    return decide(self, u);
  read(self, self->state.links.loader, [](persistence::store& db) { return db.list_queues(); })
      .then(
          [=](const std::vector<core::put_queue>& there) {
            auto why = missing_queue(named, there);
            if (why.code == core::errc::none)
              decide(self, u);
            else
              refuse(self, u->promise, std::move(why));
          },
          [=](const core::failure& why) { u->promise.deliver(msg::to_error(why)); });
}

/// The workflow is known as it is stored.
void compare(step_ptr self, const update_ptr& u, persistence::stored_workflow stored) {
  const auto& request = u->request;
  auto plan = core::plan_update(stored.definitions, request.version, request.definition);
  if (plan.refusal.code != core::errc::none)
    return refuse(self, u->promise, std::move(plan.refusal));
  u->steps = std::move(stored.steps);
  u->answer.workflow = stored.id;
  u->answer.dry_run = request.dry_run;
  u->answer.version = plan.version;
  for (auto& each :
       documents::differences_between(stored.definitions[plan.compared - 1], request.definition))
    u->answer.differences.push_back(
        {std::move(each.place), std::move(each.before), std::move(each.after)});
  if (plan.done)
    answer_as_stored(u);
  else
    decide_if_queues_are_there(self, u);
}

} // namespace

void take_versions(step_ptr self, const versions_loaded& stored) {
  auto& st = self->state;
  st.workflow = stored.versions;
  note_steps(st, stored.steps);
  note_new_versions(self);
}

void with_versions(step_ptr self, std::function<void(const core::failure&)> go_on) {
  read(self, self->state.links.loader,
       [workflow = self->state.step.row.workflow](persistence::store& db) {
         return load_versions(db, workflow);
       })
      .then(
          [=](const versions_loaded& stored) {
            // The first step knows of one that it makes before it is stored.
            if (stored.versions.latest() > self->state.workflow.latest())
              take_versions(self, stored);
            go_on({});
          },
          go_on);
}

void on_update_workflow(step_ptr self, const msg::update_workflow& request) {
  auto& st = self->state;
  const auto u = std::make_shared<update>(request, held_promise{self->make_response_promise()});
  if (st.step.row.position != 0)
    return refuse(self, u->promise,
                  {core::errc::wrong_state,
                   "the first step of a workflow decides about its versions; that is "
                       + to_string(st.siblings.front())});
  auto document =
      documents::parse_new_workflow(request.definition, st.context->settings.json, st.workflow);
  if (!document)
    return u->promise.deliver(msg::to_error(document.error()));
  u->definition = std::move(document->definition);
  u->request.definition = std::move(document->text);
  read(self, st.links.loader,
       [workflow = st.step.row.workflow](persistence::store& db) {
         return db.load_workflow(workflow);
       })
      .then([=](persistence::stored_workflow& stored) { compare(self, u, std::move(stored)); },
            [=](const core::failure& why) { u->promise.deliver(msg::to_error(why)); });
}

} // namespace holdfast::actors
