// The part of `memory_store` that is about corrections.

#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

core::outcome<std::vector<core::correction_row>>
memory_store::load_corrections(core::step_id step, core::unit_id unit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<core::correction_row> found;
  const auto [begin, end] = memory::rows_of(database_->tables_.corrections, unit);
  for (auto entry = begin; entry != end; ++entry)
    if (entry->second.step == step)
      found.push_back(entry->second);
  return found;
}

core::outcome<std::vector<kept_payload>>
memory_store::load_judgment_corrections(core::unit_id unit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<kept_payload> found;
  for (const auto& [key, kept] : database_->tables_.judgment_corrections)
    if (kept.unit == unit)
      found.push_back(kept);
  return found;
}

} // namespace holdfast::persistence
