#include "actors/queue_state.hpp"
#include "core/task_repetition.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::actors {

namespace {

/// Ids carry the time at which they were made. One that is younger than this, and made since the
/// queue was loaded, cannot be of a task that ended before the queue began to remember endings.
constexpr core::duration fresh_for = std::chrono::seconds{10};
constexpr core::duration clocks_differ_by = std::chrono::seconds{1};

/// When a version 7 id was made, by the clock of whoever made it.
core::instant made_at(const core::task_id& id) {
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i)
    millis = millis << 8 | id.value.bytes[i];
  return core::instant{std::chrono::milliseconds{millis}};
}

/// Whether the database must be asked if a task of this id has ended already.
bool may_be_finished(queue_ptr self, const core::task_id& id) {
  const auto& st = self->state;
  const auto made = made_at(id);
  const auto at = time(self);
  return at < st.looks_all_up_until || made <= st.loaded_at || made + fresh_for < at
         || made > at + clocks_differ_by;
}

/// Whether the queue cannot tell from its memory what the id stands for.
bool is_unknown(queue_ptr self, const core::task_id& id) {
  return may_be_finished(self, id) && self->state.queue.tasks.count(id) == 0;
}

/// Finished tasks of one request that are compared with what is asked for: each takes a read.
constexpr std::size_t compared_max = 100;

/// The tasks of a request that the database has.
struct stored_tasks {
  std::vector<persistence::known_task> known;
  std::vector<core::task_spec> finished; ///< Of `compared_max` at most.
};

core::outcome<stored_tasks> look_up_tasks(persistence::store& db,
                                          const std::vector<core::task_id>& tasks) {
  auto known = db.find_tasks(tasks);
  if (!known)
    return known.error();
  stored_tasks found{std::move(*known), {}};
  for (const auto& one : found.known) {
    if (one.live || found.finished.size() == compared_max)
      continue;
    auto history = db.load_task(one.task);
    if (!history && core::is_transient(history.error().code))
      return history.error();
    // One whose row is damaged is not compared: the request may be a repetition.
    if (history && history->finished)
      found.finished.push_back(std::move(history->finished->spec));
  }
  return found;
}

/// A request to make tasks: what is to be made, and where each outcome belongs.
struct intake {
  std::vector<core::new_task> tasks;
  std::vector<std::size_t> places;
  std::vector<msg::task_outcome> outcomes;

  /// The next task that is asked for, or what was found wrong with it.
  void add(core::outcome<core::new_task> asked, const documents::json_limits& limits) {
    auto& outcome = outcomes.emplace_back();
    auto why = asked ? check(*asked, limits) : asked.error();
    if (asked)
      outcome.task = asked->spec.id;
    if (why.code == core::errc::none) {
      places.push_back(outcomes.size() - 1);
      tasks.push_back(std::move(*asked));
    } else {
      outcome.refusal = why.code;
      outcome.detail = std::move(why.detail);
    }
  }

  /// Leaves out those of the tasks for which there is a failure, and says so in their outcomes.
  void refuse(std::vector<core::failure> why) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (why[i].code != core::errc::none) {
        outcomes[places[i]].refusal = why[i].code;
        outcomes[places[i]].detail = std::move(why[i].detail);
      } else {
        if (left != i) {
          tasks[left] = std::move(tasks[i]);
          places[left] = places[i];
        }
        ++left;
      }
    tasks.resize(left);
    places.resize(left);
  }
};

/// The outcome of a task that has ended.
msg::task_outcome outcome_of_ended(const core::new_task& asked,
                                   const std::vector<core::task_spec>& finished) {
  const auto id = asked.spec.id;
  const auto known = std::find_if(finished.begin(), finished.end(),
                                  [&](const core::task_spec& spec) { return spec.id == id; });
  auto why = known == finished.end() ? core::failure{} : core::check_repetition(*known, asked);
  return {id, why.code, std::move(why.detail), why.code == core::errc::none};
}

