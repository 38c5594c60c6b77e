#include "core/item_chain.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// A chain goes round at most so often. More is a ring, which only a damaged database has.
constexpr std::size_t chain_units_max = steps_per_workflow_max * (loops_max + 1);

} // namespace

item_chains::item_chains(const versioned_workflow& workflow, const std::vector<step_row>& steps)
    : workflow_(workflow), steps_(steps) {}

const chain_unit* item_chains::find(const unit_id& unit) const {
  const auto found = units_.find(unit);
  return found == units_.end() ? nullptr : &found->second;
}

std::vector<unit_id> item_chains::missing_parents() const {
  std::set<unit_id> missing;
  for (const auto& [id, unit] : units_)
    if (unit.parent && find(unit.parent) == nullptr)
      missing.insert(unit.parent);
  return {missing.begin(), missing.end()};
}

std::optional<std::uint32_t> item_chains::position_of(const step_id& step) const {
  const auto found = std::find_if(steps_.begin(), steps_.end(),
                                  [&](const step_row& row) { return row.id == step; });
  return found == steps_.end() ? std::nullopt : std::optional{found->position};
}

const step_definition* item_chains::definition_of(const chain_unit& unit) const {
  const auto position = position_of(unit.step);
  // A row that is damaged may name a version that there is not.
  if (!position || unit.version == 0 || unit.version > workflow_.latest())
    return nullptr;
  return workflow_.find(unit.version, *position);
}

const std::string& item_chains::key_of(const chain_unit& unit) const {
  static const std::string unknown;
  const auto position = position_of(unit.step);
  return position ? workflow_.keys()[*position] : unknown;
}

const way* item_chains::way_of(const chain_unit& unit) const {
  if (definition_of(unit) == nullptr)
    return nullptr;
  const auto& ways = workflow_.ways(unit.version, *position_of(unit.step));
  return unit.route >= static_cast<std::int32_t>(ways.size()) ? nullptr
                                                              : way_taken(unit.route, ways);
}

bool item_chains::is_review(const chain_unit& unit) const {
  const auto* definition = definition_of(unit);
  return definition != nullptr && definition->aggregation.method == aggregation_method::review;
}

bool item_chains::is_batch(const chain_unit& unit) const {
  const auto* parent = parent_of(unit);
  return parent != nullptr && parent->step == unit.step && parent->result_bytes == 0;
}

bool item_chains::is_list_item(const chain_unit& unit) const {
  const auto* parent = parent_of(unit);
  if (parent == nullptr || is_batch(unit))
    return false;
  const auto* taken = way_of(*parent);
  if (taken == nullptr || !taken->rule.for_each)
    return false;
  const auto position = position_of(unit.step);
  // Of the version of the workflow; the targets name steps by their places in all of them.
  return std::any_of(taken->targets.begin(), taken->targets.end(), [&](const way_target& target) {
    return position == target.position && !target.back;
  });
}

bool item_chains::leads_to_canceled(const way& taken) const {
  return std::any_of(taken.targets.begin(), taken.targets.end(), [&](const way_target& target) {
    return std::any_of(steps_.begin(), steps_.end(), [&](const step_row& row) {
      return row.position == target.position && row.status == step_status::canceled;
    });
  });
}

bool item_chains::is_superseded(const chain_unit& unit) const {
  std::size_t steps = 0;
  for (const auto* at = &unit; at->parent;) {
    const auto* parent = parent_of(*at);
    if (parent == nullptr || ++steps > chain_units_max)
      return false;
    // What others were made from is canceled by a withdrawal only.
    if (parent->state == unit_state::canceled
        || at->parent_reopened < std::max(parent->reopened, parent->ungathered))
      return true;
    at = parent;
  }
  return unit.result_bytes > 0;
}

chain_end item_chains::end_at(const chain_unit& unit) const {
  switch (unit.state) {
  case unit_state::finalized: {
    const auto* taken = way_of(unit);
    if (taken == nullptr)
      return chain_end::result;
    return taken->rule.for_each || leads_to_canceled(*taken) ? chain_end::if_childless
                                                             : chain_end::none;
  }
  case unit_state::canceled:
    return is_superseded(unit) ? chain_end::superseded : chain_end::canceled;
  case unit_state::gathered:
    // A batch of the same item is a part of its tree, which has an end of its own.
    return unit.batch_root && unit.batch_root != unit.root ? chain_end::gathered : chain_end::none;
  case unit_state::judgable:
  case unit_state::paused:
    break;
  }
  return chain_end::none;
}

chain_end item_chains::childless_end(const chain_unit& unit, bool no_items) const {
  const auto* taken = way_of(unit);
  if (taken == nullptr || (taken->rule.for_each && no_items))
    return chain_end::result;
  return leads_to_canceled(*taken) ? chain_end::canceled : chain_end::none;
}

std::vector<const chain_unit*> item_chains::path_to(const chain_unit& unit) const {
  std::vector<const chain_unit*> path;
  for (const auto* at = &unit; at != nullptr; at = parent_of(*at)) {
    if (path.size() > chain_units_max)
      return {};
    path.push_back(at);
  }
  if (path.back()->parent)
    return {};
  std::reverse(path.begin(), path.end());
  return path;
}

} // namespace holdfast::core
