// How long a commit waits for those whom the one before it has answered.

#include "core/rejoining.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;
using core::rejoining;

namespace {

constexpr core::duration none{};

/// A wait in which nobody comes.
void wait_in_vain(rejoining& r) {
  BOOST_REQUIRE((r.begin(8, 8, 1ms) > none));
  r.end(8);
}

/// A wait in which `came` come to the eight that are there, and a commit during which `meanwhile`
/// do.
void wait_for(rejoining& r, std::size_t came, std::size_t meanwhile) {
  BOOST_REQUIRE((r.begin(8, 8, 1ms) > none));
  r.end(8 + came);
  BOOST_REQUIRE((r.begin(1000, meanwhile, 1ms) == none)); // more than are worth waiting for
}

/// How many commits go by before one is held up again.
int left_out(rejoining& r) {
  int count = 0;
  while (r.begin(8, 8, 1ms) == none)
    ++count;
  return count;
}

/// Who comes when in a wait, in order.
using arrivals = std::vector<core::duration>;

/// How long the commit is held up that waits for `answered`.
core::duration held_up_for(rejoining& r, std::size_t answered, core::duration took,
                           const arrivals& all) {
  auto passed = r.begin(answered, 0, took);
  if (passed == none)
    return none;
  for (;;) {
    const auto there =
        std::count_if(all.begin(), all.end(), [&](const auto& at) { return at <= passed; });
    const auto more = r.go_on(static_cast<std::size_t>(there), passed);
    if (more == none) {
      r.end(static_cast<std::size_t>(there));
      return passed;
    }
    passed += more;
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(rejoining_those_answered)

BOOST_AUTO_TEST_CASE(two_groups_become_one) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(8, 8, 1ms) > none));
  BOOST_TEST(r.holds(8));
  BOOST_TEST(r.holds(15));
  BOOST_TEST(!r.holds(16));
  r.end(16);
  BOOST_TEST(!r.holds(0));
  // All sixteen have been answered together: the first to come back waits for the others.
  BOOST_TEST((r.begin(16, 0, 1ms) > none));
  BOOST_TEST(r.holds(1));
}

BOOST_AUTO_TEST_CASE(one_alone_waits_for_nobody) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(1, 0, 1ms) == none));
  BOOST_TEST(!r.holds(0));
  BOOST_TEST(!r.holds(1));
}

BOOST_AUTO_TEST_CASE(many_do_not_wait_for_a_few) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(7, 15, 1ms) == none));
  BOOST_TEST((r.begin(8, 15, 1ms) > none));
  BOOST_TEST((r.begin(15, 1, 1ms) > none));
}

BOOST_AUTO_TEST_CASE(full_batch_waits_for_nothing) {
  rejoining r{16, 1ms};
  BOOST_TEST((r.begin(8, 8, 1ms) > none));
  BOOST_TEST((r.begin(9, 8, 1ms) == none));
  BOOST_TEST(!r.holds(8));
}

BOOST_AUTO_TEST_CASE(the_wait_is_about_half_a_commit_and_never_longer_than_said) {
  rejoining r{250, 1ms};
  BOOST_TEST((held_up_for(r, 8, 400us, {}) == 300us));
  rejoining of_long_commits{250, 1ms};
  BOOST_TEST((held_up_for(of_long_commits, 8, 10ms, {}) == 1ms));
  rejoining one_after_the_other{250, 1ms};
  BOOST_TEST((held_up_for(one_after_the_other, 8, 400us, {50us, 140us, 230us, 290us}) == 300us));
  rejoining never{250, 0ms};
  BOOST_TEST((never.begin(8, 8, 1ms) == none));
  BOOST_TEST(!never.holds(8));
}

BOOST_AUTO_TEST_CASE(it_is_over_when_nobody_follows_those_who_have_come) {
  const auto held_up = [](const arrivals& all) {
    rejoining r{250, 1ms};
    return held_up_for(r, 16, 1ms, all);
  };
  BOOST_TEST((held_up(arrivals(16, 40us)) == 40us)); // all are there
  BOOST_TEST((held_up(arrivals(9, 40us)) == 140us)); // of at most 600
  BOOST_TEST((held_up({40us, 130us}) == 230us));
}

