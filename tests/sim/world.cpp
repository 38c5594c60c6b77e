#include "tests/sim/world.hpp"

#include "tests/sim/task_clients.hpp"
#include "tests/support/forwarding_store.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Processes that may run at once; more would only be more of the same.
constexpr std::size_t processes_max = 4;

/// Messages and virtual time within which all work must be done once nothing goes wrong any more:
/// nearly three times what the slowest of two thousand seeds took.
constexpr std::uint64_t calm_messages_max = 400'000;
constexpr core::duration calm_time_max = 20min;

/// After the last unit is finished: cursors are written, idle units are sent away, leases that
/// nobody needs run out.
constexpr core::duration aftermath = 120s;

/// Between two looks at what the steps offer.
constexpr core::duration ready_check_pause = 500ms;

/// Commits between two checks of everything.
constexpr std::uint64_t full_check_every = 100;

/// A node's connection: cut off with its process, slowed by the database's bad luck.
class connection : public test::forwarding_store {
public:
  connection(std::unique_ptr<persistence::store> inner, process_ptr owner, database_faults& faults,
             tally& seen, const std::uint64_t& losses, std::function<void()> generation_begun)
      : test::forwarding_store(std::move(inner)),
        owner_(std::move(owner)),
        faults_(faults),
        seen_(seen),
        losses_(losses),
        generation_begun_(std::move(generation_begun)) {}

  persistence::commit_result commit(const persistence::write_batch& batch) override {
    if (owner_->cut)
      return {persistence::commit_status::unavailable, {}, "cut off"};
    auto result = faults_.commit(inner(), owner_->settings.incarnation, batch);
    if (owner_->thawed && result.status == persistence::commit_status::fenced)
      seen_.count(event_kind::stale_write_refused);
    return result;
  }
  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override {
    if (!owner_->cut && !shards.empty() && looked_after_ != losses_)
      return core::failure{core::errc::unavailable, "no renewal has looked over this connection"};
    if (!owner_->cut)
      faults_.before_takeover(shards);
    return test::forwarding_store::take_over(node, incarnation, shards, lease_time, believed_dead);
  }
  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    if (owner_->no_renewals)
      return core::failure{core::errc::unavailable, "frozen"};
    auto view = test::forwarding_store::renew(incarnation, lease_time);
    if (view)
      looked_after_ = losses_;
    return view;
  }
  core::outcome<bool> begin_generation(const persistence::known_history& known,
                                       bool restored) override {
    auto begun = test::forwarding_store::begin_generation(known, restored);
    generation_begun_();
    return begun;
  }

protected:
  std::optional<core::failure> obstacle() override {
    if (!owner_->cut)
      return std::nullopt;
    return core::failure{core::errc::unavailable, "cut off"};
  }

private:
  process_ptr owner_;
  database_faults& faults_;
  tally& seen_;
  const std::uint64_t& losses_;
  std::uint64_t looked_after_ = 0; ///< So many losses; each has broken all connections.
  std::function<void()> generation_begun_;
};

/// Actors of a node that may crash one by one. Not the supervisors: an actor that only passes
/// handles on has nothing to lose.
bool may_crash(std::string_view name) {
  static const std::set<std::string_view> names{"writer",      "reader",
                                                "membership",  "shards",
                                                "owners",      "owner",
                                                "relay",       "feed",
                                                "consumer",    "gateway",
                                                "shard_host",  "step",
                                                "unit",        "queue",
                                                "intake",      "rescuer",
                                                "forwarder",   "peer_nodes",
                                                "objects",     "object_keeper",
                                                "webhooks",    "webhook_delivery",
                                                "profiles",    "profile_keeper",
                                                "step_search", "refitter"};
  return names.count(name) != 0;
}

