// Ids that callers choose and that something else has: they alone hear of it.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string of_ten = R"({"name": "colours", "steps": [{"key": "label",
    "judgments_per_unit": 10,
    "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30}}]})";

const std::string by_model = R"({"name": "colours", "steps": [{"key": "label",
    "judgments_per_unit": 2, "aggregation": {"method": "incremental", "labels": ["red", "blue"]},
    "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30}}]})";

struct chosen_ids_node : node_fixture {
  chosen_ids_node() { start(); }

  /// Nothing has crashed, and the database is as it should be.
  void all_is_well() {
    for (const auto* trouble : {"unit_down", "unit_parked", "item_down", "change_refused"})
      BOOST_TEST(!logged(trouble), trouble);
    BOOST_TEST(broken_invariants(*database) == "");
  }
  std::ptrdiff_t queue_ends() const {
    return std::count_if(node->log.begin(), node->log.end(), [](const auto& line) {
      return line.find("item_down") != std::string::npos;
    });
  }
  void make_queues() {
    for (const auto* queue : {"one", "two"})
      BOOST_REQUIRE(call(msg::put_queue{queue, "{}"}).value);
  }
  static msg::enqueue_tasks task_for(const std::string& queue, const core::task_id& id) {
    msg::task_request task;
    task.task = id;
    task.type = "send";
    task.body = "{}";
    return {queue, {task}};
  }
  answer<msg::judgment_accepted> submit_as(const core::judgment_id& id, const msg::assignment& a,
                                           const std::string& who) {
    auto request = judgment(a, who);
    request.judgment = id;
    return call(request);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(ids_in_use, chosen_ids_node)

// finding B1
BOOST_AUTO_TEST_CASE(a_judgment_id_of_another_unit_is_refused_as_often_as_it_comes) {
  const auto step = create(of_ten);
  const auto elsewhere = create(of_ten);
  feed(step, 1);
  feed(elsewhere, 1);
  const auto first = judgment(assigned(elsewhere, "ana"), "ana");
  BOOST_REQUIRE(call(first).value);
  const auto mine = assigned(step, "bob");
  const auto theirs = assigned(step, "cat");
  for (int i = 0; i < 5; ++i) {
    const auto told = submit_as(first.judgment, mine, "bob");
    BOOST_TEST(told.code() == core::errc::already_exists);
    BOOST_REQUIRE(told.error);
    BOOST_TEST(told.error->detail.find("23505") == std::string::npos);
  }
  BOOST_TEST(unit(step, mine.unit).state == core::unit_state::judgable);
  BOOST_TEST(submit(theirs, "cat").value.has_value());
  BOOST_TEST(extend(mine, "bob").code() != core::errc::lease_not_held);
  BOOST_TEST(submit(mine, "bob").value.has_value()); // under an id of its own
  BOOST_TEST(statistics(step).judgments == 2u);
  all_is_well();
}

// finding B1: in the same commit, and with others under way in the same unit
BOOST_AUTO_TEST_CASE(other_contributors_of_the_unit_notice_nothing_meanwhile) {
  const auto step = create(of_ten);
  feed(step, 2);
  const auto first = judgment(assigned(step, "ana"), "ana");
  BOOST_REQUIRE(call(first).value);
  std::vector<msg::assignment> leases;
  const std::vector<std::string> names{"b", "c", "d", "e", "f"};
  for (const auto& who : names)
    leases.push_back(assigned(step, who));
  database->set_reachable(false);
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto request = judgment(leases[i], names[i]);
    if (i == 2)
      request.judgment = first.judgment;
    answers.push_back(send_to_node(request));
    if (i == 2) // an impatient one: the same again before the first is answered
      answers.push_back(send_to_node(request));
  }
  const auto late = send_to_node(msg::ask_assignment{step, "g", fresh<core::assignment_id>()});
  advance(1s);
  database->set_reachable(true);
  advance(5s);
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (i == 2 || i == 3)
      BOOST_TEST((answers[i]->code() == core::errc::already_exists
                  || answers[i]->code() == core::errc::already_judged),
                 i);
    else
      BOOST_TEST(answers[i]->value.has_value(), i);
  BOOST_TEST(late->value.has_value());
  BOOST_TEST(submit(leases[2], names[2]).value.has_value());
  BOOST_TEST(database->tables().judgments.size() == 6u);
  all_is_well();
}

// finding B1: a unit must not be finished by a judgment that is not stored
BOOST_AUTO_TEST_CASE(a_unit_is_not_finished_by_a_judgment_that_is_not_stored) {
  for (const auto& definition : {one_step, by_model}) {
    const auto step = create(definition);
    const auto elsewhere = create(one_step);
    feed(step, 1);
    feed(elsewhere, 1);
    const auto first = judgment(assigned(elsewhere, "ana"), "ana");
    BOOST_REQUIRE(call(first).value);
    const auto mine = assigned(step, "bob");
    const auto theirs = assigned(step, "cat");
    database->set_reachable(false);
    auto request = judgment(mine, "bob");
    request.judgment = first.judgment;
    const auto refused = send_to_node(request);
    const auto accepted = send_to_node(judgment(theirs, "cat"));
    advance(1s);
    database->set_reachable(true);
    advance(5s);
    BOOST_TEST(refused->code() == core::errc::already_exists);
    BOOST_TEST(accepted->value.has_value());
    BOOST_TEST(statistics(step).finalized == 0u);
    BOOST_TEST(submit(mine, "bob").value.has_value());
    advance(5s);
    BOOST_TEST(statistics(step).finalized == 1u);
    all_is_well();
  }
}

// finding B2
BOOST_AUTO_TEST_CASE(an_assignment_id_of_somebody_else_grants_nothing) {
  const auto step = create(of_ten);
  const auto elsewhere = create(of_ten);
  feed(step, 1);
  feed(elsewhere, 1);
  const auto id = fresh<core::assignment_id>();
  const auto granted = call(msg::ask_assignment{step, "ana", id});
  BOOST_REQUIRE(granted.value);
  for (const auto& place : {step, elsewhere})
    for (int i = 0; i < 4; ++i)
      BOOST_TEST(call(msg::ask_assignment{place, "bob", id}).code() == core::errc::already_exists);
  BOOST_TEST(active_leases() == 1u);
  // Hers is what it was, also when it is asked for again; his next one has another id.
  const auto again = call(msg::ask_assignment{step, "ana", id});
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->token == granted.value->token);
  BOOST_REQUIRE(submit(*granted.value, "ana").value);
  BOOST_TEST(call(msg::ask_assignment{elsewhere, "bob", id}).code() == core::errc::already_exists);
  work(step, "bob");
  work(elsewhere, "bob");
  all_is_well();
}

