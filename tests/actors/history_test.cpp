// A database that has forgotten commits under a node that runs: promoted from a standby that had
// not got them, or restored from a copy. What was answered since may be lost; nothing else is,
// nothing is done twice, and the node goes on by itself.

#include "tests/support/queue_fixture.hpp"

#include <algorithm>
#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct forgetful_node : node_with_queue {
  void copy() { kept = database->tables(); }
  void forget() { database->restore(kept); }

  msg::guard_status guards() {
    const auto answered = call(msg::get_guard_status{});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
  /// Numbers of all events that are stored of the shard.
  std::set<core::event_seq> numbers(core::shard_id shard) const {
    std::set<core::event_seq> all;
    const auto rows = database->tables().outbox.find(shard);
    if (rows != database->tables().outbox.end())
      for (const auto& row : rows->second)
        for (std::size_t i = 0; i < row.events.size(); ++i)
          all.insert(row.first_seq + i);
    return all;
  }
  persistence::memory::tables kept;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lost_history, forgetful_node)

// findings R1, Q2
BOOST_AUTO_TEST_CASE(the_first_request_after_a_loss_is_told_to_ask_again_and_then_work_goes_on) {
  const auto old = enqueued(request());
  copy();
  for (int i = 0; i < 4; ++i)
    enqueued(request());
  forget();
  const auto young = request();
  const auto first = send_to_node(msg::enqueue_tasks{"mail", {young}});
  settle();
  BOOST_REQUIRE(first->arrived());
  BOOST_TEST((first->code() == core::errc::unavailable));
  advance(2s);
  BOOST_TEST((enqueue(young).refusal == core::errc::none));
  // The task from before the copy is there, once, and so is the later one; the lost tasks are gone.
  std::set<core::task_id> given;
  for (const auto& task : claimed(claim("w", 10)))
    BOOST_TEST(given.insert(task.task).second);
  BOOST_TEST((given == std::set<core::task_id>{old, young.task}));
  BOOST_TEST(!node->ended());
  BOOST_TEST(logged("history_lost"));
  BOOST_TEST(guards().fences == 1U);
  BOOST_TEST(!guards().fenced);
  BOOST_TEST(guards().why.find("lost commits") != std::string::npos);
  BOOST_TEST(broken_invariants(*database) == "");
}

// F13: the old primary is still there, and takes writes.
BOOST_AUTO_TEST_CASE(nothing_goes_on_at_a_primary_that_was_replaced_and_all_does_at_the_new_one) {
  database->set_server("71/00000001/5");
  advance(3s);
  const auto kept_task = enqueued(request());
  copy();
  const auto old_primary = kept;
  database->set_server("71/00000002/5"); // a standby that had got everything is promoted
  advance(3s);
  BOOST_TEST(logged("generation_begun"));
  const auto later = enqueued(request());
  copy();
  const auto new_primary = kept;
  // The name leads to the old one again.
  database->restore(old_primary);
  database->set_server("71/00000001/5");
  const auto lost = request();
  const auto refused = send_to_node(msg::enqueue_tasks{"mail", {lost}});
  settle();
  BOOST_REQUIRE(refused->arrived());
  BOOST_TEST((refused->code() == core::errc::unavailable));
  advance(10s);
  BOOST_TEST(logged("server_replaced"));
  BOOST_TEST(guards().fenced);
  BOOST_TEST(guards().why.find("timeline 1") != std::string::npos);
  BOOST_TEST(database->tables().generation == old_primary.generation);
  BOOST_TEST(database->tables().tasks.count(lost.task) == 0U);
  // And to the new one.
  database->restore(new_primary);
  database->set_server("71/00000002/5");
  advance(10s);
  BOOST_TEST(!guards().fenced);
  std::set<core::task_id> given;
  for (const auto& task : claimed(claim("w", 10)))
    given.insert(task.task);
  BOOST_TEST((given == std::set<core::task_id>{kept_task, later}));
  BOOST_TEST(broken_invariants(*database) == "");
}

