#pragma once

#include "messages/interfaces.hpp"
#include "tests/support/virtual_world.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace holdfast::test {

/// What a client is told to do next.
struct client_call {
  std::function<void(caf::event_based_actor*)> run;
};

// What answers each request; declared only, for `answer_to`.
msg::workflow_created answer_type(const msg::create_workflow&);
msg::source_data_added answer_type(const msg::add_source_data&);
msg::step_view answer_type(const msg::seal_step&);
msg::step_view answer_type(const msg::change_step&);
msg::unit_changed answer_type(const msg::change_unit&);
msg::step_list answer_type(const msg::list_steps&);
msg::unit_view answer_type(const msg::get_unit&);
msg::result_page answer_type(const msg::list_results&);
msg::step_statistics answer_type(const msg::get_step_statistics&);
msg::assignment answer_type(const msg::ask_assignment&);
msg::assignment_released answer_type(const msg::release_assignment&);
msg::assignment_extended answer_type(const msg::extend_assignment&);
msg::judgment_accepted answer_type(const msg::submit_judgment&);
msg::session_ended answer_type(const msg::end_session&);
msg::node_status answer_type(const msg::get_node_status&);
msg::queue_view answer_type(const msg::put_queue&);
msg::queue_view answer_type(const msg::pause_queue&);
msg::queue_list answer_type(const msg::list_queues&);
msg::queue_statistics answer_type(const msg::get_queue_statistics&);
msg::task_outcomes answer_type(const msg::enqueue_tasks&);
msg::task_view answer_type(const msg::get_task&);
msg::task_changed answer_type(const msg::change_task&);
msg::leased_tasks answer_type(const msg::eject_task&);
msg::tasks_redriven answer_type(const msg::redrive_tasks&);
msg::leased_tasks answer_type(const msg::claim_tasks&);
msg::task_outcomes answer_type(const msg::extend_tasks&);
msg::task_outcome answer_type(const msg::save_task&);
msg::task_outcome answer_type(const msg::release_task&);
msg::task_outcomes answer_type(const msg::complete_tasks&);
msg::leased_tasks answer_type(const msg::follow_task&);
msg::task_outcome answer_type(const msg::fail_task&);
msg::schedule_view answer_type(const msg::put_schedule&);
msg::schedule_removed answer_type(const msg::remove_schedule&);
msg::schedule_list answer_type(const msg::list_schedules&);

template <class Request>
using answer_to = decltype(answer_type(std::declval<Request>()));

template <class Request>
using awaited_answer = std::shared_ptr<answer<answer_to<Request>>>;

/// A program that talks to nodes over one connection. Its end is what a node sees of a lost
/// connection.
class client {
public:
  explicit client(virtual_world& world);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { disconnect(); }

  /// Sends a request and returns where the answer will be. Nothing runs before the world does.
  template <class Request>
  awaited_answer<Request> send(const msg::gateway_actor& to, Request request);

  /// Leases of tasks that this client was told it has lost.
  const std::vector<msg::task_ref>& lost() const { return *lost_; }

  void disconnect();

private:
  caf::actor actor_;
  std::shared_ptr<std::vector<msg::task_ref>> lost_ =
      std::make_shared<std::vector<msg::task_ref>>();
};

} // namespace holdfast::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::test::client_call)
