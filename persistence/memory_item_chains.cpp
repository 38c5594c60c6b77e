// The part of `memory_store` that reads the trees of units of many items at once.

#include "persistence/memory_store.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::persistence {

namespace {

core::chain_unit to_chain_unit(const memory::tables& t, const memory::unit_row& row) {
  const auto& made = row.made;
  core::chain_unit unit;
  unit.id = made.id;
  unit.parent = made.parent;
  unit.root = made.root;
  unit.step = made.step;
  unit.state = row.state;
  unit.version = made.version;
  unit.loops = made.loops;
  unit.part = made.part;
  unit.reopened = row.reopened;
  unit.ungathered = row.ungathered;
  unit.parent_reopened = made.parent_reopened;
  unit.slots = made.slots;
  unit.route = row.route;
  unit.batch = row.batch;
  if (row.batch)
    unit.batch_root = t.units.at(row.batch).made.root;
  unit.confidence = row.confidence;
  unit.created_at = made.created_at;
  unit.changed_at = row.changed_at;
  unit.input_bytes = made.input.size();
  unit.result_bytes = row.result ? row.result->size() : 0;
  return unit;
}

} // namespace

core::outcome<chain_page> memory_store::list_chains(core::step_id first,
                                                    const core::result_place& after,
                                                    std::uint32_t ordinals, std::uint32_t units) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto from = after.unit ? after.ordinal : after.ordinal + 1;
  const auto through = from - 1 + ordinals;
  const auto end = t.units_by_ordinal.lower_bound({first, INT64_MAX});
  std::map<core::unit_id, std::uint64_t> roots;
  for (auto at = t.units_by_ordinal.lower_bound({first, from});
       at != end && at->first.second <= through; ++at) {
    const auto& made = t.units.at(at->second).made;
    if (!made.parent && made.truth.empty())
      roots.emplace(made.id, at->first.second);
  }
  std::map<std::pair<std::uint64_t, core::unit_id>, const memory::unit_row*> order;
  for (const auto& [id, row] : t.units)
    if (const auto root = roots.find(row.made.root);
        root != roots.end() && (root->second > from || after.unit < id))
      order.emplace(std::pair{root->second, id}, &row);
  chain_page page;
  for (const auto& [place, row] : order) {
    if (page.units.size() == units)
      break;
    page.units.push_back(to_chain_unit(t, *row));
    page.units.back().ordinal = place.first;
  }
  const auto begin = t.units_by_ordinal.lower_bound({first, 0});
  const auto ends_with = begin == end ? 0 : std::prev(end)->first.second;
  const bool is_cut = page.units.size() == units;
  if (is_cut)
    page.last = {page.units.back().ordinal, page.units.back().id};
  else
    page.last = {std::max(after.ordinal, std::min(through, ends_with)), {}};
  page.more = is_cut || page.last.ordinal < ends_with;
  return page;
}

core::outcome<std::vector<core::chain_unit>>
memory_store::load_chain_units(const std::vector<core::unit_id>& units) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::vector<core::chain_unit> found;
  for (const auto& unit : units)
    if (const auto row = t.units.find(unit); row != t.units.end())
      found.push_back(to_chain_unit(t, row->second));
  return found;
}

core::outcome<std::set<core::unit_id>>
memory_store::find_parents_in(const std::vector<core::unit_id>& units) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::set<core::unit_id> found;
  for (const auto& unit : units) {
    const auto row = t.units.find(unit);
    if (row == t.units.end())
      continue;
    for (auto child = t.children.lower_bound({unit, {}, 0, 0});
         child != t.children.end() && std::get<0>(*child) == unit; ++child)
      if (std::get<3>(*child) == row->second.reopened)
        found.insert(unit);
  }
  return found;
}

core::outcome<std::map<core::unit_id, chain_texts>>
memory_store::load_chain_texts(const std::vector<core::unit_id>& units,
                               const std::set<core::unit_id>& inputs) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::map<core::unit_id, chain_texts> found;
  for (const auto& unit : units) {
    const auto row = t.units.find(unit);
    if (row == t.units.end())
      continue;
    auto& texts = found[unit];
    if (database_->damaged_units_ && database_->damaged_units_(unit)) {
      texts.unreadable = memory::row_is_damaged;
      continue;
    }
    texts.source_key = row->second.made.source_key;
    texts.result = row->second.result.value_or(std::string{});
    if (inputs.count(unit) > 0)
      texts.input = row->second.made.input;
  }
  return found;
}

core::outcome<std::map<core::unit_id, chain_judges>>
memory_store::load_chain_judges(const std::vector<core::unit_id>& units) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::map<core::unit_id, chain_judges> found;
  for (const auto& unit : units) {
    const auto [begin, end] = memory::rows_of(t.judgments, unit);
    for (auto row = begin; row != end; ++row)
      if (!row->second.tainted_at)
        found[unit].contributors.push_back(row->second.made.owner);
    if (const auto judged = found.find(unit); judged != found.end())
      std::sort(judged->second.contributors.begin(), judged->second.contributors.end());
  }
  return found;
}

} // namespace holdfast::persistence
