#include "messages/registry.hpp"

#include "core/errors.hpp"
#include "messages/interfaces.hpp"

#include <caf/deep_to_string.hpp>

namespace holdfast::msg {

void register_messages(caf::actor_system_config& config) {
#define HOLDFAST_REGISTER(Type) config.add_message_type<Type>("hf1." #Type)
  HOLDFAST_REGISTER(ask_assignment);
  HOLDFAST_REGISTER(assignment);
  HOLDFAST_REGISTER(release_assignment);
  HOLDFAST_REGISTER(assignment_released);
  HOLDFAST_REGISTER(extend_assignment);
  HOLDFAST_REGISTER(assignment_extended);
  HOLDFAST_REGISTER(submit_judgment);
  HOLDFAST_REGISTER(judgment_accepted);
  HOLDFAST_REGISTER(put_profile);
  HOLDFAST_REGISTER(get_profile);
  HOLDFAST_REGISTER(profile_view);
  HOLDFAST_REGISTER(find_steps);
  HOLDFAST_REGISTER(step_offer);
  HOLDFAST_REGISTER(step_offers);
  HOLDFAST_REGISTER(rebuild_step_index);
  HOLDFAST_REGISTER(step_index_rebuilt);
  HOLDFAST_REGISTER(get_feedback);
  HOLDFAST_REGISTER(judgment_feedback);
  HOLDFAST_REGISTER(end_session);
  HOLDFAST_REGISTER(session_ended);
  HOLDFAST_REGISTER(create_workflow);
  HOLDFAST_REGISTER(workflow_created);
  HOLDFAST_REGISTER(update_workflow);
  HOLDFAST_REGISTER(definition_difference);
  HOLDFAST_REGISTER(workflow_updated);
  HOLDFAST_REGISTER(job_status_changed);
  HOLDFAST_REGISTER(job_status_noted);
  HOLDFAST_REGISTER(get_workflow);
  HOLDFAST_REGISTER(workflow_view);
  HOLDFAST_REGISTER(add_source_data);
  HOLDFAST_REGISTER(source_data_added);
  HOLDFAST_REGISTER(seal_step);
  HOLDFAST_REGISTER(test_question);
  HOLDFAST_REGISTER(add_test_questions);
  HOLDFAST_REGISTER(remove_contributor);
  HOLDFAST_REGISTER(contributor_removed);
  HOLDFAST_REGISTER(forgive_question);
  HOLDFAST_REGISTER(question_forgiven);
  HOLDFAST_REGISTER(repair_contributor);
  HOLDFAST_REGISTER(repair_question);
  HOLDFAST_REGISTER(repair_progress);
  HOLDFAST_REGISTER(list_contributors);
  HOLDFAST_REGISTER(contributor_view);
  HOLDFAST_REGISTER(contributor_page);
  HOLDFAST_REGISTER(explain_unit);
  HOLDFAST_REGISTER(reason);
  HOLDFAST_REGISTER(unit_explanation);
  HOLDFAST_REGISTER(explain_contributor);
  HOLDFAST_REGISTER(get_step_quality);
  HOLDFAST_REGISTER(quality_concern);
  HOLDFAST_REGISTER(step_quality);
  HOLDFAST_REGISTER(contributor_explanation);
  HOLDFAST_REGISTER(step_view);
  HOLDFAST_REGISTER(change_step);
  HOLDFAST_REGISTER(change_unit);
  HOLDFAST_REGISTER(unit_changed);
  HOLDFAST_REGISTER(list_steps);
  HOLDFAST_REGISTER(step_list);
  HOLDFAST_REGISTER(get_unit);
  HOLDFAST_REGISTER(unit_view);
  HOLDFAST_REGISTER(get_lineage);
  HOLDFAST_REGISTER(lineage_lease);
  HOLDFAST_REGISTER(lineage_judgment);
  HOLDFAST_REGISTER(lineage_unit);
  HOLDFAST_REGISTER(unit_lineage);
  HOLDFAST_REGISTER(list_results);
  HOLDFAST_REGISTER(result_page);
  HOLDFAST_REGISTER(get_step_statistics);
  HOLDFAST_REGISTER(step_statistics);
  HOLDFAST_REGISTER(get_node_status);
  HOLDFAST_REGISTER(node_status);
  HOLDFAST_REGISTER(get_link_status);
  HOLDFAST_REGISTER(link_status);
  HOLDFAST_REGISTER(get_audit_status);
  HOLDFAST_REGISTER(audit_status);
  HOLDFAST_REGISTER(get_guard_status);
  HOLDFAST_REGISTER(guard_status);
  HOLDFAST_REGISTER(get_placement);
  HOLDFAST_REGISTER(placement);
  HOLDFAST_REGISTER(put_queue);
  HOLDFAST_REGISTER(queue_view);
  HOLDFAST_REGISTER(pause_queue);
  HOLDFAST_REGISTER(list_queues);
  HOLDFAST_REGISTER(queue_list);
  HOLDFAST_REGISTER(get_queue_statistics);
  HOLDFAST_REGISTER(queue_statistics);
  HOLDFAST_REGISTER(get_queue_intake);
  HOLDFAST_REGISTER(queue_intake);
  HOLDFAST_REGISTER(get_queue_metrics);
  HOLDFAST_REGISTER(queue_metrics);
  HOLDFAST_REGISTER(enqueue_tasks);
  HOLDFAST_REGISTER(enqueue_envelopes);
  HOLDFAST_REGISTER(task_outcomes);
  HOLDFAST_REGISTER(get_task);
  HOLDFAST_REGISTER(task_view);
  HOLDFAST_REGISTER(list_tasks);
  HOLDFAST_REGISTER(task_summary);
  HOLDFAST_REGISTER(task_page);
  HOLDFAST_REGISTER(explain_task);
  HOLDFAST_REGISTER(task_explanation);
  HOLDFAST_REGISTER(change_task);
  HOLDFAST_REGISTER(task_changed);
  HOLDFAST_REGISTER(eject_task);
  HOLDFAST_REGISTER(leased_tasks);
  HOLDFAST_REGISTER(redrive_tasks);
  HOLDFAST_REGISTER(tasks_redriven);
  HOLDFAST_REGISTER(claim_tasks);
  HOLDFAST_REGISTER(extend_tasks);
  HOLDFAST_REGISTER(save_task);
  HOLDFAST_REGISTER(save_task_in_order);
  HOLDFAST_REGISTER(task_outcome);
  HOLDFAST_REGISTER(release_task);
  HOLDFAST_REGISTER(complete_tasks);
  HOLDFAST_REGISTER(follow_task);
  HOLDFAST_REGISTER(fail_task);
  HOLDFAST_REGISTER(tasks_lost);
  HOLDFAST_REGISTER(put_schedule);
  HOLDFAST_REGISTER(schedule_view);
  HOLDFAST_REGISTER(remove_schedule);
  HOLDFAST_REGISTER(schedule_removed);
  HOLDFAST_REGISTER(list_schedules);
  HOLDFAST_REGISTER(schedule_list);
  HOLDFAST_REGISTER(read_events);
  HOLDFAST_REGISTER(published_event);
  HOLDFAST_REGISTER(event_page);
  HOLDFAST_REGISTER(get_protocols);
  HOLDFAST_REGISTER(protocols);
  HOLDFAST_REGISTER(meet_node);
  HOLDFAST_REGISTER(node_met);
  HOLDFAST_REGISTER(look_at_cluster);
  HOLDFAST_REGISTER(events_applied);
  HOLDFAST_REGISTER(apply_events);
  HOLDFAST_REGISTER(add_children);
  HOLDFAST_REGISTER(upstream_progress);
  HOLDFAST_REGISTER(put_webhook);
  HOLDFAST_REGISTER(change_webhook);
  HOLDFAST_REGISTER(webhook_saved);
  HOLDFAST_REGISTER(list_webhooks);
  HOLDFAST_REGISTER(webhook_place);
  HOLDFAST_REGISTER(webhook_view);
  HOLDFAST_REGISTER(webhook_list);
  HOLDFAST_REGISTER(list_dead_letters);
  HOLDFAST_REGISTER(dead_letter);
  HOLDFAST_REGISTER(dead_letter_page);
  HOLDFAST_REGISTER(replay_webhook);
  HOLDFAST_REGISTER(webhook_replayed);
#undef HOLDFAST_REGISTER
  config.add_error_category(
      caf::atom("holdfast"), [](std::uint8_t code, caf::atom_value, const caf::message& context) {
        const auto& row = core::describe(static_cast<core::errc>(code));
        auto text = std::string{row.name};
        if (context.match_elements<std::string>() && !context.get_as<std::string>(0).empty())
          text += ": " + context.get_as<std::string>(0);
        return text + ". " + std::string{row.advice};
      });
}

} // namespace holdfast::msg
