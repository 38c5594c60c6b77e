// The part of `memory_store` that is about bulk actions of queues.

#include "persistence/memory_store.hpp"

#include <algorithm>

namespace holdfast::persistence {

namespace {

/// By falling time of the request.
std::vector<core::queue_action_row> actions_of(const memory::tables& t,
                                               const core::queue_name& queue) {
  std::vector<core::queue_action_row> actions;
  for (auto row = t.queue_actions.lower_bound({queue, {}});
       row != t.queue_actions.end() && row->first.first == queue; ++row)
    actions.push_back(row->second);
  std::stable_sort(actions.begin(), actions.end(), [](const auto& a, const auto& b) {
    return a.asked_at != b.asked_at ? b.asked_at < a.asked_at : b.id < a.id;
  });
  return actions;
}

} // namespace

core::outcome<core::queue_action_row>
memory_store::find_queue_action(const core::queue_name& queue, core::queue_action_id action) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& actions = database_->tables_.queue_actions;
  const auto found = actions.find({queue, action});
  if (found == actions.end())
    return core::failure{core::errc::not_found, "no such action"};
  return found->second;
}

core::outcome<std::vector<core::queue_action_row>>
memory_store::running_queue_actions(const core::queue_name& queue) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  auto actions = actions_of(database_->tables_, queue);
  actions.erase(std::remove_if(actions.begin(), actions.end(),
                               [](const auto& row) {
                                 return row.status != core::queue_action_status::running;
                               }),
                actions.end());
  std::reverse(actions.begin(), actions.end());
  return actions;
}

core::outcome<std::vector<core::queue_action_row>>
memory_store::list_queue_actions(const core::queue_name& queue, core::queue_action_id after,
                                 std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  auto actions = actions_of(database_->tables_, queue);
  if (after) {
    const auto last = std::find_if(actions.begin(), actions.end(),
                                   [&](const auto& row) { return row.id == after; });
    actions.erase(actions.begin(), last == actions.end() ? last : std::next(last));
  }
  if (actions.size() > limit)
    actions.resize(limit);
  return actions;
}

} // namespace holdfast::persistence
