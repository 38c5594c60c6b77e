#include "core/queue_meter.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

void count_write(const insert_task&, queue_tally& tally) { ++tally.made; }
void count_write(const insert_task_lease&, queue_tally& tally) { ++tally.granted; }

void count_write(const finish_task& gone, queue_tally& tally) {
  switch (gone.ending) {
  case task_ending::completed:
    ++tally.completed;
    break;
  case task_ending::failed:
    ++tally.failed;
    break;
  case task_ending::canceled:
    ++tally.canceled;
    break;
  case task_ending::dead:
    ++tally.dead;
    break;
  }
}

void count_write(const end_task_lease& over, queue_tally& tally) {
  switch (over.how) {
  case attempt_ending::failed:
    ++tally.tries_failed;
    break;
  case attempt_ending::rate_limited:
    ++tally.rate_limited;
    break;
  case attempt_ending::expired:
  case attempt_ending::lost:
    ++tally.crashes;
    break;
  case attempt_ending::released:
  case attempt_ending::ejected:
  case attempt_ending::canceled:
    break;
  }
}

template <class Write>
void count_write(const Write&, queue_tally&) {}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

queue_tally& queue_tally::operator+=(const queue_tally& other) {
  made += other.made;
  granted += other.granted;
  completed += other.completed;
  failed += other.failed;
  canceled += other.canceled;
  dead += other.dead;
  tries_failed += other.tries_failed;
  rate_limited += other.rate_limited;
  crashes += other.crashes;
  return *this;
}

double error_share(const queue_tally& tally) {
  const auto errors = tally.failed + tally.dead + tally.tries_failed + tally.crashes;
  return share(errors, errors + tally.completed);
}

double dead_share(const queue_tally& tally) {
  return share(tally.dead, tally.completed + tally.failed + tally.dead);
}

std::int64_t queue_meter::number_of(instant at) { return at.time_since_epoch() / slot; }

void queue_meter::count(const change& decided, instant at) {
  if (decided.writes.empty())
    return;
  const auto number = number_of(at);
  auto& now = slots_[static_cast<std::size_t>(number) % slots_.size()];
  if (now.number < number)
    now = {number, {}};
  for (const auto& write : decided.writes)
    std::visit([&](const auto& one) { count_write(one, now.tally); }, write);
}

queue_meter::span queue_meter::last(duration window, instant now) const {
  const auto newest = number_of(now);
  const auto oldest = newest - std::clamp(window, slot, longest) / slot;
  span found{std::max(began_, instant{} + oldest * slot), {}};
  for (const auto& one : slots_)
    if (one.number >= oldest && one.number <= newest)
      found.tally += one.tally;
  return found;
}

} // namespace holdfast::core
