// The part of the auditor that is about what was made from results that were taken back.

#include "tests/sim/invariants.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace holdfast::sim {

using core::unit_state;

bool auditor::stands(const core::insert_unit& made) const {
  const auto parent = t_.units.find(made.parent);
  if (parent == t_.units.end())
    return true;
  if (parent->second.made.gathered) {
    const auto members = members_of(made.id);
    return !members.empty() && std::all_of(members.begin(), members.end(), [&](const auto& id) {
      return stands(t_.units.at(id).made);
    });
  }
  return parent->second.state == unit_state::finalized
         && parent->second.reopened == made.parent_reopened;
}

bool auditor::chain_stands(core::unit_id unit) const {
  auto chain = sources_of(unit);
  chain.insert(unit);
  return std::all_of(chain.begin(), chain.end(),
                     [&](const auto& id) { return stands(t_.units.at(id).made); });
}

/// Only what was made from a result that is gone is withdrawn; and a result that was finalized
/// stays to be seen, as does where it went.
void auditor::check_withdrawn(const unit_rows& rows, const unit_memory& known) {
  const auto& row = *rows.unit;
  require(known.withdrawn == (row.state == unit_state::canceled && row.result.has_value()),
          "finality", rows.id, "a withdrawn unit has lost its result, or a canceled one has one");
  if (known.withdrawn && row.result && !known.outcomes.empty())
    require(*row.result == known.outcomes.back().result && row.route == known.outcomes.back().route,
            "finality", rows.id, "a withdrawn unit has another result than it had before");
  if (known.withdrawn || known.canceled_with_parent)
    require(!stands(row.made), "withdrawal", rows.id,
            "a unit was withdrawn although its parent has the result that it was made from");
}

void auditor::check_told_revision(const core::event& event) {
  const auto details = nlohmann::json::parse(event.details, nullptr, false);
  require(details.is_object()
              && details.value("revision", 1U) == units_[event.unit].told_reopened + 1,
          "I-5", event.unit, "UnitFinalized does not tell which result of the unit it is about");
}

/// A result is taken back, or withdrawn: told is which one, and where it went.
void auditor::check_told_result(const core::event& event) {
  const auto& known = units_[event.unit];
  const auto row = t_.units.find(event.unit);
  const auto details = nlohmann::json::parse(event.details, nullptr, false);
  const auto revision = details.is_object() ? details.value("revision", 0U) : 0U;
  if (!require(row != t_.units.end() && revision == known.told_reopened + 1
                   && revision == known.outcomes.size(),
               "I-5", event.unit, "it is not told which result of a unit is gone"))
    return;
  const auto& had = known.outcomes.back();
  require(details.contains("result")
              && details.at("result") == nlohmann::json::parse(had.result, nullptr, false),
          "I-5", event.unit, "another result is told to be gone than the unit had");
  const auto* taken = way_of(row->second.made, had.route);
  const auto route = details.find("route");
  const bool went_on = taken != nullptr;
  require(went_on == (route != details.end())
              && (!went_on || route->at("to") == nlohmann::json(taken->rule.to)),
          "I-5", event.unit, "it is not told where the result went that is gone");
  if (event.type != core::event_type::unit_reopened || route == details.end())
    return;
  ++steps_[event.step].reissued;
  ++reissued_;
}

/// Nothing of what was made from a result that is gone is left, at any depth: each that goes leaves
/// what was made from it without its parent's result.
std::string auditor::unfinished_withdrawals() const {
  for (const auto& [id, row] : t_.units)
    if (row.state != unit_state::canceled && !stands(row.made))
      return "I-5: a unit is not withdrawn although the result that it was made from is gone"
             + dump(id);
  return {};
}

} // namespace holdfast::sim
