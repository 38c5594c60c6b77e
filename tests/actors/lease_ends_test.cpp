// The causes that end a lease, and the blame for each end, as workers of a node see them.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

struct lease_ends_fixture : node_with_queue {
  /// A connection's claim for one task, with which the lease ends.
  msg::claim_tasks bound_claim(const std::string& worker) {
    auto c = claim(worker);
    c.tied = true;
    return c;
  }
  msg::leased_task claimed_by(client& connection, const std::string& worker) {
    const auto got = connection.send(node->gateway, bound_claim(worker));
    settle();
    BOOST_REQUIRE(got->value);
    BOOST_REQUIRE_EQUAL(got->value->tasks.size(), 1U);
    return got->value->tasks.front();
  }
  core::errc extended(const std::string& worker, const msg::leased_task& t) {
    const auto answered = send_to_node(msg::extend_tasks{"mail", worker, {{t.task, t.token}}});
    advance(2s);
    BOOST_REQUIRE(answered->value);
    return answered->value->outcomes.front().refusal;
  }
};

/// Two connections that call their worker by one name, with a task each.
struct namesakes {
  explicit namesakes(lease_ends_fixture& on)
      : worker(on),
        namesake(on),
        first(on.enqueued(on.request())),
        mine(on.claimed_by(worker, "w1")),
        second(on.enqueued(on.request())) {
    BOOST_TEST((on.claimed_by(namesake, "w1").task == second));
  }

  client worker;
  client namesake;
  core::task_id first;
  msg::leased_task mine; ///< The worker's, of `first`.
  core::task_id second;  ///< The namesake has it.
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lease_ends, lease_ends_fixture)

// finding B9
BOOST_AUTO_TEST_CASE(a_task_that_its_worker_extends_to_the_last_has_timed_out) {
  const auto id = enqueued(request());
  const auto t = one("w1");
  for (int i = 0; i < 4; ++i) { // the last one moves the end to 90 s after the grant
    advance(18s);
    BOOST_TEST((extended("w1", t) == core::errc::none));
  }
  BOOST_TEST((extended("w1", t) == core::errc::not_extendable));
  advance(11s); // 93 s after the grant: the wait of a try that failed is over, too
  BOOST_TEST(view(id).attempts == 1U);
  BOOST_TEST(view(id).crashes == 0U);
  BOOST_TEST((one("w2").task == id));
}

// finding R6
BOOST_AUTO_TEST_CASE(a_grant_that_an_outage_outlives_costs_its_task_nothing) {
  BOOST_REQUIRE(call(msg::put_queue{"mail", R"({"lease": {"ttl_seconds": 1}})"}).value);
  const auto id = enqueued(request());
  database->set_reachable(false);
  const auto lost = send_to_node(claim("w1"));
  settle();
  advance(3s);
  database->set_reachable(true);
  advance(3s);
  BOOST_REQUIRE(lost->value);
  BOOST_TEST(lost->value->tasks.empty());
  BOOST_TEST(view(id).crashes == 0U);
  BOOST_TEST(view(id).attempts == 0U);
  BOOST_TEST((complete("w2", one("w2")) == core::errc::none));
}

// finding B5
BOOST_AUTO_TEST_CASE(a_claim_under_the_name_of_another_worker_ends_none_of_its_leases) {
  namesakes both{*this};
  both.namesake.disconnect();
  settle();
  BOOST_TEST(counts().leased == 1U);
  BOOST_TEST(view(both.first).crashes == 0U);
  BOOST_TEST(view(both.second).crashes == 1U);
  BOOST_TEST((complete("w1", both.mine) == core::errc::none));
}

// finding B5: and one that finds nothing
BOOST_AUTO_TEST_CASE(a_namesake_that_waits_for_work_and_ends_calls_off_its_own_claim_only) {
  client worker{*this};
  client namesake{*this};
  auto patient = bound_claim("w1");
  patient.wait = 30s;
  const auto waits = worker.send(node->gateway, patient);
  patient.claim = fresh<core::assignment_id>();
  namesake.send(node->gateway, patient);
  settle();
  namesake.disconnect();
  settle();
  BOOST_TEST(!waits->value);
  const auto id = enqueued(request());
  settle();
  BOOST_REQUIRE(waits->value);
  BOOST_REQUIRE_EQUAL(waits->value->tasks.size(), 1U);
  BOOST_TEST((waits->value->tasks.front().task == id));
}

