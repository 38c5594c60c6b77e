#pragma once

#include "client/connection.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/unit.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

/// Units of work that Holdfast gives to contributors: what is in bulk done to them goes through a
/// node, which alone decides about them.
namespace bulk {

using namespace holdfast;

/// Its place in its step, and its name.
struct unit_row {
  std::int64_t ordinal = 0; ///< From 1.
  core::unit_id id;
};

/// These units. Who is not there is left out.
struct units_by_ids {
  std::vector<core::unit_id> ids;
};

/// Whoever is in this state, as `report.units` has it, e.g. `Judgable`. Live, as `by_query` is, in
/// order of their places in the step.
struct units_in_state {
  std::string state;
};

using unit_target = std::variant<units_by_ids, units_in_state>;

/// Changes units. For one thread; may block.
class unit_port {
public:
  virtual ~unit_port() = default;
  /// What the node says against it; `none` when it is done. To repeat it changes nothing.
  virtual core::failure change(const core::step_id& step, const core::unit_id& unit,
                               core::unit_verb verb) = 0;
};

std::unique_ptr<unit_port> open_units(const client::connection& node);

} // namespace bulk
