#include "tests/examples/linker_world.hpp"

#include "client/lease_end.hpp"
#include "examples/record_linker/sweeper.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <variant>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
namespace lib = holdfast::client; // `client` is one of the tests' own here

constexpr std::size_t workers = 50;
constexpr auto ttl = 60s;
constexpr auto claim_wait = 60s;
constexpr double speed = 1;

// Often enough that each kind of mishap happens in every run.
constexpr double dies = 0.005;
constexpr double hangs = 0.002;

template <class Answer>
core::outcome<Answer> result_of(const answer<Answer>& answered) {
  if (answered.value)
    return *answered.value;
  return *answered.error;
}

} // namespace

struct linker_world::worker {
  explicit worker(virtual_worker as) : self(std::move(as)) {}

  virtual_worker self;
  awaited_answer<msg::claim_tasks> asked; ///< Null when it has not.
  std::optional<msg::leased_task> task;
  std::optional<lib::outcome> how; ///< What its handler said; none after a death.
  core::instant wakes;
  virtual_thread hands; ///< Last: what it runs uses the others.
};

/// The API, and what happens to a worker while it waits for the answer.
class linker_world::api_at_work : public linker::entity_api {
public:
  explicit api_at_work(linker_world& world) : world_(world) {}

  linker::reply ask(const std::string& label, const std::string& credential,
                    core::instant) override {
    auto& who = *world_.running_;
    auto& book = world_.books_[label];
    auto said = world_.called(label, credential);
    const bool hung = world_.chance(hangs);
    who.wakes =
        world_.now() + (hung ? core::duration{ttl + 30s} : 200ms + world_.random() % 1800 * 1ms);
    world_.counts.hung += hung ? 1U : 0U;
    const bool fatal = world_.poisoned_.count(label) != 0 || (!hung && world_.chance(dies));
    book.losses += hung || fatal ? 1U : 0U;
    who.hands.suspend();
    if (fatal)
      throw worker_died{};
    return said;
  }

private:
  linker_world& world_;
};

linker_world::linker_world(std::uint64_t seed)
    : node_fixture(seed), seed_(seed), api_(seed, speed) {
  watches_actors = false; // nobody asks for them, and they are many
  auto& settings = prepare().settings;
  settings.heartbeat_interval = 10min; // else most of the run would be heartbeats
  settings.lease_time = 1h;
  settings.intake_interval = 1min;
  settings.sweep_interval = 1min;
  start();
  handler_ = std::make_unique<linker::match_handler>(
      links, std::make_shared<api_at_work>(*this), [this](const std::string&) { ++counts.dropped; },
      speed);
  BOOST_REQUIRE(call(msg::put_queue{linker::queue_name, linker::queue_policy(ttl, speed)}).value);
  for (std::size_t i = 0; i < workers; ++i)
    workers_.push_back(std::make_unique<worker>(
        virtual_worker{*this, linker::queue_name, "w" + std::to_string(++names_)}));
}

linker_world::~linker_world() {
  workers_.clear();
  silent_.clear();
}

void linker_world::add_project(std::uint32_t project, std::size_t records,
                               const std::string& credential) {
  links->add_project(project);
  for (std::size_t i = 0; i < records; ++i)
    links->add(project, credential);
}

void linker_world::out_of_order(core::duration from, core::duration until) {
  outages_.emplace_back(now() + from, now() + until);
}

