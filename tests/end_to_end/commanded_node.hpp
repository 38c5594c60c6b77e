#pragma once

#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/end_to_end/simple_job.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

/// A node, a peer that is connected to it, and the commands of `holdfast` that ask it.
struct commanded_node : running_node, simple_job<commanded_node> {
  const client::connection& connection() const { return node; }

  program_end holdfast(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--node", "127.0.0.1:" + std::to_string(process->port())});
    return run_program(HOLDFAST_BINARY, arguments, std::chrono::seconds{60});
  }
  /// The output of a command that succeeds.
  std::string printed(const std::vector<std::string>& arguments) const {
    const auto end = holdfast(arguments);
    BOOST_TEST(end.code == 0, end.err);
    return end.out;
  }

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection node{system, {"127.0.0.1", process->port()}, client::retry_policy{}, 1};
};

} // namespace holdfast::test
