#include "core/supervision.hpp"

namespace holdfast::core {

bool restart_history::admit(const intensity& limit, instant now) {
  recent_.push_back(now);
  while (!recent_.empty() && recent_.front() + limit.within <= now)
    recent_.pop_front();
  return recent_.size() <= limit.restarts_max;
}

verdict judge(strategy how, restart kind, const intensity& limit, restart_history& history,
              std::size_t children, std::size_t ended, bool crashed, instant now) {
  verdict v;
  if (kind == restart::temporary || (kind == restart::transient && !crashed))
    return v;
  if (!history.admit(limit, now)) {
    v.escalate = true;
    return v;
  }
  const auto first = how == strategy::one_for_all ? 0 : ended;
  const auto last = how == strategy::one_for_one ? ended + 1 : children;
  for (auto i = last; i-- > first;)
    if (i != ended)
      v.stopped.push_back(i);
  for (auto i = first; i < last; ++i)
    v.started.push_back(i);
  return v;
}

} // namespace holdfast::core