std::string type_of(const caf::mailbox_element& message) {
  const auto& content = message.content();
  if (content.empty())
    return "()";
  const auto type = content.type(0);
  if (type.second == nullptr)
    return '#' + std::to_string(type.first);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text{
      abi::__cxa_demangle(type.second->name(), nullptr, nullptr, &status), &std::free};
  return status == 0 ? text.get() : type.second->name();
}

} // namespace

world::world(const run_options& options)
    : options_(options),
      plan_(draw_plan(options.seed)),
      log_(options.trace_lines, options.echo),
      random_(options.seed * 0xd1342543de82ef95ULL + 7),
      virtual_(1),
      audit_(plan_, virtual_.database->tables(), log_),
      ready_(virtual_.database->tables(),
             [this](const char* invariant, const std::string& what) {
               audit_.blame(invariant, what);
             }),
      database_faults_(plan_.faults, random_, virtual_.database, audit_, log_, seen_),
      objects_(std::make_shared<object_faults>(
          plan_.faults, random_, [this] { return now(); }, log_)),
      bug_(options.plant, virtual_.database, random_),
      field_(plan_, audit_, log_, seen_),
      ids_(options.seed + 1),
      begun_(virtual_.elapsed()) {
  if (plan_.high_water < 100)
    objects_->crowded();
  audit_.tasks().read_objects(*objects_);
  audit_.tasks().read_clock([this] { return now(); });
  if (options.plant == "payloads-mixed-up")
    objects_->mix_up();
  if (options.plant == "late-commit-accepted")
    database_faults_.accept_late_commits();
  bug_.spoil(*virtual_.system, *virtual_.network);
  virtual_.network->decide_fates([this] { return fate_of_message(); });
  receivers_ =
      std::make_shared<receivers>(field_, [this](core::duration wait, std::function<void()> what) {
        after(wait, std::move(what));
      });
  field_.tables = &virtual_.database->tables();
  field_.database = virtual_.database;
  field_.gateway = [this](std::uint64_t pick) { return pick_gateway(pick); };
  field_.now = [this] { return now(); };
  field_.return_after = [this](core::duration wait, std::function<void()> back) {
    after(wait, [this, back = std::move(back)] {
      if (!calm_)
        back();
    });
  };
}

world::~world() {
  shut_down();
  // Whoever is left would keep the actor system waiting for ever.
  for (const auto& actor : left_behind())
    caf::anon_send_exit(actor, caf::exit_reason::kill);
}

void world::shut_down() {
  field_.over = true;
  virtual_.network->decide_fates(nullptr);
  agenda_.clear();
  for (const auto& p : processes_)
    kill(p, "the end");
  // What is left to do needs no time but the clients' last timers.
  for (int round = 0; round < 100; ++round) {
    while (scheduler().try_run_once()) {
    }
    if (!scheduler().has_pending_timeout())
      break;
    scheduler().trigger_timeouts();
  }
}

std::vector<caf::strong_actor_ptr> world::left_behind() const {
  std::vector<caf::strong_actor_ptr> left;
  for (const auto& [id, address] : seen_actors_)
    if (auto actor = caf::actor_cast<caf::strong_actor_ptr>(address)) {
      const auto* local = dynamic_cast<caf::local_actor*>(actor->get());
      if (local != nullptr && !local->getf(caf::abstract_actor::is_terminated_flag))
        left.push_back(std::move(actor));
    }
  return left;
}

caf::scheduler::test_coordinator& world::scheduler() {
  return dynamic_cast<caf::scheduler::test_coordinator&>(virtual_.system->scheduler());
}

// --- time and messages ---

void world::after(core::duration wait, std::function<void()> what) {
  agenda_.emplace(virtual_.elapsed() + wait, std::move(what));
}

bool world::run_due() {
  if (agenda_.empty() || agenda_.begin()->first > virtual_.elapsed())
    return false;
  const auto due = agenda_.extract(agenda_.begin());
  due.mapped()();
  return true;
}

