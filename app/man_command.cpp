#include "app/command_tree.hpp"
#include "app/commands.hpp"
#include "app/printable.hpp"
#include "app/version.hpp"
#include "files/output_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

/// Text as roff prints it: a backslash, a dash and a dot at the start of a line are commands.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const bool at_start = safe.empty() || safe.back() == '\n';
    if (at_start && (c == '.' || c == '\''))
      safe += "\\&";
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe;
}

std::string option_line(const option_description& option) {
  std::string names;
  for (const auto& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.positional && !option.takes.empty())
    names += " \\fI" + roff(option.takes) + "\\fR";
  if (!option.standard.empty())
    names += " (" + roff(option.standard) + ')';
  return ".TP\n" + names + '\n' + roff(option.about.empty() ? "Required." : option.about) + '\n';
}

std::string synopsis_of(const command_description& at, const std::string& program) {
  auto line = "\\fB" + roff(program + (at.path.empty() ? "" : " ") + at.path) + "\\fR";
  if (!at.commands.empty())
    line += " \\fICOMMAND\\fR";
  for (const auto& option : at.options)
    if (option.positional)
      line += (option.required ? " \\fI" : " [\\fI") + roff(option.names.front())
              + (option.required ? "\\fR" : "\\fR]");
  return line + " [\\fIOPTIONS\\fR]\n";
}

void add_options(std::string& page, const command_description& at) {
  for (const auto& option : at.options)
    page += option_line(option);
}

std::string title(const std::string& name, const std::string& program) {
  return ".TH \"" + roff(name) + "\" 1 \"\" \"" + roff(program) + ' ' + version + "\"\n";
}

/// The page of one command with those below it.
std::string page_of(const command_description& at, const std::string& program) {
  const auto name = program + '-' + at.name;
  auto page = title(name, program) + ".SH NAME\n" + roff(name) + " \\- " + roff(at.about)
              + "\n.SH SYNOPSIS\n" + synopsis_of(at, program);
  if (at.commands.empty()) {
    page += ".SH OPTIONS\n";
    add_options(page, at);
  } else {
    page += ".SH COMMANDS\n";
    for (const auto& command : at.commands) {
      page += ".SS " + roff(command.name) + '\n' + synopsis_of(command, program) + ".PP\n"
              + roff(command.about) + '\n';
      add_options(page, command);
    }
  }
  return page + ".SH SEE ALSO\n" + roff(program) + "(1)\n";
}

/// The page of the program: its commands by topic and its exit codes.
std::string page_of_program(const command_description& cli) {
  auto page = title(cli.name, cli.name) + ".SH NAME\n" + roff(cli.name) + " \\- " + roff(cli.about)
              + "\n.SH SYNOPSIS\n" + synopsis_of(cli, cli.name) + ".SH OPTIONS\n";
  add_options(page, cli);
  page += ".SH COMMANDS\n";
  std::string topic;
  for (const auto& command : cli.commands) {
    if (command.topic != topic)
      page += ".SS " + roff(command.topic) + '\n';
    topic = command.topic;
    page += ".TP\n\\fB" + roff(cli.name + '-' + command.name) + "\\fR(1)\n" + roff(command.about)
            + '\n';
  }
  page += ".SH EXIT STATUS\n";
  for (const auto& row : exit_descriptions())
    page += ".TP\n" + std::to_string(static_cast<int>(row.code)) + '\n'
            + roff(std::string{row.meaning} + ' ' + std::string{row.advice}) + '\n';
  return page + ".TP\n128+n\nA second signal n came before the first had been obeyed.\n";
}

/// Text in a cell of a table of Markdown.
std::string in_cell(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '|' ? std::string{"\\|"} : c == '<' ? std::string{"&lt;"} : std::string{c};
  return safe;
}

void add_reference(std::string& text, const command_description& at, const std::string& program,
                   const std::vector<std::string>& shared) {
  if (!at.path.empty())
    text += "\n" + std::string(at.path.find(' ') == std::string::npos ? "##" : "###") + " `"
            + program + ' ' + at.path + "`\n\n" + at.about + ".\n";
  std::string rows;
  for (const auto& option : at.options) {
    const auto& name = option.names.back();
    if (std::find(shared.begin(), shared.end(), name) != shared.end())
      continue;
    rows += "| `" + name + (option.takes.empty() || option.positional ? "" : ' ' + option.takes)
            + "` | " + in_cell(option.about) + (option.required ? " (required)" : "")
            + (option.standard.empty() ? "" : " (" + in_cell(option.standard) + ")") + " |\n";
  }
  if (!at.path.empty() && !rows.empty())
    text += "\n| option | meaning |\n|---|---|\n" + rows;
  for (const auto& command : at.commands)
    add_reference(text, command, program, shared);
}

/// docs/COMMANDS.md. The options that nearly all commands have are told once.
std::string reference_of(const command_description& cli) {
  std::string text = "# Commands\n\n<!-- Generated by `" + cli.name
                     + " man --markdown`; a test fails when this file is out of date. -->\n\n"
                       "Commands that work with a node or its database also take the options of\n"
                       "[`config`](#holdfast-config) by which a configuration is named:\n\n"
                       "| option | meaning |\n|---|---|\n";
  const std::vector<std::string> shared{"--help",     "--config", "--set",
                                        "--data-dir", "--port",   "--database-url"};
  for (const auto& command : cli.commands)
    if (command.name == "config")
      for (const auto& option : command.options)
        if (std::find(shared.begin(), shared.end(), option.names.back()) != shared.end())
          text += "| `" + option.names.back() + (option.takes.empty() ? "" : ' ' + option.takes)
                  + "` | " + in_cell(option.about) + " |\n";
  add_reference(text, cli, cli.name, shared);
  return text;
}

exit_code write_pages(const command_description& all, const std::string& directory) {
  const auto folder = files::output_directory(directory);
  const auto write = [&](const std::string& name, const std::string& page) {
    const auto path = std::filesystem::path{folder ? *folder : directory} / (name + ".1");
    const auto written =
        folder ? files::write_output(path.string(), [&](std::ostream& to) { to << page; })
               : core::outcome<bool>{folder.error()};
    if (!written)
      std::cerr << all.name << ": cannot write " << printable(written.error().detail) << '\n';
    return static_cast<bool>(written);
  };
  bool good = write(all.name, page_of_program(all));
  for (const auto& command : all.commands)
    good = good && write(all.name + '-' + command.name, page_of(command, all.name));
  return good ? exit_code::ok : exit_code::failed_check;
}

} // namespace

void add_man_command(CLI::App& cli, exit_code& result) {
  const auto directory = std::make_shared<std::string>();
  const auto markdown = std::make_shared<bool>(false);
  auto* command = cli.add_subcommand("man", "Print the manual page, or write all of them");
  command
      ->add_option("--out", *directory,
                   "Write the page of the program and one of each command into this directory")
      ->type_name("DIR");
  command->add_flag("--markdown", *markdown, "Print the reference (docs/COMMANDS.md)");
  command->callback([&cli, directory, markdown, &result] {
    const auto all = describe_commands(cli);
    if (!directory->empty()) {
      result = write_pages(all, *directory);
      return;
    }
    std::cout << (*markdown ? reference_of(all) : page_of_program(all));
    result = exit_code::ok;
  });
}

} // namespace holdfast::app
