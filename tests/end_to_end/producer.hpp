#pragma once

#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"
#include "messages/task_messages.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::test {

/// A program that makes queues and tasks on the node at a port, and looks at them.
struct producer {
  explicit producer(std::uint16_t port) : producer(client::endpoint{"127.0.0.1", port}) {}
  explicit producer(const client::endpoint& where) : node(system, where, {}, 1) {}

  template <class Answer, class Request>
  Answer ask(const Request& request) {
    auto answer = node.ask<Answer>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }

  void make_queue(const std::string& name, const std::string& policy) {
    queue = name;
    ask<msg::queue_view>(msg::put_queue{name, policy});
  }

  msg::task_request request(const std::string& type, const std::string& body) {
    msg::task_request made;
    made.task.value = ids.next(now());
    made.type = type;
    made.body = body;
    return made;
  }

  std::vector<core::task_id> enqueue(const std::string& type, std::size_t tasks,
                                     const std::string& body) {
    msg::enqueue_tasks batch{queue, {}};
    for (std::size_t i = 0; i < tasks; ++i)
      batch.tasks.push_back(request(type, body));
    std::vector<core::task_id> made;
    for (const auto& outcome : ask<msg::task_outcomes>(batch).outcomes) {
      BOOST_TEST((outcome.refusal == core::errc::none), outcome.detail);
      made.push_back(outcome.task);
    }
    return made;
  }

  msg::task_view view(const core::task_id& task) {
    return ask<msg::task_view>(msg::get_task{task});
  }

  // These ask the node until the answer is as wanted; the answer is the pace.

  msg::queue_statistics
  counts_when(const std::function<bool(const msg::queue_statistics&)>& wanted) {
    return answer_when<msg::queue_statistics>(msg::get_queue_statistics{queue}, wanted);
  }

  msg::task_view view_when(const core::task_id& task,
                           const std::function<bool(const msg::task_view&)>& wanted) {
    return answer_when<msg::task_view>(msg::get_task{task}, wanted);
  }

  template <class Answer, class Request>
  Answer answer_when(const Request& request, const std::function<bool(const Answer&)>& wanted) {
    const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    auto answer = ask<Answer>(request);
    while (!wanted(answer) && std::chrono::steady_clock::now() < give_up_at)
      answer = ask<Answer>(request);
    return answer;
  }

  static core::instant now() {
    return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  }

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection node;
  core::uuid_source ids{static_cast<std::uint64_t>(now().time_since_epoch().count())};
  core::queue_name queue;
};

} // namespace holdfast::test
