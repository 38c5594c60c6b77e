#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace holdfast::core {

/// Which children a supervisor restarts when one of them ends.
enum class strategy : std::uint8_t {
  one_for_one,  ///< Only the one that ended: the children do not depend on each other.
  rest_for_one, ///< It and all that were started after it: order is dependency.
  one_for_all,  ///< All of them: they share what is lost.
};

/// Whether a child that ended is started again.
enum class restart : std::uint8_t {
  permanent, ///< Always.
  transient, ///< Only after a crash.
  temporary, ///< Never.
};

/// More than `restarts_max` restarts within `within` mean that restarting does not help.
struct intensity {
  std::uint32_t restarts_max = 5;
  duration within = std::chrono::seconds{60};
};

/// The recent restarts of one supervisor.
class restart_history {
public:
  /// Counts one more restart at `now`; false when that exceeds the intensity.
  bool admit(const intensity& limit, instant now);

private:
  std::deque<instant> recent_;
};

/// What to do about a child that ended.
struct verdict {
  bool escalate = false; ///< Give up: end with all children, the parent decides.
  std::vector<std::size_t>
      stopped; ///< Children to stop first, last started first. Not the one that ended.
  std::vector<std::size_t> started; ///< Children to start then, in order.
};

/// The verdict on the end of child `ended` of `children`, of which `crashed` says how.
verdict judge(strategy how, restart kind, const intensity& limit, restart_history& history,
              std::size_t children, std::size_t ended, bool crashed, instant now);

} // namespace holdfast::core
