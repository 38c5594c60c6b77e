// Removals of contributors from a step, a workflow or everywhere: how long they count, and what a
// node knows of them.

#include "core/known_removals.hpp"
#include "core/time_text.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

uuid numbered(std::uint8_t number) {
  uuid id{};
  id.bytes[15] = number;
  return id;
}

const step_id label{numbered(1)};
const step_id check{numbered(2)};
const workflow_id flow{numbered(8)};
const workflow_id other_flow{numbered(9)};

removal from(const removal_place& place, const std::string& reason = {}) {
  removal one;
  one.contributor = "ana";
  one.place = place;
  one.at = beginning;
  one.reason = reason;
  return one;
}

removal until(removal one, instant end) {
  one.until = end;
  return one;
}

removal ended(removal one, instant at) {
  one.ended_at = at;
  return one;
}

removal keeping(removal one) {
  one.keeps_judgments = true;
  return one;
}

/// The reason of the removal that keeps ana from the step; `-`: none does.
std::string keeps(const known_removals& known, const step_id& step, const workflow_id& workflow,
                  instant at = beginning) {
  const auto found = known.of("ana", step, workflow, at);
  return found ? found->reason : "-";
}

} // namespace

BOOST_AUTO_TEST_SUITE(removals)

BOOST_AUTO_TEST_CASE(removal_reaches_its_step_its_workflow_or_everything) {
  known_removals of_step;
  of_step.learn({from(in_step(label), "s")}, beginning);
  BOOST_TEST(keeps(of_step, label, flow) == "s");
  BOOST_TEST(keeps(of_step, check, flow) == "-");
  known_removals of_workflow;
  of_workflow.learn({from(in_workflow(flow), "w")}, beginning);
  BOOST_TEST(keeps(of_workflow, check, flow) == "w");
  BOOST_TEST(keeps(of_workflow, check, other_flow) == "-");
  known_removals of_all;
  of_all.learn({from(everywhere(), "e")}, beginning);
  BOOST_TEST(keeps(of_all, check, other_flow) == "e");
  BOOST_TEST(!of_all.of("bob", check, other_flow, beginning));
}

BOOST_AUTO_TEST_CASE(removal_with_an_end_is_over_to_the_instant) {
  known_removals known;
  known.learn({until(from(everywhere(), "e"), beginning + 1h)}, beginning);
  BOOST_TEST(keeps(known, label, flow, beginning + 1h - 1us) == "e");
  BOOST_TEST(keeps(known, label, flow, beginning + 1h) == "-");
  BOOST_TEST((known.next_end(beginning) == beginning + 1h));
  BOOST_TEST((known.next_end(beginning + 1h) == instant::max()));
}

BOOST_AUTO_TEST_CASE(of_several_the_one_that_takes_judgments_out_and_lasts_longest_counts) {
  known_removals known;
  known.learn({keeping(from(everywhere(), "keeps")),
               until(from(in_workflow(flow), "short"), beginning + 1h),
               until(from(in_step(label), "long"), beginning + 2h)},
              beginning);
  BOOST_TEST(keeps(known, label, flow) == "long");
  BOOST_TEST(keeps(known, check, flow) == "short");
  BOOST_TEST(keeps(known, check, flow, beginning + 1h) == "keeps");
}

BOOST_AUTO_TEST_CASE(who_is_reinstated_may_work_and_the_removal_keeps_its_reason) {
  const auto said = until(from(in_workflow(flow), "spam"), beginning + 1h);
  auto over = after(said, ended(from(in_workflow(flow)), beginning + 1min));
  BOOST_TEST(over.reason == "spam");
  BOOST_TEST((over.until == beginning + 1h));
  BOOST_TEST((over.ended_at == beginning + 1min));
  // To be told again changes nothing; to be removed again begins anew.
  over = after(over, ended(from(in_workflow(flow)), beginning + 2min));
  BOOST_TEST((over.ended_at == beginning + 1min));
  const auto again = after(over, from(in_workflow(flow), "again"));
  BOOST_TEST(!again.ended_at.has_value());
  BOOST_TEST(again.reason == "again");
  known_removals known;
  known.learn({said}, beginning);
  known.learn({over}, beginning + 2min);
  BOOST_TEST(keeps(known, label, flow, beginning + 2min) == "-");
  BOOST_TEST(known.empty());
}

BOOST_AUTO_TEST_CASE(reinstatement_in_a_step_is_remembered_for_what_the_step_has_decided) {
  known_removals known;
  BOOST_TEST(!known.reinstated_at("ana", label));
  known.learn({ended(from(in_step(label)), beginning)}, beginning);
  BOOST_TEST((known.reinstated_at("ana", label) == beginning));
  BOOST_TEST(!known.reinstated_at("ana", check));
}

BOOST_AUTO_TEST_CASE(what_has_changed_is_told_once_and_what_is_read_again_is_no_change) {
  known_removals known;
  const auto one = from(everywhere());
  known.learn({one}, beginning);
  BOOST_TEST(known.generation() == 1U);
  known.learn({one}, beginning);
  BOOST_TEST(known.generation() == 1U);
  auto other = from(everywhere());
  other.contributor = "bob";
  known.learn({other}, beginning);
  BOOST_TEST((known.changed_since(1) == std::vector<contributor_id>{"bob"}));
  BOOST_TEST((known.changed_since(0) == std::vector<contributor_id>{"ana", "bob"}));
  BOOST_TEST(known.changed_since(2).empty());
  // One that is over, and was never known, is nothing new.
  known.learn({ended(from(in_workflow(flow)), beginning)}, beginning);
  BOOST_TEST(known.generation() == 2U);
}

BOOST_AUTO_TEST_CASE(end_must_be_ahead_and_a_reason_short) {
  const auto problem = [](const removal& one) {
    const auto found = problems_of(one, beginning);
    return found.empty() ? std::string{} : found[0].place;
  };
  BOOST_TEST(problem(from(everywhere(), std::string(512, 'x'))) == "");
  BOOST_TEST(problem(from(everywhere(), std::string(513, 'x'))) == "/reason");
  BOOST_TEST(problem(until(from(everywhere()), beginning + 1us)) == "");
  BOOST_TEST(problem(until(from(everywhere()), beginning)) == "/until");
  BOOST_TEST(problem(until(from(everywhere()), beginning + removal_time_max)) == "");
  BOOST_TEST(problem(until(from(everywhere()), beginning + removal_time_max + 1us)) == "/until");
}

BOOST_AUTO_TEST_CASE(contributor_hears_how_long_it_lasts_and_requesters_hear_why) {
  auto one = until(from(in_workflow(flow), "spam"), beginning);
  one.by = "rita";
  const auto end = to_rfc3339(beginning);
  BOOST_TEST(text_of(one) == "ana was removed from the workflow until " + end + " by rita: spam");
  BOOST_TEST(text_for_contributor(one) == "you were removed from the workflow until " + end);
}

BOOST_AUTO_TEST_SUITE_END()
