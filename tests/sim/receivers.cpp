#include "tests/sim/receivers.hpp"

#include "core/webhook.hpp"
#include "tests/sim/asking.hpp"
#include "tests/sim/subscriber.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// In the calm most events are delivered, because most are committed there: without some trouble at
/// its beginning no receiver of most runs ever refuses one.
constexpr std::uint32_t troubled_posts_in_calm = 60;

const std::array<std::string, 2> receiver_names{"everything", "results"};

/// The second one wants results alone.
std::string definition_of(const std::string& name) {
  json definition{{"url", "https://example.com/" + name},
                  {"secret", name},
                  {"start", "oldest"},
                  {"timeout_seconds", 5},
                  {"failing_after", 20},
                  {"retry", {{"max_attempts", 3}, {"least_seconds", 0.1}, {"most_seconds", 2}}},
                  {"batch", {{"events", 7}}}};
  if (name == receiver_names[1])
    definition["types"] = {"UnitFinalized"};
  return definition.dump();
}

std::string text_of(core::shard_id shard, core::event_seq seq) {
  return std::to_string(shard) + '-' + std::to_string(seq);
}

} // namespace

receivers::receivers(field& shared, timer after)
    : world_(shared), after_(std::move(after)), random_(shared.drawn.seed * 1'000'003 + 700) {}

void receivers::send(connectors::webhook_post what, std::function<void(core::post_answer)> done) {
  const auto status = [](std::uint32_t number) {
    core::post_answer answer;
    answer.status = number;
    answer.verdict = core::verdict_on(number);
    if (answer.verdict != core::post_verdict::delivered)
      answer.reason = "HTTP " + std::to_string(number);
    return answer;
  };
  const core::post_answer silence{core::post_verdict::again, 0, {}, "no answer"};
  if (!is_troubled()) {
    take(what);
    return world_.calm || random_.below(2) == 0 ? done(status(204))
                                                : answer_later(status(204), std::move(done));
  }
  switch (random_.below(8)) {
  case 0:
  case 1: // it has them, but its word is lost
    take(what);
    return answer_later(silence, std::move(done));
  case 2:
  case 3:
    return answer_later(silence, std::move(done));
  case 4:
    return done(status(503));
  case 5:
  case 6:
    return answer_later(status(422), std::move(done));
  default:
    return answer_later(status(410), std::move(done));
  }
}

/// Whether the next post goes wrong.
bool receivers::is_troubled() {
  if (world_.calm && ++posts_in_calm_ > troubled_posts_in_calm)
    return false;
  return random_.below(100) < world_.drawn.receiver_trouble;
}

void receivers::answer_later(core::post_answer answer,
                             std::function<void(core::post_answer)> done) {
  const auto which = ++last_;
  open_[which] = [answer = std::move(answer), done = std::move(done)] { done(answer); };
  after_(random_.span(0ms, 5s), [this, which] {
    if (const auto found = open_.extract(which); !found.empty())
      found.mapped()();
  });
}

void receivers::calm_down() {
  for (const auto& [which, answer] : std::exchange(open_, {}))
    answer();
}

bool receivers::is_wanted(const core::webhook_id& webhook, core::shard_id shard,
                          core::event_seq seq) const {
  const auto found = world_.tables->webhooks.find(webhook);
  if (found == world_.tables->webhooks.end() || found->second.name == receiver_names[0])
    return true;
  const auto* event = committed_event(*world_.tables, shard, seq);
  return event != nullptr && event->type == core::event_type::unit_finalized;
}

/// Passes what needs nothing more.
void receivers::go_on(const place& where, progress& at) {
  const auto& [webhook, shard] = where;
  const auto& t = *world_.tables;
  for (;;) {
    const auto next = event_from(t, shard, at.behind + 1);
    if (next > t.shards[shard].event_seq)
      return;
    if (at.taken.count(next) == 0 && t.dead_letters.count({webhook, {shard, next}}) == 0
        && is_wanted(webhook, shard, next))
      return;
    at.behind = next;
  }
}

