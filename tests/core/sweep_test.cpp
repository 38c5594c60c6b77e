// What becomes of queues and steps that are overdue: B34, B50, C41.

#include "core/sweep.hpp"

#include <boost/test/unit_test.hpp>

namespace holdfast::core {

BOOST_AUTO_TEST_SUITE(sweeping)

BOOST_AUTO_TEST_CASE(unit_found_again_and_again_is_stuck) {
  overdue_record record;
  const std::vector<hosted_item> mail{queue_name{"mail"}};
  for (int look = 0; look < 2; ++look) {
    const auto verdict = judge_overdue(record, mail, 3);
    BOOST_TEST(verdict.late.size() == 1U);
    BOOST_TEST(verdict.stuck.empty());
  }
  const auto third = judge_overdue(record, mail, 3);
  BOOST_TEST(third.late.empty());
  BOOST_REQUIRE(third.stuck.size() == 1U);
  BOOST_TEST(to_string(third.stuck.front()) == "queue mail");
  // It was read anew, so counting begins anew.
  BOOST_TEST(judge_overdue(record, mail, 3).late.size() == 1U);
}

// I-9: it may be a row that somebody has to mend; that is no reason to end it again and again.
BOOST_AUTO_TEST_CASE(item_that_reading_does_not_help_is_read_more_and_more_seldom) {
  overdue_record record;
  const std::vector<hosted_item> mail{queue_name{"mail"}};
  std::vector<int> stuck;
  int fresh = 0;
  for (int look = 1; look <= 21; ++look) {
    const auto verdict = judge_overdue(record, mail, 3);
    fresh += static_cast<int>(verdict.fresh.size());
    if (!verdict.stuck.empty())
      stuck.push_back(look);
  }
  BOOST_TEST((stuck == std::vector<int>{3, 9, 21}));
  BOOST_TEST(fresh == 1);
  for (int look = 0; look < 2000; ++look)
    judge_overdue(record, mail, 3);
  BOOST_TEST(record.begin()->second.most == 192U);
  judge_overdue(record, {}, 3);
  BOOST_TEST(judge_overdue(record, mail, 3).fresh.size() == 1U);
  judge_overdue(record, mail, 3);
  BOOST_TEST(judge_overdue(record, mail, 3).stuck.size() == 1U);
}

BOOST_AUTO_TEST_CASE(unit_that_was_in_time_once_is_not_stuck) {
  overdue_record record;
  const std::vector<hosted_item> mail{queue_name{"mail"}};
  judge_overdue(record, mail, 3);
  judge_overdue(record, mail, 3);
  judge_overdue(record, {}, 3);
  BOOST_TEST(record.empty());
  BOOST_TEST(judge_overdue(record, mail, 3).stuck.empty());
}

BOOST_AUTO_TEST_CASE(items_are_judged_each_by_itself) {
  overdue_record record;
  const hosted_item mail{queue_name{"mail"}};
  const hosted_item step{step_id{}};
  judge_overdue(record, {mail}, 2);
  const auto verdict = judge_overdue(record, {mail, step}, 2);
  BOOST_TEST((verdict.stuck == std::vector<hosted_item>{mail}));
  BOOST_TEST((verdict.late == std::vector<hosted_item>{step}));
}

// A179, I-10: the word of a judgment that came in a moment ago is on its way.
BOOST_AUTO_TEST_CASE(a_full_unit_is_forgotten_when_two_looks_in_a_row_find_it) {
  full_record record;
  const auto unit = [](std::uint8_t n) {
    unit_id id;
    id.value.bytes[15] = n;
    return id;
  };
  using units = std::vector<unit_id>;
  BOOST_TEST(judge_full(record, {unit(1)}, 2, 10).empty());
  BOOST_TEST(judge_full(record, {unit(2)}, 2, 10).empty());
  BOOST_TEST((judge_full(record, {unit(1), unit(2)}, 2, 10) == units{unit(2)}));
  BOOST_TEST((judge_full(record, {unit(1), unit(2)}, 2, 10) == units{unit(1)}));
  // Where it did not help, it is something else.
  BOOST_TEST(judge_full(record, {unit(2)}, 2, 10).empty());
  BOOST_TEST(judge_full(record, {unit(2)}, 2, 10).empty());
  BOOST_TEST((judge_full(record, {unit(2)}, 2, 10) == units{unit(2)}));
  BOOST_TEST(judge_full(record, {}, 2, 10).empty());
  BOOST_TEST(record.empty());
}

BOOST_AUTO_TEST_CASE(full_units_that_are_too_many_for_one_look_are_the_next_ones) {
  full_record record;
  std::vector<unit_id> found(3);
  for (std::uint8_t n = 0; n < 3; ++n)
    found[n].value.bytes[15] = n;
  BOOST_TEST(judge_full(record, found, 2, 2).empty());
  BOOST_TEST((judge_full(record, found, 2, 2) == std::vector<unit_id>{found[0], found[1]}));
  BOOST_TEST((judge_full(record, found, 2, 2) == std::vector<unit_id>{found[2]}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core
