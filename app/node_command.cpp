#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/node_service.hpp"

#include <memory>

namespace holdfast::app {

namespace {

exit_code run(const configuration_flags& flags, const node_additions& additions) {
  const auto loaded = flags.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  return node_service{loaded, additions}.run();
}

} // namespace

void add_node_command(CLI::App& cli, const node_additions& additions, exit_code& result) {
  auto flags = std::make_shared<configuration_flags>();
  auto* command =
      cli.add_subcommand("node", "Run a node until SIGTERM or SIGINT, and then drain it");
  flags->add_to(*command);
  command->callback([flags, &additions, &result] { result = run(*flags, additions); });
}

} // namespace holdfast::app
