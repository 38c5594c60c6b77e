#include "client/connection.hpp"
#include "client/id_source.hpp"
#include "client/peer_system.hpp"

#include <caf/actor_system.hpp>

#include <iostream>

using namespace holdfast;

int main(int argc, char** argv) {
  const auto nodes = client::endpoints_of(argc == 2 ? argv[1] : "", {});
  if (!nodes)
    return std::cerr << nodes.error().detail << '\n', 2;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection node{system, *nodes, {}, client::random_seed()};
  client::id_source ids;

  // As a requester: a workflow of one step, and one unit of work.
  const auto created = node.ask<msg::workflow_created>(msg::create_workflow{
      {ids.next()},
      R"({"name": "greetings", "steps": [{"key": "reply", "judgments_per_unit": 1}]})"});
  if (!created)
    return std::cerr << created.error().detail << '\n', 1;
  const auto step = created->steps.front().step;
  node.ask<msg::source_data_added>(msg::add_source_data{step, {{"1", R"({"say": "hello"})", 0}}});

  // As a contributor: take what there is and answer it.
  while (auto given = node.ask<msg::assignment>(msg::ask_assignment{step, "ana", {ids.next()}})) {
    const auto done = node.ask<msg::judgment_accepted>(msg::submit_judgment{
        step, given->unit, "ana", given->token, {ids.next()}, R"({"answer": "hi"})"});
    std::cout << given->input << (done ? " accepted" : " " + done.error().detail) << '\n';
  }
  node.ask<msg::session_ended>(msg::end_session{"ana"});
}
