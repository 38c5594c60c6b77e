// The part of `memory_store` that is about objects which rows refer to.

#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

namespace {

/// Enters the object that a text refers to, if it is one that was asked for.
void enter_ref(const std::string& text, const std::set<core::digest>& asked,
               std::set<core::digest>& found) {
  if (const auto ref = core::parse_object_ref(text); ref && asked.count(ref->content) != 0)
    found.insert(ref->content);
}

} // namespace

core::outcome<std::set<core::digest>>
memory_store::find_object_refs(const std::vector<core::digest>& objects) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const std::set<core::digest> asked{objects.begin(), objects.end()};
  std::set<core::digest> found;
  const auto enter_task = [&](const memory::live_task_row& row) {
    for (const auto* text : {&row.spec.body, &row.progress.data, &row.progress.execution_state})
      enter_ref(*text, asked, found);
  };
  const auto& t = database_->tables_;
  for (const auto& [id, row] : t.tasks)
    enter_task(row);
  for (const auto& [id, row] : t.finished_tasks) {
    enter_task(row.task);
    enter_ref(row.result, asked, found);
  }
  for (const auto& late : t.late_results)
    enter_ref(late.detail, asked, found);
  for (const auto& [id, row] : t.units)
    enter_ref(row.made.input, asked, found);
  for (const auto& [key, row] : t.judgments)
    enter_ref(row.made.payload, asked, found);
  for (const auto& [key, surplus] : t.surplus_judgments)
    enter_ref(surplus.payload, asked, found);
  for (const auto& [key, kept] : t.judgment_corrections)
    enter_ref(kept.payload, asked, found);
  return found;
}

} // namespace holdfast::persistence
