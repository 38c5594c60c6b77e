// The part of `memory_store` that is about surveys of a step's judgments.

#include "persistence/memory_store.hpp"
#include "persistence/unreadable_judgments.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace holdfast::persistence {

core::outcome<survey_material> memory_store::load_survey(core::step_id step, double sure,
                                                         std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  survey_material material;
  std::vector<const memory::judgment_row*> counted;
  const auto [begin, end] = memory::rows_of(t.units_by_ordinal, step);
  for (auto entry = begin; entry != end; ++entry) {
    const auto& unit = t.units.at(entry->second);
    if (!unit.made.truth.empty())
      continue;
    const auto before = counted.size();
    const auto [first, last] = memory::rows_of(t.judgments, unit.made.id);
    for (auto row = first; row != last; ++row)
      if (!row->second.tainted_at)
        counted.push_back(&row->second);
    if (unit.state != core::unit_state::finalized)
      continue;
    auto& finished = material.finished[unit.made.version];
    ++finished.units;
    finished.judgments += counted.size() - before;
    finished.unsure += unit.confidence < sure ? 1 : 0;
  }
  std::sort(counted.begin(), counted.end(), [](const auto* a, const auto* b) {
    return std::tie(a->made.submitted_at, a->made.id) < std::tie(b->made.submitted_at, b->made.id);
  });
  const auto skipped = counted.size() - std::min<std::size_t>(counted.size(), limit);
  for (auto row = counted.begin() + static_cast<std::ptrdiff_t>(skipped); row != counted.end();
       ++row) {
    const auto& made = (*row)->made;
    core::step_history::unreadable lost{core::step_history::unreadable::row::vote, made.owner,
                                        made.unit, memory::row_is_damaged};
    if (database_->damaged_history_ && database_->damaged_history_(lost)) {
      material.unreadable.push_back(std::move(lost));
      continue;
    }
    material.judgments.push_back({made.owner, made.unit, made.answer,
                                  made.submitted_at - (*row)->lease.granted_at,
                                  std::hash<std::string>{}(made.payload)});
  }
  if (auto problem = too_many_unreadable(material.unreadable))
    return *problem;
  return material;
}

} // namespace holdfast::persistence
