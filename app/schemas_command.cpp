#include "app/commands.hpp"
#include "app/printable.hpp"
#include "documents/published_schemas.hpp"
#include "files/output_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace holdfast::app {

namespace {

struct schemas_flags {
  std::string name;
  std::string directory;
};

exit_code print(const std::string& name) {
  const auto& all = documents::published_schemas();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& file) { return file.name == name; });
  if (found == all.end()) {
    std::cerr << "holdfast: nothing is published as " << printable(name)
              << "; `holdfast schemas` lists what is\n";
    return exit_code::usage;
  }
  std::cout << found->text;
  return exit_code::ok;
}

exit_code write_all(const std::filesystem::path& directory) {
  for (const auto& file : documents::published_schemas()) {
    const std::filesystem::path name{file.name};
    const auto folder = files::output_directory((directory / name.parent_path()).string());
    const auto written =
        folder ? files::write_output((std::filesystem::path{*folder} / name.filename()).string(),
                                     [&](std::ostream& to) { to << file.text; })
               : core::outcome<bool>{folder.error()};
    if (!written) {
      std::cerr << "holdfast: cannot write " << printable(written.error().detail) << '\n';
      return exit_code::failed_check;
    }
  }
  return exit_code::ok;
}

exit_code run(const schemas_flags& flags) {
  if (!flags.directory.empty())
    return write_all(flags.directory);
  if (!flags.name.empty())
    return print(flags.name);
  for (const auto& file : documents::published_schemas())
    std::cout << file.name << '\n';
  return exit_code::ok;
}

} // namespace

void add_schemas_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<schemas_flags>();
  auto* command = cli.add_subcommand(
      "schemas", "List, print or write the JSON Schemas and the AsyncAPI document");
  auto* name = command->add_option("name", flags->name, "Print this one");
  command->add_option("--out", flags->directory, "Write all of them below this directory")
      ->type_name("DIR")
      ->excludes(name);
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
