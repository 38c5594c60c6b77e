#include "bench/soak/load.hpp"

#include "bench/soak/asking.hpp"
#include "bench/soak/troublemaker.hpp"
#include "messages/errors.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr int queue_count = 8;
constexpr int workflow_count = 4;
constexpr auto lease_ttl = 3s;
/// How long after its end a lease is used on purpose.
constexpr auto stale_after = lease_ttl + 2s;
/// Requests of producers that are open at the same time. At the usual rate that many gather in
/// twenty seconds without an answer, which is longer than any fault; those beyond are counted and
/// not sent.
constexpr std::uint32_t open_max = 1000;
constexpr auto trouble_pause = 1s;

const std::string policy =
    R"({"lease": {"ttl_seconds": 3, "total_max_seconds": 60},
        "retry": {"max_attempts": 1000, "crashes_max": 100,
                  "least_seconds": 0.1, "most_seconds": 1}})";

const std::string workflow = R"({"name": "soak", "steps": [
  {"key": "one", "judgments_per_unit": 2, "next": ["two"],
   "lease": {"ttl_seconds": 3, "total_max_seconds": 60, "regrant_after_seconds": 1},
   "judgment_schema": {"type": "object", "required": ["answer"],
                       "properties": {"answer": {"enum": ["red", "blue"]}}}},
  {"key": "two", "judgments_per_unit": 1,
   "lease": {"ttl_seconds": 3, "total_max_seconds": 60, "regrant_after_seconds": 1},
   "judgment_schema": {"type": "object", "required": ["answer"],
                       "properties": {"answer": {"enum": ["red", "blue"]}}}}]})";

caf::behavior run_errands(caf::event_based_actor* self) {
  return {[self](const errand& what) { what.run(self); }};
}

} // namespace

struct load::person {
  std::uint32_t number = 0;
  client::connection* node = nullptr;
  core::uuid_source ids{1};
  std::mt19937_64 random;

  std::size_t below(std::size_t limit) { return random() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Id>
  Id fresh() {
    return {ids.next(wall_now())};
  }
};

load::load(caf::actor_system& system, const cluster& nodes, const load_options& options)
    : system_(system), conninfo_(nodes.conninfo()), options_(options) {
  client::retry_policy retry;
  retry.deadline = options.deadline;
  for (std::uint32_t first = 0; first < nodes.size(); ++first) {
    auto endpoints = nodes.endpoints(first);
    // Where each begins is drawn from its seed: mostly at different nodes.
    connections_.push_back(std::make_unique<client::connection>(system_, std::move(endpoints),
                                                                retry, options_.seed + first));
  }
  sender_ = system_.spawn(run_errands);
}

load::~load() {
  stop();
  caf::anon_send_exit(sender_, caf::exit_reason::user_shutdown);
  connections_.clear();
}

/// Asks without waiting, unless too many requests are open already. `then` gets the history and the
/// answer. The time counts from when it should have been asked.
template <class Request, class Then>
void load::send(const person& who, Request request, clock::time_point due, Then then) {
  if (open_ >= open_max) { // producers are few: it may be exceeded by as many
    history_.add([](client_history& all) { ++all.not_sent; });
    return;
  }
  ++open_;
  using answer = msg::answer_to<Request>;
  const auto done = [this, due, then](const core::outcome<answer>& what) {
    history_.add([&](client_history& all) {
      auto timed = timing_of(what, due);
      timed.scheduled = true;
      all.requests.push_back(timed);
      then(all, what);
    });
    --open_;
  };
  caf::anon_send(
      sender_,
      errand{[node = who.node, request = std::move(request), done](caf::event_based_actor* self) {
        self->request(node->gateway(), node->request_timeout(), request)
            .then([done](answer& what) { done(core::outcome<answer>{std::move(what)}); },
                  [done](caf::error& why) { done(core::outcome<answer>{msg::failure_of(why)}); });
      }});
}

template <class Loop>
void load::begin(std::uint32_t number, Loop loop) {
  threads_.emplace_back([this, number, loop] {
    person who;
    who.number = number;
    who.node = connections_[number % connections_.size()].get();
    who.random.seed(options_.seed * 1000 + number);
    who.ids = core::uuid_source{std::random_device{}() + (std::uint64_t{number} << 32)};
    loop(who);
  });
}

void load::start() {
  person me;
  me.node = connections_.front().get();
  me.ids = core::uuid_source{std::random_device{}()};
  const auto must = [](const auto& answer) {
    if (!answer)
      throw std::runtime_error{"setting up: " + answer.error().detail};
    return *answer;
  };
  for (int i = 0; i < queue_count; ++i) {
    queues_.push_back("soak-" + std::to_string(i));
    must(ask(*me.node, history_, msg::put_queue{queues_.back(), policy}));
  }
  queues_of_trouble_ = troublemaker::set_up(*me.node, conninfo_);
  std::vector<core::step_id> second;
  for (int i = 0; i < workflow_count; ++i) {
    const auto made = must(
        ask(*me.node, history_, msg::create_workflow{me.fresh<core::workflow_id>(), workflow}));
    steps_.push_back(made.steps[0].step);
    second.push_back(made.steps[1].step);
  }
  steps_.insert(steps_.end(), second.begin(), second.end());
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < options_.producers; ++i)
    begin(number++, [this](person& who) { produce(who); });
  begin(number++, [this](person& who) { add_units(who); });
  for (std::uint32_t i = 0; i < options_.workers; ++i)
    begin(number++, [this](person& who) { work(who); });
  for (std::uint32_t i = 0; i < options_.contributors; ++i)
    begin(number++, [this](person& who) { contribute(who); });
  begin(number++, [this](person& who) { make_trouble(who); });
}

