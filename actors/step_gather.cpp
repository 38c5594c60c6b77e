#include "actors/step_state.hpp"

#include "core/workflow.hpp"
#include "documents/json.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::actors {

namespace {

/// How long a batch waits after the database could not be asked for what it is made of.
constexpr core::duration gather_retry_after = std::chrono::seconds{1};

/// What the units of a batch were made durable as, in its order.
std::vector<core::unit_record> in_order(const std::vector<core::unit_id>& members,
                                        std::vector<core::unit_record> loaded) {
  std::unordered_map<core::unit_id, std::size_t> place;
  for (std::size_t i = 0; i < members.size(); ++i)
    place.emplace(members[i], i);
  std::sort(loaded.begin(), loaded.end(),
            [&](const auto& a, const auto& b) { return place.at(a.id) < place.at(b.id); });
  return loaded;
}

documents::batch_data data_of(step_ptr self, std::uint32_t version) {
  const auto& workflow = self->state.workflow;
  const auto here = self->state.step.row.position;
  const bool in_common = workflow.find(version, here)->gather->by == core::gather_by::list
                         && !workflow.data_apart(version, here);
  return in_common ? documents::batch_data::in_common : documents::batch_data::of_each;
}

void make_batch(step_ptr self, const core::batch& due, std::vector<core::unit_record> members) {
  auto& st = self->state;
  const auto& mine = *st.workflow.find(due.version, st.step.row.position);
  members = in_order(due.members, std::move(members));
  std::vector<std::string_view> inputs;
  for (const auto& member : members)
    inputs.push_back(member.input);
  auto joined = documents::gathered_input(inputs, data_of(self, due.version),
                                          st.context->settings.json.bytes_max);
  members.resize(joined.units);
  std::vector<core::unit_id> ids;
  for (const auto& member : members)
    ids.push_back(member.id);
  auto decided = core::gather(st.step, members, std::move(joined.input), core::first_slots(mine),
                              st.ids, now(self, st.context), judging_tasks(self));
  if (decided.refusal != core::errc::none)
    return regrouped(self); // the step was canceled: nothing more becomes of them
  st.waiting->remove(ids);
  write(self, std::move(decided.changes),
        [self, made = std::move(decided.answer)](const core::failure& why) {
          if (why.code != core::errc::none)
            return;
          enter_unit(self, summary_of(made));
          regrouped(self);
          gather_when_due(self);
        });
}

} // namespace

void note_waiting(step_ptr self, const core::unit_record& unit) {
  self->state.waiting->add({unit.id, unit.ordinal, unit.version, unit.list, unit.input.size()});
}

void restore_waiting(step_ptr self, const std::vector<core::waiting_unit>& units) {
  auto& st = self->state;
  st.waiting.emplace([self](std::uint32_t version) -> const core::gather_policy* {
    const auto& mine = self->state;
    const auto* step = mine.workflow.find(version, mine.step.row.position);
    return step != nullptr && step->gather ? &*step->gather : nullptr;
  });
  for (const auto& unit : units)
    st.waiting->add(unit);
}

void when_gathering_rests(step_ptr self, std::function<void()> regroup) {
  auto& st = self->state;
  if (st.regrouping)
    return st.to_regroup.push_back(std::move(regroup));
  st.regrouping = true;
  regroup();
}

void regrouped(step_ptr self) {
  auto& st = self->state;
  st.regrouping = !st.to_regroup.empty();
  if (!st.regrouping)
    return;
  const auto next = std::move(st.to_regroup.front());
  st.to_regroup.erase(st.to_regroup.begin());
  next();
}

void gather_when_due(step_ptr self) {
  auto& st = self->state;
  if (!st.loaded || st.regrouping || st.step.row.status == core::step_status::canceled)
    return;
  const auto due = st.waiting->due(st.step.row.sealed);
  if (!due)
    return;
  st.regrouping = true;
  self->request(st.links.loader, internal_timeout, load_units{due->members, leases_of(st)})
      .then([=](units_loaded& loaded) { make_batch(self, *due, std::move(loaded.units)); },
            [=](const caf::error& error) {
              regrouped(self);
              self->state.context->log(log_level::warning, "batch_put_off",
                                       {{"step", to_string(self->state.identity.step())},
                                        {"reason", msg::failure_of(error).detail}});
              self->delayed_send(self, gather_retry_after, gather_tick{});
            });
}

} // namespace holdfast::actors
