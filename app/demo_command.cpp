#include "app/commands.hpp"
#include "app/demo/main_job.hpp"
#include "app/demo/quality_plot.hpp"
#include "app/demo/scratch_directory.hpp"
#include "app/demo/web_job.hpp"
#include "app/listen_port.hpp"
#include "app/port_holder.hpp"
#include "app/printable.hpp"
#include "files/output_file.hpp"

#include <CLI/Validators.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

using namespace demo;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct demo_flags {
  std::vector<std::string> data;
  /// The most patient of the project's contributors then thinks for some ten seconds in all, the
  /// others for less than one: what takes time is the work of the node.
  double speed = 40000;
  std::uint32_t kills = 1;
  std::uint64_t seed = 1;
  bool json = false;
  bool keep = false;
  std::string plot = "holdfast-demo.svg";
  bool web = false;
  std::uint16_t port = 8470; ///< As in the documents; `./dev web` looks there for a node, too.
  double pace = 1;           ///< An hour and forty minutes for half of zencrowd_us.
};

/// The sets that come with the project.
const std::vector<std::string> own_sets{"cf_amt", "zencrowd_us"};
/// Those of them whose units say enough for somebody who sees them.
const std::vector<std::string> own_sets_for_people{"zencrowd_us"};

/// A node starts in a second or two; a slow disk takes its time to make a database.
constexpr auto start_limit = 60s;
constexpr auto stop_limit = 30s;

/// The project's data directory: where it was installed, where it was built, here, or beside the
/// build directory.
std::optional<std::filesystem::path> find_own_data() {
  std::error_code ignored;
  std::vector<std::filesystem::path> places{std::filesystem::path{HOLDFAST_SOURCE_DIR} / "data",
                                            "data"};
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!ignored) {
    const auto from_program = [&](const char* path) {
      return (executable.parent_path() / path).lexically_normal();
    };
    // As cmake/package.cmake installs it. First: the folder of the build may be of another version.
    places.insert(places.begin(), from_program("../share/holdfast/data"));
    places.push_back(from_program("../../../data"));
  }
  for (const auto& place : places)
    if (std::filesystem::is_directory(place / own_sets.front(), ignored))
      return place;
  return std::nullopt;
}

core::outcome<std::vector<dataset>> read_sets(const demo_flags& flags) {
  auto directories = flags.data;
  if (directories.empty()) {
    const auto own = find_own_data();
    if (!own)
      return core::failure{core::errc::not_found,
                           "the project's data sets are neither in share/holdfast/data beside the "
                           "program's folder nor where the project was built; name a directory "
                           "with --data"};
    for (const auto& name : flags.web ? own_sets_for_people : own_sets)
      directories.push_back((*own / name).string());
  }
  std::vector<dataset> sets;
  for (const auto& directory : directories) {
    auto set = read_dataset(directory);
    if (!set)
      return set.error();
    // Sets are told apart by name in the report.
    for (const auto& other : sets)
      if (other.name == set->name)
        set->name += "-" + std::to_string(sets.size() + 1);
    sets.push_back(std::move(*set));
  }
  return sets;
}

exit_code complain(const std::string& what, exit_code code) {
  std::cerr << "holdfast: " << printable_lines(what) << '\n';
  return code;
}

/// Draws the second act; says so in the report, or what went wrong.
void draw(const std::string& file, demo_report& report) {
  if (!report.quality || file.empty())
    return;
  const auto written =
      files::write_output(file, [&](std::ostream& to) { to << plot_of(*report.quality); });
  if (written)
    report.plot = file;
  else
    report.problems.push_back("the charts could not be written: " + written.error().detail
                              + "; name another place with --plot");
}

/// The port that is taken, with who has it if the system says so.
std::string taken_port(std::uint16_t port) {
  const auto holder = holder_of(port);
  const auto who = holder && holder->pid != 0
                       ? " by " + holder->program + " (process " + std::to_string(holder->pid) + ')'
                       : std::string{};
  return "port " + std::to_string(port) + " is taken" + who
         + ": name another one with --port, or 0 for any that is free";
}