void receivers::take(const connectors::webhook_post& what) {
  const auto body = json::parse(what.body);
  const auto name = body.at("webhook").get<std::string>();
  const auto& all = world_.tables->webhooks;
  const auto webhook = std::find_if(all.begin(), all.end(),
                                    [&](const auto& one) { return one.second.name == name; });
  if (webhook == all.end() && world_.era > 0)
    return; // it may be one that the database has forgotten
  if (webhook == all.end())
    return world_.audit.blame("webhooks", name + " is posted and is not there");
  world_.log.mix(what.id);
  world_.log.note([&] { return "receiver <- " + what.id; });
  for (const auto& e : body.at("events")) {
    const auto shard = e.at("shard").get<core::shard_id>();
    const auto seq = e.at("seq").get<core::event_seq>();
    const auto* event = committed_event(*world_.tables, shard, seq);
    // A node that read it before it was forgotten may still bring it.
    if (event == nullptr && (world_.era % 2 != 0 || event_from(*world_.tables, shard, seq) != seq))
      continue;
    if (event == nullptr)
      return world_.audit.blame("webhooks", text_of(shard, seq) + " is posted, not committed");
    if (json::parse(core::to_json(*event)) != e.at("event"))
      return world_.audit.blame("webhooks", text_of(shard, seq) + " is another event");
    if (!is_wanted(webhook->first, shard, seq))
      return world_.audit.blame("webhooks", text_of(shard, seq) + " is not wanted");
    const place where{webhook->first, shard};
    auto& at = progress_[where];
    go_on(where, at);
    // What was passed may come again; what is new is the next.
    if (seq > event_from(*world_.tables, shard, at.behind + 1))
      return world_.audit.blame("webhooks", name + " gets " + text_of(shard, seq) + " before "
                                                + text_of(shard, at.behind + 1));
    at.taken.insert(seq);
    go_on(where, at);
  }
}

void receivers::check() {
  for (const auto& [where, row] : world_.tables->webhook_places) {
    auto& at = progress_[where];
    go_on(where, at);
    if (row.seq >= event_from(*world_.tables, where.second, at.behind + 1))
      return world_.audit.blame("webhooks", "a position is at " + text_of(where.second, row.seq)
                                                + ", and " + text_of(where.second, at.behind + 1)
                                                + " is not delivered");
  }
}

std::string receivers::missing() const {
  if (!world_.drawn.webhooks)
    return {};
  const auto& t = *world_.tables;
  if (t.webhooks.size() < receiver_names.size())
    return "a webhook";
  if (!t.dead_letters.empty()) {
    const auto& [key, row] = *t.dead_letters.begin();
    return "dead letter " + text_of(key.second.shard, key.second.seq)
           + (row.replayed ? ", to be delivered again" : "");
  }
  for (const auto& [where, row] : t.webhook_places) {
    const auto& [webhook, shard] = where;
    if (event_from(t, shard, row.seq + 1) <= t.shards[shard].event_seq)
      return text_of(shard, row.seq + 1) + ", which is behind the place of "
             + t.webhooks.at(webhook).name;
    const auto at = progress_.find(where);
    for (auto seq = event_from(t, shard, 1); seq <= row.seq; seq = event_from(t, shard, seq + 1))
      if (is_wanted(webhook, shard, seq)
          && (at == progress_.end() || at->second.taken.count(seq) == 0))
        return text_of(shard, seq) + ", which the place of " + t.webhooks.at(webhook).name
               + " is past";
  }
  return {};
}

namespace {

/// Whoever looks after webhooks.
struct webhook_operator {
  webhook_operator(field& shared, std::shared_ptr<receivers> all)
      : world(shared), delivered(std::move(all)), random(shared.drawn.seed * 1'000'003 + 701) {}

