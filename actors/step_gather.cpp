#include "actors/step_state.hpp"

#include "core/object_ref.hpp"
#include "core/workflow.hpp"
#include "documents/json.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::actors {

namespace {

/// How often the step itself tries again to read the units of a batch. After that it is tried
/// whenever the node looks after what is late, which is seldom enough for what may never end.
constexpr std::uint32_t gather_tries_max = 10;

/// Another node has made a batch of them, which this one has not yet heard: its memory of the step
/// is out of date. The step is started again and reads itself anew, where it is still hosted here.
void read_anew(step_ptr self) {
  self->quit(
      msg::to_error(core::errc::unavailable,
                    "units that waited for a batch are part of one that was made elsewhere"));
}

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
void put_off(step_ptr self, const core::failure& why) {
  auto& st = self->state;
  st.context->log(log_level::warning, "batch_put_off",
                  {{"step", to_string(st.identity.step())}, {"reason", why.detail}});
  if (st.gather_tries < gather_tries_max)
    self->delayed_send(self, retry_pause(st.context, ++st.gather_tries), gather_tick{});
  regrouped(self);
}

/// One of them is damaged, or its input is lost, which somebody has to mend. This batch alone waits
/// for that.
void set_aside(step_ptr self, const core::batch& due, const core::failure& why) {
  auto& st = self->state;
  const auto rest = st.waiting->put_off(due.members, why.detail, now(self, st.context));
  if (rest.times == 1) // explanations tell of the other times
    st.context->log(log_level::error, "batch_set_aside",
                    {{"step", to_string(st.identity.step())},
                     {"first_unit", to_string(due.members.front())},
                     {"units", std::to_string(due.members.size())},
                     {"reason", why.detail}});
  regrouped(self);
  gather_when_due(self);
}

/// Looks again when the next of those that were set aside is to be tried.
void arm_wake(step_ptr self) {
  auto& st = self->state;
  const auto next = st.waiting->next_wake();
  if (next >= st.wake_at)
    return;
  st.wake_at = next;
  self->delayed_send(self, std::max(core::duration::zero(), next - now(self, st.context)),
                     try_again{[=] {
                       if (self->state.wake_at != next)
                         return;
                       self->state.wake_at = core::instant::max();
                       gather_when_due(self);
                     }});
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
  st.gather_tries = 0;
  const auto& mine = *st.workflow.find(batch->due.version, st.step.row.position);
  std::vector<core::unit_id> ids;
  for (const auto& member : batch->members)
    ids.push_back(member.id);
  auto decided =
      core::gather(st.step, batch->members, std::move(batch->input), core::first_slots(mine),
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
                   put_off(self, why);
                 else
                   make_batch(self, batch);
               });
}

/// What waits must not be left out: a lost input is asked for until it is there again.
void with_inputs(step_ptr self, const batch_ptr& batch) {
  std::vector<std::string*> inputs;
  for (auto& member : batch->members)
    inputs.push_back(&member.input);
  get_payloads(self, self->state.links.objects, inputs, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 const auto lost = std::find_if(outcomes.begin(), outcomes.end(), is_lost);
                 if (lost != outcomes.end()) {
                   const auto& unit =
                       batch->members[static_cast<std::size_t>(lost - outcomes.begin())].id;
                   return set_aside(
                       self, batch->due,
                       {lost->code, "the input of unit " + to_string(unit) + ": " + lost->detail});
                 }
                 const auto why = first_failure(outcomes);
                 if (why.code == core::errc::none)
                   join_and_store(self, batch);
                 else
                   put_off(self, why);
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
  st.waiting->wake(now(self, st.context));
  arm_wake(self);
  const auto due = st.waiting->due(st.step.row.sealed);
  if (!due)
    return;
  st.regrouping = true;
  read_units(self, due->members)
      .then(
          [=](std::vector<core::unit_record>& units) {
            const auto waits = [&](const auto& unit) {
              return core::waits_for_batch(unit, due->version);
            };
            if (!std::all_of(units.begin(), units.end(), waits))
              return read_anew(self);
            with_inputs(self, std::make_shared<batch_to_be>(
                                  batch_to_be{*due, in_order(due->members, std::move(units))}));
          },
          [=](const core::failure& why) {
            if (core::describe(why.code).retryable)
              return put_off(self, why);
            set_aside(self, *due, why);
          });
}

} // namespace holdfast::actors
