#include "actors/reader.hpp"

#include "actors/actor_guard.hpp"
#include "actors/attempts_view.hpp"
#include "actors/held_promise.hpp"
#include "actors/lineage_view.hpp"
#include "actors/listings.hpp"
#include "actors/payloads.hpp"
#include "actors/profiles.hpp"
#include "actors/reads.hpp"
#include "actors/stored_items.hpp"
#include "core/object_ref.hpp"
#include "documents/webhook_document.hpp"
#include "documents/workflow_document.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<reader_state>*;
using persistence::store;

/// Of the documents in the object store that one lineage shows.
constexpr std::size_t lineage_bytes = std::size_t{4} * 1024 * 1024;

store& open(self_ptr self) {
  auto& st = self->state;
  if (!st.store)
    st.store = st.context->settings.open_store();
  return *st.store;
}

/// `shape` of what was read, or the failure.
template <class T, class Shape>
auto answer(core::outcome<T> read, Shape shape) -> caf::result<decltype(shape(*read))> {
  if (!read)
    return msg::to_error(read.error());
  return shape(*read);
}

caf::result<msg::workflow_view> on_get_workflow(self_ptr self, const msg::get_workflow& question) {
  auto stored = open(self).load_workflow(question.workflow);
  if (!stored)
    return msg::to_error(stored.error());
  const auto latest = static_cast<std::uint32_t>(stored->definitions.size());
  const auto version = question.version == 0 ? latest : question.version;
  if (version > latest)
    return msg::to_error(core::errc::not_found, "the workflow has no version "
                                                    + std::to_string(version) + "; the latest is "
                                                    + std::to_string(latest));
  const auto versions = parse_versions(stored->definitions);
  if (!versions)
    return msg::to_error(versions.error());
  return msg::workflow_view{stored->id,
                            std::move(stored->name),
                            version,
                            latest,
                            std::move(stored->definitions[version - 1]),
                            steps_of(versions->definition(version), stored->steps)};
}

core::outcome<msg::unit_view> find_unit(self_ptr self, const msg::get_unit& question) {
  auto units = open(self).load_units({question.unit}, {});
  if (!units)
    return units.error();
  if (units->empty() || units->front().step != question.step)
    return core::failure{core::errc::not_found, "no unit " + to_string(question.unit) + " in step "
                                                    + to_string(question.step)};
  const auto& u = units->front();
  return msg::unit_view{u.id,
                        u.step,
                        u.root,
                        u.parent,
                        u.source_key,
                        u.input,
                        u.state,
                        core::is_test_question(u) ? 0 : u.slots,
                        static_cast<std::uint32_t>(u.judgments.size()),
                        static_cast<std::uint32_t>(u.leases.active.size()),
                        u.result,
                        u.confidence,
                        u.version,
                        u.batch};
}

caf::result<msg::step_list> on_list_steps(self_ptr self, const msg::list_steps& question) {
  return answer(open(self).list_steps(question.after, question.limit), [](const auto& rows) {
    msg::step_list list;
    for (const auto& row : rows)
      list.steps.push_back(to_view(row));
    return list;
  });
}

caf::result<msg::result_page> on_list_results(self_ptr self, const msg::list_results& question) {
  // Nothing to show, or nothing there: only worth a second question when there is nothing.
  const auto nothing_is_unknown = [&](auto read) {
    if (read && read->first.empty())
      if (auto known = open(self).statistics(question.step); !known)
        read = known.error();
    return read;
  };
  return answer(
      nothing_is_unknown(open(self).list_results(question.step, question.after, question.limit)),
      [&](auto& read) {
        msg::result_page page;
        page.last = read.first.empty() ? question.after : read.second;
        for (auto& r : read.first)
          page.results.push_back({r.unit, std::move(r.source_key), r.state, r.judgments,
                                  std::move(r.result), r.confidence});
        return page;
      });
}

caf::result<msg::step_statistics> on_statistics(self_ptr self,
                                                const msg::get_step_statistics& question) {
  return answer(open(self).statistics(question.step), [](const auto& counts) {
    return msg::step_statistics{to_view(counts.step), counts.judgable,      counts.paused,
                                counts.finalized,     counts.canceled,      counts.judgments,
                                counts.active_leases, counts.expired_leases};
  });
}