// finding B2: slots that come back are there for others, and none is lost
BOOST_AUTO_TEST_CASE(a_grant_that_is_not_stored_takes_no_slot) {
  const auto step = create(one_step); // two slots
  const auto elsewhere = create(one_step);
  feed(step, 1);
  feed(elsewhere, 1);
  const auto id = fresh<core::assignment_id>();
  BOOST_REQUIRE(call(msg::ask_assignment{elsewhere, "ana", id}).value);
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(call(msg::ask_assignment{step, "eve", id}).code() == core::errc::already_exists);
  for (const auto* who : {"bob", "cat"})
    work(step, who);
  advance(2s);
  BOOST_TEST(statistics(step).finalized == 1u);
  all_is_well();
}

// finding B2: the end of a lease that is not stored must not be written
BOOST_AUTO_TEST_CASE(a_grant_that_is_not_stored_does_not_expire_while_it_is_written) {
  const auto step = create(of_ten);
  const auto elsewhere = create(of_ten);
  feed(step, 1);
  feed(elsewhere, 1);
  const auto id = fresh<core::assignment_id>();
  BOOST_REQUIRE(call(msg::ask_assignment{elsewhere, "ana", id}).value);
  const auto held = assigned(step, "bob");
  advance(20s);
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const auto refused = send_to_node(msg::ask_assignment{step, "eve", id});
  advance(70s); // the lease would be over by now
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_TEST((refused->code() == core::errc::already_exists
              || refused->code() == core::errc::unavailable)); // it waited for too long
  for (const auto& [lease_of, lease] : database->tables().active_leases)
    BOOST_TEST(lease.owner != "eve");
  BOOST_TEST(submit(held, "bob").error.has_value()); // it ran out
  work(step, "eve");
  all_is_well();
}

