#include "tests/sim/task_plants.hpp"

#include "core/unit_tasks.hpp"
#include "messages/interfaces.hpp"
#include "tests/support/forwarding_store.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>

namespace holdfast::sim {

namespace {

using database_ptr = std::shared_ptr<persistence::memory_database>;

/// A queue that is not what was stored.
class false_queues : public test::forwarding_store {
public:
  using mutation = std::function<void(persistence::stored_queue&)>;

  false_queues(std::unique_ptr<persistence::store> inner, mutation mutate)
      : test::forwarding_store(std::move(inner)), mutate_(std::move(mutate)) {}

  core::outcome<persistence::stored_queue> load_queue(const core::queue_name& queue) override {
    auto loaded = test::forwarding_store::load_queue(queue);
    if (loaded)
      mutate_(*loaded);
    return loaded;
  }

private:
  mutation mutate_;
};

/// The same, and nobody is shown what is due: the backstop would find what a queue does not have.
class forgetful_queues : public false_queues {
public:
  using false_queues::false_queues;

  core::outcome<persistence::due_page> find_due(core::task_id, core::instant,
                                                std::uint32_t) override {
    return persistence::due_page{};
  }
};

/// Finished tasks are gone.
class without_history : public test::forwarding_store {
public:
  using forwarding_store::forwarding_store;

  core::outcome<std::vector<persistence::known_task>>
  find_tasks(const std::vector<core::task_id>& tasks) override {
    auto found = test::forwarding_store::find_tasks(tasks);
    if (found)
      found->erase(std::remove_if(found->begin(), found->end(),
                                  [](const persistence::known_task& t) { return !t.live; }),
                   found->end());
    return found;
  }
  core::outcome<persistence::task_history> load_task(core::task_id task) override {
    auto found = test::forwarding_store::load_task(task);
    if (found && found->finished)
      return core::failure{core::errc::not_found, "no such task"};
    return found;
  }
};

/// What is staged seems to be new, always.
class without_known_ids : public test::forwarding_store {
public:
  using forwarding_store::forwarding_store;

  core::outcome<persistence::staged_page>
  load_staged(const core::queue_name& queue, std::uint32_t limit, std::size_t bytes_most) override {
    auto page = test::forwarding_store::load_staged(queue, limit, bytes_most);
    if (page)
      for (auto& task : page->tasks)
        task.known_in.clear();
    return page;
  }
};

/// All that is finished looks as if it might be tried again.
class without_endings : public test::forwarding_store {
public:
  using forwarding_store::forwarding_store;

