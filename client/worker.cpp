#include "client/worker.hpp"

#include "client/id_source.hpp"
#include "client/lease_end.hpp"
#include "client/long_poll.hpp"
#include "core/invariant.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::client {

namespace {

/// Bound of the node.
constexpr std::uint32_t threads_max = 1000;

core::instant wall_time() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

/// Threads that run what they are given, first in, first out. Never more is given than there are
/// threads, so nothing waits for long.
class thread_pool {
public:
  using job = std::function<void()>;

  void start(std::uint32_t threads) {
    for (std::uint32_t i = 0; i < threads; ++i)
      threads_.emplace_back([this] { work(); });
  }

  void add(job next) {
    {
      const std::lock_guard lock{mutex_};
      jobs_.push_back(std::move(next));
    }
    changed_.notify_one();
  }

  /// Waits for the jobs that run, and for those that were added.
  void close() {
    {
      const std::lock_guard lock{mutex_};
      closed_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_)
      thread.join();
    threads_.clear();
  }

private:
  void work() {
    std::unique_lock lock{mutex_};
    while (true) {
      changed_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
      if (jobs_.empty())
        return;
      auto next = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      next();
      next = nullptr; // what it holds is not to be freed under the lock
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<job> jobs_;
  std::vector<std::thread> threads_;
  bool closed_ = false;
};

} // namespace

class worker::body {
public:
  body(connection& node, worker_settings settings)
      : node_(node),
        settings_(std::move(settings)),
        seed_(random_seed()),
        name_(settings_.name + '-' + core::to_string(id_source{}.next())) {
    settings_.threads = std::clamp(settings_.threads, 1U, threads_max);
  }

  void handle(const std::string& type, std::shared_ptr<task_handler> handler) {
    const std::lock_guard lock{mutex_};
    HOLDFAST_INVARIANT(phase_ == phase::made, "handlers are given before the start");
    HOLDFAST_INVARIANT(handler != nullptr, "a type has a handler");
    handlers_[type] = std::move(handler);
  }

  void start() {
    const std::lock_guard lock{mutex_};
    if (phase_ != phase::made)
      return;
    HOLDFAST_INVARIANT(!handlers_.empty(),
                       "a worker has a handler: without types it would get all");
    phase_ = phase::working;
    pool_.start(settings_.threads);

    worker_agent_deps deps;
    deps.gateway = node_.gateway();
    deps.request_timeout = node_.request_timeout();
    deps.queue = settings_.queue;
    deps.name = name_;
    for (const auto& [type, handler] : handlers_)
      deps.types.push_back(type);
    deps.capacity = settings_.threads;
    deps.claim_wait = wait_at_node(node_.retry());
    deps.grace = settings_.grace;
    deps.cancel_grace = settings_.cancel_grace;
    deps.seed = seed_;
    deps.now = wall_time;
    deps.clock = node_.clock();
    deps.run = [this](auto task, auto watch) {
      pool_.add([this, task = std::move(task), watch = std::move(watch)] { work_on(task, watch); });
    };
    deps.on_problem = settings_.on_problem;
    deps.counters = counters_;
    // Behind the lock that `work_on` takes before it needs the agent: it may claim at once.
    agent_ = node_.system().spawn(worker_agent, std::move(deps));
    subscription_ = node_.on_tasks_lost(
        [agent = agent_](const msg::tasks_lost& lost) { caf::anon_send(agent, lost); });
  }

  void stop() {
    std::unique_lock lock{mutex_};
    if (phase_ == phase::made)
      phase_ = phase::stopped;
    if (phase_ == phase::stopping)
      stopped_.wait(lock, [&] { return phase_ == phase::stopped; });
    if (phase_ == phase::stopped)
      return stopped_.notify_all();
    phase_ = phase::stopping;
    lock.unlock();
    {
      caf::scoped_actor self{node_.system()};
      caf::anon_send(agent_, stop_working{});
      self->wait_for(caf::actor_cast<caf::actor>(agent_));
    }
    pool_.close();
    lock.lock();
    subscription_ = nullptr;
    phase_ = phase::stopped;
    stopped_.notify_all();
  }