void world::note_message(caf::resumable* job) {
  auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
  if (actor == nullptr)
    return;
  seen_actors_.emplace(actor->id(), actor->address());
  if (std::string_view{actor->name()} == "step")
    seen_steps_.emplace(actor->id(), actor->address());
  log_.mix(actor->id());
  log_.mix(static_cast<std::uint64_t>(core::to_micros(now())));
  log_.note([&] {
    const auto* message = actor->mailbox().peek();
    return std::string{actor->name()} + '#' + std::to_string(actor->id()) + " handles "
           + (message == nullptr ? "nothing" : type_of(*message));
  });
}

void world::handle_one() {
  auto& jobs = scheduler().jobs;
  if (jobs.size() > 1)
    std::swap(jobs.front(), jobs[random_.below(jobs.size())]);
  log_.at(++messages_, now());
  if (!calm_ && crash_next())
    return;
  note_message(jobs.front());
  const auto* actor = dynamic_cast<caf::scheduled_actor*>(jobs.front());
  const auto owner = actor == nullptr ? 0 : owner_of(actor->id());
  own_new_actors(0); // those that were made in between are of no process
  scheduler().try_run_once();
  own_new_actors(owner);
  if (std::exchange(commits_checked_, audit_.commits()) != audit_.commits())
    receivers_->check();
  if (audit_.commits() % full_check_every == full_check_every - 1 && messages_ % 64 == 0)
    audit_.check_all();
}

std::uint32_t world::owner_of(caf::actor_id actor) const {
  return actor < owners_.size() ? owners_[actor] : 0;
}

void world::own_new_actors(std::uint32_t number) {
  owners_.resize(virtual_.system->latest_actor_id() + 1, number);
}

void world::set_frozen_aside() {
  if (set_aside_.empty())
    return;
  auto& jobs = scheduler().jobs;
  for (auto job = jobs.begin(); job != jobs.end();) {
    const auto* actor = dynamic_cast<caf::scheduled_actor*>(*job);
    const auto aside = actor == nullptr ? set_aside_.end() : set_aside_.find(owner_of(actor->id()));
    if (aside == set_aside_.end()) {
      ++job;
      continue;
    }
    aside->second.push_back(*job);
    job = jobs.erase(job);
  }
}

void world::check_ready() {
  if (field_.era % 2 != 0 || plan_.units == 0
      || virtual_.elapsed() < ready_checked_ + ready_check_pause)
    return;
  ready_checked_ = virtual_.elapsed();
  std::set<core::incarnation_id> able;
  for (const auto& p : processes_)
    if (!p->dead && !p->cut && !p->no_renewals && !p->frozen)
      able.insert(p->settings.incarnation);
  std::vector<caf::strong_actor_ptr> actors;
  for (auto seen = seen_steps_.begin(); seen != seen_steps_.end();)
    if (auto actor = caf::actor_cast<caf::strong_actor_ptr>(seen->second)) {
      actors.push_back(std::move(actor));
      ++seen;
    } else {
      seen = seen_steps_.erase(seen);
    }
  ready_.look(actors, able, now());
}

/// Not even when all is calm do timers come back: the rescuer alone must get everything done.
void world::lose_timers() {
  if (plan_.faults.timer_lost > 0 && random_.hit(plan_.faults.timer_lost)
      && virtual_.lose_next_timers() > 0)
    seen_.count(event_kind::timer_lost);
}

void world::advance() {
  if (run_due())
    return;
  watch_loss();
  set_frozen_aside();
  const bool rush = !calm_ && random_.hit(plan_.faults.clock_rush);
  if (scheduler().has_job() && !rush)
    return handle_one();
  if (rush) {
    seen_.count(event_kind::clock_rushed);
    ready_.interrupt();
  } else {
    check_ready();
  }
  const auto wait =
      agenda_.empty() ? core::duration{10s} : agenda_.begin()->first - virtual_.elapsed();
  lose_timers();
  virtual_.advance_to_next_timer(now() + std::max(wait, core::duration::zero()));
}

// --- processes ---

