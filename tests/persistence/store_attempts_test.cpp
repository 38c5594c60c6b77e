// The attempts of one task as the store tells them, page by page, with their late results.

#include "tests/persistence/task_fixture.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

namespace {

/// A task whose first attempt failed, whose second ran out, and whose third still runs.
template <class World>
struct attempts_fixture : task_fixture<World> {
  core::task_id task = this->given_task();
  core::lease first = this->given_task_lease(task, "w1", 1);
  core::lease third;

  attempts_fixture() {
    BOOST_TEST(is(this->end(task, 1), committed));
    this->given_task_lease(task, "w2", 2);
    BOOST_TEST(is(this->write({core::end_task_lease{
                      task, 2, core::attempt_ending::expired, {"WORKER_LOST", "silent"}, at(60)}}),
                  committed));
    third = this->given_task_lease(task, "w3", 5);
  }

  void reported_late(core::token token, const std::string& detail) {
    BOOST_TEST(is(this->write({core::insert_late_result{task, token, "w" + std::to_string(token),
                                                        "completed", detail, at(61)}}),
                  committed));
  }
  std::vector<persistence::recorded_attempt> listed(core::token after = 0,
                                                    std::uint32_t limit = 100) {
    return value_of(this->db->list_attempts(task, after, limit)).attempts;
  }
  /// Token and ending of each.
  std::vector<std::string> outline(core::token after = 0, std::uint32_t limit = 100) {
    std::vector<std::string> lines;
    for (const auto& recorded : listed(after, limit))
      lines.push_back(std::to_string(recorded.attempt.lease.token) + ' ' + recorded.attempt.ending);
    return lines;
  }
};

using outlines = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(store_attempts)

BOOST_AUTO_TEST_CASE_TEMPLATE(attempts_that_are_over_come_before_the_one_that_runs, World, worlds) {
  attempts_fixture<World> f;
  BOOST_TEST(value_of(f.db->list_attempts(f.task, 0, 100)).queue == "mail");
  const auto found = f.listed();
  BOOST_REQUIRE_EQUAL(found.size(), 3U);
  const auto& failed = found[0].attempt;
  BOOST_TEST((failed.lease.id == f.first.id));
  BOOST_TEST(failed.lease.owner == "w1");
  BOOST_TEST((failed.lease.granted_at == f.first.granted_at));
  BOOST_TEST((failed.lease.expires_at == f.first.expires_at));
  BOOST_TEST(failed.ending == "Failed");
  BOOST_TEST(failed.error.code == "REMOTE_TIMEOUT");
  BOOST_TEST(failed.error.detail == "after 3 s");
  BOOST_TEST((failed.ended_at == at(20)));
  BOOST_TEST(found[1].attempt.ending == "Expired");
  BOOST_TEST((found[1].attempt.ended_at == at(60)));
  const auto& running = found[2].attempt;
  BOOST_TEST(running.lease.token == 5U);
  BOOST_TEST(running.lease.owner == "w3");
  BOOST_TEST((running.lease.expires_at == f.third.expires_at));
  BOOST_TEST(running.ending.empty());
  BOOST_TEST(running.error.code.empty());
  BOOST_TEST((running.ended_at == core::instant{}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(attempt_that_ended_with_its_task_is_the_last, World, worlds) {
  attempts_fixture<World> f;
  BOOST_TEST(is(f.finish(f.task, 5, core::task_ending::dead), committed));
  BOOST_TEST((f.outline() == outlines{"1 Failed", "2 Expired", "5 Dead"}));
  const auto last = f.listed().back().attempt;
  BOOST_TEST(last.error.code == "GONE");
  BOOST_TEST((last.ended_at == at(30)));

  // when: the task is live again and has its next attempt
  BOOST_TEST(is(f.write({core::revive_task{f.task, {}, {}}}), committed));
  BOOST_TEST((f.outline() == outlines{"1 Failed", "2 Expired", "5 Dead"}));
  f.given_task_lease(f.task, "w1", 6);
  BOOST_TEST((f.outline() == outlines{"1 Failed", "2 Expired", "5 Dead", "6 "}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(page_of_attempts_begins_after_a_token_and_has_a_limit, World,
                              worlds) {
  attempts_fixture<World> f;
  BOOST_TEST((f.outline(0, 2) == outlines{"1 Failed", "2 Expired"}));
  BOOST_TEST((f.outline(1, 1) == outlines{"2 Expired"}));
  BOOST_TEST((f.outline(2, 2) == outlines{"5 "}));
  BOOST_TEST(f.outline(5, 2).empty());
  BOOST_TEST(is(f.finish(f.task, 5), committed));
  BOOST_TEST((f.outline(1, 2) == outlines{"2 Expired", "5 Completed"}));
  BOOST_TEST((f.outline(1, 1) == outlines{"2 Expired"}));
  BOOST_TEST(f.outline(5, 2).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(late_results_stand_at_the_attempt_of_their_token, World, worlds) {
  attempts_fixture<World> f;
  for (const auto* detail : {"a", "b", "c", "d"})
    f.reported_late(2, detail);
  f.reported_late(4, "of no attempt");
  f.reported_late(1, "e");
  const auto other = f.given_task();
  BOOST_TEST(
      is(f.write({core::insert_late_result{other, 1, "w1", "failed", "x", at(61)}}), committed));

  const auto found = f.listed();
  BOOST_REQUIRE_EQUAL(found.size(), 3U);
  BOOST_TEST(found[0].late == 1U);
  BOOST_REQUIRE_EQUAL(found[0].first_late.size(), 1U);
  BOOST_TEST(found[0].first_late[0].detail == "e");
  BOOST_TEST(found[1].late == 4U);
  BOOST_REQUIRE_EQUAL(found[1].first_late.size(), 3U);
  const auto& earliest = found[1].first_late[0];
  BOOST_TEST(earliest.worker == "w2");
  BOOST_TEST(earliest.outcome == "completed");
  BOOST_TEST(earliest.detail == "a");
  BOOST_TEST((earliest.at == at(61)));
  BOOST_TEST(found[1].first_late[2].detail == "c");
  BOOST_TEST(found[2].late == 0U);
  // A page has those of its own attempts.
  const auto page = f.listed(1, 1);
  BOOST_REQUIRE_EQUAL(page.size(), 1U);
  BOOST_TEST(page[0].late == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(long_detail_of_a_late_result_is_cut_between_characters, World,
                              worlds) {
  attempts_fixture<World> f;
  std::string longest;
  for (std::uint32_t i = 0; i < persistence::late_characters_most; ++i)
    longest += "\u00e4";
  f.reported_late(1, longest);
  f.reported_late(2, longest + "x");
  const auto found = f.listed();
  BOOST_REQUIRE_EQUAL(found.size(), 3U);
  for (const auto place : {0U, 1U}) {
    BOOST_REQUIRE_EQUAL(found[place].first_late.size(), 1U);
    BOOST_TEST((found[place].first_late[0].detail == longest));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(attempts_of_an_unknown_task_are_not_found, World, worlds) {
  task_fixture<World> f;
  BOOST_TEST(fails_with(f.db->list_attempts({f.ids.next(at(0))}, 0, 10), core::errc::not_found));
  // A task without an attempt is there.
  BOOST_TEST(value_of(f.db->list_attempts(f.given_task(), 0, 10)).attempts.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