// review: each connection knows its claims
BOOST_AUTO_TEST_CASE(a_claim_that_is_repeated_over_another_connection_is_called_off_with_that_one) {
  client before{*this};
  client after{*this};
  auto patient = bound_claim("w1");
  patient.wait = 30s;
  before.send(node->gateway, patient);
  settle();
  const auto repeated = after.send(node->gateway, patient);
  settle();
  before.disconnect();
  settle();
  BOOST_TEST(!repeated->arrived());
  after.disconnect();
  settle();
  const auto id = enqueued(request());
  BOOST_TEST(view(id).status == "QUEUED");
}

// finding B5: a worker that has come back over another connection shows that by extending
BOOST_AUTO_TEST_CASE(a_lease_that_is_extended_over_another_connection_ends_with_that_one) {
  enqueued(request());
  client before{*this};
  client after{*this};
  const auto t = claimed_by(before, "w1");
  auto more = bound_claim("w1");
  after.send(node->gateway, more);
  after.send(node->gateway, msg::extend_tasks{"mail", "w1", {{t.task, t.token}}});
  advance(2s);
  before.disconnect();
  settle();
  BOOST_TEST(counts().leased == 1U);
  after.disconnect();
  settle();
  BOOST_TEST(counts().leased == 0U);
}

// finding B5
BOOST_AUTO_TEST_CASE(after_a_crash_of_its_queue_each_connection_of_a_name_ends_its_own_leases) {
  namesakes both{*this};
  crash(the_actor("queue"));
  advance(1s);
  BOOST_TEST(counts().leased == 2U);
  both.namesake.disconnect();
  settle();
  BOOST_TEST(counts().leased == 1U);
  BOOST_TEST(view(both.first).crashes == 0U);
  BOOST_TEST(view(both.second).crashes == 1U);
  BOOST_TEST((complete("w1", both.mine) == core::errc::none));
}

// finding B5: and one that has nothing ends nothing
BOOST_AUTO_TEST_CASE(after_a_crash_of_its_queue_a_namesake_ends_no_leases_either) {
  enqueued(request());
  client worker{*this};
  client namesake{*this};
  claimed_by(worker, "w1");
  namesake.send(node->gateway, bound_claim("w1"));
  settle();
  crash(the_actor("queue"));
  advance(1s);
  namesake.disconnect();
  settle();
  BOOST_TEST(counts().leased == 1U);
  worker.disconnect();
  settle();
  BOOST_TEST(counts().leased == 0U);
}

// finding B5
BOOST_AUTO_TEST_CASE(a_connection_that_ends_while_its_queue_begins_anew_ends_its_own_leases_alone) {
  namesakes both{*this};
  database->set_reachable(false);
  crash(the_actor("queue"));
  settle();
  both.namesake.disconnect();
  settle();
  database->set_reachable(true);
  advance(3s); // far less than the leases
  BOOST_TEST(counts().leased == 1U);
  BOOST_TEST(view(both.first).crashes == 0U);
  BOOST_TEST(view(both.second).crashes == 1U);
}

// finding B5: the name of a worker binds no lease
BOOST_AUTO_TEST_CASE(after_a_crash_of_its_queue_leases_that_are_not_tied_end_with_no_connection) {
  enqueued(request());
  client worker{*this};
  claimed_by(worker, "w1");
  enqueued(request());
  const auto loose = one("w1");
  crash(the_actor("queue"));
  advance(1s);
  worker.disconnect();
  settle();
  BOOST_TEST(counts().leased == 1U);
  BOOST_TEST((complete("w1", loose) == core::errc::none));
}

// finding B5
BOOST_AUTO_TEST_CASE(after_a_crash_of_its_queue_a_lease_ends_with_the_connection_of_its_extension) {
  enqueued(request());
  client before{*this};
  client after{*this};
  const auto t = claimed_by(before, "w1");
  after.send(node->gateway, bound_claim("w1"));
  after.send(node->gateway, msg::extend_tasks{"mail", "w1", {{t.task, t.token}}});
  advance(2s);
  crash(the_actor("queue"));
  advance(1s);
  before.disconnect();
  settle();
  BOOST_TEST(counts().leased == 1U);
  after.disconnect();
  settle();
  BOOST_TEST(counts().leased == 0U);
}