// Looking costs something, too: one is woken by a few for less, and many take longer anyway.
BOOST_AUTO_TEST_CASE(few_and_many_are_looked_for_less_often) {
  for (const auto answered : {3, 100}) {
    rejoining r{250, 1ms};
    BOOST_TEST((r.begin(static_cast<std::size_t>(answered), 0, 1ms) == 100us));
    BOOST_TEST(!r.looks_often());
    BOOST_TEST((r.go_on(2, 100us) == 100us));
    BOOST_TEST((r.go_on(2, 200us) == none));
  }
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(16, 0, 1ms) < 50us));
  BOOST_TEST(r.looks_often());
}

BOOST_AUTO_TEST_CASE(that_while_is_shorter_as_long_as_nobody_comes_too_late) {
  const arrivals some(9, 40us);
  rejoining r{250, 1ms};
  for (int i = 0; i < 30; ++i)
    held_up_for(r, 16, 1ms, some);
  BOOST_TEST((held_up_for(r, 16, 1ms, some) == 50us));
  // Seven more are there when the commit is over.
  BOOST_TEST((r.begin(9, 7, 1ms) > none));
  r.end(16);
  BOOST_TEST((held_up_for(r, 16, 1ms, some) == 60us));
}

// What came in earlier waits does not matter, and what is there already does.
BOOST_AUTO_TEST_CASE(as_many_are_waited_for_as_were_answered) {
  rejoining r{250, 1ms};
  r.begin(32, 0, 1ms);
  r.end(40);
  BOOST_TEST((r.begin(16, 3, 1ms) > none));
  BOOST_TEST(r.holds(18));
  BOOST_TEST(!r.holds(19));
}

BOOST_AUTO_TEST_CASE(it_is_given_up_for_longer_and_longer_where_nobody_comes_back) {
  rejoining r{250, 1ms};
  wait_in_vain(r);
  BOOST_TEST(left_out(r) == 1);
  r.end(8);
  BOOST_TEST(left_out(r) == 3);
  r.end(8);
  BOOST_TEST(left_out(r) == 7);
  for (int i = 0; i < 20; ++i) {
    r.end(8);
    BOOST_TEST(left_out(r) <= 255);
  }
  r.end(8);
  BOOST_TEST(left_out(r) == 255);
}

BOOST_AUTO_TEST_CASE(a_wait_is_worth_it_when_more_come_in_it_than_in_the_commit_after_it) {
  rejoining r{250, 1ms};
  wait_for(r, 3, 3);
  wait_for(r, 3, 3);
  wait_for(r, 3, 4);
  BOOST_TEST(left_out(r) == 1);
}

BOOST_AUTO_TEST_CASE(it_is_taken_up_again_little_by_little) {
  rejoining r{250, 1ms};
  wait_in_vain(r);
  BOOST_TEST(left_out(r) == 1);
  r.end(8);
  BOOST_TEST(left_out(r) == 3);
  r.end(8);
  BOOST_TEST(left_out(r) == 7);
  r.end(16); // all of them: three in vain count as one
  r.begin(16, 0, 1ms);
  r.end(0);
  BOOST_TEST(left_out(r) == 3);
}

BOOST_AUTO_TEST_CASE(those_who_come_back_together_are_waited_for_each_time) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(8, 8, 1ms) > none));
  for (int i = 0; i < 100; ++i) {
    r.end(16);
    BOOST_REQUIRE((r.begin(16, 0, 1ms) > none));
  }
}

// Ten strangers in each millisecond: in the 600 us of a wait there come more than half of the ten
// who were answered.
BOOST_AUTO_TEST_CASE(strangers_who_come_all_the_time_are_not_taken_for_those_answered) {
  rejoining r{250, 1ms};
  std::size_t answered = 10;
  int waits = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool held_up = r.begin(answered, 10, 1ms) > none;
    if (held_up)
      r.end(16);
    waits += held_up ? 1 : 0;
    answered = held_up ? 16 : 10;
  }
  BOOST_TEST(waits > 0);
  BOOST_TEST(waits < 20);
}

BOOST_AUTO_TEST_CASE(callers_taken_away_meanwhile_do_not_count) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(8, 8, 1ms) > none));
  r.end(0); // the shard of those who waited was given up
  BOOST_TEST(left_out(r) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