// F13: somebody says that the older history is the one that counts.
BOOST_AUTO_TEST_CASE(a_primary_that_was_replaced_goes_on_where_it_is_declared_restored) {
  database->set_server("71/00000001/5");
  advance(3s);
  const auto kept_task = enqueued(request());
  copy();
  const auto old_primary = kept;
  database->set_server("71/00000002/5");
  advance(3s);
  enqueued(request());
  database->restore(old_primary);
  database->set_server("71/00000001/5");
  advance(10s);
  BOOST_TEST(guards().fenced);
  persistence::memory_store by_hand{database};
  BOOST_REQUIRE(by_hand.begin_generation({}, true));
  advance(10s);
  BOOST_TEST(!guards().fenced);
  std::set<core::task_id> given;
  for (const auto& task : claimed(claim("w", 10)))
    given.insert(task.task);
  BOOST_TEST((given == std::set<core::task_id>{kept_task}));
  BOOST_TEST(broken_invariants(*database) == "");
}

// The idle one: nobody writes, and what it has in memory is not there any more.
BOOST_AUTO_TEST_CASE(a_loss_is_noticed_by_the_next_renewal_where_nobody_writes) {
  copy();
  for (int i = 0; i < 3; ++i)
    enqueued(request());
  forget();
  advance(3s);
  BOOST_TEST(logged("history_lost"));
  BOOST_TEST(claimed(claim("w", 10)).empty());
  BOOST_TEST(counts().live == 0U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(steps_and_units_are_loaded_anew_like_queues) {
  const auto step = create();
  feed(step, 3);
  const auto ana = assigned(step, "ana");
  copy();
  BOOST_REQUIRE(submit(ana, "ana").value);
  const auto lost = assigned(step, "bob");
  feed(step, 2, 10);
  forget();
  const auto again = judgment(ana, "ana");
  send_to_node(again);
  advance(3s);
  // Ana's lease is there as it was; that of bob is not.
  const auto accepted = call(again);
  BOOST_REQUIRE_MESSAGE(accepted.value, accepted.code());
  BOOST_TEST(!submit(lost, "bob").value);
  BOOST_TEST(statistics(step).step.total_units == 3U);
  feed(step, 2, 10);
  BOOST_TEST(statistics(step).step.total_units == 5U);
  work(step, "eve");
  BOOST_TEST(!node->ended());
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding R3: whoever has a task by a lost lease is not taken for its next holder, even under the
// same name.
BOOST_AUTO_TEST_CASE(no_token_is_given_again) {
  const auto wanted = request();
  copy(); // before there is a task
  enqueued(wanted);
  const auto lost = one("w");
  forget();
  advance(3s);
  enqueued(wanted);
  const auto now_held = one("w");
  BOOST_TEST((now_held.task == lost.task));
  BOOST_TEST(now_held.token > lost.token);
  BOOST_TEST((complete("w", lost) == core::errc::stale_token));
  BOOST_TEST((complete("w", now_held) == core::errc::none));
  // The same of units.
  const auto step = create();
  feed(step, 1);
  copy();
  const auto before = assigned(step, "ana");
  forget();
  advance(3s);
  const auto after = assigned(step, "ana");
  BOOST_TEST(after.token > before.token);
  BOOST_TEST(!submit(before, "ana").value);
  BOOST_TEST(submit(after, "ana").value.has_value());
}

// The database forgets the queue, too (simulator seed 48), and its clock was set back before.
BOOST_AUTO_TEST_CASE(a_queue_that_was_forgotten_gives_no_token_again) {
  database_ahead = 1h;
  advance(5s);
  copy();
  core::token last = 0;
  for (int loss = 0; loss < 2; ++loss) {
    BOOST_REQUIRE(call(msg::put_queue{"parcels", mail_policy}).value);
    const auto wanted = request();
    BOOST_REQUIRE(call(msg::enqueue_tasks{"parcels", {wanted}}).value);
    auto claims = claim("w");
    claims.queue = "parcels";
    const auto held = claimed(claims);
    BOOST_REQUIRE(held.size() == 1U);
    BOOST_TEST(held.front().token > last);
    last = held.front().token;
    forget();
    database_ahead = {};
    advance(5s);
  }
}

// finding R3: receivers and subscribers know an event by its shard and number.
BOOST_AUTO_TEST_CASE(no_event_gets_the_number_of_a_lost_one_and_subscribers_go_on) {
  const auto step = create();
  const auto shard = core::shard_of(step, node->settings.shards);
  feed(step, 2);
  const auto before = numbers(shard);
  copy();
  feed(step, 2, 10);
  auto lost = numbers(shard);
  const auto furthest = *lost.rbegin();
  forget();
  advance(3s);
  feed(step, 2, 20);
  const auto after = numbers(shard);
  for (const auto number : after)
    BOOST_TEST((before.count(number) != 0 || number > furthest));
  BOOST_TEST(after.size() == before.size() + 2);
  // Where the subscriber was makes no difference, nor that this was lost.
  for (const auto position : {core::event_seq{0}, *before.rbegin(), furthest}) {
    msg::read_events read;
    read.shard = shard;
    read.after = position;
    read.limit = 100;
    std::set<core::event_seq> told;
    for (int page = 0; page < 3; ++page) {
      const auto answered = call(read);
      BOOST_REQUIRE_MESSAGE(answered.value, answered.code());
      for (const auto& e : answered.value->events)
        BOOST_TEST(told.insert(e.seq).second);
      read.after = answered.value->position;
    }
    BOOST_TEST(told.size() == (position == 0 ? after.size() : 2U));
  }
  // Consumers in the node, too: the unit is finalized by its event.
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 4; ++i)
      work(step, who);
  advance(3s);
  BOOST_TEST(statistics(step).finalized == 4U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(epochs_go_back_as_well) {
  copy(); // under the epoch of this process
  restart();
  enqueued(request());
  forget(); // the rows of the process before; this one is in none
  advance(5s);
  const auto task = enqueued(request());
  BOOST_TEST((one("w").task == task));
  BOOST_TEST(!node->ended());
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_row_that_names_nobody_or_another_host_is_no_obstacle) {
  enqueued(request());
  copy();
  for (std::size_t i = 0; i < kept.shards.size(); ++i)
    kept.shards[i].host = i % 2 == 0 ? core::incarnation_id{} : fresh<core::incarnation_id>();
  kept.nodes.clear(); // nor is this process among those that it knows
  enqueued(request());
  forget();
  advance(5s);
  BOOST_TEST(claimed(claim("w", 10)).size() == 1U);
  enqueued(request());
  BOOST_TEST(!node->ended());
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_loss_while_the_database_is_away_is_noticed_when_it_is_back) {
  copy();
  enqueued(request());
  database->set_reachable(false);
  const auto waiting = send_to_node(msg::enqueue_tasks{"mail", {request()}});
  advance(20s);
  // It waits for the disk, or for a look at what there is: then it is to be asked again.
  BOOST_TEST((!waiting->arrived() || waiting->code() == core::errc::unavailable));
  forget();
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(waiting->arrived());
  const auto task = enqueued(request());
  BOOST_TEST(!guards().fenced);
  const auto held = claimed(claim("w", 10));
  BOOST_TEST(std::any_of(held.begin(), held.end(), [&](const auto& t) { return t.task == task; }));
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(losses_that_follow_each_other_are_mended_each) {
  for (int round = 0; round < 8; ++round) {
    copy();
    enqueued(request());
    forget();
    advance(3s);
  }
  enqueued(request());
  BOOST_TEST(claimed(claim("w", 10)).size() == 1U);
  BOOST_TEST(!node->ended());
  BOOST_TEST(guards().fences == 8U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding R3: a failover that has lost nothing that anybody here knows of.
BOOST_AUTO_TEST_CASE(a_database_that_is_elsewhere_is_a_generation_of_its_own) {
  const auto task = enqueued(request());
  const auto held = one("w");
  const auto generation = database->tables().generation;
  database->set_server("the standby");
  advance(3s);
  BOOST_TEST(database->tables().generation == generation + 1);
  BOOST_TEST((complete("w", held) == core::errc::none)); // leases go on under their tokens
  BOOST_TEST((view(task).status == "COMPLETED"));
  BOOST_TEST(guards().fences == 1U);
  advance(10s);
  BOOST_TEST(database->tables().generation == generation + 1);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