// A request that waits for an id to be known as free is decided about when it is known.
BOOST_AUTO_TEST_CASE(contributor_removed_while_their_request_waits_in_a_unit_gets_no_lease) {
  const auto step = create(of_ten);
  feed(step, 1);
  const auto held = assigned(step, "bob");
  database->set_reachable(false);
  const auto judged = send_to_node(judgment(held, "bob"));
  advance(100ms);
  // Concerns the whole unit, so that it waits for that judgment, and all that follows with it.
  const auto resumed = send_to_node(
      msg::change_unit{step, held.unit, static_cast<std::uint8_t>(core::unit_verb::resume)});
  advance(100ms);
  const auto asked = send_to_node(msg::ask_assignment{step, "cat", fresh<core::assignment_id>()});
  advance(100ms);
  const auto removed = send_to_node(msg::remove_contributor{step, "cat"});
  advance(1s);
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(judged->value.has_value());
  BOOST_TEST(resumed->value.has_value());
  BOOST_TEST(removed->value.has_value());
  BOOST_TEST(asked->code() == core::errc::not_qualified);
  BOOST_TEST(database->tables().ended_leases.empty());
  BOOST_TEST(active_leases() == 0u);
  work(step, "dan"); // the slot that was kept for her is free
  all_is_well();
}

// A brother of finding B1: the same repair id in two steps
BOOST_AUTO_TEST_CASE(a_repair_id_of_another_step_is_refused) {
  const auto one = create(of_ten);
  const auto two = create(of_ten);
  feed(one, 1);
  feed(two, 1);
  for (const auto& step : {one, two})
    work(step, "eve");
  const auto id = fresh<core::repair_id>();
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const auto first = send_to_node(msg::repair_contributor{one, id, "eve", false});
  const auto second = send_to_node(msg::repair_contributor{two, id, "eve", false});
  advance(1s);
  database->set_commit_faults(nullptr);
  advance(10s);
  const auto told = [&](const core::step_id& step) {
    return call(msg::repair_contributor{step, id, "eve", false});
  };
  const bool first_has_it = told(one).value.has_value();
  BOOST_TEST(first_has_it != told(two).value.has_value());
  BOOST_TEST(told(first_has_it ? two : one).code() == core::errc::already_exists);
  work(one, "ana");
  work(two, "ana");
  all_is_well();
}

// review: the steps look for repairs to work on while its row waits for its commit
BOOST_AUTO_TEST_CASE(a_repair_is_worked_on_once_it_is_durable_and_not_when_its_id_is_in_use) {
  const auto one = create(one_step);
  const auto two = create(one_step);
  for (const auto& step : {one, two}) {
    feed(step, 3);
    for (const auto* who : {"eve", "bob"})
      for (int i = 0; i < 3; ++i)
        work(step, who);
    BOOST_REQUIRE(call(msg::remove_contributor{step, "eve"}).value);
  }
  advance(5s);
  const auto id = fresh<core::repair_id>();
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  std::vector<awaited_answer<msg::repair_contributor>> sent;
  for (const auto& step : {one, two, one, two})
    sent.push_back(send_to_node(msg::repair_contributor{step, id, "eve", false}));
  advance(25s); // several looks
  database->set_commit_faults(nullptr);
  advance(20s);
  const bool first_has_it = sent[0]->value.has_value();
  BOOST_TEST(first_has_it != sent[1]->value.has_value());
  for (std::size_t i = 0; i < sent.size(); ++i)
    if ((i % 2 == 0) == first_has_it)
      BOOST_TEST(sent[i]->value.has_value(), i);
    else
      BOOST_TEST(sent[i]->code() == core::errc::already_exists, i);
  BOOST_TEST(statistics(first_has_it ? one : two).finalized == 0u);
  BOOST_TEST(statistics(first_has_it ? two : one).finalized == 3u);
  all_is_well();
}

// review: the id of a task is known before its judgment is made of it
BOOST_AUTO_TEST_CASE(a_judgment_under_the_id_of_a_task_does_not_keep_the_result_of_the_task_out) {
  BOOST_REQUIRE(call(msg::put_queue{"models", "{}"}).value);
  for (const bool same_unit : {false, true}) {
    const auto step = create(R"({"name": "colours", "steps": [{"key": "label",
        "judgments_per_unit": 2, "tasks": {"queue": "models", "type": "label"}}]})");
    const auto elsewhere = create(of_ten);
    feed(step, 1);
    feed(elsewhere, 1);
    advance(node->settings.intake_interval);
    msg::claim_tasks claim;
    claim.queue = "models";
    claim.worker = "gpu";
    claim.claim = fresh<core::assignment_id>();
    claim.most = 1;
    const auto claimed = call(claim);
    BOOST_REQUIRE(claimed.value);
    BOOST_REQUIRE_EQUAL(claimed.value->tasks.size(), 1u);
    const auto& task = claimed.value->tasks.front();
    const auto taken_by = assigned(same_unit ? step : elsewhere, "eve");
    BOOST_REQUIRE(submit_as({task.task.value}, taken_by, "eve").value);
    const auto done = call(
        msg::complete_tasks{"models", "gpu", {{{task.task, task.token}, R"({"answer":"red"})"}}});
    BOOST_REQUIRE(done.value);
    advance(10s);
    const auto& judgments = database->tables().judgments;
    BOOST_TEST(std::count_if(judgments.begin(), judgments.end(),
                             [&](const auto& row) {
                               return row.second.made.owner == "task:models/label"
                                      && row.second.made.payload == R"({"answer":"red"})";
                             })
               == (same_unit ? 2 : 1));
    if (!same_unit)
      work(step, "bob");
    advance(5s);
    BOOST_TEST(statistics(step).finalized == 1u);
    all_is_well();
  }
}