void load::produce(person& who) {
  const auto step = std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>(options_.producers / options_.enqueues_per_second));
  for (auto due = clock::now(); producing_; due += step) {
    std::this_thread::sleep_until(due);
    if (!producing_)
      return;
    msg::enqueue_tasks request{queues_[who.below(queues_.size())], {}};
    for (auto more = 1 + who.below(10); more > 0; --more) {
      msg::task_request task;
      task.task = who.fresh<core::task_id>();
      task.type = "work";
      task.body = "{}";
      request.tasks.push_back(std::move(task));
    }
    std::vector<core::task_id> tasks;
    for (const auto& task : request.tasks)
      tasks.push_back(task.task);
    send(who, std::move(request), due,
         [tasks = std::move(tasks)](client_history& all, const auto& answer) {
           note_enqueued(all, tasks, answer);
         });
  }
}

void load::add_units(person& who) {
  const auto between = std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>(1 / options_.units_per_second));
  std::uint64_t row = 0;
  for (auto due = clock::now(); producing_; due += between) {
    std::this_thread::sleep_until(due);
    if (!producing_)
      return;
    const auto step = steps_[row % workflow_count];
    const auto key = "row-" + std::to_string(row);
    ++row;
    send(who, msg::add_source_data{step, {{key, R"({"text": "soak"})"}}}, due,
         [step, key](client_history& all, const auto& answer) {
           auto outcome = answer ? told::yes : told_by(answer.error().code);
           if (answer && !answer->problems.empty())
             outcome = told_by(static_cast<core::errc>(answer->problems.front().code));
           all.rows.push_back({step, key, outcome, clock::now()});
         });
  }
}

void load::hand_in(person& who, const core::queue_name& queue, std::vector<completed_task> done) {
  if (done.empty())
    return;
  const auto answer =
      ask(*who.node, history_, completion_of(queue, "w" + std::to_string(who.number), done));
  history_.add([&](client_history& all) { note_completions(all, std::move(done), answer); });
}

