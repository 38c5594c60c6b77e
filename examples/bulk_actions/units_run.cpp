#include "examples/bulk_actions/units_run.hpp"

#include "examples/bulk_actions/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace bulk {

units_run::units_run(const tools& with, const client::task_context& task, change_unit_status what)
    : bulk_run(with, task, change_unit_status::needs),
      what_(std::move(what)),
      units_(with.open_units(task)) {}

bool units_run::chunk() {
  const auto most = with_.most.people_per_chunk;
  std::vector<unit_row> units;
  const bool held = transact([&](transaction& tx, const staff_member&) {
    if (at.total < 0)
      at.total = tx.count_units(what_.step, what_.who, with_.most.targets_max);
    units = tx.planned_units();
    if (units.empty()) {
      units = tx.next_units(what_.step, what_.who, at.position, most);
      tx.plan_units(units);
    }
    tx.move_to(at);
  });
  if (!held || at.finished)
    return held;
  std::int64_t refused = 0;
  for (const auto& unit : units) {
    if (canceled())
      return false;
    refused += change(unit) ? 0 : 1;
  }
  return record([&](transaction& tx) {
    tx.plan_units({});
    at.refused += refused;
    // What another program has written down may be fewer than we ask for: the end is where none is.
    at = after_chunk(at, units.size(), 1, units.empty() ? at.position : units.back().ordinal);
    tx.move_to(at);
  });
}

bool units_run::change(const unit_row& unit) const {
  const auto why = units_->change(what_.step, unit.id, what_.order);
  if (why.code == core::errc::none)
    return true;
  if (why.code == core::errc::wrong_state || why.code == core::errc::not_found)
    return false;
  throw trouble{error::node_unavailable, core::to_string(unit.id) + ": " + why.detail};
}

client::outcome units_run::ended() {
  return client::done{
      nlohmann::json{{"changed", at.done - at.refused}, {"as_they_were", at.refused}}.dump()};
}

} // namespace bulk
