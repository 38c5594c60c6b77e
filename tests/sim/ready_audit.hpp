#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "persistence/memory_tables.hpp"

#include <caf/actor.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::sim {

/// Holds the memory of the steps to the tables while a run is under way (I-10): a unit with a free
/// slot that its step offers to nobody, or a full one that is not aggregated, may be there for
/// moments, and no longer than the stated bound.
///
/// The only auditor that looks into actors. What waits in a step would show in the tables only at
/// the end of a run, when somebody has asked for all that is left.
class ready_auditor {
public:
  using blame_function = std::function<void(const char* invariant, const std::string& what)>;

  ready_auditor(const persistence::memory::tables& tables, blame_function blame)
      : t_(tables), blame_(std::move(blame)) {}

  /// To be called when every message has been handled and only time can bring more. `actors`: of
  /// which the steps are looked at whose node can write, being one of `able` that hosts the shard.
  void look(const std::vector<caf::strong_actor_ptr>& actors,
            const std::set<core::incarnation_id>& able, core::instant now);
  /// Something kept the nodes from going on: the bound begins anew.
  void interrupt() { since_.clear(); }

private:
  using place = std::pair<caf::actor_id, core::unit_id>;

  const persistence::memory::tables& t_;
  blame_function blame_;
  std::map<place, core::instant>
      since_; ///< Units that nobody is offered, by the life of their step.
};

} // namespace holdfast::sim
