#pragma once

#include "tests/sim/plant.hpp"
#include "tests/support/virtual_network.hpp"

#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// The planted bugs that are about more than one node.
namespace holdfast::sim {

const std::vector<plant>& cluster_plants();

/// What the nodes of one run have seen, where a bug needs that.
struct shared_past;

/// One of these bugs, or none. It lasts for a run, because what it forgets and mixes up was seen by
/// nodes that have ended since.
class cluster_bug {
public:
  cluster_bug(std::string name, std::shared_ptr<persistence::memory_database> database);

  /// The connection of a node, lying if the bug makes it lie. `thawed`: the node was frozen once.
  std::unique_ptr<persistence::store> wrap(std::unique_ptr<persistence::store> connection,
                                           std::function<bool()> thawed) const;
  /// Has the bug stand between the nodes.
  void spoil(caf::actor_system& system, test::virtual_network& network) const;

private:
  std::string name_;
  std::shared_ptr<persistence::memory_database> database_;
  std::shared_ptr<shared_past> past_;
};

} // namespace holdfast::sim
