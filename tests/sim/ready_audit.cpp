#include "tests/sim/ready_audit.hpp"

#include "actors/step_state.hpp"
#include "core/object_ref.hpp"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;
namespace memory = persistence::memory;

/// Two sweeps of the nodes here, 5 s apart, and reading what the second one found.
constexpr core::duration ready_bound = 11s;

struct slots {
  std::uint32_t free = 0;
  bool full = false; ///< All are judged.
};

slots stored_slots(const memory::tables& t, const memory::unit_row& row) {
  const auto& id = row.made.id;
  std::uint32_t leased = 0;
  for (auto lease = t.active_leases.lower_bound({id, {}});
       lease != t.active_leases.end() && lease->first.first == id; ++lease)
    ++leased;
  std::uint32_t judged = 0;
  for (auto judgment = t.judgments.lower_bound({id, {}});
       judgment != t.judgments.end() && judgment->first.first == id; ++judgment)
    judged += judgment->second.tainted_at ? 0 : 1;
  const auto taken = leased + judged;
  return {row.made.slots > taken ? row.made.slots - taken : 0, judged >= row.made.slots};
}

/// As the unit itself sees it, whose decisions may not be stored yet.
slots live_slots(const core::unit& unit) {
  return {core::free_slots(unit), core::ready_to_aggregate(unit)};
}

template <class State>
const State* state_of(const caf::abstract_actor* actor) {
  const auto* found = dynamic_cast<const caf::stateful_actor<State>*>(actor);
  return found == nullptr || found->getf(caf::abstract_actor::is_terminated_flag) ? nullptr
                                                                                  : &found->state;
}

/// What is wrong with a unit at this moment, if anything is.
const char* fault_of(const actors::step_state& step, const memory::tables& t,
                     const memory::unit_row& row) {
  const auto& id = row.made.id;
  // Offered at this moment; damaged, and told so in the log; not there yet, or not any more.
  if (step.reserved.count(id) != 0 || step.unreadable.count(id) != 0)
    return nullptr;
  auto now = stored_slots(t, row);
  if (const auto live = step.live.find(id); live != step.live.end()) {
    const auto actor = caf::actor_cast<caf::strong_actor_ptr>(live->second.actor);
    if (const auto* unit = state_of<actors::unit_state>(actor->get()))
      now = live_slots(unit->unit);
  }
  if (now.free > 0 && step.ready.free_slots(id) == 0)
    return "a unit with a free slot is offered to nobody";
  // What a lost input keeps from its way is tried again for ever.
  if (now.full && step.ready.contains(id) && !core::begins_like_object_ref(row.made.input))
    return "a unit that has all its judgments is not aggregated";
  return nullptr;
}

} // namespace

void ready_auditor::look(const std::vector<caf::strong_actor_ptr>& actors,
                         const std::set<core::incarnation_id>& able, core::instant now) {
  std::map<place, core::instant> still;
  for (const auto& actor : actors) {
    const auto* step = state_of<actors::step_state>(actor->get());
    if (step == nullptr || !step->loaded)
      continue;
    const auto& mine = step->context->settings.incarnation;
    if (able.count(mine) == 0 || t_.shards.at(step->identity.shard).host != mine)
      continue;
    if (t_.steps.at(step->identity.step()).row.status == core::step_status::canceled)
      continue;
    const auto [begin, end] = memory::rows_of(t_.units_by_ordinal, step->identity.step());
    for (auto entry = begin; entry != end; ++entry) {
      const auto& row = t_.units.at(entry->second);
      if (row.state != core::unit_state::judgable || !row.made.truth.empty())
        continue;
      const auto* fault = fault_of(*step, t_, row);
      if (fault == nullptr)
        continue;
      const place at{actor->id(), entry->second};
      const auto known = since_.find(at);
      const auto since = known == since_.end() ? now : known->second;
      still.emplace(at, since);
      if (now - since > ready_bound)
        blame_("I-10", std::string{fault} + " since " + std::to_string(core::to_micros(since))
                           + " us\n    unit " + to_string(entry->second) + ", key "
                           + row.made.source_key);
    }
  }
  since_ = std::move(still);
}

} // namespace holdfast::sim
