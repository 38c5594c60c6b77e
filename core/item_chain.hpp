#pragma once

#include "core/change.hpp"
#include "core/item_result.hpp"
#include "core/workflow_versions.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

/// Where the chains of an item end. An item of source data becomes a unit, whose result may become
/// units of other steps, and so on: a tree of units. Each end of it is one result of the workflow.
namespace holdfast::core {

/// A unit in the tree of its item, without its texts.
struct chain_unit {
  unit_id id;
  unit_id parent; ///< Nil for the first of its item.
  unit_id root;
  step_id step;
  unit_state state = unit_state::judgable;
  std::uint32_t version = 1; ///< Of the workflow, under which its chain began.
  std::uint32_t loops = 0;
  std::uint32_t part = 0;
  std::uint32_t reopened = 0;
  std::uint32_t ungathered = 0;
  std::uint32_t parent_reopened = 0;
  std::uint32_t slots = 1;
  std::int16_t route = no_route;
  unit_id batch;      ///< What a gathered unit is part of; nil while it waits for that.
  unit_id batch_root; ///< The item of that batch; nil without one.
  double confidence = 0;
  instant created_at;
  std::optional<instant> changed_at; ///< Of the last change of state.
  std::uint64_t ordinal = 0;         ///< Of the first unit of its item, in the first step.
  std::uint64_t input_bytes = 0;     ///< As stored.
  std::uint64_t result_bytes = 0;    ///< Likewise; 0: it has none.
};

/// How far a unit is from being an end of its item.
enum class chain_end : std::uint8_t {
  none,         ///< The chain goes on, or is under way here.
  result,       ///< Its result is an end; a review tells whether it is `final` or `rejected`.
  if_childless, ///< An end if nothing was made from its result and nothing will be: see
                ///< `childless_end`.
  canceled,
  superseded,
  gathered,
};

/// Units of some items, and what they are in them. A unit is told of before what asks for it.
class item_chains {
public:
  /// `steps` of all versions, in order of position. Both outlive this.
  item_chains(const versioned_workflow& workflow, const std::vector<step_row>& steps);

  void add(const chain_unit& unit) { units_.insert_or_assign(unit.id, unit); }
  const chain_unit* find(const unit_id& unit) const;
  const chain_unit* parent_of(const chain_unit& unit) const { return find(unit.parent); }
  /// Parents of units that are there, which are not: to be read and added until there are none.
  std::vector<unit_id> missing_parents() const;

  chain_end end_at(const chain_unit& unit) const;
  /// Of a unit that is an end if it is childless, and is: `result` where the list that it became
  /// has no items, `canceled` where a step that it leads to is, else `none`.
  chain_end childless_end(const chain_unit& unit, bool no_items) const;

  /// From the first unit of the item to this one. Empty where the database has lost one of them.
  std::vector<const chain_unit*> path_to(const chain_unit& unit) const;

  /// Whether the unit judges the result of its parent.
  bool is_review(const chain_unit& unit) const;
  /// Whether the unit is a batch.
  bool is_batch(const chain_unit& unit) const;
  /// Whether it was made from one item of the list that is the result of its parent.
  bool is_list_item(const chain_unit& unit) const;
  /// The step of the unit; null where its version has none.
  const step_definition* definition_of(const chain_unit& unit) const;
  const std::string& key_of(const chain_unit& unit) const;

private:
  std::optional<std::uint32_t> position_of(const step_id& step) const;
  const way* way_of(const chain_unit& unit) const;
  bool leads_to_canceled(const way& taken) const;
  bool is_superseded(const chain_unit& unit) const;

  const versioned_workflow& workflow_;
  const std::vector<step_row>& steps_;
  std::unordered_map<unit_id, chain_unit> units_;
};

} // namespace holdfast::core
