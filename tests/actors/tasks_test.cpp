// Queues and tasks through a whole node: what producers, workers and operators see.

#include "tests/support/forwarding_store.hpp"
#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <set>
#include <utility>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// Whose rows cannot be forgotten now.
struct kept_for_ever {
  std::set<core::queue_name> queues;
  std::set<core::shard_id> shards;
};

/// A store that cannot forget the tasks of some queues, nor the events of some shards.
class store_that_keeps : public forwarding_store {
public:
  store_that_keeps(std::unique_ptr<persistence::store> inner,
                   std::shared_ptr<const kept_for_ever> kept)
      : forwarding_store(std::move(inner)), kept_(std::move(kept)) {}

  core::outcome<std::uint32_t> prune_tasks(core::shard_id shard, core::incarnation_id incarnation,
                                           const core::queue_name& queue,
                                           core::instant ended_before,
                                           std::uint32_t rows) override {
    if (kept_->queues.count(queue) != 0)
      return core::failure{core::errc::refused_by_store, "invalid page in block 7"};
    return forwarding_store::prune_tasks(shard, incarnation, queue, ended_before, rows);
  }
  core::outcome<std::uint32_t> prune_events(core::shard_id shard, core::incarnation_id incarnation,
                                            const persistence::prunable& most) override {
    if (kept_->shards.count(shard) != 0)
      return core::failure{core::errc::refused_by_store, "invalid page in block 7"};
    return forwarding_store::prune_events(shard, incarnation, most);
  }

private:
  std::shared_ptr<const kept_for_ever> kept_;
};

/// Counts the changes of each commit from now on.
struct node_whose_commits_are_watched : node_with_queue {
  void watch_commits() {
    changes.clear();
    database->set_commit_faults([this](const persistence::write_batch& batch) {
      for (const auto& part : batch.shards)
        changes.push_back(part.changes.size());
      return persistence::commit_fault::none;
    });
  }
  ~node_whose_commits_are_watched() { database->set_commit_faults(nullptr); }

  /// A claim of somebody who waits.
  awaited_answer<msg::claim_tasks> waiting(const std::string& worker) {
    auto patient = claim(worker);
    patient.wait = 20s;
    auto answer = send_to_node(patient);
    settle();
    return answer;
  }

  std::vector<std::size_t> changes;
};

/// A node whose store is one of these.
struct node_that_keeps : node_with_queue {
  void start_keeping() {
    auto& settings = prepare().settings;
    settings.events_retention = 1h;
    settings.open_store = [=, kept = kept,
                           open = settings.open_store]() -> std::unique_ptr<persistence::store> {
      return std::make_unique<store_that_keeps>(open(), kept);
    };
    start();
  }
  std::shared_ptr<kept_for_ever> kept = std::make_shared<kept_for_ever>();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tasks, node_with_queue)

// B1, B22, B42, C18, D1, D16-D22, I-13
BOOST_AUTO_TEST_CASE(a_task_is_made_leased_done_and_seen) {
  auto r = request(R"({"to":"ana"})");
  r.owner_id = "requester";
  const auto id = enqueued(r);
  BOOST_TEST(view(id).status == "QUEUED");
  const auto t = one("w1");
  BOOST_TEST((t.task == id));
  BOOST_TEST(t.body == R"({"to":"ana"})");
  BOOST_TEST(t.token == 1U);
  BOOST_TEST(t.attempt == 1U);
  BOOST_TEST(t.max_attempts == 3U);
  BOOST_TEST(view(id).status == "EXECUTING");
  BOOST_TEST(view(id).worker == "w1");
  BOOST_TEST((complete("w1", t, R"({"sent":true})") == core::errc::none));
  const auto done = view(id);
  BOOST_TEST(done.status == "COMPLETED");
  BOOST_TEST(done.result == R"({"sent":true})");
  BOOST_TEST(done.percent == 100U);
  BOOST_TEST(done.owner_id == "requester");
  BOOST_TEST(counts().completed == 1U);
  BOOST_TEST(counts().live == 0U);
}

// C24, C10: a batch in which some are bad
BOOST_AUTO_TEST_CASE(a_bad_task_harms_nobody_else_in_its_batch) {
  msg::enqueue_tasks batch{"mail", {}};
  for (int i = 0; i < 1000; ++i)
    batch.tasks.push_back(request());
  batch.tasks[10].body = "{";
  batch.tasks[20].type.clear();
  batch.tasks[30].version = "2";
  batch.tasks[40].version = "one";
  batch.tasks[50].task = {};
  batch.tasks[60].priority = 1001;
  batch.tasks[70].data = R"("\u0000")";
  batch.tasks[80].task = batch.tasks[81].task;
  const auto answered = call(batch);
  BOOST_REQUIRE(answered.value);
  std::size_t refused = 0;
  for (const auto& outcome : answered.value->outcomes)
    refused += outcome.refusal != core::errc::none ? 1U : 0U;
  BOOST_TEST(refused == 7U);
  BOOST_TEST(answered.value->outcomes[81].repeated);
  BOOST_TEST(counts().live == 992U);
  BOOST_TEST(answered.value->outcomes[30].detail.find("version must be") != std::string::npos);
}

// C22: repeated requests, live, just ended and long ended, and after a restart
BOOST_AUTO_TEST_CASE(making_a_task_again_is_a_repetition_for_ever) {
  const auto r = request();
  enqueued(r);
  BOOST_TEST(enqueue(r).repeated);
  const auto t = one("w1");
  BOOST_TEST((complete("w1", t) == core::errc::none));
  BOOST_TEST(enqueue(r).repeated);
  advance(5s);
  BOOST_TEST(enqueue(r).repeated);
  advance(1h);
  BOOST_TEST(enqueue(r).repeated);
  restart();
  BOOST_TEST(enqueue(r).repeated);
  BOOST_TEST(counts().completed == 1U);
  BOOST_TEST(counts().live == 0U);
}

