// The database's clock is set while everything runs: by somebody who corrects it, or because the
// database goes on on a machine whose clock is another one. Nodes follow with their next renewals.

#include "tests/sim/world.hpp"

namespace holdfast::sim {

using namespace std::chrono_literals;

void world::set_clock() {
  const auto by = random_.span(1s, 300s);
  const bool ahead = random_.below(2) == 0;
  seen_.count(ahead ? event_kind::clock_set_ahead : event_kind::clock_set_back);
  log_.note([&] {
    return "the database's clock is set " + std::string{ahead ? "ahead" : "back"} + " by "
           + std::to_string(by.count()) + " us";
  });
  ready_.interrupt();
  const auto before = now();
  virtual_.set_clock(ahead ? by : -by);
  audit_.tasks().clock_set(before, now());
}

} // namespace holdfast::sim