process_ptr world::start_process(const std::string& name) {
  auto p = std::make_shared<process>();
  p->number = ++processes_started_;
  auto& s = p->settings;
  s.name = name;
  s.incarnation = {ids_.next(now())};
  s.address = name + ":" + to_string(s.incarnation).substr(9, 9);
  s.version = "test";
  s.seed = random_.next();
  s.shards = plan_.shards;
  s.lease_time = plan_.node_lease_time;
  s.dial_interval = 500ms;
  s.forward_patience = plan_.forward_patience;
  s.heartbeat_interval = plan_.node_lease_time / 3;
  s.batching = {plan_.batch_max, plan_.high_water, plan_.rejoin_max};
  s.writer_lanes = plan_.writer_lanes;
  s.writer_retry_min = 10ms;
  s.writer_retry_max = plan_.retry_max;
  s.extension_delay = 1s;
  s.intake_interval = 1s;
  s.sweep_interval = 5s;
  s.session_grace = plan_.session_grace;
  s.leases_max = plan_.leases_max;
  s.unit_idle_timeout = plan_.unit_idle_timeout;
  s.units_live_max = plan_.units_live_max;
  s.unit_prefetch = plan_.unit_prefetch;
  s.events_batch_max = plan_.events_batch_max;
  s.events_redeliver_after = plan_.redeliver_after;
  s.events_high_water = plan_.events_high_water;
  s.events_retention = 24h * 7; // the auditor reads the whole history
  s.events_prune_interval = 60s;
  s.restarts = {plan_.restarts_max, 10s};
  s.blocking_store = false;
  s.objects = objects_;
  s.inline_bytes = 150;
  s.object_lanes = 2;
  s.objects_sweep_after = 45s; // longer than any outage here
  s.objects_sweep_interval = 5s;
  s.webhooks = receivers_;
  // What follows refers to the process, so only its actors may hold it.
  auto running = s;
  running.open_store = [this, p] { return open_store(p); };
  running.dial = virtual_.network->dialer(s.address);
  running.on_gateway = [this, p](const msg::member_gateway_actor& opened) {
    if (p->dead)
      return;
    p->gateway = bug_.wrap(*virtual_.system, opened);
    virtual_.network->listen(p->settings.address, opened);
  };
  running.log = [this, p](actors::log_level, const std::string& event,
                          const actors::log_fields& fields) {
    const auto text = [&] {
      auto line = "log of " + p->settings.name + ' '
                  + to_string(p->settings.incarnation).substr(9, 4) + ": " + event;
      for (const auto& [key, value] : fields)
        line += ' ' + key + '=' + value;
      return line;
    };
    log_.note(text);
    if (event == "shards_handed_over")
      seen_.count(event_kind::handover);
    if (event == "child_down")
      objects_->asker_crashed();
    if (event == "actor_crashed") // by an exception: nothing that a client does may raise one
      audit_.blame("no exception", text());
  };
  own_new_actors(0);
  p->root = actors::spawn_node(*virtual_.system, std::move(running));
  own_new_actors(p->number);
  // Held, because an actor that nobody refers to is gone before it hears of anything.
  p->watcher = virtual_.system->spawn([this, p](caf::event_based_actor* self) {
    self->monitor(p->root);
    self->set_down_handler([=](const caf::down_msg& down) {
      self->quit();
      p->gateway = nullptr;
      p->root = nullptr;
      p->watcher = nullptr;
      if (p->dead)
        return;
      p->dead = true;
      say_restored();
      virtual_.network->close(p->settings.address);
      seen_.count(event_kind::node_ended);
      log_.note(
          [&] { return "node " + p->settings.name + " ends: " + caf::to_string(down.reason); });
      restart_later(p->settings.name);
    });
    return caf::behavior{[](caf::unit_t) {}};
  });
  log_.note([&] {
    return "node " + name + " starts as incarnation " + to_string(s.incarnation).substr(9, 4);
  });
  processes_.push_back(p);
  return p;
}

