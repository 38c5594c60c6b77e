#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/data_dir.hpp"
#include "app/printable.hpp"
#include "app/wiring.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/private_cluster.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace holdfast::app {

namespace {

exit_code give_up(const core::failure& why, exit_code code) {
  std::cerr << "holdfast: " << printable_lines(why.detail) << '\n';
  return code;
}

exit_code begin_generation(const std::string& conninfo) {
  persistence::postgres_store store{{conninfo, "holdfast restored"}};
  const auto begun = store.begin_generation({}, true);
  if (!begun)
    return give_up(begun.error(), exit_code::database);
  std::printf("a new generation has begun: epochs, tokens and event numbers go on above all that"
              " were given out before; nodes that run take their shards anew\n");
  return exit_code::ok;
}

/// The database of a node that does not run: started for this, under the node's lock.
exit_code begin_in_stopped_node(const config::settings& settings) {
  const auto lock = data_dir_lock::take(settings.node.data_dir);
  if (!lock)
    return give_up(lock.error(), lock.error().code == core::errc::already_exists
                                     ? exit_code::data_dir_in_use
                                     : exit_code::configuration);
  persistence::private_cluster cluster{private_cluster_of(settings)};
  if (const auto started = cluster.start(); !started)
    return give_up(started.error(), exit_code::database);
  const auto result = begin_generation(cluster.conninfo());
  if (const auto stopped = cluster.stop(persistence::private_cluster::shutdown::fast); !stopped)
    return give_up(stopped.error(), exit_code::database);
  return result;
}

exit_code note_restored(const configuration_flags& flags) {
  const auto loaded = flags.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  const auto& settings = loaded.values;
  if (settings.database.url)
    return begin_generation(conninfo_of(settings));
  const auto running = read_node_file(settings.node.data_dir);
  if (running && running->alive())
    return begin_generation(running->database);
  if (!running && running.error().code != core::errc::not_found)
    return give_up(running.error(), exit_code::configuration);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path{settings.node.data_dir} / "postgres", ignored))
    return begin_in_stopped_node(settings);
  return give_up({core::errc::not_found, "there is no database in " + settings.node.data_dir
                                             + "; name one with --data-dir or --database-url"},
                 exit_code::configuration);
}

} // namespace

void add_restored_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<configuration_flags>();
  auto* command = cli.add_subcommand(
      "restored", "Tell that the database was restored or promoted: numbers are not used again");
  flags->add_to(*command);
  command->callback([flags, &result] { result = note_restored(*flags); });
}

} // namespace holdfast::app