// C22: the id of a task belongs to it, live, just ended, long ended, and after a restart
BOOST_AUTO_TEST_CASE(another_task_under_a_known_id_is_refused) {
  const auto r = request(R"({"to":"ana"})");
  auto other = r;
  other.body = R"({"to":"bob"})";
  const auto refused = [&] {
    const auto outcome = enqueue(other);
    BOOST_TEST((outcome.refusal == core::errc::already_exists));
    BOOST_TEST(outcome.detail.find("another body") != std::string::npos, outcome.detail);
    BOOST_TEST(enqueue(r).repeated);
  };
  enqueued(r);
  refused();
  const auto t = one("w1");
  refused();
  BOOST_TEST((complete("w1", t) == core::errc::none));
  refused();
  advance(1h);
  refused();
  restart();
  refused();
  BOOST_TEST(counts().completed == 1U);
  BOOST_TEST(counts().live == 0U);
}

// C22: the database is asked of the one that has ended, while the other one still lives; by the
// answer, nobody remembers the end of either
BOOST_AUTO_TEST_CASE(a_repetition_that_is_looked_up_for_long_is_known_as_one) {
  const msg::enqueue_tasks both{"mail", {request(), request()}};
  BOOST_REQUIRE(call(both).value);
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  advance(11s);
  held_back = "reader";
  const auto again = send_to_node(both);
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  advance(16s);
  enqueued(request()); // a decision, by which the queue forgets
  BOOST_TEST(!again->arrived());
  held_back.clear();
  settle();
  BOOST_REQUIRE(again->value);
  for (const auto& outcome : again->value->outcomes)
    BOOST_TEST((outcome.repeated && outcome.refusal == core::errc::none));
  BOOST_TEST(counts().completed == 2U);
  BOOST_TEST(!logged("change_refused"));
}

// I-2, I-3: a lost reply costs nothing
BOOST_AUTO_TEST_CASE(a_claim_or_completion_that_is_repeated_gets_the_same_answer) {
  for (int i = 0; i < 3; ++i)
    enqueued(request());
  const auto c = claim("w1", 2);
  const auto first = claimed(c);
  BOOST_TEST(first.size() == 2U);
  const auto again = claimed(c);
  BOOST_REQUIRE_EQUAL(again.size(), 2U);
  BOOST_TEST((again[0].task == first[0].task && again[0].token == first[0].token));
  BOOST_TEST((complete("w1", first[0]) == core::errc::none));
  BOOST_TEST((complete("w1", first[0]) == core::errc::none));
  advance(1min); // the other one ran out meanwhile; the queue has forgotten the completion
  BOOST_TEST((complete("w1", first[0]) == core::errc::none));
  BOOST_TEST((complete("w1", first[1]) == core::errc::lease_not_held));
  BOOST_TEST((complete("w2", first[0]) == core::errc::none)); // the token says it all
}

BOOST_AUTO_TEST_CASE(a_task_completed_twice_in_one_request_is_a_repetition) {
  enqueued(request());
  const auto t = one("w1");
  const auto answered = call(msg::complete_tasks{
      "mail",
      "w1",
      {{{t.task, t.token}, "1"}, {{t.task, t.token}, "2"}, {{t.task, t.token + 1}, "3"}}});
  BOOST_REQUIRE(answered.value);
  const auto& outcomes = answered.value->outcomes;
  BOOST_TEST((!outcomes[0].repeated && outcomes[0].refusal == core::errc::none));
  BOOST_TEST((outcomes[1].repeated && outcomes[1].refusal == core::errc::none));
  BOOST_TEST((outcomes[2].refusal == core::errc::lease_not_held));
  BOOST_TEST(view(t.task).result == "1");
}

// C31, C32, B65-B67: errors
BOOST_AUTO_TEST_CASE(a_task_that_keeps_failing_is_dead_and_can_be_redriven) {
  const auto id = enqueued(request());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const auto t = one("w1");
    BOOST_TEST(t.attempt == static_cast<std::uint32_t>(attempt));
    BOOST_TEST((fail("w1", t, core::failure_kind::transient) == core::errc::none));
    BOOST_TEST(claimed(claim("w1")).empty()); // not at once
    advance(10s);
  }
  BOOST_TEST(view(id).status == "ERROR");
  BOOST_TEST(view(id).error_code == "SMTP_BUSY");
  BOOST_TEST(counts().dead == 1U);
  const auto redriven = call(msg::redrive_tasks{"mail", "", "SMTP_BUSY", {}, 100});
  BOOST_REQUIRE(redriven.value);
  BOOST_TEST(redriven.value->redriven == 1U);
  BOOST_TEST(!redriven.value->more);
  const auto t = one("w2");
  BOOST_TEST((t.task == id));
  BOOST_TEST(t.token == 4U); // I-3: it goes on where it was
  BOOST_TEST((complete("w2", t) == core::errc::none));
  BOOST_TEST(counts().completed == 1U);
  BOOST_TEST(counts().dead == 0U);
}

