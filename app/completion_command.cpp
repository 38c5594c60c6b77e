#include "app/command_tree.hpp"
#include "app/commands.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

/// Calls `what` with each command, the program itself included, from the outside in.
void each_command(const command_description& at,
                  const std::function<void(const command_description&)>& what) {
  what(at);
  for (const auto& command : at.commands)
    each_command(command, what);
}

/// The words that may come next in a command: its commands and its flags.
std::vector<std::string> words_of(const command_description& at) {
  std::vector<std::string> words;
  for (const auto& command : at.commands)
    words.push_back(command.name);
  for (const auto& option : at.options)
    if (!option.positional)
      words.insert(words.end(), option.names.begin(), option.names.end());
  return words;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

/// In single quotes for a shell of the Bourne family.
std::string quoted_for_sh(const std::string& text) {
  std::string safe = "'";
  for (const char c : text)
    if (c == '\'')
      safe += "'\\''";
    else
      safe += c;
  return safe + '\'';
}

/// The name of a shell function for a program: letters, digits and `_`.
std::string function_for(const std::string& program) {
  std::string name = "_";
  for (const char c : program)
    name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return name;
}

/// The alternatives of a `case` that are the commands below others: `tasks list`.
std::string paths_of(const command_description& cli) {
  std::vector<std::string> paths;
  each_command(cli, [&](const command_description& at) {
    if (!at.path.empty())
      paths.push_back(quoted_for_sh(at.path));
  });
  return joined(paths, "|");
}

/// The flags whose value is a file or a directory, or any other value.
std::string flags_taking(const command_description& cli, const std::string& takes) {
  std::vector<std::string> flags;
  each_command(cli, [&](const command_description& at) {
    for (const auto& option : at.options)
      if (!option.positional && !option.takes.empty()
          && (takes == "FILE" ? option.takes == "FILE"
              : takes == "DIR"
                  ? option.takes == "DIR" || option.takes == "DIRECTORY"
                  : option.takes != "FILE" && option.takes != "DIR" && option.takes != "DIRECTORY"))
        for (const auto& name : option.names)
          if (std::find(flags.begin(), flags.end(), name) == flags.end())
            flags.push_back(name);
  });
  return joined(flags, "|");
}

/// Finds the command that the line names so far, as `at`, in bash and in zsh, where `path` is the
/// list of programs.
std::string path_loop(const command_description& cli, const std::string& words,
                      const std::string& first, const std::string& current) {
  return "  local at='' word i\n"
         "  for ((i = "
         + first + "; i < " + current + "; i++)); do\n    word=\"${" + words
         + "[i]}\"\n    case \"${at:+$at }$word\" in\n      " + paths_of(cli)
         + ") at=\"${at:+$at }$word\" ;;\n    esac\n  done\n";
}

std::string bash_of(const command_description& cli) {
  const auto function = function_for(cli.name);
  auto text =
      "# Completion of " + cli.name + " for bash.\n" + function
      + "() {\n  local cur=\"${COMP_WORDS[COMP_CWORD]}\" "
        "prev=\"${COMP_WORDS[COMP_CWORD-1]}\" words=''\n"
      + path_loop(cli, "COMP_WORDS", "1", "COMP_CWORD") + "  case \"$prev\" in\n    "
      + flags_taking(cli, "FILE") + ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n" + "    "
      + flags_taking(cli, "DIR") + ") COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n    "
      + flags_taking(cli, "other") + ") COMPREPLY=(); return ;;\n  esac\n" + "  case \"$at\" in\n";
  each_command(cli, [&](const command_description& at) {
    text += "    " + quoted_for_sh(at.path) + ") words=" + quoted_for_sh(joined(words_of(at), " "))
            + " ;;\n";
  });
  return text
         + "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F "
         + function + ' ' + cli.name + '\n';
}

/// A word with what it is about, as `_describe` reads it.
std::string described(const std::string& word, const std::string& about) {
  std::string safe;
  for (const char c : word)
    safe += c == ':' ? std::string{"\\:"} : std::string{c};
  return quoted_for_sh(safe + ':' + about);
}

std::string zsh_of(const command_description& cli) {
  const auto function = function_for(cli.name);
  auto text = "#compdef " + cli.name + "\n# Completion of " + cli.name + " for zsh.\n" + function
              + "() {\n  local -a offered\n" + path_loop(cli, "words", "2", "CURRENT")
              + "  case \"${words[CURRENT-1]}\" in\n    " + flags_taking(cli, "FILE")
              + ") _files; return ;;\n    " + flags_taking(cli, "DIR")
              + ") _files -/; return ;;\n    " + flags_taking(cli, "other")
              + ") return ;;\n  esac\n  case \"$at\" in\n";
  each_command(cli, [&](const command_description& at) {
    std::vector<std::string> words;
    for (const auto& command : at.commands)
      words.push_back(described(command.name, command.about));
    for (const auto& option : at.options)
      if (!option.positional)
        for (const auto& name : option.names)
          words.push_back(described(name, option.about));
    text += "    " + quoted_for_sh(at.path) + ") offered=(" + joined(words, " ") + ") ;;\n";
  });
  return text + "  esac\n  _describe '" + cli.name
         + "' offered || _files\n}\nif [ \"${funcstack[1]}\" = " + function + " ]; then\n  "
         + function + " \"$@\"\nelse\n  compdef " + function + ' ' + cli.name + "\nfi\n";
}

/// In single quotes for fish.
std::string quoted_for_fish(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      safe += '\\';
    safe += c;
  }
  return safe + '\'';
}

std::string fish_of(const command_description& cli) {
  const auto function = "_" + function_for(cli.name) + "_at";
  std::vector<std::string> paths;
  each_command(cli, [&](const command_description& at) {
    if (!at.path.empty())
      paths.push_back(quoted_for_fish(at.path));
  });
  auto text = "# Completion of " + cli.name + " for fish.\nfunction " + function
              + "\n  set -l path ''\n  for word in (commandline -opc)[2..-1]\n"
                "    set -l longer (string trim \"$path $word\")\n    if contains -- $longer "
              + joined(paths, " ")
              + "\n      set path $longer\n    end\n  end\n  test \"$path\" = \"$argv[1]\"\nend\n";
  each_command(cli, [&](const command_description& at) {
    const auto begin = "complete -c " + cli.name + " -n \"" + function + " '" + at.path + "'\"";
    for (const auto& command : at.commands)
      text += begin + " -f -a " + command.name + " -d " + quoted_for_fish(command.about) + '\n';
    for (const auto& option : at.options) {
      if (option.positional)
        continue;
      text += begin;
      for (const auto& name : option.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += (option.takes.empty() ? "" : " -r") + std::string{" -d "}
              + quoted_for_fish(option.about) + '\n';
    }
  });
  return text;
}

} // namespace

void add_completion_command(CLI::App& cli, exit_code& result) {
  const auto shell = std::make_shared<std::string>();
  auto* command =
      cli.add_subcommand("completion", "Print a script that completes command lines in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&cli, shell, &result] {
    const auto all = describe_commands(cli);
    std::cout << (*shell == "bash" ? bash_of(all) : *shell == "zsh" ? zsh_of(all) : fish_of(all));
    result = exit_code::ok;
  });
}

} // namespace holdfast::app
