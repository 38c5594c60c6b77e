#include "messages/registry.hpp"

#include "core/errors.hpp"
#include "messages/interfaces.hpp"

#include <caf/deep_to_string.hpp>

namespace holdfast::msg {

namespace {

template <class... Messages>
void add(caf::actor_system_config& config) {
  (config.add_message_type<Messages>(wire_name(static_cast<const Messages*>(nullptr))), ...);
}

template <class... Rows>
void add_operations(caf::actor_system_config& config, caf::detail::type_list<Rows...>) {
  (add<typename Rows::request, typename Rows::answer>(config), ...);
}

} // namespace

void register_messages(caf::actor_system_config& config) {
  add_operations(config, operations{});
  add_operations(config, node_operations{});
  // Parts of others.
  add<step_offer, definition_difference, test_question, contributor_view, reason, quality_concern,
      lineage_lease, lineage_judgment, lineage_unit, task_summary, task_attempt, late_result,
      published_event, webhook_place, webhook_view, dead_letter, workflow_summary, workflow_result,
      test_question_summary, changed_row, correction_view, kept_judgment, audit_entry, node_start,
      broken_check, definition_finding>(config);
  // Said without an answer, or on every connection.
  add<tasks_lost, get_protocols, protocols, meet_node, node_met, look_at_cluster, author>(config);
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