// I-13: what the database does not know yet
BOOST_AUTO_TEST_CASE(a_task_canceled_after_its_revival_is_not_revived_again) {
  const auto id = enqueued(request());
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const msg::redrive_tasks again{"mail", "", "", {}, 100};
  const auto first = send_to_node(again);
  settle();
  const auto canceled = send_to_node(msg::change_task{"mail", id, 3});
  settle();
  const auto second = send_to_node(again);
  settle();
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_REQUIRE((first->value && canceled->value && second->value));
  BOOST_TEST(first->value->redriven == 1U);
  BOOST_TEST(second->value->redriven == 0U);
  BOOST_TEST(view(id).status == "CANCELED");
}

BOOST_AUTO_TEST_CASE(a_permanent_error_is_the_end) {
  const auto id = enqueued(request());
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  BOOST_TEST(view(id).status == "FAILURE");
}

// C36: Retry-After
BOOST_AUTO_TEST_CASE(a_rate_limit_of_the_world_outside_holds_off_its_kind) {
  enqueued(request());
  enqueued(request());
  auto other = request();
  other.credential = "paid";
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::rate_limited, 20s) == core::errc::none));
  BOOST_TEST(claimed(claim("w1", 10)).empty());
  enqueued(other);
  BOOST_TEST(claimed(claim("w1", 10)).size() == 1U);
  advance(21s);
  const auto later = claimed(claim("w1", 10));
  BOOST_TEST(later.size() == 2U);
  for (const auto& t : later)
    BOOST_TEST(t.attempt == 1U); // it was no try
}

// D14, D15, I-9: a lease that runs out
BOOST_AUTO_TEST_CASE(a_lease_that_runs_out_frees_its_task_and_late_results_are_recorded) {
  const auto id = enqueued(request());
  const auto t = one("w1");
  advance(31s);
  const auto second = one("w2");
  BOOST_TEST((second.task == id));
  BOOST_TEST(second.token == 2U);
  BOOST_TEST((complete("w1", t, R"("late")") == core::errc::lease_not_held));
  BOOST_TEST(database->tables().late_results.size() == 1U);
  BOOST_TEST((complete("w2", second) == core::errc::none));
  BOOST_TEST(view(id).result == "{}");
}

// D26, D36: extension
BOOST_AUTO_TEST_CASE(extended_leases_live_on_and_many_extensions_share_one_commit) {
  for (int i = 0; i < 50; ++i)
    enqueued(request());
  const auto tasks = claimed(claim("w1", 50));
  BOOST_REQUIRE_EQUAL(tasks.size(), 50U);
  advance(20s);
  const auto before = status().commits;
  std::vector<awaited_answer<msg::extend_tasks>> answers;
  for (const auto& t : tasks)
    answers.push_back(send_to_node(msg::extend_tasks{"mail", "w1", {{t.task, t.token}}}));
  advance(2s);
  for (const auto& answered : answers) {
    BOOST_REQUIRE(answered->value);
    BOOST_TEST((answered->value->outcomes.front().refusal == core::errc::none));
  }
  BOOST_TEST(status().commits == before + 1);
  advance(20s); // 42 s after the grant: beyond the first end
  for (const auto& t : tasks)
    BOOST_TEST((complete("w1", t) == core::errc::none));
}

// A worker that has all it can do says nothing for a while, and its queue begins anew meanwhile.
BOOST_AUTO_TEST_CASE(a_worker_that_ends_after_a_crash_of_its_queue_gives_back_what_it_holds) {
  const auto id = enqueued(request());
  client worker{*this};
  auto c = claim("w1");
  c.tied = true;
  const auto got = worker.send(node->gateway, c);
  settle();
  BOOST_REQUIRE(got->value);
  BOOST_REQUIRE(got->value->tasks.size() == 1U);
  crash(the_actor("queue"));
  advance(1s);
  BOOST_TEST(counts().leased == 1U);
  worker.disconnect();
  settle();
  BOOST_TEST(counts().leased == 0U);
  BOOST_TEST((one("w2").task == id));
}

BOOST_AUTO_TEST_CASE(a_worker_that_ends_while_its_queue_begins_anew_gives_back_what_it_holds) {
  enqueued(request());
  client worker{*this};
  auto c = claim("w1");
  c.tied = true;
  const auto got = worker.send(node->gateway, c);
  settle();
  BOOST_REQUIRE(got->value);
  database->set_reachable(false);
  crash(the_actor("queue"));
  settle();
  worker.disconnect();
  settle();
  database->set_reachable(true);
  advance(3s); // far less than its lease
  BOOST_TEST(counts().leased == 0U);
}

// C33: poison
BOOST_AUTO_TEST_CASE(a_task_that_kills_its_workers_is_dead_and_its_siblings_are_not) {
  const auto poison = enqueued(request());
  std::vector<core::task_id> others;
  for (int i = 0; i < 5; ++i)
    others.push_back(enqueued(request()));
  for (int life = 0; life < 8; ++life) {
    client worker{*this};
    const auto name = "w" + std::to_string(life);
    auto c = claim(name, 10);
    c.tied = true;
    const auto got = worker.send(node->gateway, c);
    settle();
    BOOST_REQUIRE(got->value);
    bool dies = false;
    for (const auto& t : got->value->tasks)
      if (t.task == poison)
        dies = true;
      else if (!dies) // it works through them in order, until it meets the poison
        BOOST_TEST((complete(name, t) == core::errc::none));
    worker.disconnect();
    settle();
    advance(10s);
  }
  BOOST_TEST(view(poison).status == "ERROR");
  BOOST_TEST(view(poison).error_code == "WORKER_LOST");
  for (const auto& id : others)
    BOOST_TEST(view(id).status == "COMPLETED");
}