/// Active unless somebody has paused it, or it has stopped somewhere under its present revision, or
/// what is stored of it cannot be read.
msg::webhook_view view_of(const persistence::stored_webhook& webhook,
                          const std::vector<persistence::webhook_place>& places) {
  msg::webhook_view view{webhook.name,     webhook.definition, webhook.paused ? "paused" : "active",
                         webhook.revision, webhook.created_at, {}};
  if (!documents::parse_webhook(webhook.definition, {webhook.definition.size() + 1, 1000}))
    view.state = "damaged";
  for (const auto& place : places) {
    const bool stopped = place.stopped_revision == webhook.revision;
    const bool waits = place.stopped_revision == 0 && !webhook.paused;
    if (stopped && !webhook.paused && view.state != "damaged")
      view.state = "failing";
    view.places.push_back({place.shard, place.seq, place.newest, place.dead_letters,
                           stopped ? place.reason : std::string{},
                           waits ? place.reason : std::string{}});
  }
  return view;
}

caf::result<msg::webhook_list> on_list_webhooks(self_ptr self, const msg::list_webhooks& question) {
  const auto webhooks = open(self).list_webhooks();
  if (!webhooks)
    return msg::to_error(webhooks.error());
  msg::webhook_list list;
  for (const auto& webhook : *webhooks) {
    if (webhook.name.compare(0, question.prefix.size(), question.prefix) != 0)
      continue;
    auto places = open(self).webhook_places(webhook.id);
    if (!places)
      return msg::to_error(places.error());
    list.webhooks.push_back(view_of(webhook, *places));
  }
  return list;
}

caf::result<msg::dead_letter_page> on_list_dead_letters(self_ptr self,
                                                        const msg::list_dead_letters& question) {
  const auto webhooks = open(self).list_webhooks();
  if (!webhooks)
    return msg::to_error(webhooks.error());
  const auto found = std::find_if(webhooks->begin(), webhooks->end(),
                                  [&](const auto& one) { return one.name == question.name; });
  if (found == webhooks->end())
    return msg::to_error(core::errc::not_found, "there is no webhook " + question.name);
  return answer(open(self).list_dead_letters(
                    {found->id, question.shard, question.after, question.limit, false}),
                [](auto& letters) {
                  msg::dead_letter_page page;
                  for (auto& [made, replayed] : letters)
                    page.letters.push_back({made.event.seq, std::move(made.json), made.status,
                                            std::move(made.reason), made.at, replayed});
                  return page;
                });
}

caf::result<msg::queue_list> on_list_queues(self_ptr self, const msg::list_queues& question) {
  return answer(open(self).list_queues(), [&](auto& rows) {
    msg::queue_list list;
    for (auto& row : rows)
      if (row.name.compare(0, question.prefix.size(), question.prefix) == 0)
        list.queues.push_back({row.name, std::move(row.definition), row.paused,
                               std::move(row.paused_types), row.revision});
    return list;
  });
}

constexpr std::array every_ending{core::task_ending::completed, core::task_ending::failed,
                                  core::task_ending::canceled, core::task_ending::dead};

std::string status_of_live(bool leased) { return leased ? "EXECUTING" : "QUEUED"; }

std::string status_after(core::task_ending ending) {
  switch (ending) {
  case core::task_ending::completed:
    return "COMPLETED";
  case core::task_ending::failed:
    return "FAILURE";
  case core::task_ending::canceled:
    return "CANCELED";
  case core::task_ending::dead:
    return "ERROR";
  }
  return "?";
}

