#include "core/event_feed.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::core {

namespace {

feed_event_ptr as_published(const sequenced_event& e) {
  return std::make_shared<const feed_event>(
      feed_event{e.id.seq, e.event.type, e.event.step, e.event.queue, to_json(e.event)});
}

bool is_wanted(const event_wish& wish, const feed_event& e) {
  if (e.type == event_type::event_unreadable)
    return true; // it may stand for one that is wanted
  const auto one_of = [](const auto& wanted, const auto& value) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
  };
  return one_of(wish.steps, e.step) && one_of(wish.types, e.type) && one_of(wish.queues, e.queue)
         && (e.queue.empty() || (wish.tasks && e.queue != wish.but_of));
}

failure are_gone(shard_id shard, const event_bounds& bounds) {
  const auto next = std::to_string(bounds.pruned + 1);
  return {errc::events_gone,
          "events of shard " + std::to_string(shard) + " up to " + std::to_string(bounds.pruned)
              + " are not kept any more; the first that "
              + (bounds.pruned < bounds.newest ? "is there is " : "will be there is ") + next};
}

failure is_ahead(shard_id shard, event_seq position, event_seq newest) {
  return {errc::invalid_argument,
          "position " + std::to_string(position) + " lies ahead of the newest event "
              + std::to_string(newest) + " of shard " + std::to_string(shard)
              + ": it is of another database, or of this one before it was restored"};
}

failure is_too_large(shard_id shard, const feed_event& e) {
  return {errc::too_large, "event " + std::to_string(e.seq) + " of shard " + std::to_string(shard)
                               + " has " + std::to_string(e.json.size())
                               + " bytes, more than one message holds; to leave it out, read on"
                                 " after it"};
}

} // namespace

event_seq event_bounds::past_gaps(event_seq position) const {
  for (const auto& gap : gaps)
    if (gap.first <= position + 1 && position <= gap.last)
      return gap.last;
  return position;
}

event_seq beginning_of(const event_place& place, const event_bounds& bounds) {
  switch (place.from) {
  case event_start::after:
    return place.after;
  case event_start::oldest:
    return bounds.pruned;
  case event_start::newest:
    return bounds.newest;
  }
  break_invariant("event_start", "the gateway refuses other numbers", __FILE__, __LINE__);
}

void shard_feed::ask(subscriber who, event_wish wish, instant until) {
  const auto at = open_.insert_or_assign(who, reading{std::move(wish), until}).first;
  const auto& place = at->second.wish.place;
  if (place.from == event_start::after && newest_ && place.after <= *newest_)
    proceed(at);
  else
    at->second.looks_up = true;
}

void shard_feed::committed(const std::vector<sequenced_event>& events) {
  for (const auto& e : events) {
    if (!recent_.empty() && recent_.back()->seq + 1 != e.id.seq) {
      recent_.clear();
      recent_bytes_ = 0;
    }
    recent_.push_back(as_published(e));
    recent_bytes_ += recent_.back()->json.size();
  }
  newest_ = std::max(newest_.value_or(0), events.back().id.seq);
  for (auto at = open_.begin(); at != open_.end();)
    at = at->second.looks_up ? std::next(at) : proceed(at);
  trim();
}

std::optional<event_place> shard_feed::next_look() {
  if (look_)
    return std::nullopt;
  for (const auto& [who, request] : open_)
    if (request.looks_up) {
      look_ = request.wish.place;
      return look_;
    }
  return std::nullopt;
}

