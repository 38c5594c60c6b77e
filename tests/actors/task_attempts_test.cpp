// The history of one task, attempt by attempt, as an operator asks for it.

#include "actors/attempts_view.hpp"
#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_with_attempts : node_with_queue {
  msg::task_attempts attempts(const core::task_id& task, core::token after = 0,
                              std::uint32_t limit = 100) {
    auto answered = call(msg::get_task_attempts{task, after, limit});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }
  core::errc refusal(const msg::get_task_attempts& question) { return call(question).code(); }
};

/// Attempts of which each has an error with a detail of so many bytes.
persistence::recorded_attempts recorded_with_details(std::size_t number, std::size_t bytes) {
  persistence::recorded_attempts found{"mail", {}};
  for (std::size_t i = 0; i < number; ++i) {
    persistence::recorded_attempt one;
    one.attempt.lease.token = i + 1;
    one.attempt.error.detail.assign(bytes, 'd');
    found.attempts.push_back(one);
  }
  return found;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(attempts_of_a_task, node_with_attempts)

BOOST_AUTO_TEST_CASE(history_of_a_task_names_each_attempt_its_end_and_its_late_results) {
  // given: the first worker fails, the second is silent and late, the third works
  const auto id = enqueued(request());
  const auto began = now();
  const auto failing = one("w1");
  BOOST_TEST((fail("w1", failing, core::failure_kind::transient) == core::errc::none));
  advance(10s);
  const auto silent = one("w2");
  advance(31s);
  const auto working = one("w3");
  BOOST_TEST((complete("w2", silent, R"("late")") == core::errc::lease_not_held));

  // when: somebody looks while it runs
  auto seen = attempts(id);
  BOOST_TEST((seen.task == id));
  BOOST_TEST(seen.queue == "mail");
  BOOST_TEST(!seen.more);
  BOOST_REQUIRE_EQUAL(seen.attempts.size(), 3U);
  const auto& failed = seen.attempts[0];
  BOOST_TEST(failed.token == failing.token);
  BOOST_TEST(failed.worker == "w1");
  BOOST_TEST(failed.ending == "Failed");
  BOOST_TEST(failed.error_code == "SMTP_BUSY");
  BOOST_TEST(failed.error_detail == "421");
  BOOST_TEST((failed.granted_at >= began && failed.ended_at >= failed.granted_at));
  BOOST_TEST((failed.ended_at < failed.expires_at));
  BOOST_TEST(failed.late_results.empty());
  const auto& lost = seen.attempts[1];
  BOOST_TEST(lost.worker == "w2");
  BOOST_TEST(lost.ending == "Expired");
  BOOST_TEST(lost.error_code == "WORKER_LOST");
  BOOST_TEST((lost.ended_at >= lost.expires_at));
  BOOST_TEST(lost.late_results_total == 1U);
  BOOST_REQUIRE_EQUAL(lost.late_results.size(), 1U);
  BOOST_TEST(lost.late_results[0].worker == "w2");
  BOOST_TEST(lost.late_results[0].outcome == "completed");
  BOOST_TEST(lost.late_results[0].detail == R"("late")");
  BOOST_TEST((lost.late_results[0].received_at >= lost.ended_at));
  BOOST_TEST(seen.attempts[2].worker == "w3");
  BOOST_TEST(seen.attempts[2].ending.empty());
  BOOST_TEST((seen.attempts[2].ended_at == core::instant{}));

  // then: the end of the task is the end of its last attempt
  BOOST_TEST((complete("w3", working) == core::errc::none));
  seen = attempts(id);
  BOOST_REQUIRE_EQUAL(seen.attempts.size(), 3U);
  BOOST_TEST(seen.attempts[2].ending == "Completed");
  BOOST_TEST((seen.attempts[2].ended_at == view(id).finished_at));
}

BOOST_AUTO_TEST_CASE(attempts_are_told_in_pages) {
  const auto id = enqueued(request());
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST((fail("w1", one("w1"), core::failure_kind::transient) == core::errc::none));
    advance(10s);
  }
  const auto first = attempts(id, 0, 1);
  BOOST_REQUIRE_EQUAL(first.attempts.size(), 1U);
  BOOST_TEST(first.more);
  const auto second = attempts(id, first.attempts[0].token, 1);
  BOOST_REQUIRE_EQUAL(second.attempts.size(), 1U);
  BOOST_TEST(second.attempts[0].token > first.attempts[0].token);
  BOOST_TEST(!second.more);
  BOOST_TEST(attempts(id, second.attempts[0].token, 1).attempts.empty());
}

BOOST_AUTO_TEST_CASE(page_of_attempts_ends_when_its_texts_are_large) {
  constexpr auto half = actors::attempts_bytes / 2;
  const auto page = actors::to_view({}, recorded_with_details(3, half), 10);
  BOOST_TEST(page.attempts.size() == 2U);
  BOOST_TEST(page.more);
  BOOST_TEST(!actors::to_view({}, recorded_with_details(2, half), 10).more);
  // One that is larger than a page is told alone.
  const auto large = actors::to_view({}, recorded_with_details(2, 3 * half), 10);
  BOOST_TEST(large.attempts.size() == 1U);
  BOOST_TEST(large.more);
}

BOOST_AUTO_TEST_CASE(bad_questions_about_attempts_are_refused) {
  const auto id = enqueued(request());
  BOOST_TEST(attempts(id).attempts.empty());
  BOOST_TEST((refusal({fresh<core::task_id>(), 0, 10}) == core::errc::not_found));
  BOOST_TEST((refusal({{}, 0, 10}) == core::errc::invalid_argument));
  BOOST_TEST((refusal({id, 0, 0}) == core::errc::invalid_argument));
  BOOST_TEST((refusal({id, 0, 1000}) == core::errc::none));
  BOOST_TEST((refusal({id, 0, 1001}) == core::errc::invalid_argument));
  const auto greatest = core::token{1} << 63U;
  BOOST_TEST((refusal({id, greatest - 1, 1}) == core::errc::none));
  BOOST_TEST((refusal({id, greatest, 1}) == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