bool linker_world::chance(double probability) {
  return static_cast<double>(random() % 10'000) < probability * 10'000;
}

linker::reply linker_world::truth(const std::string& label) const {
  return linker::truth_of(seed_, label);
}

msg::queue_statistics linker_world::queue_counts() {
  const auto counted = ask(msg::get_queue_statistics{linker::queue_name});
  BOOST_REQUIRE(static_cast<bool>(counted));
  return *counted;
}

// --- time ---

void linker_world::run_for(core::duration span) {
  const auto end = now() + span;
  while (now() < end) {
    settle();
    bool acted = false;
    for (auto& who : workers_)
      acted |= serve(*who);
    most_at_work_ = std::max(most_at_work_, static_cast<std::size_t>(std::count_if(
                                                workers_.begin(), workers_.end(),
                                                [](const auto& w) { return !w->hands.idle(); })));
    if (!acted)
      advance_to_next_timer(std::min(end, next_wake()));
  }
  settle();
}

void linker_world::run_until_empty(core::duration limit) {
  const auto end = now() + limit;
  while (!database->tables().tasks.empty() && now() < end)
    run_for(5s);
  BOOST_REQUIRE(database->tables().tasks.empty());
}

core::instant linker_world::next_wake() const {
  auto next = core::instant::max();
  for (const auto& who : workers_)
    if (!who->hands.idle())
      next = std::min(next, who->wakes);
  return next;
}

// --- workers ---

/// Does what the worker has to do at this instant; false when that is nothing.
bool linker_world::serve(worker& who) {
  if (!who.hands.idle()) {
    if (who.wakes > now())
      return false;
    go_on(who);
    return true;
  }
  if (!who.asked) {
    claim(who);
    return true;
  }
  if (!who.asked->arrived())
    return false;
  BOOST_REQUIRE(who.asked->value);
  const auto given = std::move(who.asked->value->tasks);
  who.asked = nullptr;
  if (!given.empty())
    begin(who, given.front());
  return true;
}

void linker_world::claim(worker& who) {
  auto request = who.self.claim(linker::task_type, 1);
  request.wait = claim_wait;
  request.tied = true;
  who.asked = who.self.send(request);
}

void linker_world::begin(worker& who, const msg::leased_task& task) {
  who.task = task;
  who.how.reset();
  running_ = &who;
  who.hands.start([this, &who] {
    const lib::task_context context{
        std::make_shared<const msg::leased_task>(*who.task), std::make_shared<lib::lease_watch>(),
        [](const msg::task_update&) { return true; }, [this] { return now(); }};
    try {
      who.how = handler_->run(context);
    } catch (const worker_died&) {
    }
  });
  hand_in(who);
}

void linker_world::go_on(worker& who) {
  running_ = &who;
  who.hands.resume();
  hand_in(who);
}

void linker_world::hand_in(worker& who) {
  if (!who.hands.idle())
    return;
  if (!who.how)
    return die(who);
  const auto refusal = who.self.hand_in(*who.task, *who.how);
  if (refusal != core::errc::none) {
    BOOST_TEST((lib::lease_is_over(refusal) || refusal == core::errc::not_found), refusal);
    ++counts.refused;
    return;
  }
  const auto* failed = std::get_if<lib::failed>(&*who.how);
  if (failed != nullptr && failed->kind == core::failure_kind::rate_limited) {
    ++counts.rate_limited;
    pauses_.push_back({who.task->credential, now(), now() + failed->retry_after});
  }
}

/// Half of the time the node sees the connection break, else the lease has to run out. Whoever
/// restarts the process gives it another name.
void linker_world::die(worker& who) {
  ++counts.deaths;
  if (chance(0.5))
    who.self.disconnect();
  else
    silent_.push_back(std::move(who.self));
  who.self = virtual_worker{*this, linker::queue_name, "w" + std::to_string(++names_)};
}

std::string linker_world::sweep_as_scheduled() {
  virtual_worker who{*this, linker::sweep_queue, "sweeper"};
  const auto given = who.send(who.claim(linker::sweep_type, 10));
  settle();
  BOOST_REQUIRE(given->value);
  BOOST_REQUIRE(given->value->tasks.size() == 1U); // each waits for the one before
  const auto task = given->value->tasks.front();
  linker::sweep_handler handler{links, {std::shared_ptr<void>{}, static_cast<node_port*>(this)}};
  const auto how = handler.run(
      {std::make_shared<const msg::leased_task>(task), std::make_shared<lib::lease_watch>(),
       [](const msg::task_update&) { return true; }, [this] { return now(); }});
  BOOST_TEST((who.hand_in(task, how) == core::errc::none));
  return std::get<lib::done>(how).result;
}

std::size_t linker_world::at_work_on(std::uint32_t project) const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(), [&](const auto& who) {
        return !who->hands.idle() && linker::link_in(who->task->body)->project == project;
      }));
}

// --- the API ---

linker::reply linker_world::called(const std::string& label, const std::string& credential) {
  const bool down = std::any_of(outages_.begin(), outages_.end(), [&](const auto& outage) {
    return outage.first <= now() && now() < outage.second;
  });
  auto said = down ? linker::reply{linker::outage{}} : api_.ask(label, credential, now());
  counts.failed_calls += down ? 1U : 0U;
  books_[label].verdicts += linker::is_verdict(said) ? 1U : 0U;
  calls_.push_back({now(), credential, label, said});
  return said;
}

// C9, C34, C35: in every sliding second, whatever the answers were
void linker_world::check_rates() const {
  constexpr double burst = 1;
  const auto peak = linker::most_calls(calls_, 1s);
  BOOST_TEST(peak.size() == 2U);
  for (const auto& [credential, calls] : peak)
    BOOST_TEST(static_cast<double>(calls) <= linker::rate_of(credential) + burst, credential);
}

// C36
void linker_world::check_pauses_after_429() const {
  std::size_t broken = 0;
  for (const auto& quiet : pauses_)
    broken +=
        static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), [&](const auto& made) {
          return made.credential == quiet.credential && made.at > quiet.from
                 && made.at < quiet.until;
        }));
  BOOST_TEST(broken == 0U);
}

// C22: after a verdict is stored nobody asks again
void linker_world::check_calls_per_record() const {
  for (const auto& [label, book] : books_)
    BOOST_TEST(book.verdicts <= 1 + book.losses, label);
}

// --- the node ---

core::outcome<msg::task_outcomes> linker_world::ask(const msg::enqueue_tasks& request) {
  return result_of(call(request));
}

core::outcome<msg::task_view> linker_world::ask(const msg::get_task& request) {
  return result_of(call(request));
}

core::outcome<msg::tasks_redriven> linker_world::ask(const msg::redrive_tasks& request) {
  return result_of(call(request));
}

core::outcome<msg::queue_statistics> linker_world::ask(const msg::get_queue_statistics& request) {
  return result_of(call(request));
}

} // namespace holdfast::test
