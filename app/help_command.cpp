#include "app/command_tree.hpp"
#include "app/commands.hpp"

#include <CLI/Formatter.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

exit_code help(const CLI::App& cli, const std::vector<std::string>& words) {
  const auto* command = find_command(cli, words);
  if (command == nullptr) {
    std::cerr << cli.get_name() << ": " << usage_problem(cli, words, {}) << '\n';
    return exit_code::usage;
  }
  auto path = cli.get_name();
  for (const auto& word : words)
    path += ' ' + word;
  // `CLI::App::help` of the program is that of the command which was parsed: of `help` itself.
  std::cout << cli.get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal);
  return exit_code::ok;
}

} // namespace

void add_help_command(CLI::App& cli, exit_code& result) {
  const auto words = std::make_shared<std::vector<std::string>>();
  auto* command = cli.add_subcommand("help", "Print the help of a command");
  command->add_option("COMMAND", *words, "Its words, such as: tasks list; else all commands");
  command->callback([&cli, words, &result] { result = help(cli, *words); });
}

} // namespace holdfast::app
