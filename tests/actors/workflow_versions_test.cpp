// A workflow that goes on in another form while it is at work. A72, A88

#include "core/workflow_versions.hpp"
#include "tests/support/node_fixture.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string label_and_export = R"({"name":"w","steps":[
  {"key":"label","judgments_per_unit":1,"next":["export"]},
  {"key":"export","judgments_per_unit":1}]})";

/// A check between the two, and two judgments where there was one.
const std::string with_check = R"({"name":"w","steps":[
  {"key":"label","judgments_per_unit":2,"next":["check"]},
  {"key":"check","judgments_per_unit":1,"next":["export"]},
  {"key":"export","judgments_per_unit":1}]})";

struct versions_node : node_fixture {
  versions_node() { start(); }

  answer<msg::workflow_updated> update(const core::step_id& step, std::uint32_t version,
                                       const std::string& definition, bool dry_run = false) {
    return call(msg::update_workflow{step, version, definition, dry_run});
  }
  msg::workflow_updated updated(const core::step_id& step, std::uint32_t version,
                                const std::string& definition) {
    const auto done = update(step, version, definition);
    if (done.error)
      BOOST_FAIL(done.error->detail);
    return *done.value;
  }
  core::workflow_id workflow_of(const core::step_id& step) {
    return statistics(step).step.workflow;
  }
  msg::workflow_view view(const core::step_id& step, std::uint32_t version = 0) {
    const auto read = call(msg::get_workflow{workflow_of(step), version});
    BOOST_REQUIRE(read.value);
    return *read.value;
  }
  void judge(const core::step_id& step, const std::string& who) {
    work(step, who);
    advance(1s);
  }
  core::step_status status_of(const core::step_id& step) { return statistics(step).step.status; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(workflow_versions_at_work, versions_node)

// What has begun keeps its form to the end of its chain; what begins gets the new one. A88, I-5
BOOST_AUTO_TEST_CASE(a_definition_is_checked_by_the_node_itself) {
  const auto good = call(msg::check_workflow{
      R"({"name":"w","steps":[{"key":"a","aggregation":{"labels":["Cat","cat"]}}]})"});
  BOOST_REQUIRE(good.value);
  BOOST_TEST(good.value->valid);
  BOOST_REQUIRE_EQUAL(good.value->warnings.size(), 1U);
  BOOST_TEST(good.value->warnings[0].code == "labels_alike");
  const auto bad = call(msg::check_workflow{R"({"name":"w","steps":[{"kee":"a"}]})"});
  BOOST_REQUIRE(bad.value);
  BOOST_TEST(!bad.value->valid);
  BOOST_TEST(bad.value->problems.at(0).place == "/steps/0/key");
  BOOST_TEST(bad.value->problems.at(0).code.empty());
  BOOST_TEST(bad.value->warnings.empty());
}

BOOST_AUTO_TEST_CASE(units_go_on_as_they_began) {
  const auto steps = create_steps(label_and_export);
  feed(steps[0], 1);
  const auto changed = updated(steps[0], 1, with_check);
  BOOST_TEST(changed.version == 2U);
  BOOST_REQUIRE(changed.steps.size() == 3U);
  BOOST_TEST((changed.steps[0].step == steps[0]));
  BOOST_TEST((changed.steps[2].step == steps[1]));
  const auto check = changed.steps[1].step;
  feed(steps[0], 1, 1);
  const auto first = assigned(steps[0], "ana");
  BOOST_TEST(unit(steps[0], first.unit).version == 1U);
  BOOST_TEST(unit(steps[0], first.unit).judgments_per_unit == 1U);
  BOOST_REQUIRE(submit(first, "ana").value);
  advance(1s);
  BOOST_TEST(statistics(steps[1]).judgable == 1U);
  BOOST_TEST(statistics(check).judgable == 0U);

  const auto second = assigned(steps[0], "ana");
  BOOST_TEST(unit(steps[0], second.unit).version == 2U);
  BOOST_TEST(unit(steps[0], second.unit).judgments_per_unit == 2U);
  BOOST_REQUIRE(submit(second, "ana").value);
  advance(1s);
  BOOST_TEST(statistics(check).judgable == 0U); // wants another one
  judge(steps[0], "bob");
  BOOST_TEST(statistics(check).judgable == 1U);
  const auto checked = assigned(check, "eve");
  BOOST_TEST(unit(check, checked.unit).version == 2U);
  BOOST_REQUIRE(submit(checked, "eve").value);
  advance(1s);
  BOOST_TEST(statistics(steps[1]).judgable == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-6
BOOST_AUTO_TEST_CASE(the_steps_of_all_versions_complete_once_the_first_is_sealed) {
  const auto steps = create_steps(label_and_export);
  feed(steps[0], 1);
  seal(steps[0]);
  judge(steps[0], "ana");
  judge(steps[1], "ana");
  BOOST_TEST(status_of(steps[1]) == core::step_status::completed);
  // Nothing is expected, in the new step either.
  const auto check = updated(steps[0], 1, with_check).steps[1].step;
  advance(1s);
  for (const auto& step : {steps[0], check, steps[1]})
    BOOST_TEST(status_of(step) == core::step_status::completed);
  feed(steps[0], 1, 1);
  advance(1s);
  for (const auto& step : {steps[0], check, steps[1]})
    BOOST_TEST(!statistics(step).step.sealed);
  seal(steps[0]);
  judge(steps[0], "ana");
  judge(steps[0], "bob");
  BOOST_TEST(status_of(steps[0]) == core::step_status::completed);
  BOOST_TEST(statistics(check).step.sealed);
  BOOST_TEST(!statistics(steps[1]).step.sealed);
  judge(check, "ana");
  BOOST_TEST(status_of(check) == core::step_status::completed);
  BOOST_TEST(statistics(steps[1]).step.sealed);
  judge(steps[1], "bob");
  BOOST_TEST(status_of(steps[1]) == core::step_status::completed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// The steps behind the first had completed before they could know of the one that is put between.
BOOST_AUTO_TEST_CASE(a_new_step_learns_that_those_before_it_are_complete) {
  const auto steps = create_steps(R"({"name":"w","steps":[
    {"key":"a","judgments_per_unit":1,"next":["b"]},{"key":"b","judgments_per_unit":1}]})");
  feed(steps[0], 1);
  seal(steps[0]);
  judge(steps[0], "ana");
  judge(steps[1], "ana");
  const auto added = updated(steps[0], 1, R"({"name":"w","steps":[
    {"key":"a","judgments_per_unit":1,"next":["b"]},
    {"key":"b","judgments_per_unit":1,"next":["c"]},{"key":"c","judgments_per_unit":1}]})")
                         .steps[2]
                         .step;
  advance(1s);
  BOOST_TEST(status_of(added) == core::step_status::completed);
}

// Whoever keeps a list of steps asks for nothing more. A39
BOOST_AUTO_TEST_CASE(events_say_what_defines_a_step_as_of_the_latest_version) {
  const auto steps = create_steps(label_and_export);
  updated(steps[0], 1, R"({"name":"w","steps":[
    {"key":"label","judgments_per_unit":1,"priority":5,"next":["export"]},
    {"key":"export","judgments_per_unit":1,"requirements":{"skills":["ner"]}}]})");
  advance(1s);
  for (const auto& step : steps) {
    change(step, core::unit_verb::pause);
    std::vector<nlohmann::json> told;
    for (const auto& event : events(core::event_type::job_step_updated))
      if (event.step == step)
        told.push_back(nlohmann::json::parse(event.details));
    BOOST_REQUIRE(told.size() == 3U);
    const bool first = step == steps[0];
    BOOST_TEST(told[0].at("status") == "Open");
    BOOST_TEST(told[0].at("version") == 1);
    BOOST_TEST(told[0].at("requirements").empty());
    BOOST_TEST(!told[1].contains("status"));
    BOOST_TEST(told[2].at("status") == "Paused");
    for (const auto& later : {told[1], told[2]}) {
      BOOST_TEST(later.at("version") == 2);
      BOOST_TEST(later.at("key") == (first ? "label" : "export"));
      BOOST_TEST(later.at("priority") == (first ? 5 : 0));
      BOOST_TEST(later.at("requirements").empty() == first);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_dropped_step_finishes_what_is_on_its_way_to_it) {
  const auto steps = create_steps(with_check);
  feed(steps[0], 1);
  updated(steps[0], 1, label_and_export);
  feed(steps[0], 1, 1);
  seal(steps[0]);
  judge(steps[0], "ana");
  judge(steps[0], "bob");
  judge(steps[0], "ana");
  BOOST_TEST(statistics(steps[1]).judgable == 1U);
  BOOST_TEST(statistics(steps[2]).judgable == 1U);
  BOOST_TEST(!statistics(steps[2]).step.sealed);
  judge(steps[1], "eve");
  BOOST_TEST(statistics(steps[2]).judgable == 2U);
  BOOST_TEST(statistics(steps[2]).step.sealed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-12: what was answered with success is there after a crash, and is not done twice.
BOOST_AUTO_TEST_CASE(versions_outlive_the_node_and_a_lost_answer) {
  const auto steps = create_steps(label_and_export);
  feed(steps[0], 1);
  const auto check = updated(steps[0], 1, with_check).steps[1].step;
  restart();
  const auto again = updated(steps[0], 1, with_check);
  BOOST_TEST(again.version == 2U);
  BOOST_TEST((again.steps.at(1).step == check));
  BOOST_TEST(!again.differences.empty());
  BOOST_TEST(view(steps[0]).latest == 2U);
  feed(steps[0], 1, 1);
  judge(steps[0], "ana");
  judge(steps[0], "ana");
  judge(steps[0], "bob");
  BOOST_TEST(statistics(steps[1]).judgable == 1U);
  BOOST_TEST(statistics(check).judgable == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(versions_are_read_as_they_were_handed_in) {
  const auto steps = create_steps(label_and_export);
  updated(steps[0], 1, with_check);
  const auto first = view(steps[0], 1);
  BOOST_TEST(first.version == 1U);
  BOOST_TEST(first.latest == 2U);
  BOOST_TEST(first.name == "w");
  BOOST_TEST(first.definition == label_and_export);
  BOOST_REQUIRE(first.steps.size() == 2U);
  BOOST_TEST((first.steps[1].step == steps[1]));
  BOOST_TEST(view(steps[0]).definition == with_check);
  BOOST_TEST(view(steps[0]).steps.size() == 3U);
  BOOST_TEST(call(msg::get_workflow{workflow_of(steps[0]), 3}).code() == core::errc::not_found);
  BOOST_TEST(call(msg::get_workflow{fresh<core::workflow_id>(), 0}).code()
             == core::errc::not_found);
}

BOOST_AUTO_TEST_CASE(workflows_are_listed_page_by_page) {
  const auto steps = create_steps(label_and_export);
  updated(steps[0], 1, with_check);
  const auto full = workflow_of(steps[0]);
  const auto told = static_cast<std::uint8_t>(core::job_status::paused);
  BOOST_REQUIRE(call(msg::job_status_changed{full, 7, told}).value);
  advance(1s);
  const auto later =
      workflow_of(create(R"({"name":"later","starts":"when_launched","steps":[{"key":"only"}]})"));

  std::vector<msg::workflow_summary> seen;
  for (bool more = true; more && seen.size() < 3;) {
    const auto after = seen.empty() ? core::workflow_id{} : seen.back().workflow;
    const auto page = call(msg::list_workflows{after, 1}).value.value();
    BOOST_REQUIRE(page.workflows.size() == 1U);
    seen.push_back(page.workflows.front());
    more = page.more;
  }
  BOOST_REQUIRE(seen.size() == 2U);
  BOOST_TEST((seen[0].workflow < seen[1].workflow));
  if (seen[0].workflow != full)
    std::swap(seen[0], seen[1]);
  BOOST_TEST((seen[0].workflow == full && seen[1].workflow == later));
  BOOST_TEST(seen[0].name == "w");
  BOOST_TEST(seen[0].latest == 2U);
  BOOST_TEST(seen[0].open == 0U);
  BOOST_TEST(seen[0].paused == 3U);
  BOOST_TEST(seen[0].job_revision == 7U);
  BOOST_TEST(seen[0].job_status == told);
  BOOST_TEST(seen[1].name == "later");
  BOOST_TEST(seen[1].latest == 1U);
  BOOST_TEST(seen[1].paused == 1U);
  BOOST_TEST(seen[1].job_revision == 0U); // nobody has told of it, and it waits for that
  BOOST_TEST(seen[1].job_status == static_cast<std::uint8_t>(core::job_status::paused));
}

BOOST_AUTO_TEST_CASE(a_dry_run_tells_what_would_change_and_changes_nothing) {
  const auto steps = create_steps(label_and_export);
  const auto asked = update(steps[0], 1, with_check, true);
  BOOST_REQUIRE(asked.value);
  BOOST_TEST(asked.value->dry_run);
  BOOST_TEST(asked.value->version == 2U);
  BOOST_TEST(asked.value->steps.size() == 2U);
  std::vector<std::string> places;
  for (const auto& difference : asked.value->differences)
    places.push_back(difference.place);
  BOOST_TEST((places
              == std::vector<std::string>{"/steps/check", "/steps/label/judgments_per_unit",
                                          "/steps/label/next"}));
  BOOST_TEST(view(steps[0]).latest == 1U);
  BOOST_TEST(updated(steps[0], 1, label_and_export).version == 1U); // the same is no other version
  BOOST_TEST(view(steps[0]).latest == 1U);
}

BOOST_AUTO_TEST_CASE(a_change_that_cannot_be_is_refused_with_its_reason) {
  const auto steps = create_steps(label_and_export);
  const auto refused = [&](const answer<msg::workflow_updated>& answer, core::errc code,
                           const std::string& why) {
    BOOST_REQUIRE(answer.error);
    BOOST_TEST(answer.error->code == code);
    BOOST_TEST(answer.error->detail.find(why) != std::string::npos, answer.error->detail);
  };
  refused(update(steps[0], 2, with_check), core::errc::wrong_state, "at version 1, not 2");
  refused(update(steps[1], 1, with_check), core::errc::wrong_state, to_string(steps[0]));
  refused(update(steps[0], 1, R"({"name":"w"})"), core::errc::payload_invalid, "/steps");
  refused(update(steps[0], 1, R"({"name":"v","steps":[{"key":"label"}]})"),
          core::errc::payload_invalid, "/name: must stay 'w'");
  refused(update(steps[0], 1, R"({"name":"w","steps":[{"key":"label","judgments_per_unit":1,
            "next":["t"]},{"key":"t","tasks":{"queue":"nowhere","type":"t"}}]})"),
          core::errc::invalid_argument, "/steps/1/tasks/queue: there is no queue nowhere");
  refused(update(fresh<core::step_id>(), 1, with_check), core::errc::not_found, "no step");
  change(steps[0], core::unit_verb::cancel);
  refused(update(steps[0], 1, with_check), core::errc::wrong_state, "canceled");
  BOOST_TEST(view(steps[0]).latest == 1U);
}

// Two people change the workflow at once: one of them learns of the other.
BOOST_AUTO_TEST_CASE(of_two_changes_at_once_one_is_made) {
  const auto steps = create_steps(label_and_export);
  const auto other = R"({"name":"w","steps":[{"key":"label","judgments_per_unit":4}]})";
  auto one = send_to_node(msg::update_workflow{steps[0], 1, with_check, false});
  auto two = send_to_node(msg::update_workflow{steps[0], 1, other, false});
  settle();
  BOOST_TEST((one->value.has_value() != two->value.has_value()));
  BOOST_TEST(view(steps[0]).latest == 2U);
}

// Contributors stay who they are: nobody who was removed comes back by a new version. A28
BOOST_AUTO_TEST_CASE(removed_contributor_stays_removed) {
  const auto steps = create_steps(label_and_export);
  feed(steps[0], 1);
  BOOST_REQUIRE(call(msg::remove_contributor{steps[0], "ana"}).value);
  updated(steps[0], 1, with_check);
  feed(steps[0], 1, 1);
  BOOST_TEST(assign(steps[0], "ana").code() == core::errc::not_qualified);
}

// A88
BOOST_AUTO_TEST_CASE(units_of_two_versions_in_one_step_keep_their_own_leases) {
  const auto leased = [](int seconds) {
    return R"({"name":"w","steps":[{"key":"label","judgments_per_unit":1,"lease":{"ttl_seconds":)"
           + std::to_string(seconds) + "}}]}";
  };
  const auto steps = create_steps(leased(60));
  feed(steps[0], 1);
  updated(steps[0], 1, leased(600));
  feed(steps[0], 1, 1);
  const auto before = assigned(steps[0], "ana");
  const auto after = assigned(steps[0], "bob");
  BOOST_TEST((before.expires_at - now() == 60s));
  BOOST_TEST((after.expires_at - now() == 600s));
  restart();
  advance(61s);
  BOOST_TEST(submit(before, "ana").code() == core::errc::lease_not_held);
  BOOST_TEST(submit(after, "bob").value.has_value());
}

// G-9: contributors have answered without knowing that they would be told, or because of it
BOOST_AUTO_TEST_CASE(whether_a_step_gives_feedback_stays) {
  const auto tested = [](const char* more) {
    return R"({"name":"w","steps":[{"key":"label","test_questions":{"quiz":1)" + std::string{more}
           + "}}]}";
  };
  const auto step = create_steps(tested("")).front();
  const auto told = call(msg::update_workflow{step, 1, tested(R"(,"feedback":true)"), false});
  BOOST_REQUIRE(told.error.has_value());
  BOOST_TEST(contains(told.error->detail, "/steps/0/test_questions: must stay what it was"),
             told.error->detail);
}

// A88: by the length of their leases nobody tells test questions from units that begin now
BOOST_AUTO_TEST_CASE(test_questions_are_leased_like_the_units_that_begin_now) {
  const auto tested = [](int seconds) {
    return R"({"name":"w","steps":[{"key":"label","judgments_per_unit":2,
               "test_questions":{"quiz":1,"quiz_pass":1,"every":0},"lease":{"ttl_seconds":)"
           + std::to_string(seconds) + "}}]}";
  };
  const auto step = create_steps(tested(60)).front();
  feed(step, 1);
  msg::add_test_questions question{step, {{"test", "{}", R"({"answer":"red"})"}}};
  BOOST_REQUIRE(call(question).value);
  // It is in memory with the policy of the version in which it was added.
  const auto before = assigned(step, "ana");
  BOOST_TEST((before.expires_at - now() == 60s));
  updated(step, 1, tested(600));
  feed(step, 1, 1);
  BOOST_TEST(submit(before, "ana", "red").value.has_value());

  const auto asked = assigned(step, "bob");
  BOOST_TEST((asked.unit == before.unit));
  BOOST_TEST((asked.expires_at - now() == 600s));
  BOOST_REQUIRE(submit(asked, "bob", "red").value);
  const auto old = assigned(step, "bob");
  const auto fresh_one = assigned(step, "bob");
  BOOST_TEST((old.expires_at - now() == 60s));
  BOOST_TEST((fresh_one.expires_at - now() == 600s));
  restart();
  BOOST_TEST((assigned(step, "eve").expires_at - now() == 600s));
}

// A88: were the page that of the version of a unit, the older pages would be those of test
// questions.
BOOST_AUTO_TEST_CASE(people_work_with_the_newest_page_whatever_the_version_of_the_unit) {
  const auto with_page = [](const std::string& page) {
    return R"({"name":"w","steps":[{"key":"label","judgments_per_unit":2,
               "test_questions":{"quiz":1},"ui":")"
           + page + "\"}]}";
  };
  const auto step = create(with_page("form-1"));
  msg::add_test_questions questions{step, {{"test", "{}", R"({"answer":"red"})"}}};
  BOOST_REQUIRE(call(std::move(questions)).value);
  feed(step, 1);
  const auto quiz = assigned(step, "ana");
  BOOST_TEST(quiz.ui == "form-1");
  BOOST_REQUIRE(submit(quiz, "ana", "red").value);
  BOOST_TEST(assigned(step, "ana").ui == "form-1");
  updated(step, 1, with_page("form-2"));
  feed(step, 1, 1);
  // The question of the first version, a unit of the same, and one of the second.
  const auto same_quiz = assigned(step, "bob");
  BOOST_TEST((same_quiz.unit == quiz.unit));
  BOOST_TEST(same_quiz.ui == "form-2");
  BOOST_REQUIRE(submit(same_quiz, "bob", "red").value);
  BOOST_TEST(assigned(step, "bob").ui == "form-2");
  BOOST_TEST(assigned(step, "bob").ui == "form-2");
  const auto offers = call(msg::find_steps{"ana", 1, 0, {}});
  BOOST_REQUIRE(offers.value);
  BOOST_REQUIRE(offers.value->steps.size() == 1U);
  BOOST_TEST(offers.value->steps[0].ui == "form-2");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