// D30-D33: a callback wins over a poller
BOOST_AUTO_TEST_CASE(an_ejected_owner_is_told_and_its_result_is_not_applied) {
  const auto id = enqueued(request());
  client poller{*this};
  auto c = claim("poller");
  c.tied = true;
  const auto got = poller.send(node->gateway, c);
  settle();
  BOOST_REQUIRE(got->value);
  const auto polled = got->value->tasks.front();
  msg::eject_task callback;
  callback.queue = "mail";
  callback.task = id;
  callback.update.state = "DELIVERED";
  callback.update.data = R"({"by":"callback"})";
  callback.worker = "callback";
  callback.claim = fresh<core::assignment_id>();
  const auto taken = call(callback);
  BOOST_REQUIRE(taken.value);
  BOOST_REQUIRE_EQUAL(taken.value->tasks.size(), 1U);
  const auto mine = taken.value->tasks.front();
  BOOST_TEST(mine.token == 2U);
  BOOST_TEST(mine.state == "DELIVERED");
  BOOST_REQUIRE_EQUAL(poller.lost().size(), 1U);
  BOOST_TEST((poller.lost().front().task == id));
  BOOST_TEST((complete("poller", polled) == core::errc::lease_not_held));
  BOOST_TEST(view(id).data == R"({"by":"callback"})");
  const auto repeated = call(callback);
  BOOST_REQUIRE(repeated.value);
  BOOST_TEST(repeated.value->tasks.front().token == 2U);
  BOOST_TEST((complete("callback", mine) == core::errc::none));
  // Its task has ended: it is still the same request.
  const auto late = call(callback);
  BOOST_REQUIRE(late.value);
  BOOST_TEST(late.value->tasks.empty());
}

// D33, "Repeat anything": the answer was lost, and somebody else went on
BOOST_AUTO_TEST_CASE(an_ejection_that_is_repeated_takes_the_task_from_nobody_else) {
  for (const bool for_nobody : {true, false})
    for (const bool restarted : {false, true})
      BOOST_TEST_CONTEXT("for nobody " << for_nobody << ", restarted " << restarted) {
        const auto id = enqueued(request());
        one("poller");
        msg::eject_task callback;
        callback.queue = "mail";
        callback.task = id;
        callback.update.data = R"({"by":"callback"})";
        callback.claim = fresh<core::assignment_id>();
        if (!for_nobody)
          callback.worker = "callback";
        const auto first = call(callback);
        BOOST_REQUIRE(first.value);
        BOOST_REQUIRE(first.value->tasks.size() == (for_nobody ? 0U : 1U));
        if (!for_nobody) {
          msg::release_task back;
          back.queue = "mail";
          back.worker = "callback";
          back.task = {id, first.value->tasks.front().token};
          BOOST_TEST((call(back).value->refusal == core::errc::none));
        }
        const auto t = one("w1");
        BOOST_TEST((t.task == id));
        msg::save_task save{"mail", "w1", {t.task, t.token}, {}};
        save.update.data = R"({"by":"w1"})";
        BOOST_TEST((call(save).value->refusal == core::errc::none));
        if (restarted)
          restart();
        const auto again = call(callback);
        BOOST_REQUIRE(again.value);
        BOOST_TEST(again.value->tasks.empty());
        BOOST_TEST(view(id).data == R"({"by":"w1"})");
        BOOST_TEST((complete("w1", t) == core::errc::none));
      }
}

// Two callbacks, and the answer to the first was lost.
BOOST_AUTO_TEST_CASE(an_ejection_that_is_repeated_after_another_one_changes_nothing) {
  const auto id = enqueued(request());
  msg::eject_task first;
  first.queue = "mail";
  first.task = id;
  first.update.data = "1";
  first.claim = fresh<core::assignment_id>();
  auto second = first;
  second.update.data = "2";
  second.claim = fresh<core::assignment_id>();
  for (const auto& callback : {first, second, first})
    BOOST_REQUIRE(call(callback).value);
  BOOST_TEST(view(id).data == "2");
  // Without a claim nothing tells it from another one.
  first.claim = {};
  BOOST_REQUIRE(call(first).value);
  BOOST_TEST(view(id).data == "1");
}

BOOST_AUTO_TEST_CASE(an_ejection_under_the_claim_of_another_task_is_refused) {
  const auto other = enqueued(request());
  const auto c = claim("w1");
  BOOST_REQUIRE_EQUAL(claimed(c).size(), 1U);
  const auto id = enqueued(request());
  msg::eject_task callback;
  callback.queue = "mail";
  callback.task = id;
  callback.worker = "w1";
  callback.claim = c.claim;
  BOOST_TEST((call(callback).code() == core::errc::already_exists));
  callback.task = other;
  callback.worker = "w2";
  BOOST_TEST((call(callback).code() == core::errc::already_exists));
  callback.worker.clear();
  BOOST_TEST((call(callback).code() == core::errc::already_exists));
  BOOST_TEST(view(id).status == "QUEUED");
}

