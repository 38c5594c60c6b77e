#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::core {

/// A process that is registered under the name of a node and has not left, as the database shows
/// it.
struct name_holder {
  incarnation_id incarnation;
  std::string address;
  instant expires_at; ///< Of its lease, by the clock of the database.
};

enum class claim_verdict {
  free,  ///< Nobody has the name.
  wait,  ///< Somebody has it who may be dead: ask again.
  taken, ///< Somebody has it who lives.
};

/// Decides whether a process may start under the name of a node. A process that renews its lease
/// lives, and keeps the name; one that does not is waited for until its lease is over. The earlier
/// life of the process itself is known to be dead, and is not waited for.
class name_claim {
public:
  /// `earlier_life` is nil where none is known. `lease_time` bounds the wait, also where the clock
  /// of the database has been put back and a lease seems to last longer.
  name_claim(incarnation_id earlier_life, duration lease_time)
      : earlier_life_(earlier_life), lease_time_(lease_time) {}

  /// `holders` are those whose lease is not over; `now` is any clock that only goes forward.
  claim_verdict look(const std::vector<name_holder>& holders, instant now);

  /// The process that has the name; known after `wait` and `taken`.
  const name_holder& holder() const { return holder_; }

private:
  incarnation_id earlier_life_;
  duration lease_time_;
  name_holder holder_;
  std::map<incarnation_id, instant> first_expiry_; ///< Of each holder when it was seen first.
  std::optional<instant> first_look_;
};

} // namespace holdfast::core
