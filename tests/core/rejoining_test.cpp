// How long a commit waits for those whom the one before it has answered.

#include "core/rejoining.hpp"

#include <boost/test/unit_test.hpp>

using namespace holdfast;
using namespace std::chrono_literals;
using core::rejoining;

namespace {

constexpr core::duration none{};

/// Waits in vain on end, until one is left out.
void wait_in_vain(rejoining& r, int times) {
  for (int i = 0; i < times; ++i) {
    BOOST_REQUIRE(r.begin(8, 8, 1ms) > none);
    r.end(8);
  }
}

/// How many commits go by before one is held up again.
int left_out(rejoining& r) {
  int count = 0;
  while (r.begin(8, 8, 1ms) == none)
    ++count;
  return count;
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

BOOST_AUTO_TEST_CASE(what_fills_a_batch_anyway_waits_for_nothing) {
  rejoining r{16, 1ms};
  BOOST_TEST((r.begin(8, 8, 1ms) > none));
  BOOST_TEST((r.begin(9, 8, 1ms) == none));
  BOOST_TEST(!r.holds(8));
}

BOOST_AUTO_TEST_CASE(the_wait_is_about_half_a_commit_and_never_longer_than_said) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(8, 8, 400us) == 300us));
  BOOST_TEST((r.begin(8, 8, 10ms) == 1ms));
  rejoining never{250, 0ms};
  BOOST_TEST((never.begin(8, 8, 1ms) == none));
  BOOST_TEST(!never.holds(8));
}

BOOST_AUTO_TEST_CASE(it_is_given_up_for_longer_and_longer_where_nobody_comes_back) {
  rejoining r{250, 1ms};
  wait_in_vain(r, 1);
  BOOST_TEST(left_out(r) == 1);
  r.end(11); // three of eight
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

BOOST_AUTO_TEST_CASE(half_of_them_are_enough_to_go_on_with_it) {
  rejoining r{250, 1ms};
  wait_in_vain(r, 1);
  BOOST_TEST(left_out(r) == 1);
  r.end(12);
  BOOST_TEST((r.begin(12, 6, 1ms) > none));
  r.end(6);
  BOOST_TEST(left_out(r) == 1);
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

BOOST_AUTO_TEST_CASE(what_was_taken_away_meanwhile_counts_as_nobody) {
  rejoining r{250, 1ms};
  BOOST_TEST((r.begin(8, 8, 1ms) > none));
  r.end(0); // the shard of those who waited was given up
  BOOST_TEST(left_out(r) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
