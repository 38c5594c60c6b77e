#include "tests/sim/subscriber.hpp"

#include "tests/sim/asking.hpp"

#include <algorithm>
#include <optional>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

std::string place(const msg::event_page& page, core::event_seq seq) {
  return std::to_string(page.shard) + '-' + std::to_string(seq);
}

/// What is wrong with a page of what follows `after`; empty when it is as it must be.
std::string problem_of(const subscription& s, const msg::event_page& page, core::event_seq after) {
  if (page.position < after)
    return "a position goes back to " + place(page, page.position);
  auto next = page.events.begin();
  const auto& t = *s.world.tables;
  for (auto seq = event_from(t, page.shard, after + 1); seq <= page.position;
       seq = event_from(t, page.shard, seq + 1)) {
    const auto* event = committed_event(t, page.shard, seq);
    if (event == nullptr)
      return place(page, seq) + " is not committed";
    if (s.results_only && event->type != core::event_type::unit_finalized)
      continue;
    if (next == page.events.end() || next->seq != seq)
      return place(page, seq) + " is missing";
    if (next->event != core::to_json(*event))
      return place(page, seq) + " is another event than was committed: " + next->event;
    ++next;
  }
  return next == page.events.end() ? "" : place(page, next->seq) + " does not belong there";
}

void on_page(const subscription_ptr& s, const msg::read_events& asked, const msg::event_page& page,
             std::uint64_t era) {
  auto& world = s->world;
  s->under_way[asked.shard] = false;
  if (!world.believes(era))
    return;
  world.log.mix(page.position);
  world.log.note([&] {
    return s->name + " <- " + std::to_string(page.events.size()) + " events of shard "
           + std::to_string(page.shard) + " up to " + std::to_string(page.position);
  });
  if (const auto problem = problem_of(*s, page, asked.after); !problem.empty())
    return world.audit.blame("subscribers", s->name + ": " + problem);
  if (!world.calm && s->random.hit(world.drawn.lose_reply))
    return world.seen.count(event_kind::reply_lost);
  s->positions[asked.shard] = page.position;
}

void on_refusal(const subscription_ptr& s, const msg::read_events& asked, const core::failure& why,
                std::uint64_t era) {
  s->under_way[asked.shard] = false;
  s->world.log.mix(static_cast<std::uint64_t>(why.code));
  if (!outcome_unknown(why.code) && s->world.believes(era))
    s->world.audit.blame("subscribers", s->name + " was refused: "
                                            + std::string{to_string(why.code)} + ' ' + why.detail);
}

/// A shard in which it is behind and does not ask already; none: nothing.
std::optional<core::shard_id> behind(subscription& s) {
  const auto& shards = s.world.tables->shards;
  for (core::shard_id shard = 0; shard < shards.size(); ++shard)
    if (s.is_behind(shard) && !s.under_way[shard])
      return shard;
  return std::nullopt;
}

void read(self_ptr self, const subscription_ptr& s, core::shard_id shard) {
  const auto gateway = s->world.gateway(s->random.next());
  if (!gateway || s->under_way[shard])
    return;
  msg::read_events request;
  request.shard = shard;
  request.after = s->positions[shard];
  request.limit = static_cast<std::uint32_t>(s->random.between(1, 20));
  request.wait = s->random.below(2) == 0 ? 0ms : s->random.span(0ms, 5s);
  if (s->results_only)
    request.types = {"UnitFinalized"};
  s->under_way[shard] = true;
  const auto era = s->world.era;
  self->request(caf::actor_cast<caf::actor>(gateway), s->random.span(1s, 60s), request)
      .then([=](const msg::event_page& page) { on_page(s, request, page, era); },
            [=](const caf::error& error) { on_refusal(s, request, msg::failure_of(error), era); });
}

void live(caf::actor_system& system, const subscription_ptr& s);

void die(self_ptr self, const subscription_ptr& s) {
  s->world.seen.count(event_kind::client_died);
  s->under_way.clear();
  s->alive = false;
  auto& system = self->system();
  s->world.return_after(s->random.span(0ms, s->world.drawn.session_away_max),
                        [&system, s] { live(system, s); });
  self->quit();
}

void live(caf::actor_system& system, const subscription_ptr& s) {
  s->alive = true;
  system.spawn([=](self_ptr self) {
    self->send(self, tick_atom::value);
    return caf::behavior{[=](tick_atom) {
      const auto& world = s->world;
      if (world.over)
        return self->quit();
      if (!world.calm && s->random.hit(world.drawn.die))
        return die(self, s);
      const auto urgent = world.calm ? behind(*s) : std::nullopt;
      const auto any = static_cast<core::shard_id>(s->random.below(world.drawn.shards));
      read(self, s, urgent.value_or(any));
      self->delayed_send(self, s->random.span(1ms, urgent ? 400ms : 2s), tick_atom::value);
    }};
  });
}

} // namespace

const core::event* committed_event(const persistence::memory::tables& t, core::shard_id shard,
                                   core::event_seq seq) {
  const auto rows = t.outbox.find(shard);
  if (rows == t.outbox.end())
    return nullptr;
  auto row = std::upper_bound(rows->second.begin(), rows->second.end(), seq,
                              [](auto wanted, const auto& r) { return wanted < r.first_seq; });
  if (row == rows->second.begin())
    return nullptr;
  --row;
  return seq < row->first_seq + row->events.size() ? &row->events[seq - row->first_seq] : nullptr;
}

core::event_seq event_from(const persistence::memory::tables& t, core::shard_id shard,
                           core::event_seq seq) {
  if (const auto gaps = t.event_gaps.find(shard); gaps != t.event_gaps.end())
    for (const auto& gap : gaps->second)
      if (seq >= gap.first && seq <= gap.last)
        seq = gap.last + 1;
  return seq;
}

subscription::subscription(field& shared, std::uint32_t number)
    : world(shared),
      name("subscriber" + std::to_string(number)),
      random(shared.drawn.seed * 1'000'003 + 400 + number),
      results_only(number % 2 == 1) {}

bool subscription::is_behind(core::shard_id shard) const {
  const auto at = positions.find(shard);
  const auto next = event_from(*world.tables, shard, (at == positions.end() ? 0 : at->second) + 1);
  return next <= world.tables->shards[shard].event_seq;
}

bool subscription::caught_up() const {
  for (core::shard_id shard = 0; shard < world.tables->shards.size(); ++shard)
    if (is_behind(shard))
      return false;
  return true;
}

subscription_ptr start_subscriber(caf::actor_system& system, field& f, std::uint32_t number) {
  auto s = std::make_shared<subscription>(f, number);
  live(system, s);
  return s;
}

void wake_subscriber(caf::actor_system& system, const subscription_ptr& s) {
  if (!s->alive)
    live(system, s);
}

} // namespace holdfast::sim
