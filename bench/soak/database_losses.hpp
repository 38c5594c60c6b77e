#pragma once

#include "bench/soak/database_copy.hpp"
#include "bench/soak/striking.hpp"

/// Faults that make the database forget commits that it has acknowledged, or only shown.
namespace holdfast::soak {

/// A copy takes the place of the server while the nodes run. The commits that it lacks are noted in
/// `struck_fault::loss`.
void lose_commits(const striking& with, database_copy::manner how);

/// The standby that each commit waits for is away while the server is started again, which then
/// shows commits that no standby has; then the server is lost, and the standby takes over without
/// these commits. No node must have acknowledged one of them.
void lose_standby(const striking& with);

} // namespace holdfast::soak
