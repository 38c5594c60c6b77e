#include "client/connection.hpp"
#include "client/peer_system.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace holdfast;

int main(int argc, char** argv) {
  if (argc != 2)
    return std::cerr << "usage: " << argv[0] << " PORT\n", 2;
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection node{system, {"127.0.0.1", port}, {}, std::random_device{}()};
  core::uuid_source ids{std::random_device{}()};
  const auto id = [&] {
    using namespace std::chrono;
    return ids.next(time_point_cast<core::duration>(system_clock::now()));
  };

  // As a requester: a workflow of one step, and one unit of work.
  const auto created = node.ask<msg::workflow_created>(msg::create_workflow{
      {id()}, R"({"name": "greetings", "steps": [{"key": "reply", "judgments_per_unit": 1}]})"});
  if (!created)
    return std::cerr << created.error().detail << '\n', 1;
  const auto step = created->steps.front().step;
  node.ask<msg::source_data_added>(msg::add_source_data{step, {{"1", R"({"say": "hello"})", 0}}});
  node.ask<msg::step_view>(msg::seal_step{step});

  // As a contributor: take what there is and answer it.
  while (auto given = node.ask<msg::assignment>(msg::ask_assignment{step, "ana", {id()}})) {
    const auto done = node.ask<msg::judgment_accepted>(msg::submit_judgment{
        step, given->unit, "ana", given->token, {id()}, R"({"answer": "hi"})"});
    std::cout << given->input << (done ? " accepted" : " " + done.error().detail) << '\n';
  }
  node.ask<msg::session_ended>(msg::end_session{"ana"});
}