  field& world;
  std::shared_ptr<receivers> delivered;
  dice random;
};
using operator_ptr = std::shared_ptr<webhook_operator>;

/// Asks, and lets go: whether it was done is seen in the tables.
template <class Request>
void ask(self_ptr self, const operator_ptr& p, const Request& request) {
  const auto gateway = p->world.gateway(p->random.next());
  if (!gateway)
    return;
  self->request(caf::actor_cast<caf::actor>(gateway), p->random.span(1s, 60s), request)
      .then([](const msg::answer_to<Request>&) {},
            [=](const caf::error& error) {
              const auto why = msg::failure_of(error);
              p->world.log.mix(static_cast<std::uint64_t>(why.code));
              // The webhook may not be there yet.
              if (!outcome_unknown(why.code) && why.code != core::errc::not_found)
                p->world.audit.blame("webhooks",
                                     "the operator was refused: " + std::string{to_string(why.code)}
                                         + ' ' + why.detail);
            });
}

bool is_there(const field& world, const std::string& name) {
  const auto& all = world.tables->webhooks;
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return one.second.name == name; });
}

void replay(self_ptr self, const operator_ptr& p, const std::string& name, core::shard_id shard,
            core::replay_verb what, core::event_seq after) {
  ask(self, p,
      msg::replay_webhook{name, shard, static_cast<std::uint8_t>(what), after,
                          what == core::replay_verb::deliver ? 1000U : 1U});
}

void change(self_ptr self, const operator_ptr& p, const std::string& name,
            core::webhook_verb verb) {
  ask(self, p, msg::change_webhook{name, static_cast<std::uint8_t>(verb)});
}

/// One thing or another.
void steer(self_ptr self, const operator_ptr& p) {
  const auto& name = receiver_names[p->random.below(receiver_names.size())];
  const auto shard = static_cast<core::shard_id>(p->random.below(p->world.drawn.shards));
  if (!is_there(p->world, name))
    return ask(self, p, msg::put_webhook{name, definition_of(name)});
  switch (p->random.below(6)) {
  case 0:
    return change(self, p, name, core::webhook_verb::pause);
  case 1:
  case 2:
    return change(self, p, name, core::webhook_verb::resume);
  case 3:
    return replay(self, p, name, shard, core::replay_verb::deliver, 0);
  case 4: // back to where it has been, so that nothing is left out
    for (const auto& [where, row] : p->world.tables->webhook_places)
      if (where.second == shard && p->world.tables->webhooks.at(where.first).name == name)
        return replay(self, p, name, shard, core::replay_verb::move, p->random.below(row.seq + 1));
    return;
  default:
    return;
  }
}

/// Whatever keeps events from being delivered.
void mend(self_ptr self, const operator_ptr& p) {
  const auto& t = *p->world.tables;
  for (const auto& name : receiver_names)
    if (!is_there(p->world, name))
      ask(self, p, msg::put_webhook{name, definition_of(name)});
  for (const auto& [id, row] : t.webhooks) {
    const auto stopped = [&, id = id, revision = row.revision](const auto& place) {
      return place.first.first == id && place.second.stopped_revision == revision;
    };
    if (row.paused || std::any_of(t.webhook_places.begin(), t.webhook_places.end(), stopped))
      change(self, p, row.name, core::webhook_verb::resume);
  }
  std::set<std::pair<core::webhook_id, core::shard_id>> with_letters;
  for (const auto& [key, row] : t.dead_letters)
    if (!row.replayed)
      with_letters.emplace(key.first, key.second.shard);
  for (const auto& [id, shard] : with_letters)
    replay(self, p, t.webhooks.at(id).name, shard, core::replay_verb::deliver, 0);
}

} // namespace

void start_webhook_operator(caf::actor_system& system, field& f,
                            const std::shared_ptr<receivers>& delivered) {
  const auto p = std::make_shared<webhook_operator>(f, delivered);
  system.spawn([p](self_ptr self) {
    self->send(self, tick_atom::value);
    return caf::behavior{[=](tick_atom) {
      if (p->world.over)
        return self->quit();
      if (p->world.calm && !p->delivered->missing().empty())
        mend(self, p);
      else if (!p->world.calm)
        steer(self, p);
      self->delayed_send(self, p->world.calm ? 5s : p->random.span(100ms, 10s), tick_atom::value);
    }};
  });
}

} // namespace holdfast::sim
