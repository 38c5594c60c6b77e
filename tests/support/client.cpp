#include "tests/support/client.hpp"

namespace holdfast::test {

namespace {

/// Longer than any outage in a test, so that a request that nobody answers is seen as that.
constexpr std::chrono::minutes answer_patience{60};

/// Puts the answer where it is awaited. Compiled for each kind of answer, of which there are
/// fewer than requests.
template <class Response, class Answer>
void keep(Response response, std::shared_ptr<answer<Answer>> result) {
  response.then([=](Answer& value) { result->value = std::move(value); },
                [=](const caf::error& error) { result->error = msg::failure_of(error); });
}

} // namespace

client::client(virtual_world& world) {
  actor_ = world.system->spawn([lost = lost_](caf::event_based_actor* self) {
    return caf::behavior{
        [=](const client_call& call) { call.run(self); },
        [=](const msg::tasks_lost& over) {
          lost->insert(lost->end(), over.tasks.begin(), over.tasks.end());
        },
    };
  });
}

template <class Request>
awaited_answer<Request> client::send(const msg::gateway_actor& to, Request request) {
  auto result = std::make_shared<answer<msg::answer_to<Request>>>();
  caf::anon_send(actor_, client_call{[=](caf::event_based_actor* self) {
                   keep(self->request(caf::actor_cast<caf::actor>(to), answer_patience, request),
                        result);
                 }});
  return result;
}

void client::disconnect() {
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
  actor_ = nullptr;
}

template awaited_answer<msg::check_workflow> client::send(const msg::gateway_actor&,
                                                          msg::check_workflow);
template awaited_answer<msg::create_workflow> client::send(const msg::gateway_actor&,
                                                           msg::create_workflow);
template awaited_answer<msg::update_workflow> client::send(const msg::gateway_actor&,
                                                           msg::update_workflow);
template awaited_answer<msg::job_status_changed> client::send(const msg::gateway_actor&,
                                                              msg::job_status_changed);
template awaited_answer<msg::get_workflow> client::send(const msg::gateway_actor&,
                                                        msg::get_workflow);
template awaited_answer<msg::list_workflows> client::send(const msg::gateway_actor&,
                                                          msg::list_workflows);
template awaited_answer<msg::add_source_data> client::send(const msg::gateway_actor&,
                                                           msg::add_source_data);
template awaited_answer<msg::load_source_data> client::send(const msg::gateway_actor&,
                                                            msg::load_source_data);
template awaited_answer<msg::add_test_questions> client::send(const msg::gateway_actor&,
                                                              msg::add_test_questions);
template awaited_answer<msg::list_test_questions> client::send(const msg::gateway_actor&,
                                                               msg::list_test_questions);
template awaited_answer<msg::remove_contributor> client::send(const msg::gateway_actor&,
                                                              msg::remove_contributor);
template awaited_answer<msg::forgive_question> client::send(const msg::gateway_actor&,
                                                            msg::forgive_question);
template awaited_answer<msg::repair_contributor> client::send(const msg::gateway_actor&,
                                                              msg::repair_contributor);
template awaited_answer<msg::repair_question> client::send(const msg::gateway_actor&,
                                                           msg::repair_question);
template awaited_answer<msg::reopen_unit> client::send(const msg::gateway_actor&, msg::reopen_unit);
template awaited_answer<msg::override_result> client::send(const msg::gateway_actor&,
                                                           msg::override_result);
template awaited_answer<msg::taint_judgment> client::send(const msg::gateway_actor&,
                                                          msg::taint_judgment);
template awaited_answer<msg::reinstate_judgment> client::send(const msg::gateway_actor&,
                                                              msg::reinstate_judgment);
template awaited_answer<msg::list_corrections> client::send(const msg::gateway_actor&,
                                                            msg::list_corrections);
template awaited_answer<msg::correct_judgment> client::send(const msg::gateway_actor&,
                                                            msg::correct_judgment);
template awaited_answer<msg::list_contributors> client::send(const msg::gateway_actor&,
                                                             msg::list_contributors);
template awaited_answer<msg::get_feedback> client::send(const msg::gateway_actor&,
                                                        msg::get_feedback);
template awaited_answer<msg::explain_unit> client::send(const msg::gateway_actor&,
                                                        msg::explain_unit);
template awaited_answer<msg::seal_step> client::send(const msg::gateway_actor&, msg::seal_step);
template awaited_answer<msg::change_step> client::send(const msg::gateway_actor&, msg::change_step);
template awaited_answer<msg::change_unit> client::send(const msg::gateway_actor&, msg::change_unit);
template awaited_answer<msg::list_steps> client::send(const msg::gateway_actor&, msg::list_steps);
template awaited_answer<msg::get_unit> client::send(const msg::gateway_actor&, msg::get_unit);
template awaited_answer<msg::explain_contributor> client::send(const msg::gateway_actor&,
                                                               msg::explain_contributor);
template awaited_answer<msg::get_step_quality> client::send(const msg::gateway_actor&,
                                                            msg::get_step_quality);
template awaited_answer<msg::get_lineage> client::send(const msg::gateway_actor&, msg::get_lineage);
template awaited_answer<msg::list_workflow_results> client::send(const msg::gateway_actor&,
                                                                 msg::list_workflow_results);
template awaited_answer<msg::list_results> client::send(const msg::gateway_actor&,
                                                        msg::list_results);
template awaited_answer<msg::get_step_statistics> client::send(const msg::gateway_actor&,
                                                               msg::get_step_statistics);
template awaited_answer<msg::ask_assignment> client::send(const msg::gateway_actor&,
                                                          msg::ask_assignment);
template awaited_answer<msg::release_assignment> client::send(const msg::gateway_actor&,
                                                              msg::release_assignment);
template awaited_answer<msg::extend_assignment> client::send(const msg::gateway_actor&,
                                                             msg::extend_assignment);
template awaited_answer<msg::submit_judgment> client::send(const msg::gateway_actor&,
                                                           msg::submit_judgment);
template awaited_answer<msg::end_session> client::send(const msg::gateway_actor&, msg::end_session);
template awaited_answer<msg::put_profile> client::send(const msg::gateway_actor&, msg::put_profile);
template awaited_answer<msg::get_profile> client::send(const msg::gateway_actor&, msg::get_profile);
template awaited_answer<msg::put_removal> client::send(const msg::gateway_actor&, msg::put_removal);
template awaited_answer<msg::reinstate_contributor> client::send(const msg::gateway_actor&,
                                                                 msg::reinstate_contributor);
template awaited_answer<msg::list_removals> client::send(const msg::gateway_actor&,
                                                         msg::list_removals);
template awaited_answer<msg::create_token> client::send(const msg::gateway_actor&,
                                                        msg::create_token);
template awaited_answer<msg::list_tokens> client::send(const msg::gateway_actor&, msg::list_tokens);
template awaited_answer<msg::revoke_token> client::send(const msg::gateway_actor&,
                                                        msg::revoke_token);
template awaited_answer<msg::check_token> client::send(const msg::gateway_actor&, msg::check_token);
template awaited_answer<msg::note_token_use> client::send(const msg::gateway_actor&,
                                                          msg::note_token_use);
template awaited_answer<msg::find_steps> client::send(const msg::gateway_actor&, msg::find_steps);
template awaited_answer<msg::rebuild_step_index> client::send(const msg::gateway_actor&,
                                                              msg::rebuild_step_index);
template awaited_answer<msg::get_node_status> client::send(const msg::gateway_actor&,
                                                           msg::get_node_status);
template awaited_answer<msg::get_audit_status> client::send(const msg::gateway_actor&,
                                                            msg::get_audit_status);
template awaited_answer<msg::get_link_status> client::send(const msg::gateway_actor&,
                                                           msg::get_link_status);
template awaited_answer<msg::get_guard_status> client::send(const msg::gateway_actor&,
                                                            msg::get_guard_status);
template awaited_answer<msg::verify_cluster> client::send(const msg::gateway_actor&,
                                                          msg::verify_cluster);
template awaited_answer<msg::list_nodes> client::send(const msg::gateway_actor&, msg::list_nodes);
template awaited_answer<msg::get_placement> client::send(const msg::gateway_actor&,
                                                         msg::get_placement);

template awaited_answer<msg::put_queue> client::send(const msg::gateway_actor&, msg::put_queue);
template awaited_answer<msg::pause_queue> client::send(const msg::gateway_actor&, msg::pause_queue);
template awaited_answer<msg::remove_queue> client::send(const msg::gateway_actor&,
                                                        msg::remove_queue);
template awaited_answer<msg::list_queues> client::send(const msg::gateway_actor&, msg::list_queues);
template awaited_answer<msg::get_queue_statistics> client::send(const msg::gateway_actor&,
                                                                msg::get_queue_statistics);
template awaited_answer<msg::get_queue_intake> client::send(const msg::gateway_actor&,
                                                            msg::get_queue_intake);
template awaited_answer<msg::enqueue_tasks> client::send(const msg::gateway_actor&,
                                                         msg::enqueue_tasks);
template awaited_answer<msg::enqueue_envelopes> client::send(const msg::gateway_actor&,
                                                             msg::enqueue_envelopes);
template awaited_answer<msg::await_task> client::send(const msg::gateway_actor&, msg::await_task);
template awaited_answer<msg::await_units> client::send(const msg::gateway_actor&, msg::await_units);
template awaited_answer<msg::get_task> client::send(const msg::gateway_actor&, msg::get_task);
template awaited_answer<msg::get_queue_metrics> client::send(const msg::gateway_actor&,
                                                             msg::get_queue_metrics);
template awaited_answer<msg::list_tasks> client::send(const msg::gateway_actor&, msg::list_tasks);
template awaited_answer<msg::get_task_attempts> client::send(const msg::gateway_actor&,
                                                             msg::get_task_attempts);
template awaited_answer<msg::explain_task> client::send(const msg::gateway_actor&,
                                                        msg::explain_task);
template awaited_answer<msg::change_task> client::send(const msg::gateway_actor&, msg::change_task);
template awaited_answer<msg::eject_task> client::send(const msg::gateway_actor&, msg::eject_task);
template awaited_answer<msg::search_tasks> client::send(const msg::gateway_actor&,
                                                        msg::search_tasks);
template awaited_answer<msg::start_queue_action> client::send(const msg::gateway_actor&,
                                                              msg::start_queue_action);
template awaited_answer<msg::stop_queue_action> client::send(const msg::gateway_actor&,
                                                             msg::stop_queue_action);
template awaited_answer<msg::get_queue_action> client::send(const msg::gateway_actor&,
                                                            msg::get_queue_action);
template awaited_answer<msg::list_queue_actions> client::send(const msg::gateway_actor&,
                                                              msg::list_queue_actions);
template awaited_answer<msg::redrive_tasks> client::send(const msg::gateway_actor&,
                                                         msg::redrive_tasks);
template awaited_answer<msg::claim_tasks> client::send(const msg::gateway_actor&, msg::claim_tasks);
template awaited_answer<msg::extend_tasks> client::send(const msg::gateway_actor&,
                                                        msg::extend_tasks);
template awaited_answer<msg::save_task> client::send(const msg::gateway_actor&, msg::save_task);
template awaited_answer<msg::save_task_in_order> client::send(const msg::gateway_actor&,
                                                              msg::save_task_in_order);
template awaited_answer<msg::release_task> client::send(const msg::gateway_actor&,
                                                        msg::release_task);
template awaited_answer<msg::complete_tasks> client::send(const msg::gateway_actor&,
                                                          msg::complete_tasks);
template awaited_answer<msg::follow_task> client::send(const msg::gateway_actor&, msg::follow_task);
template awaited_answer<msg::fail_task> client::send(const msg::gateway_actor&, msg::fail_task);
template awaited_answer<msg::put_schedule> client::send(const msg::gateway_actor&,
                                                        msg::put_schedule);
template awaited_answer<msg::remove_schedule> client::send(const msg::gateway_actor&,
                                                           msg::remove_schedule);
template awaited_answer<msg::list_schedules> client::send(const msg::gateway_actor&,
                                                          msg::list_schedules);
template awaited_answer<msg::preview_schedule> client::send(const msg::gateway_actor&,
                                                            msg::preview_schedule);
template awaited_answer<msg::run_schedule> client::send(const msg::gateway_actor&,
                                                        msg::run_schedule);

template awaited_answer<msg::put_webhook> client::send(const msg::gateway_actor&, msg::put_webhook);
template awaited_answer<msg::change_webhook> client::send(const msg::gateway_actor&,
                                                          msg::change_webhook);
template awaited_answer<msg::list_webhooks> client::send(const msg::gateway_actor&,
                                                         msg::list_webhooks);
template awaited_answer<msg::list_audit> client::send(const msg::gateway_actor&, msg::list_audit);
template awaited_answer<msg::list_dead_letters> client::send(const msg::gateway_actor&,
                                                             msg::list_dead_letters);
template awaited_answer<msg::replay_webhook> client::send(const msg::gateway_actor&,
                                                          msg::replay_webhook);

template awaited_answer<msg::read_events> client::send(const msg::gateway_actor&, msg::read_events);

} // namespace holdfast::test
