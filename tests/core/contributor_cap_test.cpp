// How much of a step one contributor may do.

#include "core/contributor_cap.hpp"

#include <boost/test/unit_test.hpp>

using namespace holdfast::core;

BOOST_AUTO_TEST_SUITE(contributor_caps)

BOOST_AUTO_TEST_CASE(lower_of_count_and_share_bounds_what_one_contributor_does) {
  BOOST_TEST(!most_of({}, 100).has_value());
  BOOST_TEST((most_of({50, 0}, 100) == 50U));
  BOOST_TEST((most_of({0, 0.2}, 100) == 20U));
  BOOST_TEST((most_of({50, 0.2}, 100) == 20U));
  BOOST_TEST((most_of({10, 0.2}, 100) == 10U));
  // The share follows the units of the step, and lets everybody do one.
  BOOST_TEST((most_of({50, 0.2}, 1000) == 50U));
  BOOST_TEST((most_of({0, 0.2}, 4) == 1U));
  BOOST_TEST((most_of({0, 0.2}, 0) == 1U));
  BOOST_TEST((most_of({0, 0.1}, 10) == 1U));
  BOOST_TEST((most_of({0, 0.7}, 10) == 7U));
}

BOOST_AUTO_TEST_CASE(bounds_out_of_range_are_problems) {
  BOOST_TEST(problems_of(contributor_cap{}).empty());
  BOOST_TEST(problems_of(contributor_cap{1'000'000, 1}).empty());
  BOOST_TEST(problems_of(contributor_cap{1'000'001, 0})[0].place == "/count");
  BOOST_TEST(problems_of(contributor_cap{0, 1.01})[0].place == "/share");
  BOOST_TEST(problems_of(contributor_cap{0, -0.01})[0].place == "/share");
}

BOOST_AUTO_TEST_CASE(share_says_how_many_people_are_needed) {
  BOOST_TEST(people_needed({}, 3) == 1U);
  BOOST_TEST(people_needed({0, 1}, 3) == 3U);
  BOOST_TEST(people_needed({0, 0.2}, 3) == 15U);
  BOOST_TEST(people_needed({0, 0.3}, 2) == 7U);
}

BOOST_AUTO_TEST_CASE(answers_to_test_questions_count_as_units_do) {
  step_history history;
  history.judged = {{"ana", 3}};
  step_history::asked answered;
  answered.contributor = "ana";
  answered.correct = false;
  step_history::asked open;
  open.contributor = "ana";
  history.asked_questions = {answered, open};
  contributor_tally tally{history};
  BOOST_TEST(tally.of("ana") == 4U);
  BOOST_TEST(tally.of("bob") == 0U);
  tally.handed_in("ana");
  tally.handed_in("bob");
  tally.taken_back("ana");
  tally.taken_back("cid");
  BOOST_TEST(tally.of("ana") == 4U);
  BOOST_TEST(tally.of("bob") == 1U);
  BOOST_TEST(tally.of("cid") == 0U);
}

BOOST_AUTO_TEST_CASE(contributor_hears_the_bound_and_what_they_have_done) {
  BOOST_TEST(text_of_cap(50, 0, 50)
             == "one contributor may do 50 units of this step, and you have handed in 50: thank "
                "you");
  BOOST_TEST(text_of_cap(0, 1, 1)
             == "one contributor may do 1 unit of this step, and you have handed in 0 and hold 1: "
                "thank you");
}

BOOST_AUTO_TEST_SUITE_END()
