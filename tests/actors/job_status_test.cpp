// A workflow that is a job to a lifecycle system: its steps follow what is told of that. A36

#include "tests/support/event_schemas.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using core::job_status;
using core::step_status;

std::string two_steps(const std::string& starts) {
  return R"({"name":"w","starts":")" + starts + R"(","steps":[
    {"key":"label","judgments_per_unit":1,"next":["check"]},
    {"key":"check","judgments_per_unit":1}]})";
}

const std::string with_export = R"({"name":"w","steps":[
  {"key":"label","judgments_per_unit":1,"next":["check"]},
  {"key":"check","judgments_per_unit":1,"next":["export"]},
  {"key":"export","judgments_per_unit":1}]})";

struct job_node : node_fixture {
  job_node() { start(); }

  std::vector<core::step_id> steps;
  core::workflow_id workflow;

  void given(const std::string& starts) {
    steps = create_steps(two_steps(starts));
    workflow = statistics(steps[0]).step.workflow;
  }
  msg::job_status_changed news(std::uint64_t revision, job_status status) const {
    return {workflow, revision, static_cast<std::uint8_t>(status)};
  }
  /// Tells of the job, and lets all steps follow.
  answer<msg::job_status_noted> tell(std::uint64_t revision, job_status status) {
    const auto told = call(news(revision, status));
    advance(1s);
    return told;
  }
  bool applied(std::uint64_t revision, job_status status) {
    const auto told = tell(revision, status);
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    BOOST_TEST((told.value->workflow == workflow));
    return told.value->applied;
  }
  step_status status_of(const core::step_id& step) { return statistics(step).step.status; }
  bool all_are(step_status status) {
    for (const auto& step : steps)
      if (status_of(step) != status)
        return false;
    return true;
  }
  const core::step_row& stored(const core::step_id& step) const {
    return database->tables().steps.at(step).row;
  }
  void judge(const core::step_id& step, const std::string& who) {
    work(step, who);
    advance(1s);
  }
  /// Batches with such a row are not committed as long as this is in force.
  void hold_commits_of(const std::function<bool(const core::step_row&)>& which) {
    database->set_commit_faults([which](const persistence::write_batch& batch) {
      for (const auto& part : batch.shards)
        for (const auto& change : part.changes)
          for (const auto& write : change.writes)
            if (const auto* updated = std::get_if<core::update_step>(&write);
                updated != nullptr && which(updated->row))
              return persistence::commit_fault::unavailable;
      return persistence::commit_fault::none;
    });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(jobs, job_node)

BOOST_AUTO_TEST_CASE(nobody_is_offered_anything_before_the_launch) {
  given("when_launched");
  BOOST_TEST(all_are(step_status::paused));
  feed(steps[0], 2);
  advance(1s);
  BOOST_TEST(statistics(steps[0]).judgable == 2U);
  BOOST_TEST(assign(steps[0], "ana").code() == core::errc::no_unit_available);
  BOOST_TEST(call(msg::find_steps{"ana", 10, 0, {}}).value.value().steps.empty());
  restart();
  BOOST_TEST(assign(steps[0], "ana").code() == core::errc::no_unit_available);

  BOOST_TEST(applied(1, job_status::launched));
  BOOST_TEST(all_are(step_status::open));
  BOOST_TEST(call(msg::find_steps{"ana", 10, 0, {}}).value.value().steps.size() == 2U);
  judge(steps[0], "ana");
  judge(steps[0], "bob");
  judge(steps[1], "ana");
  BOOST_TEST(statistics(steps[1]).finalized == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(without_a_word_work_begins_at_once) {
  given("at_once");
  feed(steps[0], 1);
  judge(steps[0], "ana");
  judge(steps[1], "ana");
}

BOOST_AUTO_TEST_CASE(all_steps_are_paused_and_go_on_with_the_job) {
  given("at_once");
  feed(steps[0], 2);
  judge(steps[0], "ana");
  BOOST_TEST(applied(1, job_status::paused));
  BOOST_TEST(all_are(step_status::paused));
  for (const auto& step : steps)
    BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  BOOST_TEST(applied(2, job_status::launched));
  BOOST_TEST(all_are(step_status::open));
  for (const auto& step : steps)
    judge(step, "bob");
}

// Deliveries come more than once, and in any order.
BOOST_AUTO_TEST_CASE(older_or_known_job_status_changes_nothing) {
  given("when_launched");
  BOOST_TEST(applied(2, job_status::launched));
  const auto again = tell(2, job_status::launched);
  BOOST_REQUIRE(again.value);
  BOOST_TEST(!again.value->applied);
  BOOST_TEST(again.value->revision == 2U);
  const auto older = tell(1, job_status::canceled);
  BOOST_REQUIRE(older.value);
  BOOST_TEST(!older.value->applied);
  BOOST_TEST(older.value->revision == 2U);
  BOOST_TEST(all_are(step_status::open));
  restart();
  BOOST_TEST(!applied(2, job_status::paused));
  BOOST_TEST(applied(7, job_status::paused));
  BOOST_TEST(all_are(step_status::paused));
}

BOOST_AUTO_TEST_CASE(of_two_that_tell_the_same_at_once_one_brings_it) {
  given("when_launched");
  const auto one = send_to_node(news(1, job_status::launched));
  const auto two = send_to_node(news(1, job_status::launched));
  settle();
  BOOST_REQUIRE(one->value);
  BOOST_REQUIRE(two->value);
  BOOST_TEST(one->value->applied != two->value->applied);
}

// I-6
BOOST_AUTO_TEST_CASE(a_finished_job_is_worked_on_to_its_end) {
  given("when_launched");
  feed(steps[0], 1);
  BOOST_TEST(applied(1, job_status::launched));
  BOOST_TEST(applied(2, job_status::paused));
  BOOST_TEST(applied(3, job_status::finished));
  BOOST_TEST(statistics(steps[0]).step.sealed);
  BOOST_TEST(!statistics(steps[1]).step.sealed);
  BOOST_TEST(all_are(step_status::open));
  judge(steps[0], "ana");
  judge(steps[1], "ana");
  BOOST_TEST(all_are(step_status::completed));
  // It is over: the news are noted, and nothing else.
  BOOST_TEST(applied(4, job_status::paused));
  BOOST_TEST(all_are(step_status::completed));
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_canceled_job_is_over) {
  given("at_once");
  feed(steps[0], 1);
  BOOST_TEST(applied(3, job_status::canceled));
  BOOST_TEST(all_are(step_status::canceled));
  BOOST_TEST(tell(4, job_status::launched).code() == core::errc::wrong_state);
  BOOST_TEST(!applied(2, job_status::launched));
  BOOST_TEST(call(msg::add_source_data{steps[0], {{"late", "{}", 0}}}).code()
             == core::errc::wrong_state);
  BOOST_TEST(call(msg::update_workflow{steps[0], 1, with_export, false}).code()
             == core::errc::wrong_state);
  BOOST_TEST(all_are(step_status::canceled));
}

// The first step has followed, and the node dies before the other one has.
BOOST_AUTO_TEST_CASE(answered_job_status_reaches_all_steps_though_the_node_dies) {
  given("when_launched");
  hold_commits_of(
      [&](const core::step_row& row) { return row.id == steps[1] && row.job_revision == 1; });
  BOOST_TEST(applied(1, job_status::launched));
  BOOST_TEST(status_of(steps[0]) == step_status::open);
  BOOST_TEST(status_of(steps[1]) == step_status::paused);
  restart();
  advance(5s);
  BOOST_TEST(status_of(steps[1]) == step_status::paused);
  restart();
  database->set_commit_faults(nullptr);
  advance(30s);
  BOOST_TEST(all_are(step_status::open));
  BOOST_TEST(stored(steps[1]).job_revision == 1U);
}

// I-12: nor is the same answered before, when it is told again.
BOOST_AUTO_TEST_CASE(nothing_is_answered_before_it_is_durable) {
  given("when_launched");
  hold_commits_of([](const core::step_row& row) { return row.job_revision == 1; });
  const auto first = send_to_node(news(1, job_status::launched));
  settle();
  const auto again = send_to_node(news(1, job_status::launched));
  advance(1s);
  BOOST_TEST(!first->arrived());
  BOOST_TEST(!again->arrived());
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_REQUIRE(first->value);
  BOOST_REQUIRE(again->value);
  BOOST_TEST(first->value->applied);
  BOOST_TEST(!again->value->applied);
}

// Two changes, of which the second is told before the other step has heard of the first.
BOOST_AUTO_TEST_CASE(steps_that_are_behind_end_with_the_latest) {
  given("when_launched");
  const auto one = send_to_node(news(1, job_status::launched));
  const auto two = send_to_node(news(2, job_status::paused));
  const auto three = send_to_node(news(3, job_status::launched));
  advance(2s);
  for (const auto& told : {one, two, three})
    BOOST_TEST(told->value.has_value());
  BOOST_TEST(all_are(step_status::open));
  for (const auto& step : steps)
    BOOST_TEST(stored(step).job_revision == 3U);
}

// A88
BOOST_AUTO_TEST_CASE(a_step_of_a_later_version_begins_as_the_job_has_it) {
  given("when_launched");
  const auto updated = call(msg::update_workflow{steps[0], 1, with_export, false});
  BOOST_REQUIRE(updated.value);
  steps.push_back(updated.value->steps.at(2).step);
  advance(1s);
  BOOST_TEST(all_are(step_status::paused));
  feed(steps[0], 1);
  seal(steps[0]);
  BOOST_TEST(applied(1, job_status::launched));
  BOOST_TEST(all_are(step_status::open));
  for (const auto& step : steps)
    judge(step, "ana");
  BOOST_TEST(all_are(step_status::completed));
}

// The workflow takes another form while the job changes: no step is left behind.
BOOST_AUTO_TEST_CASE(a_step_that_comes_with_the_launch_is_launched) {
  for (const bool launched_first : {true, false})
    BOOST_TEST_CONTEXT((launched_first ? "launched first" : "updated first")) {
      given("when_launched");
      const msg::update_workflow update{steps[0], 1, with_export, false};
      auto launch = news(1, job_status::launched);
      launch.step = steps[0];
      if (launched_first)
        send_to_node(launch);
      const auto updated = send_to_node(update);
      if (!launched_first)
        send_to_node(launch);
      advance(2s);
      BOOST_REQUIRE(updated->value);
      steps.push_back(updated->value->steps.at(2).step);
      BOOST_TEST(all_are(step_status::open));
      for (const auto& step : steps)
        BOOST_TEST(stored(step).job_revision == 1U);
    }
}

BOOST_AUTO_TEST_CASE(only_the_first_step_of_the_workflow_decides) {
  given("when_launched");
  auto launch = news(1, job_status::launched);
  launch.step = steps[1];
  BOOST_TEST(call(launch).code() == core::errc::invalid_argument);
  launch.step = create();
  BOOST_TEST(call(launch).code() == core::errc::invalid_argument);
  BOOST_TEST(all_are(step_status::paused));
}

// A39, A93
BOOST_AUTO_TEST_CASE(events_of_jobs_are_published_as_the_schema_says) {
  given("when_launched");
  applied(1, job_status::launched);
  bool told = false;
  for (const auto& event : events(core::event_type::job_step_updated)) {
    BOOST_TEST(deviation_from_schema(to_json(event)) == "");
    told = told || event.details == R"({"job":{"revision":1,"status":"launched"}})";
  }
  BOOST_TEST(told);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
