#include "actors/supervisor.hpp"

#include "actors/actor_guard.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<supervisor_state>*;

void start(self_ptr self, std::size_t index) {
  auto& st = self->state;
  const auto& child = st.spec.children[index];
  auto actor = child.start(self, st.running);
  self->monitor(actor);
  st.running[child.name] = actor;
}

void end_child(self_ptr self, std::size_t index) {
  auto& st = self->state;
  const auto found = st.running.find(st.spec.children[index].name);
  if (found == st.running.end())
    return;
  // It may have been told already, for a sibling that failed before.
  if (std::find(st.ending.begin(), st.ending.end(), found->first) != st.ending.end())
    return;
  st.ending.push_back(found->first);
  self->send_exit(found->second, caf::exit_reason::user_shutdown);
}

void close(self_ptr self, caf::error reason) {
  auto& st = self->state;
  if (st.closing)
    return;
  st.closing = true;
  st.close_reason = std::move(reason);
  st.to_start.clear();
  st.ending.clear();
  for (auto i = st.spec.children.size(); i-- > 0;)
    end_child(self, i);
  if (st.running.empty())
    self->quit(st.close_reason);
}

/// All that had to end has ended: start what is to be started, or end.
void go_on(self_ptr self) {
  auto& st = self->state;
  if (!st.ending.empty())
    return;
  if (st.closing) {
    if (st.running.empty())
      self->quit(st.close_reason);
    return;
  }
  const auto to_start = std::move(st.to_start);
  st.to_start.clear();
  for (const auto index : to_start)
    start(self, index);
}

void on_down(self_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto found = std::find_if(st.running.begin(), st.running.end(), [&](const auto& child) {
    return child.second.address() == down.source;
  });
  if (found == st.running.end())
    return;
  const auto name = found->first;
  st.running.erase(found);
  const auto awaited = std::find(st.ending.begin(), st.ending.end(), name);
  if (awaited != st.ending.end()) {
    st.ending.erase(awaited);
    return go_on(self);
  }
  if (st.closing)
    return go_on(self);
  const auto& children = st.spec.children;
  const auto index = static_cast<std::size_t>(
      std::find_if(children.begin(), children.end(), [&](const auto& c) { return c.name == name; })
      - children.begin());
  const bool crashed = static_cast<bool>(down.reason);
  // A full writer says nothing against the child.
  const bool overloaded = msg::failure_of(down.reason).code == core::errc::overloaded;
  core::restart_history uncounted;
  auto intensity = st.spec.intensity;
  if (overloaded)
    intensity.restarts_max = std::max(intensity.restarts_max, 1U);
  const auto verdict = core::judge(st.spec.strategy, children[index].kind, intensity,
                                   overloaded ? uncounted : st.history, children.size(), index,
                                   crashed, now(self, st.context));
  st.context->log(log_level::warning, "child_down",
                  {{"supervisor", st.spec.name},
                   {"child", name},
                   {"reason", caf::to_string(down.reason)},
                   {"action", verdict.escalate          ? "escalate"
                              : verdict.started.empty() ? "none"
                                                        : "restart"}});
  if (verdict.escalate)
    return close(self, down.reason);
  for (const auto stopped : verdict.stopped)
    end_child(self, stopped);
  for (const auto started : verdict.started)
    if (std::find(st.to_start.begin(), st.to_start.end(), started) == st.to_start.end())
      st.to_start.push_back(started);
  std::sort(st.to_start.begin(), st.to_start.end());
  go_on(self);
}

} // namespace

caf::behavior supervisor(caf::stateful_actor<supervisor_state>* self, context_ptr context,
                         supervisor_spec spec) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.spec = std::move(spec);
  self->set_down_handler([=](const caf::down_msg& down) { on_down(self, down); });
  self->set_exit_handler([=](caf::exit_msg& exit) { close(self, std::move(exit.reason)); });
  for (std::size_t i = 0; i < self->state.spec.children.size(); ++i)
    start(self, i);
  return {
      [=](const find_child& question) -> caf::result<child_found> {
        const auto found = self->state.running.find(question.name);
        if (found == self->state.running.end())
          return msg::to_error(core::errc::not_found, "no child '" + question.name + "' runs");
        return child_found{found->second};
      },
  };
}

} // namespace holdfast::actors
