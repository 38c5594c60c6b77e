#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/printable.hpp"
#include "app/wiring.hpp"
#include "persistence/migrate.hpp"
#include "persistence/preconditions.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace holdfast::app {

namespace {

struct migrate_flags {
  configuration_flags configuration;
  bool script = false;
};

exit_code complain_of_migration(const std::string& why, exit_code code) {
  std::cerr << "holdfast: " << printable_lines(why) << '\n';
  return code;
}

exit_code run_migration(const migrate_flags& flags) {
  if (flags.script) {
    std::cout << persistence::migration_script(persistence::embedded_migrations());
    return exit_code::ok;
  }
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  if (!loaded.values.database.url)
    return complain_of_migration(
        "name the database with --database-url; a private one is migrated by its node",
        exit_code::configuration);
  const auto conninfo = conninfo_of(loaded.values);
  const auto facts = persistence::read_database_facts(conninfo);
  if (!facts)
    return complain_of_migration(facts.error().detail, exit_code::database);
  // It needs two connections at once, to look, and then one.
  const auto report = persistence::check_preconditions(*facts, 2);
  for (const auto& problem : report.refused)
    complain_of_migration(problem, exit_code::database);
  if (!report.refused.empty())
    return exit_code::database;
  const auto migrated = persistence::migrate(conninfo, persistence::embedded_migrations());
  if (!migrated)
    return complain_of_migration(migrated.error().detail, exit_code::database);
  std::cout << "the schema has migration " << migrated->version << "; "
            << migrated->newly_applied.size() << " applied now\n";
  return exit_code::ok;
}

} // namespace

void add_migrate_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<migrate_flags>();
  auto* command = cli.add_subcommand(
      "migrate", "Bring the schema of --database-url up to date, as the role that owns it");
  flags->configuration.add_to(*command);
  command->add_flag("--script", flags->script,
                    "Print what it would run on an empty database, as a script for psql");
  command->callback([flags, &result] { result = run_migration(*flags); });
}

} // namespace holdfast::app