// B22, B63, I-14: what a frozen gateway had in its hands comes long after the worker has sent it
// again through another one, and has gone on.
BOOST_AUTO_TEST_CASE(a_save_that_comes_late_does_not_move_the_bookmark_back) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", "{}"}).value);
  enqueued(request());
  const auto t = one("w1");
  msg::save_task_in_order save{"mail", "w1", {t.task, t.token}, 1, {}};
  save.update.execution_state = R"({"row":100})";
  save.update.percent = 10;
  const auto late = save;
  BOOST_TEST((call(save).value->refusal == core::errc::none));
  save.number = 2;
  save.update.execution_state = R"({"row":200})";
  save.update.percent = 20;
  BOOST_TEST((call(save).value->refusal == core::errc::none));
  for (int life = 0; life < 2; ++life) {
    BOOST_TEST((call(late).value->refusal == core::errc::none));
    BOOST_TEST(view(t.task).percent == 20U);
    restart();
  }
  for (const auto number : {std::uint64_t{0}, std::uint64_t{1} << 63U}) {
    save.number = number;
    BOOST_TEST((call(save).code() == core::errc::invalid_argument));
  }
  advance(1h);
  const auto again = one("w2");
  BOOST_TEST(again.execution_state == R"({"row":200})");
  save = {"mail", "w2", {again.task, again.token}, 1, {}}; // each lease counts anew
  save.update.percent = 30;
  BOOST_TEST((call(save).value->refusal == core::errc::none));
  BOOST_TEST(view(t.task).percent == 30U);
}

// B47, D9-D12, D27, D28: states, waiting, and what survives the node
BOOST_AUTO_TEST_CASE(a_task_goes_through_its_states_and_a_restart_of_the_node) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"types": {"kyc": {
      "first_state": "AWAITING", "transitions": {"AWAITING": ["CHECKED"], "CHECKED": []}}}})"})
                    .value);
  auto r = request();
  r.type = "kyc";
  const auto id = enqueued(r);
  auto t = one("w1");
  BOOST_TEST(t.state == "AWAITING");
  msg::release_task wait;
  wait.queue = "mail";
  wait.worker = "w1";
  wait.task = {t.task, t.token};
  wait.update.data = R"({"polled":1})";
  wait.next_action = now() + 60s;
  BOOST_TEST((call(wait).value->refusal == core::errc::none));
  restart();
  BOOST_TEST(claimed(claim("w1")).empty());
  advance(61s);
  t = one("w1");
  BOOST_TEST(t.data == R"({"polled":1})");
  BOOST_TEST(t.token == 2U);
  msg::save_task save{"mail", "w1", {t.task, t.token}, {}};
  save.update.state = "DONE";
  BOOST_TEST((call(save).value->refusal == core::errc::wrong_state));
  save.update.state = "CHECKED";
  save.update.execution_state = R"({"page":7})";
  save.update.percent = 40;
  BOOST_TEST((call(save).value->refusal == core::errc::none));
  restart();
  BOOST_TEST(view(id).percent == 40U);
  BOOST_TEST((complete("w1", t) == core::errc::none)); // I-12: its lease survived the node
  BOOST_TEST(view(id).state == "CHECKED");
}

// D39
BOOST_AUTO_TEST_CASE(a_completion_may_be_followed_by_the_next_task_at_once) {
  enqueued(request());
  const auto t = one("w1");
  msg::follow_task follow;
  follow.queue = "mail";
  follow.worker = "w1";
  follow.done = {{t.task, t.token}, "{}"};
  follow.next = request(R"({"step":2})");
  follow.claim = fresh<core::assignment_id>();
  const auto before = status().commits;
  const auto next = call(follow);
  BOOST_REQUIRE(next.value);
  BOOST_REQUIRE_EQUAL(next.value->tasks.size(), 1U);
  BOOST_TEST(next.value->tasks.front().body == R"({"step":2})");
  BOOST_TEST(status().commits == before + 1);
  BOOST_TEST(call(follow).value->tasks.front().token == 1U); // repeated
  BOOST_TEST(view(t.task).status == "COMPLETED");
  BOOST_TEST((complete("w1", next.value->tasks.front()) == core::errc::none));
  auto bad = follow;
  bad.done = {{t.task, 9}, "{}"};
  bad.next = request();
  bad.claim = fresh<core::assignment_id>();
  BOOST_TEST((call(bad).code() == core::errc::not_found));
  BOOST_TEST(counts().live == 0U);
}

// D39: it takes the place of the one that is done
BOOST_AUTO_TEST_CASE(a_task_that_follows_finds_a_place_in_a_full_queue) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"depth_max": 1})"}).value);
  enqueued(request());
  const auto t = one("w1");
  BOOST_TEST((enqueue(request()).refusal == core::errc::overloaded));
  const auto next = call(follow_up("w1", t));
  BOOST_REQUIRE(next.value);
  BOOST_TEST(next.value->tasks.size() == 1U);
  BOOST_TEST(view(t.task).status == "COMPLETED");
  BOOST_TEST(counts().live == 1U);
}

// D39: of a unique key that is taken there is no second task
BOOST_AUTO_TEST_CASE(a_task_that_follows_may_be_there_already_by_its_unique_key) {
  auto other = request();
  other.unique_key = "daily";
  const auto there = enqueued(other);
  auto first = request();
  first.priority = 9;
  enqueued(first);
  const auto t = one("w1");
  BOOST_TEST((t.task != there));
  auto follow = follow_up("w1", t);
  follow.next.unique_key = "daily";
  follow.next.reject_duplicate = true;
  BOOST_TEST((call(follow).code() == core::errc::already_exists));
  BOOST_TEST(view(t.task).status == "EXECUTING"); // neither happened
  follow.next.reject_duplicate = false;
  const auto next = call(follow);
  BOOST_REQUIRE(next.value);
  BOOST_TEST(next.value->tasks.empty());
  BOOST_TEST(view(t.task).status == "COMPLETED");
  BOOST_TEST(view(there).status == "QUEUED");
}

