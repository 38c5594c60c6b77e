#include "core/queue.hpp"

#include <string>
#include <utility>

namespace holdfast::core {

decision<std::uint64_t> decide(queue& q, const remove_queue& command, instant now) {
  const auto live = q.tasks.size() + command.unreadable;
  if (live > 0 || command.staged > 0) {
    auto why = "queue " + q.name + " has " + std::to_string(live) + " live tasks, "
               + std::to_string(q.expiries.size()) + " of them leased, and "
               + std::to_string(command.staged)
               + " staged ones; finish or cancel them, then remove it";
    if (command.unreadable > 0)
      why += ". The database does not give back the rows of " + std::to_string(command.unreadable)
             + " live ones: mend or delete these rows";
    return refuse<std::uint64_t>(errc::wrong_state, std::move(why));
  }
  decision<std::uint64_t> removed;
  removed.answer = q.schedules.size();
  q.schedules.clear();
  q.schedules_due.clear();
  q.removed = true;
  removed.changes.writes.push_back(delete_queue{q.name, now});
  return removed;
}

failure check_not_removed(const queue& q) {
  if (!q.removed)
    return {};
  return {errc::not_found, "queue " + q.name + " was removed; make it with put_queue"};
}

} // namespace holdfast::core
