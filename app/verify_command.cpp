#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/data_dir.hpp"
#include "app/printable.hpp"
#include "app/wiring.hpp"
#include "objects/file_object_store.hpp"
#include "persistence/mend.hpp"
#include "persistence/private_cluster.hpp"
#include "persistence/verify.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct verify_flags {
  configuration_flags configuration;
  bool json = false;
  bool repair = false;
};

std::uint64_t violations_of(const std::vector<persistence::check_result>& results) {
  std::uint64_t sum = 0;
  for (const auto& result : results)
    sum += result.violations;
  return sum;
}

void print_text(const std::vector<persistence::check_result>& results) {
  for (const auto& result : results) {
    std::printf("%-4s %-6s %-34s %6.0f ms\n", result.violations == 0 ? "ok" : "FAIL",
                result.what.invariant.c_str(), result.what.name.c_str(),
                static_cast<double>(result.took.count()) / 1e3);
    if (result.violations == 0)
      continue;
    print_formatted("       %s\n       violations: %llu\n", result.what.says,
                    static_cast<unsigned long long>(result.violations));
    for (const auto& sample : result.samples)
      print_formatted("       %s\n", sample);
  }
  std::printf("%zu checks, %llu violations\n", results.size(),
              static_cast<unsigned long long>(violations_of(results)));
}

void print_json(const std::vector<persistence::check_result>& results) {
  auto checks = ordered_json::array();
  for (const auto& result : results)
    checks.push_back({{"name", result.what.name},
                      {"invariant", result.what.invariant},
                      {"says", result.what.says},
                      {"violations", result.violations},
                      {"samples", result.samples},
                      {"milliseconds", static_cast<double>(result.took.count()) / 1e3}});
  const ordered_json object{{"violations", violations_of(results)}, {"checks", checks}};
  std::cout << object.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

exit_code complain(const core::failure& why, exit_code code) {
  std::cerr << "holdfast: " << printable_lines(why.detail) << '\n';
  return code;
}

/// Reads the objects of this directory; none when every payload is in its row.
persistence::object_probe probe_of(const config::settings& settings) {
  const auto directory = objects_directory_of(settings);
  if (!directory)
    return {};
  std::error_code ignored;
  if (!std::filesystem::exists(*directory, ignored))
    return [path = directory->string()](const core::object_ref&) {
      return core::failure{core::errc::not_found,
                           "there is no " + path + "; name the place with objects.directory"};
    };
  auto opened = objects::file_object_store::open(*directory, [] { return core::instant{}; });
  if (!opened)
    return [why = opened.error()](const core::object_ref&) { return why; };
  return [store = std::shared_ptr<objects::file_object_store>{std::move(*opened)}](
             const core::object_ref& ref) {
    const auto bytes = store->get(ref);
    return bytes ? core::failure{} : bytes.error();
  };
}

exit_code verify(const std::string& conninfo, const config::settings& settings,
                 const verify_flags& flags) {
  if (flags.repair) {
    const auto done = persistence::mend(conninfo);
    if (!done)
      return complain(done.error(), exit_code::database);
    for (const auto& [name, rows] : *done) // not on stdout, which may be one JSON object
      std::cerr << "holdfast: " << name << ": " << rows << " rows repaired\n";
  }
  const auto results = persistence::verify(conninfo, probe_of(settings));
  if (!results)
    return complain(results.error(), exit_code::database);
  if (flags.json)
    print_json(*results);
  else
    print_text(*results);
  return violations_of(*results) == 0 ? exit_code::ok : exit_code::failed_check;
}

/// The database of a node that does not run: started for the checks, under the node's lock.
exit_code verify_stopped_node(const config::settings& settings, const verify_flags& flags) {
  const auto lock = data_dir_lock::take(settings.node.data_dir);
  if (!lock)
    return complain(lock.error(), lock.error().code == core::errc::already_exists
                                      ? exit_code::data_dir_in_use
                                      : exit_code::configuration);
  persistence::private_cluster cluster{private_cluster_of(settings)};
  if (const auto started = cluster.start(); !started)
    return complain(started.error(), exit_code::database);
  const auto result = verify(cluster.conninfo(), settings, flags);
  if (const auto stopped = cluster.stop(persistence::private_cluster::shutdown::fast); !stopped)
    return complain(stopped.error(), exit_code::database);
  return result;
}

exit_code run(const verify_flags& flags) {
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  const auto& settings = loaded.values;
  if (settings.database.url)
    return verify(conninfo_of(settings), settings, flags);
  const auto running = read_node_file(settings.node.data_dir);
  if (running && running->alive())
    return verify(running->database, settings, flags);
  if (!running && running.error().code != core::errc::not_found)
    return complain(running.error(), exit_code::configuration);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path{settings.node.data_dir} / "postgres", ignored))
    return verify_stopped_node(settings, flags);
  return complain({core::errc::not_found, "there is no database in " + settings.node.data_dir
                                              + "; name one with --data-dir or --database-url"},
                  exit_code::configuration);
}

} // namespace

void add_verify_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<verify_flags>();
  auto* command = cli.add_subcommand(
      "verify", "Check every invariant on the database of a node, or on --database-url");
  flags->configuration.add_to(*command);
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->add_flag("--repair", flags->repair,
                    "First repair what earlier versions have left behind and a program can repair: "
                    "leases that share an assignment id");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