// D39: an id is of one task
BOOST_AUTO_TEST_CASE(a_task_that_follows_has_an_id_of_its_own) {
  auto first = request();
  first.priority = 9;
  first.unique_key = "daily";
  enqueued(first);
  const auto other = enqueued(request());
  const auto t = one("w1");
  auto follow = follow_up("w1", t);
  follow.next.task = other;
  BOOST_TEST((call(follow).code() == core::errc::already_exists));
  follow.next.task = t.task;
  BOOST_TEST((call(follow).code() == core::errc::already_exists));
  follow.next.task = fresh<core::task_id>();
  follow.next.unique_key = "daily";
  BOOST_TEST((call(follow).code() == core::errc::already_exists));
  BOOST_TEST(counts().live == 2U);
  BOOST_TEST((complete("w1", t) == core::errc::none));
}

// D29, D39: late, its result is recorded as any other
BOOST_AUTO_TEST_CASE(a_completion_with_a_task_that_follows_is_recorded_when_it_is_late) {
  const auto results = [&] {
    std::vector<std::string> kept;
    for (const auto& late : database->tables().late_results)
      kept.push_back(late.outcome + ' ' + late.detail);
    return kept;
  };
  enqueued(request());
  const auto t = one("w1");
  advance(31s);
  const auto again = one("w2");
  const auto late = follow_up("w1", t);
  BOOST_TEST((call(late).code() == core::errc::lease_not_held));
  BOOST_TEST((results() == std::vector<std::string>{R"(completed {"done":1})"}));
  // The task has ended meanwhile, just now or before a restart.
  BOOST_TEST((complete("w2", again) == core::errc::none));
  BOOST_TEST((call(late).code() == core::errc::not_found));
  BOOST_TEST(results().size() == 2U);
  restart();
  BOOST_TEST((call(late).code() == core::errc::not_found));
  BOOST_TEST(results().size() == 3U);
  // A repetition is not late: its first try has been taken.
  enqueued(request());
  auto follow = follow_up("w1", one("w1"));
  const auto next = call(follow);
  BOOST_REQUIRE(next.value);
  BOOST_TEST((complete("w1", next.value->tasks.front()) == core::errc::none));
  BOOST_TEST((call(follow).code() == core::errc::already_exists)); // its next one has ended
  follow.next.task = fresh<core::task_id>();
  BOOST_TEST((call(follow).code() == core::errc::not_found));
  BOOST_TEST(results().size() == 3U);
}

// A worker waits, and gets what comes.
BOOST_AUTO_TEST_CASE(a_claim_that_waits_is_served_by_the_next_task_or_answered_empty) {
  auto patient = claim("w1");
  patient.wait = 30s;
  const auto got = send_to_node(patient);
  settle();
  BOOST_TEST(!got->arrived());
  const auto id = enqueued(request());
  settle();
  BOOST_REQUIRE(got->value);
  BOOST_TEST((got->value->tasks.front().task == id));
  auto empty = claim("w2");
  empty.wait = 30s;
  const auto nothing = send_to_node(empty);
  advance(31s);
  BOOST_REQUIRE(nothing->value);
  // The first lease ran out at that very time: one of the two is there.
  BOOST_TEST(nothing->value->tasks.size() <= 1U);
}

const std::vector<std::size_t> one_change{1};

BOOST_FIXTURE_TEST_CASE(a_task_that_somebody_waits_for_is_made_and_leased_by_one_change,
                        node_whose_commits_are_watched) {
  const auto got = waiting("w1");
  advance(1s); // a task as old as the queue's memory is looked up first
  watch_commits();
  const auto id = enqueued(request());
  BOOST_REQUIRE(got->value);
  BOOST_TEST((got->value->tasks.front().task == id));
  BOOST_TEST(changes == one_change);
}

BOOST_FIXTURE_TEST_CASE(completion_and_the_grant_it_makes_room_for_are_one_change,
                        node_whose_commits_are_watched) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"running_max": 1})"}).value);
  enqueued(request());
  const auto second = enqueued(request());
  const auto first = one("w1");
  const auto got = waiting("w2");
  BOOST_TEST(!got->arrived());
  watch_commits();
  BOOST_TEST((complete("w1", first) == core::errc::none));
  BOOST_REQUIRE(got->value);
  BOOST_TEST((got->value->tasks.front().task == second));
  BOOST_TEST(changes == one_change);
}

