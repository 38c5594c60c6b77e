#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/version.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  using namespace holdfast::app;
  CLI::App cli{"Holdfast: durable, leased work on PostgreSQL", "holdfast"};
  cli.set_version_flag("--version", std::string{"holdfast "} + version);
  cli.require_subcommand(1);
  cli.footer(exit_codes_text());
  auto result = exit_code::ok;
  add_node_command(cli, result);
  add_demo_command(cli, result);
  add_status_command(cli, result);
  add_verify_command(cli, result);
  add_config_command(cli, result);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Also how `--help` and `--version` end; those are no mistakes.
    const bool asked_for = cli.exit(error) == 0;
    return static_cast<int>(asked_for ? exit_code::ok : exit_code::usage);
  } catch (const std::exception& error) {
    std::cerr << "holdfast: " << error.what() << '\n';
    return static_cast<int>(exit_code::crashed);
  }
  return static_cast<int>(result);
}
