#include "client/task_producer.hpp"

#include "client/connection.hpp"

#include <iterator>
#include <utility>

namespace holdfast::client {

namespace {

/// A node takes ten times as many; but whoever waits for the first ones should not wait for all.
constexpr std::size_t tasks_in_a_request = 1000;

/// A frame has 16 MiB at most, and a task more than its documents.
constexpr std::size_t bytes_in_a_request = std::size_t{4} * 1024 * 1024;

std::size_t bytes_of(const msg::task_request& task) { return task.body.size() + task.data.size(); }

} // namespace

core::outcome<msg::task_outcome> task_producer::enqueue(msg::task_request task) {
  std::vector<msg::task_request> one;
  one.push_back(std::move(task));
  auto made = enqueue_all(std::move(one));
  if (!made.complete())
    return made.stopped;
  auto& said = made.outcomes.front();
  if (said.refusal != core::errc::none)
    return core::failure{said.refusal, std::move(said.detail)};
  return std::move(said);
}

std::vector<msg::enqueue_tasks> requests_for(const core::queue_name& queue,
                                             std::vector<msg::task_request> tasks) {
  std::vector<msg::enqueue_tasks> requests;
  std::size_t bytes = 0;
  for (auto& task : tasks) {
    bytes += bytes_of(task);
    if (requests.empty() || requests.back().tasks.size() == tasks_in_a_request
        || bytes > bytes_in_a_request) {
      requests.push_back({queue, {}});
      bytes = bytes_of(task);
    }
    requests.back().tasks.push_back(std::move(task));
  }
  return requests;
}

queue_producer::queue_producer(const connection& node, core::queue_name queue, std::string type)
    : node_(node), queue_(std::move(queue)), type_(std::move(type)) {}

enqueued queue_producer::enqueue_all(std::vector<msg::task_request> tasks) {
  for (auto& task : tasks)
    task.type = type_;
  enqueued made;
  for (const auto& request : requests_for(queue_, std::move(tasks))) {
    auto answer = node_.ask<msg::task_outcomes>(request);
    if (!answer) {
      made.stopped = answer.error();
      break;
    }
    made.outcomes.insert(made.outcomes.end(), std::make_move_iterator(answer->outcomes.begin()),
                         std::make_move_iterator(answer->outcomes.end()));
  }
  return made;
}

core::outcome<msg::task_view> queue_producer::look(core::task_id task) {
  return node_.ask<msg::task_view>(msg::get_task{task});
}

} // namespace holdfast::client
