#pragma once

#include "core/outcome.hpp"
#include "messages/task_messages.hpp"

namespace linker {

using namespace holdfast;

/// Makes tasks and looks at them, by message or in SQL.
class task_port {
public:
  virtual ~task_port() = default;
  virtual core::outcome<msg::task_outcomes> ask(const msg::enqueue_tasks& request) = 0;
  virtual core::outcome<msg::task_view> ask(const msg::get_task& request) = 0;
};

/// What the application needs of a node.
class node_port : public task_port {
public:
  using task_port::ask;
  virtual core::outcome<msg::tasks_redriven> ask(const msg::redrive_tasks& request) = 0;
  virtual core::outcome<msg::queue_statistics> ask(const msg::get_queue_statistics& request) = 0;
};

} // namespace linker