void load::work(person& who) {
  struct forgotten {
    clock::time_point due;
    core::queue_name queue;
    completed_task what;
  };
  std::deque<forgotten> late;
  std::uint64_t tries = 0;
  while (!over_) {
    while (!over_ && !late.empty() && late.front().due <= clock::now()) {
      hand_in(who, late.front().queue, {late.front().what});
      late.pop_front();
    }
    msg::claim_tasks claim;
    claim.queue = queues_[who.below(queues_.size())];
    claim.worker = "w" + std::to_string(who.number);
    claim.claim = who.fresh<core::assignment_id>();
    claim.most = 10;
    claim.tied = who.one_in(4);
    claim.wait = 200ms;
    const auto answer = ask(*who.node, history_, claim);
    if (!answer)
      continue;
    std::vector<completed_task> done;
    for (const auto& task : answer->tasks) {
      completed_task result{task.task,
                            task.token,
                            "w" + std::to_string(who.number) + '-' + std::to_string(++tries),
                            told::unknown,
                            false,
                            {}};
      if (!producing_ || !who.one_in(20)) {
        done.push_back(std::move(result));
      } else {
        result.stale = true;
        late.push_back({clock::now() + stale_after, claim.queue, std::move(result)});
      }
    }
    hand_in(who, claim.queue, std::move(done));
  }
}

void load::contribute(person& who) {
  const auto name = "c" + std::to_string(who.number);
  while (!over_) {
    const auto step = steps_[who.below(steps_.size())];
    const auto given =
        ask(*who.node, history_, msg::ask_assignment{step, name, who.fresh<core::assignment_id>()});
    if (!given) {
      std::this_thread::sleep_for(20ms);
      continue;
    }
    if (producing_ && who.one_in(20))
      continue; // forgotten: the lease runs out
    msg::submit_judgment judgment{step,
                                  given->unit,
                                  name,
                                  given->token,
                                  who.fresh<core::judgment_id>(),
                                  R"({"answer": "red"})"};
    const auto taken = ask(*who.node, history_, judgment);
    const auto told_at = clock::now();
    const auto again =
        who.one_in(20) ? std::optional{ask(*who.node, history_, judgment)} : std::nullopt;
    history_.add([&](client_history& all) {
      all.judgments.push_back({judgment.judgment, judgment.unit, name,
                               taken ? told::yes : told_by(taken.error().code), told_at});
      all.trouble.repeated += again && *again && (*again)->repeated ? 1 : 0;
    });
  }
}

void load::make_trouble(person& who) {
  troublemaker one{*who.node, history_, who.ids};
  for (auto due = clock::now(); !over_;) {
    if (producing_ && due <= clock::now()) {
      one.hand_in();
      due = clock::now() + trouble_pause;
    }
    one.work();
  }
}

void load::stop_producing() { producing_ = false; }

/// Tasks and units that are not finished; a very large number when nobody knows.
std::uint64_t load::open_work(person& who) {
  std::uint64_t open = 0;
  auto queues = queues_;
  queues.insert(queues.end(), queues_of_trouble_.begin(), queues_of_trouble_.end());
  for (const auto& queue : queues) {
    const auto counts = ask(*who.node, history_, msg::get_queue_statistics{queue});
    open += counts ? counts->live : 1'000'000;
  }
  for (const auto& step : steps_) {
    const auto counts = ask(*who.node, history_, msg::get_step_statistics{step});
    open += counts ? counts->judgable : 1'000'000;
  }
  return open;
}

bool load::drain(core::duration patience) {
  person me;
  me.node = connections_.back().get();
  const auto until = clock::now() + patience;
  while (open_ > 0 || open_work(me) > 0) {
    if (clock::now() > until)
      return false;
    std::this_thread::sleep_for(200ms);
  }
  return true;
}

void load::stop() {
  producing_ = false;
  over_ = true;
  for (auto& one : threads_)
    one.join();
  threads_.clear();
  while (open_ > 0) // each ends, by its deadline if by nothing else
    std::this_thread::sleep_for(10ms);
}

} // namespace holdfast::soak