void shard_feed::looked(const outcome<table_view>& found) {
  const auto place = *std::exchange(look_, std::nullopt);
  std::vector<feed_event_ptr> events;
  if (found) {
    const auto& bounds = found->bounds;
    for (const auto& e : found->events)
      events.push_back(as_published(e));
    const auto begin = bounds.past_gaps(beginning_of(place, bounds));
    newest_ = std::max(
        {newest_.value_or(0), bounds.newest, events.empty() ? event_seq{0} : events.back()->seq});
    // Pruned between the look at the bounds and that at the events: look once more.
    if (bounds.pruned <= begin && begin < bounds.newest
        && (events.empty() || events.front()->seq != begin + 1))
      return;
  }
  for (auto at = open_.begin(); at != open_.end();)
    if (!at->second.looks_up || !(at->second.wish.place == place))
      ++at;
    else if (!found)
      at = answer_with(at, found.error());
    else
      at = proceed_from_table(at, *found, events);
}

void shard_feed::expire(instant now) {
  for (auto at = open_.begin(); at != open_.end();)
    if (!at->second.looks_up && at->second.until <= now)
      at = answer_with(at, feed_page{at->second.wish.place.after, *newest_, {}});
    else
      ++at;
}

void shard_feed::end(const failure& why) {
  for (auto at = open_.begin(); at != open_.end();)
    at = answer_with(at, why);
}

std::vector<shard_feed::answer> shard_feed::take_answers() { return std::exchange(answers_, {}); }

instant shard_feed::next_deadline() const {
  auto next = instant::max();
  for (const auto& [who, request] : open_)
    if (!request.looks_up)
      next = std::min(next, request.until);
  return next;
}

shard_feed::readings::iterator shard_feed::answer_with(readings::iterator at,
                                                       outcome<feed_page> what) {
  answers_.push_back({at->first, std::move(what)});
  return open_.erase(at);
}

shard_feed::readings::iterator shard_feed::proceed(readings::iterator at) {
  auto& r = at->second;
  if (is_in_memory(r.wish.place.after + 1)) {
    const auto first = recent_.begin()
                       + static_cast<std::ptrdiff_t>(r.wish.place.after + 1 - recent_.front()->seq);
    if (auto page = read(r, first, recent_.end()))
      return answer_with(at, std::move(*page));
  }
  r.looks_up = r.wish.place.after < *newest_;
  return std::next(at);
}

shard_feed::readings::iterator
shard_feed::proceed_from_table(readings::iterator at, const table_view& found,
                               const std::vector<feed_event_ptr>& events) {
  auto& r = at->second;
  const auto begin = found.bounds.past_gaps(beginning_of(r.wish.place, found.bounds));
  if (begin < found.bounds.pruned)
    return answer_with(at, are_gone(shard_, found.bounds));
  if (begin > *newest_)
    return answer_with(at, is_ahead(shard_, begin, *newest_));
  r.wish.place = {event_start::after, begin};
  r.looks_up = false;
  if (auto page = read(r, events.begin(), events.end()))
    return answer_with(at, std::move(*page));
  // One look for one request: who wants little of much asks again from where it has come to.
  if (r.wish.place.after < *newest_ && !is_in_memory(r.wish.place.after + 1))
    return answer_with(at, feed_page{r.wish.place.after, *newest_, {}});
  return proceed(at);
}

template <class Iterator>
std::optional<outcome<feed_page>> shard_feed::read(reading& r, Iterator begin, Iterator end) const {
  feed_page page{r.wish.place.after, *newest_, {}};
  std::size_t bytes = 0;
  for (; begin != end && page.events.size() < r.wish.limit; ++begin) {
    const auto& e = **begin;
    if (is_wanted(r.wish, e)) {
      if (!page.events.empty() && bytes + e.json.size() > limits_.page_bytes)
        break;
      if (e.json.size() > limits_.event_bytes)
        return is_too_large(shard_, e);
      bytes += e.json.size();
      page.events.push_back(*begin);
    }
    page.position = e.seq;
  }
  r.wish.place.after = page.position;
  if (page.events.empty())
    return std::nullopt;
  return page;
}

void shard_feed::trim() {
  while (recent_.size() > limits_.recent_events || recent_bytes_ > limits_.recent_bytes) {
    recent_bytes_ -= recent_.front()->json.size();
    recent_.pop_front();
  }
}

} // namespace holdfast::core
