#pragma once

#include "client/task_handler.hpp"
#include "core/time.hpp"
#include "examples/record_linker/entity_api.hpp"
#include "examples/record_linker/records.hpp"
#include "messages/task_messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

/// The task that matches a record, and every decision about it as a pure function.
namespace linker {

inline constexpr const char* queue_name = "linker";
inline constexpr const char* task_type = "entity.match";

/// The catalogue of errors of the type.
inline constexpr const char* error_outage = "API_OUTAGE";
inline constexpr const char* error_rate_limited = "API_RATE_LIMITED";
inline constexpr const char* error_record = "RECORD_REFUSED";
inline constexpr const char* error_body = "BODY_INVALID";

/// How much more a person who waits counts than a project that was given in bulk.
inline constexpr std::int16_t interactive = 1000;

/// The policy of the queue, as JSON, for a world in which time runs `speed` times as fast.
std::string queue_policy(core::duration ttl, double speed);

/// The id of the task that sees to a link. Made of the numbers themselves, so that asking again
/// makes nothing twice and an operator can read it: `00000007-6c6b-8000-8000-0000000003e8` is link
/// 1000 of project 7. Requires a link below 2^48.
core::task_id task_of(const link_id& which);

/// What a task is given: references only. `trace` is of the request that it follows from.
msg::task_request request_for(const link_row& row, const std::string& trace,
                              std::int16_t priority = 0);

/// The link that the body names; nothing if it names none.
std::optional<link_id> link_in(const std::string& body);

// --- decisions ---

/// Why a task need not be done any more; empty when it has to be.
std::string reason_to_drop(const std::optional<link_row>& row);

/// The record has its result.
struct conclude {
  link_result result;
};
/// Something was wrong that passes. At least this long from now, longer each time.
struct try_again {
  core::duration least_wait{};
};
/// Nobody may ask with this credential for so long.
struct hold_off {
  core::duration retry_after{};
};
using decision = std::variant<conclude, try_again, hold_off>;

/// What follows from what the API said to the `attempt`th try, from 1.
decision on_reply(const reply& said, std::uint32_t attempt, double speed);

/// How the task goes on, once a result is stored.
client::outcome outcome_of(const decision& decided);

} // namespace linker
