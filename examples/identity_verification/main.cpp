#include "app/program.hpp"
#include "examples/identity_verification/processors.hpp"
#include "examples/identity_verification/simulation.hpp"
#include "examples/identity_verification/story.hpp"

#include <memory>

int main(int argc, char** argv) {
  const auto world = identity::simulation_of_environment();
  const auto processors =
      identity::make_router(identity::service_of(world), identity::faster({}, world.speed));
  holdfast::app::program program{"holdfast_identity_verification",
                                 "Identity verifications as durable tasks"};
  program.work_on(identity::queue_name, 8,
                  {{identity::task_type, std::make_shared<identity::verify_handler>(processors)}});
  program.add(identity::add_story_command);
  return program.run(argc, argv);
}