  void wait_until_stopped() {
    std::unique_lock lock{mutex_};
    stopped_.wait(lock, [&] { return phase_ == phase::stopped; });
  }

  const worker_counters& counters() const { return *counters_; }
  const core::worker_id& name() const { return name_; }

private:
  enum class phase { made, working, stopping, stopped };

  worker_agent_actor agent() {
    const std::lock_guard lock{mutex_};
    return agent_;
  }

  /// On a thread of the pool.
  void work_on(const std::shared_ptr<const msg::leased_task>& task,
               const std::shared_ptr<lease_watch>& watch) {
    const task_context context{
        task, watch, [&](const msg::task_update& update) { return save(*task, *watch, update); },
        [this] { return node_.now(); }, &node_};
    ++counters_->running;
    auto how = std::make_shared<const outcome>(outcome_of(context));
    --counters_->running;
    caf::anon_send(agent(), task_ended{{task->task, task->token}, std::move(how)});
  }

  outcome outcome_of(const task_context& context) {
    std::string detail;
    try {
      return handlers_.at(context.task().type)->run(context);
    } catch (const std::exception& thrown) {
      detail = thrown.what();
    } catch (...) {
      detail = "an exception that is no std::exception";
    }
    if (context.canceled())
      return wait_until{}; // to be thrown out of the work is no failure of the task
    return failed{"HANDLER_EXCEPTION", detail};
  }

  /// Blocks a thread of the pool, which the handler has to itself.
  bool save(const msg::leased_task& task, lease_watch& watch, const msg::task_update& update) {
    const msg::task_ref held{task.task, task.token};
    auto answer = node_.ask<msg::task_outcome>(
        msg::save_task_in_order{settings_.queue, name_, held, ++watch.saves, update});
    // A node of the version before does not know it, and says so in these words.
    if (!answer && answer.error().code == core::errc::invalid_argument)
      answer = node_.ask<msg::task_outcome>(msg::save_task{settings_.queue, name_, held, update});
    const auto why =
        answer ? core::failure{answer->refusal, answer->detail} : core::failure{answer.error()};
    if (why.code == core::errc::none)
      return true;
    if (lease_is_over(why.code)) {
      watch.over = true;
      return false;
    }
    if (why.code == core::errc::unavailable) {
      if (settings_.on_problem)
        settings_.on_problem({"progress may not be stored", task.task, why});
      return true;
    }
    throw std::invalid_argument{"the update was refused: " + std::string{core::to_string(why.code)}
                                + ": " + why.detail};
  }

  connection& node_;
  worker_settings settings_;
  const std::uint64_t seed_;
  const core::worker_id name_;
  std::map<std::string, std::shared_ptr<task_handler>> handlers_; ///< Fixed from the start on.
  const std::shared_ptr<worker_counters> counters_ = std::make_shared<worker_counters>();
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  phase phase_ = phase::made;
  worker_agent_actor agent_;
  connection::subscription subscription_;
  thread_pool pool_;
};

worker::worker(connection& node, worker_settings settings)
    : body_(std::make_unique<body>(node, std::move(settings))) {}

worker::~worker() { stop(); }

void worker::handle(const std::string& type, std::shared_ptr<task_handler> handler) {
  body_->handle(type, std::move(handler));
}

void worker::start() { body_->start(); }

void worker::stop() { body_->stop(); }

void worker::run() {
  start();
  body_->wait_until_stopped();
}

worker_counts worker::counts() const {
  const auto& now = body_->counters();
  return {now.claimed, now.completed, now.failed, now.released, now.lost, now.running};
}

const core::worker_id& worker::name() const { return body_->name(); }

} // namespace holdfast::client