msg::task_view view_of(const persistence::task_history& history) {
  const auto& spec = history.live ? history.live->spec : history.finished->spec;
  const auto& progress = history.live ? history.live->progress : history.finished->progress;
  msg::task_view view;
  view.task = spec.id;
  view.queue = history.queue;
  view.type = spec.type;
  view.version = spec.version;
  view.body = spec.body;
  view.state = progress.state;
  view.data = progress.data;
  view.status = status_of(history);
  view.percent = progress.percent;
  view.attempts = progress.attempts;
  view.crashes = progress.crashes;
  view.paused = progress.paused;
  view.priority = spec.priority;
  view.owner_id = spec.owner_id;
  view.run_as_id = spec.run_as_id;
  view.created_at = spec.created_at;
  view.next_action = progress.next_action;
  view.last_change = progress.last_change;
  view.last_action = progress.last_action;
  if (history.live && history.live->held() != nullptr)
    view.worker = history.live->held()->owner;
  if (history.finished) {
    view.result = history.finished->result;
    view.error_code = history.finished->error.code;
    view.finished_at = history.finished->finished_at;
  }
  return view;
}

msg::task_summary summary_of(const persistence::listed_task& task) {
  const auto& spec = task.spec;
  const auto& progress = task.progress;
  return {spec.id,
          task.queue,
          spec.type,
          spec.version,
          progress.state,
          task.ending ? status_after(*task.ending) : status_of_live(!task.worker.empty()),
          progress.percent,
          progress.attempts,
          progress.crashes,
          progress.paused,
          spec.priority,
          spec.owner_id,
          spec.run_as_id,
          task.worker,
          task.error_code,
          spec.created_at,
          progress.next_action,
          progress.last_change,
          progress.last_action,
          task.finished_at};
}

caf::result<msg::task_page> on_list_tasks(self_ptr self, const msg::list_tasks& question) {
  persistence::task_filter filter;
  filter.queue = question.queue;
  filter.type = question.type;
  filter.owner_id = question.owner_id;
  const auto wanted = [&](const std::string& status) {
    return question.status.empty() || question.status == status;
  };
  filter.waiting = wanted(status_of_live(false));
  filter.leased = wanted(status_of_live(true));
  for (const auto ending : every_ending)
    if (wanted(status_after(ending)))
      filter.endings.push_back(ending);
  filter.created_from = question.created_from;
  if (question.created_before != core::instant{})
    filter.created_before = question.created_before;
  filter.after = question.after;
  filter.limit = question.limit;
  return answer(open(self).list_tasks(filter), [](const persistence::listed_tasks& found) {
    msg::task_page page{{}, found.last, found.more};
    for (const auto& task : found.tasks)
      page.tasks.push_back(summary_of(task));
    return page;
  });
}

caf::result<msg::task_attempts> on_get_task_attempts(self_ptr self,
                                                     const msg::get_task_attempts& question) {
  // One more than is shown tells whether there are others.
  return answer(
      open(self).list_attempts(question.task, question.after, question.limit + 1),
      [&](auto& found) { return to_view(question.task, std::move(found), question.limit); });
}

/// Answers with the view as soon as what `texts`, which are in it, refer to stands in their place.
/// A payload that is missing or damaged shows as its reference: what else is known is told all the
/// same.
template <class View>
void answer_whole(self_ptr self, const held_promise& promise, const std::shared_ptr<View>& view,
                  const std::vector<std::string*>& texts) {
  get_payloads(self, self->state.objects, texts, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 for (const auto& why : outcomes)
                   if (why.code != core::errc::none && !is_lost(why))
                     return promise.deliver(msg::to_error(why));
                 promise.deliver(std::move(*view));
               });
}

void on_get_task(self_ptr self, const msg::get_task& question) {
  const held_promise promise{self->make_response_promise()};
  const auto history = open(self).load_task(question.task);
  if (!history)
    return promise.deliver(msg::to_error(history.error()));
  const auto view = std::make_shared<msg::task_view>(view_of(*history));
  answer_whole(self, promise, view, {&view->body, &view->data, &view->result});
}

void on_get_unit(self_ptr self, const msg::get_unit& question) {
  const held_promise promise{self->make_response_promise()};
  auto found = find_unit(self, question);
  if (!found)
    return promise.deliver(msg::to_error(found.error()));
  const auto view = std::make_shared<msg::unit_view>(std::move(*found));
  answer_whole(self, promise, view, {&view->input});
}

