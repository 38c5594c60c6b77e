#pragma once

#include "bench/node_under_load.hpp"
#include "core/uuid.hpp"
#include "messages/errors.hpp"
#include "messages/task_messages.hpp"

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

/// What the measurements of tasks ask of a node.
namespace holdfast::bench {

inline core::instant wall_now() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

/// Sends a request and blocks for its answer. Throws when it is refused.
template <class Answer, class Request>
Answer call(node_under_load& node, Request request) {
  caf::scoped_actor self{node.system()};
  std::optional<Answer> answer;
  std::string why;
  self->request(node.gateway(), std::chrono::seconds{60}, std::move(request))
      .receive([&](Answer& a) { answer = std::move(a); },
               [&](const caf::error& error) { why = msg::failure_of(error).detail; });
  if (!answer)
    throw std::runtime_error{"the node refused: " + why};
  return *answer;
}

/// A task of 100 bytes.
inline msg::task_request new_task(core::uuid_source& ids) {
  msg::task_request task;
  task.task = {ids.next(wall_now())};
  task.type = "bench";
  task.body = R"({"text":"the quick brown fox jumps over the lazy dog and then it sleeps for a )"
              R"(while","number":1})"; // 100 bytes
  return task;
}

} // namespace holdfast::bench
