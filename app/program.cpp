#include "app/program.hpp"

#include "app/command_tree.hpp"
#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/printable.hpp"
#include "app/version.hpp"
#include "core/invariant.hpp"
#include "messages/protocol.hpp"
#include "persistence/migrate.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

/// The topics of the list of commands, in its order; a command of another program has the first.
struct topic_of_commands {
  const char* name;
  std::vector<std::string> commands;
};

const std::vector<topic_of_commands>& topics() {
  static const std::vector<topic_of_commands> all{
      {"Run a node",
       {"node", "status", "nodes", "shards", "doctor", "config", "certs", "token", "audit",
        "demo"}},
      {"Queues and tasks", {"queues", "tasks"}},
      {"Workflows and labelling",
       {"workflow", "step", "unit", "question", "contributor", "explain", "quality", "lineage"}},
      {"Events", {"events", "webhooks"}},
      {"Databases", {"verify", "migrate", "restored"}},
      {"Files, without a node", {"aggregate", "simulate-overlap", "validate", "schemas"}},
      {"Help", {"help", "completion", "man"}},
  };
  return all;
}

void sort_by_topic(CLI::App& cli) {
  for (auto* command : cli.get_subcommands([](CLI::App*) { return true; })) {
    const auto has = [&](const topic_of_commands& topic) {
      const auto& names = topic.commands;
      return std::find(names.begin(), names.end(), command->get_name()) != names.end();
    };
    const auto found = std::find_if(topics().begin(), topics().end(), has);
    command->group(found == topics().end() ? topics().front().name : found->name);
  }
}

} // namespace

program::program(std::string name, std::string about)
    : name_(std::move(name)), about_(std::move(about)) {}

void program::work_on(std::string queue, std::uint32_t threads,
                      std::map<std::string, std::shared_ptr<client::task_handler>> handlers) {
  HOLDFAST_INVARIANT(!handlers.empty(), "a queue is worked on with handlers");
  HOLDFAST_INVARIANT(std::none_of(additions_.handlers.begin(), additions_.handlers.end(),
                                  [&](const auto& other) { return other.queue == queue; }),
                     "the handlers of a queue are given at once");
  additions_.handlers.push_back({std::move(queue), threads, std::move(handlers)});
}

void program::find_profiles_with(profile_finder find) { additions_.find_profile = std::move(find); }

void program::list_steps_in(core::step_directory_opener open) {
  additions_.open_step_directory = std::move(open);
}

void program::add(command more) { commands_.push_back(std::move(more)); }

int program::run(int argc, char** argv) {
  const guarded_output guard;
  CLI::App cli{about_, name_};
  cli.set_version_flag("--version", [this] {
    return name_ + ' ' + version + " (" + msg::to_string(msg::own_protocols) + ", migration "
           + std::to_string(persistence::embedded_migrations().size()) + ')';
  });
  cli.require_subcommand(1);
  auto result = exit_code::ok;
  add_node_command(cli, additions_, result);
  add_status_command(cli, result);
  add_shards_command(cli, result);
  add_nodes_command(cli, result);
  add_doctor_command(cli, result);
  add_config_command(cli, result);
  add_certs_command(cli, result);
  add_queues_command(cli, result);
  add_tasks_command(cli, result);
  add_workflow_command(cli, result);
  add_step_command(cli, result);
  add_unit_command(cli, result);
  add_question_command(cli, result);
  add_contributor_command(cli, result);
  add_explain_command(cli, result);
  add_quality_command(cli, result);
  add_lineage_command(cli, result);
  add_events_command(cli, result);
  add_webhooks_command(cli, result);
  add_token_command(cli, result);
  add_audit_command(cli, result);
  add_verify_command(cli, result);
  add_migrate_command(cli, result);
  add_restored_command(cli, result);
  add_validate_command(cli, result);
  add_schemas_command(cli, result);
  for (const auto& add_to : commands_)
    add_to(cli, result);
  add_help_command(cli, result);
  add_completion_command(cli, result);
  add_man_command(cli, result);
  sort_by_topic(cli);
  // Commands that are added later take the footer over: each help would end with the table.
  cli.footer("`" + name_ + " help COMMAND` tells the options of a command.\n\n"
             + exit_codes_text());
  const std::vector<std::string> typed(argv + std::min(argc, 1), argv + argc);
  const auto words = with_dotted_options(typed);
  try {
    cli.parse(std::vector<std::string>{words.rbegin(), words.rend()}); // it takes the last first
  } catch (const CLI::ParseError& error) {
    // Also how `--help` and `--version` end; those are no mistakes.
    if (error.get_exit_code() == 0)
      return cli.exit(error);
    std::cerr << name_ << ": " << printable(usage_problem(cli, words, error.what())) << '\n';
    return static_cast<int>(exit_code::usage);
  } catch (const std::exception& error) {
    std::cerr << name_ << ": " << printable(error.what()) << '\n';
    return static_cast<int>(exit_code::crashed);
  }
  return static_cast<int>(result);
}

} // namespace holdfast::app
