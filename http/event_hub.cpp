// The first half of the hub: the tails of the shards, and the ring of new events.

#include "http/event_hub.hpp"

#include "core/backoff.hpp"
#include "core/change.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/long_poll.hpp"
#include "messages/workflow_messages.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::http {

namespace {

/// A tail that nobody wants any more ends with its read.
constexpr core::duration tail_wait = msg::wait_max / 2;
constexpr std::uint32_t tail_page = 1000;

constexpr core::duration tail_pause_least = std::chrono::milliseconds{50};
constexpr core::duration tail_pause_most = std::chrono::seconds{2};

} // namespace

event_hub::event_hub(gateway_client gateway, event_hub_limits bounds)
    : gateway_(std::move(gateway)),
      limits_(bounds),
      workflows_(std::make_shared<workflow_steps>(gateway_)) {}

void event_hub::count_shards(std::function<void(std::uint32_t)> then) {
  if (shards_)
    return then(*shards_);
  counters_.push_back(std::move(then));
  if (std::exchange(counting_, true))
    return;
  gateway_.ask<msg::node_status>(
      msg::get_node_status{},
      [weak = weak_from_this()](const msg::node_status& status) {
        const auto self = weak.lock();
        if (!self)
          return;
        self->shards_ = status.shards_total;
        self->tails_.resize(status.shards_total);
        self->counting_ = false;
        for (const auto& one : std::exchange(self->counters_, {}))
          one(status.shards_total);
      },
      [weak = weak_from_this()](const core::failure&) {
        const auto self = weak.lock();
        if (!self)
          return;
        self->gateway_.run(
            [weak] {
              const auto still = weak.lock();
              if (!still)
                return;
              still->counting_ = false;
              still->count_shards([](std::uint32_t) {});
            },
            tail_pause_most);
      });
}

// ── tails ────────────────────────────────────────────────────────────────────────────────────────

void event_hub::start_tails() {
  for (core::shard_id shard = 0; shard < tails_.size(); ++shard)
    start_tail(shard);
}

void event_hub::start_tail(core::shard_id shard) {
  if (!std::exchange(tails_[shard].running, true))
    read_tail(shard);
}

void event_hub::read_tail(core::shard_id shard) {
  auto& at = tails_[shard];
  if (!is_wanted(at)) {
    at = tail{};
    close_ring();
    return;
  }
  msg::read_events request;
  request.shard = shard;
  request.from =
      static_cast<std::uint8_t>(at.known ? core::event_start::after : core::event_start::newest);
  request.after = at.known ? at.position : 0;
  request.limit = tail_page;
  request.wait = at.known ? tail_wait : core::duration::zero();
  gateway_.ask<msg::event_page>(
      request,
      [weak = weak_from_this(), shard](const msg::event_page& page) {
        if (const auto self = weak.lock())
          self->on_page(shard, page);
      },
      [weak = weak_from_this(), shard](const core::failure& why) {
        if (const auto self = weak.lock())
          self->on_read_failed(shard, why);
      });
}

void event_hub::on_page(core::shard_id shard, const msg::event_page& page) {
  auto& at = tails_[shard];
  at.failures = 0;
  at.position = page.position;
  if (std::exchange(at.known, true)) {
    for (const auto& event : page.events)
      append(told(shard, event));
    if (ring_open_)
      now_[shard] = page.position;
    if (!page.events.empty())
      news();
  } else {
    look_at_all(at);
    if (!readers_.empty()
        && std::all_of(tails_.begin(), tails_.end(), [](const auto& one) { return one.known; })) {
      open_ring();
      news();
    }
  }
  read_tail(shard);
}

void event_hub::on_read_failed(core::shard_id shard, const core::failure& why) {
  auto& at = tails_[shard];
  if (!core::is_transient(why.code) && at.known) {
    // Its place is not kept any more, or the database is another one: readers that were at this
    // place are told by their own reads.
    at.known = false;
    close_ring();
  }
  gateway_.run(
      [weak = weak_from_this(), shard] {
        if (const auto self = weak.lock())
          self->read_tail(shard);
      },
      core::backoff(++at.failures, tail_pause_least, tail_pause_most));
}