// finding B5: ends of leases that were decided and not written, as another decision was refused
BOOST_AUTO_TEST_CASE(leases_whose_ends_were_not_written_end_with_their_connections_all_the_same) {
  namesakes both{*this};
  database->set_refusals([](const core::change& c) {
    return std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
      return std::holds_alternative<core::finish_task>(write);
    });
  });
  database->set_reachable(false);
  send_to_node(msg::complete_tasks{"mail", "w1", {{{both.mine.task, both.mine.token}, "{}"}}});
  settle();
  both.namesake.disconnect();
  settle();
  database->set_reachable(true);
  advance(3s);
  database->set_refusals(nullptr);
  BOOST_REQUIRE(logged("item_down")); // the queue has started again
  BOOST_TEST(view(both.second).crashes == 1U);
  BOOST_TEST(view(both.first).status != "COMPLETED");
  BOOST_TEST(counts().leased == 1U);
  both.worker.disconnect();
  settle();
  BOOST_TEST(counts().leased == 0U);
  BOOST_TEST(view(both.first).crashes == 1U);
}

// finding B7
BOOST_AUTO_TEST_CASE(extensions_are_answered_long_before_a_short_lease_is_over) {
  for (const auto* ttl : {"0.1", "0.5", "2"}) {
    BOOST_REQUIRE(
        call(msg::put_queue{"mail", R"({"lease": {"ttl_seconds": )" + std::string{ttl} + "}}"})
            .value);
    const auto span = std::chrono::milliseconds{static_cast<int>(1000 * std::stod(ttl))};
    const auto id = enqueued(request());
    const auto t = one("w1");
    for (int i = 0; i < 6; ++i) { // three times as long as one lease
      advance(span / 3);
      const auto answered = send_to_node(msg::extend_tasks{"mail", "w1", {{t.task, t.token}}});
      advance(span / 6);
      BOOST_REQUIRE(answered->value);
      BOOST_TEST((answered->value->outcomes.front().refusal == core::errc::none));
    }
    BOOST_TEST((complete("w1", t) == core::errc::none));
    BOOST_TEST(view(id).crashes == 0U);
  }
}

// finding Q7
BOOST_AUTO_TEST_CASE(a_failure_is_taken_whatever_bytes_its_description_has) {
  const std::vector<std::string> details{"caf\xe9", std::string("a\0b", 3), "\xed\xa0\x80",
                                         std::string(100'000, 'x')};
  for (const auto& detail : details) {
    const auto id = enqueued(request());
    const auto t = one("w1");
    msg::fail_task f;
    f.queue = "mail";
    f.worker = "w1";
    f.task = {t.task, t.token};
    f.kind = static_cast<std::uint8_t>(core::failure_kind::permanent);
    f.error_code = "BAD_INPUT";
    f.detail = detail;
    const auto answered = call(f);
    BOOST_REQUIRE(answered.value);
    BOOST_TEST((answered.value->refusal == core::errc::none));
    BOOST_TEST(view(id).status == "FAILURE");
    BOOST_TEST(view(id).error_code == "BAD_INPUT");
  }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct few_claims_fixture : lease_ends_fixture {
  few_claims_fixture() {
    auto& settings = prepare().settings;
    settings.claims_waiting_max = 2;
    settings.claim_connections_max = 2;
    start();
  }
  auto waiting_claim(client& connection, const std::string& worker, bool tied) {
    auto request = claim(worker);
    request.wait = 30s;
    request.tied = tied;
    return connection.send(node->gateway, request);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(bounded_claims, few_claims_fixture)

// finding B6
BOOST_AUTO_TEST_CASE(claims_that_wait_at_a_queue_are_bounded) {
  client worker{*this};
  const auto first = waiting_claim(worker, "w1", false);
  const auto second = waiting_claim(worker, "w2", false);
  const auto third = waiting_claim(worker, "w3", false);
  settle();
  BOOST_REQUIRE(third->error);
  BOOST_TEST((third->code() == core::errc::overloaded));
  BOOST_TEST(third->error->detail.find("task.claims_waiting_max") != std::string::npos);
  enqueued(request());
  settle();
  BOOST_REQUIRE(first->value);
  BOOST_TEST(first->value->tasks.size() == 1U);
  BOOST_TEST(!second->value);
  BOOST_TEST(!second->error);
}

// finding B6
BOOST_AUTO_TEST_CASE(connections_with_which_leases_end_are_bounded) {
  client first{*this};
  auto second = std::make_unique<client>(*this);
  client third{*this};
  for (int i = 0; i < 4; ++i)
    enqueued(request());
  claimed_by(first, "w1");
  claimed_by(*second, "w2");
  const auto refused = third.send(node->gateway, bound_claim("w3"));
  settle();
  BOOST_REQUIRE(refused->error);
  BOOST_TEST((refused->code() == core::errc::overloaded));
  BOOST_TEST(refused->error->detail.find("task.claim_connections_max") != std::string::npos);
  claimed_by(first, "w4"); // the connection is there already
  second.reset();
  settle();
  claimed_by(third, "w3");
}

BOOST_AUTO_TEST_SUITE_END()
