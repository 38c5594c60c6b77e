#include "actors/reader.hpp"

#include "actors/actor_guard.hpp"
#include "actors/attempts_view.hpp"
#include "actors/held_promise.hpp"
#include "actors/lineage_view.hpp"
#include "actors/listings.hpp"
#include "actors/payloads.hpp"
#include "actors/profiles.hpp"
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

constexpr std::uint32_t steps_page = 1000;

/// Queues, and steps, that one look for what is overdue may find; the next one finds the others.
constexpr std::uint32_t overdue_page = 1000;

/// Live tasks that one look for forgotten ones reads: a few milliseconds of the database.
constexpr std::uint32_t due_page = 5000;

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

/// Definitions were validated when they were created, under limits that may have been stricter or
/// laxer than today's; stored ones are read without limits of their own.
core::outcome<core::versioned_workflow>
stored_versions(const std::vector<std::string>& definitions) {
  core::versioned_workflow workflow;
  std::size_t read = 0;
  for (const auto& json : definitions) {
    auto parsed = documents::parse_workflow(json, {json.size() + 1, 1000});
    if (!parsed)
      return core::failure{core::errc::damaged,
                           "stored definition of version " + std::to_string(++read)
                               + " of the workflow cannot be parsed: " + parsed.error().detail};
    ++read;
    workflow.add(std::move(*parsed));
  }
  return workflow;
}

caf::result<step_loaded> on_load_step(self_ptr self, const load_step& question) {
  auto& from = open(self);
  const auto policies_of = [](const std::vector<std::string>& definitions, const std::string& key) {
    const auto stored = stored_versions(definitions);
    const auto position = stored ? stored->position_of(key) : std::nullopt;
    return position ? stored->leases(*position) : core::lease_policies{};
  };
  auto step = from.load_step(question.step, policies_of);
  if (!step)
    return msg::to_error(step.error());
  // In this order: no unit is of a version that is not known then.
  auto workflow = from.load_workflow(step->row.workflow);
  if (!workflow)
    return msg::to_error(workflow.error());
  auto versions = stored_versions(workflow->definitions);
  if (!versions)
    return msg::to_error(versions.error());
  if (versions->position_of(step->row.key) != step->row.position)
    return msg::to_error(core::errc::damaged, "the step is not where its workflow has it");
  const auto scope = core::history_needed(*versions, step->row.position);
  auto history = from.load_step_history(question.step, scope);
  if (!history) // one row of it may be damaged, or the database away
    history = from.load_readable_step_history(question.step, scope);
  if (!history)
    return msg::to_error(history.error());
  auto repairs = from.open_repairs(question.step);
  if (!repairs)
    return msg::to_error(repairs.error());
  return step_loaded{std::move(*step),
                     {std::move(*versions), std::move(workflow->steps)},
                     std::move(*history),
                     std::move(*repairs)};
}

caf::result<versions_loaded> on_load_versions(self_ptr self, const load_versions& question) {
  auto workflow = open(self).load_workflow(question.workflow);
  if (!workflow)
    return msg::to_error(workflow.error());
  auto versions = stored_versions(workflow->definitions);
  if (!versions)
    return msg::to_error(versions.error());
  return versions_loaded{std::move(*versions), std::move(workflow->steps)};
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
  const auto versions = stored_versions(stored->definitions);
  if (!versions)
    return msg::to_error(versions.error());
  return msg::workflow_view{stored->id,
                            std::move(stored->name),
                            version,
                            latest,
                            std::move(stored->definitions[version - 1]),
                            steps_of(versions->definition(version), stored->steps)};
}

caf::result<listings_loaded> on_load_listings(self_ptr self, const load_listings& question) {
  const auto rows = open(self).open_steps(question.after, question.limit);
  if (!rows)
    return msg::to_error(rows.error());
  listings_loaded loaded;
  std::map<core::workflow_id, core::outcome<core::versioned_workflow>> workflows;
  for (const auto& row : *rows) {
    auto known = workflows.find(row.workflow);
    if (known == workflows.end()) {
      const auto stored = open(self).load_workflow(row.workflow);
      if (!stored)
        return msg::to_error(stored.error());
      known = workflows.emplace(row.workflow, stored_versions(stored->definitions)).first;
    }
    const auto& workflow = known->second;
    const auto position = workflow ? workflow->position_of(row.key) : std::nullopt;
    if (position)
      loaded.listings.push_back(
          core::listing_of(row, workflow->step(*position), workflow->newest(*position)));
  }
  loaded.more = rows->size() >= question.limit;
  if (!rows->empty())
    loaded.last = rows->back().id;
  return loaded;
}