void make_tasks(queue_ptr self, const held_promise& promise, intake& in,
                const stored_tasks& stored) {
  auto& st = self->state;
  // Others have been decided while this one was looked up.
  if (const auto why = room_to_write(*st.context); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  std::unordered_map<core::task_id, const persistence::known_task*> elsewhere;
  for (const auto& task : stored.known)
    elsewhere.emplace(task.task, &task);
  core::enqueue command;
  command.compares = true;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < in.tasks.size(); ++i) {
    const auto id = in.tasks[i].spec.id;
    auto& outcome = in.outcomes[in.places[i]];
    const auto there = elsewhere.find(id);
    if (there != elsewhere.end() && there->second->queue != st.queue.name) {
      outcome = {id, core::errc::already_exists,
                 "the queue " + there->second->queue + " has a task of this id", false};
    } else if (st.queue.tasks.count(id) == 0
               && (there != elsewhere.end() || st.recently_finished.count(id) != 0)) {
      outcome = outcome_of_ended(in.tasks[i], stored.finished);
    } else {
      command.tasks.push_back(std::move(in.tasks[i]));
      places.push_back(in.places[i]);
    }
  }
  auto decided = core::decide(st.queue, std::move(command), time(self));
  for (std::size_t i = 0; i < places.size(); ++i)
    in.outcomes[places[i]] = to_message(std::move(decided.answer[i]));
  carry_out(self, std::move(decided.changes), promise, msg::task_outcomes{std::move(in.outcomes)});
  look_after(self);
}

