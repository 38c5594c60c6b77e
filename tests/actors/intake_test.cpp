// Tasks that producers stage in the database, through a whole node in virtual time.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_with_stage : node_fixture {
  node_with_stage() {
    start();
    put(R"({"types": {"kyc": {"first_state": "NEW", "transitions": {"NEW": []}}}})");
  }

  void put(const std::string& policy) { BOOST_REQUIRE(call(msg::put_queue{"mail", policy}).value); }

  core::new_task task(const std::string& type = "send") {
    core::new_task made;
    made.spec.id = fresh<core::task_id>();
    made.spec.type = type;
    made.spec.version = "1.0";
    made.spec.body = "{}";
    return made;
  }

  /// A producer's transaction commits.
  core::task_id stage(const core::new_task& made) {
    const auto staged = database->stage("mail", made);
    BOOST_REQUIRE(staged);
    return *staged;
  }
  core::task_id stage() { return stage(task()); }

  /// Long enough for the intake to look.
  void let_it_look() { advance(node->settings.intake_interval); }

  std::size_t live() const { return database->tables().tasks.size(); }
  std::size_t waiting() const {
    std::size_t count = 0;
    for (const auto& [id, row] : database->tables().task_intake)
      count += row.refused ? 0U : 1U;
    return count;
  }
  std::vector<core::refuse_staged> refusals() const {
    std::vector<core::refuse_staged> found;
    for (const auto& [id, row] : database->tables().task_intake)
      if (row.refused)
        found.push_back(*row.refused);
    return found;
  }

  awaited_answer<msg::claim_tasks> claim(core::duration wait = 0s, std::uint32_t most = 1) {
    msg::claim_tasks c;
    c.queue = "mail";
    c.worker = "w1";
    c.claim = fresh<core::assignment_id>();
    c.most = most;
    c.wait = wait;
    return send_to_node(c);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(intake, node_with_stage)

// C5, C25, I-13
BOOST_AUTO_TEST_CASE(staged_task_goes_to_a_worker_that_waits_for_one) {
  const auto claimed = claim(30s);
  settle();
  const auto id = stage();
  settle();
  BOOST_TEST(!claimed->arrived());
  let_it_look();
  BOOST_REQUIRE(claimed->value);
  BOOST_REQUIRE_EQUAL(claimed->value->tasks.size(), 1U);
  BOOST_TEST((claimed->value->tasks[0].task == id));
  BOOST_TEST(claimed->value->tasks[0].token == 1U);
  BOOST_TEST(waiting() == 0U);
  BOOST_TEST(live() == 1U);
}

BOOST_AUTO_TEST_CASE(many_staged_tasks_are_taken_in_page_after_page_at_once) {
  std::set<core::task_id> staged;
  for (int i = 0; i < 1234; ++i)
    staged.insert(stage());
  let_it_look();
  BOOST_TEST(waiting() == 0U);
  BOOST_TEST(live() == 1234U);
  for (const auto& [id, row] : database->tables().tasks)
    BOOST_TEST(staged.count(id) == 1U);
}

// C22: made by a request, or staged again, while it is live, just ended and long ended
BOOST_AUTO_TEST_CASE(task_that_is_known_is_not_made_again) {
  const auto made = task();
  const auto restage = [&] {
    database->insert_staged("mail", made);
    let_it_look();
    BOOST_TEST(waiting() == 0U);
    BOOST_TEST(refusals().empty());
  };
  stage(made);
  let_it_look();
  restage();
  BOOST_TEST(live() == 1U);
  const auto claimed = claim();
  settle();
  BOOST_REQUIRE(claimed->value);
  const auto& t = claimed->value->tasks.at(0);
  BOOST_REQUIRE(call(msg::complete_tasks{"mail", "w1", {{{t.task, t.token}, "{}"}}}).value);
  restage();
  advance(1h);
  restage();
  restart();
  restage();
  BOOST_TEST(live() == 0U);
  BOOST_TEST(database->tables().finished_tasks.size() == 1U);
}

// C24
BOOST_AUTO_TEST_CASE(refused_task_is_kept_for_people_and_harms_no_other) {
  auto lost = task("kyc");
  lost.state = "LOST";
  auto large = task();
  large.spec.body = '"' + std::string(node->settings.json.bytes_max, 'x') + '"';
  auto huge_number = task();
  huge_number.spec.body = "1" + std::string(400, '0');
  auto key_of = task();
  key_of.spec.unique_key = "k";
  auto duplicate = task();
  duplicate.spec.unique_key = "k";
  duplicate.conflict = core::on_conflict::reject;
  // Past the function, which refuses them: rules may have changed since.
  for (const auto& each : {lost, task(), large, huge_number, task(), key_of, duplicate, task()})
    database->insert_staged("mail", each);
  let_it_look();
  BOOST_TEST(waiting() == 0U);
  BOOST_TEST(live() == 4U);
  const auto refused = refusals();
  BOOST_REQUIRE_EQUAL(refused.size(), 4U);
  const auto code = [&](std::size_t i) { return std::string{to_string(refused[i].code)}; };
  BOOST_TEST(code(0) == "wrong_state");
  BOOST_TEST(code(1) == "too_large");
  BOOST_TEST(code(2) == "payload_invalid");
  BOOST_TEST(code(3) == "already_exists");
  BOOST_TEST(refused[0].detail == "tasks of type kyc have no state LOST");
  advance(1h); // and they are left alone
  BOOST_TEST(refusals().size() == 4U);
}

BOOST_AUTO_TEST_CASE(id_of_a_task_of_another_queue_is_refused) {
  BOOST_REQUIRE(call(msg::put_queue{"other", "{}"}).value);
  const auto made = task();
  stage(made);
  let_it_look();
  database->insert_staged("other", made);
  let_it_look();
  BOOST_TEST(live() == 1U);
  BOOST_REQUIRE_EQUAL(refusals().size(), 1U);
  BOOST_TEST((refusals()[0].code == core::errc::already_exists));
}

// B52: backpressure
BOOST_AUTO_TEST_CASE(full_queue_leaves_tasks_staged_until_it_has_room) {
  put(R"({"depth_max": 3})");
  for (int i = 0; i < 7; ++i)
    stage();
  let_it_look();
  BOOST_TEST(live() == 3U);
  BOOST_TEST(waiting() == 4U);
  advance(1min);
  BOOST_TEST(waiting() == 4U);
  for (std::size_t left = 7; left > 0;) {
    const auto claimed = claim(0s, 2);
    settle();
    BOOST_REQUIRE(claimed->value);
    for (const auto& t : claimed->value->tasks) {
      BOOST_REQUIRE(call(msg::complete_tasks{"mail", "w1", {{{t.task, t.token}, "{}"}}}).value);
      --left;
    }
    let_it_look();
    BOOST_TEST(live() <= 3U);
  }
  BOOST_TEST(waiting() == 0U);
  BOOST_TEST(database->tables().finished_tasks.size() == 7U);
}

// I-12, I-13: whatever ends in between
BOOST_AUTO_TEST_CASE(staged_task_is_taken_in_once_whatever_crashes) {
  for (int i = 0; i < 3; ++i)
    stage();
  // The batch is applied, its answer lost, and the process is killed.
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::in_doubt_applied; });
  let_it_look();
  restart();
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_TEST(live() == 3U);
  BOOST_TEST(waiting() == 0U);
  // Not applied, and killed.
  stage();
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  let_it_look();
  BOOST_TEST(waiting() == 1U);
  restart();
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_TEST(live() == 4U);
  BOOST_TEST(waiting() == 0U);
  // The queue, or the intake, crashes.
  for (const auto* victim : {"queue", "intake", "shards", "reader"}) {
    stage();
    crash(actors_named(victim).front());
    advance(10s);
    BOOST_TEST(waiting() == 0U, victim);
  }
  BOOST_TEST(live() == 8U);
}