core::outcome<persistence::stored_profile> find_profile(self_ptr self,
                                                        const core::contributor_id& contributor) {
  auto stored = open(self).load_profile(contributor);
  const auto& find = self->state.context->settings.find_profile;
  if (!stored || !find)
    return stored;
  auto found = find(contributor);
  if (!found)
    return found.error();
  stored->profile = core::in_order(std::move(*found));
  return stored;
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

caf::result<msg::step_list> on_list_live_steps(self_ptr self) {
  // What is complete may be under repair.
  auto repairs = open(self).open_repairs({});
  if (!repairs)
    return msg::to_error(repairs.error());
  std::set<core::step_id> repaired;
  for (const auto& repair : *repairs)
    repaired.insert(repair.step);
  msg::step_list live;
  core::step_id after;
  for (;;) {
    auto page = open(self).list_steps(after, steps_page);
    if (!page)
      return msg::to_error(page.error());
    for (const auto& row : *page) {
      bool is_live = row.status == core::step_status::open
                     || row.status == core::step_status::paused || repaired.count(row.id) != 0;
      // Open units of a canceled step must be canceled: a restart may have come in between, and
      // earlier versions left them open.
      if (row.status == core::step_status::canceled && row.completed_units < row.total_units) {
        const auto counted = open(self).statistics(row.id);
        if (!counted)
          return msg::to_error(counted.error());
        is_live = counted->active_leases + counted->judgable + counted->paused > 0;
      }
      if (is_live)
        live.steps.push_back(to_view(row));
    }
    if (page->size() < steps_page)
      return live;
    after = page->back().id;
  }
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

caf::result<events_seen> on_look_at_events(self_ptr self, const look_at_events& question) {
  auto& from = open(self);
  // In this order: what is pruned in between shows as a gap, which the feed knows how to take.
  const auto bounds = from.event_bounds(question.shard);
  if (!bounds)
    return msg::to_error(bounds.error());
  const auto after = core::beginning_of(question.place, *bounds);
  events_seen seen{{*bounds, {}}};
  if (after < bounds->pruned || after >= bounds->newest)
    return seen;
  auto events = from.events_after(question.shard, after, question.limit);
  if (!events)
    return msg::to_error(events.error());
  for (auto& e : *events)
    seen.found.events.push_back({e.id, std::move(e.event)});
  return seen;
}

caf::result<consumer_position> on_read_position(self_ptr self, const read_position& question) {
  auto& from = open(self);
  auto cursor = from.cursor(question.consumer, question.shard);
  if (!cursor)
    return msg::to_error(cursor.error());
  auto applied = from.inbox_after(question.consumer, question.shard, *cursor);
  if (!applied)
    return msg::to_error(applied.error());
  return consumer_position{*cursor, std::move(*applied)};
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

caf::result<task_histories> on_load_tasks(self_ptr self, const load_tasks& question) {
  task_histories found;
  for (const auto& id : question.tasks) {
    auto history = open(self).load_task(id);
    if (history)
      found.tasks.push_back(std::move(*history));
    else if (history.error().code != core::errc::not_found)
      return msg::to_error(history.error());
  }
  return found;
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
      [=](const load_step& question) { return on_load_step(self, question); },
      [=](const load_workflow& question) {
        return answer(open(self).load_workflow(question.workflow),
                      [](auto& workflow) { return workflow_loaded{std::move(workflow)}; });
      },
      [=](const load_versions& question) { return on_load_versions(self, question); },
      [=](const load_units& question) {
        return answer(open(self).load_units(question.units, question.policies),
                      [](auto& units) { return units_loaded{std::move(units)}; });
      },
      [=](const load_chains& question) {
        return answer(open(self).load_chains(question.units),
                      [](auto& chains) { return chains_loaded{std::move(chains)}; });
      },
      [=](const find_repair& question) {
        return answer(open(self).find_repair(question.repair),
                      [](auto& row) { return repair_found{std::move(row)}; });
      },
      [=](const find_judged& question) {
        return answer(open(self).find_judged(question.step, question.contributors, question.after,
                                             question.through),
                      [](auto& units) { return judged_found{std::move(units)}; });
      },
      [=](const find_made_from& question) {
        return answer(open(self).made_from(question.step, question.results),
                      [](auto& units) { return made_from_found{std::move(units)}; });
      },
      [=](const find_gathered& question) {
        return answer(open(self).gathered_with(question.units),
                      [](auto& units) { return gathered_found{std::move(units)}; });
      },
      [=](const load_grants& question) {
        return answer(open(self).load_grants(question.step, question.after, question.limit),
                      [](auto& found) { return grants_loaded{std::move(found)}; });
      },
      [=](const load_survey& question) {
        return answer(
            open(self).load_survey(question.step, question.sure, core::surveyed_judgments_max),
            [](auto& material) {
              return survey_loaded{
                  std::make_shared<const persistence::survey_material>(std::move(material))};
            });
      },
      [=](const find_source_keys& question) {
        return answer(open(self).find_source_keys(question.step, question.keys),
                      [](const auto& found) {
                        source_keys_found keys;
                        for (const auto& [key, unit] : found)
                          keys.keys.push_back(key);
                        return keys;
                      });
      },
      [=](const read_events& question) {
        return answer(open(self).events_after(question.shard, question.after, question.limit),
                      [&](auto& events) {
                        event_page page{question.shard, {}};
                        for (auto& e : events)
                          page.events.push_back({e.id, std::move(e.event)});
                        return page;
                      });
      },
      [=](const look_at_events& question) { return on_look_at_events(self, question); },
      [=](const read_position& question) { return on_read_position(self, question); },
      [=](const load_queue& question) {
        return answer(open(self).load_queue(question.queue),
                      [](auto& queue) { return queue_loaded{std::move(queue)}; });
      },
      [=](const find_tasks& question) {
        return answer(open(self).find_tasks(question.tasks),
                      [](auto& tasks) { return tasks_found{std::move(tasks)}; });
      },
      [=](find_staged) {
        return answer(open(self).queues_with_staged(),
                      [](auto& queues) { return staged_queues{std::move(queues)}; });
      },
      [=](const find_over& question) {
        return answer(open(self).find_over(question.assignments, question.since),
                      [](auto& over) { return over_found{std::move(over)}; });
      },
      [=](const find_overdue& question) {
        return answer(open(self).find_overdue(question.ended_before, overdue_page),
                      [](auto& items) { return overdue_found{std::move(items)}; });
      },
      [=](const find_due& question) {
        return answer(open(self).find_due(question.after, question.due_before, due_page),
                      [](auto& page) { return due_found{std::move(page)}; });
      },
      [=](const load_staged& question) {
        return answer(open(self).load_staged(question.queue, question.limit, question.bytes_most),
                      [](auto& page) { return staged_loaded{std::move(page)}; });
      },
      [=](const list_finished& question) {
        return answer(open(self).list_finished(question.filter),
                      [](auto& tasks) { return finished_listed{std::move(tasks)}; });
      },
      [=](const load_tasks& question) { return on_load_tasks(self, question); },
      [=](find_webhooks) {
        return answer(open(self).list_webhooks(),
                      [](auto& webhooks) { return webhooks_listed{std::move(webhooks)}; });
      },
      [=](const find_webhook_places& question) {
        return answer(open(self).webhook_places(question.webhook),
                      [](auto& places) { return webhook_places_found{std::move(places)}; });
      },
      [=](const find_dead_letters& question) {
        return answer(open(self).list_dead_letters(question.filter),
                      [](auto& letters) { return dead_letters_found{std::move(letters)}; });
      },
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
      [=](const load_listings& question) { return on_load_listings(self, question); },
      [=](const load_profile& question) {
        return answer(find_profile(self, question.contributor),
                      [](auto& stored) { return profile_loaded{std::move(stored)}; });
      },
      [=](const msg::get_profile& question) {
        return answer(find_profile(self, question.contributor),
                      [&](const auto& stored) { return to_view(question.contributor, stored); });
      },
      [=](list_live_steps) { return on_list_live_steps(self); },
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