std::unique_ptr<persistence::store> world::open_store(const process_ptr& p) {
  return std::make_unique<connection>(
      bug_.wrap(std::make_unique<persistence::memory_store>(virtual_.database),
                [p] { return p->thawed; }),
      p, database_faults_, seen_, losses_, [this] { look_for_generation(); });
}

void world::kill(const process_ptr& p, const char* why) {
  if (p->dead)
    return;
  log_.note([&] {
    return "node " + p->settings.name + ' ' + to_string(p->settings.incarnation).substr(9, 4)
           + " is killed: " + why;
  });
  p->dead = true;
  p->cut = true;
  say_restored();
  thaw(p); // to its end
  p->gateway = nullptr;
  virtual_.network->close(p->settings.address);
  caf::anon_send_exit(p->root, caf::exit_reason::user_shutdown);
}

void world::restart_later(const std::string& name) {
  after(random_.span(0ms, 3s), [=] {
    if (loss_is_unnoticed())
      return restart_later(name);
    forget_ended();
    const bool runs = std::any_of(processes_.begin(), processes_.end(), [&](const auto& p) {
      return !p->dead && p->settings.name == name;
    });
    if (!runs && processes_.size() < processes_max)
      start_process(name);
  });
}

void world::forget_ended() {
  processes_.erase(
      std::remove_if(processes_.begin(), processes_.end(), [](const auto& p) { return p->dead; }),
      processes_.end());
}

msg::gateway_actor world::pick_gateway(std::uint64_t pick) {
  std::vector<msg::gateway_actor> open;
  for (const auto& p : processes_)
    if (p->gateway)
      open.push_back(p->gateway);
  return open.empty() ? msg::gateway_actor{} : open[pick % open.size()];
}

process_ptr world::pick_process() {
  forget_ended();
  return processes_.empty() ? nullptr : random_.one_of(processes_);
}

// --- faults ---

