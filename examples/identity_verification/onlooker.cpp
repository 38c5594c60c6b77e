#include "examples/identity_verification/onlooker.hpp"

#include <algorithm>

namespace identity {

namespace {

/// Whether `to` comes after `from`, with any number of states between them.
bool may_reach(state from, state to) {
  const auto& next = next_states(from);
  return std::any_of(next.begin(), next.end(),
                     [&](state s) { return s == to || may_reach(s, to); });
}

bool is_last(const std::string& status) { return status != "QUEUED" && status != "EXECUTING"; }

} // namespace

bool biography::ended() const { return !status.empty() && is_last(status); }

onlooker::onlooker(client::connection& node, core::queue_name queue,
                   const simulated_service& service, const std::vector<core::task_id>& who,
                   std::uint64_t seed)
    : node_(node), service_(service), receiver_(*this, std::move(queue), "callbacks", seed) {
  for (const auto& id : who)
    seen_[id];
}

core::failure onlooker::look(core::instant (*now)()) {
  at_work_ = 0;
  for (auto& [who, life] : seen_) {
    if (life.ended())
      continue;
    const auto view = ask(msg::get_task{who});
    if (!view)
      return view.error();
    note(who, *view, now());
  }
  deliver_due(now);
  return {};
}

std::size_t onlooker::ended() const {
  return static_cast<std::size_t>(std::count_if(
      seen_.begin(), seen_.end(), [](const auto& entry) { return entry.second.ended(); }));
}

void onlooker::note(const core::task_id& who, const msg::task_view& view, core::instant now) {
  auto& life = seen_.at(who);
  life.status = view.status;
  life.crashes = std::max(life.crashes, view.crashes);
  at_work_ += view.status == "EXECUTING" ? 1U : 0U;
  const auto v = verification_of(view.state, view.data);
  if (!v) {
    objections_.push_back(core::to_string(who) + ": " + v.error().detail);
    return;
  }
  const auto at = state_of(*v);
  if (life.path.empty() || life.path.back().second != at) {
    if (!life.path.empty() && !may_reach(life.path.back().second, at))
      objections_.push_back(core::to_string(who) + ": went back to " + view.state);
    life.path.emplace_back(now, at);
  }
  life.findings = v->findings;
  if (const auto* asked = waits_for(*v))
    plan_callbacks(who, asked->tracking);
}

void onlooker::plan_callbacks(const core::task_id& who, const std::string& tracking) {
  if (!jobs_.emplace(tracking, who).second)
    return;
  for (const auto at : service_.callbacks(tracking))
    due_.emplace(at, tracking);
}

void onlooker::deliver_due(core::instant (*now)()) {
  while (!due_.empty() && due_.begin()->first <= now()) {
    const auto tracking = due_.begin()->second;
    due_.erase(due_.begin());
    ++callbacks_[receiver_.receive(jobs_.at(tracking), {tracking, service_.finding(tracking)},
                                   now())];
  }
}

core::outcome<msg::task_view> onlooker::ask(const msg::get_task& request) {
  return node_.ask<msg::task_view>(request);
}

core::outcome<msg::leased_tasks> onlooker::ask(const msg::eject_task& request) {
  return node_.ask<msg::leased_tasks>(request);
}

core::outcome<msg::task_outcome> onlooker::ask(const msg::release_task& request) {
  return node_.ask<msg::task_outcome>(request);
}

} // namespace identity
