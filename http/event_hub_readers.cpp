// The second half of the hub: its readers.

#include "http/event_hub.hpp"

#include "core/change.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace holdfast::http {

namespace {

constexpr std::uint32_t own_page_events = 1000;

/// After a read of a reader's own that may succeed later.
constexpr core::duration own_pause = std::chrono::milliseconds{250};

} // namespace

void event_hub::join(const event_reader_ptr& reader) {
  reader->known.assign(shards_.value_or(0), reader->from == core::event_start::newest);
  if (reader->from != core::event_start::after)
    reader->at.assign(shards_.value_or(0), 0);
  const bool is_first = readers_.empty();
  readers_.insert(reader);
  if (!std::exchange(ticking_, true))
    tick_idle();
  start_tails();
  // Tails may run already, for units that are waited for.
  if (is_first && !ring_open_
      && std::all_of(tails_.begin(), tails_.end(), [](const auto& one) { return one.known; }))
    open_ring();
  go_on(reader);
}

void event_hub::go_on(const event_reader_ptr& reader) {
  auto& r = *reader;
  if (r.sink->is_over())
    readers_.erase(reader);
  if (r.busy || r.paused || r.sink->is_over() || !ring_open_)
    return;
  if (r.live && r.next < ring_begin_) {
    r.live = false;
    if (r.last)
      if (auto at = positions_of(r.last->cursor, now_.size()))
        r.at = std::move(*at);
    r.last = nullptr;
  }
  if (r.live)
    serve_live(reader);
  else
    catch_up(reader);
  if (r.sink->is_over())
    readers_.erase(reader);
}

event_hub::verdict event_hub::judge(const event_reader_ptr& reader, const told_event& event) {
  const auto& filter = reader->filter;
  if (!filter.wants(event))
    return verdict::unwanted;
  if (!filter.workflow || is_unreadable(event))
    return verdict::wanted;
  if (const auto has = workflows_->has(filter.workflow, event.step))
    return *has ? verdict::wanted : verdict::unwanted;
  reader->busy = true;
  workflows_->look_up(filter.workflow, event.step,
                      [weak = weak_from_this(), reader](const core::failure& why) {
                        const auto self = weak.lock();
                        if (!self)
                          return;
                        if (why.code == core::errc::none) {
                          reader->busy = false;
                          self->go_on(reader);
                        } else {
                          self->on_own_failure(reader, why);
                        }
                      });
  return verdict::unknown;
}

void event_hub::serve_live(const event_reader_ptr& reader) {
  auto& r = *reader;
  for (; r.next < ring_end(); ++r.next) {
    const auto& event = ring_[static_cast<std::size_t>(r.next - ring_begin_)];
    const auto found = judge(reader, *event);
    if (found == verdict::unknown)
      return;
    if (found == verdict::wanted && !r.sink->take(*event, event->cursor)) {
      r.paused = !r.sink->is_over();
      return;
    }
    r.last = event;
  }
  r.sink->rest(r.last ? r.last->cursor : cursor_of(r.at), true);
}

void event_hub::catch_up(const event_reader_ptr& reader) {
  auto& r = *reader;
  if (r.from == core::event_start::newest) {
    r.from = core::event_start::after;
    r.at = now_;
  }
  for (core::shard_id shard = 0; shard < now_.size(); ++shard) {
    const bool is_in_ring = floor_[shard] <= r.at[shard] && r.at[shard] <= now_[shard];
    if (r.from == core::event_start::after && is_in_ring)
      r.known[shard] = true;
    if (!r.known[shard] || r.at[shard] < floor_[shard])
      return read_alone(reader, shard);
  }
  // A reader that comes from another node may be ahead of the tails here, which follow soon.
  for (core::shard_id shard = 0; shard < now_.size(); ++shard)
    if (r.at[shard] > now_[shard])
      return resume_later(reader, limits_.gather_time);
  catch_up_from_ring(reader);
}

void event_hub::catch_up_from_ring(const event_reader_ptr& reader) {
  auto& r = *reader;
  for (const auto& event : ring_) {
    auto& at = r.at[event->shard];
    if (event->seq <= at)
      continue;
    const auto found = judge(reader, *event);
    if (found == verdict::unknown)
      return;
    const auto before = std::exchange(at, event->seq);
    if (found == verdict::wanted && !r.sink->take(*event, cursor_of(r.at))) {
      at = before;
      r.paused = !r.sink->is_over();
      return;
    }
  }
  r.at = now_;
  r.live = true;
  r.next = ring_end();
  r.last = nullptr;
  r.sink->rest(cursor_of(r.at), true);
}