exit_code run_with_pages(const demo_flags& flags) {
  const auto sets = read_sets(flags);
  if (!sets)
    return complain(sets.error().detail, exit_code::usage);
  // Held to the end, so that the node finds its port again whenever it is started.
  const auto port = hold_port("127.0.0.1", flags.port);
  if (!port && port.error().code == core::errc::already_exists)
    return complain(taken_port(flags.port), exit_code::port_in_use);
  if (!port)
    return complain(port.error().detail, exit_code::configuration);

  main_loop loop;
  auto directory = scratch_directory::make();
  if (!directory)
    return complain(directory.error().detail, exit_code::configuration);
  if (flags.keep)
    directory->keep();

  const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  progress_bar bar{guarded_output::terminal(), is_terminal};
  const auto number = std::to_string(port->number());
  node_process node{"/proc/self/exe", directory->path(), {"--set", "http.port=" + number}};
  bar.say("starting a node with a private database in " + directory->path().string());
  if (const auto started = node.start(start_limit); !started)
    return complain(started.error().detail + "\n" + node.log_tail(), exit_code::unreachable);
  core::outcome<bool> done = true;
  {
    web_job_settings settings;
    settings.speed = flags.speed;
    settings.seed = flags.seed;
    settings.per_second = flags.pace;
    settings.http_port = number;
    settings.data_dir = directory->path().string();
    settings.is_kept = flags.keep;
    settings.json = flags.json;
    settings.live = is_terminal;
    web_job job{*sets, settings, node, bar, loop};
    done = job.run();
  }
  bar.clear();
  const auto code = node.stop(stop_limit);
  if (!done)
    return complain(done.error().detail + "\n" + node.log_tail(), exit_code::failed_check);
  if (code != static_cast<int>(exit_code::ok))
    return complain("the node did not stop as it should: "
                        + (code ? "exit code " + std::to_string(*code) : "it still runs") + '\n'
                        + node.log_tail(),
                    exit_code::failed_check);
  return exit_code::ok;
}

exit_code run(const demo_flags& flags) {
  const auto began = steady_clock::now();
  const auto sets = read_sets(flags);
  if (!sets)
    return complain(sets.error().detail, exit_code::usage);
  std::uint64_t answers = 0;
  for (const auto& set : *sets)
    answers += set.answers();
  if (flags.kills >= answers)
    return complain("--kills must be less than the number of judgments, " + std::to_string(answers),
                    exit_code::usage);

  main_loop loop;
  auto directory = scratch_directory::make();
  if (!directory)
    return complain(directory.error().detail, exit_code::configuration);
  if (flags.keep)
    directory->keep();

  demo_report report;
  {
    progress_bar bar{guarded_output::terminal(), ::isatty(STDERR_FILENO) != 0};
    node_process node{"/proc/self/exe", directory->path(), {}};
    bar.say("starting a node with a private database in " + directory->path().string());
    if (const auto started = node.start(start_limit); !started)
      return complain(started.error().detail + "\n" + node.log_tail(), exit_code::unreachable);
    {
      const main_job_settings settings{flags.speed, flags.kills, flags.seed};
      main_job job{*sets, settings, node, directory->path().string(), bar, loop};
      report = job.run();
    }
    const auto code = node.stop(stop_limit);
    if (code != static_cast<int>(exit_code::ok))
      report.problems.push_back(
          "the node did not stop as it should: "
          + (code ? "exit code " + std::to_string(*code) : std::string{"it still runs"}));
    if (!problems_of(report).empty())
      bar.say("the end of the node's log:\n" + node.log_tail());
  }
  draw(flags.plot, report);
  if (flags.keep)
    report.data_dir = directory->path().string();
  report.total_time = std::chrono::duration_cast<core::duration>(steady_clock::now() - began);
  std::cout << (flags.json ? to_json(report) : to_text(report)) << std::flush;
  return problems_of(report).empty() ? exit_code::ok : exit_code::failed_check;
}

} // namespace

void add_demo_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<demo_flags>();
  auto* command = cli.add_subcommand(
      "demo", "Run a recorded job through a node that is killed, and check the results");
  command
      ->add_option("--data", flags->data,
                   "Directory with answers.csv (worker,task,label and optionally seconds) and "
                   "truth.csv (task,label); may be repeated. Default: the project's own sets")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  command->add_option("--speed", flags->speed, "How many recorded seconds pass in one")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  auto* kills =
      command->add_option("--kills", flags->kills, "How often the node is killed with SIGKILL")
          ->check(CLI::Range(0, 100))
          ->capture_default_str();
  command->add_option("--seed", flags->seed, "Of all that is random in the contributors")
      ->capture_default_str();
  command->add_flag("--json", flags->json,
                    "Print the report as one JSON object; with --web, one for each event");
  auto* plot =
      command
          ->add_option("--plot", flags->plot,
                       "Where the charts of the second act are drawn (SVG); empty: nowhere")
          ->capture_default_str();
  command->add_flag("--keep", flags->keep, "Keep the node's data directory");
  auto* web = command
                  ->add_flag("--web", flags->web,
                             "Do half of the job and keep the node: watch its pages, and label "
                             "units beside the contributors")
                  ->excludes(kills)
                  ->excludes(plot);
  command->add_option("--port", flags->port, "With --web: where the pages are; 0: on any free port")
      ->needs(web)
      ->capture_default_str();
  command->add_option("--pace", flags->pace, "With --web: judgments a second in the second half")
      ->check(CLI::Range(0.1, 1000.0))
      ->needs(web)
      ->capture_default_str();
  command->callback(
      [flags, &result] { result = flags->web ? run_with_pages(*flags) : run(*flags); });
}

} // namespace holdfast::app
