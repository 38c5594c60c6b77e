#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/struck_fault.hpp"

#include <functional>

/// Faults that make the database forget commits that it has acknowledged, or only shown.
namespace holdfast::soak {

/// The parts of the nemesis that these faults use.
struct loss_striker {
  cluster& nodes;
  struck_fault& struck;
  std::function<void()> rest;        ///< A moment.
  std::function<void()> wait;        ///< Until the fault has lasted for as long as planned.
  std::function<void()> await_hosts; ///< Until every shard has a host that runs.
};

/// A copy takes the place of the server while the nodes run. The commits that it lacks are noted in
/// `struck_fault::loss`.
void lose_commits(const loss_striker& with, database_copy::manner how);

/// The standby that each commit waits for is away while the server is started again, which then
/// shows commits that no standby has; then the server is lost, and the standby takes over without
/// these commits. No node must have acknowledged one of them.
void lose_standby(const loss_striker& with);

} // namespace holdfast::soak
