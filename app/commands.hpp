#pragma once

#include "app/exit_codes.hpp"
#include "app/node_additions.hpp"

#include <CLI/App.hpp>

/// The subcommands of `holdfast` and of programs like it. Each adds itself to the command line and
/// leaves in `result` how it ended, if it was the one that was asked for.
namespace holdfast::app {

/// `additions` must live as long as `cli`.
void add_node_command(CLI::App& cli, const node_additions& additions, exit_code& result);
void add_demo_command(CLI::App& cli, exit_code& result);
void add_status_command(CLI::App& cli, exit_code& result);
void add_audit_command(CLI::App& cli, exit_code& result);
void add_shards_command(CLI::App& cli, exit_code& result);
void add_nodes_command(CLI::App& cli, exit_code& result);
void add_doctor_command(CLI::App& cli, exit_code& result);
void add_verify_command(CLI::App& cli, exit_code& result);
void add_restored_command(CLI::App& cli, exit_code& result);
void add_aggregate_command(CLI::App& cli, exit_code& result);
void add_simulate_overlap_command(CLI::App& cli, exit_code& result);
void add_migrate_command(CLI::App& cli, exit_code& result);
void add_certs_command(CLI::App& cli, exit_code& result);
void add_events_command(CLI::App& cli, exit_code& result);
void add_lineage_command(CLI::App& cli, exit_code& result);
void add_explain_command(CLI::App& cli, exit_code& result);
void add_quality_command(CLI::App& cli, exit_code& result);
void add_contributor_command(CLI::App& cli, exit_code& result);
void add_question_command(CLI::App& cli, exit_code& result);
void add_step_command(CLI::App& cli, exit_code& result);
void add_unit_command(CLI::App& cli, exit_code& result);
void add_workflow_command(CLI::App& cli, exit_code& result);
void add_queues_command(CLI::App& cli, exit_code& result);
void add_tasks_command(CLI::App& cli, exit_code& result);
void add_webhooks_command(CLI::App& cli, exit_code& result);
void add_token_command(CLI::App& cli, exit_code& result);
void add_schemas_command(CLI::App& cli, exit_code& result);
void add_validate_command(CLI::App& cli, exit_code& result);
void add_config_command(CLI::App& cli, exit_code& result);

/// These tell of the commands that `cli` has when they run; it must outlive them.
void add_help_command(CLI::App& cli, exit_code& result);
void add_completion_command(CLI::App& cli, exit_code& result);
void add_man_command(CLI::App& cli, exit_code& result);

} // namespace holdfast::app