// I-2, I-3: the rows of a change are written kind by kind, so that the end of a lease and the next
// one of the same task are two changes, and two commits
BOOST_FIXTURE_TEST_CASE(a_task_that_is_given_back_is_granted_by_a_change_of_its_own,
                        node_whose_commits_are_watched) {
  enqueued(request());
  const auto first = one("w1");
  const auto got = waiting("w2");
  watch_commits();
  BOOST_REQUIRE(call(msg::release_task{"mail", "w1", {first.task, first.token}, {}, {}}).value);
  BOOST_REQUIRE(got->value);
  BOOST_TEST(got->value->tasks.front().token == 2U);
  BOOST_TEST(changes == std::vector<std::size_t>(2, 1), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_claim_that_waits_gets_a_task_when_it_becomes_due) {
  auto later = request();
  later.run_at = now() + 20s;
  enqueued(later);
  auto patient = claim("w1");
  patient.wait = 60s;
  const auto got = send_to_node(patient);
  advance(19s);
  BOOST_TEST(!got->arrived());
  advance(2s);
  BOOST_REQUIRE(got->value);
  BOOST_TEST(got->value->tasks.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_claim_that_waits_is_called_off_by_repeating_it_without_a_wait) {
  auto patient = claim("w1");
  patient.wait = 30s;
  const auto got = send_to_node(patient);
  advance(1s);
  BOOST_TEST(!got->arrived());
  patient.wait = 0s;
  BOOST_TEST(claimed(patient).empty());
  BOOST_REQUIRE(got->value);
  BOOST_TEST(got->value->tasks.empty());
  const auto id = enqueued(request());
  BOOST_TEST(view(id).status == "QUEUED");
}

// Operators: pausing
BOOST_AUTO_TEST_CASE(queues_types_and_tasks_can_be_paused) {
  const auto id = enqueued(request());
  BOOST_TEST(call(msg::pause_queue{"mail", "", true}).value->paused);
  BOOST_TEST(claimed(claim("w1")).empty());
  restart();
  BOOST_TEST(claimed(claim("w1")).empty());
  BOOST_TEST(!call(msg::pause_queue{"mail", "", false}).value->paused);
  BOOST_TEST(call(msg::pause_queue{"mail", "send", true}).value->paused_types.size() == 1U);
  BOOST_TEST(claimed(claim("w1")).empty());
  BOOST_REQUIRE(call(msg::pause_queue{"mail", "send", false}).value);
  BOOST_REQUIRE(call(msg::change_task{"mail", id, 1}).value);
  BOOST_TEST(claimed(claim("w1")).empty());
  BOOST_REQUIRE(call(msg::change_task{"mail", id, 2}).value);
  BOOST_TEST(claimed(claim("w1")).size() == 1U);
}

// C28, C29
BOOST_AUTO_TEST_CASE(a_canceled_task_is_taken_from_its_worker) {
  const auto id = enqueued(request());
  const auto t = one("w1");
  BOOST_REQUIRE(call(msg::change_task{"mail", id, 3}).value);
  BOOST_TEST(call(msg::change_task{"mail", id, 3}).value.has_value()); // repeated
  BOOST_TEST((complete("w1", t) == core::errc::lease_not_held));
  BOOST_TEST(view(id).status == "CANCELED");
  BOOST_TEST(database->tables().late_results.size() == 1U);
}

BOOST_AUTO_TEST_CASE(unique_keys_are_kept_or_rejected) {
  auto r = request();
  r.unique_key = "daily";
  const auto id = enqueued(r);
  r.task = fresh<core::task_id>();
  BOOST_TEST((enqueue(r).task == id));
  r.reject_duplicate = true;
  BOOST_TEST((enqueue(r).refusal == core::errc::already_exists));
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  BOOST_TEST((enqueue(r).refusal == core::errc::none));
}

BOOST_AUTO_TEST_CASE(unknown_or_malformed_requests_are_refused) {
  const auto refused = [&](auto m) { return call(std::move(m)).code(); };
  BOOST_TEST((refused(msg::enqueue_tasks{"none", {request()}}) == core::errc::not_found));
  BOOST_TEST((refused(msg::enqueue_tasks{"No Name", {}}) == core::errc::invalid_argument));
  BOOST_TEST(
      (refused(msg::put_queue{"mail", R"({"lease":{"ttl":5}})"}) == core::errc::payload_invalid));
  BOOST_TEST((refused(msg::get_task{fresh<core::task_id>()}) == core::errc::not_found));
  BOOST_TEST((refused(msg::get_queue_statistics{"none"}) == core::errc::not_found));
  auto c = claim("w1", 0);
  BOOST_TEST((refused(c) == core::errc::invalid_argument));
  c = claim("w1");
  c.wait = 2min;
  BOOST_TEST((refused(c) == core::errc::invalid_argument));
  enqueued(request());
  const auto t = one("w1");
  BOOST_TEST((complete("w2", t) == core::errc::lease_not_held));
  auto forged = t;
  forged.token = 7;
  BOOST_TEST((complete("w1", forged) == core::errc::stale_token));
  forged.task = fresh<core::task_id>();
  BOOST_TEST((complete("w1", forged) == core::errc::not_found));
}

// B10, D5: the queue's own failures
BOOST_AUTO_TEST_CASE(a_refused_write_restarts_the_queue_from_the_database) {
  enqueued(request());
  database->set_refusals([](const core::change& c) {
    return !c.writes.empty() && std::holds_alternative<core::insert_task_lease>(c.writes.front());
  });
  const auto refused = call(claim("w1"));
  BOOST_TEST(!refused.value.has_value());
  database->set_refusals(nullptr);
  settle();
  BOOST_TEST(one("w1").token == 1U);
}

// B67, A170: what is finished is kept for as long as the queue says, and no longer
BOOST_AUTO_TEST_CASE(finished_tasks_are_forgotten_after_their_retention) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"retention_seconds": 3600})"}).value);
  const auto early = enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  advance(30min);
  const auto late = enqueued(request());
  BOOST_TEST((fail("w1", one("w1"), core::failure_kind::permanent) == core::errc::none));
  const auto live = enqueued(request());
  advance(20min);
  BOOST_TEST(view(early).status == "COMPLETED"); // not yet
  advance(20min);
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none)); // something ends: the pruner looks
  advance(5min);
  BOOST_TEST((call(msg::get_task{early}).code() == core::errc::not_found));
  BOOST_TEST(view(late).status == "FAILURE");
  BOOST_TEST(view(live).status == "COMPLETED");
  advance(65min); // nothing has happened since, and no queue has been asked for anything
  BOOST_TEST((call(msg::get_task{live}).code() == core::errc::not_found));
  BOOST_TEST(database->tables().finished_tasks.empty());
  BOOST_TEST(database->tables().task_attempts.empty());
}