// review: ids too young to be looked up
BOOST_AUTO_TEST_CASE(a_queue_that_met_a_young_id_in_use_looks_such_ids_up_for_a_minute) {
  make_queues();
  for (int i = 0; i < 10; ++i) {
    advance(2s); // no id is older than the queue
    const auto id = fresh<core::task_id>();
    const auto first = call(task_for("one", id));
    BOOST_REQUIRE(first.value);
    BOOST_TEST((first.value->outcomes.front().refusal == core::errc::none));
    advance(100ms);
    const auto second = call(task_for("two", id));
    if (second.value) // else it is the one that has ended the queue
      BOOST_TEST((second.value->outcomes.front().refusal == core::errc::already_exists));
    else
      BOOST_TEST(i == 0);
  }
  BOOST_TEST(queue_ends() == 1);
  BOOST_TEST(broken_invariants(*database) == "");
}

// The answer to a repetition waits for the write before it, and has nothing to do with its ids:
// told of them, a producer would take a task for refused that stands.
BOOST_AUTO_TEST_CASE(a_repetition_that_waits_behind_an_id_in_use_is_told_to_ask_again) {
  make_queues();
  advance(2s);
  std::vector<msg::enqueue_tasks> known;
  for (const auto* queue : {"one", "two"}) {
    known.push_back(task_for(queue, fresh<core::task_id>()));
    BOOST_REQUIRE(call(known.back()).value);
  }
  const auto id = fresh<core::task_id>();
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const std::vector makers{send_to_node(task_for("one", id)), send_to_node(task_for("two", id))};
  const std::vector repetitions{send_to_node(known[0]), send_to_node(known[1])};
  advance(100ms);
  database->set_commit_faults(nullptr);
  for (int wait = 0; wait < 5000 && queue_ends() < 1; ++wait)
    advance(1ms);
  settle();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < makers.size(); ++i) {
    BOOST_REQUIRE(makers[i]->arrived());
    BOOST_REQUIRE(repetitions[i]->arrived());
    if (makers[i]->value) {
      BOOST_TEST(repetitions[i]->value->outcomes.front().repeated);
      continue;
    }
    ++refused;
    BOOST_TEST(makers[i]->code() == core::errc::already_exists);
    BOOST_TEST(repetitions[i]->code() == core::errc::unavailable);
  }
  BOOST_TEST(refused == 1U);
}

// review: the end of a queue by an id in use is no crash, and must not repeat without a pause
// either
BOOST_AUTO_TEST_CASE(a_queue_that_meets_ids_in_use_again_and_again_pauses) {
  make_queues();
  for (int i = 1; i <= 3; ++i) {
    advance(2s);
    const auto id = fresh<core::task_id>();
    database->set_commit_faults(
        [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
    send_to_node(task_for("one", id)); // side by side, no look finds the other one
    send_to_node(task_for("two", id));
    advance(100ms);
    database->set_commit_faults(nullptr);
    for (int wait = 0; wait < 5000 && queue_ends() < i; ++wait)
      advance(1ms);
    BOOST_REQUIRE(queue_ends() == i);
    std::size_t away = 0;
    for (const auto* queue : {"one", "two"})
      if (call(task_for(queue, fresh<core::task_id>())).code() == core::errc::unavailable)
        ++away;
    BOOST_TEST(away == (i == 1 ? 0U : 1U));
    advance(node->settings.writer_retry_max);
    for (const auto* queue : {"one", "two"})
      BOOST_TEST(call(task_for(queue, fresh<core::task_id>())).value.has_value());
  }
  BOOST_TEST(queue_ends() == 3);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
