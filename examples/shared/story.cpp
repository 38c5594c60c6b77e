#include "examples/shared/story.hpp"

#include "app/demo/scratch_directory.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <iostream>

namespace examples {

namespace {

/// A story that goes wrong at all often does so for each of thousands.
constexpr std::size_t problems_shown = 20;

app::exit_code tell_end(const std::vector<std::string>& problems, const std::string& promise,
                        const app::demo::node_process& node) {
  if (problems.empty()) {
    std::cout << "\nAs promised: " << promise << '\n';
    return app::exit_code::ok;
  }
  std::cout << "\nNot as promised (" << problems.size() << "):\n";
  for (std::size_t i = 0; i < std::min(problems_shown, problems.size()); ++i)
    std::cout << "  " << problems[i] << '\n';
  std::cout << "The end of the node's log:\n" << node.log_tail() << '\n';
  return app::exit_code::failed_check;
}

} // namespace

core::instant wall_time() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

void teller::say(const std::string& what) const {
  const std::chrono::duration<double> passed = wall_time() - began_;
  char at[16];
  std::snprintf(at, sizeof at, "%6.1f s  ", passed.count());
  std::cout << at << what << std::endl;
}

app::exit_code run(const story& which) {
  auto directory = app::demo::scratch_directory::make();
  if (!directory) {
    std::cerr << directory.error().detail << '\n';
    return app::exit_code::configuration;
  }
  app::demo::node_process node{"/proc/self/exe", directory->path(), which.node_arguments};
  return tell_end(which.play(node, directory->path()), which.promise, node);
}

void add_story_command(CLI::App& cli, app::exit_code& result, const std::string& about,
                       const std::function<void(CLI::App&)>& flags, std::function<story()> which) {
  auto* command = cli.add_subcommand("story", about);
  flags(*command);
  command->callback([which = std::move(which), &result] { result = run(which()); });
}

} // namespace examples
