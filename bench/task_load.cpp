#include "bench/task_load.hpp"

#include "bench/task_requests.hpp"
#include "messages/errors.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <sys/resource.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

namespace holdfast::bench {

namespace {

using clock = std::chrono::steady_clock;

const core::queue_name one_queue = "bench";

double millis_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/// What all callers of one round share.
struct round {
  msg::gateway_actor gateway;
  std::uint32_t batch = 1;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> working{0};
  std::promise<void> all_done;
  std::mutex mutex;
  task_result result;
};

struct caller_state {
  std::shared_ptr<round> shared;
  core::queue_name queue;
  std::string name;
  core::uuid_source ids{0};
  clock::time_point began;
  task_result mine;
};

using caller_ptr = caf::stateful_actor<caller_state>*;

void enqueue(caller_ptr self);
void claim(caller_ptr self);

void finish(caller_ptr self) {
  auto& st = self->state;
  {
    const std::lock_guard<std::mutex> lock{st.shared->mutex};
    auto& all = st.shared->result;
    all.completed += st.mine.completed;
    all.failures += st.mine.failures;
    all.life_millis.insert(all.life_millis.end(), st.mine.life_millis.begin(),
                           st.mine.life_millis.end());
  }
  if (--st.shared->working == 0)
    st.shared->all_done.set_value();
  self->quit();
}

void failed(caller_ptr self) {
  ++self->state.mine.failures;
  enqueue(self);
}

void complete(caller_ptr self, const msg::leased_tasks& leased) {
  auto& st = self->state;
  msg::complete_tasks done{st.queue, st.name, {}};
  for (const auto& task : leased.tasks)
    done.tasks.push_back({{task.task, task.token}, "{}"});
  self->request(st.shared->gateway, caf::infinite, std::move(done))
      .then(
          [=](const msg::task_outcomes& answer) {
            auto& state = self->state;
            for (const auto& outcome : answer.outcomes)
              ++(outcome.refusal == core::errc::none ? state.mine.completed : state.mine.failures);
            state.mine.life_millis.push_back(millis_since(state.began));
            enqueue(self);
          },
          [=](const caf::error&) { failed(self); });
}

void claim(caller_ptr self) {
  auto& st = self->state;
  msg::claim_tasks request;
  request.queue = st.queue;
  request.worker = st.name;
  request.claim = {st.ids.next(wall_now())};
  request.most = st.shared->batch;
  self->request(st.shared->gateway, caf::infinite, std::move(request))
      .then(
          [=](const msg::leased_tasks& leased) {
            if (leased.tasks.empty())
              return enqueue(self); // others were faster
            complete(self, leased);
          },
          [=](const caf::error&) { failed(self); });
}

void enqueue(caller_ptr self) {
  auto& st = self->state;
  if (st.shared->stop)
    return finish(self);
  st.began = clock::now();
  msg::enqueue_tasks request{st.queue, {}};
  request.tasks.reserve(st.shared->batch);
  for (std::uint32_t i = 0; i < st.shared->batch; ++i)
    request.tasks.push_back(new_task(st.ids));
  self->request(st.shared->gateway, caf::infinite, std::move(request))
      .then([=](const msg::task_outcomes&) { claim(self); },
            [=](const caf::error&) { failed(self); });
}

/// A worker that always waits for tasks, and whoever shall know of them.
struct worker_state {
  using on_tasks = std::function<void(const std::vector<msg::leased_task>&)>;

