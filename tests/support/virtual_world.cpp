#include "tests/support/virtual_world.hpp"

#include "actors/internal_messages.hpp"
#include "messages/registry.hpp"
#include "tests/support/forwarding_store.hpp"

#include <caf/detail/test_actor_clock.hpp>
#include <caf/scheduled_actor.hpp>

#include <algorithm>

namespace holdfast::test {

namespace {

/// Where virtual time begins: some day, so that an instant near zero is seen to be a mistake.
constexpr core::duration epoch = std::chrono::hours{24 * 365 * 55};

/// A store whose line to the database a test can cut.
class line_store : public forwarding_store {
public:
  line_store(std::unique_ptr<persistence::store> inner, std::function<bool()> cut,
             std::function<bool()> no_renewals)
      : forwarding_store(std::move(inner)),
        cut_(std::move(cut)),
        no_renewals_(std::move(no_renewals)) {}

  persistence::commit_result commit(const persistence::write_batch& batch) override {
    if (const auto why = obstacle())
      return {persistence::commit_status::unavailable, {}, why->detail};
    return inner().commit(batch);
  }
  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    if (no_renewals_())
      return core::failure{core::errc::unavailable, "the test has stopped renewals"};
    return forwarding_store::renew(incarnation, lease_time);
  }

protected:
  std::optional<core::failure> obstacle() override {
    if (!cut_())
      return std::nullopt;
    return core::failure{core::errc::unavailable, "the test has cut the line"};
  }

private:
  std::function<bool()> cut_;
  std::function<bool()> no_renewals_;
};

core::duration since_start(caf::actor_clock::time_point at) {
  return std::chrono::duration_cast<core::duration>(at.time_since_epoch());
}

/// Turns a message that wakes into one that is not the latest; false for any other message.
bool make_void(caf::type_erased_tuple& message) {
  if (message.match_elements<actors::queue_tick>())
    message.get_mutable_as<actors::queue_tick>(0).at = {};
  else if (message.match_elements<actors::expiry_tick>())
    message.get_mutable_as<actors::expiry_tick>(0).at = {};
  else
    return false;
  return true;
}

} // namespace

virtual_world::virtual_world(std::uint64_t seed) : random(seed), random_order_(seed != 0) {
  config.set("scheduler.policy", caf::atom("testing"));
  msg::register_messages(config);
  system = std::make_unique<caf::actor_system>(config);
  scheduler().clock().current_time += std::chrono::hours{1};
  database =
      std::make_shared<persistence::memory_database>([this] { return now() + database_ahead; });
  network = std::make_unique<virtual_network>(*system);
  objects = std::make_shared<holdfast::objects::memory_object_store>([this] { return now(); });
}

virtual_world::~virtual_world() {
  after_each = nullptr;
  // Requests that nobody will answer run into their timeouts, so that their senders end and the
  // actor system need not wait for them.
  advance(std::chrono::hours{2});
}

caf::scheduler::test_coordinator& virtual_world::scheduler() const {
  return dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler());
}

core::instant virtual_world::now() const {
  return core::instant{epoch + elapsed() + clock_set_by_};
}

core::duration virtual_world::elapsed() const { return since_start(scheduler().clock().now()); }

bool virtual_world::choose_next() {
  auto& jobs = scheduler().jobs;
  if (random_order_ && jobs.size() > 1)
    std::swap(jobs.front(), jobs[random() % jobs.size()]);
  if (held_back.empty())
    return !jobs.empty();
  const auto next = std::find_if(jobs.begin(), jobs.end(), [&](caf::resumable* job) {
    const auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
    return actor == nullptr || actor->name() != held_back;
  });
  if (next == jobs.end())
    return false;
  std::rotate(jobs.begin(), next, std::next(next));
  return true;
}

bool virtual_world::step() {
  if (!choose_next())
    return false;
  auto& jobs = scheduler().jobs;
  if (watches_actors && !jobs.empty())
    remember(jobs.front());
  const bool ran = scheduler().try_run_once();
  if (ran && after_each)
    after_each();
  return ran;
}

void virtual_world::remember(caf::resumable* job) {
  if (auto* actor = dynamic_cast<caf::scheduled_actor*>(job))
    seen_.emplace(actor->id(), caf::actor_cast<caf::weak_actor_ptr>(actor->ctrl()));
}

std::vector<caf::actor> virtual_world::actors_named(const std::string& name) const {
  std::vector<caf::actor> found;
  for (const auto& [id, known] : seen_) {
    const auto alive = caf::actor_cast<caf::strong_actor_ptr>(known);
    if (!alive)
      continue;
    auto* actor = dynamic_cast<caf::scheduled_actor*>(caf::actor_cast<caf::abstract_actor*>(alive));
    if (!actor->mailbox().closed() && name == actor->name())
      found.push_back(caf::actor_cast<caf::actor>(alive));
  }
  return found;
}

