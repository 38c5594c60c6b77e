#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::core {

/// The treatment by a repair of a result whose answer stands, but which rests on fewer judgments
/// than the step wants now that some judgments count no more.
enum class repair_policy : std::uint8_t {
  refill, ///< It is taken back, and others are asked for the judgments that are missing.
  keep,   ///< It stays, and says how many judgments it rests on.
};

/// The name in definitions.
constexpr std::string_view to_string(repair_policy policy) {
  return policy == repair_policy::keep ? "keep" : "refill";
}

constexpr std::optional<repair_policy> repair_policy_named(std::string_view name) {
  for (const auto policy : {repair_policy::refill, repair_policy::keep})
    if (to_string(policy) == name)
      return policy;
  return std::nullopt;
}

} // namespace holdfast::core