BOOST_AUTO_TEST_CASE(staged_task_that_a_person_removes_costs_no_more_than_a_restart_of_its_queue) {
  stage();
  stage();
  database->set_refusals([&](const core::change& c) {
    for (const auto& write : c.writes)
      if (const auto* taken = std::get_if<core::take_staged>(&write))
        return taken->staged.front() == 1; // as if the row were gone by now
    return false;
  });
  let_it_look();
  BOOST_TEST(live() == 0U);
  database->delete_staged(1);
  advance(10s);
  BOOST_TEST(live() == 1U);
  BOOST_TEST(waiting() == 0U);
}

BOOST_AUTO_TEST_CASE(database_that_is_away_is_asked_again_and_complained_of_once) {
  stage();
  node->cut_off(true);
  advance(20s);
  node->cut_off(false);
  advance(10s);
  BOOST_TEST(live() == 1U);
  std::size_t complaints = 0;
  for (const auto& line : node->log)
    complaints += line.find("intake_failed") != std::string::npos ? 1U : 0U;
  BOOST_TEST(complaints == 1U);
}

// B67: as long as finished tasks
BOOST_AUTO_TEST_CASE(refused_tasks_are_forgotten_with_the_queues_retention) {
  put(R"({"retention_seconds": 3600,
          "types": {"kyc": {"first_state": "NEW", "transitions": {"NEW": []}}}})");
  auto lost = task("kyc");
  lost.state = "LOST";
  stage(lost);
  let_it_look();
  BOOST_TEST(refusals().size() == 1U);
  advance(50min);
  BOOST_TEST(refusals().size() == 1U);
  // Rounds of pruning follow endings; another one comes within the hour.
  stage(task("kyc"));
  let_it_look();
  const auto claimed = claim();
  settle();
  BOOST_REQUIRE(claimed->value);
  const auto& t = claimed->value->tasks.at(0);
  advance(20min);
  BOOST_REQUIRE(call(msg::change_task{"mail", t.task, 3}).value);
  advance(20min);
  BOOST_TEST(refusals().empty());
}

// What the SQL functions check by.
BOOST_AUTO_TEST_CASE(node_publishes_its_limits) {
  BOOST_TEST(database->tables().limits.bytes_max == node->settings.json.bytes_max);
  BOOST_TEST(database->tables().limits.depth_max == node->settings.json.depth_max);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
