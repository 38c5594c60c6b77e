// The audits of a node: what is broken is logged and counted. Requirement 1.6.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct audited_node : node_fixture {
  /// Starts a node that audits the database, which has `broken`.
  void start_auditing(core::duration interval) {
    auto& next = prepare();
    next.settings.audit_interval = interval;
    next.settings.audit = [this]() -> core::outcome<std::vector<actors::broken_invariant>> {
      ++audits;
      if (fails)
        return core::failure{core::errc::unavailable, "it took too long"};
      return broken;
    };
    start();
  }

  std::ptrdiff_t logged_lines(const std::string& line) const {
    return std::count(node->log.begin(), node->log.end(), line);
  }
  msg::audit_status told() {
    const auto answered = call(msg::get_audit_status{});
    BOOST_REQUIRE(answered.value);
    return *answered.value;
  }

  std::vector<actors::broken_invariant> broken;
  bool fails = false;
  int audits = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(auditor, audited_node)

BOOST_AUTO_TEST_CASE(audits_come_at_their_interval_and_find_nothing) {
  start_auditing(1h);
  BOOST_TEST(told().done == 0U);
  advance(59min);
  BOOST_TEST(audits == 0);
  advance(2min);
  BOOST_TEST(audits == 1);
  advance(2h);
  BOOST_TEST(audits == 3);
  const auto status = told();
  BOOST_TEST(status.done == 3U);
  BOOST_TEST(status.failed == 0U);
  BOOST_TEST(status.findings.empty());
  BOOST_TEST((now() - status.last_at < 1h));
  BOOST_TEST(node->log.empty());
}

BOOST_AUTO_TEST_CASE(broken_invariant_is_logged_and_counted) {
  broken = {{"I-1", "slots_not_exceeded", 2, "unit_id=7"},
            {"I-1", "one_lease_per_contributor", 1, "unit_id=8"},
            {"I-5", "finalized_shape", 3, "unit_id=9"}};
  start_auditing(1h);
  advance(61min);
  BOOST_TEST(logged_lines("invariant_violated id=I-1 check=slots_not_exceeded rows=2 "
                          "detail=unit_id=7")
             == 1);
  broken.resize(1);
  advance(1h);
  const auto status = told();
  BOOST_TEST(status.done == 2U);
  BOOST_REQUIRE(status.findings.size() == 2U);
  BOOST_TEST(status.findings[0].invariant == "I-1");
  BOOST_TEST(status.findings[0].violations == 5U);
  BOOST_TEST(status.findings[1].invariant == "I-5");
  BOOST_TEST(status.findings[1].violations == 3U);
}

BOOST_AUTO_TEST_CASE(audit_that_fails_is_counted_and_the_next_comes_in_its_time) {
  fails = true;
  start_auditing(1h);
  advance(61min);
  BOOST_TEST(logged_lines("audit_failed reason=it took too long") == 1);
  BOOST_TEST(told().failed == 1U);
  fails = false;
  advance(1h);
  BOOST_TEST(told().failed == 1U);
  BOOST_TEST(told().done == 1U);
}

BOOST_AUTO_TEST_CASE(interval_of_zero_means_never) {
  start_auditing(0s);
  advance(48h);
  BOOST_TEST(audits == 0);
}

BOOST_AUTO_TEST_CASE(an_audit_is_made_when_it_is_asked_for) {
  broken = {{"I-1", "slots_not_exceeded", 2, "unit_id=7"}};
  start_auditing(0s);
  const auto found = call(msg::verify_cluster{}).value;
  BOOST_REQUIRE(found);
  BOOST_REQUIRE_EQUAL(found->broken.size(), 1U);
  BOOST_TEST(found->broken[0].invariant == "I-1");
  BOOST_TEST(found->broken[0].check == "slots_not_exceeded");
  BOOST_TEST(found->broken[0].rows == 2U);
  BOOST_TEST(found->broken[0].sample == "unit_id=7");
  BOOST_TEST(told().done == 1U);
  broken.clear();
  advance(1ms);
  BOOST_TEST(call(msg::verify_cluster{}).value->broken.empty());
  fails = true;
  advance(1ms);
  BOOST_TEST((call(msg::verify_cluster{}).code() == core::errc::unavailable));
  BOOST_TEST(audits == 3);
}

BOOST_AUTO_TEST_CASE(requests_for_an_audit_that_come_together_share_one) {
  start_auditing(0s);
  std::vector<awaited_answer<msg::verify_cluster>> asked;
  for (int i = 0; i < 5; ++i)
    asked.push_back(send_to_node(msg::verify_cluster{}));
  settle();
  for (const auto& one : asked)
    BOOST_TEST(one->value.has_value());
  BOOST_TEST(audits == 1);
  advance(1us);
  BOOST_TEST(call(msg::verify_cluster{}).value.has_value());
  BOOST_TEST(audits == 2);
}

// One node of a cluster does it: the host of the first shard.
BOOST_AUTO_TEST_CASE(node_that_does_not_host_the_first_shard_leaves_it_to_others) {
  start_auditing(1h);
  node->stop_renewals(true);
  advance(10min); // it cannot be sure any more what it hosts
  advance(1h);
  BOOST_TEST(audits == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
