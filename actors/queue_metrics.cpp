// The part of the queue actor that says how much is in the queue and what it has done lately.

#include "actors/queue_state.hpp"
#include "metrics/scrape.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace holdfast::actors {

namespace {

msg::queue_metrics to_message(const core::queue_load& load, const core::queue_meter::span& lately,
                              core::instant at) {
  const auto& tally = lately.tally;
  msg::queue_metrics told;
  told.ready = load.ready;
  told.later = load.later;
  told.leased = load.leased;
  told.paused = load.paused;
  told.ready_since = load.ready_since.value_or(core::instant{});
  told.counted_from = lately.from;
  told.now = at;
  told.made = tally.made;
  told.granted = tally.granted;
  told.completed = tally.completed;
  told.failed = tally.failed;
  told.canceled = tally.canceled;
  told.dead = tally.dead;
  told.tries_failed = tally.tries_failed;
  told.rate_limited = tally.rate_limited;
  told.crashes = tally.crashes;
  // Of a queue that has just been loaded less than a second would say little.
  const auto seconds = std::chrono::duration<double>(at - lately.from).count();
  told.completed_per_second = static_cast<double>(tally.completed) / std::max(seconds, 1.0);
  told.error_share = core::error_share(tally);
  told.dead_share = core::dead_share(tally);
  return told;
}

} // namespace

void on_metrics(queue_ptr self, const asked& from, const msg::get_queue_metrics& request) {
  auto& st = self->state;
  const auto at = time(self);
  const auto load = core::load_of(st.queue, at);
  from.promise.deliver(to_message(load, st.meter.last(request.window, at), at));
}

void on_read_metrics(queue_ptr self, const read_metrics& reading) {
  using metrics::metric;
  const auto& st = self->state;
  if (!st.loaded || st.queue.revision == 0)
    return;
  const auto at = time(self);
  const auto load = core::load_of(st.queue, at);
  const auto& name = st.queue.name;
  const auto add = [&](const char* state, std::size_t count) {
    reading.into->add(metric::tasks, {name, state}, static_cast<double>(count));
  };
  add("ready", load.ready);
  add("later", load.later);
  add("leased", load.leased);
  add("paused", load.paused);
  const std::chrono::duration<double> age = at - load.ready_since.value_or(at);
  reading.into->raise(metric::queue_oldest_ready_seconds, {name}, age.count());
  reading.into->add(metric::claims_waiting, {name}, static_cast<double>(st.waiting.size()));
}

} // namespace holdfast::actors
