#include "tests/examples/identity_world.hpp"

#include "client/lease_end.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <variant>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
namespace lib = holdfast::client; // `client` is one of the tests' own here

const core::queue_name queue = "kyc";
constexpr auto ttl = 60s;
constexpr auto spread = 48h;
constexpr auto limit = 10 * 24h;

// Often enough that each kind of mishap happens in every run.
constexpr double dies_at_a_save = 0.02;
constexpr double dies_at_the_end = 0.02;
constexpr double sleeps = 0.02;
constexpr double node_dies = 0.03;
constexpr double called_while_polling = 0.5;
constexpr double overtaken = 0.3;
constexpr double receiver_dies = 0.05;

} // namespace

/// The service, and what happens while a worker waits for its answer.
class identity_world::service_at_work : public identity::verification_service {
public:
  explicit service_at_work(identity_world& world) : world_(world) {}

  identity::reply ask(identity::check what, const core::task_id& who, core::instant now) override {
    auto said = world_.service_.ask(what, who, now);
    if (const auto* yes = std::get_if<identity::accepted>(&said)) {
      world_.on_asked(what, who);
      world_.plan_calls(who, yes->tracking);
    }
    return said;
  }

  identity::reply look(const std::string& tracking, core::instant now) override {
    auto said = world_.service_.look(tracking, now);
    if (std::holds_alternative<identity::verdict>(said))
      world_.on_found(tracking);
    return said;
  }

private:
  identity_world& world_;
};

/// The node as the receiver of callbacks sees it, and what happens between any two of its requests.
struct identity_world::port : identity::task_port {
  explicit port(identity_world& w) : world(w) {}

  core::outcome<msg::task_view> ask(const msg::get_task& request) override {
    return result_of(world.call(request));
  }

  core::outcome<msg::leased_tasks> ask(const msg::eject_task& request) override {
    world.disturb(request.task, false);
    auto taken = result_of(world.call(request));
    if (taken)
      for (const auto& task : taken->tasks)
        world.granted(task.task, task.token);
    return taken;
  }

  core::outcome<msg::task_outcome> ask(const msg::release_task& request) override {
    world.disturb(request.task.task, true);
    if (world.chance(receiver_dies))
      return core::failure{core::errc::unavailable, "the receiver has died"};
    auto given = result_of(world.call(request));
    if (given && given->refusal == core::errc::none)
      world.stored(request.task.task, request.task.token, request.update);
    else if (given)
      world.refused(request.task.task, request.task.token, given->refusal);
    return given;
  }

  template <class Answer>
  static core::outcome<Answer> result_of(const answer<Answer>& answered) {
    if (answered.value)
      return *answered.value;
    return *answered.error;
  }

  identity_world& world;
};

identity_world::identity_world(std::uint64_t seed, std::size_t verifications)
    : node_fixture(seed),
      service_(seed, 1),
      service_at_work_(std::make_shared<service_at_work>(*this)),
      handler_(identity::make_router(service_at_work_, identity::patience{})),
      port_(std::make_unique<port>(*this)),
      receiver_(std::make_unique<identity::callback_receiver>(*port_, queue, "callbacks", seed)) {
  watches_actors = false; // nobody asks for them, and they are many
  start_node();
  // The last verification may end a week after the first one, and all are looked at in the end.
  auto policy = nlohmann::json::parse(identity::queue_policy(ttl));
  policy["retention_seconds"] = std::chrono::duration_cast<std::chrono::seconds>(2 * limit).count();
  BOOST_REQUIRE(call(msg::put_queue{queue, policy.dump()}).value);
  for (const auto* name : {"ana", "bob", "eve"})
    workers_.push_back(std::make_unique<virtual_worker>(*this, queue, name));

  msg::enqueue_tasks batch{queue, {}};
  for (std::size_t i = 0; i < verifications; ++i) {
    people_.push_back(fresh<core::task_id>());
    books_[people_.back()];
    auto& request = batch.tasks.emplace_back();
    request.task = people_.back();
    request.type = identity::task_type;
    request.body = "{}";
    request.run_at = now() + spread * i / verifications;
  }
  const auto made = call(batch);
  BOOST_REQUIRE(made.value);
  for (const auto& outcome : made.value->outcomes)
    BOOST_TEST(outcome.refusal == core::errc::none);
}

identity_world::~identity_world() { workers_.clear(); }

