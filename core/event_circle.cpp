#include "core/event_circle.hpp"

#include "core/task_events.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>

namespace holdfast::core {

namespace {

bool names_an_end(const webhook_definition& webhook) {
  return std::any_of(webhook.types.begin(), webhook.types.end(),
                     [](event_type type) { return ending_told_by(type).has_value(); });
}

} // namespace

bool wants_ends_of(const webhook_definition& webhook, const queue_name& queue) {
  if (webhook.workflow || (!webhook.types.empty() && !names_an_end(webhook)))
    return false;
  if (webhook.tasks
      && (queue == webhook.tasks->queue || (webhook.queues.empty() && webhook.types.empty())))
    return false;
  return webhook.queues.empty()
         || std::find(webhook.queues.begin(), webhook.queues.end(), queue) != webhook.queues.end();
}

failure check_circle(const webhook_definition& added,
                     const std::vector<webhook_definition>& others) {
  if (!added.tasks)
    return {};
  const auto& start = added.tasks->queue;
  std::map<queue_name, queue_name> come_from; // each queue that events of `start` lead to
  std::deque<queue_name> open{start};
  for (; !open.empty(); open.pop_front()) {
    const auto from = open.front();
    const auto follow = [&](const webhook_definition& webhook) {
      if (webhook.tasks && wants_ends_of(webhook, from)
          && come_from.emplace(webhook.tasks->queue, from).second)
        open.push_back(webhook.tasks->queue);
    };
    follow(added);
    std::for_each(others.begin(), others.end(), follow);
  }
  if (come_from.count(start) == 0)
    return {};
  auto circle = start;
  auto at = start;
  do {
    at = come_from.at(at);
    circle = at + ", " + circle;
  } while (at != start);
  return {errc::payload_invalid,
          "/queues: events of tasks would go round without an end through the queues " + circle
              + "; name queues, and leave one of these out"};
}

} // namespace holdfast::core