// B67, A170: each queue by its own, although the last of them all has ended long ago
BOOST_AUTO_TEST_CASE(idle_queues_are_looked_at_when_what_they_keep_has_grown_old) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"retention_seconds": 7200})"}).value);
  BOOST_REQUIRE(call(msg::put_queue{"quick", R"({"retention_seconds": 600})"}).value);
  const auto slow = enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  auto other = request();
  BOOST_REQUIRE(call(msg::enqueue_tasks{"quick", {other}}).value);
  BOOST_REQUIRE(call(msg::change_task{"quick", other.task, 3}).value);
  advance(5min);
  BOOST_TEST(view(other.task).status == "CANCELED");
  advance(10min);
  BOOST_TEST((call(msg::get_task{other.task}).code() == core::errc::not_found));
  advance(100min);
  BOOST_TEST(view(slow).status == "COMPLETED");
  restart(); // what was told of before is not forgotten with the node
  advance(125min);
  BOOST_TEST((call(msg::get_task{slow}).code() == core::errc::not_found));
}

// B67, A170: what cannot be forgotten keeps nothing else
BOOST_FIXTURE_TEST_CASE(tasks_are_forgotten_although_those_of_other_queues_cannot_be,
                        node_that_keeps) {
  kept->queues = {"broken", "zebra"};
  for (const auto& name : kept->queues)
    kept->shards.insert(core::shard_of(name, node->settings.shards));
  start_keeping();
  for (const auto* name : {"broken", "mail", "zebra"})
    BOOST_REQUIRE(call(msg::put_queue{name, R"({"retention_seconds": 3600})"}).value);
  const auto early = enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  advance(2h);
  enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  advance(5min);
  BOOST_TEST((call(msg::get_task{early}).code() == core::errc::not_found));
}

// B67, A170: nor what could not be forgotten for a while
BOOST_FIXTURE_TEST_CASE(mended_rows_are_forgotten_beside_rows_that_cannot_be_mended,
                        node_that_keeps) {
  const std::set<core::queue_name> broken{"a1", "a2", "a3", "z1", "z2", "z3"};
  kept->queues = broken;
  kept->queues.insert("mail");
  start_keeping();
  for (const auto& name : kept->queues)
    BOOST_REQUIRE(call(msg::put_queue{name, R"({"retention_seconds": 3600})"}).value);
  const auto step = create();
  const auto shard = core::shard_of(step, node->settings.shards);
  kept->shards = {shard};
  feed(step, 1);
  const auto early = enqueued(request());
  BOOST_TEST((complete("w1", one("w1")) == core::errc::none));
  advance(2h);
  BOOST_TEST(call(msg::get_task{early}).value.has_value());
  BOOST_TEST(!database->tables().outbox.at(shard).empty());
  kept->queues = broken;
  kept->shards.clear();
  advance(10min);
  BOOST_TEST((call(msg::get_task{early}).code() == core::errc::not_found));
  BOOST_TEST(database->tables().outbox.at(shard).empty());
}

// finding B2, B5
BOOST_AUTO_TEST_CASE(claim_under_the_id_of_another_workers_waiting_claim_is_refused) {
  auto theirs = claim("w1");
  theirs.wait = 30s;
  const auto first = send_to_node(theirs);
  settle();
  auto mine = theirs;
  mine.worker = "w2";
  const auto refused = call(mine);
  BOOST_TEST((refused.code() == core::errc::already_exists));
  mine.wait = 0s; // nor does it call the other's claim off
  BOOST_TEST((call(mine).code() == core::errc::already_exists));
  BOOST_TEST(!first->arrived());
  const auto id = enqueued(request());
  BOOST_REQUIRE(first->value);
  BOOST_REQUIRE_EQUAL(first->value->tasks.size(), 1U);
  BOOST_TEST((first->value->tasks.front().task == id));
  BOOST_TEST(view(id).worker == "w1");
}

// finding B6
BOOST_AUTO_TEST_CASE(claim_that_is_repeated_without_an_end_is_answered_a_bounded_number_of_times) {
  auto waiting = claim("w1");
  waiting.wait = 30s;
  std::vector<awaited_answer<msg::claim_tasks>> sent;
  for (int i = 0; i < 100; ++i)
    sent.push_back(send_to_node(waiting));
  settle();
  std::size_t refused = 0;
  for (const auto& one : sent)
    if (one->arrived()) {
      ++refused;
      BOOST_TEST((one->code() == core::errc::overloaded));
    }
  BOOST_TEST(refused == 84U);
  BOOST_TEST(!sent.back()->arrived());
  enqueued(request());
  settle();
  BOOST_TEST(sent.back()->value->tasks.size() == 1U);
}

// finding B6: each copied the texts of all tasks into what waits for the commit
BOOST_AUTO_TEST_CASE(
    claim_that_is_repeated_while_its_grant_is_written_is_answered_boundedly_often) {
  const auto id = enqueued(request());
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const auto again = claim("w1");
  std::vector<awaited_answer<msg::claim_tasks>> sent;
  for (int i = 0; i < 100; ++i)
    sent.push_back(send_to_node(again));
  settle();
  std::size_t refused = 0;
  for (const auto& each : sent)
    if (each->arrived()) {
      ++refused;
      BOOST_TEST((each->code() == core::errc::overloaded));
    }
  BOOST_TEST(refused == 84U);
  database->set_commit_faults(nullptr);
  advance(5s);
  for (const auto& each : {sent[84], sent[99]}) {
    BOOST_REQUIRE(each->value);
    BOOST_REQUIRE_EQUAL(each->value->tasks.size(), 1U);
    BOOST_TEST((each->value->tasks.front().task == id));
  }
  BOOST_TEST(claimed(again).size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
