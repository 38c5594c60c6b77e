// Jobs that come as envelopes, through a whole node in virtual time.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct node_with_jobs : node_fixture {
  node_with_jobs() {
    start();
    BOOST_REQUIRE(call(msg::put_queue{"jobs", "{}"}).value);
  }

  static std::string header(const core::task_id& id, const std::string& members) {
    return R"({"header":{"job_id":")" + to_string(id) + R"(","type":"entity.match","version":"1.0")"
           + members + "}";
  }
  /// An envelope of this job, with these members of its header.
  static msg::task_envelope job(const core::task_id& id, const std::string& members = "") {
    msg::task_envelope made;
    made.envelope = header(id, members)
                    + R"(,"body":{"task_id":1024},)"
                      R"("tracing":{"trace_id":"t","span_id":"s"}})";
    return made;
  }

  std::vector<msg::task_outcome> enqueue(std::vector<msg::task_envelope> jobs) {
    auto answered = call(msg::enqueue_envelopes{"jobs", std::move(jobs)});
    BOOST_REQUIRE(answered.value);
    return answered.value->outcomes;
  }

  std::vector<msg::leased_task> claim(std::uint32_t most = 10) {
    msg::claim_tasks c;
    c.queue = "jobs";
    c.worker = "w1";
    c.claim = fresh<core::assignment_id>();
    c.most = most;
    auto answered = call(c);
    BOOST_REQUIRE(answered.value);
    return answered.value->tasks;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(envelopes, node_with_jobs)

// C13-C19
BOOST_AUTO_TEST_CASE(a_job_becomes_the_task_that_its_envelope_says) {
  const auto id = fresh<core::task_id>();
  auto sent = job(id, R"(,"created_at":"2024-12-24T12:00:00Z","attempt":1,"max_attempts":3)");
  sent.key = "acme";
  sent.credential = "paid";
  sent.owner_id = "ana";
  sent.run_as_id = "linker";
  const auto outcomes = enqueue({sent});
  BOOST_REQUIRE_EQUAL(outcomes.size(), 1U);
  BOOST_TEST((outcomes[0].refusal == core::errc::none), outcomes[0].detail);
  BOOST_TEST((outcomes[0].task == id));
  const auto got = claim();
  BOOST_REQUIRE_EQUAL(got.size(), 1U);
  const auto& t = got[0];
  BOOST_TEST((t.task == id));
  BOOST_TEST(t.type == "entity.match");
  BOOST_TEST(t.version == "1.0");
  BOOST_TEST(t.body == R"({"task_id":1024})");
  BOOST_TEST(t.attempt == 1U);
  BOOST_TEST(t.max_attempts == 3U);
  BOOST_TEST((t.created_at == now()));
  BOOST_TEST(t.trace_id == "t");
  BOOST_TEST(t.span_id == "s");
  BOOST_TEST(t.key == "acme");
  BOOST_TEST(t.credential == "paid");
  BOOST_TEST(t.owner_id == "ana");
  BOOST_TEST(t.run_as_id == "linker");
}

// C20, C24
BOOST_AUTO_TEST_CASE(a_bad_envelope_harms_no_other_of_its_batch) {
  const auto first = fresh<core::task_id>();
  const auto last = fresh<core::task_id>();
  const auto tried = fresh<core::task_id>();
  auto urgent = job(fresh<core::task_id>());
  urgent.priority = 1001;
  msg::task_envelope unreadable;
  unreadable.envelope = "{";
  const auto outcomes =
      enqueue({job(first), unreadable, job(tried, R"(,"attempt":2)"),
               job(fresh<core::task_id>(), R"(,"priority":7)"), urgent, job(last)});
  BOOST_REQUIRE_EQUAL(outcomes.size(), 6U);
  BOOST_TEST((outcomes[0].refusal == core::errc::none));
  BOOST_TEST((outcomes[1].refusal == core::errc::payload_invalid));
  BOOST_TEST(!outcomes[1].task);
  BOOST_TEST((outcomes[2].refusal == core::errc::payload_invalid));
  BOOST_TEST(outcomes[2].detail.find("/header/attempt: must be 1, not 2") == 0U);
  BOOST_TEST((outcomes[3].refusal == core::errc::payload_invalid));
  BOOST_TEST(outcomes[3].detail.find("/header/priority: ") == 0U);
  BOOST_TEST((outcomes[4].refusal == core::errc::invalid_argument));
  BOOST_TEST((outcomes[5].refusal == core::errc::none));
  const auto got = claim();
  BOOST_REQUIRE_EQUAL(got.size(), 2U);
  BOOST_TEST((got[0].task == first));
  BOOST_TEST((got[1].task == last));
}

// C22
BOOST_AUTO_TEST_CASE(a_job_that_is_sent_again_is_a_repetition) {
  // An id of version 4, as other programs make them, tells no time.
  const core::task_id id{*core::parse_uuid("0af76519-16cd-43dd-8448-eb211c80319c")};
  BOOST_TEST(!enqueue({job(id)})[0].repeated);
  BOOST_TEST(enqueue({job(id)})[0].repeated);
  restart();
  BOOST_TEST(enqueue({job(id)})[0].repeated);
  const auto got = claim();
  BOOST_REQUIRE_EQUAL(got.size(), 1U);
  BOOST_REQUIRE(call(msg::complete_tasks{"jobs", "w1", {{{id, got[0].token}, "{}"}}}).value);
  BOOST_TEST(enqueue({job(id)})[0].repeated);
  BOOST_TEST(claim().empty());
}

// C49
BOOST_AUTO_TEST_CASE(members_that_an_envelope_lacks_are_given_beside_it) {
  auto later = job(fresh<core::task_id>());
  later.run_at = now() + 30s;
  auto plain = job(fresh<core::task_id>());
  plain.unique_key = "entry-500";
  auto urgent = job(fresh<core::task_id>());
  urgent.priority = 5;
  auto same = job(fresh<core::task_id>());
  same.unique_key = "entry-500";
  same.reject_duplicate = true;
  const auto outcomes = enqueue({later, plain, urgent, same});
  BOOST_TEST((outcomes[3].refusal == core::errc::already_exists));
  const auto got = claim();
  BOOST_REQUIRE_EQUAL(got.size(), 2U);
  BOOST_TEST((got[0].task == outcomes[2].task));
  BOOST_TEST((got[1].task == outcomes[1].task));
  advance(30s); // the leases of the others live on
  BOOST_TEST(claim().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_request_is_checked_like_one_for_tasks) {
  const auto refusal = [&](const std::string& queue, std::size_t jobs) {
    msg::enqueue_envelopes request{queue, {}};
    request.envelopes.resize(jobs);
    return call(request).code();
  };
  BOOST_TEST((refusal("none", 1) == core::errc::not_found));
  BOOST_TEST((refusal("No Name", 1) == core::errc::invalid_argument));
  BOOST_TEST((refusal("jobs", 10'001) == core::errc::too_large));
  BOOST_TEST(enqueue({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
