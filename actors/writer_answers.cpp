#include "actors/writer_answers.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::actors::writing {

namespace {

/// The change takes no room in the queue any more.
void forget(writer_state& st, const queued_change& change) { st.queued_weight -= change.weight; }

void send_answer(self_ptr self, const caf::strong_actor_ptr& sender, write_done done) {
  if (sender)
    self->send(caf::actor_cast<caf::actor>(sender), std::move(done));
}

/// Changes of one sender, right after each other, that are answered by one message.
struct answered_run {
  const caf::strong_actor_ptr* sender;
  write_done done;
};

/// The run among the last few that `change` continues, or null. A queue has many changes in a
/// commit; who has one in each of many need not be looked for far.
answered_run* continued_by(std::vector<answered_run>& runs, const queued_change& change) {
  constexpr std::ptrdiff_t far_enough = 4;
  const auto first = runs.end() - std::min(far_enough, std::distance(runs.begin(), runs.end()));
  const auto found = std::find_if(first, runs.end(), [&](const answered_run& run) {
    return *run.sender == change.sender && run.done.ticket + 1 == change.ticket
           && run.done.failure.code == core::errc::none;
  });
  return found == runs.end() ? nullptr : &*found;
}

/// Something of the shards has come and not been answered.
bool has_any_of(const writer_state& st, const std::set<core::shard_id>& shards) {
  const auto concerned = [&](const queued_change& change) {
    return shards.count(change.shard) != 0;
  };
  const auto any = [&](const auto& changes) {
    return std::any_of(changes.begin(), changes.end(), concerned);
  };
  return (!st.ranges.empty() && any(st.selected)) || any(st.durable) || any(st.queue)
         || (st.next && any(st.next->selected));
}

} // namespace

void answer(self_ptr self, const queued_change& change, core::failure why) {
  forget(self->state, change);
  send_answer(self, change.sender, {change.ticket, std::move(why)});
}

void tell_durable(self_ptr self) {
  auto& st = self->state;
  for (auto& events : st.durable_events)
    if (st.follower)
      self->send(st.follower, std::move(events));
  st.durable_events.clear();
  std::vector<answered_run> runs;
  for (const auto& change : st.durable) {
    forget(st, change);
    if (change.refused.code != core::errc::none) {
      runs.push_back({&change.sender, {change.ticket, change.refused}});
      continue;
    }
    ++st.context->gauges.writer.changes;
    if (auto* run = continued_by(runs, change)) {
      run->done.ticket = change.ticket;
      ++run->done.tickets;
    } else {
      runs.push_back({&change.sender, {change.ticket, {}}});
    }
  }
  for (auto& run : runs)
    send_answer(self, *run.sender, std::move(run.done));
  st.durable.clear();
}

void refuse(self_ptr self, const queued_change& change, const core::failure& why,
            bool stands_alone) {
  auto& st = self->state;
  ++st.context->gauges.writer.refused;
  st.context->log(log_level::error, "change_refused",
                  {{"shard", std::to_string(change.shard)}, {"reason", why.detail}});
  if (change.sender && !stands_alone) {
    st.refused_senders.insert(caf::actor_cast<caf::actor_addr>(change.sender));
    self->monitor(caf::actor_cast<caf::actor>(change.sender));
  }
  answer(self, change, why);
}

bool is_settled(const writer_state& st) {
  return st.queue.empty() && !st.next && st.ranges.empty() && st.durable.empty();
}

void tell_shards_settled(writer_state& st) {
  auto& waiting = st.shards_settling;
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                               [&](auto& one) {
                                 if (has_any_of(st, one.shards))
                                   return false;
                                 one.promise.deliver(settled{});
                                 return true;
                               }),
                waiting.end());
}

void tell_settled(self_ptr self) {
  auto& st = self->state;
  tell_shards_settled(st);
  if (!is_settled(st))
    return;
  for (auto& promise : st.settling)
    promise.deliver(settled{});
  st.settling.clear();
}

} // namespace holdfast::actors::writing
