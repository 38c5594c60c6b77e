#pragma once

#include <CLI/App.hpp>

#include <string>
#include <string_view>
#include <vector>

/// The commands of a command line as plain values: help, completion and manual pages are made from
/// them.
namespace holdfast::app {

struct option_description {
  std::vector<std::string> names; ///< With their dashes; for a positional, one without.
  std::string takes;              ///< The name of its value; empty for a flag.
  std::string standard;           ///< Its value when it is left out; empty: none to speak of.
  std::string about;
  bool positional = false;
  bool required = false;
};

struct command_description {
  std::string path; ///< `tasks list`; empty for the program itself.
  std::string name;
  std::string topic; ///< The group in the list of commands.
  std::string about;
  std::vector<option_description> options;
  std::vector<command_description> commands;
};

/// The arguments and options of `cli` and all commands below it, without hidden ones.
command_description describe_commands(const CLI::App& cli);

/// The command at the end of these words; null when there is none.
const CLI::App* find_command(const CLI::App& cli, const std::vector<std::string>& words);

/// Why `words`, which the command line does not take, are wrong, in a sentence or two for people:
/// names the word, the nearest one that is known, and the help to read. `reason` is what the parser
/// says about it.
std::string usage_problem(const CLI::App& cli, const std::vector<std::string>& words,
                          std::string_view reason);

} // namespace holdfast::app
