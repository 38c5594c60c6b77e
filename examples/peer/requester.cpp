// Has the tasks of a file done, and says how each has ended. A line of the file is the id that the
// task has in tables of our own, a blank, and its body as JSON. As the ids are not made here,
// running it again with the same file makes nothing twice: it goes on waiting for what it made
// before.

#include "client/connection.hpp"
#include "client/id_source.hpp"
#include "client/peer_system.hpp"
#include "client/task_producer.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;

namespace {

/// Between two looks at a task that has not ended.
constexpr timespec pause_between_looks{0, 200'000'000};

core::outcome<std::vector<msg::task_request>> tasks_of(const std::string& path) {
  std::ifstream file{path};
  if (!file)
    return core::failure{core::errc::not_found, "cannot read " + path};
  std::vector<msg::task_request> tasks;
  for (std::string line; std::getline(file, line);) {
    const auto blank = std::min(line.find(' '), line.size());
    const auto id = core::parse_uuid(line.substr(0, blank));
    if (!id)
      return core::failure{core::errc::invalid_argument,
                           path + ": this line does not begin with a UUID: " + line};
    msg::task_request task;
    task.task = {*id};
    task.body = line.substr(std::min(blank + 1, line.size()));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Makes the tasks, and returns those that are there now; what was refused is said and left out.
core::outcome<std::vector<core::task_id>> enqueue(client::task_producer& producer,
                                                  const std::vector<msg::task_request>& tasks) {
  const auto answer = producer.enqueue_all(tasks);
  std::vector<core::task_id> made;
  for (const auto& outcome : answer.outcomes)
    if (outcome.refusal == core::errc::none)
      made.push_back(outcome.task);
    else
      std::cerr << core::to_string(outcome.task) << " refused: " << outcome.detail << '\n';
  if (!answer.complete())
    return answer.stopped;
  return made;
}

int failed(const core::failure& why) {
  std::cerr << core::to_string(why.code) << ": " << why.detail << '\n';
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 6)
    return std::cerr << "usage: " << argv[0] << " HOST:PORT,... TASKS [CERTIFICATE KEY CA]\n", 2;
  std::optional<link::credentials> tls;
  if (argc == 6)
    tls = {argv[3], argv[4], argv[5], {}};
  const auto nodes = client::endpoints_of(argv[1], tls);
  if (!nodes)
    return std::cerr << nodes.error().detail << '\n', 2;
  const auto tasks = tasks_of(argv[2]);
  if (!tasks)
    return failed(tasks.error());
  sigset_t ends; // before any thread is made, so that all leave these to the pauses below
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  const client::connection node{system, *nodes, {}, client::random_seed()};
  const auto queue =
      node.ask<msg::queue_view>(msg::put_queue{"images", R"({"retry": {"max_attempts": 5}})"});
  if (!queue)
    return failed(queue.error());
  client::queue_producer producer{node, "images", "resize"};
  const auto made = enqueue(producer, *tasks);
  if (!made)
    return failed(made.error());

  std::size_t completed = 0;
  for (const auto& id : *made) {
    auto task = producer.look(id);
    while (task && task->finished_at == core::instant{}) {
      if (sigtimedwait(&ends, nullptr, &pause_between_looks) > 0)
        return std::cerr << "told to end; run it again with the same file to go on\n", 3;
      task = producer.look(id);
    }
    if (!task)
      return failed(task.error());
    completed += task->status == "COMPLETED" ? 1U : 0U;
    std::cout << core::to_string(id) << ' ' << task->status << ' '
              << (task->error_code.empty() ? task->result : task->error_code) << '\n';
  }
  return completed == tasks->size() ? 0 : 1;
}
