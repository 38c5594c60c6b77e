// Units that tasks of a queue judge, next to people or instead of them.

#include "objects/sha256.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// A model labels first, two people check; three models label alone.
const std::string mixed = R"({"name":"mixed","steps":[
  {"key":"label","judgments_per_unit":3,
   "judgment_schema":{"type":"object","required":["answer"],
                      "properties":{"answer":{"enum":["red","green"]}}},
   "tasks":{"queue":"models","type":"label","judgments":1,"patience_seconds":600},
   "next":["vote"]},
  {"key":"vote","judgments_per_unit":3,
   "tasks":{"queue":"models","type":"vote","judgments":3}}]})";

struct node_with_models : node_fixture {
  node_with_models() {
    start();
    BOOST_REQUIRE(call(msg::put_queue{"models", R"({"retry":{"max_attempts":1}})"}).value);
  }

  std::vector<core::step_id> steps = {};

  void make() { steps = create_steps(mixed); }

  /// Leases tasks of the queue.
  std::vector<msg::leased_task> claim(std::uint32_t most = 10) {
    advance(node->settings.intake_interval);
    msg::claim_tasks c;
    c.queue = "models";
    c.worker = "gpu";
    c.claim = fresh<core::assignment_id>();
    c.most = most;
    const auto claimed = call(c);
    BOOST_REQUIRE(claimed.value);
    return claimed.value->tasks;
  }

  void complete(const msg::leased_task& t, const std::string& result) {
    const auto done = call(msg::complete_tasks{"models", "gpu", {{{t.task, t.token}, result}}});
    BOOST_REQUIRE(done.value);
    BOOST_REQUIRE_EQUAL(done.value->outcomes.size(), 1U);
    BOOST_TEST((done.value->outcomes[0].refusal == core::errc::none));
    advance(1s);
  }

  void cancel(const msg::leased_task& t) {
    BOOST_REQUIRE(
        call(msg::change_task{"models", t.task, static_cast<std::uint8_t>(core::task_verb::cancel)})
            .value);
    advance(1s);
  }

  void fail_for_good(const msg::leased_task& t) {
    msg::fail_task failed;
    failed.queue = "models";
    failed.worker = "gpu";
    failed.task = {t.task, t.token};
    failed.kind = static_cast<std::uint8_t>(core::failure_kind::permanent);
    failed.error_code = "NO_MEMORY";
    BOOST_REQUIRE(call(failed).value);
    advance(1s);
  }

  std::set<std::string> judges() const {
    std::set<std::string> names;
    for (const auto& [id, row] : database->tables().judgments)
      names.insert(row.made.owner);
    return names;
  }

  std::string explained(const core::step_id& step) {
    std::string codes;
    for (const auto& [id, row] : database->tables().units)
      if (row.made.step == step) {
        const auto explanation = call(msg::explain_unit{step, id, ""}).value;
        BOOST_REQUIRE(explanation);
        for (const auto& why : explanation->reasons)
          codes += why.code + " ";
      }
    return codes;
  }

