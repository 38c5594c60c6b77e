// The part of the queue actor that carries bulk actions out, a chunk of tasks at a time.
//
//     search (database) ─► decide (core) ─► commit: tasks, counts and bookmark ─► search …
//
// Between two chunks the queue handles whatever else has come: an action holds up no claim.

#include "actors/queue_action_answers.hpp"
#include "actors/queue_state.hpp"
#include "actors/task_search.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace holdfast::actors {

namespace {

/// Tasks that a dry run counts at most, and names.
constexpr std::uint32_t dry_run_counts_most = 5000;
constexpr std::size_t dry_run_names_most = 10;
/// Searches of a dry run at most, each of which looks at `task_filter::looks` tasks.
constexpr int dry_run_searches_max = 10;

/// Actions that have ended are remembered, so that a request whose look into the database began
/// before their end does not begin them again.
constexpr std::size_t ended_actions_known_max = 64;

/// The tasks of a chunk, as the database has them.
struct found_action_chunk {
  persistence::listed_tasks listed;
  std::vector<persistence::finished_task> finished; ///< Of a redrive.
};

core::outcome<found_action_chunk> find_action_chunk(persistence::store& db,
                                                    const core::queue_action_row& action,
                                                    std::uint32_t limit) {
  auto listed = look_through(db, search_of(action, limit));
  if (!listed)
    return listed.error();
  found_action_chunk chunk{std::move(*listed), {}};
  if (action.kind != core::queue_action_kind::redrive || chunk.listed.tasks.empty())
    return chunk;
  persistence::finished_filter filter;
  filter.queue = action.queue;
  for (const auto& task : chunk.listed.tasks)
    filter.only.push_back(task.spec.id);
  filter.limit = static_cast<std::uint32_t>(filter.only.size());
  auto finished = db.list_finished(filter);
  if (!finished)
    return finished.error();
  chunk.finished = std::move(*finished);
  return chunk;
}

/// The tasks that a dry run counts.
core::outcome<persistence::listed_tasks> find_all_to_count(persistence::store& db,
                                                           const core::queue_action_row& action) {
  auto filter = search_of(action, dry_run_counts_most);
  persistence::listed_tasks all;
  for (int searches = 1;; ++searches) {
    auto page = look_through(db, filter);
    if (!page)
      return page.error();
    std::move(page->tasks.begin(), page->tasks.end(), std::back_inserter(all.tasks));
    all.last = page->last;
    all.more = page->more;
    if (!all.more || all.tasks.size() == dry_run_counts_most || searches == dry_run_searches_max)
      return all;
    filter.after = all.last;
    filter.limit = dry_run_counts_most - static_cast<std::uint32_t>(all.tasks.size());
  }
}

core::queue_action_row* find_running_action(queue_ptr self, const core::queue_action_id& id) {
  auto& running = self->state.actions;
  const auto found =
      std::find_if(running.begin(), running.end(), [&](const auto& row) { return row.id == id; });
  return found == running.end() ? nullptr : &*found;
}

const core::queue_action_row* find_known_action(queue_ptr self, const core::queue_action_id& id) {
  if (const auto* running = find_running_action(self, id))
    return running;
  const auto& ended = self->state.ended_actions;
  const auto found =
      std::find_if(ended.begin(), ended.end(), [&](const auto& row) { return row.id == id; });
  return found == ended.end() ? nullptr : &*found;
}

/// The action has had a turn, or was stopped: it goes behind the others, or among those that have
/// ended.
void put_action_aside(queue_ptr self, const core::queue_action_id& id) {
  auto& st = self->state;
  const auto found = std::find_if(st.actions.begin(), st.actions.end(),
                                  [&](const auto& row) { return row.id == id; });
  auto row = std::move(*found);
  st.actions.erase(found);
  if (row.status == core::queue_action_status::running)
    return st.actions.push_back(std::move(row));
  st.ended_actions.push_back(std::move(row));
  if (st.ended_actions.size() > ended_actions_known_max)
    st.ended_actions.pop_front();
}

core::failure action_mismatch(const core::queue_action_row& known,
                              const core::queue_action_row& wanted) {
  if (core::same_request(known, wanted))
    return {};
  return {core::errc::already_exists,
          "an action of this id was asked for with other members; ask for a new one with a new id"};
}

/// Answers from memory, once that is durable. False when the queue does not know the action.
bool answer_known_action(queue_ptr self, const held_promise& promise,
                         const core::queue_action_row& wanted) {
  const auto* known = find_known_action(self, wanted.id);
  if (known == nullptr)
    return false;
  if (auto why = action_mismatch(*known, wanted); why.code != core::errc::none)
    refuse(self, promise, std::move(why));
  else
    carry_out(self, {}, promise, view_of(*known));
  return true;
}

void begin_action(queue_ptr self, const held_promise& promise, core::queue_action_row row) {
  auto& st = self->state;
  if (is_being_removed(self, promise))
    return;
  if (const auto why = room_to_write(*st.context); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  const auto& settings = st.context->settings;
  if (st.actions.size() >= settings.actions_running_max)
    return fail(promise, core::errc::overloaded,
                std::to_string(settings.actions_running_max)
                    + " actions of the queue run already (task.actions_running_max)");
  row.asked_by = promise.asked_by();
  row.asked_at = row.changed_at = time(self);
  st.actions.push_back(row);
  core::change changes{
      {core::put_queue_action{row}, core::forget_queue_actions{row.queue, settings.actions_kept}},
      {}};
  // The search reads what is durable: all tasks that were there before the action are by then.
  carry_out(self, promise.noted(std::move(changes)), [=](const core::failure& why) {
    if (why.code != core::errc::none) // and the queue ends
      return promise.deliver(msg::to_error(why));
    promise.deliver(view_of(row));
    go_on_with_actions(self);
  });
}

/// Answers a dry run.
void count_matching_tasks(queue_ptr self, const held_promise& promise, core::queue_action_row row) {
  const auto& st = self->state;
  row.asked_at = time(self);
  read(self, st.links.reader, [row](persistence::store& db) { return find_all_to_count(db, row); })
      .then(
          [=](const persistence::listed_tasks& found) {
            auto view = view_of(row);
            view.status = 0;
            view.asked_at = {};
            view.changed_at = {};
            view.matched = found.tasks.size();
            view.at_least = found.more;
            for (std::size_t i = 0; i < std::min(found.tasks.size(), dry_run_names_most); ++i)
              view.sample.push_back(found.tasks[i].spec.id);
            promise.deliver(std::move(view));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

/// The next chunk is looked for in a while.
void try_chunk_later(queue_ptr self, const std::string& why) {
  auto& st = self->state;
  if (st.action_fault.met(why))
    st.context->log(log_level::warning, "queue_action_waits",
                    {{"queue", st.queue.name}, {"reason", why}});
  self->delayed_send(self, retry_pause(st.context, ++st.action_tries), action_tick{});
}

/// The tasks of the action cannot be read, and not later either.
void give_action_up(queue_ptr self, const core::queue_action_id& id, const core::failure& why) {
  auto& st = self->state;
  auto* action = find_running_action(self, id);
  if (action != nullptr) {
    st.context->log(log_level::error, "queue_action_failed",
                    {{"queue", st.queue.name}, {"action", to_string(id)}, {"reason", why.detail}});
    auto changes =
        core::end_action(*action, core::queue_action_status::failed,
                         std::string{to_string(why.code)} + ": " + why.detail, time(self));
    put_action_aside(self, id);
    carry_out(self, std::move(changes), [](const core::failure&) {});
  }
  go_on_with_actions(self);
}

core::decision<std::vector<core::lost_lease>>
decide_action_chunk(queue_ptr self, core::queue_action_row& action, found_action_chunk& chunk,
                    const std::unordered_set<core::task_id>& ended_since) {
  auto& st = self->state;
  const core::searched_tasks searched{chunk.listed.last, chunk.listed.more};
  if (action.kind != core::queue_action_kind::redrive) {
    core::act_on_live live;
    for (const auto& task : chunk.listed.tasks)
      live.found.push_back(task.spec.id);
    live.searched = searched;
    live.is_unreadable = [&](const core::task_id& id) { return st.unreadable.count(id) != 0; };
    return core::decide(st.queue, action, live, time(self));
  }
  core::act_on_ended ended;
  ended.searched = searched;
  for (auto& task : chunk.finished) {
    if (task.queue.empty()) { // its row is there, and the database does not give it back
      ++ended.unreadable;
      st.context->log(log_level::error, "redrive_leaves_out",
                      {{"queue", st.queue.name},
                       {"task", to_string(task.spec.id)},
                       {"reason", task.error.detail}});
    } else if (ended_since.count(task.spec.id) == 0) // else it is not as it was read any more
      ended.found.push_back({std::move(task.spec), std::move(task.progress), task.last_token,
                             task.ending, std::move(task.error), task.finished_at});
  }
  return core::decide(st.queue, action, std::move(ended), time(self));
}

void act_on_chunk(queue_ptr self, const core::queue_action_id& id, found_action_chunk& chunk) {
  auto& st = self->state;
  const auto ended_since = end_read(self);
  st.acting = false;
  auto* action = find_running_action(self, id);
  if (action == nullptr || st.queue.removed) // stopped, or its queue removed, meanwhile
    return go_on_with_actions(self);
  if (st.action_fault.over())
    st.context->log(log_level::info, "queue_action_goes_on", {{"queue", st.queue.name}});
  st.action_tries = 0;
  auto decided = decide_action_chunk(self, *action, chunk, ended_since);
  put_action_aside(self, id);
  st.acting = true; // until the chunk is durable: what is decided and not written stays bounded
  carry_out_losing(self, std::move(decided.changes), decided.answer, [=](const core::failure& why) {
    self->state.acting = false;
    if (why.code == core::errc::none) // else the queue ends
      go_on_with_actions(self);
  });
  look_after(self);
}

/// Looks for the next chunk of the action whose turn it is.
void find_next_chunk(queue_ptr self) {
  auto& st = self->state;
  read(self, st.links.loader,
       [action = st.actions.front(), limit = st.context->settings.action_chunk](
           persistence::store& db) { return find_action_chunk(db, action, limit); })
      .then([=, id = st.actions.front().id](
                found_action_chunk& chunk) { act_on_chunk(self, id, chunk); },
            [=, id = st.actions.front().id](const core::failure& why) {
              end_read(self);
              self->state.acting = false;
              if (core::describe(why.code).retryable)
                try_chunk_later(self, why.detail);
              else
                give_action_up(self, id, why);
            });
}

void stop_action_now(queue_ptr self, const held_promise& promise, core::queue_action_row& action) {
  const auto id = action.id;
  auto changes = core::end_action(action, core::queue_action_status::stopped, {}, time(self));
  const auto view = view_of(action);
  put_action_aside(self, id);
  carry_out(self, std::move(changes), promise, view);
}

} // namespace

void go_on_with_actions(queue_ptr self) {
  auto& st = self->state;
  if (st.acting || st.actions.empty() || st.queue.removed)
    return;
  if (writers_are_busy(*st.context))
    return try_chunk_later(self, "the writers have much to do");
  st.acting = true;
  ++st.reads;
  // What was revived and has ended again must not be read as it was before.
  st.pending.answer(self, st.context, st.identity.shard, [=](const core::failure& why) {
    auto& state = self->state;
    if (why.code == core::errc::none && !state.actions.empty())
      return find_next_chunk(self);
    end_read(self);
    state.acting = false;
    if (why.code != core::errc::none)
      try_chunk_later(self, why.detail);
  });
}

void on_start_action(queue_ptr self, const asked& from, const msg::start_queue_action& request) {
  const auto& st = self->state;
  const auto& promise = from.promise;
  auto row = row_of(request);
  if (request.dry_run) // counts what is durable, as everybody can see it
    return carry_out(self, {}, [=, row = std::move(row)](const core::failure& why) {
      if (why.code == core::errc::none)
        count_matching_tasks(self, promise, row);
      else
        promise.deliver(msg::to_error(why));
    });
  if (answer_known_action(self, promise, row))
    return;
  read(self, st.links.loader,
       [queue = row.queue, id = row.id](persistence::store& db) {
         return db.find_queue_action(queue, id);
       })
      .then(
          [=](const core::queue_action_row& known) {
            if (answer_known_action(self, promise, row)) // it is further than was read
              return;
            const auto why = action_mismatch(known, row);
            if (why.code == core::errc::none)
              promise.deliver(view_of(known));
            else
              promise.deliver(msg::to_error(why));
          },
          [=](const core::failure& why) {
            if (why.code != core::errc::not_found)
              return promise.deliver(msg::to_error(why));
            // The same request may have come twice at once.
            if (!answer_known_action(self, promise, row))
              begin_action(self, promise, row);
          });
}

void on_stop_action(queue_ptr self, const asked& from, const msg::stop_queue_action& request) {
  const auto& promise = from.promise;
  if (auto* running = find_running_action(self, request.action))
    return stop_action_now(self, promise, *running);
  if (const auto* ended = find_known_action(self, request.action))
    return carry_out(self, {}, promise, view_of(*ended));
  // All that run are in memory: this one has ended, or never was.
  read(self, self->state.links.loader,
       [queue = request.queue, id = request.action](persistence::store& db) {
         return db.find_queue_action(queue, id);
       })
      .then([=](const core::queue_action_row& known) { promise.deliver(view_of(known)); },
            [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace holdfast::actors