void world::maybe_fault() {
  if (loss_is_unnoticed())
    return;
  // One number decides: the rates are small, so that they may share it.
  auto drawn = random_.below(1'000'000);
  const auto& f = plan_.faults;
  const auto strikes = [&](std::uint32_t rate) {
    if (drawn < rate)
      return true;
    drawn -= rate;
    return false;
  };
  if (strikes(f.outage))
    outage();
  else if (strikes(f.node_kill))
    kill_and_restart();
  else if (strikes(f.node_drain))
    drain_and_restart();
  else if (strikes(f.zombie))
    zombie();
  else if (strikes(f.partition))
    partition();
  else if (strikes(f.frozen_heartbeat))
    freeze_heartbeat();
  else if (strikes(f.lines_cut))
    cut_lines();
  else if (strikes(f.object_lost))
    objects_->lose_one();
  else if (strikes(f.one_way_cut))
    cut_one_way();
  else if (strikes(f.node_frozen))
    freeze();
  else if (strikes(f.history_lost))
    copy_history();
  else if (strikes(f.clock_set))
    set_clock();
  else if (strikes(1'000)) {
    database_faults_.finish_late();
    database_faults_.draw_refusals();
  }
}

void world::outage() {
  seen_.count(event_kind::outage);
  log_.note([] { return std::string{"the database is unreachable"}; });
  virtual_.database->set_reachable(false);
  ready_.interrupt();
  after(random_.span(10ms, 6s), [this] {
    log_.note([] { return std::string{"the database is reachable again"}; });
    ready_.interrupt();
    virtual_.database->set_reachable(true);
  });
}

void world::kill_and_restart() {
  const auto p = pick_process();
  if (!p)
    return;
  seen_.count(event_kind::node_killed);
  kill(p, "fault");
  restart_later(p->settings.name);
}

void world::drain_and_restart() {
  const auto p = pick_process();
  if (!p)
    return;
  seen_.count(event_kind::node_drained);
  log_.note([&] { return "node " + p->settings.name + " drains"; });
  caf::anon_send(p->root, actors::drain{});
}

void world::zombie() {
  const auto old = pick_process();
  if (!old || processes_.size() >= processes_max)
    return;
  seen_.count(event_kind::zombie);
  start_process(old->settings.name);
  after(random_.span(10ms, 10s), [=] { kill(old, "zombie"); });
}

void world::partition() {
  const auto p = pick_process();
  if (!p || p->cut)
    return;
  seen_.count(event_kind::partition);
  log_.note([&] { return "node " + p->settings.name + " is cut off"; });
  p->cut = true;
  after(random_.span(10ms, 15s), [=] {
    if (p->dead)
      return;
    log_.note([&] { return "node " + p->settings.name + " is back"; });
    p->cut = false;
  });
  if (processes_.size() < processes_max && random_.below(4) != 0)
    start_process(p->settings.name + '\'');
}

void world::freeze_heartbeat() {
  const auto p = pick_process();
  if (!p)
    return;
  seen_.count(event_kind::frozen_heartbeat);
  log_.note([&] { return "the heartbeat of node " + p->settings.name + " freezes"; });
  p->no_renewals = true;
  after(random_.span(1s, 20s), [=] { p->no_renewals = false; });
  if (processes_.size() < processes_max && random_.below(2) == 0)
    start_process(p->settings.name + '"');
}

void world::cut_lines() {
  seen_.count(event_kind::lines_cut);
  const auto p = pick_process();
  if (!p || random_.below(2) == 0) {
    log_.note([] { return std::string{"all connections between nodes break"}; });
    virtual_.network->cut_lines();
    return;
  }
  const auto address = p->settings.address;
  log_.note([&] { return "node " + p->settings.name + " is isolated"; });
  virtual_.network->isolate(address, true);
  after(random_.span(10ms, 10s), [=] { virtual_.network->isolate(address, false); });
}

/// What one node says does not reach another one, which is heard all the same.
void world::cut_one_way() {
  const auto from = pick_process();
  const auto to = pick_process();
  if (!from || from == to)
    return;
  seen_.count(event_kind::one_way_cut);
  const auto speaks = from->settings.address;
  const auto hears = to->settings.address;
  log_.note([&] { return "node " + to->settings.name + " does not hear " + from->settings.name; });
  virtual_.network->cut_one_way(speaks, hears, true);
  const auto noticed = random_.span(10ms, 5s);
  after(noticed, [=] { virtual_.network->cut_lines_of(speaks); });
  after(noticed + random_.span(0ms, 10s),
        [=] { virtual_.network->cut_one_way(speaks, hears, false); });
}

/// As SIGSTOP does, or a machine whose disk hangs: the process hears and does nothing. Then it goes
/// on in the middle of what it did, and must not do harm.
void world::freeze() {
  const auto p = pick_process();
  if (!p || p->frozen)
    return;
  seen_.count(event_kind::node_frozen);
  log_.note([&] { return "node " + p->settings.name + " freezes"; });
  p->frozen = true;
  set_aside_[p->number];
  ready_.interrupt();
  after(random_.span(1s, 10s), [=] {
    if (p->frozen) // who spoke to it has heard nothing for that long
      virtual_.network->cut_lines_of(p->settings.address);
  });
  after(random_.span(plan_.node_lease_time / 2, plan_.node_lease_time * 5), [=] { thaw(p); });
  if (processes_.size() < processes_max && random_.below(2) == 0)
    start_process(p->settings.name + '*');
}

void world::thaw(const process_ptr& p) {
  if (!std::exchange(p->frozen, false))
    return;
  p->thawed = true;
  log_.note([&] { return "node " + p->settings.name + " thaws"; });
  ready_.interrupt();
  const auto waiting = set_aside_.extract(p->number);
  auto& jobs = scheduler().jobs;
  jobs.insert(jobs.end(), waiting.mapped().begin(), waiting.mapped().end());
}

test::message_fate world::fate_of_message() {
  const auto& f = plan_.faults;
  test::message_fate fate;
  const auto strikes = [&](std::uint32_t rate, event_kind kind) {
    if (rate == 0 || !random_.hit(rate))
      return false;
    seen_.count(kind);
    return true;
  };
  fate.lost = strikes(f.message_lost, event_kind::message_lost);
  fate.answer_lost = !fate.lost && strikes(f.answer_lost, event_kind::answer_lost);
  if (fate.lost || fate.answer_lost) {
    fate.noticed_after = random_.span(10ms, 5s);
    log_.note([&] {
      return std::string{"a line between nodes "} + (fate.lost ? "swallows" : "loses answers");
    });
    return fate;
  }
  if (strikes(f.message_late, event_kind::message_late))
    fate.late = random_.span(1ms, 2s);
  fate.doubled = strikes(f.message_doubled, event_kind::message_doubled);
  return fate;
}

bool world::crash_next() {
  if (loss_is_unnoticed() || plan_.faults.actor_crash == 0
      || !random_.hit(plan_.faults.actor_crash))
    return false;
  auto* actor = dynamic_cast<caf::scheduled_actor*>(scheduler().jobs.front());
  if (actor == nullptr || !may_crash(actor->name()))
    return false;
  seen_.count(event_kind::actor_crashed);
  const std::string_view crashed{actor->name()};
  if (crashed == "objects" || crashed == "object_keeper")
    objects_->asker_crashed();
  log_.mix(actor->id());
  log_.note(
      [&] { return std::string{actor->name()} + '#' + std::to_string(actor->id()) + " crashes"; });
  caf::anon_send_exit(caf::actor_cast<caf::strong_actor_ptr>(actor), caf::exit_reason::kill);
  return true;
}

// --- liveness ---

void world::calm_down() {
  log_.note([] { return std::string{"--- calm ---"}; });
  calm_ = true;
  field_.calm = true;
  kept_.reset();
  agenda_.clear();
  database_faults_.stop();
  objects_->stop();
  for (const auto& p : processes_)
    thaw(p);
  virtual_.network->heal();
  forget_ended();
  while (processes_.size() > plan_.nodes) {
    kill(processes_.front(), "no more are needed now");
    forget_ended();
  }
  if (processes_.empty())
    start_process("n");
  for (const auto& p : processes_) {
    p->cut = false;
    p->no_renewals = false;
    virtual_.network->isolate(p->settings.address, false);
  }
  // What was late or frozen is dealt with before anybody mends what it has done.
  while (scheduler().has_job() && !audit_.found())
    handle_one();
  // A chain passes each step at most three times, and several may become one; who is excluded from
  // the rest of it must not be needed there.
  const auto chains = plan_.gathers.empty() ? 1 : chains_of_batch_max;
  const auto units_of_chain = plan_.excludes ? 3 * steps_of_chain(plan_) * chains : 1;
  if (plan_.units > 0)
    for (std::uint32_t i = 0; i < plan_.slots_max * units_of_chain + 2; ++i)
      start_closer(*virtual_.system, field_, i);
  if (plan_.machine.tasks > 0)
    start_task_closers(*virtual_.system, field_);
  for (const auto& s : subscribers_)
    wake_subscriber(*virtual_.system, s);
  receivers_->calm_down();
}

bool world::quiet() {
  return field_.era % 2 == 0 && !field_.steering && !field_.repairing && audit_.unfinished().empty()
         && receivers_->missing().empty()
         && std::all_of(subscribers_.begin(), subscribers_.end(),
                        [](const auto& s) { return s->caught_up(); });
}

void world::finish_work() {
  const auto begun = now();
  const auto last_message = messages_ + calm_messages_max;
  const auto last_time = now() + calm_time_max;
  bool done = false;
  while (!done && !audit_.found() && messages_ < last_message && now() < last_time) {
    while (scheduler().has_job() && !audit_.found())
      handle_one();
    done = quiet();
    audit_.tasks().check_prompt(begun, now());
    advance();
  }
  field_.over = true; // everybody goes home
  const auto end = now() + aftermath;
  while (done && !audit_.found() && messages_ < last_message && now() < end)
    advance();
  log_.at(messages_, now());
  for (const auto& s : subscribers_)
    if (!audit_.found() && !s->caught_up())
      audit_.blame("subscribers", s->name + " has not got everything although all is calm");
  if (const auto missing = receivers_->missing(); !audit_.found() && !missing.empty())
    audit_.blame("webhooks", "receivers have not got everything although all is calm: " + missing);
  if (audit_.found())
    return;
  audit_.check_quiescent(now());
  // As somebody sees it who is no node.
  audit_.check_settled(*persistence::memory_store{virtual_.database}.renew({}, {}));
  check_searches();
}

void world::check_searches() {
  if (plan_.units == 0)
    return;
  forget_ended();
  for (const auto& p : processes_)
    for (const auto* contributor : {"closer0", nobody})
      if (p->gateway)
        start_seeker(*virtual_.system, field_, p->gateway, contributor);
  const auto end = now() + 60s;
  while (field_.seekers > 0 && !audit_.found() && now() < end)
    advance();
  if (field_.seekers > 0 && !audit_.found())
    audit_.blame("searches", "a search has no answer although all is calm");
}

run_report world::run() {
  for (std::uint32_t i = 0; i < plan_.nodes; ++i)
    start_process("n" + std::to_string(i));
  if (plan_.units > 0)
    start_requester(*virtual_.system, field_);
  if (plan_.machine.tasks > 0)
    start_task_clients(*virtual_.system, field_);
  for (std::uint32_t i = 0; i < plan_.contributors; ++i)
    start_contributor(*virtual_.system, field_, i);
  for (std::uint32_t i = 0; i < 2; ++i)
    subscribers_.push_back(start_subscriber(*virtual_.system, field_, i));
  if (plan_.webhooks)
    start_webhook_operator(*virtual_.system, field_, receivers_);
  database_faults_.draw_refusals();
  while (messages_ < options_.steps && !audit_.found()) {
    maybe_fault();
    advance();
  }
  if (!audit_.found()) {
    calm_down();
    finish_work();
  }
  run_report report;
  report.virtual_time = virtual_.elapsed() - begun_;
  shut_down();
  for (const auto& actor : left_behind()) {
    const auto* local = dynamic_cast<caf::local_actor*>(actor->get());
    if (std::string_view{local->name()} != "scheduled_actor") // CAF's own
      audit_.blame("shutdown", "an actor is left behind when all nodes have ended: "
                                   + std::string{local->name()} + '#'
                                   + std::to_string(actor->id()));
  }
  report.hash = log_.hash();
  report.messages = messages_;
  report.commits = audit_.commits();
  report.judgments = audit_.acknowledged_judgments();
  report.tasks = audit_.tasks().seen();
  report.seen = seen_;
  const auto count = [&](event_kind kind, std::uint64_t times) {
    report.seen.counts[static_cast<std::size_t>(kind)] = times;
  };
  count(event_kind::gathered, audit_.batches());
  count(event_kind::list_gathered, audit_.whole_lists());
  count(event_kind::batch_taken_apart, audit_.taken_apart());
  count(event_kind::reissued, audit_.reissued());
  count(event_kind::child_canceled, audit_.canceled_with_parent());
  count(event_kind::child_taken, audit_.interrupted());
  count(event_kind::child_withdrawn, audit_.withdrawn());
  count(event_kind::child_made_anew, audit_.made_anew());
  report.found = audit_.found();
  report.trace = log_.lines();
  return report;
}

run_report run_seed(const run_options& options) {
  world w{options};
  return w.run();
}

} // namespace holdfast::sim