  msg::gateway_actor gateway;
  std::string name;
  core::uuid_source ids{7};
  on_tasks received;
  on_tasks completed;
};

using worker_ptr = caf::stateful_actor<worker_state>*;

void wait_for_tasks(worker_ptr self) {
  auto& st = self->state;
  msg::claim_tasks request;
  request.queue = one_queue;
  request.worker = st.name;
  request.claim = {st.ids.next(wall_now())};
  request.most = 100;
  request.wait = std::chrono::seconds{30};
  request.tied = true; // or what comes after the worker's end would be granted to its last claim
  self->request(st.gateway, caf::infinite, std::move(request))
      .then([=](const msg::leased_tasks& leased) {
        auto& state = self->state;
        state.received(leased.tasks);
        msg::complete_tasks done{one_queue, state.name, {}};
        for (const auto& task : leased.tasks)
          done.tasks.push_back({{task.task, task.token}, "{}"});
        self->request(state.gateway, caf::infinite, std::move(done))
            .then([=](const msg::task_outcomes&) { self->state.completed(leased.tasks); });
        wait_for_tasks(self);
      });
}

caf::actor spawn_worker(node_under_load& node, std::uint64_t number,
                        worker_state::on_tasks received, worker_state::on_tasks completed) {
  return node.system().spawn([=, gateway = node.gateway(), received = std::move(received),
                              completed = std::move(completed)](worker_ptr self) {
    self->state.gateway = gateway;
    self->state.name = "worker-" + std::to_string(number);
    self->state.ids = core::uuid_source{1000 + number};
    self->state.received = received;
    self->state.completed = completed;
    wait_for_tasks(self);
    return caf::behavior{[](int) {}};
  });
}

/// What the producers of `processed_tasks` and the worker share.
struct processing {
  msg::gateway_actor gateway;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> working{0};
  std::promise<void> all_done;
  std::mutex mutex;
  std::unordered_map<core::task_id, caf::actor> waiting; ///< Whose tasks are under way.
  task_result result;
};

struct producer_state {
  std::shared_ptr<processing> shared;
  core::uuid_source ids{0};
  clock::time_point began;
};

using producer_ptr = caf::stateful_actor<producer_state>*;

void produce(producer_ptr self) {
  auto& st = self->state;
  if (st.shared->stop) {
    if (--st.shared->working == 0)
      st.shared->all_done.set_value();
    self->quit();
    return;
  }
  st.began = clock::now();
  msg::enqueue_tasks request{one_queue, {new_task(st.ids)}};
  {
    const std::lock_guard<std::mutex> lock{st.shared->mutex};
    st.shared->waiting[request.tasks.front().task] = self;
  }
  self->request(st.shared->gateway, caf::infinite, std::move(request))
      .then([](const msg::task_outcomes&) {},
            [shared = st.shared](const caf::error&) {
              const std::lock_guard<std::mutex> lock{shared->mutex};
              ++shared->result.failures;
            });
}

/// The task is completed.
void on_processed(producer_ptr self) {
  auto& shared = *self->state.shared;
  {
    const std::lock_guard<std::mutex> lock{shared.mutex};
    ++shared.result.completed;
    shared.result.life_millis.push_back(millis_since(self->state.began));
  }
  produce(self);
}

/// What the worker of `start_tasks` and whoever feeds it share.
struct starts {
  std::mutex mutex;
  std::unordered_map<core::task_id, clock::time_point> sent;
  std::vector<double> millis;
};

} // namespace

task_result live_tasks(node_under_load& node, const task_load& load) {
  const auto queue_of = [&](std::size_t caller) {
    return one_queue + "-" + std::to_string(caller % load.queues);
  };
  for (std::size_t i = 0; i < load.queues; ++i)
    call<msg::queue_view>(node, msg::put_queue{queue_of(i), "{}"});
  auto shared = std::make_shared<round>();
  shared->gateway = node.gateway();
  shared->batch = load.batch;
  shared->working = load.callers;
  auto all_done = shared->all_done.get_future();
  const auto commits = [&] { return call<msg::node_status>(node, msg::get_node_status{}).commits; };
  const auto commits_before = commits();
  const auto start = clock::now();
  for (std::size_t i = 0; i < load.callers; ++i)
    node.system().spawn([=, queue = queue_of(i)](caller_ptr self) {
      self->state.shared = shared;
      self->state.queue = queue;
      self->state.name = "caller-" + std::to_string(i);
      self->state.ids =
          core::uuid_source{static_cast<std::uint64_t>(core::to_micros(wall_now())) * 1000 + i};
      enqueue(self);
    });
  std::this_thread::sleep_for(load.duration);
  const auto seconds = millis_since(start) / 1000;
  shared->stop = true;
  if (all_done.wait_for(std::chrono::seconds{30}) != std::future_status::ready)
    throw std::runtime_error{"the last answers of the round did not come"};
  const std::lock_guard<std::mutex> lock{shared->mutex};
  auto result = std::move(shared->result);
  result.seconds = seconds;
  result.commits = commits() - commits_before;
  return result;
}

task_result processed_tasks(node_under_load& node, std::size_t callers, std::size_t workers,
                            std::chrono::milliseconds duration) {
  auto shared = std::make_shared<processing>();
  shared->gateway = node.gateway();
  shared->working = callers;
  auto all_done = shared->all_done.get_future();
  call<msg::queue_view>(node, msg::put_queue{one_queue, "{}"});
  const auto completed = [shared](const std::vector<msg::leased_task>& tasks) {
    const std::lock_guard<std::mutex> lock{shared->mutex};
    for (const auto& task : tasks)
      if (const auto who = shared->waiting.find(task.task); who != shared->waiting.end()) {
        caf::anon_send(who->second, caf::ok_atom::value);
        shared->waiting.erase(who);
      }
  };
  std::vector<caf::actor> workers_of_round;
  for (std::size_t i = 0; i < workers; ++i)
    workers_of_round.push_back(spawn_worker(
        node, i, [](const auto&) {}, completed));
  const auto start = clock::now();
  for (std::size_t i = 0; i < callers; ++i)
    node.system().spawn([=](producer_ptr self) {
      self->state.shared = shared;
      self->state.ids =
          core::uuid_source{static_cast<std::uint64_t>(core::to_micros(wall_now())) * 1000 + i};
      produce(self);
      return caf::behavior{[=](caf::ok_atom) { on_processed(self); }};
    });
  std::this_thread::sleep_for(duration);
  const auto seconds = millis_since(start) / 1000;
  shared->stop = true;
  if (all_done.wait_for(std::chrono::seconds{30}) != std::future_status::ready)
    throw std::runtime_error{"the last tasks of the round were not completed"};
  for (const auto& worker : workers_of_round)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  const std::lock_guard<std::mutex> lock{shared->mutex};
  auto result = std::move(shared->result);
  result.seconds = seconds;
  return result;
}

start_result start_tasks(node_under_load& node, double per_second,
                         std::chrono::milliseconds duration) {
  auto shared = std::make_shared<starts>();
  call<msg::queue_view>(node, msg::put_queue{one_queue, "{}"});
  const auto worker = spawn_worker(
      node, 0,
      [shared](const std::vector<msg::leased_task>& tasks) {
        const auto now = clock::now();
        const std::lock_guard<std::mutex> lock{shared->mutex};
        for (const auto& task : tasks)
          if (const auto sent = shared->sent.find(task.task); sent != shared->sent.end())
            shared->millis.push_back(
                std::chrono::duration<double, std::milli>(now - sent->second).count());
      },
      [](const auto&) {});
  caf::scoped_actor producer{node.system()};
  core::uuid_source ids{8};
  start_result result;
  const auto cpu_before = cpu_seconds();
  const auto start = clock::now();
  const auto pause =
      std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{1 / per_second});
  for (auto next = start; next < start + duration; next += pause) {
    std::this_thread::sleep_until(next);
    msg::enqueue_tasks request{one_queue, {new_task(ids)}};
    {
      const std::lock_guard<std::mutex> lock{shared->mutex};
      shared->sent[request.tasks.front().task] = clock::now();
    }
    producer->request(node.gateway(), caf::infinite, std::move(request))
        .receive([](const msg::task_outcomes&) {},
                 [](const caf::error& error) {
                   throw std::runtime_error{msg::failure_of(error).detail};
                 });
  }
  result.seconds = millis_since(start) / 1000;
  result.cpu_seconds = cpu_seconds() - cpu_before;
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  const std::lock_guard<std::mutex> lock{shared->mutex};
  result.start_millis = shared->millis;
  return result;
}

pgbench_result skip_locked(const std::string& conninfo, std::size_t clients,
                           std::chrono::seconds duration) {
  const std::string schema = R"(DROP SCHEMA IF EXISTS task_bench CASCADE;
CREATE SCHEMA task_bench;
CREATE TABLE task_bench.tasks (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'available', attempt int NOT NULL DEFAULT 0,
  payload jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), attempted_at timestamptz,
  finished_at timestamptz) WITH (fillfactor = 80);
CREATE INDEX ON task_bench.tasks (id) WHERE state = 'available';
)";
  const std::string script = R"(INSERT INTO task_bench.tasks (payload) VALUES
  ('{"text": "the quick brown fox jumps over the lazy dog and then it sleeps for a while"}');
UPDATE task_bench.tasks SET state = 'running', attempt = attempt + 1, attempted_at = now()
 WHERE id = (SELECT id FROM task_bench.tasks WHERE state = 'available' ORDER BY id LIMIT 1
             FOR UPDATE SKIP LOCKED) RETURNING id \gset
UPDATE task_bench.tasks SET state = 'completed', finished_at = now() WHERE id = :id;
)";
  return run_pgbench(conninfo, schema, script, clients, duration);
}

} // namespace holdfast::bench