  std::size_t staged() const { return database->tables().task_intake.size(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(unit_tasks, node_with_models)

// A1, A22, A40, I-1, I-3, I-4: people and tasks fill the slots of one unit, and of the next alone
BOOST_AUTO_TEST_CASE(tasks_and_people_judge_one_unit) {
  make();
  feed(steps[0], 1);
  BOOST_TEST(staged() == 1U);
  const auto tasks = claim();
  BOOST_REQUIRE_EQUAL(tasks.size(), 1U);
  BOOST_TEST(tasks[0].type == "label");
  BOOST_TEST(tasks[0].body == database->tables().units.begin()->second.made.input);
  BOOST_TEST(explained(steps[0]) == "task waiting ");
  work(steps[0], "ana");
  work(steps[0], "bob");
  BOOST_TEST(assign(steps[0], "cid").code() == core::errc::no_unit_available);
  complete(tasks[0], R"({"answer":"green"})");
  BOOST_TEST((judges() == std::set<std::string>{"ana", "bob", "task:models/label"}));
  // Its judgment bears the id of the task.
  const auto& judged = database->tables().judgments;
  BOOST_TEST(std::count_if(
                 judged.begin(), judged.end(),
                 [&](const auto& row) { return row.second.made.id.value == tasks[0].task.value; })
             == 1);
  const auto first = results(steps[0]);
  BOOST_REQUIRE_EQUAL(first.size(), 1U);
  BOOST_TEST(first[0].result.find(R"("answer":"red")") != std::string::npos);
  const auto votes = claim();
  BOOST_REQUIRE_EQUAL(votes.size(), 3U);
  for (const auto& t : votes)
    complete(t, R"({"answer":"red"})");
  BOOST_TEST(statistics(steps[1]).finalized == 1U);
  BOOST_TEST(judges().count("task:models/vote#3") == 1U);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(events(core::event_type::unit_task_ended).size() == 4U);
  BOOST_TEST(events(core::event_type::judgment_received).size() == 6U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-4: what becomes of a slot whose task comes to nothing
BOOST_AUTO_TEST_CASE(slot_of_a_task_without_a_usable_result_goes_to_people) {
  make();
  feed(steps[0], 3);
  const auto tasks = claim();
  BOOST_REQUIRE_EQUAL(tasks.size(), 3U);
  complete(tasks[0], R"({"answer":"blue"})"); // the schema knows no blue
  cancel(tasks[1]);
  // The third fails, which may be repaired as long as its unit is patient.
  fail_for_good(tasks[2]);
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 3; ++i)
      work(steps[0], who);
  work(steps[0], "cid");
  work(steps[0], "cid");
  BOOST_TEST(assign(steps[0], "cid").code() == core::errc::no_unit_available);
  BOOST_TEST(statistics(steps[0]).finalized == 2U);
  advance(10min);
  work(steps[0], "cid");
  BOOST_TEST(statistics(steps[0]).finalized == 3U);
  BOOST_TEST(judges().count("task:models/label") == 0U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// The queue itself ends the task, when it is claimed and nobody can read what belongs to it.
BOOST_AUTO_TEST_CASE(the_end_of_a_task_whose_payload_is_lost_is_told_to_its_unit) {
  make();
  feed(steps[0], 1);
  const auto tasks = claim();
  BOOST_REQUIRE_EQUAL(tasks.size(), 1U);
  const msg::task_ref held{tasks[0].task, tasks[0].token};
  const auto notes = R"({"text":")" + std::string(100'000, 'x') + "\"}";
  msg::save_task save{"models", "gpu", held, {}};
  save.update.data = notes;
  BOOST_REQUIRE(call(save).value);
  BOOST_REQUIRE(call(msg::release_task{"models", "gpu", held, {}, {}}).value);
  BOOST_REQUIRE(objects->remove_if_older(holdfast::objects::sha256(notes), core::instant::max()));
  BOOST_TEST(claim().empty());
  advance(1s);
  const auto seen = call(msg::get_task{held.task});
  BOOST_REQUIRE(seen.value);
  BOOST_TEST(seen.value->error_code == "PAYLOAD_MISSING");
  BOOST_TEST(events(core::event_type::unit_task_ended).size() == 1U);
}

// C7: a dead letter that is redriven in time still counts; one that comes too late does not
BOOST_AUTO_TEST_CASE(redriven_task_counts_as_long_as_its_unit_waits) {
  make();
  feed(steps[0], 1);
  const auto fail_next = [&] {
    const auto tasks = claim();
    BOOST_REQUIRE_EQUAL(tasks.size(), 1U);
    fail_for_good(tasks[0]);
  };
  const auto redrive = [&] {
    msg::redrive_tasks again;
    again.queue = "models";
    BOOST_REQUIRE(call(again).value);
  };
  const auto do_next = [&] {
    const auto tasks = claim();
    BOOST_REQUIRE_EQUAL(tasks.size(), 1U);
    complete(tasks[0], R"({"answer":"red"})");
  };
  fail_next();
  redrive();
  do_next();
  BOOST_TEST(judges().count("task:models/label") == 1U);
  feed(steps[0], 1, 1);
  fail_next();
  advance(11min);
  redrive();
  const auto before = database->tables().judgments.size();
  do_next();
  BOOST_TEST(database->tables().judgments.size() == before);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-4, I-8, A184: the result is told again and again, across crashes, and counts once
BOOST_AUTO_TEST_CASE(result_counts_once_whatever_crashes) {
  make();
  feed(steps[0], 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto tasks = claim(1);
    BOOST_REQUIRE_EQUAL(tasks.size(), 1U);
    const auto done = call(msg::complete_tasks{
        "models", "gpu", {{{tasks[0].task, tasks[0].token}, R"({"answer":"red"})"}}});
    BOOST_REQUIRE(done.value);
    BOOST_TEST((done.value->outcomes.at(0).refusal == core::errc::none));
    if (i == 0)
      restart();
    else
      crash(actors_named(i == 1 ? "step" : i == 2 ? "consumer" : "relay").front());
    advance(30s);
    BOOST_TEST(database->tables().judgments.size() == i + 1);
  }
  BOOST_TEST(broken_invariants(*database) == "");
}

// A157, A160: what cannot be read of one task keeps no result of another one waiting, and counts
// when it can.
BOOST_AUTO_TEST_CASE(damaged_task_keeps_no_other_result_waiting) {
  make();
  feed(steps[0], 2);
  const auto tasks = claim();
  BOOST_REQUIRE_EQUAL(tasks.size(), 2U);
  database->set_damaged_tasks(
      [lost = tasks[0].task](const core::task_id& task) { return task == lost; });
  for (const auto& task : tasks)
    complete(task, R"({"answer":"red"})");
  BOOST_TEST(database->tables().judgments.size() == 1U);
  database->set_damaged_tasks(nullptr);
  advance(61s);
  BOOST_TEST(database->tables().judgments.size() == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A28: a model may be removed like anybody, for the past and for what is to come
BOOST_AUTO_TEST_CASE(removed_model_loses_its_slots_and_gets_no_more) {
  make();
  feed(steps[0], 2);
  const auto tasks = claim();
  complete(tasks.at(0), R"({"answer":"green"})");
  BOOST_REQUIRE(call(msg::remove_contributor{steps[0], "task:models/label"}).value);
  advance(1s);
  complete(tasks.at(1), R"({"answer":"green"})");
  feed(steps[0], 1, 2);
  BOOST_TEST(claim().empty());
  restart();
  feed(steps[0], 1, 3);
  BOOST_TEST(claim().empty());
  for (const auto* who : {"ana", "bob", "cid"})
    for (int i = 0; i < 4; ++i)
      work(steps[0], who);
  BOOST_TEST(statistics(steps[0]).finalized == 4U);
  for (const auto& [id, row] : database->tables().judgments)
    BOOST_TEST(row.tainted_at.has_value() == (row.made.owner == "task:models/label"));
  BOOST_TEST(broken_invariants(*database) == "");
}

// A11: nobody works in the name of a model
BOOST_AUTO_TEST_CASE(names_of_tasks_are_refused_to_people) {
  make();
  feed(steps[0], 1);
  BOOST_TEST(assign(steps[0], "task:models/label").code() == core::errc::invalid_argument);
}

// A1, A94: what tasks should do alone and cannot, people find and do
BOOST_AUTO_TEST_CASE(step_of_tasks_is_found_when_slots_fall_to_people) {
  steps = create_steps(R"({"name":"alone","steps":[{"key":"vote","judgments_per_unit":1,
                           "tasks":{"queue":"models","type":"vote","judgments":1}}]})");
  msg::add_source_data two_judgments{steps[0], {{"both", R"({"n":1})", 2}}};
  BOOST_REQUIRE(call(two_judgments).value);
  feed(steps[0], 1);
  const auto tasks = claim();
  BOOST_REQUIRE_EQUAL(tasks.size(), 2U);
  cancel(tasks[0]);
  complete(tasks[1], R"({"answer":"red"})");
  const auto find_and_work = [&](const std::string& who) {
    const auto found = call(msg::find_steps{who, 10, 0, {}});
    BOOST_REQUIRE(found.value);
    BOOST_REQUIRE_EQUAL(found.value->steps.size(), 1U);
    work(found.value->steps[0].step, who);
    advance(1s);
  };
  find_and_work("ana");
  restart();
  advance(1s);
  find_and_work("bob");
  BOOST_TEST(statistics(steps[0]).finalized == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// C24: a task for a unit that nobody has asked for harms nothing
BOOST_AUTO_TEST_CASE(task_that_claims_to_work_for_a_unit_does_not) {
  make();
  feed(steps[0], 1);
  const auto tasks = claim();
  const auto& unit = database->tables().units.begin()->first;
  msg::task_request forged;
  forged.task = fresh<core::task_id>();
  forged.type = "label";
  forged.body = "{}";
  forged.owner_id = "unit/" + to_string(steps[0]) + "/" + to_string(unit);
  BOOST_REQUIRE(call(msg::enqueue_tasks{"models", {forged}}).value);
  const auto others = claim();
  BOOST_REQUIRE_EQUAL(others.size(), 1U);
  complete(others[0], R"({"answer":"green"})");
  BOOST_TEST(database->tables().judgments.empty());
  complete(tasks.at(0), R"({"answer":"red"})");
  BOOST_TEST(database->tables().judgments.size() == 1U);
}

// A11: a typing error does not make units wait for ever
BOOST_AUTO_TEST_CASE(workflow_whose_queue_is_missing_is_refused) {
  auto misspelt = mixed;
  misspelt.replace(misspelt.find("\"models\""), 8, "\"model\"");
  const auto refused = call(msg::create_workflow{fresh<core::workflow_id>(), misspelt});
  BOOST_TEST(refused.code() == core::errc::invalid_argument);
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.error->detail
             == "/steps/0/tasks/queue: there is no queue model; make it first");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
