#pragma once

#include "messages/interfaces.hpp"
#include "persistence/memory_store.hpp"
#include "tests/sim/plan.hpp"
#include "tests/sim/plant.hpp"
#include "tests/support/virtual_network.hpp"

#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::sim {

const std::vector<plant>& plants();

class cluster_bug;
struct seen_numbers;

/// The bug of one run; none when the name is empty.
class planted_bug {
public:
  /// Throws `std::invalid_argument` for a name that `plants` does not list.
  planted_bug(const std::string& name, std::shared_ptr<persistence::memory_database> database,
              dice& random);
  ~planted_bug();

  /// What a node gets for its connection to the database. `thawed`: the node was frozen once.
  std::unique_ptr<persistence::store> wrap(std::unique_ptr<persistence::store> connection,
                                           std::function<bool()> thawed) const;
  /// What clients get for a node's gateway.
  msg::gateway_actor wrap(caf::actor_system& system, const msg::gateway_actor& gateway) const;
  /// To be called before the first node starts.
  void spoil(caf::actor_system& system, test::virtual_network& network) const;

private:
  std::string name_;
  std::shared_ptr<persistence::memory_database> database_;
  dice* random_;
  std::unique_ptr<cluster_bug> between_nodes_;
  std::shared_ptr<seen_numbers> seen_numbers_;
};

} // namespace holdfast::sim