void take_in(queue_ptr self, const held_promise& promise, const std::shared_ptr<intake>& in) {
  std::vector<core::task_id> ids;
  for (const auto& task : in->tasks)
    ids.push_back(task.spec.id);
  const auto& ended = self->state.recently_finished;
  if (std::none_of(ids.begin(), ids.end(), [&](const core::task_id& id) {
        return is_unknown(self, id) || ended.count(id) != 0;
      }))
    return make_tasks(self, promise, *in, {});
  // All of them, as in `find_elsewhere`.
  read(self, self->state.links.loader,
       [ids](persistence::store& db) { return look_up_tasks(db, ids); })
      .then([=](const stored_tasks& stored) { make_tasks(self, promise, *in, stored); },
            [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

/// `take_in`, as soon as the payloads that are too large for a row are stored. A task whose payload
/// cannot be stored is refused and harms no other.
void store_and_take_in(queue_ptr self, const asked& from, const std::shared_ptr<intake>& in) {
  std::vector<large_text> large;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < in->tasks.size(); ++i)
    for (const auto& text : large_in(self, in->tasks[i])) {
      large.push_back(text);
      owners.push_back(i);
    }
  if (large.empty())
    return take_in(self, from.promise, in);
  store(self, from.caller, large,
        [=, promise = from.promise](const std::vector<core::failure>& stored) {
          std::vector<core::failure> of_task(in->tasks.size());
          for (std::size_t i = 0; i < stored.size(); ++i)
            if (stored[i].code != core::errc::none)
              of_task[owners[i]] = stored[i];
          in->refuse(std::move(of_task));
          take_in(self, promise, in);
        });
}

/// Its row is there, and the database does not give it back.
bool is_unreadable(const persistence::finished_task& task) { return task.queue.empty(); }

void tell_unreadable(queue_ptr self, const std::vector<persistence::finished_task>& found) {
  const auto first = std::find_if(found.begin(), found.end(), is_unreadable);
  if (first == found.end())
    return;
  self->state.context->log(
      log_level::error, "redrive_leaves_out",
      {{"queue", self->state.queue.name},
       {"tasks", std::to_string(std::count_if(first, found.end(), is_unreadable))},
       {"task", to_string(first->spec.id)},
       {"reason", first->error.detail}});
}

/// Revives what the database has of `filter`, but for what has ended since that was wanted.
void redrive(queue_ptr self, const held_promise& promise,
             const persistence::finished_filter& filter) {
  read(self, self->state.links.loader,
       [filter](persistence::store& db) { return db.list_finished(filter); })
      .then(
          [=, limit = filter.limit,
           after = filter.after](std::vector<persistence::finished_task>& found) {
            auto& st = self->state;
            const auto ended_since = end_read(self);
            if (const auto why = room_to_write(*st.context); why.code != core::errc::none)
              return promise.deliver(msg::to_error(why));
            if (auto gone = core::check_not_removed(st.queue); gone.code != core::errc::none)
              return refuse(self, promise, std::move(gone));
            msg::tasks_redriven answer;
            answer.last = found.empty() ? after : found.back().spec.id;
            answer.more = found.size() >= limit;
            tell_unreadable(self, found);
            core::change changes;
            for (auto& task : found) {
              if (is_unreadable(task) || ended_since.count(task.spec.id) != 0)
                continue; // what was read of it is nothing, or is not so any more
              auto decided =
                  core::decide(st.queue,
                               core::redrive_task{std::move(task.spec), std::move(task.progress),
                                                  task.last_token},
                               time(self));
              answer.redriven +=
                  static_cast<std::uint32_t>(decided.changes.writes.size()); // one, or none
              core::append(changes, std::move(decided.changes));
            }
            carry_out(self, std::move(changes), promise, answer);
            look_after(self);
          },
          [=](const core::failure& why) {
            end_read(self);
            promise.deliver(msg::to_error(why));
          });
}

} // namespace

const core::task* under_claim(const core::queue& q, const core::task_id& task,
                              const core::worker_id& worker, const core::assignment_id& claim) {
  const auto found = q.tasks.find(task);
  if (found == q.tasks.end() || found->second.held() == nullptr)
    return nullptr;
  const auto& lease = *found->second.held();
  return lease.owner == worker && lease.id == claim ? &found->second : nullptr;
}

void find_elsewhere(queue_ptr self, const std::vector<core::task_id>& tasks,
                    const held_promise& promise,
                    std::function<void(const std::vector<persistence::known_task>&)> then) {
  if (std::none_of(tasks.begin(), tasks.end(),
                   [&](const core::task_id& id) { return is_unknown(self, id); }))
    return then({});
  // All are looked up: a look may take longer than what has ended is remembered, so that by its end
  // nobody else knows of those that are live or new now.
  read(self, self->state.links.loader, [tasks](persistence::store& db) {
    return db.find_tasks(tasks);
  }).then(then, [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

void on_enqueue(queue_ptr self, const asked& from, msg::enqueue_tasks& request) {
  const auto& limits = self->state.context->settings.json;
  auto in = std::make_shared<intake>();
  for (auto& task : request.tasks)
    in->add(to_core(task), limits);
  store_and_take_in(self, from, in);
}

void on_enqueue_envelopes(queue_ptr self, const asked& from, msg::enqueue_envelopes& request) {
  const auto& limits = self->state.context->settings.json;
  auto in = std::make_shared<intake>();
  for (auto& task : request.envelopes)
    in->add(to_core(task, limits), limits);
  store_and_take_in(self, from, in);
}

void on_change(queue_ptr self, const asked& from, const msg::change_task& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  const auto verb = static_cast<core::task_verb>(request.verb);
  if (const auto gone = st.recently_finished.find(request.task);
      verb == core::task_verb::cancel && gone != st.recently_finished.end()
      && gone->second.how == core::task_ending::canceled)
    return carry_out(self, {}, promise, msg::task_changed{request.task});
  if (st.unreadable.count(request.task) != 0)
    return fail(promise, core::errc::damaged,
                "the database does not give back the row of task " + to_string(request.task));
  auto decided = core::decide(st.queue, verb, request.task, time(self));
  if (decided.refusal != core::errc::none)
    return fail(promise, decided.refusal, std::move(decided.detail));
  std::vector<core::lost_lease> lost;
  if (decided.answer)
    lost.push_back(std::move(*decided.answer));
  carry_out_losing(self, promise.noted(std::move(decided.changes)), lost,
                   [=, task = request.task](const core::failure& why) {
                     if (why.code == core::errc::none)
                       promise.deliver(msg::task_changed{task});
                     else
                       promise.deliver(msg::to_error(why));
                   });
  look_after(self);
}

namespace {

/// A task knows the last ejection, for as long as it lives. Those before it, and of what has ended
/// since, are remembered here: longer than anybody sends a request again without a restart.
constexpr core::duration ejections_known_for = std::chrono::minutes{2};
constexpr std::size_t ejections_known_max = 100'000;

void remember_ejection(queue_ptr self, const core::claim_task& wanted) {
  auto& st = self->state;
  const auto at = time(self);
  while (!st.ejection_order.empty()
         && (st.ejection_order.front().first + ejections_known_for < at
             || st.ejection_order.size() >= ejections_known_max)) {
    st.recently_ejected.erase(st.ejection_order.front().second);
    st.ejection_order.pop_front();
  }
  if (wanted.id && st.recently_ejected.emplace(wanted.id, wanted.task).second)
    st.ejection_order.emplace_back(at, wanted.id);
}

bool was_ejected(queue_ptr self, const core::claim_task& wanted) {
  const auto& known = self->state.recently_ejected;
  const auto found = known.find(wanted.id);
  return wanted.id && found != known.end() && found->second == wanted.task;
}

/// Answers an ejection that is done. Its lease is over, or nobody wanted one; or its grant, a
/// change of its own, was lost with an earlier life of the queue, and is made up for. Whoever has
/// the task meanwhile has it with what was brought.
void repeat_ejection(queue_ptr self, const held_promise& promise, const core::claim_task& wanted,
                     const caf::actor_addr& client) {
  if (wanted.worker.empty() || was_ejected(self, wanted))
    return carry_out(self, {}, promise, msg::leased_tasks{});
  read_tasks(self, {wanted.task})
      .then(
          [=](const std::vector<persistence::task_history>& found) {
            const bool is_over =
                std::any_of(found.begin(), found.end(), [&](const persistence::task_history& h) {
                  return std::any_of(h.attempts.begin(), h.attempts.end(),
                                     [&](const auto& a) { return a.lease.id == wanted.id; });
                });
            auto& st = self->state;
            core::decision<bool> granted;
            if (!is_over)
              granted = core::decide(st.queue, wanted, time(self));
            const bool holds =
                under_claim(st.queue, wanted.task, wanted.worker, wanted.id) != nullptr;
            carry_out_granting(self, std::move(granted.changes),
                               given_to(promise, wanted.worker, client),
                               holds ? std::vector{wanted.task} : std::vector<core::task_id>{});
            look_after(self);
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

/// Takes the task from whoever holds it and, when somebody wants it, leases it to them.
void eject(queue_ptr self, const asked& from, const core::eject_task& command,
           const core::claim_task& wanted) {
  const auto& promise = from.promise;
  const auto client = connection_of(self, from.caller);
  auto& st = self->state;
  // The same request again: it has the lease already. Also when the two were storing what they
  // brought side by side.
  if (wanted.id && under_claim(st.queue, wanted.task, wanted.worker, wanted.id) != nullptr)
    return carry_out_granting(self, {}, given_to(promise, wanted.worker, client), {wanted.task});
  if (wanted.id && st.queue.claims.count(wanted.id) != 0)
    return fail(promise, core::errc::already_exists, "other leases have this claim");
  if (core::is_done(st.queue, command) || was_ejected(self, wanted))
    return repeat_ejection(self, promise, wanted, client);
  const auto at = time(self);
  auto decided = core::decide(st.queue, command, at);
  if (decided.refusal != core::errc::none)
    return fail(promise, decided.refusal, std::move(decided.detail));
  remember_ejection(self, wanted);
  std::vector<core::lost_lease> lost;
  if (decided.answer)
    lost.push_back(std::move(*decided.answer));
  if (wanted.worker.empty()) {
    carry_out_losing(self, promise.noted(std::move(decided.changes)), lost,
                     [=](const core::failure& why) {
                       if (why.code == core::errc::none)
                         promise.deliver(msg::leased_tasks{});
                       else
                         promise.deliver(msg::to_error(why));
                     });
    return look_after(self);
  }
  carry_out_losing(self, promise.noted(std::move(decided.changes)), lost,
                   [](const core::failure&) {});
  auto granted = core::decide(st.queue, wanted, at);
  carry_out_granting(self, std::move(granted.changes), given_to(promise, wanted.worker, client),
                     {wanted.task});
  look_after(self);
}

} // namespace

void on_eject(queue_ptr self, const asked& from, msg::eject_task& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  if (auto why = check(request.update, st.context->settings.json); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  const core::claim_task wanted{std::move(request.worker), request.claim, request.task};
  when_stored(
      self, from,
      core::eject_task{request.task, to_core(request.update), request.next_action, request.claim},
      [=](const core::eject_task& command) { eject(self, from, command, wanted); });
}

void on_redrive(queue_ptr self, const asked& from, const msg::redrive_tasks& request) {
  const auto& promise = from.promise;
  persistence::finished_filter filter;
  filter.queue = request.queue;
  filter.endings = {core::task_ending::failed, core::task_ending::dead};
  filter.type = request.type;
  filter.error_code = request.error_code;
  filter.after = request.after;
  filter.limit = request.limit;
  ++self->state.reads;
  // What was revived and has ended again must not be read as it was before.
  auto& st = self->state;
  st.pending.answer(self, st.context, st.identity.shard,
                    [=, filter = std::move(filter)](const core::failure& why) {
                      if (why.code == core::errc::none)
                        return redrive(self, promise, filter);
                      end_read(self);
                      promise.deliver(msg::to_error(why));
                    });
}

} // namespace holdfast::actors
