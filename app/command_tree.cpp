#include "app/command_tree.hpp"

#include "app/configuration.hpp"
#include "config/value_text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace holdfast::app {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& at) {
  return at.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& letter : option.get_snames())
    names.push_back('-' + letter);
  for (const auto& word : option.get_lnames())
    names.push_back("--" + word);
  return names;
}

bool hidden(const CLI::Option& option) { return option.get_group().empty(); }

/// The name of a value without the checks that the parser adds to it: `N:UINT in [1 - 1000]`.
std::string without_checks(const std::string& type) {
  auto end = type.size();
  for (const auto* check : {":FLOAT in [", ":UINT in [", ":INT in [", ":{", ":POSITIVE"})
    end = std::min(end, type.find(check));
  return type.substr(0, end);
}

option_description description_of(const CLI::Option& option) {
  option_description said;
  said.positional = !option.nonpositional();
  said.names = said.positional ? std::vector<std::string>{option.get_name(true)} : names_of(option);
  if (option.get_type_size_max() > 0)
    said.takes = without_checks(option.get_type_name());
  said.standard = option.get_default_str();
  said.about = option.get_description();
  said.required = option.get_required();
  return said;
}

command_description description_of(const CLI::App& at, const std::string& path) {
  command_description said{path, at.get_name(), at.get_group(), at.get_description(), {}, {}};
  for (const auto* option : at.get_options())
    if (!hidden(*option))
      said.options.push_back(description_of(*option));
  for (const auto* command : commands_of(at))
    said.commands.push_back(
        description_of(*command, path + (path.empty() ? "" : " ") + command->get_name()));
  return said;
}

/// `; did you mean X?`, or nothing when no known word is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  // A third of the letters may be wrong; beyond that a suggestion is a guess.
  auto nearest = std::max<std::size_t>(word.size() / 3, 2) + 1;
  for (const auto& candidate : known) {
    const auto distance = config::edit_distance(word, candidate);
    if (distance < nearest && distance < candidate.size()) {
      nearest = distance;
      best = candidate;
    }
  }
  return best.empty() ? "" : "; did you mean `" + best + "`?";
}

const CLI::App* command_named(const CLI::App& at, const std::string& word) {
  for (const auto* command : commands_of(at))
    if (command->check_name(word))
      return command;
  return nullptr;
}

/// The command that words lead to, and the first of them that it does not have.
struct reading {
  const CLI::App* at;
  std::string path;    ///< `holdfast tasks`.
  std::string unknown; ///< Empty: all are known.
};

/// The options of `at` that `word` names, with its value if it takes one and has it after `=`.
const CLI::Option* option_named(const CLI::App& at, const std::string& word) {
  return at.get_option_no_throw(word.substr(0, word.find('=')));
}

reading read_words(const CLI::App& cli, const std::vector<std::string>& words) {
  reading now{&cli, cli.get_name(), {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word.size() > 1 && word.front() == '-') {
      const auto* option = option_named(*now.at, word);
      if (option == nullptr) {
        now.unknown = word == dotted_option && i + 1 < words.size()
                          ? "--" + words[i + 1].substr(0, words[i + 1].find('='))
                          : word.substr(0, word.find('='));
        return now;
      }
      if (option->get_type_size_max() > 0 && word.find('=') == std::string::npos)
        ++i;
    } else if (const auto* command = command_named(*now.at, word)) {
      now.at = command;
      now.path += ' ' + word;
    } else if (!commands_of(*now.at).empty()) {
      now.unknown = word;
      return now;
    }
  }
  return now;
}

std::vector<std::string> own_flags_of(const CLI::App& at) {
  std::vector<std::string> known;
  for (const auto* option : at.get_options())
    if (!hidden(*option))
      for (auto& name : names_of(*option))
        known.push_back(std::move(name));
  return known;
}

} // namespace

command_description describe_commands(const CLI::App& cli) { return description_of(cli, {}); }

const CLI::App* find_command(const CLI::App& cli, const std::vector<std::string>& words) {
  const auto* at = &cli;
  for (const auto& word : words)
    if (at = command_named(*at, word); at == nullptr)
      return nullptr;
  return at;
}

std::string usage_problem(const CLI::App& cli, const std::vector<std::string>& words,
                          std::string_view reason) {
  const auto found = read_words(cli, words);
  const auto own = found.path.substr(cli.get_name().size()); // begins with a blank, or is empty
  const auto see = " See `" + cli.get_name() + " help" + own + "`.";
  const auto sentence = [&](const std::string& text) {
    return text + (text.back() == '?' || text.back() == '.' ? "" : ".") + see;
  };
  if (!found.unknown.empty() && found.unknown.front() == '-') {
    if (found.unknown.find('.') != std::string::npos && !own_flags_of(*found.at).empty()
        && found.at->get_option_no_throw(dotted_option) != nullptr)
      return sentence("the option " + found.unknown + " needs a value");
    return sentence("`" + found.path + "` has no option " + found.unknown
                    + suggestion(found.unknown, own_flags_of(*found.at)));
  }
  if (!found.unknown.empty()) {
    std::vector<std::string> known;
    for (const auto* command : commands_of(*found.at))
      known.push_back(command->get_name());
    return sentence("`" + found.path + "` has no command `" + found.unknown + "`"
                    + suggestion(found.unknown, known));
  }
  if (!commands_of(*found.at).empty())
    return sentence("`" + found.path + "` needs a command");
  return sentence('`' + found.path + "`: " + std::string{reason});
}

} // namespace holdfast::app