void event_hub::read_alone(const event_reader_ptr& reader, core::shard_id shard) {
  auto& r = *reader;
  r.busy = true;
  if (own_reads_ >= limits_.catching_up) {
    own_line_.emplace_back(reader, shard);
    return;
  }
  ++own_reads_;
  msg::read_events request;
  request.shard = shard;
  const bool from_oldest = r.from == core::event_start::oldest && !r.known[shard];
  request.from =
      static_cast<std::uint8_t>(from_oldest ? core::event_start::oldest : core::event_start::after);
  request.after = from_oldest ? 0 : r.at[shard];
  request.limit =
      from_oldest ? 1 : own_page_events; // a cursor needs the places in all shards first
  request.step = r.filter.step;
  request.types.assign(r.filter.types.begin(), r.filter.types.end());
  gateway_.ask<msg::event_page>(
      std::move(request),
      [weak = weak_from_this(), reader](const msg::event_page& page) {
        if (const auto self = weak.lock()) {
          self->end_own_read();
          self->on_own_page(reader, page);
          if (reader->sink->is_over())
            self->readers_.erase(reader);
        }
      },
      [weak = weak_from_this(), reader](const core::failure& why) {
        if (const auto self = weak.lock()) {
          self->end_own_read();
          self->on_own_failure(reader, why);
        }
      });
}

void event_hub::end_own_read() {
  --own_reads_;
  while (!own_line_.empty() && own_reads_ < limits_.catching_up) {
    const auto [next, shard] = own_line_.front();
    own_line_.pop_front();
    if (!next->sink->is_over())
      read_alone(next, shard);
  }
}

void event_hub::on_own_page(const event_reader_ptr& reader, const msg::event_page& page) {
  auto& r = *reader;
  r.busy = false;
  auto& at = r.at[page.shard];
  if (!r.known[page.shard] && r.from == core::event_start::oldest) {
    r.known[page.shard] = true;
    at = page.events.empty() ? page.position : page.events.front().seq - 1;
    return go_on(reader);
  }
  const bool has_moved = !r.known[page.shard] || page.position != at;
  r.known[page.shard] = true;
  bool has_taken = false;
  for (const auto& one : page.events) {
    const auto event = told(page.shard, one);
    const auto found = judge(reader, event);
    if (found == verdict::unknown)
      return; // the page is read again from where the reader is
    const auto before = std::exchange(at, event.seq);
    if (found == verdict::unwanted)
      continue;
    if (!r.sink->take(event, cursor_of(r.at))) {
      at = before;
      r.paused = !r.sink->is_over();
      return;
    }
    has_taken = true;
  }
  at = page.position;
  if (has_taken)
    r.sink->rest(cursor_of(r.at), false);
  if (has_moved)
    go_on(reader);
  else
    resume_later(reader, own_pause);
}

void event_hub::on_own_failure(const event_reader_ptr& reader, const core::failure& why) {
  reader->busy = false;
  if (core::is_transient(why.code))
    return resume_later(reader, own_pause);
  reader->sink->fail(why);
  readers_.erase(reader);
}

void event_hub::resume_later(const event_reader_ptr& reader, core::duration pause) {
  reader->busy = true;
  gateway_.run(
      [weak = weak_from_this(), reader] {
        reader->busy = false;
        if (const auto self = weak.lock())
          self->go_on(reader);
      },
      pause);
}

void event_hub::drop_over() {
  for (auto at = readers_.begin(); at != readers_.end();)
    at = (*at)->sink->is_over() ? readers_.erase(at) : std::next(at);
}

void event_hub::tick_idle() {
  gateway_.run(
      [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self)
          return;
        self->drop_over();
        const std::vector<event_reader_ptr> all{self->readers_.begin(), self->readers_.end()};
        for (const auto& one : all)
          one->sink->idle(one->live && one->last ? one->last->cursor : cursor_of(one->at));
        self->ticking_ = !self->readers_.empty();
        if (self->ticking_)
          self->tick_idle();
      },
      limits_.idle_time);
}

} // namespace holdfast::http
