#pragma once

#include "core/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What has become of items of source data, as a list of the results of a workflow has it.
namespace holdfast::core {

/// A place in the order in which results of a workflow are listed: by the ordinal of the first unit
/// of the item, then by the id of the unit. Neither changes while the workflow goes on.
struct result_place {
  std::uint64_t ordinal = 0;
  unit_id unit; ///< Nil: before all units of the item.
};

/// The place as clients keep it: letters, digits and `-`. The first place of all is empty.
std::string to_string(const result_place& place);
/// What `to_string` wrote; none for anything else.
std::optional<result_place> result_place_of(std::string_view text);

/// What has become of an item at one end of its chains. The numbers are on the wire.
enum class result_state : std::uint8_t {
  final = 1,      ///< There is a result, and nothing goes on from it.
  rejected = 2,   ///< A review rejected it, and nothing goes on.
  canceled = 3,   ///< The unit was canceled, or the step that the chain leads to.
  superseded = 4, ///< The result that the unit was made from was taken back.
  gathered = 5,   ///< The unit is part of a batch of another item, which has the result.
};
inline constexpr std::uint32_t result_states = 5;

std::string_view to_string(result_state state);
std::optional<result_state> result_state_named(std::string_view name);

/// A set of states, as a bit each.
inline constexpr std::uint8_t bit_of(result_state state) {
  return static_cast<std::uint8_t>(1U << (static_cast<unsigned>(state) - 1));
}
inline constexpr std::uint8_t all_result_states = (1U << result_states) - 1;

} // namespace holdfast::core
