#include "bench/soak/troublemaker.hpp"

#include "bench/soak/asking.hpp"
#include "bench/soak/sql_session.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

const core::worker_id worker = "troublemaker";

const core::queue_name careless = "soak-careless";
/// One try only, so that a task which fails once is a dead letter.
const std::string policy_of_careless =
    R"({"lease": {"ttl_seconds": 3}, "retry": {"max_attempts": 1, "crashes_max": 100}})";
const std::string hopeless = "hopeless"; ///< The type of tasks that fail.

const core::queue_name narrow = "soak-narrow";
constexpr std::size_t room_of_narrow = 20;
const std::string policy_of_narrow =
    R"({"lease": {"ttl_seconds": 3}, "retry": {"max_attempts": 1000, "crashes_max": 100},
        "depth_max": )"
    + std::to_string(room_of_narrow) + "}";

/// Of its own: what an actor decides stands on what it decided before, so it loses that with what
/// is refused. It starts again, and is set aside where that comes to more than five times a minute.
constexpr std::uint64_t rounds_between_unwanted = 15;
const core::queue_name unwanted = "soak-unwanted";

bool is_bad_input(core::errc why) {
  return why == core::errc::payload_invalid || why == core::errc::invalid_argument;
}

/// What came of tasks that were handed in together.
void count(trouble_seen& seen, const msg::task_outcomes& answer) {
  std::uint64_t bad = 0;
  std::uint64_t taken = 0;
  for (const auto& one : answer.outcomes) {
    bad += is_bad_input(one.refusal) ? 1 : 0;
    taken += one.refusal == core::errc::none ? 1 : 0;
    seen.no_room += one.refusal == core::errc::overloaded ? 1 : 0;
    seen.repeated += one.repeated ? 1 : 0;
  }
  if (taken > 0)
    seen.bad_beside_good += bad;
}

} // namespace

troublemaker::troublemaker(const client::connection& node, history& noted, core::uuid_source ids)
    : node_(node), noted_(noted), ids_(ids) {}

std::vector<core::queue_name> troublemaker::set_up(const client::connection& node,
                                                   const std::string& conninfo) {
  for (const auto& [queue, definition] : {std::pair{careless, policy_of_careless},
                                          {narrow, policy_of_narrow},
                                          {unwanted, std::string{"{}"}}})
    if (const auto made = node.ask<msg::queue_view>(msg::put_queue{queue, definition}); !made)
      throw std::runtime_error{"setting up: " + made.error().detail};
  sql_session{conninfo}.run("ALTER TABLE holdfast.tasks ADD CONSTRAINT unwanted CHECK (type <> '"
                            + unwanted + "')");
  return {careless, narrow, unwanted};
}

std::vector<msg::task_request> troublemaker::tasks(std::size_t count, const std::string& type) {
  std::vector<msg::task_request> made(count);
  for (auto& task : made) {
    task.task = {ids_.next(wall_now())};
    task.type = type;
    task.body = "{}";
  }
  return made;
}

void troublemaker::enqueue(const core::queue_name& queue, std::vector<msg::task_request> tasks) {
  std::vector<core::task_id> names;
  for (const auto& task : tasks)
    names.push_back(task.task);
  const auto answer = ask(node_, noted_, msg::enqueue_tasks{queue, std::move(tasks)});
  noted_.add([&](client_history& all) {
    note_enqueued(all, names, answer);
    if (answer)
      count(all.trouble, *answer);
  });
}

void troublemaker::hand_in() {
  auto mixed = tasks(3, "work");
  mixed[1].body = "{no JSON";
  mixed[2].type = hopeless;
  enqueue(careless, mixed);
  enqueue(careless, std::move(mixed));
  enqueue(narrow, tasks(room_of_narrow + 1, "work"));
  if (rounds_++ % rounds_between_unwanted == 0)
    enqueue_unwanted();
}

void troublemaker::enqueue_unwanted() {
  auto made = tasks(1, unwanted);
  const std::vector<core::task_id> name{made.front().task};
  const auto begun = clock::now();
  const auto answer = node_.ask<msg::task_outcomes>(msg::enqueue_tasks{unwanted, std::move(made)});
  noted_.add([&](client_history& all) {
    auto timed = timing_of(answer, begun);
    if (timed.failure == core::errc::refused_by_store) { // as it should be: no request has failed
      timed.failure = core::errc::none;
      ++all.trouble.refused_by_server;
    }
    all.requests.push_back(timed);
    note_enqueued(all, name, answer);
  });
}

void troublemaker::work() {
  work_on(careless);
  work_on(narrow);
}

void troublemaker::work_on(const core::queue_name& queue) {
  msg::claim_tasks claim;
  claim.queue = queue;
  claim.worker = worker;
  claim.claim = {ids_.next(wall_now())};
  claim.most = room_of_narrow;
  claim.wait = 200ms;
  const auto leased = ask(node_, noted_, claim);
  if (!leased)
    return;
  std::vector<completed_task> done;
  for (const auto& task : leased->tasks)
    if (task.type == hopeless)
      fail(queue, {task.task, task.token});
    else
      done.push_back(
          {task.task, task.token, worker + '-' + std::to_string(++tries_), told::unknown, false});
  complete(queue, done);
  complete(queue, done); // once more: nothing comes of that
}

void troublemaker::fail(const core::queue_name& queue, msg::task_ref task) {
  msg::fail_task failed;
  failed.queue = queue;
  failed.worker = worker;
  failed.task = task;
  failed.error_code = hopeless;
  const auto answer = ask(node_, noted_, failed);
  const auto outcome = answer ? told_by(answer->refusal) : told_by(answer.error().code);
  noted_.add([&](client_history& all) {
    all.failed.push_back({failed.task.task, outcome, clock::now()});
    all.trouble.dead_letters += outcome == told::yes ? 1 : 0;
  });
}

void troublemaker::complete(const core::queue_name& queue, std::vector<completed_task> done) {
  if (done.empty())
    return;
  const auto answer = ask(node_, noted_, completion_of(queue, worker, done));
  noted_.add([&](client_history& all) {
    note_completions(all, std::move(done), answer);
    if (answer)
      count(all.trouble, *answer);
  });
}

} // namespace holdfast::soak
