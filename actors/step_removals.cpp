#include "actors/step_state.hpp"

#include <algorithm>
#include <vector>

namespace holdfast::actors {

namespace {

/// But for test questions: what is said to these was never left out.
std::vector<core::unit_id> units_left_by(const step_state& st,
                                         const core::contributor_id& contributor) {
  auto units = st.ready.touched_by(contributor);
  units.erase(std::remove_if(units.begin(), units.end(),
                             [&](const auto& unit) { return st.board->is_question(unit); }),
              units.end());
  return units;
}

} // namespace

void follow_removal(step_ptr self, const core::contributor_id& contributor, bool touched) {
  auto& st = self->state;
  const auto at = now(self, st.context);
  const auto step = st.identity.step();
  const auto active = removal_of(self, contributor);
  touched = touched || st.held.count(contributor) != 0 || !st.ready.touched_by(contributor).empty();
  auto decided = st.board->follow(
      contributor, active, st.context->removals.reinstated_at(contributor, step), touched, at);
  if (!decided.changes.empty())
    write(self, std::move(decided.changes), [](const core::failure&) {});
  if (decided.answer == core::contributor_board::followed::removed) {
    carry_out_removal(self, contributor);
  } else if (decided.answer == core::contributor_board::followed::reinstated) {
    st.context->log(log_level::info, "contributor_reinstated",
                    {{"step", to_string(step)}, {"contributor", contributor}});
    reinstate(self, contributor, units_left_by(st, contributor));
    note_vacancy(self);
  } else if (active && active->keeps_judgments) {
    end_leases_of(self, contributor);
  }
}

std::optional<core::removal> removal_of(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  return st.context->removals.of(contributor, st.identity.step(), st.step.row.workflow,
                                 now(self, st.context));
}

void heed_removals(step_ptr self) {
  auto& st = self->state;
  const auto& known = st.context->removals;
  if (!st.loaded || !known.is_read())
    return;
  const auto generation = known.generation();
  if (st.removals_seen && *st.removals_seen == generation)
    return;
  const auto changed = known.changed_since(st.removals_seen.value_or(0));
  st.removals_seen = generation;
  for (const auto& contributor : changed)
    follow_removal(self, contributor, false);
}

void heed_ended_removals(step_ptr self) {
  heed_removals(self);
  auto& st = self->state;
  if (!st.loaded || !st.context->removals.is_read())
    return;
  const auto all = st.board->removed_by_removals(); // which changes meanwhile
  for (const auto& contributor : all)
    if (const auto active = removal_of(self, contributor); !active || active->keeps_judgments)
      follow_removal(self, contributor, false);
}

bool may_not_work(step_ptr self, const core::contributor_id& contributor) {
  return self->state.board->removed(contributor) || removal_of(self, contributor);
}

bool refused_as_removed(step_ptr self, const held_promise& promise,
                        const core::contributor_id& contributor) {
  const auto active = removal_of(self, contributor);
  if (active)
    refuse(self, promise, {core::errc::not_qualified, core::text_for_contributor(*active)});
  else if (self->state.board->removed_by_removals().count(contributor) != 0)
    heed_ended_removals(self);
  return active.has_value();
}

} // namespace holdfast::actors
