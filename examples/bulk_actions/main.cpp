#include "app/program.hpp"
#include "examples/bulk_actions/handlers.hpp"
#include "examples/bulk_actions/simulation.hpp"
#include "examples/bulk_actions/story.hpp"

int main(int argc, char** argv) {
  holdfast::app::program program{"holdfast_bulk_actions",
                                 "Something done to many people at once, as durable tasks"};
  program.work_on(bulk::queue_name, bulk::handler_threads,
                  bulk::handlers(bulk::tools_of(bulk::simulation_of_environment())));
  program.add(bulk::add_story_command);
  return program.run(argc, argv);
}
