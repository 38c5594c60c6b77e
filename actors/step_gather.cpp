#include "actors/step_state.hpp"

#include "core/object_ref.hpp"
#include "core/workflow.hpp"
#include "documents/json.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace holdfast::actors {

namespace {

/// How long a batch waits after the database, or the object store, could not be asked for what it
/// is made of.
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

/// Tries again later.
void put_off(step_ptr self, log_level level, const std::string& event, const core::failure& why) {
  auto& st = self->state;
  st.making_batch = false;
  st.context->log(level, event, {{"step", to_string(st.identity.step())}, {"reason", why.detail}});
  self->delayed_send(self, gather_retry_after, gather_tick{});
}

/// One that is being made: its members with whole inputs, in its order.
struct batch_to_be {
  core::batch due;
  std::vector<core::unit_record> members;
  std::string input{};
};
using batch_ptr = std::shared_ptr<batch_to_be>;

/// Its input is whole, or stored and a reference.
void make_batch(step_ptr self, const batch_ptr& batch) {
  auto& st = self->state;
  const auto& mine = *st.workflow.find(batch->due.version, st.step.row.position);
  std::vector<core::unit_id> ids;
  for (const auto& member : batch->members)
    ids.push_back(member.id);
  auto decided =
      core::gather(st.step, batch->members, std::move(batch->input), core::first_slots(mine),
                   st.ids, now(self, st.context), judging_tasks(self));
  if (decided.refusal != core::errc::none) {
    st.making_batch = false; // the step was canceled: nothing more becomes of them
    return;
  }
  st.waiting->gathered(ids);
  write(self, std::move(decided.changes),
        [self, made = std::move(decided.answer)](const core::failure& why) {
          if (why.code != core::errc::none)
            return;
          enter_unit(self, summary_of(made));
          self->state.making_batch = false;
          gather_when_due(self);
        });
}

void join_and_store(step_ptr self, const batch_ptr& batch) {
  const auto& settings = self->state.context->settings;
  std::vector<std::string_view> inputs;
  for (const auto& member : batch->members)
    inputs.push_back(member.input);
  auto joined =
      documents::gathered_input(inputs, data_of(self, batch->due.version), settings.json.bytes_max);
  batch->members.resize(joined.units);
  batch->input = std::move(joined.input);
  if (!is_large(settings, batch->input))
    return make_batch(self, batch);
  put_payloads(self, self->state.links.objects, {{&batch->input, &batch->input}},
               [=](const std::vector<core::failure>& outcomes) {
                 if (const auto& why = outcomes.front(); why.code != core::errc::none)
                   put_off(self, log_level::warning, "batch_put_off", why);
                 else
                   make_batch(self, batch);
               });
}

/// A lost input is asked for until it is there again: what waits must not be left out.
void with_inputs(step_ptr self, const batch_ptr& batch) {
  std::vector<std::string*> inputs;
  for (auto& member : batch->members)
    inputs.push_back(&member.input);
  get_payloads(self, self->state.links.objects, inputs, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 const auto why = first_failure(outcomes);
                 if (why.code == core::errc::none)
                   join_and_store(self, batch);
                 else if (is_lost(why))
                   put_off(self, log_level::error, "payload_unreadable", why);
                 else
                   put_off(self, log_level::warning, "batch_put_off", why);
               });
}

} // namespace

void note_waiting(step_ptr self, const core::unit_record& unit) {
  self->state.waiting->add(
      {unit.id, unit.ordinal, unit.version, unit.list, core::payload_bytes(unit.input)});
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

void gather_when_due(step_ptr self) {
  auto& st = self->state;
  if (!st.loaded || st.making_batch || st.step.row.status == core::step_status::canceled)
    return;
  const auto due = st.waiting->due(st.step.row.sealed);
  if (!due)
    return;
  st.making_batch = true;
  self->request(st.links.loader, internal_timeout, load_units{due->members, leases_of(st)})
      .then(
          [=](units_loaded& loaded) {
            with_inputs(self, std::make_shared<batch_to_be>(batch_to_be{
                                  *due, in_order(due->members, std::move(loaded.units))}));
          },
          [=](const caf::error& error) {
            put_off(self, log_level::warning, "batch_put_off", msg::failure_of(error));
          });
}

} // namespace holdfast::actors
