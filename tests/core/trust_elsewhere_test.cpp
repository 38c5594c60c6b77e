// finding C9: how far somebody is trusted in a step where they have answered no test question.

#include "core/contributor_board.hpp"
#include "core/trust_elsewhere.hpp"
#include "core/workflow.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

using namespace holdfast::core;

namespace {

contributor_profile trusted(double trust) {
  contributor_profile profile;
  profile.trust = trust;
  return profile;
}

} // namespace

BOOST_AUTO_TEST_SUITE(trust_from_elsewhere)

BOOST_AUTO_TEST_CASE(test_questions_of_other_steps_say_more_than_a_profile) {
  BOOST_TEST(trust_by_others({}, trusted(0.1), {}, {4, 4}).value_or(-1) == 0.8); // 8 of 10
  BOOST_TEST(trust_by_others({}, trusted(0.1), {}, {}).value_or(-1) == 0.1);
  BOOST_TEST(trust_by_others({}, trusted(0), {}, {}).value_or(-1) == 0.0);
  BOOST_TEST(!trust_by_others({}, {}, {}, {}).has_value());
}

BOOST_AUTO_TEST_CASE(test_questions_of_the_workflow_come_before_those_of_all_steps) {
  const tests_seen seen{{}, {4, 4}};
  const tested all{4, 14}; // ten others, all of them wrong
  const auto by = [&](const trust_sources& sources) {
    return trust_by_others(sources, trusted(0.1), seen, all).value_or(-1);
  };
  BOOST_TEST(by({}) == 0.8); // 8 of 10
  BOOST_TEST(by({true, false, true, true, true}) == 8.0 / 20);
  BOOST_TEST(by({true, false, false, true, true}) == 0.1);
  BOOST_TEST(by({true, false, false, false, true}) == -1.0);
}

BOOST_AUTO_TEST_CASE(questions_of_the_step_itself_are_none_of_other_steps) {
  const tests_seen seen{{4, 4}, {}};
  BOOST_TEST(trust_by_others({}, trusted(0.1), seen, {4, 4}).value_or(-1) == 0.1);
  // Read at two moments, the whole may be less than the part.
  BOOST_TEST(trust_by_others({}, trusted(0.1), seen, {3, 3}).value_or(-1) == 0.1);
}

BOOST_AUTO_TEST_CASE(step_whose_own_questions_do_not_count_trusts_by_others_or_as_anybody) {
  const contributor_board board{step_id{}, test_question_policy{}};
  BOOST_TEST(board.trust_in("ana", {true, 0.1, true}).mean == 0.1);
  BOOST_TEST(board.trust_in("ana", {true, {}, true}).mean == 4.0 / 6);
  BOOST_TEST(!board.trust_in("ana", {true, {}, true}).questions.has_value());
}

BOOST_AUTO_TEST_CASE(sources_have_the_names_of_definitions) {
  trust_sources sources;
  BOOST_TEST(source_named(sources, "step") == &sources.step);
  BOOST_TEST(source_named(sources, "workflow") == &sources.workflow);
  BOOST_TEST(source_named(sources, "everywhere") == &sources.everywhere);
  BOOST_TEST(source_named(sources, "profile") == &sources.profile);
  BOOST_TEST(source_named(sources, "named") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_step_goes_by_trust_if_it_weighs_by_it_or_a_route_asks_for_it) {
  step_definition step;
  BOOST_TEST(!goes_by_trust(step));
  step.aggregation.method = aggregation_method::weighted;
  BOOST_TEST(goes_by_trust(step));
  step.aggregation.method = aggregation_method::majority;
  step.routes.emplace_back();
  BOOST_TEST(!goes_by_trust(step));
  step.routes[0].when.trust_below = 0.5;
  BOOST_TEST(goes_by_trust(step));
  step.routes.clear();
  step.trust_from.named = true;
  BOOST_TEST(goes_by_trust(step));
}

BOOST_AUTO_TEST_CASE(the_board_trusts_by_its_own_questions_then_by_others_then_as_anybody) {
  const contributor_board untested{step_id{}, std::nullopt};
  const auto mean_of = [&](const trust_elsewhere& elsewhere) {
    return untested.trust_in("ana", elsewhere).mean;
  };
  BOOST_TEST(mean_of({}) == 1.0);
  BOOST_TEST(mean_of({true, 0.1}) == 0.1);
  BOOST_TEST(mean_of({true, {}}) == 4.0 / 6);
  BOOST_TEST(!untested.trust_in("ana", {true, 0.1}).questions.has_value());
  const contributor_board tested{step_id{}, test_question_policy{}};
  BOOST_TEST(tested.trust_in("ana", {true, 0.1}).mean == 0.1);
  BOOST_TEST((tested.trust_in("ana", {true, {}}).questions == 0U));
}

BOOST_AUTO_TEST_CASE(a_judgment_that_rests_on_no_question_keeps_its_trust_until_there_is_one) {
  BOOST_TEST(keeps_trust(std::nullopt, {4.0 / 6, 0U}));
  BOOST_TEST(keeps_trust(std::nullopt, {1, std::nullopt}));
  BOOST_TEST(!keeps_trust(std::nullopt, {0.7, 1U}));
  BOOST_TEST(!keeps_trust(0U, {4.0 / 6, 0U}));
}

BOOST_AUTO_TEST_SUITE_END()
