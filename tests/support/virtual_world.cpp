#include "tests/support/virtual_world.hpp"

#include "messages/registry.hpp"

#include <caf/detail/test_actor_clock.hpp>
#include <caf/scheduled_actor.hpp>

#include <algorithm>

namespace holdfast::test {

namespace {

/// Where virtual time begins: some day, so that an instant near zero is seen to be a mistake.
constexpr core::duration epoch = std::chrono::hours{24 * 365 * 55};

/// A store whose line to the database a test can cut.
class line_store : public persistence::store {
public:
  line_store(std::unique_ptr<persistence::store> inner, std::function<bool()> cut,
             std::function<bool()> no_renewals)
      : inner_(std::move(inner)), cut_(std::move(cut)), no_renewals_(std::move(no_renewals)) {}

  core::outcome<core::instant> now() override {
    return call<core::instant>([&] { return inner_->now(); });
  }
  persistence::commit_result commit(const persistence::write_batch& batch) override {
    if (cut_())
      return {persistence::commit_status::unavailable, {}, "the test has cut the line"};
    return inner_->commit(batch);
  }
  core::outcome<bool> ensure_shards(std::uint32_t count) override {
    return call<bool>([&] { return inner_->ensure_shards(count); });
  }
  core::outcome<bool> publish_limits(const persistence::document_limits& limits) override {
    return call<bool>([&] { return inner_->publish_limits(limits); });
  }
  core::outcome<bool> register_node(const std::string& name, core::incarnation_id incarnation,
                                    const std::string& address) override {
    return call<bool>([&] { return inner_->register_node(name, incarnation, address); });
  }
  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            bool force) override {
    return call<std::vector<persistence::shard_fence>>(
        [&] { return inner_->take_over(node, incarnation, shards, lease_time, force); });
  }
  core::outcome<persistence::renewal> renew(core::incarnation_id incarnation,
                                            core::duration lease_time) override {
    if (no_renewals_())
      return core::failure{core::errc::unavailable, "the test has stopped renewals"};
    return call<persistence::renewal>([&] { return inner_->renew(incarnation, lease_time); });
  }
  core::outcome<bool> resign(core::incarnation_id incarnation) override {
    return call<bool>([&] { return inner_->resign(incarnation); });
  }
  core::outcome<persistence::stored_step>
  load_step(core::step_id step,
            const std::function<core::lease_policy(const std::string&, std::uint32_t)>& policy_of)
      override {
    return call<persistence::stored_step>([&] { return inner_->load_step(step, policy_of); });
  }
  core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units, const core::lease_policy& policy) override {
    return call<std::vector<core::unit_record>>([&] { return inner_->load_units(units, policy); });
  }
  core::outcome<persistence::stored_workflow> load_workflow(core::workflow_id workflow) override {
    return call<persistence::stored_workflow>([&] { return inner_->load_workflow(workflow); });
  }
  core::outcome<std::vector<std::pair<std::string, core::unit_id>>>
  find_source_keys(core::step_id step, const std::vector<std::string>& keys) override {
    return call<std::vector<std::pair<std::string, core::unit_id>>>(
        [&] { return inner_->find_source_keys(step, keys); });
  }
  core::outcome<std::vector<core::step_row>> list_steps(core::step_id after,
                                                        std::uint32_t limit) override {
    return call<std::vector<core::step_row>>([&] { return inner_->list_steps(after, limit); });
  }
  core::outcome<std::pair<std::vector<persistence::unit_result>, std::uint64_t>>
  list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) override {
    return call<std::pair<std::vector<persistence::unit_result>, std::uint64_t>>(
        [&] { return inner_->list_results(step, after, limit); });
  }
  core::outcome<persistence::step_statistics> statistics(core::step_id step) override {
    return call<persistence::step_statistics>([&] { return inner_->statistics(step); });
  }
  core::outcome<persistence::stored_queue> load_queue(const core::queue_name& queue) override {
    return call<persistence::stored_queue>([&] { return inner_->load_queue(queue); });
  }
  core::outcome<std::vector<core::put_queue>> list_queues() override {
    return call<std::vector<core::put_queue>>([&] { return inner_->list_queues(); });
  }
  core::outcome<std::vector<persistence::known_task>>
  find_tasks(const std::vector<core::task_id>& tasks) override {
    return call<std::vector<persistence::known_task>>([&] { return inner_->find_tasks(tasks); });
  }
  core::outcome<std::vector<persistence::finished_task>>
  list_finished(const persistence::finished_filter& filter) override {
    return call<std::vector<persistence::finished_task>>(
        [&] { return inner_->list_finished(filter); });
  }
  core::outcome<persistence::task_history> load_task(core::task_id task) override {
    return call<persistence::task_history>([&] { return inner_->load_task(task); });
  }
  core::outcome<std::vector<core::queue_name>> queues_with_staged() override {
    return call<std::vector<core::queue_name>>([&] { return inner_->queues_with_staged(); });
  }
  core::outcome<persistence::staged_page>
  load_staged(const core::queue_name& queue, std::uint32_t limit, std::size_t bytes_most) override {
    return call<persistence::staged_page>(
        [&] { return inner_->load_staged(queue, limit, bytes_most); });
  }
  core::outcome<persistence::queue_counts> count_tasks(const core::queue_name& queue) override {
    return call<persistence::queue_counts>([&] { return inner_->count_tasks(queue); });
  }
  core::outcome<std::vector<persistence::stored_event>>
  events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) override {
    return call<std::vector<persistence::stored_event>>(
        [&] { return inner_->events_after(shard, after, limit); });
  }
  core::outcome<core::event_seq> cursor(const std::string& consumer,
                                        core::shard_id shard) override {
    return call<core::event_seq>([&] { return inner_->cursor(consumer, shard); });
  }
  core::outcome<std::vector<core::event_seq>>
  inbox_after(const std::string& consumer, core::shard_id shard, core::event_seq after) override {
    return call<std::vector<core::event_seq>>(
        [&] { return inner_->inbox_after(consumer, shard, after); });
  }
  core::outcome<std::uint32_t> prune_tasks(core::shard_id shard, core::incarnation_id incarnation,
                                           const core::queue_name& queue,
                                           core::instant ended_before,
                                           std::uint32_t rows) override {
    return call<std::uint32_t>(
        [&] { return inner_->prune_tasks(shard, incarnation, queue, ended_before, rows); });
  }
  core::outcome<std::uint32_t> prune_refused(core::shard_id shard, core::incarnation_id incarnation,
                                             const core::queue_name& queue,
                                             core::instant refused_before,
                                             std::uint32_t rows) override {
    return call<std::uint32_t>(
        [&] { return inner_->prune_refused(shard, incarnation, queue, refused_before, rows); });
  }
  core::outcome<std::uint32_t> prune_events(core::shard_id shard, core::incarnation_id incarnation,
                                            const persistence::prunable& most) override {
    return call<std::uint32_t>([&] { return inner_->prune_events(shard, incarnation, most); });
  }

