#include "bench/soak/run_options.hpp"

#include "bench/soak/plan.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <random>
#include <sstream>

namespace holdfast::soak {

namespace {

constexpr double lease_of_scorecard = 5;

/// Words such as `kill,one-way-partition`.
std::string problem_with_fault(const std::string& name) {
  if (kind_named(name))
    return {};
  std::string known;
  for (const auto one : fault_names)
    known += (known.empty() ? "" : ", ") + std::string{one};
  return "no such fault; there are " + known;
}

/// In as few digits as give the same number again.
std::string shortest(double number) {
  for (int digits = 6;; ++digits) {
    std::ostringstream text;
    text.precision(digits);
    text << number;
    if (digits >= 17 || std::stod(text.str()) == number)
      return text.str();
  }
}

/// The name of a fault as one word.
std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// As one word of a shell.
std::string word(const std::string& text) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos)
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + '\'';
}

} // namespace

std::optional<int> read_options(int argc, const char* const* argv, run_options& o) {
  CLI::App app{
      "Runs a Holdfast cluster under load while nodes and server are killed, frozen, cut off and\n"
      "restarted, and proves that nothing acknowledged was lost or doubled.\n"
      "Exit status: 0 green, 1 red, 2 void (something planned never struck), 3 it did not run,\n"
      "4 nothing of what it should meet is possible on this machine."};
  app.add_option("--seed", o.seed, "Of the plan; random when not given");
  app.add_option("--minutes", o.minutes, "Length of the load")
      ->check(CLI::Range(0.2, 60.0 * 24))
      ->capture_default_str();
  app.add_option("--nodes", o.nodes, "Nodes of the cluster")
      ->check(CLI::Range(1, 9))
      ->capture_default_str();
  app.add_option("--lease", o.lease_seconds, "Seconds that a silent node keeps its shards")
      ->check(CLI::Range(0.5, 60.0))
      ->capture_default_str();
  app.add_option("--rate", o.load.enqueues_per_second, "Requests with tasks a second")
      ->check(CLI::Range(1.0, 10000.0))
      ->capture_default_str();
  app.add_option("--units", o.load.units_per_second, "Units a second")
      ->check(CLI::Range(0.1, 10000.0))
      ->capture_default_str();
  app.add_option("--faults", o.faults, "Only these, e.g. kill,one-way-partition")
      ->delimiter(',')
      ->check(problem_with_fault);
  app.add_option("--program", o.program, "The binary of the nodes")->check(CLI::ExistingFile);
  app.add_option("--upgrade-from", o.upgrade_from,
                 "The binary of the version before: nodes start with it, the first rolling restart "
                 "brings up the other one, the next goes back, and so on")
      ->check(CLI::ExistingFile);
  app.add_option("--out", o.out, "Beginning of the names of verdict and report")
      ->capture_default_str();
  app.add_flag("--lazy-disk", o.lazy_disk,
               "Positive control: the server acknowledges before it has written. Must be red");
  app.add_flag(
      "--scorecard", o.scorecard,
      "One run after the other, each under a kind of fault of its own, so long each and with "
      "a lease of 5 s; their figures, with goals, go to OUT.json");
  app.add_option("--total", o.total,
                 "Runs nothing: adds up the verdicts in these files, such as *-verdict.json; the "
                 "figures, with goals, go to OUT.json")
      ->check(CLI::ExistingFile);
  app.add_flag("--keep", o.keep, "Keep the directory with the logs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return app.exit(why);
  }
  if (app.count("--seed") == 0)
    o.seed = std::random_device{}() % 1'000'000;
  if (o.scorecard && app.count("--lease") == 0)
    o.lease_seconds = lease_of_scorecard;
  o.load.seed = o.seed;
  return std::nullopt;
}

std::string command_of(const run_options& o) {
  if (!o.total.empty()) {
    std::string command = "./dev soak --total";
    for (const auto& file : o.total)
      command += ' ' + word(file);
    return command;
  }
  const run_options usual;
  std::string command = "./dev soak --seed " + std::to_string(o.seed) + " --minutes "
                        + shortest(o.minutes) + " --nodes " + std::to_string(o.nodes);
  const auto add = [&](const char* option, double number, double by_itself) {
    if (number != by_itself)
      command += std::string{option} + shortest(number);
  };
  add(" --lease ", o.lease_seconds, usual.lease_seconds);
  add(" --rate ", o.load.enqueues_per_second, usual.load.enqueues_per_second);
  add(" --units ", o.load.units_per_second, usual.load.units_per_second);
  for (std::size_t i = 0; i < o.faults.size(); ++i)
    command += (i == 0 ? " --faults " : ",") + dashed(o.faults[i]);
  if (!o.program.empty())
    command += " --program " + word(o.program);
  if (!o.upgrade_from.empty())
    command += " --upgrade-from " + word(o.upgrade_from);
  if (o.scorecard)
    command += " --scorecard";
  return o.lazy_disk ? command + " --lazy-disk" : command;
}

} // namespace holdfast::soak
