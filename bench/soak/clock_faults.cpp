#include "bench/soak/clock_faults.hpp"

#include <chrono>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto server_step = 1s;

void expect_newcomers(const striking& with) {
  if (const auto why = with.nodes.turned_away_by(with.struck.planned.node); !why.empty())
    with.struck.violation = "a node with a wrong clock lets nobody in: " + why;
}

} // namespace

void jump_clock_of_node(const striking& with) {
  auto& wall = with.nodes.clock_of(with.struck.planned.node);
  const auto misled_before = wall.misled();
  wall.set(1h);
  expect_newcomers(with);
  with.wait_until(with.struck.planned.lasts / 2);
  wall.set(-1h);
  expect_newcomers(with);
  with.wait();
  wall.set(0h);
  with.struck.bit = with.struck.bit && wall.misled() > misled_before;
}

void set_back_clock_of_server(const striking& with) {
  auto& wall = with.nodes.server().server_clock();
  const auto misled_before = wall.misled();
  wall.set(-server_step);
  with.wait();
  wall.set(0s);
  with.struck.bit = wall.misled() > misled_before;
  with.await_hosts();
}

void jump_clock_of_users(const striking& with) {
  auto& wall = with.nodes.clock_of_users();
  const auto misled_before = wall.misled();
  wall.set(1h);
  with.wait_until(with.struck.planned.lasts / 2);
  wall.set(-1h);
  with.wait();
  wall.set(0h);
  with.struck.bit = wall.misled() > misled_before;
}

} // namespace holdfast::soak
