#pragma once

#include "core/aggregation.hpp"
#include "core/routing.hpp"
#include "core/unit.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What follows from the result of a unit, whoever gives it: the route that the unit takes on, and
/// what subscribers are told. The same of a result that is taken back.
namespace holdfast::core {

struct told_result {
  route_choice taken;
  /// Of what the chain was about there is no result: a review rejected it, and no route goes on.
  bool without_result = false;
  core::event event; ///< `UnitFinalized`, with the result and what each judgment was worth.
};

/// `result` is `found` as JSON. `input`: what routes ask about.
told_result tell_result(const unit& u, const std::vector<way>& ways, const aggregate& found,
                        const std::string& result, const input_values& input, instant now);

struct told_reopening {
  std::string result;       ///< JSON: what is taken back.
  std::string disregarded;  ///< JSON list: the judgments that count no more.
  std::uint32_t wanted = 0; ///< Judgments that are asked for now.
  std::string by{};         ///< Who has asked for it; empty for a repair.
  std::string reason{};     ///< Why, likewise.
};

/// `UnitReopened`. The unit still stands as it did before; `taken` is the way that it took on.
event reopened_event(const unit& u, const told_reopening& what, const way* taken, instant now);

} // namespace holdfast::core
