// Removals of contributors from a step, a workflow or everywhere, as steps follow them.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

const std::string label_then_check = R"({"name": "two", "steps": [
    {"key": "label", "judgments_per_unit": 2, "next": ["check"]},
    {"key": "check", "judgments_per_unit": 2}]})";

struct removing_node : node_fixture {
  removing_node() { start(); }

  core::workflow_id workflow_of(const core::step_id& step) const {
    return database->tables().steps.at(step).row.workflow;
  }

  msg::put_removal from(const std::string& who) const {
    msg::put_removal request;
    request.contributor = who;
    return request;
  }

  msg::removal_view removed(const msg::put_removal& request) {
    const auto told = call(request);
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    return *told.value;
  }

  msg::removal_view reinstated(const msg::reinstate_contributor& request) {
    const auto told = call(request);
    BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
    return *told.value;
  }

  bool counts(const core::unit_id& unit, const std::string& who) const {
    return !database->tables().judgments.at({unit, who}).tainted_at;
  }

  std::string why_not(const core::step_id& step, const std::string& who) {
    const auto told = call(msg::explain_contributor{step, who});
    BOOST_REQUIRE(told.value);
    return told.value->reasons[0].code + ": " + told.value->reasons[0].text;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(removals, removing_node)

BOOST_AUTO_TEST_CASE(removal_from_everywhere_counts_in_steps_that_are_there_and_that_come) {
  const auto step = create();
  feed(step, 3);
  work(step, "bob");
  const auto held = assigned(step, "bob");
  auto request = from("bob");
  request.reason = "spam";
  const auto told = removed(request);
  BOOST_TEST(told.scope == "everywhere");
  BOOST_TEST(told.state == "active");
  BOOST_TEST(told.reason == "spam");
  advance(3s);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(submit(held, "bob").code() == core::errc::lease_not_held);
  const auto refused = assign(step, "bob");
  BOOST_TEST(refused.code() == core::errc::not_qualified);
  BOOST_TEST(refused.error->detail.find("you were removed from all steps") != std::string::npos);
  BOOST_TEST(refused.error->detail.find("spam") == std::string::npos);
  BOOST_TEST(why_not(step, "bob") == "removed: bob was removed from all steps: spam");
  const auto later = create();
  feed(later, 1);
  BOOST_TEST(assign(later, "bob").code() == core::errc::not_qualified);
  BOOST_TEST(assign(later, "ana").value.has_value());
  restart();
  advance(3s);
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(removal_from_a_workflow_leaves_other_workflows_alone) {
  const auto steps = create_steps(label_then_check);
  const auto other = create();
  feed(steps[0], 2);
  feed(other, 1);
  auto request = from("bob");
  request.workflow = workflow_of(steps[0]);
  BOOST_TEST(removed(request).scope == "workflow");
  BOOST_TEST(assign(steps[0], "bob").code() == core::errc::not_qualified);
  BOOST_TEST(assign(other, "bob").value.has_value());
}

BOOST_AUTO_TEST_CASE(what_was_said_counts_no_more_unless_it_is_kept) {
  // Units that two have judged are not finished.
  const auto step = create(workflow_json("colours", {step_json("label", 3, {})}));
  feed(step, 2);
  const auto first = assigned(step, "bob");
  BOOST_REQUIRE(submit(first, "bob").value);
  const auto second = assigned(step, "eve");
  BOOST_REQUIRE(submit(second, "eve").value);
  auto keeping = from("eve");
  keeping.step = step;
  keeping.keep_judgments = true;
  removed(keeping);
  auto taking = from("bob");
  taking.step = step;
  removed(taking);
  advance(3s);
  BOOST_TEST(!counts(first.unit, "bob"));
  BOOST_TEST(counts(second.unit, "eve"));
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
  BOOST_TEST(assign(step, "eve").code() == core::errc::not_qualified);
}

BOOST_AUTO_TEST_CASE(leases_end_also_where_judgments_are_kept) {
  const auto step = create();
  feed(step, 1);
  const auto held = assigned(step, "eve");
  auto keeping = from("eve");
  keeping.keep_judgments = true;
  removed(keeping);
  advance(3s);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(submit(held, "eve").code() == core::errc::lease_not_held);
}

BOOST_AUTO_TEST_CASE(removal_with_an_end_is_over_by_itself_and_what_it_took_out_counts_again) {
  const auto step = create();
  feed(step, 2);
  const auto lease = assigned(step, "bob");
  BOOST_REQUIRE(submit(lease, "bob").value);
  auto request = from("bob");
  request.lasts = 1h;
  removed(request);
  advance(3s);
  BOOST_TEST(!counts(lease.unit, "bob"));
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
  advance(1h);
  BOOST_TEST(counts(lease.unit, "bob"));
  BOOST_TEST(assign(step, "bob").value.has_value());
  const auto all = call(msg::list_removals{"bob", 10});
  BOOST_REQUIRE(all.value);
  BOOST_TEST(all.value->removals.at(0).state == "over");
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(who_is_reinstated_works_again_and_counts_again) {
  const auto step = create();
  feed(step, 2);
  const auto lease = assigned(step, "bob");
  BOOST_REQUIRE(submit(lease, "bob").value);
  removed(from("bob"));
  advance(3s);
  BOOST_TEST(!counts(lease.unit, "bob"));
  const msg::reinstate_contributor request{"bob", {}, {}};
  const auto told = reinstated(request);
  BOOST_TEST(told.state == "reinstated");
  BOOST_TEST((reinstated(request).reinstated_at == told.reinstated_at));
  advance(3s);
  BOOST_TEST(counts(lease.unit, "bob"));
  BOOST_TEST(assign(step, "bob").value.has_value());
  restart();
  advance(3s);
  BOOST_TEST(counts(lease.unit, "bob"));
  BOOST_TEST(broken_invariants(*database).empty());
}

BOOST_AUTO_TEST_CASE(reinstatement_in_a_step_ends_what_remove_contributor_did) {
  const auto step = create();
  feed(step, 2);
  const auto lease = assigned(step, "bob");
  BOOST_REQUIRE(submit(lease, "bob").value);
  BOOST_REQUIRE(call(msg::remove_contributor{step, "bob"}).value);
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
  advance(1s);
  BOOST_TEST(reinstated({"bob", {}, step}).state == "reinstated");
  advance(3s);
  BOOST_TEST(counts(lease.unit, "bob"));
  BOOST_TEST(assign(step, "bob").value.has_value());
  // What is decided after that is not ended by it.
  BOOST_REQUIRE(call(msg::remove_contributor{step, "bob"}).value);
  restart();
  advance(3s);
  BOOST_TEST(assign(step, "bob").code() == core::errc::not_qualified);
}

BOOST_AUTO_TEST_CASE(end_of_one_removal_leaves_another_in_force) {
  const auto steps = create_steps(label_then_check);
  feed(steps[0], 1);
  auto workflow = from("bob");
  workflow.workflow = workflow_of(steps[0]);
  removed(workflow);
  removed(from("bob"));
  reinstated({"bob", {}, {}});
  BOOST_TEST(assign(steps[0], "bob").code() == core::errc::not_qualified);
  reinstated({"bob", workflow.workflow, {}});
  BOOST_TEST(assign(steps[0], "bob").value.has_value());
}

BOOST_AUTO_TEST_CASE(removals_are_refused_with_what_is_wrong) {
  const auto step = create();
  auto both = from("bob");
  both.step = step;
  both.workflow = workflow_of(step);
  BOOST_TEST(call(both).code() == core::errc::invalid_argument);
  auto nowhere = from("bob");
  nowhere.step = fresh<core::step_id>();
  BOOST_TEST(call(nowhere).code() == core::errc::not_found);
  nowhere = from("bob");
  nowhere.workflow = fresh<core::workflow_id>();
  BOOST_TEST(call(nowhere).code() == core::errc::not_found);
  auto past = from("bob");
  past.until = now();
  BOOST_TEST(call(past).code() == core::errc::payload_invalid);
  auto twice = from("bob");
  twice.until = now() + 1h;
  twice.lasts = 1h;
  BOOST_TEST(call(twice).code() == core::errc::invalid_argument);
  auto wordy = from("bob");
  wordy.reason = std::string(513, 'x');
  BOOST_TEST(call(wordy).code() == core::errc::invalid_argument);
  BOOST_TEST(call(from("")).code() == core::errc::invalid_argument);
  BOOST_TEST(call(msg::list_removals{"bob", 0}).code() == core::errc::invalid_argument);
  BOOST_TEST(call(msg::list_removals{"bob", 10}).value->removals.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
