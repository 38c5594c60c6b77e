#include "app/demo/kill_schedule.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace demo = holdfast::app::demo;
namespace core = holdfast::core;
using namespace std::chrono_literals;

namespace {

struct schedule_fixture {
  core::instant now() const {
    return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  }

  int killed = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(kill_schedule, schedule_fixture)

BOOST_AUTO_TEST_CASE(kills_are_spread_over_the_work) {
  demo::kill_schedule kills{3, 100, [this] { ++killed; }};
  for (std::uint64_t done = 1; done <= 100; ++done) {
    kills.judgment_acknowledged(done);
    BOOST_TEST(killed == (done < 25 ? 0 : done < 50 ? 1 : done < 75 ? 2 : 3));
    if (kills.take_killed()) {
      kills.node_is_up();
      kills.assignment_granted(now() + 1s);
    }
  }
  BOOST_TEST(kills.finished());
  BOOST_TEST(kills.recoveries().size() == 3U);
}

BOOST_AUTO_TEST_CASE(nobody_is_killed_again_before_work_has_gone_on) {
  demo::kill_schedule kills{2, 9, [this] { ++killed; }};
  kills.judgment_acknowledged(3);
  BOOST_TEST(kills.take_killed());
  BOOST_TEST(!kills.take_killed());
  kills.judgment_acknowledged(6); // an answer that was on its way
  kills.node_is_up();
  BOOST_TEST(killed == 1);
  kills.assignment_granted(now() + 1s);
  BOOST_TEST(killed == 2);
}

BOOST_AUTO_TEST_CASE(assignment_granted_before_the_kill_is_no_recovery) {
  demo::kill_schedule kills{1, 2, [this] { ++killed; }};
  const auto before = now();
  kills.judgment_acknowledged(1);
  kills.assignment_granted(before);
  BOOST_TEST(kills.recoveries().empty());
  BOOST_TEST(!kills.finished());
}

// finding C14: two units, and both leases were granted before the kill
BOOST_AUTO_TEST_CASE(judgment_acknowledged_by_the_new_process_is_a_recovery) {
  demo::kill_schedule kills{1, 2, [this] { ++killed; }};
  const auto before = now();
  kills.assignment_granted(before);
  kills.assignment_granted(before);
  kills.judgment_acknowledged(1);
  BOOST_TEST(kills.take_killed());
  kills.node_is_up();
  BOOST_TEST(!kills.finished());
  kills.judgment_acknowledged(2);
  BOOST_TEST(kills.finished());
  BOOST_TEST(kills.recoveries().size() == 1U);
}

// finding C14
BOOST_AUTO_TEST_CASE(answer_that_was_on_its_way_is_no_recovery_while_work_is_left) {
  demo::kill_schedule kills{1, 4, [this] { ++killed; }};
  kills.judgment_acknowledged(2);
  BOOST_TEST(kills.take_killed());
  kills.judgment_acknowledged(3);
  kills.node_is_up();
  BOOST_TEST(kills.recoveries().empty());
  kills.judgment_acknowledged(4);
  BOOST_TEST(kills.recoveries().size() == 1U);
}

// finding C14: contributors may find the node before its parent knows that it is up
BOOST_AUTO_TEST_CASE(nothing_is_left_to_go_on_with_once_all_is_acknowledged) {
  demo::kill_schedule kills{2, 2, [this] { ++killed; }};
  kills.judgment_acknowledged(1);
  BOOST_TEST(kills.take_killed());
  kills.judgment_acknowledged(2);
  kills.node_is_up(); // the next one is due
  BOOST_TEST(killed == 2);
  BOOST_TEST(kills.take_killed());
  kills.node_is_up();
  BOOST_TEST(kills.finished());
  BOOST_TEST(kills.recoveries().size() == 2U);
}

BOOST_AUTO_TEST_CASE(schedule_without_kills_is_finished) {
  demo::kill_schedule kills{0, 10, [this] { ++killed; }};
  for (std::uint64_t done = 1; done <= 10; ++done)
    kills.judgment_acknowledged(done);
  BOOST_TEST(killed == 0);
  BOOST_TEST(kills.finished());
}

BOOST_AUTO_TEST_SUITE_END()
