#pragma once

#include "core/time.hpp"

#include <string>

namespace holdfast::core {

/// An entry of the audit log: a principal has had the change made with which it is written.
struct insert_audit {
  instant at;
  std::string who;       ///< The label of the principal.
  std::string operation; ///< As in the table of operations: `pause_queue`.
  std::string item;      ///< `queue mail`, `step <id>`.
  std::string outcome;   ///< The state of the item since: `paused`.
};

} // namespace holdfast::core
