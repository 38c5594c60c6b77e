// How often a step may be asked for assignments: by all together, by each, and under overload.

#include "core/assignment_rate.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

using bound = assignment_rate::bound;

struct asking {
  asking(double per_second, double per_contributor_per_minute) {
    rate.set({per_second, per_contributor_per_minute});
    rate.admit("somebody earlier", now - 1h, false); // from then on tokens are saved up
  }

  assignment_rate::verdict ask(const std::string& contributor = "ana") {
    return rate.admit(contributor, now, overloaded);
  }
  /// How many of so many requests at once are admitted, each by somebody else.
  int admitted_of(int requests) {
    int admitted = 0;
    for (int i = 0; i < requests; ++i)
      admitted += ask("person-" + std::to_string(i)).reached == bound::none ? 1 : 0;
    return admitted;
  }

  assignment_rate rate;
  instant now{1h};
  bool overloaded = false;
};

} // namespace

BOOST_AUTO_TEST_SUITE(assignment_rates)

BOOST_AUTO_TEST_CASE(step_without_bounds_admits_all_and_remembers_nobody) {
  asking step{0, 0};
  BOOST_TEST(step.admitted_of(1000) == 1000);
  BOOST_TEST(step.rate.remembered() == 0U);
}

BOOST_AUTO_TEST_CASE(step_admits_a_second_worth_at_once_and_then_its_rate) { // A150
  asking step{10, 0};
  BOOST_TEST(step.admitted_of(100) == 10);
  const auto refused = step.ask();
  BOOST_TEST((refused.reached == bound::step));
  BOOST_TEST((refused.wait == 100ms));
  step.now += refused.wait - 1us;
  BOOST_TEST((step.ask().reached == bound::step));
  step.now += 1us;
  BOOST_TEST((step.ask().reached == bound::none));
  step.now += 1h; // no more than a second's worth is saved up
  BOOST_TEST(step.admitted_of(100) == 10);
}

BOOST_AUTO_TEST_CASE(first_request_of_a_step_is_admitted_alone) {
  assignment_rate fresh; // nothing is known of the time before a restart
  fresh.set({10, 0});
  const instant now{1h};
  BOOST_TEST((fresh.admit("ana", now, false).reached == bound::none));
  BOOST_TEST((fresh.admit("bob", now, false).wait == 100ms));
}

BOOST_AUTO_TEST_CASE(rate_below_one_admits_one_at_a_time) {
  asking step{0.5, 0};
  BOOST_TEST(step.admitted_of(10) == 1);
  BOOST_TEST((step.ask().wait == 2s));
}

BOOST_AUTO_TEST_CASE(contributor_beyond_their_bound_takes_nothing_from_others) { // A150
  asking step{100, 12};
  BOOST_TEST((step.ask("ana").reached == bound::none));
  const auto refused = step.ask("ana");
  BOOST_TEST((refused.reached == bound::contributor));
  BOOST_TEST((refused.wait == 5s));
  BOOST_TEST(step.admitted_of(200) == 99);
  step.now += 5s;
  BOOST_TEST((step.ask("ana").reached == bound::none));
}

BOOST_AUTO_TEST_CASE(contributor_saves_up_ten_seconds_worth) {
  asking step{0, 12};
  BOOST_TEST((step.ask("ana").reached == bound::none));
  step.now += 1h;
  BOOST_TEST((step.ask("ana").reached == bound::none));
  BOOST_TEST((step.ask("ana").reached == bound::none));
  BOOST_TEST((step.ask("ana").reached == bound::contributor));
}

BOOST_AUTO_TEST_CASE(request_refused_by_the_step_costs_its_contributor_nothing) {
  asking step{1, 6};
  BOOST_TEST((step.ask("bob").reached == bound::none));
  for (int i = 0; i < 10; ++i)
    BOOST_TEST((step.ask("ana").reached == bound::step));
  step.now += 1s;
  BOOST_TEST((step.ask("ana").reached == bound::none));
}

BOOST_AUTO_TEST_CASE(overload_halves_the_bound_each_second_down_to_a_sixteenth) { // A149
  asking step{160, 0};
  step.overloaded = true;
  BOOST_TEST(step.admitted_of(1000) == 80);
  BOOST_TEST(step.rate.share() == 0.5);
  for (const double share : {0.25, 0.125, 0.0625, 0.0625}) {
    step.now += 1s;
    step.ask();
    BOOST_TEST(step.rate.share() == share);
  }
  step.overloaded = false;
  for (const double share : {0.125, 0.25, 0.5, 1.0, 1.0}) {
    step.now += 1s;
    step.ask();
    BOOST_TEST(step.rate.share() == share);
  }
}

BOOST_AUTO_TEST_CASE(bound_has_grown_back_after_a_long_rest) {
  asking step{160, 0};
  step.overloaded = true;
  for (int second = 0; second < 3; ++second) {
    step.ask();
    step.now += 1s;
  }
  BOOST_TEST(step.rate.share() == 0.125);
  step.overloaded = false;
  step.now += 2s;
  step.ask();
  BOOST_TEST(step.rate.share() == 1.0);
}

BOOST_AUTO_TEST_CASE(clock_set_back_begins_anew_with_one) {
  asking step{10, 0};
  BOOST_TEST(step.admitted_of(5) == 5);
  step.now -= 30min;
  BOOST_TEST(step.admitted_of(100) == 1);
  step.now += 1s;
  BOOST_TEST(step.admitted_of(100) == 10);
}

BOOST_AUTO_TEST_CASE(contributors_who_have_stopped_asking_are_forgotten) {
  asking step{0, 6000};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i)
      step.ask("round-" + std::to_string(round) + "-" + std::to_string(i));
    step.now += 1s;
  }
  BOOST_TEST(step.rate.remembered() <= 2048U);
}

BOOST_AUTO_TEST_CASE(new_bounds_hold_at_once) {
  asking step{1, 0};
  BOOST_TEST(step.admitted_of(10) == 1);
  step.rate.set({0, 0});
  BOOST_TEST(step.admitted_of(10) == 10);
}

BOOST_AUTO_TEST_CASE(refusal_says_the_bound_and_the_pause) { // A151
  const assignment_rate_policy policy{2.5, 30};
  const auto of_step = refusal_of(policy, bound::step, 1, 400ms);
  BOOST_TEST((of_step.code == errc::rate_limited));
  BOOST_TEST((of_step.retry_after == 400ms));
  BOOST_TEST(of_step.detail
             == "many people ask this step for work: it gives 2.5 assignments a second; ask again "
                "in 1 second");
  BOOST_TEST(
      refusal_of(policy, bound::step, 0.5, 1500ms).detail
      == "many people ask this step for work: it gives 1.25 assignments a second, fewer than "
         "usual because the node is overloaded; ask again in 2 seconds");
  BOOST_TEST(refusal_of(policy, bound::contributor, 1, 2s).detail
             == "a contributor may ask this step for 30 assignments a minute; ask again in 2 "
                "seconds");
}

BOOST_AUTO_TEST_SUITE_END()
