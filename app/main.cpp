#include "app/commands.hpp"
#include "app/program.hpp"

int main(int argc, char** argv) {
  holdfast::app::program holdfast{"holdfast", "Holdfast: durable, leased work on PostgreSQL"};
  holdfast.add(holdfast::app::add_demo_command);
  return holdfast.run(argc, argv);
}
