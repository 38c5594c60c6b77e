#include "app/program.hpp"
#include "examples/record_linker/match_handler.hpp"
#include "examples/record_linker/simulation.hpp"
#include "examples/record_linker/story.hpp"
#include "examples/record_linker/sweeper.hpp"

#include <iostream>
#include <memory>
#include <string>

int main(int argc, char** argv) {
  const auto world = linker::simulation_of_environment();
  const auto tables = linker::tables_of(world);
  const auto links = std::make_shared<linker::pg_links>(tables);
  const auto handler = std::make_shared<linker::match_handler>(
      links, linker::api_of(world, tables),
      [](const std::string& line) { std::clog << line + '\n'; }, world.speed);
  holdfast::app::program program{"holdfast_record_linker",
                                 "Records matched against an API that limits its rate"};
  program.work_on(linker::queue_name, linker::handler_threads, {{linker::task_type, handler}});
  const auto sweeper =
      std::make_shared<linker::sweep_handler>(links, std::make_shared<linker::pg_tasks>(tables));
  program.work_on(linker::sweep_queue, 1, {{linker::sweep_type, sweeper}});
  program.add(linker::add_story_command);
  return program.run(argc, argv);
}