bool identity_world::chance(double probability) {
  return static_cast<double>(random() % 10'000) < probability * 10'000;
}

/// Days pass: without these, most of the run would be heartbeats.
void identity_world::start_node() {
  auto& settings = prepare().settings;
  settings.heartbeat_interval = 10min;
  settings.lease_time = 1h;
  settings.sweep_interval = 1h;
  settings.events_prune_interval = 24h;
  start();
}

// --- workers ---

void identity_world::run() {
  const auto end = now() + limit;
  while (!database->tables().tasks.empty() && now() < end) {
    for (auto& who : workers_)
      claim_and_work(*who);
    deliver_due();
    wake_sleepers();
    advance(std::max<core::duration>(1s, std::min(next_event(), end) - now()));
  }
}

void identity_world::claim_and_work(virtual_worker& who) {
  auto request = who.claim(identity::task_type, 1 + static_cast<std::uint32_t>(random() % 3));
  request.tied = chance(0.5);
  const auto asked = who.send(request);
  settle();
  const auto& given = *asked;
  BOOST_REQUIRE(given.value);
  for (const auto& task : given.value->tasks)
    granted(task.task, task.token);
  const auto deaths = counts.deaths;
  for (const auto& task : given.value->tasks)
    if (counts.deaths == deaths) // else whatever it still held dies with it
      run_one(who, task);
}

void identity_world::run_one(virtual_worker& who, const msg::leased_task& task) {
  books_.at(task.task).worked_under = task.token;
  const lib::task_context context{
      std::make_shared<const msg::leased_task>(task), std::make_shared<lib::lease_watch>(),
      [&](const msg::task_update& update) { return save(who, task, update); },
      [this] { return now(); }};
  try {
    auto how = handler_.run(context);
    if (chance(dies_at_the_end))
      die(who);
    else if (chance(sleeps))
      fall_asleep(who, task, std::move(how));
    else
      hand_in(who, task, how);
  } catch (const worker_died&) {
    die(who);
  }
  auto& book = books_.at(task.task);
  book.wasted += book.asking ? 1U : 0U;
  book.asking = false;
}

bool identity_world::save(virtual_worker& who, const msg::leased_task& task,
                          const msg::task_update& update) {
  if (chance(dies_at_a_save))
    throw worker_died{};
  if (chance(node_dies) && !interrupted_) {
    start_node();
    ++counts.restarts;
  }
  const auto refusal = who.save(task, update);
  if (refusal == core::errc::none)
    stored(task.task, task.token, update);
  else
    refused(task.task, task.token, refusal);
  return refusal == core::errc::none;
}

void identity_world::hand_in(virtual_worker& who, const msg::leased_task& task,
                             const lib::outcome& how) {
  BOOST_REQUIRE(!std::holds_alternative<lib::failed>(how)); // is for mistakes
  const auto* wait = std::get_if<lib::wait_until>(&how);
  const auto refusal = who.hand_in(task, how);
  if (refusal != core::errc::none) {
    refused(task.task, task.token, refusal);
    counts.late += wait == nullptr ? 1U : 0U;
  } else if (wait != nullptr) {
    stored(task.task, task.token, wait->update);
  }
}

/// Its thread stands still until long after the lease.
void identity_world::fall_asleep(virtual_worker& who, const msg::leased_task& task,
                                 lib::outcome how) {
  sleepers_.emplace(now() + ttl + 1min, sleeper{&who, task, std::move(how)});
  ++counts.deaths;
}

void identity_world::wake_sleepers() {
  while (!sleepers_.empty() && sleepers_.begin()->first <= now()) {
    const auto late = std::move(sleepers_.begin()->second);
    sleepers_.erase(sleepers_.begin());
    hand_in(*late.who, late.task, late.how);
  }
}

/// Half of the time the node sees the connection break, else the lease has to run out.
void identity_world::die(virtual_worker& who) {
  ++counts.deaths;
  if (chance(0.5))
    who.disconnect();
}

// --- the service and its callbacks ---

/// D8, D11: what was found and stored is never asked for again, nor by somebody who knows that
/// others have the task.
void identity_world::on_asked(identity::check what, const core::task_id& who) {
  auto& book = books_.at(who);
  BOOST_TEST(book.finished.count(what) == 0U);
  BOOST_TEST(holds(book, book.worked_under));
  ++book.asked[what];
  book.asking = true;
}

/// A worker has just been told a verdict. Often the service calls back before it can store it.
void identity_world::on_found(const std::string& tracking) {
  if (interrupted_ || !chance(called_while_polling))
    return;
  const auto planned = std::find_if(calls_.begin(), calls_.end(), [&](const auto& entry) {
    return entry.second.call.tracking == tracking;
  });
  if (planned == calls_.end())
    return;
  const auto call = planned->second;
  calls_.erase(planned);
  deliver(call);
}

void identity_world::plan_calls(const core::task_id& who, const std::string& tracking) {
  const auto times = service_.callbacks(tracking);
  counts.never_called += times.empty() ? 1U : 0U;
  for (const auto at : times)
    calls_.emplace(at, planned_call{who, {tracking, service_.finding(tracking)}});
}

void identity_world::deliver(const planned_call& planned) {
  const auto before = receiver_->taken_from_others();
  switch (receiver_->receive(planned.who, planned.call, now())) {
  case identity::reception::applied:
    ++counts.applied;
    break;
  case identity::reception::not_awaited:
    ++counts.not_awaited;
    break;
  case identity::reception::undone:
    ++counts.undone;
    break;
  }
  counts.taken += receiver_->taken_from_others() - before;
}

void identity_world::deliver_due() {
  while (!calls_.empty() && calls_.begin()->first <= now()) {
    const auto due = calls_.begin()->second;
    calls_.erase(calls_.begin());
    deliver(due);
  }
}

/// Somebody is faster than the receiver of a callback: before it takes the task, a worker that
/// polls; when it has `taken` it, somebody else who takes it in turn.
void identity_world::disturb(const core::task_id& who, bool taken) {
  if (interrupted_ || !chance(overtaken))
    return;
  interrupted_ = true;
  if (taken) {
    msg::eject_task eject;
    eject.queue = queue;
    eject.task = who;
    BOOST_REQUIRE(call(eject).value);
    auto& book = books_.at(who);
    book.revoked = book.last_token;
  } else {
    call(msg::change_task{queue, who, static_cast<std::uint8_t>(core::task_verb::retry)});
    claim_and_work(*workers_[random() % workers_.size()]);
  }
  interrupted_ = false;
}

// --- books ---

// I-3
void identity_world::granted(const core::task_id& task, core::token token) {
  auto& book = books_.at(task);
  BOOST_TEST(token > book.last_token);
  book.last_token = token;
}

bool identity_world::holds(const account& book, core::token token) {
  return token == book.last_token && token > book.revoked;
}

/// D29, D33: only who holds the lease is heard, and the state goes where it may.
void identity_world::stored(const core::task_id& task, core::token token,
                            const msg::task_update& update) {
  auto& book = books_.at(task);
  BOOST_TEST(holds(book, token));
  if (update.state.empty())
    return;
  const auto v = identity::verification_of(update.state, update.data);
  BOOST_REQUIRE(v);
  const auto to = identity::state_of(*v);
  if (to == book.at)
    return;
  const auto& allowed = identity::next_states(book.at);
  BOOST_TEST((std::find(allowed.begin(), allowed.end(), to) != allowed.end()));
  book.at = to;
  if (identity::under_way(*v)) {
    book.asking = false;
  } else {
    BOOST_TEST(book.finished.insert(v->findings.back().what).second);
    if (v->findings.back().by == identity::source::polling)
      ++counts.found_by_polling;
  }
}

void identity_world::refused(const core::task_id& task, core::token token, core::errc why) {
  const auto& book = books_.at(task);
  ++counts.stale;
  BOOST_TEST(lib::lease_is_over(why), why);
  // Ended by another's lease, or taken away, or run out while its worker slept.
  BOOST_TEST((!holds(book, token) || database->tables().task_leases.count(task) == 0));
}

core::instant identity_world::next_event() const {
  const auto& tables = database->tables();
  auto next = now() + limit;
  for (const auto& [id, row] : tables.tasks) {
    const auto lease = tables.task_leases.find(id);
    next = std::min(next, lease == tables.task_leases.end() ? row.progress.next_action
                                                            : lease->second.expires_at);
  }
  if (!calls_.empty())
    next = std::min(next, calls_.begin()->first);
  if (!sleepers_.empty())
    next = std::min(next, sleepers_.begin()->first);
  return next;
}

void identity_world::check_the_end() const {
  const auto& tables = database->tables();
  BOOST_TEST(tables.tasks.empty());
  BOOST_TEST(tables.finished_tasks.size() == people_.size());
  // D30, D33: recorded, each one
  BOOST_TEST(tables.late_results.size() == counts.late);
  for (const auto& who : people_)
    BOOST_TEST_CONTEXT(core::to_string(who))
  check_one(who);
}

// D1
void identity_world::check_one(const core::task_id& who) const {
  const auto found = database->tables().finished_tasks.find(who);
  BOOST_REQUIRE(found != database->tables().finished_tasks.end());
  const auto& ended = found->second;
  const auto& book = books_.at(who);
  BOOST_TEST(ended.ending == core::task_ending::completed);
  const auto verdict = identity::to_string(service_.truth(who));
  BOOST_TEST(ended.task.progress.state == verdict);
  const auto result = nlohmann::json::parse(ended.result);
  BOOST_TEST(result["verdict"].get<std::string>() == verdict);
  BOOST_TEST(result["findings"].size() == book.finished.size());
  std::uint32_t asked = 0;
  for (const auto& [what, times] : book.asked)
    asked += times;
  // Asked once for each finding, and once more for each job that a death has lost.
  BOOST_TEST(asked == book.finished.size() + book.wasted);
}

} // namespace holdfast::test