private:
  template <class T, class Call>
  core::outcome<T> call(Call f) {
    if (cut_())
      return core::failure{core::errc::unavailable, "the test has cut the line"};
    return f();
  }

  std::unique_ptr<persistence::store> inner_;
  std::function<bool()> cut_;
  std::function<bool()> no_renewals_;
};

core::duration since_start(caf::actor_clock::time_point at) {
  return std::chrono::duration_cast<core::duration>(at.time_since_epoch());
}

} // namespace

virtual_world::virtual_world(std::uint64_t seed) : random(seed), random_order_(seed != 0) {
  config.set("scheduler.policy", caf::atom("testing"));
  msg::register_messages(config);
  system = std::make_unique<caf::actor_system>(config);
  scheduler().clock().current_time += std::chrono::hours{1};
  database = std::make_shared<persistence::memory_database>([this] { return now(); });
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
  return core::instant{epoch + since_start(scheduler().clock().now())};
}

bool virtual_world::step() {
  auto& jobs = scheduler().jobs;
  if (random_order_ && jobs.size() > 1)
    std::swap(jobs.front(), jobs[random() % jobs.size()]);
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
  settings.address = "virtual";
  settings.version = "test";
  settings.seed = seed;
  settings.shards = 2;
  settings.heartbeat_interval = 1500ms;
  settings.lease_time = 5s;
  settings.writer_retry_min = 50ms;
  settings.writer_retry_max = 2s;
  settings.extension_delay = 1s;
  settings.intake_interval = 1s;
  settings.session_grace = 30s;
  settings.unit_idle_timeout = 60s;
  settings.events_redeliver_after = 10s;
  settings.events_retention = 24h * 7;
  settings.events_prune_interval = 60s;
  settings.blocking_store = false;
}

virtual_node::~virtual_node() {
  if (!ended_)
    kill();
  *alive_ = false;
}

void virtual_node::start() {
  settings.open_store = [database = world.database, line = line_] {
    return std::make_unique<line_store>(
        std::make_unique<persistence::memory_store>(database), [line] { return line->cut; },
        [line] { return line->no_renewals; });
  };
  settings.log = [this, alive = alive_](actors::log_level level, const std::string& event,
                                        const actors::log_fields& fields) {
    if (!*alive || level < actors::log_level::warning)
      return;
    auto text = event;
    for (const auto& [key, value] : fields)
      text += ' ' + key + '=' + value;
    log.push_back(std::move(text));
  };
  settings.on_gateway = [this, alive = alive_](const msg::gateway_actor& opened) {
    if (*alive)
      gateway = opened;
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
          }
          self->quit();
        });
        return caf::behavior{[](caf::unit_t) {}};
      });
}

void virtual_node::kill() {
  line_->cut = true;
  gateway = nullptr;
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  world.advance(std::chrono::seconds{1});
  root = nullptr;
}

void virtual_node::cut_off(bool cut) { line_->cut = cut; }

void virtual_node::stop_renewals(bool stop) { line_->no_renewals = stop; }

} // namespace holdfast::test
