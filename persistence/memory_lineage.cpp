// The part of `memory_store` that is about what became of an item.

#include "persistence/memory_store.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace holdfast::persistence {

namespace {

using memory::tables;

unit_history read_unit(const memory::unit_row& row) {
  const auto& made = row.made;
  unit_history unit;
  unit.id = made.id;
  unit.parent = made.parent;
  unit.step = made.step;
  unit.source_key = made.source_key;
  unit.input = made.input;
  unit.state = row.state;
  unit.slots = made.slots;
  unit.loops = made.loops;
  unit.part = made.part;
  unit.reopened = row.reopened;
  unit.test_question = !made.truth.empty();
  unit.created_at = made.created_at;
  unit.changed_at = row.changed_at;
  unit.result = row.result.value_or(std::string{});
  unit.confidence = row.confidence;
  unit.route = row.route;
  unit.route_reason = row.route_reason;
  unit.excluded = made.excluded;
  std::sort(unit.excluded.begin(), unit.excluded.end());
  unit.version = made.version;
  unit.batch = row.batch;
  return unit;
}

void append_leases(const tables& t, unit_history& unit) {
  const auto [active, active_end] = memory::rows_of(t.active_leases, unit.id);
  for (auto row = active; row != active_end; ++row)
    unit.leases.push_back({row->second, {}, {}});
  const auto [ended, ended_end] = memory::rows_of(t.ended_leases, unit.id);
  for (auto row = ended; row != ended_end; ++row)
    unit.leases.push_back({row->second.lease, row->second.how, row->second.at});
  const auto [judged, judged_end] = memory::rows_of(t.judgments, unit.id);
  for (auto row = judged; row != judged_end; ++row)
    unit.leases.push_back({row->second.lease, {}, row->second.made.submitted_at});
  std::sort(unit.leases.begin(), unit.leases.end(),
            [](const auto& a, const auto& b) { return a.lease.token < b.lease.token; });
}

/// The same unit when its row is damaged.
void hide_texts(unit_history& unit) {
  for (auto* text : {&unit.source_key, &unit.input, &unit.result, &unit.route_reason})
    text->clear();
  unit.unreadable = memory::row_is_damaged;
}

using damage_rule = std::function<bool(const core::step_history::unreadable&)>;

void mark_damaged(unit_history& unit, const damage_rule& is_damaged) {
  for (auto& judgment : unit.judgments)
    if (!judgment.surplus
        && is_damaged(
            {core::step_history::unreadable::row::vote, judgment.contributor, unit.id, {}})) {
      judgment.payload.clear();
      judgment.answer.clear();
      judgment.unreadable = memory::row_is_damaged;
    }
}

void append_judgments(const tables& t, unit_history& unit) {
  struct entry {
    const core::insert_judgment* made;
    std::optional<core::instant> tainted_at;
    bool late;
    bool surplus;
  };
  std::vector<entry> entries;
  const auto [begin, end] = memory::rows_of(t.judgments, unit.id);
  for (auto row = begin; row != end; ++row)
    entries.push_back({&row->second.made, row->second.tainted_at, row->second.late, false});
  const auto [kept, kept_end] = memory::rows_of(t.surplus_judgments, unit.id);
  for (auto row = kept; row != kept_end; ++row)
    entries.push_back({&row->second, {}, true, true});
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.made->submitted_at, a.made->token)
           < std::tie(b.made->submitted_at, b.made->token);
  });
  for (const auto& e : entries)
    unit.judgments.push_back({e.made->id, e.made->owner, e.made->payload, e.made->answer,
                              e.made->trust_snapshot, e.made->submitted_at, e.tainted_at,
                              // What never counted is no verdict on anybody.
                              e.surplus ? std::nullopt : e.made->test_correct, e.late, e.surplus,
                              e.made->trust_questions});
}

} // namespace

core::outcome<item_history> memory_store::load_lineage(core::unit_id unit, core::unit_id after,
                                                       std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto known = t.units.find(unit);
  if (known == t.units.end())
    return core::failure{core::errc::not_found, "no such unit"};
  const auto root = known->second.made.root;
  std::set<std::pair<core::instant, core::unit_id>> order;
  for (const auto& [id, row] : t.units)
    if (row.made.root == root)
      order.insert({row.made.created_at, id});
  auto at = order.begin();
  if (after) {
    const auto place = t.units.find(after);
    if (place == t.units.end() || place->second.made.root != root)
      return core::failure{core::errc::not_found, "no such unit in the item"};
    at = order.upper_bound({place->second.made.created_at, after});
  }
  item_history item{root, {}};
  for (; at != order.end() && item.units.size() < limit; ++at) {
    item.units.push_back(read_unit(t.units.at(at->second)));
    if (database_->damaged_units_ && database_->damaged_units_(at->second))
      hide_texts(item.units.back());
    append_leases(t, item.units.back());
    append_judgments(t, item.units.back());
    if (database_->damaged_history_)
      mark_damaged(item.units.back(), database_->damaged_history_);
  }
  return item;
}

} // namespace holdfast::persistence