bool event_hub::is_wanted(tail& of) {
  // Looking at each watch after each page would cost more than the page.
  constexpr std::size_t pages_for_all = 8;
  drop_over();
  if (++of.pages_since_sweep > of.watches.size() / pages_for_all || readers_.empty())
    sweep(of);
  return !readers_.empty() || !of.watches.empty();
}

void event_hub::sweep(tail& of) {
  of.pages_since_sweep = 0;
  for (auto at = of.watches.begin(); at != of.watches.end();)
    at = at->second->is_over() ? of.watches.erase(at) : std::next(at);
}

void event_hub::watch_unit(core::step_id step, core::unit_id unit, watch wanted) {
  count_shards([weak = weak_from_this(), step, unit,
                made = std::make_shared<const watch>(std::move(wanted))](std::uint32_t shards) {
    const auto self = weak.lock();
    if (!self || made->is_over())
      return;
    const auto shard = core::shard_of(step, shards);
    auto& at = self->tails_[shard];
    at.watches.emplace(unit, made);
    if (at.known)
      made->look();
    self->start_tail(shard);
  });
}

void event_hub::look(const tail& at, core::unit_id unit) {
  std::vector<std::shared_ptr<const watch>> concerned;
  const auto [begin, end] = at.watches.equal_range(unit);
  for (auto one = begin; one != end; ++one)
    concerned.push_back(one->second);
  for (const auto& one : concerned)
    one->look();
}

void event_hub::look_at_all(const tail& at) {
  std::vector<std::shared_ptr<const watch>> all;
  for (const auto& [unit, one] : at.watches)
    all.push_back(one);
  for (const auto& one : all)
    one->look();
}

// ── the ring ─────────────────────────────────────────────────────────────────────────────────────

void event_hub::open_ring() {
  close_ring();
  now_.clear();
  for (const auto& one : tails_)
    now_.push_back(one.position);
  floor_ = now_;
  ring_open_ = true;
}

void event_hub::close_ring() {
  ring_open_ = false;
  // One more than its end: a reader that stands there has not seen what comes until it opens again.
  ring_begin_ = ring_end() + 1;
  ring_.clear();
  ring_bytes_ = 0;
}

void event_hub::append(told_event event) {
  auto& at = tails_[event.shard];
  const bool is_for_all = is_unreadable(event);
  const auto unit = event.unit;
  if (ring_open_) {
    now_[event.shard] = event.seq;
    event.cursor = cursor_of(now_);
    ring_bytes_ += event.text.size() + event.cursor.size();
    ring_.push_back(std::make_shared<const told_event>(std::move(event)));
    while (ring_.size() > limits_.ring_events
           || (ring_bytes_ > limits_.ring_bytes && ring_.size() > 1)) {
      const auto& oldest = *ring_.front();
      floor_[oldest.shard] = oldest.seq;
      ring_bytes_ -= oldest.text.size() + oldest.cursor.size();
      ring_.pop_front();
      ++ring_begin_;
    }
  }
  if (at.watches.empty())
    return;
  if (is_for_all)
    look_at_all(at);
  else if (unit)
    look(at, unit);
}

void event_hub::news() {
  has_news_ = true;
  if (gathering_)
    return;
  serve_all();
  gathering_ = true;
  gateway_.run(
      [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self)
          return;
        self->gathering_ = false;
        if (self->has_news_)
          self->news();
      },
      limits_.gather_time);
}

void event_hub::serve_all() {
  has_news_ = false;
  const std::vector<event_reader_ptr> all{readers_.begin(), readers_.end()};
  for (const auto& one : all)
    go_on(one);
  drop_over();
}

} // namespace holdfast::http
