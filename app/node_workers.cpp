#include "app/node_workers.hpp"

#include "core/node_worker.hpp"
#include "core/uuid.hpp"

#include <cstddef>
#include <random>
#include <utility>

namespace holdfast::app {

namespace {

/// The part of the patience that is for handlers that were told; the others get what is before it.
constexpr int cancel_share = 5;

client::worker_settings settings_of(const queue_handlers& handlers, const std::string& name,
                                    core::duration patience, const log_stream& log) {
  client::worker_settings settings;
  settings.queue = handlers.queue;
  settings.name = name;
  settings.threads = handlers.threads;
  settings.cancel_grace = patience / cancel_share;
  settings.grace = patience - settings.cancel_grace;
  settings.on_problem = [log, queue = handlers.queue](const client::worker_problem& problem) {
    actors::log_fields fields{{"queue", queue}, {"what", problem.what}};
    if (problem.task)
      fields.emplace_back("task", core::to_string(problem.task));
    fields.emplace_back("reason", std::string{core::to_string(problem.why.code)});
    fields.emplace_back("detail", problem.why.detail);
    log.write(actors::log_level::warning, "worker_problem", fields);
  };
  return settings;
}

} // namespace

node_workers::node_workers(caf::actor_system& system, const std::vector<queue_handlers>& handlers,
                           const std::string& node, const core::incarnation_id& process,
                           core::duration patience, const log_stream& log)
    : node_(system, client::retry_policy{}, std::random_device{}()) {
  for (const auto& queue : handlers) {
    auto& worker = *workers_.emplace_back(std::make_unique<client::worker>(
        node_, settings_of(queue, core::name_inside(node, process), patience, log)));
    for (const auto& [type, handler] : queue.by_type)
      worker.handle(type, handler);
  }
}

node_workers::~node_workers() {
  node_.close();
  if (stopping_.joinable())
    stopping_.join();
}

void node_workers::reach(const msg::gateway_actor& gateway) {
  node_.reach(gateway);
  for (auto& worker : workers_)
    worker->start(); // from the second time on it has begun already
}

void node_workers::stop(std::function<void()> stopped) {
  stopping_ = std::thread{[this, stopped = std::move(stopped)] {
    // All at once: each may take the whole patience.
    std::vector<std::thread> stops;
    for (auto& worker : workers_)
      stops.emplace_back([&worker] { worker->stop(); });
    for (auto& thread : stops)
      thread.join();
    stopped();
  }};
}

} // namespace holdfast::app
