// Faults of which a run has enough work when it has them: they strike in a small share of the runs.

#include "tests/sim/plan.hpp"

namespace holdfast::sim {

namespace {

/// In one run of sixteen the database forgets commits. The object store does not go back with it,
/// and an object that no row needed may be swept by then; so all documents fit into their rows. The
/// workflow has one version: a requester who puts the third again after the second was forgotten
/// gives the second number to it, and contributors know forms by their numbers.
void draw_lost_history(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 16};
  if (d.below(16) != 0 || versions_of(p) > 1)
    return;
  p.faults.history_lost = static_cast<std::uint32_t>(d.between(500, 3'000));
  p.machine.large = 0;
}

/// In one run of sixteen that are about programs alone somebody sets the database's clock. What
/// schedules owe by then is a matter of their own tests, and there are none. Nor does the database
/// lose commits: a generation's tokens are past all that were given out only where its clock is.
void draw_set_clocks(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 17};
  if (p.units > 0 || p.faults.history_lost > 0 || d.below(16) != 0)
    return;
  p.faults.clock_set = static_cast<std::uint32_t>(d.between(200, 2'000));
  p.machine.schedules.clear();
}

} // namespace

void draw_rare_faults(plan& p) {
  draw_lost_history(p);
  draw_set_clocks(p);
}

} // namespace holdfast::sim