void virtual_world::crash(const caf::actor& victim) {
  caf::anon_send(
      victim, caf::exit_msg{victim.address(),
                            msg::to_error(core::errc::unavailable, "the test crashes this actor")});
}

void virtual_world::settle() {
  while (step()) {
  }
}

bool virtual_world::advance_to_next_timer(core::instant limit) {
  auto& clock = scheduler().clock();
  const auto& timers = clock.schedule();
  const auto left = limit - now();
  if (timers.empty() || since_start(timers.begin()->first) - since_start(clock.now()) > left) {
    clock.current_time += left;
    return false;
  }
  const auto wait = timers.begin()->first - clock.now();
  scheduler().advance_time(std::max(wait, decltype(wait)::zero()));
  return true;
}

std::size_t virtual_world::lose_next_timers() {
  const auto& timers = scheduler().clock().schedule();
  std::size_t lost = 0;
  for (const auto& [due, event] : timers) {
    if (due != timers.begin()->first)
      break;
    if (auto* wake = dynamic_cast<caf::detail::simple_actor_clock::actor_msg*>(event.get()))
      lost += make_void(wake->content->content()) ? 1U : 0U;
  }
  return lost;
}

void virtual_world::advance(core::duration d) {
  const auto end = now() + d;
  settle();
  while (advance_to_next_timer(end))
    settle();
}

virtual_node::virtual_node(virtual_world& w, const std::string& name, std::uint64_t seed)
    : world(w), line_(std::make_shared<line>()), alive_(std::make_shared<bool>(true)) {
  using namespace std::chrono_literals;
  core::uuid_source ids{seed};
  settings.name = name;
  settings.incarnation = {ids.next(w.now())};
  settings.address = name + ':' + std::to_string(seed);
  settings.version = "test";
  settings.seed = seed;
  settings.dial_interval = 500ms;
  settings.reader_lanes = 2;
  settings.forward_patience = 3s;
  settings.shards = 2;
  settings.heartbeat_interval = 1500ms;
  settings.lease_time = 5s;
  settings.writer_retry_min = 50ms;
  settings.writer_retry_max = 2s;
  settings.extension_delay = 1s;
  settings.intake_interval = 1s;
  settings.sweep_interval = 15s;
  settings.session_grace = 30s;
  settings.unit_idle_timeout = 60s;
  settings.events_redeliver_after = 10s;
  settings.events_retention = 24h * 7;
  settings.events_prune_interval = 60s;
  settings.objects = w.objects;
  settings.objects_sweep_after = 24h;
  settings.objects_sweep_interval = 6h;
  settings.blocking_store = false;
  settings.open_store = [database = world.database, line = line_] {
    return std::make_unique<line_store>(
        std::make_unique<persistence::memory_store>(database), [line] { return line->cut; },
        [line] { return line->no_renewals; });
  };
}

virtual_node::~virtual_node() {
  if (!ended_)
    kill();
  *alive_ = false;
}

void virtual_node::start() {
  settings.log = [this, alive = alive_](actors::log_level level, const std::string& event,
                                        const actors::log_fields& fields) {
    if (!*alive || level < actors::log_level::warning)
      return;
    auto text = event;
    for (const auto& [key, value] : fields)
      text += ' ' + key + '=' + value;
    log.push_back(std::move(text));
  };
  settings.dial = world.network->dialer(settings.address);
  settings.on_gateway = [this, alive = alive_](const msg::member_gateway_actor& opened) {
    if (!*alive)
      return;
    gateway = opened;
    world.network->listen(settings.address, opened);
  };
  root = actors::spawn_node(*world.system, settings);
  // Held, because an actor that nobody refers to is gone before it hears of anything.
  watcher_ =
      world.system->spawn([this, alive = alive_, watched = root](caf::event_based_actor* self) {
        self->monitor(watched);
        self->set_down_handler([=](const caf::down_msg& down) {
          if (*alive) {
            ended_ = true;
            end_reason_ = down.reason;
            world.network->close(settings.address);
          }
          self->quit();
        });
        return caf::behavior{[](caf::unit_t) {}};
      });
}

void virtual_node::kill() {
  line_->cut = true;
  gateway = nullptr;
  world.network->close(settings.address);
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  world.advance(std::chrono::seconds{1});
  root = nullptr;
}

void virtual_node::cut_off(bool cut) { line_->cut = cut; }

void virtual_node::isolate(bool isolated) { world.network->isolate(settings.address, isolated); }

void virtual_node::stop_renewals(bool stop) { line_->no_renewals = stop; }

} // namespace holdfast::test