  core::outcome<std::vector<persistence::finished_task>>
  list_finished(const persistence::finished_filter& filter) override {
    auto all = filter;
    all.endings.clear();
    return test::forwarding_store::list_finished(all);
  }
};

false_queues::mutation of_each_task(std::function<void(core::task&)> mutate) {
  return [mutate = std::move(mutate)](persistence::stored_queue& queue) {
    for (auto& task : queue.tasks)
      mutate(task);
  };
}

false_queues::mutation queue_mutation_named(const std::string& name, dice& random) {
  if (name == "task-leases-hidden")
    return of_each_task([](core::task& t) { t.leases.active.clear(); });
  if (name == "task-tokens-reset")
    return of_each_task(
        [](core::task& t) { t.leases.last_token = t.held() == nullptr ? 0 : t.held()->token; });
  if (name == "task-expiry-forgotten")
    return of_each_task([](core::task& t) {
      for (auto& lease : t.leases.active)
        lease.expires_at = core::instant::max();
    });
  if (name == "tries-forgotten")
    return of_each_task([](core::task& t) { t.progress.attempts = t.progress.crashes = 0; });
  if (name == "bookmark-forgotten")
    return of_each_task([](core::task& t) { t.progress.execution_state = "{}"; });
  if (name == "date-forgotten")
    return of_each_task([](core::task& t) {
      if (t.held() == nullptr)
        t.progress.next_action = core::instant::max();
    });
  if (name == "pause-forgotten")
    return [](persistence::stored_queue& queue) {
      queue.row.paused = false;
      queue.row.paused_types.clear();
      for (auto& task : queue.tasks)
        task.progress.paused = false;
    };
  if (name == "schedules-hidden")
    return [](persistence::stored_queue& queue) { queue.schedules.clear(); };
  if (name == "tasks-hidden")
    return [&random](persistence::stored_queue& queue) {
      if (!queue.tasks.empty() && random.below(3) == 0)
        queue.tasks.pop_back();
    };
  return {};
}

template <class Write>
Write* write_of(core::change& change) {
  for (auto& write : change.writes)
    if (auto* found = std::get_if<Write>(&write))
      return found;
  return nullptr;
}

template <class Write>
void drop(core::change& change) {
  const auto found = std::find_if(change.writes.begin(), change.writes.end(),
                                  [](const auto& w) { return std::holds_alternative<Write>(w); });
  if (found != change.writes.end())
    change.writes.erase(found);
}

/// Everything that a planted gateway has no opinion of goes on to the real one.
void pass_on(caf::event_based_actor* self, const caf::actor& gateway) {
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(gateway, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
}

caf::behavior enqueues_twice(caf::event_based_actor* self, caf::actor gateway) {
  pass_on(self, gateway);
  return {[=](msg::enqueue_tasks& m) {
    auto again = m;
    for (auto& task : again.tasks)
      task.task.value.bytes.back() ^= 1U;
    self->send(gateway, std::move(again));
    return self->delegate(caf::actor_cast<msg::gateway_actor>(gateway), std::move(m));
  }};
}

msg::task_outcomes all_well(const std::vector<core::task_id>& tasks) {
  msg::task_outcomes answer;
  for (const auto& id : tasks)
    answer.outcomes.push_back({id, core::errc::none, {}, true});
  return answer;
}

caf::behavior answers_tasks_early(caf::event_based_actor* self, caf::actor gateway) {
  pass_on(self, gateway);
  return {[=](const msg::enqueue_tasks& m) {
    self->send(gateway, m);
    std::vector<core::task_id> tasks;
    for (const auto& task : m.tasks)
      tasks.push_back(task.task);
    return all_well(tasks);
  }};
}

caf::behavior invents_extensions(caf::event_based_actor* self, caf::actor gateway) {
  pass_on(self, gateway);
  return {[=](const msg::extend_tasks& m) {
    std::vector<core::task_id> tasks;
    for (const auto& ref : m.tasks)
      tasks.push_back(ref.task);
    return all_well(tasks);
  }};
}

/// Drops the numbers of saves. A late copy of the save before follows each one, as a slow line
/// would bring it: programs seldom repeat an old save by themselves.
caf::behavior forgets_the_order_of_saves(caf::event_based_actor* self, caf::actor gateway) {
  pass_on(self, gateway);
  const auto saved =
      std::make_shared<std::map<std::pair<core::task_id, core::token>, msg::save_task>>();
  return {[=](msg::save_task_in_order& m) {
    const auto to = caf::actor_cast<msg::gateway_actor>(gateway);
    msg::save_task save{m.queue, m.worker, m.task, std::move(m.update)};
    auto answered = self->delegate(to, save);
    if (const auto [before, is_first] = saved->emplace(std::pair{m.task.task, m.task.token}, save);
        !is_first)
      caf::anon_send(to, std::exchange(before->second, std::move(save)));
    return answered;
  }};
}

/// Completes under the lease that is there, whosever it is.
caf::behavior applies_late_results(caf::event_based_actor* self, caf::actor gateway,
                                   database_ptr database) {
  pass_on(self, gateway);
  return {[=](msg::complete_tasks& m) {
    const auto& leases = database->tables().task_leases;
    for (auto& item : m.tasks)
      if (const auto held = leases.find(item.task.task); held != leases.end()) {
        item.task.token = held->second.token;
        m.worker = held->second.owner;
      }
    return self->delegate(caf::actor_cast<msg::gateway_actor>(gateway), std::move(m));
  }};
}

// What a bug may need of a plan.

bool has_programs(const plan& p) { return p.machine.tasks > 0; }

bool has_large(const plan& p) { return has_programs(p) && p.machine.large > 0; }

bool has_schedules(const plan& p) { return has_programs(p) && !p.machine.schedules.empty(); }

bool has_judging_programs(const plan& p) {
  return std::any_of(p.unit_tasks.begin(), p.unit_tasks.end(),
                     [](const auto& tasks) { return !tasks.queue.empty(); });
}

} // namespace

const std::vector<plant>& task_plants() {
  static const std::vector<plant> all{
      {"task-leases-hidden", "leases are left out when a queue is loaded", has_programs},
      {"task-tokens-reset", "tokens begin anew when a queue is loaded", has_programs},
      {"task-expiry-forgotten", "the ends of leases are forgotten when a queue is loaded",
       has_programs},
      {"tries-forgotten", "failed tries are forgotten when a queue is loaded", has_programs},
      {"cancellation-as-failure", "a canceled task is stored as failed", has_programs},
      {"grant-too-long", "a lease is stored with more time than its policy gives", has_programs},
      {"grant-of-another", "a lease is stored under the name of another worker", has_programs},
      {"extension-too-long", "a lease is extended beyond what its policy allows", has_programs},
      {"bookmark-forgotten", "bookmarks are forgotten when a queue is loaded", has_programs},
      {"saves-unordered", "what a worker saves counts whenever it comes", has_programs},
      {"date-forgotten", "what waits for a date is never due after a restart", has_programs},
      {"pause-forgotten", "pauses are forgotten when a queue is loaded", has_programs},
      {"tasks-hidden", "a queue forgets tasks when it is loaded, and nobody looks for them",
       has_programs},
      {"finished-unknown", "finished tasks are not found", has_programs},
      {"payloads-mixed-up", "the object store gives the text of another object", has_large},
      {"completed-revived", "completed tasks are redriven, too", has_programs},
      {"completion-dropped", "a completion is acknowledged but not written", has_programs},
      {"task-lease-kept", "a lease that has ended stays in the table", has_programs},
      {"extension-dropped", "an extension is acknowledged but not written", has_programs},
      {"result-swapped", "another result is stored than the one sent", has_programs},
      {"unique-ignored", "the unique key of a task is not stored", has_programs},
      {"late-result-dropped", "what comes too late is not recorded", has_programs},
      {"enqueue-twice", "a request to make tasks is applied twice", has_programs},
      {"early-task", "a task is acknowledged before its commit", has_programs},
      {"extension-invented", "an extension is acknowledged that never happens", has_programs},
      {"late-result-applied", "a result is accepted under any token", has_programs},
      {"staged-kept", "a staged task is made and stays on the stage", has_programs},
      {"staged-lost", "a staged task leaves the stage and is not made", has_programs},
      {"staged-twice", "a staged task is made twice, under two ids", has_programs},
      {"staged-unknown", "a staged task does not tell that its id is known", has_programs},
      {"refusal-dropped", "a staged task that is refused is not marked", has_programs},
      {"occurrence-kept", "a schedule makes a task and is not written to be further",
       has_schedules},
      {"occurrence-twice", "an occurrence makes two tasks, under two ids", has_schedules},
      {"occurrence-lost", "a schedule is written to be further and makes no task", has_schedules},
      {"judging-task-lost", "a unit leases a slot to a task that it does not stage",
       has_judging_programs},
      {"judging-task-twice", "a unit stages the task of a slot twice, under two ids",
       has_judging_programs},
      {"verdict-swapped", "another judgment is stored than the task came to", has_judging_programs},
      {"schedules-hidden", "schedules are left out when a queue is loaded", has_schedules},
  };
  return all;
}

std::function<void(core::change&)> task_mutation_named(const std::string& name, dice& random) {
  if (name == "completion-dropped")
    return [&](core::change& c) {
      const auto* gone = write_of<core::finish_task>(c);
      if (gone != nullptr && gone->ending == core::task_ending::completed && random.below(4) == 0)
        drop<core::finish_task>(c);
    };
  if (name == "task-lease-kept")
    return [&](core::change& c) {
      if (random.below(4) == 0)
        drop<core::end_task_lease>(c);
    };
  if (name == "extension-dropped")
    return [](core::change& c) { drop<core::extend_task_lease>(c); };
  if (name == "extension-too-long")
    return [](core::change& c) {
      if (auto* extension = write_of<core::extend_task_lease>(c))
        extension->expires_at += std::chrono::hours{24};
    };
  if (name == "grant-too-long")
    return [](core::change& c) {
      if (auto* grant = write_of<core::insert_task_lease>(c))
        grant->lease.expires_at += std::chrono::seconds{1};
    };
  if (name == "grant-of-another")
    return [](core::change& c) {
      if (auto* grant = write_of<core::insert_task_lease>(c))
        grant->lease.owner += "'s namesake";
    };
  if (name == "cancellation-as-failure")
    return [](core::change& c) {
      if (auto* gone = write_of<core::finish_task>(c);
          gone != nullptr && gone->ending == core::task_ending::canceled)
        gone->ending = core::task_ending::failed;
    };
  if (name == "late-result-dropped")
    return [](core::change& c) { drop<core::insert_late_result>(c); };
  if (name == "result-swapped")
    return [](core::change& c) {
      if (auto* gone = write_of<core::finish_task>(c); gone != nullptr && !gone->result.empty())
        gone->result = "{}";
    };
  if (name == "staged-kept")
    return [](core::change& c) { drop<core::take_staged>(c); };
  if (name == "staged-lost")
    return [&](core::change& c) {
      if (write_of<core::take_staged>(c) != nullptr && random.below(4) == 0)
        drop<core::insert_task>(c);
    };
  if (name == "staged-twice")
    return [](core::change& c) {
      const auto* made = write_of<core::insert_task>(c);
      if (write_of<core::take_staged>(c) == nullptr || made == nullptr)
        return;
      auto again = *made;
      again.spec.id.value.bytes.back() ^= 1U;
      again.spec.unique_key.clear();
      c.writes.push_back(std::move(again));
    };
  if (name == "occurrence-kept")
    return [](core::change& c) {
      if (write_of<core::insert_task>(c) != nullptr)
        drop<core::put_schedule_row>(c);
    };
  if (name == "occurrence-twice")
    return [](core::change& c) {
      const auto* made = write_of<core::insert_task>(c);
      if (write_of<core::put_schedule_row>(c) == nullptr || made == nullptr)
        return;
      auto again = *made;
      again.spec.id.value.bytes.back() ^= 1U;
      c.writes.push_back(std::move(again));
    };
  if (name == "occurrence-lost")
    return [](core::change& c) {
      if (write_of<core::put_schedule_row>(c) != nullptr)
        drop<core::insert_task>(c);
    };
  if (name == "judging-task-lost")
    return [](core::change& c) { drop<core::stage_task>(c); };
  if (name == "judging-task-twice")
    return [](core::change& c) {
      const auto* staged = write_of<core::stage_task>(c);
      if (staged == nullptr)
        return;
      auto again = *staged;
      again.task.spec.id.value.bytes.back() ^= 1U;
      c.writes.push_back(std::move(again));
    };
  if (name == "verdict-swapped")
    return [](core::change& c) {
      if (auto* judged = write_of<core::insert_judgment>(c);
          judged != nullptr && core::is_task_judge(judged->owner))
        judged->payload = R"({"answer":"red"})";
    };
  if (name == "refusal-dropped")
    return [](core::change& c) { drop<core::refuse_staged>(c); };
  if (name == "unique-ignored")
    return [](core::change& c) {
      if (auto* made = write_of<core::insert_task>(c))
        made->spec.unique_key.clear();
    };
  return {};
}

std::unique_ptr<persistence::store> wrap_task_reads(const std::string& name,
                                                    std::unique_ptr<persistence::store> connection,
                                                    dice& random) {
  if (name == "tasks-hidden")
    return std::make_unique<forgetful_queues>(std::move(connection),
                                              queue_mutation_named(name, random));
  if (auto mutate = queue_mutation_named(name, random))
    return std::make_unique<false_queues>(std::move(connection), std::move(mutate));
  if (name == "finished-unknown")
    return std::make_unique<without_history>(std::move(connection));
  if (name == "completed-revived")
    return std::make_unique<without_endings>(std::move(connection));
  if (name == "staged-unknown")
    return std::make_unique<without_known_ids>(std::move(connection));
  return connection;
}

caf::actor wrap_task_gateway(const std::string& name, caf::actor_system& system,
                             const caf::actor& gateway, database_ptr database) {
  if (name == "enqueue-twice")
    return system.spawn(enqueues_twice, gateway);
  if (name == "early-task")
    return system.spawn(answers_tasks_early, gateway);
  if (name == "extension-invented")
    return system.spawn(invents_extensions, gateway);
  if (name == "saves-unordered")
    return system.spawn(forgets_the_order_of_saves, gateway);
  if (name == "late-result-applied")
    return system.spawn(applies_late_results, gateway, std::move(database));
  return {};
}

} // namespace holdfast::sim