/// So many documents as fit, and the one that passes that; the others show as references.
void on_get_lineage(self_ptr self, const msg::get_lineage& question) {
  const held_promise promise{self->make_response_promise()};
  // One more than is shown tells whether there are others.
  auto item = open(self).load_lineage(question.unit, question.after, question.limit + 1);
  if (!item)
    return promise.deliver(msg::to_error(item.error()));
  const auto view = std::make_shared<msg::unit_lineage>(to_view(std::move(*item), question.limit));
  std::vector<std::string*> texts;
  std::size_t bytes = 0;
  const auto want = [&](std::string& text) {
    if (!core::begins_like_object_ref(text) || bytes >= lineage_bytes)
      return;
    bytes += core::payload_bytes(text);
    texts.push_back(&text);
  };
  for (auto& unit : view->units) {
    want(unit.input);
    for (auto& judgment : unit.judgments)
      want(judgment.payload);
  }
  answer_whole(self, promise, view, texts);
}

} // namespace

msg::step_view to_view(const core::step_row& row) {
  return {row.id,          row.workflow,        row.key,     row.position, row.status, row.sealed,
          row.total_units, row.completed_units, row.revision};
}

std::vector<msg::step_view> steps_of(const core::workflow_definition& definition,
                                     const std::vector<core::step_row>& rows) {
  std::vector<msg::step_view> views;
  for (const auto& step : definition.steps)
    for (const auto& row : rows)
      if (row.key == step.key)
        views.push_back(to_view(row));
  return views;
}

std::string status_of(const core::task& live) { return status_of_live(live.held() != nullptr); }

std::string status_of(const persistence::task_history& history) {
  return history.live ? status_of(*history.live) : status_after(history.finished->ending);
}

bool is_task_status(const std::string& text) {
  return text == status_of_live(false) || text == status_of_live(true)
         || std::any_of(every_ending.begin(), every_ending.end(),
                        [&](core::task_ending ending) { return status_after(ending) == text; });
}

caf::behavior reader(caf::stateful_actor<reader_state>* self, context_ptr context,
                     const caf::actor& objects) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.objects = objects;
  return {
      [=](const read_request& asked) -> caf::result<caf::message> { return asked.run(open(self)); },
      [=](const msg::list_webhooks& question) { return on_list_webhooks(self, question); },
      [=](const msg::list_dead_letters& question) { return on_list_dead_letters(self, question); },
      [=](const msg::list_queues& question) { return on_list_queues(self, question); },
      [=](const msg::get_queue_statistics& question) {
        return answer(open(self).count_tasks(question.queue), [](const auto& counts) {
          return msg::queue_statistics{counts.live,   counts.leased,   counts.completed,
                                       counts.failed, counts.canceled, counts.dead};
        });
      },
      [=](const msg::get_queue_intake& question) {
        return answer(open(self).count_staged(question.queue), [](auto& counts) {
          return msg::queue_intake{counts.staged, counts.staged_since, counts.refused,
                                   counts.unreadable, std::move(counts.last_refusal)};
        });
      },
      [=](const msg::get_task& question) { on_get_task(self, question); },
      [=](const msg::list_tasks& question) { return on_list_tasks(self, question); },
      [=](const msg::get_task_attempts& question) { return on_get_task_attempts(self, question); },
      [=](const msg::get_profile& question) {
        return answer(load_profile(open(self), question.contributor,
                                   self->state.context->settings.find_profile),
                      [&](const auto& stored) { return to_view(question.contributor, stored); });
      },
      [=](const msg::get_workflow& question) { return on_get_workflow(self, question); },
      [=](const msg::list_workflows& question) {
        return answer(open(self).list_workflows(question.after, question.limit),
                      [](auto& listed) { return page_of(std::move(listed)); });
      },
      [=](const msg::list_test_questions& question) {
        return answer(open(self).list_questions(question.step, question.after, question.limit),
                      [](auto& listed) { return page_of(std::move(listed)); });
      },
      [=](const msg::get_unit& question) { on_get_unit(self, question); },
      [=](const msg::get_lineage& question) { on_get_lineage(self, question); },
      [=](const msg::list_steps& question) { return on_list_steps(self, question); },
      [=](const msg::list_results& question) { return on_list_results(self, question); },
      [=](const msg::get_step_statistics& question) { return on_statistics(self, question); },
  };
}

} // namespace holdfast::actors
