#include "app/commands.hpp"
#include "app/program.hpp"

int main(int argc, char** argv) {
  holdfast::app::program holdfast{"holdfast", "Holdfast: durable, leased work on PostgreSQL"};
  holdfast.add(holdfast::app::add_demo_command);
  holdfast.add(holdfast::app::add_aggregate_command);
  holdfast.add(holdfast::app::add_simulate_overlap_command);
  return holdfast.run(argc, argv);
}
