#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::core {

/// Every way in which Holdfast refuses or fails. A code exists only if a caller can react to it in
/// its own way. The numbers are part of the wire format: they are never reused.
enum class errc : std::uint8_t {
  none = 0,
  invalid_argument = 1,
  not_found = 2,
  no_unit_available = 3,
  payload_invalid = 4,
  too_large = 5,
  lease_not_held = 6,
  stale_token = 7,
  lease_expired = 8,
  already_judged = 9,
  not_extendable = 10,
  already_exists = 11,
  wrong_state = 12,
  limit_reached = 13,
  overloaded = 14,
  unavailable = 15,
  fenced = 16,
  duplicate_message = 17,
  refused_by_store = 18,
  damaged = 19,
  not_qualified = 20,
  events_gone = 21,
  rate_limited = 22,
};

/// One row of the error table.
struct error_description {
  errc code;
  std::string_view name;   ///< Stable machine-readable name.
  bool retryable;          ///< True when the very same request may succeed later.
  std::string_view advice; ///< What the caller should do next.
};

/// The row of `code`. Unknown numbers (from a newer peer) give the row of `unavailable`.
const error_description& describe(errc code);

/// Whether the same request may succeed when it is sent again under the same ids after a pause:
/// nobody knows its outcome, the node is busy, the shard moves, or a rate is bounded. Other
/// retryable errors need something to happen first: a unit that comes, a lease that is handed in.
bool is_transient(errc code);

inline std::string_view to_string(errc code) { return describe(code).name; }

/// An error with the particulars a person needs: which field, which row, which bound.
struct failure {
  errc code = errc::none;
  std::string detail;
  /// How long to wait before the request is sent again, where that is known.
  duration retry_after{};
};

} // namespace holdfast::core
