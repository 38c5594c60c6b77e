#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "config/reference.hpp"

#include <iostream>
#include <memory>

namespace holdfast::app {

namespace {

struct config_flags {
  configuration_flags configuration;
  bool reference = false;
  bool example = false;
  bool json = false;
};

exit_code run(const config_flags& flags) {
  if (flags.reference) {
    std::cout << config::reference_markdown();
    return exit_code::ok;
  }
  if (flags.example) {
    std::cout << config::example_toml();
    return exit_code::ok;
  }
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  if (flags.json)
    std::cout << config::effective_json(loaded) << '\n';
  else
    std::cout << config::effective_text(loaded);
  return exit_code::ok;
}

} // namespace

void add_config_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<config_flags>();
  auto* command = cli.add_subcommand(
      "config", "Print the effective configuration and the origin of each value");
  flags->configuration.add_to(*command);
  auto* reference = command->add_flag("--reference", flags->reference,
                                      "Print the reference of all options (docs/CONFIG.md)");
  auto* example =
      command->add_flag("--example", flags->example, "Print a TOML file with every default");
  auto* json = command->add_flag("--json", flags->json, "Print one JSON object");
  reference->excludes(example)->excludes(json);
  example->excludes(json);
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
